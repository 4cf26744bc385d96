// Every instruction against mathematics and the ISA documents' formulas; the last case fails when a
// row of the op table is executed by no test.
#include "isa/machine.h"
#include "opcode_case.h"

#include <algorithm>
#include <filesystem>

namespace {

using namespace tl::emu;

// The cases of emu_opcodes, which runs all of them. One without results shows nothing.
void countCases() {
  std::string errors;
  for (const auto &entry :
       std::filesystem::directory_iterator(std::string(TL_EMU_SOURCES) + "/opcodes")) {
    if (entry.path().extension() != ".txt")
      continue;
    for (const emutest::OpcodeCase &test : emutest::readCases(entry.path(), errors)) {
      std::string text;
      for (const std::string &instruction : test.instructions)
        text += instruction + "\n";
      for (const std::string &chip : test.chips) {
        isatest::Machine machine(chip);
        if (!machine.load(text) || !machine.countRows())
          unit::fail(test.file.c_str(), int(test.line), chip + ": " + test.text);
      }
      if (test.outputs.empty())
        unit::fail(test.file.c_str(), int(test.line), "no results: " + test.text);
    }
  }
  CHECK_EQ(errors, "");
}

void everyRowIsExecuted() {
  countCases();
  std::string missing;
  unsigned count = 0;
  for (unsigned row = 0; row < opRowCount(); ++row)
    if (!isatest::executedRows().count(row))
      missing += std::string(" ") + opRow(uint16_t(row)).name, ++count;
  std::printf("rows that no test executes: %u of %zu%s\n", count, opRowCount(), missing.c_str());
  CHECK_EQ(missing, "");
}

} // namespace

int main(int argc, char **argv) {
  // A choice of cases executes a choice of rows.
  if (argc == 1)
    unit::cases().push_back({"every_row_is_executed", everyRowIsExecuted});
  return unit::runAll(argc, argv);
}
