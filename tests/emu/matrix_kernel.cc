#include "matrix_kernel.h"

#include "emu/census.h"

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <unistd.h>

namespace emutest {
namespace {

// Where a kernel keeps its operands. v100 is the lane's offset, v101 a temporary.
constexpr unsigned kD = 0, kA = 32, kB = 40, kIndex = 48, kScaleA = 49, kScaleB = 50, kC = 64;

std::string registers(char file, unsigned first, unsigned count) {
  std::string number = std::to_string(first);
  return count == 1 ? file + number
                    : file + ("[" + number + ":" + std::to_string(first + count - 1) + "]");
}

class Writer {
public:
  Writer(std::ostringstream &out, const std::string &chip, unsigned waveSize)
      : out(out), gfx12(chip.rfind("gfx12", 0) == 0), wave32(waveSize == 32) {}

  void kernel(const MatrixCode &code, unsigned inputBytes, unsigned outputBytes) {
    std::string group = gfx12 ? "ttmp9" : "s2";
    line("s_load_dwordx4 s[4:7], s[0:1], 0x0");
    line("v_and_b32 v100, 0x3ff, v0");
    line("v_lshlrev_b32 v100, 2, v100");
    wait();
    line("s_mul_i32 s8, " + group + ", " + std::to_string(inputBytes));
    advance("s4", "s5", "s8");
    line("s_mul_i32 s8, " + group + ", " + std::to_string(outputBytes));
    advance("s6", "s7", "s8");
    const char file = code.agprs ? 'a' : 'v';
    load('v', kB, code.b);
    load(file, kC, code.d);
    load(file, kD, code.d);
    load(file, code.overlaps ? kD : kA, code.a);
    load('v', kIndex, 1);
    load('v', kScaleA, 1);
    load('v', kScaleB, 1);
    if (code.exec != ~0ull)
      setExec(code.exec);
    line(instruction(code, file));
    if (code.exec != ~0ull)
      setExec(~0ull);
    for (int i = 0; i < 4; ++i)
      line("s_nop 15");
    for (unsigned r = 0; r < code.d; ++r) {
      std::string from = "v" + std::to_string(kD + r);
      if (code.agprs) {
        line("v_accvgpr_read_b32 v101, a" + std::to_string(kD + r));
        from = "v101";
      }
      line("global_store_dword v100, " + from + ", s[6:7]");
      advance("s6", "s7", "256");
    }
    line("s_endpgm");
  }

private:
  static std::string instruction(const MatrixCode &code, char file) {
    std::string text = code.mnemonic + " " + registers(file, kD, code.d) + ", " +
                       registers(file, code.overlaps ? kD : kA, code.a) + ", " +
                       registers('v', kB, code.b) + ", ";
    if (code.index)
      text += registers('v', kIndex, 1);
    else if (!code.constant.empty())
      text += code.constant;
    else
      text += registers(file, code.tied ? kD : kC, code.d);
    if (code.scales)
      text += ", v49, v50";
    return text + " " + code.modifiers;
  }
  void line(const std::string &text) { out << "  " << text << "\n"; }
  void wait() {
    line(gfx12 ? "s_wait_loadcnt_dscnt 0" : "s_waitcnt 0");
    if (gfx12)
      line("s_wait_kmcnt 0");
  }
  void setExec(uint64_t mask) {
    if (wave32) {
      line("s_mov_b32 exec_lo, " + std::to_string(uint32_t(mask)));
      return;
    }
    line("s_mov_b32 exec_lo, " + std::to_string(uint32_t(mask)));
    line("s_mov_b32 exec_hi, " + std::to_string(uint32_t(mask >> 32)));
  }
  void advance(const char *low, const char *high, const std::string &by) {
    line(std::string("s_add_u32 ") + low + ", " + low + ", " + by);
    line(std::string("s_addc_u32 ") + high + ", " + high + ", 0");
  }
  void load(char file, unsigned first, unsigned count) {
    for (unsigned r = 0; r < count; ++r) {
      std::string to = file == 'a' ? "v101" : "v" + std::to_string(first + r);
      line("global_load_dword " + to + ", v100, s[4:5]");
      if (file == 'a') {
        wait();
        line("v_accvgpr_write_b32 a" + std::to_string(first + r) + ", v101");
      }
      advance("s4", "s5", "256");
    }
    wait();
  }

  std::ostringstream &out;
  bool gfx12, wave32;
};

unsigned inputRegisters(const MatrixCode &code) { return code.a + code.b + 2 * code.d + 3; }

void descriptor(std::ostringstream &code, std::ostringstream &metadata, const std::string &name,
                const std::string &chip, unsigned waveSize) {
  const bool cdna = chip.rfind("gfx9", 0) == 0;
  code << ".rodata\n.p2align 6\n.amdhsa_kernel " << name
       << "\n  .amdhsa_kernarg_size 16\n  .amdhsa_user_sgpr_kernarg_segment_ptr 1\n"
          "  .amdhsa_system_sgpr_workgroup_id_x 1\n  .amdhsa_next_free_vgpr "
       << (cdna ? 256 : 104)
       << "\n  .amdhsa_next_free_sgpr 32\n  .amdhsa_float_denorm_mode_32 3\n"
          "  .amdhsa_float_denorm_mode_16_64 3\n";
  if (cdna)
    code << "  .amdhsa_accum_offset 128\n";
  else
    code << "  .amdhsa_wavefront_size32 " << (waveSize == 32) << "\n";
  code << ".end_amdhsa_kernel\n.text\n";
  metadata << "  - .name: " << name << "\n    .symbol: " << name
           << ".kd\n    .kernarg_segment_size: 16\n    .kernarg_segment_align: 8\n"
              "    .group_segment_fixed_size: 0\n    .private_segment_fixed_size: 0\n"
              "    .wavefront_size: "
           << waveSize
           << "\n    .sgpr_count: 32\n    .vgpr_count: 256\n    .max_flat_workgroup_size: 64\n"
              "    .args:\n      - {.offset: 0, .size: 8, .value_kind: by_value}\n"
              "      - {.offset: 8, .size: 8, .value_kind: by_value}\n";
}

std::vector<uint8_t> assemble(const std::string &text, const std::string &chip, bool wave64) {
  std::string base =
      std::string(TL_EMU_KERNELS) + "/matrix_" + chip + "_" + std::to_string(getpid());
  std::ofstream(base + ".s") << text;
  std::string command = std::string(TL_CLANG) +
                        " -x assembler -target amdgcn-amd-amdhsa -mcpu=" + chip +
                        (wave64 ? " -mwavefrontsize64 " : " ") + base + ".s -o " + base + ".co";
  bool good = std::system(command.c_str()) == 0;
  std::vector<uint8_t> object = good ? readFile(base + ".co") : std::vector<uint8_t>();
  std::filesystem::remove(base + ".co");
  if (good)
    std::filesystem::remove(base + ".s");
  return object;
}

} // namespace

MatrixSuite::MatrixSuite(std::string chip, unsigned waveSize, Options options)
    : chip(std::move(chip)), waveSize(waveSize), machine(this->chip, options) {}

void MatrixSuite::add(
    MatrixCode code, std::function<std::vector<MatrixInput>()> inputs,
    std::function<void(const std::vector<MatrixInput> &, const MatrixOutputs &)> check) {
  jobs.push_back({std::move(code), std::move(inputs), std::move(check)});
}

std::string MatrixSuite::assembly() const {
  std::ostringstream code, metadata;
  code << ".amdgcn_target \"amdgcn-amd-amdhsa--" << chip << "\"\n.text\n";
  metadata << ".amdgpu_metadata\n---\namdhsa.version: [1, 2]\namdhsa.kernels:\n";
  for (size_t i = 0; i < jobs.size(); ++i) {
    std::string name = "matrix_" + std::to_string(i);
    code << ".globl " << name << "\n.p2align 8\n.type " << name << ",@function\n" << name << ":\n";
    Writer(code, chip, waveSize)
        .kernel(jobs[i].code, inputRegisters(jobs[i].code) * 256, jobs[i].code.d * 256);
    descriptor(code, metadata, name, chip, waveSize);
  }
  metadata << "...\n.end_amdgpu_metadata\n";
  return code.str() + metadata.str();
}

MatrixOutputs MatrixSuite::launch(size_t job, const std::vector<MatrixInput> &inputs) {
  const MatrixCode &code = jobs[job].code;
  std::vector<uint32_t> words;
  words.reserve(inputs.size() * inputRegisters(code) * 64);
  auto append = [&](const RegisterSet &set, unsigned count) {
    size_t end = words.size() + count * 64;
    words.insert(words.end(), set.words.begin(), set.words.end());
    words.resize(end);
  };
  for (const MatrixInput &input : inputs) {
    append(input.b, code.b);
    append(input.c, code.d);
    append(input.d, code.d);
    append(input.a, code.a);
    append(input.index, 1);
    append(input.scaleA, 1);
    append(input.scaleB, 1);
  }
  uint64_t in = machine.upload(words),
           out = machine.upload(std::vector<uint32_t>(inputs.size() * code.d * 64));
  LaunchResult result = machine.launch("matrix_" + std::to_string(job), {uint32_t(inputs.size())},
                                       {waveSize}, in, out);
  if (result.status != LaunchStatus::Ok)
    unit::fail(__FILE__, __LINE__, chip + ": " + code.mnemonic + ": " + result.message);
  auto all = machine.download<uint32_t>(out, inputs.size() * code.d * 64);
  machine.emulator->release(in, nullptr);
  machine.emulator->release(out, nullptr);
  MatrixOutputs outputs;
  for (size_t i = 0; i < inputs.size(); ++i) {
    RegisterSet set(code.d);
    set.words.assign(all.begin() + long(i * code.d * 64),
                     all.begin() + long((i + 1) * code.d * 64));
    outputs.push_back(std::move(set));
  }
  return outputs;
}

std::vector<std::string> MatrixSuite::run() {
  auto object = assemble(assembly(), chip, waveSize == 64 && chip.rfind("gfx9", 0) != 0);
  if (object.empty() || machine.load(object) != LoadStatus::Ok) {
    unit::fail(__FILE__, __LINE__, chip + ": not loaded: " + machine.message);
    return {};
  }
  for (size_t i = 0; i < jobs.size() && !unit::state().failed; ++i) {
    auto inputs = jobs[i].inputs();
    jobs[i].check(inputs, launch(i, inputs));
  }
  std::vector<std::string> names;
  auto census = takeCensus(object);
  if (!census.ok())
    return {};
  for (const CensusRow &row : census.value())
    names.push_back(row.mnemonic);
  return names;
}

} // namespace emutest
