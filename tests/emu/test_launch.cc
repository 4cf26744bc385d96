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

// A dispatch packet counts the threads of an axis in 32 bits (HSA 1.2).
UNIT_TEST(more_threads_than_a_dispatch_counts) {
  Options options;
  options.instructionBudget = 100000;
  Machine machine("gfx942", options);
  REQUIRE(machine.load(kernelFile("vector_add", "gfx942", 2)) == LoadStatus::Ok);
  uint64_t a = machine.upload(std::vector<float>(64));
  auto launch = [&](std::vector<uint32_t> grid) {
    return machine.launch("vectorAdd", grid, {256}, a, a, a, 64).status;
  };
  CHECK(launch({1u << 24}) == LaunchStatus::BadConfiguration);
  CHECK(machine.message.find("more than 4294967295 threads") != std::string::npos);
  CHECK(launch({UINT32_MAX, UINT32_MAX, UINT32_MAX}) == LaunchStatus::BadConfiguration);
  // As many as it counts: the budget ends them, and the message says whose they were.
  CHECK(launch({(1u << 24) - 1}) == LaunchStatus::Hang);
  CHECK(machine.message.find("no end") != std::string::npos);
  CHECK(machine.message.find("kernel vectorAdd") != std::string::npos);
}

UNIT_TEST(what_was_not_launched_has_no_occupancy) {
  Options options;
  options.profile = true;
  Machine machine("gfx942", options);
  REQUIRE(machine.load(kernelFile("vector_add", "gfx942", 2)) == LoadStatus::Ok);
  uint64_t a = machine.upload(std::vector<float>(64));
  CHECK(machine.launch("vectorAdd", {1}, {0}, a, a, a, 64).status ==
        LaunchStatus::BadConfiguration);
  CHECK_EQ(machine.emulator->report(ReportFormat::Text), "");
  CHECK(machine.launch("vectorAdd", {1}, {64}, a, a, a, 64).status == LaunchStatus::Ok);
  CHECK(machine.emulator->report(ReportFormat::Text).find("occupancy: vectorAdd: 64 threads") !=
        std::string::npos);
}

// As for memory of devices: what is past an allocation's end, or released, is nobody's.
UNIT_TEST(copies_know_memory_of_the_host_that_is_theirs) {
  Machine machine("gfx942");
  uint64_t device = machine.upload(std::vector<float>(64));
  for (MemoryKind kind : {MemoryKind::Pinned, MemoryKind::Managed}) {
    uint64_t host = machine.emulator->allocate(64, kind, 0);
    auto copies = [&](uint64_t to, uint64_t bytes) {
      machine.message.clear();
      return machine.emulator->copy(to, device, bytes, Operation(), &machine.message);
    };
    CHECK(copies(host, 64));
    CHECK(copies(host + 60, 4));
    CHECK(!copies(host + 60, 8));
    CHECK(!copies(host + 64, 4));
    CHECK(machine.message.find("0 bytes past the end of the live allocation") != std::string::npos);
    CHECK(machine.emulator->release(host, nullptr));
    CHECK(!copies(host, 64));
    CHECK(machine.message.find("released allocation") != std::string::npos);
    CHECK(!machine.emulator->fill(host, 0, 1, 64, Operation(), &machine.message));
  }
}

UNIT_TEST(unknown_chips_and_interfaces_are_refused) {
  std::string message;
  CHECK(!tl_emu_create(kInterface, {"gfx942", "gfx000"}, Options(), &message));
  CHECK(message.find("gfx000") != std::string::npos);
  CHECK(!tl_emu_create("tilelang-emu 0", {"gfx942"}, Options(), &message));
}

UNIT_TEST_MAIN
