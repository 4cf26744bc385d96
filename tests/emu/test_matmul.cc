// A matrix product as clang compiles it from the chips' builtins, at all levels.
#include "matmul.h"

using namespace emutest;

namespace {

void multiply(const char *chip, int level) {
  Machine machine(chip);
  Matmul product(machine, chip, level, 64);
  LaunchResult result = product.run();
  CHECK_EQ(result.message, "");
  CHECK_EQ(product.wrong(), size_t(0));
  CHECK_EQ(machine.emulator->report(ReportFormat::Text), "");
}

} // namespace

UNIT_TEST(matmul_on_cdna) {
  for (int level = 0; level < 4; ++level)
    multiply("gfx942", level);
}

UNIT_TEST(matmul_on_rdna) {
  for (int level = 0; level < 4; ++level)
    multiply("gfx1100", level);
}

UNIT_TEST_MAIN
