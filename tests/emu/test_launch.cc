// Launches from end to end: kernels of clang at all levels, and what a launch may not do.
#include "emu_test.h"

using namespace emutest;

namespace {

std::vector<float> ramp(size_t n, float step) {
  std::vector<float> values(n);
  for (size_t i = 0; i < n; ++i)
    values[i] = float(i) * step - 3.0f;
  return values;
}

void vectorAdd(const char *chip, int level) {
  constexpr size_t n = 1000;
  Machine machine(chip);
  REQUIRE(machine.load(kernelFile("vector_add", chip, level)) == LoadStatus::Ok);
  auto a = ramp(n, 0.37f), b = ramp(n, -1.91f);
  uint64_t pa = machine.upload(a), pb = machine.upload(b),
           pc = machine.upload(std::vector<float>(n));
  LaunchResult result = machine.launch("vectorAdd", {4}, {256}, pa, pb, pc, int(n));
  CHECK_EQ(result.message, "");
  CHECK(result.status == LaunchStatus::Ok);
  auto c = machine.download<float>(pc, n);
  int wrong = 0;
  for (size_t i = 0; i < n; ++i)
    wrong += c[i] != a[i] + b[i];
  CHECK_EQ(wrong, 0);
  CHECK_EQ(machine.emulator->report(ReportFormat::Text), "");
}

} // namespace

UNIT_TEST(vector_add_runs_at_all_levels_on_cdna) {
  for (int level = 0; level < 4; ++level)
    vectorAdd("gfx942", level);
}

UNIT_TEST(vector_add_runs_at_all_levels_on_rdna) {
  for (int level = 0; level < 4; ++level)
    vectorAdd("gfx1100", level);
}

UNIT_TEST(out_of_bounds_names_lane_and_line) {
  for (const char *chip : {"gfx942", "gfx1100"}) {
    Machine machine(chip);
    REQUIRE(machine.load(kernelFile("vector_add", chip, 3)) == LoadStatus::Ok);
    // b is one element short.
    uint64_t a = machine.upload(std::vector<float>(100)),
             b = machine.upload(std::vector<float>(99)),
             c = machine.upload(std::vector<float>(100));
    LaunchResult result = machine.launch("vectorAdd", {1}, {256}, a, b, c, 100);
    CHECK(result.status == LaunchStatus::MemoryFault);
    CHECK(result.message.find("vector_add.cl:6") != std::string::npos);
    CHECK(result.message.find("0 bytes past the end of the live allocation") != std::string::npos);
  }
}

UNIT_TEST(use_after_free_is_a_fault) {
  Machine machine("gfx942");
  REQUIRE(machine.load(kernelFile("vector_add", "gfx942", 2)) == LoadStatus::Ok);
  uint64_t a = machine.upload(std::vector<float>(100));
  CHECK(machine.emulator->release(a, nullptr));
  CHECK(!machine.emulator->release(a, nullptr));
  LaunchResult result = machine.launch("vectorAdd", {1}, {64}, a, a, a, 64);
  CHECK(result.status == LaunchStatus::MemoryFault);
  CHECK(result.message.find("released allocation") != std::string::npos);
}

UNIT_TEST(uninitialized_reads_are_reported) {
  Machine machine("gfx942");
  REQUIRE(machine.load(kernelFile("vector_add", "gfx942", 2)) == LoadStatus::Ok);
  uint64_t a = machine.upload(std::vector<float>(64));
  uint64_t b = machine.emulator->allocate(256, MemoryKind::Device, 0);
  CHECK(machine.launch("vectorAdd", {1}, {64}, a, b, a, 64).status == LaunchStatus::Ok);
  CHECK_EQ(machine.emulator->findingCount(), uint64_t(1));
  std::string report = machine.emulator->report(ReportFormat::Text);
  CHECK(report.rfind("uninitialized-read: ", 0) == 0);
  CHECK(report.find("vector_add.cl:6") != std::string::npos);
  machine.emulator->clearReport();
  CHECK_EQ(machine.emulator->findingCount(), uint64_t(0));
}

UNIT_TEST(impossible_launches_are_refused) {
  Machine machine("gfx942");
  REQUIRE(machine.load(kernelFile("vector_add", "gfx942", 2)) == LoadStatus::Ok);
  uint64_t a = machine.upload(std::vector<float>(64));
  auto status = [&](std::vector<uint32_t> grid, std::vector<uint32_t> block) {
    return machine.launch("vectorAdd", grid, block, a, a, a, 64).status;
  };
  CHECK(status({0}, {64}) == LaunchStatus::BadConfiguration);
  CHECK(status({1}, {0}) == LaunchStatus::BadConfiguration);
  CHECK(status({1}, {2048}) == LaunchStatus::BadConfiguration);
  CHECK(status({1}, {64, 64}) == LaunchStatus::BadConfiguration);
  CHECK(machine.launch("vectorAdd", {1}, {64}, a, a).status == LaunchStatus::BadArguments);
  machine.dynamicLds = 65537;
  CHECK(status({1}, {64}) == LaunchStatus::OutOfResources);
}

UNIT_TEST(unknown_chips_and_interfaces_are_refused) {
  std::string message;
  CHECK(!tl_emu_create(kInterface, {"gfx942", "gfx000"}, Options(), &message));
  CHECK(message.find("gfx000") != std::string::npos);
  CHECK(!tl_emu_create("tilelang-emu 0", {"gfx942"}, Options(), &message));
}

UNIT_TEST_MAIN
