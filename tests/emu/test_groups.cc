// Workgroups of clang at -O0 to -O3: LDS, barriers, atomics, waits across workgroups, hangs.
#include "emu_test.h"

#include <algorithm>

using namespace emutest;

namespace {

using u32 = uint32_t;
using u64 = uint64_t;

struct GroupTest {
  Machine machine;
  std::string where;
  bool loaded;

  GroupTest(const char *chip, int level, Options options = {})
      : machine(chip, options), where(std::string(chip) + " -O" + std::to_string(level)) {
    loaded = machine.load(kernelFile("groups", chip, level)) == LoadStatus::Ok;
  }
  void same(const char *what, const std::vector<u32> &got, const std::vector<u32> &want) {
    for (size_t i = 0; i < want.size(); ++i)
      if (got[i] != want[i])
        return unit::fail(what, int(i),
                          where + ": " + std::to_string(got[i]) + ", not " +
                              std::to_string(want[i]));
  }
  void ok(const char *what, const LaunchResult &result) {
    if (result.status != LaunchStatus::Ok)
      unit::fail(what, 0, where + ": " + result.message);
  }
};

std::vector<u32> numbers(size_t n) {
  std::vector<u32> values(n);
  for (size_t i = 0; i < n; ++i)
    values[i] = u32(i * 2654435761u) >> 12;
  return values;
}

template <class F> void everywhere(F f) {
  for (const char *chip : {"gfx942", "gfx1100"})
    for (int level = 0; level < 4; ++level) {
      GroupTest test(chip, level);
      REQUIRE(test.loaded);
      f(test);
      CHECK_EQ(test.machine.emulator->report(ReportFormat::Text), "");
    }
}

} // namespace

UNIT_TEST(reductions_and_scans) {
  everywhere([](GroupTest &test) {
    Machine &m = test.machine;
    auto in = numbers(256 * 6);
    u64 pin = m.upload(in), sums = m.upload(std::vector<u32>(6)),
        prefix = m.upload(std::vector<u32>(in.size()));
    test.ok("reduce", m.launch("reduce", {6}, {256}, pin, sums));
    test.ok("scan", m.launch("scan", {6}, {256}, pin, prefix));
    std::vector<u32> wantSums(6), wantPrefix(in.size());
    for (size_t i = 0; i < in.size(); ++i) {
      wantSums[i / 256] += in[i];
      wantPrefix[i] = wantSums[i / 256];
    }
    test.same("reduce", m.download<u32>(sums, 6), wantSums);
    test.same("scan", m.download<u32>(prefix, in.size()), wantPrefix);
  });
}

UNIT_TEST(transposition) {
  everywhere([](GroupTest &test) {
    Machine &m = test.machine;
    constexpr u32 n = 96;
    auto in = numbers(n * n);
    u64 pin = m.upload(in), out = m.upload(std::vector<u32>(n * n));
    test.ok("transpose", m.launch("transpose", {3, 3}, {256}, pin, out, n));
    std::vector<u32> want(n * n);
    for (u32 i = 0; i < n * n; ++i)
      want[i % n * n + i / n] = in[i];
    test.same("transpose", m.download<u32>(out, n * n), want);
  });
}

UNIT_TEST(histogram_in_lds) {
  everywhere([](GroupTest &test) {
    Machine &m = test.machine;
    auto in = numbers(256 * 5);
    u64 pin = m.upload(in), bins = m.upload(std::vector<u32>(64));
    test.ok("histogram", m.launch("histogram", {5}, {256}, pin, bins));
    std::vector<u32> want(64);
    for (u32 value : in)
      ++want[value & 63];
    test.same("histogram", m.download<u32>(bins, 64), want);
  });
}

UNIT_TEST(atomics_of_all_threads) {
  everywhere([](GroupTest &test) {
    Machine &m = test.machine;
    constexpr u32 n = 1024;
    std::vector<u32> u(16 + n);
    u[3] = u[6] = ~0u;
    u64 pu = m.upload(u), ps = m.upload(std::vector<int>(2)), pw = m.upload(std::vector<u64>(3)),
        pf = m.upload(std::vector<float>(1)), pd = m.upload(std::vector<double>(1));
    test.ok("atomics", m.launch("atomics", {4}, {256}, pu, ps, pw, pf, pd));
    u = m.download<u32>(pu, u.size());
    u32 exclusive = 0, power = 0, sum = n * (n - 1) / 2;
    for (u32 i = 0; i < n; ++i)
      exclusive ^= i * 77, power = power * 3 + 1;
    std::vector<u32> want = {sum, 0u - 3 * n, ~0u, ~0x5555u, exclusive, n - 1, 5, power, n};
    test.same("atomics", u, want);
    std::sort(u.begin() + 16, u.end());
    for (u32 i = 0; i < n; ++i)
      if (u[16 + i] != i)
        return unit::fail("atomics", int(i), test.where + ": a place was given twice");
    auto s = m.download<int>(ps, 2);
    CHECK_EQ(s[0], int(n) - 1 - 500);
    CHECK_EQ(s[1], -500);
    auto w = m.download<u64>(pw, 3);
    CHECK_EQ(w[0], u64(sum) << 20);
    CHECK_EQ(w[1], u64(n - 1) << 33);
    CHECK_EQ(w[2], u64(sum));
    CHECK_EQ(m.download<float>(pf, 1)[0], 1024.0f);
    CHECK_EQ(m.download<double>(pd, 1)[0], 512.0);
  });
}

UNIT_TEST(workgroups_wait_for_others) {
  everywhere([](GroupTest &test) {
    Machine &m = test.machine;
    constexpr u32 n = 50;
    u64 flags = m.upload(std::vector<u32>(n)), out = m.upload(std::vector<u32>(n));
    test.ok("chain", m.launch("chain", {n}, {64}, flags, out));
    auto got = m.download<u32>(out, n);
    u32 want = 1;
    for (u32 i = 1; i < n; ++i)
      want += i;
    CHECK_EQ(got[n - 1], want);
    u64 count = m.upload(std::vector<u32>(1)), values = m.upload(std::vector<u32>(2 * n));
    test.ok("gridBarrier", m.launch("gridBarrier", {n}, {64}, count, values, n));
    CHECK_EQ(m.download<u32>(values, 2 * n)[2 * n - 1], n * (n + 1) / 2);
  });
}

UNIT_TEST(dynamic_lds_and_flat_pointers) {
  everywhere([](GroupTest &test) {
    Machine &m = test.machine;
    auto in = numbers(256);
    u64 pin = m.upload(in), out = m.upload(std::vector<u32>(256));
    m.dynamicLds = 1024;
    test.ok("dynamicLds", m.launch("dynamicLds", {1}, {256}, pin, out, u32(0)));
    std::vector<u32> want(256);
    for (u32 i = 0; i < 256; ++i)
      want[i] = in[255 - i] * 3;
    test.same("dynamicLds", m.download<u32>(out, 256), want);
    m.dynamicLds = 0;
    test.ok("flatPointers", m.launch("flatPointers", {1}, {256}, pin, out));
    u32 sum = 0;
    for (u32 i = 0; i < 8; ++i)
      sum += in[i];
    for (u32 t = 0; t < 256; ++t)
      want[t] = t % 3 == 0 ? sum * 2 : t % 3 == 1 ? sum * t : sum;
    test.same("flatPointers", m.download<u32>(out, 256), want);
  });
}

UNIT_TEST(identities_and_packet) {
  everywhere([](GroupTest &test) {
    Machine &m = test.machine;
    constexpr u32 n = 12 * 64 * 4;
    u64 out = m.upload(std::vector<u32>(n));
    test.ok("ids", m.launch("ids", {2, 3, 2}, {8, 4, 2}, out));
    std::vector<u32> want(n);
    for (u32 i = 0; i < n / 4; ++i) {
      u32 thread = i % 64, group = i / 64;
      want[4 * i] = (thread % 8) | (thread / 8 % 4) << 8 | (thread / 32) << 16;
      want[4 * i + 1] = (group % 2) | (group / 2 % 3) << 8 | (group / 6) << 16;
      want[4 * i + 2] = 8 | 4 << 8 | 2 << 16;
      want[4 * i + 3] = 16 | 12 << 8 | 4 << 16;
    }
    test.same("ids", m.download<u32>(out, n), want);
  });
}

UNIT_TEST(hangs_and_traps_end) {
  Options options;
  options.instructionBudget = 1000000;
  for (const char *chip : {"gfx942", "gfx1100"}) {
    GroupTest test(chip, 2, options);
    REQUIRE(test.loaded);
    u64 out = test.machine.upload(std::vector<u32>(64));
    LaunchResult result = test.machine.launch("endless", {3}, {64}, out);
    CHECK(result.status == LaunchStatus::Hang);
    CHECK(result.message.find("groups.cl:") != std::string::npos);
    CHECK(test.machine.launch("aborts", {1}, {64}, out).status == LaunchStatus::Ok);
    out = test.machine.upload(std::vector<u32>(64, 1));
    CHECK(test.machine.launch("aborts", {1}, {64}, out).status == LaunchStatus::Trap);
  }
}

UNIT_TEST(wave_order_does_not_matter) {
  for (u64 seed = 1; seed < 20; ++seed) {
    Options options;
    options.seed = seed;
    GroupTest test("gfx942", 2, options);
    REQUIRE(test.loaded);
    auto in = numbers(256);
    u64 pin = test.machine.upload(in), sums = test.machine.upload(std::vector<u32>(1));
    test.ok("reduce", test.machine.launch("reduce", {1}, {256}, pin, sums));
    u32 want = 0;
    for (u32 value : in)
      want += value;
    CHECK_EQ(test.machine.download<u32>(sums, 1)[0], want);
  }
}

UNIT_TEST_MAIN
