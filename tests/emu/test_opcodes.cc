// Instructions one by one: tests/emu/opcodes/*.txt, assembled by clang and run on each chip.
#include "emu_test.h"
#include "opcode_case.h"

#include <algorithm>
#include <filesystem>

using namespace emutest;

namespace {

std::vector<OpcodeCase> allCases() {
  std::vector<OpcodeCase> cases;
  std::vector<std::string> paths;
  for (const auto &entry :
       std::filesystem::directory_iterator(std::string(TL_EMU_SOURCES) + "/opcodes"))
    if (entry.path().extension() == ".txt")
      paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::string errors;
  for (const std::string &path : paths)
    for (OpcodeCase &test : readCases(path, errors))
      cases.push_back(std::move(test));
  CHECK_EQ(errors, "");
  return cases;
}

class CaseRunner {
public:
  CaseRunner(Machine &machine, const OpcodeCase &test, const std::string &name, unsigned lanes)
      : machine(machine), test(test), name(name), lanes(lanes) {}

  void run() {
    std::vector<uint32_t> memory(1024);
    for (const CaseValue &input : test.inputs)
      if (input.name == "mem")
        for (unsigned i = 0; i < 1024; ++i)
          memory[i] = uint32_t(laneValue(input, i));
    memoryAddress = machine.upload(memory);
    std::vector<uint32_t> in(64), out(64 * 64);
    size_t at = 0;
    for (const CaseValue &input : test.inputs) {
      if (input.name == "mem")
        continue;
      in.resize((at + input.registers) * 64);
      for (unsigned l = 0; l < 64; ++l) {
        uint64_t bits = valueOf(input, l);
        in[at * 64 + l] = uint32_t(bits);
        if (input.registers == 2)
          in[(at + 1) * 64 + l] = uint32_t(bits >> 32);
      }
      at += input.registers;
    }
    uint64_t inAddress = machine.upload(in), outAddress = machine.upload(out);
    LaunchResult result = machine.launch(name, {1}, {lanes}, inAddress, outAddress);
    if (result.status != LaunchStatus::Ok)
      return complain(result.message);
    out = machine.download<uint32_t>(outAddress, out.size());
    memory = machine.download<uint32_t>(memoryAddress, memory.size());
    compare(out, memory);
    for (uint64_t address : {inAddress, outAddress, memoryAddress})
      machine.emulator->release(address, nullptr);
  }

private:
  uint64_t valueOf(const CaseValue &value, unsigned lane) const {
    return laneValue(value, lane) + (value.isAddress ? memoryAddress : 0);
  }

  void compare(const std::vector<uint32_t> &out, const std::vector<uint32_t> &memory) {
    size_t at = 0;
    for (const CaseValue &output : test.outputs) {
      if (output.name == "mem") {
        check(output, memory[output.index % 1024], valueOf(output, 0), 0);
        continue;
      }
      unsigned count = output.name[0] == 'v' && output.name != "vcc" ? lanes
                       : output.name[0] == 'a'                       ? lanes
                                                                     : 1;
      for (unsigned l = 0; l < count; ++l) {
        uint64_t got = out[at * 64 + l];
        if (output.registers == 2)
          got |= uint64_t(out[(at + 1) * 64 + l]) << 32;
        uint64_t want = valueOf(output, l);
        if (output.registers == 1)
          want = uint32_t(want);
        // VCC and EXEC of waves of 32 have 32 bits.
        if (lanes == 32 && (output.name == "vcc" || output.name == "exec"))
          got = uint32_t(got), want = uint32_t(want);
        if (!check(output, got, want, l))
          return;
      }
      at += output.registers;
    }
  }

  bool check(const CaseValue &output, uint64_t got, uint64_t want, unsigned lane) {
    if (got == want ||
        (output.anyNan && isNanOf(output.anyNan, want) && isNanOf(output.anyNan, got)))
      return true;
    char text[200];
    std::snprintf(text, sizeof(text), "%s, lane %u: 0x%llx, not 0x%llx", output.name.c_str(), lane,
                  static_cast<unsigned long long>(got), static_cast<unsigned long long>(want));
    complain(text);
    return false;
  }

  void complain(const std::string &what) {
    unit::fail(test.file.c_str(), int(test.line),
               std::string(machine.emulator->chip(0).name) + ": " + test.text + "\n    " + what);
  }

  Machine &machine;
  const OpcodeCase &test;
  std::string name;
  unsigned lanes;
  uint64_t memoryAddress = 0;
};

void runChip(const std::string &chip) {
  Options options;
  options.threads = 1;
  Machine machine(chip, options);
  unsigned lanes = machine.emulator->chip(0).waveSize;
  std::vector<OpcodeCase> cases;
  for (OpcodeCase &test : allCases())
    if (std::find(test.chips.begin(), test.chips.end(), chip) != test.chips.end())
      cases.push_back(std::move(test));
  CHECK(!cases.empty());
  auto object = assemble(assemblyOf(cases, chip, lanes), chip);
  REQUIRE(!object.empty());
  REQUIRE(machine.load(object) == LoadStatus::Ok);
  for (size_t i = 0; i < cases.size(); ++i)
    CaseRunner(machine, cases[i], "case_" + std::to_string(i), lanes).run();
  std::printf("%s: %zu cases\n", chip.c_str(), cases.size());
}

} // namespace

UNIT_TEST(gfx90a) { runChip("gfx90a"); }
UNIT_TEST(gfx942) { runChip("gfx942"); }
UNIT_TEST(gfx950) { runChip("gfx950"); }
UNIT_TEST(gfx1100) { runChip("gfx1100"); }
UNIT_TEST(gfx1201) { runChip("gfx1201"); }

UNIT_TEST_MAIN
