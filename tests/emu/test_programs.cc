// Programs of clang at -O0 to -O3 on all chips against the same C on the host.
#include "emu_test.h"
#include "kernels/programs.h"

using namespace emutest;

namespace {

using Program = void (*)(const u32 *, const u32 *, u32 *, int);
struct NamedProgram {
  const char *name;
  Program run;
};
const NamedProgram kPrograms[] = {
#define ENTRY(NAME) {#NAME, NAME},
    PROGRAMS(ENTRY)
#undef ENTRY
};

// Values at the edges first, then random ones.
std::vector<u32> inputs(size_t n, u64 seed) {
  static const u32 edges[] = {0,          1,          2,          0x7fffffff, 0x80000000,
                              0xffffffff, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000,
                              0x7fc00000, 0x00000001, 0x007fffff, 0x00800000, 0x7f7fffff,
                              0x80000001, 31,         32};
  std::vector<u32> values(n);
  constexpr size_t count = std::size(edges);
  for (size_t i = 0; i < n; ++i) {
    seed = seed * 6364136223846793005ul + 1442695040888963407ul;
    size_t pair = i % (count * count);
    values[i] = i < count * count ? edges[seed & 2 ? pair / count : pair % count]
                                  : u32(seed >> 32) >> (seed & 1 ? (seed >> 8) % 24 : 0);
  }
  return values;
}

void runAll(const char *chip, int level) {
  constexpr size_t n = 999;
  Machine machine(chip);
  REQUIRE(machine.load(kernelFile("programs", chip, level)) == LoadStatus::Ok);
  auto a = inputs(n, 1), b = inputs(n, 3);
  uint64_t pa = machine.upload(a), pb = machine.upload(b);
  for (const NamedProgram &program : kPrograms) {
    std::vector<u32> want(4 * n);
    for (size_t i = 0; i < n; ++i)
      program.run(a.data(), b.data(), want.data(), int(i));
    uint64_t out = machine.upload(std::vector<u32>(4 * n, 0xdeadbeef));
    LaunchResult result =
        machine.launch(std::string("k_") + program.name, {4}, {256}, pa, pb, out, int(n));
    if (result.status != LaunchStatus::Ok) {
      unit::fail(program.name, level, std::string(chip) + ": " + result.message);
      continue;
    }
    auto got = machine.download<u32>(out, 4 * n);
    size_t wrong = 0;
    for (size_t i = 0; i < 4 * n; ++i)
      if (got[i] != want[i] && !wrong++) {
        char text[200];
        std::snprintf(text, sizeof(text),
                      "%s -O%d: out[%zu] of element %zu (0x%x, 0x%x) is 0x%x, "
                      "not 0x%x",
                      chip, level, i % 4, i / 4, a[i / 4], b[i / 4], got[i], want[i]);
        unit::fail(program.name, level, text);
      }
  }
  CHECK_EQ(machine.emulator->report(ReportFormat::Text), "");
}

} // namespace

UNIT_TEST(gfx942_O0) { runAll("gfx942", 0); }
UNIT_TEST(gfx942_O1) { runAll("gfx942", 1); }
UNIT_TEST(gfx942_O2) { runAll("gfx942", 2); }
UNIT_TEST(gfx942_O3) { runAll("gfx942", 3); }
UNIT_TEST(gfx1100_O0) { runAll("gfx1100", 0); }
UNIT_TEST(gfx1100_O1) { runAll("gfx1100", 1); }
UNIT_TEST(gfx1100_O2) { runAll("gfx1100", 2); }
UNIT_TEST(gfx1100_O3) { runAll("gfx1100", 3); }
UNIT_TEST(gfx90a_O0) { runAll("gfx90a", 0); }
UNIT_TEST(gfx90a_O1) { runAll("gfx90a", 1); }
UNIT_TEST(gfx90a_O2) { runAll("gfx90a", 2); }
UNIT_TEST(gfx90a_O3) { runAll("gfx90a", 3); }
UNIT_TEST(gfx950_O0) { runAll("gfx950", 0); }
UNIT_TEST(gfx950_O1) { runAll("gfx950", 1); }
UNIT_TEST(gfx950_O2) { runAll("gfx950", 2); }
UNIT_TEST(gfx950_O3) { runAll("gfx950", 3); }
UNIT_TEST(gfx1201_O0) { runAll("gfx1201", 0); }
UNIT_TEST(gfx1201_O1) { runAll("gfx1201", 1); }
UNIT_TEST(gfx1201_O2) { runAll("gfx1201", 2); }
UNIT_TEST(gfx1201_O3) { runAll("gfx1201", 3); }

// The programs with arrays keep them in scratch, which gfx90a's compilers reach through a buffer.
UNIT_TEST(gfx90a_has_scratch_in_a_buffer) {
  Machine machine("gfx90a");
  const auto image = kernelFile("programs", "gfx90a", 0);
  std::vector<CensusRow> rows;
  std::string message;
  REQUIRE(machine.emulator->census(image.data(), image.size(), rows, &message));
  uint64_t buffers = 0, scratch = 0;
  for (const CensusRow &row : rows) {
    buffers +=
        row.mnemonic.rfind("buffer_load", 0) == 0 || row.mnemonic.rfind("buffer_store", 0) == 0
            ? row.count
            : 0;
    scratch += row.mnemonic.rfind("scratch_", 0) == 0 ? row.count : 0;
  }
  CHECK(buffers > 100);
  CHECK_EQ(scratch, uint64_t(0));
  REQUIRE(machine.load(image) == LoadStatus::Ok);
  CHECK(machine.module->findKernel("k_privateArray")->info().privateBytes > 0);
}

UNIT_TEST_MAIN
