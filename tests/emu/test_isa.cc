// Every vector instruction against mathematics; the last case lists what no other has executed.
#include "isa/machine.h"

static void listUnexecuted() {
  std::string missing;
  unsigned count = 0;
  for (unsigned row = 0; row < tl::emu::opRowCount(); ++row) {
    const std::string name = tl::emu::opRow(uint16_t(row)).name;
    if (name.rfind("V_", 0) == 0 && !isatest::executedRows().count(row))
      missing += " " + name, ++count;
  }
  std::printf("vector instructions that no test here executes: %u%s\n", count, missing.c_str());
}

int main(int argc, char **argv) {
  unit::cases().push_back({"unexecuted", listUnexecuted});
  return unit::runAll(argc, argv);
}
