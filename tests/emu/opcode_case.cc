#include "opcode_case.h"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <immintrin.h>
#include <sstream>

namespace emutest {
namespace {

std::string trim(const std::string &text) {
  size_t first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t");
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

std::vector<std::string> split(const std::string &text, const std::string &by) {
  std::vector<std::string> parts;
  size_t at = 0;
  for (size_t next; (next = text.find(by, at)) != std::string::npos; at = next + by.size())
    parts.push_back(trim(text.substr(at, next - at)));
  parts.push_back(trim(text.substr(at)));
  return parts;
}

// Columns end with a bar that has space around it; |v0| in an instruction is an absolute value.
std::vector<std::string> columnsOf(const std::string &text) {
  std::vector<std::string> parts;
  size_t start = 0;
  for (size_t at = 1; at < text.size(); ++at)
    if (text[at] == '|' && text[at - 1] == ' ' && (at + 1 == text.size() || text[at + 1] == ' ')) {
      parts.push_back(trim(text.substr(start, at - start)));
      start = at + 1;
    }
  parts.push_back(trim(text.substr(start)));
  return parts;
}

std::vector<std::string> expandChips(const std::string &names) {
  std::vector<std::string> chips;
  for (const std::string &name : split(names, ",")) {
    if (name == "all" || name == "cdna")
      chips.insert(chips.end(), {"gfx90a", "gfx942", "gfx950"});
    if (name == "all" || name == "rdna")
      chips.insert(chips.end(), {"gfx1100", "gfx1201"});
    if (name != "all" && name != "rdna" && name != "cdna")
      chips.push_back(name);
  }
  return chips;
}

template <class To, class From> To bits(From value) {
  To to;
  std::memcpy(&to, &value, sizeof(to));
  return to;
}

// One number with its suffix; false when it is none.
bool number(const std::string &text, char suffix, uint64_t &out) {
  char *end = nullptr;
  if (suffix) {
    double value = std::strtod(text.c_str(), &end);
    if (suffix == 'd')
      out = bits<uint64_t>(value);
    else if (suffix == 'f')
      out = bits<uint32_t>(float(value));
    else if (suffix == 'h')
      out = _cvtss_sh(float(value), _MM_FROUND_TO_NEAREST_INT);
    else
      out = bits<uint32_t>(float(value)) >> 16; // such as bf16 holds exactly
  } else if (text[0] == '-') {
    out = uint64_t(std::strtoll(text.c_str(), &end, 0));
  } else {
    out = std::strtoull(text.c_str(), &end, 0);
  }
  return end && *end == 0 && end != text.c_str();
}

char suffixOf(const std::string &text) {
  bool hex = text.rfind("0x", 0) == 0 && text.find('p') == std::string::npos;
  char last = text.empty() ? 0 : text.back();
  return !hex && (last == 'f' || last == 'd' || last == 'h' || last == 'b') ? last : 0;
}

bool parseValues(std::string text, CaseValue &value) {
  if (text.rfind("mem", 0) == 0) {
    value.isAddress = true;
    text = text.size() > 3 ? text.substr(text[3] == '+' ? 4 : 3) : "0";
  }
  if (text.rfind("lane", 0) == 0) {
    value.formula = true;
    value.factor = 1;
    char *at = text.data() + 4;
    if (*at == '*')
      value.factor = std::strtoll(at + 1, &at, 0);
    if (*at == '+' || *at == '-')
      value.offset = std::strtoll(at, &at, 0);
    return *at == 0;
  }
  char shared = 0;
  std::vector<std::string> parts = {text};
  if (text[0] == '{') {
    size_t close = text.find('}');
    if (close == std::string::npos)
      return false;
    std::string behind = text.substr(close + 1);
    shared = suffixOf(behind.empty() ? "" : "0" + behind);
    parts = split(text.substr(1, close - 1), ",");
  }
  for (std::string part : parts) {
    char suffix = shared;
    if (!suffix && (suffix = suffixOf(part)))
      part.pop_back();
    uint64_t bits;
    if (part.empty() || !number(part, suffix, bits))
      return false;
    if (part.find("nan") != std::string::npos)
      value.anyNan = suffix;
    value.values.push_back(bits);
  }
  return true;
}

bool parseAssignment(const std::string &text, CaseValue &value) {
  size_t equals = text.find('=');
  if (equals == std::string::npos)
    return false;
  value.name = text.substr(0, equals);
  if (size_t bracket = value.name.find('['); bracket != std::string::npos) {
    unsigned first = unsigned(std::atoi(value.name.c_str() + bracket + 1));
    size_t colon = value.name.find(':');
    if (value.name.rfind("mem", 0) == 0) {
      value.index = first;
      value.name = "mem";
    } else if (colon == std::string::npos) {
      return false;
    } else {
      if (unsigned(std::atoi(value.name.c_str() + colon + 1)) != first + 1)
        return false; // wider tuples are written as several registers
      value.registers = 2;
      value.name = value.name.substr(0, bracket) + std::to_string(first);
    }
  }
  if (value.name == "vcc" || value.name == "exec")
    value.registers = 2;
  return parseValues(text.substr(equals + 1), value);
}

bool parseAssignments(const std::string &text, std::vector<CaseValue> &out) {
  std::istringstream in(text);
  for (std::string word; in >> word;)
    if (!parseAssignment(word, out.emplace_back()))
      return false;
  return true;
}

// Writes a kernel's text around a case.
class KernelWriter {
public:
  KernelWriter(std::ostringstream &out, const std::string &chip, unsigned waveSize)
      : out(out), wave32(waveSize == 32), gfx12(chip.rfind("gfx12", 0) == 0) {}

  void write(const OpcodeCase &test) {
    line("s_load_dwordx4 s[4:7], s[0:1], 0x0");
    line("v_and_b32 v100, 0x3ff, v0");
    line("v_lshlrev_b32 v100, 2, v100");
    wait();
    for (const CaseValue &input : test.inputs)
      if (input.name != "mem")
        load(input);
    wait();
    for (const CaseValue &input : test.inputs)
      if (input.name == "scc")
        line("s_cmp_eq_u32 s10, 1");
    for (const CaseValue &input : test.inputs)
      if (input.name == "exec")
        line(wave32 ? "s_mov_b32 exec_lo, s14" : "s_mov_b64 exec, s[14:15]");
    for (const std::string &instruction : test.instructions)
      line(instruction);
    wait();
    line("s_cselect_b32 s10, 1, 0");
    line("s_mov_b32 s12, vcc_lo");
    line("s_mov_b32 s13, vcc_hi");
    line("s_mov_b32 s14, exec_lo");
    line("s_mov_b32 s15, exec_hi");
    line("s_mov_b32 s11, m0");
    line(wave32 ? "s_mov_b32 exec_lo, -1" : "s_mov_b64 exec, -1");
    for (const CaseValue &output : test.outputs)
      if (output.name != "mem")
        store(output);
    line("s_endpgm");
  }

private:
  void line(const std::string &text) { out << "  " << text << "\n"; }
  void wait() {
    line(gfx12 ? "s_wait_loadcnt_dscnt 0" : "s_waitcnt 0");
    if (gfx12)
      line("s_wait_kmcnt 0");
  }
  void advance(const char *low, const char *high) {
    line(std::string("s_add_u32 ") + low + ", " + low + ", 256");
    line(std::string("s_addc_u32 ") + high + ", " + high + ", 0");
  }

  static unsigned numberOf(const std::string &name) {
    return unsigned(std::atoi(name.c_str() + 1));
  }
  // Where a scalar's words are between loading and use.
  std::string scalarName(const CaseValue &value, unsigned word) {
    if (value.name == "vcc")
      return word ? "s13" : "s12";
    if (value.name == "exec")
      return word ? "s15" : "s14";
    if (value.name == "scc")
      return "s10";
    if (value.name == "m0")
      return "s11";
    return "s" + std::to_string(numberOf(value.name) + word);
  }

  void load(const CaseValue &value) {
    for (unsigned word = 0; word < value.registers; ++word) {
      if (value.name[0] == 'v' && value.name != "vcc") {
        line("global_load_dword v" + std::to_string(numberOf(value.name) + word) +
             ", v100, s[4:5]");
        wait();
      } else if (value.name[0] == 'a') {
        line("global_load_dword v101, v100, s[4:5]");
        wait();
        line("v_accvgpr_write_b32 a" + std::to_string(numberOf(value.name) + word) + ", v101");
      } else {
        std::string name = scalarName(value, word);
        line("s_load_dword " + name + ", s[4:5], 0x0");
        wait();
        if (value.name == "vcc")
          line(word ? "s_mov_b32 vcc_hi, s13" : "s_mov_b32 vcc_lo, s12");
        if (value.name == "m0")
          line("s_mov_b32 m0, s11");
      }
      advance("s4", "s5");
    }
  }

  void store(const CaseValue &value) {
    for (unsigned word = 0; word < value.registers; ++word) {
      std::string from = "v101";
      if (value.name[0] == 'v' && value.name != "vcc")
        from = "v" + std::to_string(numberOf(value.name) + word);
      else if (value.name[0] == 'a')
        line("v_accvgpr_read_b32 v101, a" + std::to_string(numberOf(value.name) + word));
      else
        line("v_mov_b32 v101, " + scalarName(value, word));
      line("global_store_dword v100, " + from + ", s[6:7]");
      advance("s6", "s7");
    }
  }

  std::ostringstream &out;
  bool wave32, gfx12;
};

} // namespace

bool isNanOf(char type, uint64_t bits) {
  switch (type) {
  case 'f':
    return (bits & 0x7fffffff) > 0x7f800000;
  case 'd':
    return (bits & 0x7fffffffffffffff) > 0x7ff0000000000000;
  case 'h':
    return (bits & 0x7fff) > 0x7c00;
  case 'b':
    return (bits & 0x7fff) > 0x7f80;
  }
  return false;
}

uint64_t laneValue(const CaseValue &value, unsigned lane) {
  if (value.formula)
    return uint64_t(value.factor * int64_t(lane) + value.offset);
  return value.values.empty() ? 0 : value.values[lane % value.values.size()];
}

std::vector<OpcodeCase> readCases(const std::string &path, std::string &errors) {
  std::vector<OpcodeCase> cases;
  std::ifstream in(path);
  if (!in)
    errors += path + ": cannot be read\n";
  unsigned number = 0;
  for (std::string text; std::getline(in, text);) {
    ++number;
    std::string content = trim(text.substr(0, text.find('#')));
    if (content.empty())
      continue;
    OpcodeCase test;
    test.file = path.substr(path.rfind('/') + 1);
    test.line = number;
    test.text = content;
    auto columns = columnsOf(content);
    if (columns.size() != 4 || !parseAssignments(columns[2], test.inputs) ||
        !parseAssignments(columns[3], test.outputs)) {
      errors += test.file + ":" + std::to_string(number) + ": not understood: " + content + "\n";
      continue;
    }
    test.chips = expandChips(columns[0]);
    test.instructions = split(columns[1], ";;");
    cases.push_back(std::move(test));
  }
  return cases;
}

std::string assemblyOf(const std::vector<OpcodeCase> &cases, const std::string &chip,
                       unsigned waveSize) {
  std::ostringstream code, metadata;
  bool cdna = waveSize == 64, gfx12 = chip.rfind("gfx12", 0) == 0;
  code << ".amdgcn_target \"amdgcn-amd-amdhsa--" << chip << "\"\n.text\n";
  metadata << ".amdgpu_metadata\n---\namdhsa.version: [1, 2]\namdhsa.kernels:\n";
  for (size_t i = 0; i < cases.size(); ++i) {
    std::string name = "case_" + std::to_string(i);
    code << ".globl " << name << "\n.p2align 8\n.type " << name << ",@function\n" << name << ":\n";
    KernelWriter(code, chip, waveSize).write(cases[i]);
    code << ".rodata\n.p2align 6\n.amdhsa_kernel " << name
         << "\n  .amdhsa_group_segment_fixed_size 4096\n  .amdhsa_kernarg_size 16\n"
            "  .amdhsa_user_sgpr_kernarg_segment_ptr 1\n  .amdhsa_next_free_vgpr "
         << (cdna ? 160 : 104) << "\n  .amdhsa_next_free_sgpr 100\n"
         << "  .amdhsa_float_denorm_mode_32 3\n  .amdhsa_private_segment_fixed_size 256\n";
    if (cdna)
      code << "  .amdhsa_accum_offset 128\n";
    if (chip == "gfx90a")
      code << "  .amdhsa_user_sgpr_flat_scratch_init 0\n";
    if (!cdna)
      code << "  .amdhsa_wavefront_size32 1\n";
    if (!gfx12)
      code << "  .amdhsa_ieee_mode 1\n";
    code << ".end_amdhsa_kernel\n.text\n";
    metadata << "  - .name: " << name << "\n    .symbol: " << name
             << ".kd\n    .kernarg_segment_size: 16\n    .kernarg_segment_align: 8\n"
                "    .group_segment_fixed_size: 4096\n    .private_segment_fixed_size: 256\n"
                "    .wavefront_size: "
             << waveSize
             << "\n    .sgpr_count: 100\n    .vgpr_count: 160\n    .max_flat_workgroup_size: 1024\n"
                "    .args:\n      - {.offset: 0, .size: 8, .value_kind: by_value}\n"
                "      - {.offset: 8, .size: 8, .value_kind: by_value}\n";
  }
  metadata << "...\n.end_amdgpu_metadata\n";
  return code.str() + metadata.str();
}

} // namespace emutest
