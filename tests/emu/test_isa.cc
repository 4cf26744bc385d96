// Every instruction against mathematics and the ISA documents' formulas; the last case fails when a
// row of the op table is executed by no test, or changes nothing in any.
#include "isa/machine.h"
#include "opcode_case.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fnmatch.h>

namespace {

using namespace tl::emu;

constexpr unsigned kCaseMemory = 4096;

// A case of tests/emu/opcodes, by itself: emu_opcodes runs them in kernels.
class CaseRun {
public:
  CaseRun(const emutest::OpcodeCase &test, const std::string &chip)
      : test(test), chip(chip), machine(chip, 0, kCaseMemory, 320) {}

  void run() {
    std::string text;
    for (const std::string &instruction : test.instructions)
      text += instruction + "\n";
    if (!machine.load(text))
      return complain("is not assembled");
    // So that a result is seen to be written. (Vector registers count as zero in cases.)
    for (unsigned slot = 20; slot < 100; ++slot)
      machine.wave.s[slot] = 0x5a000000 + slot;
    for (const emutest::CaseValue &input : test.inputs)
      for (unsigned l = 0; l < (isVector(input) ? 64 : 1); ++l)
        put(input, l);
    if (!machine.run())
      return complain("is not run: " + machine.fault().message);
    for (const emutest::CaseValue &output : test.outputs)
      for (unsigned l = 0; l < (isVector(output) ? machine.lanes() : 1); ++l) {
        uint64_t got = get(output, l), want = valueOf(output, l);
        const bool narrow = output.registers == 1 || (machine.lanes() == 32 && isMask(output));
        if (narrow)
          got = uint32_t(got), want = uint32_t(want);
        if (got != want && !(output.anyNan && emutest::isNanOf(output.anyNan, want) &&
                             emutest::isNanOf(output.anyNan, got)))
          return complain(output.name + ", lane " + std::to_string(l) + ": " + std::to_string(got) +
                          ", not " + std::to_string(want));
      }
  }

private:
  using Value = emutest::CaseValue;
  static bool isMask(const Value &v) { return v.name == "vcc" || v.name == "exec"; }
  static bool isVector(const Value &v) {
    return (v.name[0] == 'v' && v.name != "vcc") || v.name[0] == 'a';
  }
  static unsigned numberOf(const Value &v) { return unsigned(std::atoi(v.name.c_str() + 1)); }
  uint64_t valueOf(const Value &v, unsigned lane) const {
    return emutest::laneValue(v, lane) + (v.isAddress ? machine.memoryAddress() : 0);
  }
  uint32_t *scalarOf(const Value &v) {
    const unsigned slot = v.name == "vcc"    ? unsigned(SlotVcc)
                          : v.name == "exec" ? unsigned(SlotExec)
                          : v.name == "m0"   ? unsigned(SlotM0)
                                             : numberOf(v);
    return v.name == "scc" ? &machine.wave.scc : machine.wave.s + slot;
  }
  unsigned lineOf(const Value &v) const { return numberOf(v) + (v.name[0] == 'a' ? 256 : 0); }

  void put(const Value &v, unsigned lane) {
    if (v.name == "mem") {
      for (unsigned i = 0; i < kCaseMemory / 4; ++i) {
        const uint32_t word = uint32_t(emutest::laneValue(v, i));
        std::memcpy(machine.memory() + 4 * i, &word, 4);
      }
      return;
    }
    const uint64_t bits = valueOf(v, lane);
    for (unsigned word = 0; word < v.registers; ++word)
      (isVector(v) ? machine.v(lineOf(v) + word, lane) : scalarOf(v)[word]) =
          uint32_t(bits >> (32 * word));
    if (v.name == "scc")
      machine.wave.scc = bits == 1;
  }
  uint64_t get(const Value &v, unsigned lane) {
    uint64_t bits = 0;
    if (v.name == "mem") {
      std::memcpy(&bits, machine.memory() + 4 * (v.index % (kCaseMemory / 4)), 4);
      return bits;
    }
    for (unsigned word = 0; word < v.registers; ++word)
      bits |= uint64_t(isVector(v) ? machine.v(lineOf(v) + word, lane) : scalarOf(v)[word])
              << (32 * word);
    return bits;
  }
  void complain(const std::string &what) const {
    unit::fail(test.file.c_str(), int(test.line), chip + ": " + test.text + ": " + what);
  }

  const emutest::OpcodeCase &test;
  const std::string chip;
  isatest::Machine machine;
};

void runCases() {
  std::string errors;
  for (const auto &entry :
       std::filesystem::directory_iterator(std::string(TL_EMU_SOURCES) + "/opcodes")) {
    if (entry.path().extension() != ".txt")
      continue;
    for (const emutest::OpcodeCase &test : emutest::readCases(entry.path(), errors)) {
      // Words of code that no assembler writes only emu_opcodes has.
      const bool words = test.text.find(".long") != std::string::npos;
      for (const std::string &chip : test.chips)
        if (!words)
          CaseRun(test, chip).run();
      if (test.outputs.empty())
        unit::fail(test.file.c_str(), int(test.line), "no results: " + test.text);
    }
  }
  CHECK_EQ(errors, "");
}

// What does nothing that a wave can see here: waits, since execution is eager, hints, priorities
// and caches; what is always true; the barrier of a workgroup of one wave (emu/split_barriers has
// others); debug traps, of which the others stop the launch (emu/faults).
bool hasNoEffect(const std::string &name) {
  static const char *const kNames[] = {"S_NOP",
                                       "S_WAIT*",
                                       "S_DELAY_ALU",
                                       "S_CLAUSE",
                                       "S_SETPRIO",
                                       "S_SETHALT",
                                       "S_SETKILL",
                                       "S_INCPERFLEVEL",
                                       "S_DECPERFLEVEL",
                                       "S_TTRACEDATA*",
                                       "S_VERSION",
                                       "S_WAKEUP",
                                       "S_ICACHE_INV",
                                       "S_INST_PREFETCH",
                                       "S_PREFETCH*",
                                       "S_BUFFER_PREFETCH*",
                                       "S_DCACHE_*",
                                       "S_GL1_INV",
                                       "S_SENDMSG",
                                       "S_TRAP",
                                       "S_BARRIER_SIGNAL_IMM",
                                       "S_BARRIER_SIGNAL_M0",
                                       "S_BARRIER_WAIT",
                                       "V_NOP",
                                       "V_PIPEFLUSH",
                                       "V_CLREXCP",
                                       "V_CMPX_T_F*",
                                       "BUFFER_WB*",
                                       "BUFFER_INV*",
                                       "BUFFER_GL*_INV",
                                       "GLOBAL_INV",
                                       "GLOBAL_WB*",
                                       "DS_NOP"};
  for (const char *pattern : kNames)
    if (fnmatch(pattern, name.c_str(), 0) == 0)
      return true;
  return false;
}

// Each row is executed by a test that compares what it leaves, and leaves something.
void everyRowIsExecuted() {
  runCases();
  std::string missing, idle;
  unsigned count = 0, idleCount = 0;
  for (unsigned row = 0; row < opRowCount(); ++row) {
    const std::string name = opRow(uint16_t(row)).name;
    if (!isatest::executedRows().count(row))
      missing += " " + name, ++count;
    else if (!isatest::effectiveRows().count(row) && !hasNoEffect(name))
      idle += " " + name, ++idleCount;
  }
  std::printf("rows that no test executes: %u of %zu%s\n", count, opRowCount(), missing.c_str());
  std::printf("rows that tests only see do nothing: %u%s\n", idleCount, idle.c_str());
  CHECK_EQ(missing, "");
  CHECK_EQ(idle, "");
}

} // namespace

int main(int argc, char **argv) {
  // A choice of cases executes a choice of rows.
  if (argc == 1)
    unit::cases().push_back({"every_row_is_executed", everyRowIsExecuted});
  return unit::runAll(argc, argv);
}
