// Programs of clang at -O0 to -O3 on both chips against the same C on the host.
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

UNIT_TEST(cdna_O0) { runAll("gfx942", 0); }
UNIT_TEST(cdna_O1) { runAll("gfx942", 1); }
UNIT_TEST(cdna_O2) { runAll("gfx942", 2); }
UNIT_TEST(cdna_O3) { runAll("gfx942", 3); }
UNIT_TEST(rdna_O0) { runAll("gfx1100", 0); }
UNIT_TEST(rdna_O1) { runAll("gfx1100", 1); }
UNIT_TEST(rdna_O2) { runAll("gfx1100", 2); }
UNIT_TEST(rdna_O3) { runAll("gfx1100", 3); }

UNIT_TEST_MAIN
