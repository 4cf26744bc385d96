// The checks find injected faults, each with its line, and nothing in kernels without faults (the
// other tests look at that).
#include "emu_test.h"
#include "opcode_case.h"

using namespace emutest;

namespace {

using u32 = uint32_t;
using u64 = uint64_t;

void onBothChips(void (*f)(Machine &)) {
  for (const char *chip : {"gfx942", "gfx1100"}) {
    Machine machine(chip);
    REQUIRE(machine.load(kernelFile("faulty", chip, 1)) == LoadStatus::Ok);
    f(machine);
  }
}

void expect(Machine &machine, const char *kind, const std::vector<std::string> &parts) {
  std::string report = machine.emulator->report(ReportFormat::Text);
  std::string chip = machine.emulator->chip(0).name;
  if (report.rfind(std::string(kind) + ": ", 0) != 0)
    unit::fail(__FILE__, __LINE__, chip + ": no " + kind + " in: " + report);
  for (const std::string &part : parts)
    if (report.find(part) == std::string::npos)
      unit::fail(__FILE__, __LINE__, chip + ": no \"" + part + "\" in: " + report);
}

std::vector<u32> numbers(size_t n) { return std::vector<u32>(n, 5); }

} // namespace

UNIT_TEST(missing_barrier) {
  onBothChips([](Machine &m) {
    u64 in = m.upload(numbers(256)), out = m.upload(numbers(256));
    CHECK(m.launch("missingBarrier", {1}, {256}, in, out).status == LaunchStatus::Ok);
    expect(m, "lds-race",
           {"faulty.cl:13: ", "reads LDS byte", "wrote", "faulty.cl:11), without a barrier"});
  });
}

UNIT_TEST(one_wave_needs_no_barrier) {
  onBothChips([](Machine &m) {
    u32 lanes = m.emulator->chip(0).waveSize;
    u64 in = m.upload(numbers(256)), out = m.upload(numbers(256));
    m.launch("missingBarrier", {1}, {lanes}, in, out);
    CHECK(m.emulator->report(ReportFormat::Text).find("lds-race") == std::string::npos);
  });
}

UNIT_TEST(write_after_read) {
  onBothChips([](Machine &m) {
    u64 in = m.upload(numbers(256)), out = m.upload(numbers(256));
    CHECK(m.launch("overwrittenTooSoon", {1}, {256}, in, out).status == LaunchStatus::Ok);
    expect(m, "lds-race", {"faulty.cl:25: ", "writes LDS byte", "read at"});
  });
}

UNIT_TEST(workgroups_that_race) {
  onBothChips([](Machine &m) {
    u64 data = m.upload(numbers(64 * 5));
    CHECK(m.launch("neighbourGroups", {4}, {64}, data).status == LaunchStatus::Ok);
    expect(m, "global-race",
           {"faulty.cl:31", "another workgroup of it", "faulty.cl:33: nothing orders"});
  });
}

UNIT_TEST(barriers_that_differ) {
  onBothChips([](Machine &m) {
    u64 out = m.upload(numbers(128));
    CHECK(m.launch("divergentBarrier", {1}, {128}, out).status == LaunchStatus::Ok);
    expect(m, "barrier-divergence", {"faulty.cl:", "while another wave waits at"});
  });
}

// Two streams: with the event's order nothing is found, without it the race is, with both lines.
UNIT_TEST(streams_that_race) {
  for (bool ordered : {true, false}) {
    Machine m("gfx942");
    REQUIRE(m.load(kernelFile("faulty", "gfx942", 1)) == LoadStatus::Ok);
    u64 data = m.upload(numbers(64)), out = m.upload(numbers(64));
    auto launch = [&](const char *kernel, const Operation &operation, std::vector<u64> arguments) {
      LaunchRequest request;
      request.kernel = m.module->findKernel(kernel);
      request.block[0] = 64;
      request.kernarg = arguments.data();
      request.kernargBytes = arguments.size() * 8;
      request.operation = operation;
      CHECK(m.emulator->launch(request).status == LaunchStatus::Ok);
    };
    launch("produce", {0, 1, {0, 0}, "produce"}, {data});
    launch("consume", {1, 1, {ordered ? 1u : 0u, 0}, "consume"}, {data, out});
    // The copy back is ordered behind the consumer only.
    std::vector<u32> back(64);
    std::string message;
    CHECK(m.emulator->copy(reinterpret_cast<u64>(back.data()), out, 256,
                           {0, 2, {1, ordered ? 1u : 0u}, "hipMemcpyAsync"}, &message));
    if (ordered) {
      CHECK_EQ(m.emulator->report(ReportFormat::Text), "");
    } else {
      expect(m, "global-race",
             {"faulty.cl:40", "faulty.cl:37", "(stream 0, operation 1)", "hipMemcpyAsync"});
      CHECK_EQ(m.emulator->findingCount(), u64(2));
    }
  }
}

// Waits: the same instructions with and without s_waitcnt.
UNIT_TEST(missing_waits) {
  struct Wait {
    const char *chip;
    std::vector<std::string> instructions;
    const char *finding; // "": none
  };
  const Wait waits[] = {
      {"gfx942",
       {"global_load_dword v10, v100, s[4:5]", "s_waitcnt vmcnt(0)", "v_add_u32 v11, v10, v10"},
       ""},
      {"gfx942",
       {"global_load_dword v10, v100, s[4:5]", "v_add_u32 v11, v10, v10"},
       "reads v10 before the vector memory counter"},
      // Loads come back in order: the first of two is there.
      {"gfx942",
       {"global_load_dword v10, v100, s[4:5]", "global_load_dword v12, v100, s[4:5]",
        "s_waitcnt vmcnt(1)", "v_add_u32 v11, v10, v10"},
       ""},
      {"gfx942",
       {"global_load_dword v10, v100, s[4:5]", "global_load_dword v12, v100, s[4:5]",
        "s_waitcnt vmcnt(1)", "v_add_u32 v11, v12, v10"},
       "reads v12 before"},
      {"gfx942",
       {"global_load_dwordx2 v[10:11], v100, s[4:5]", "v_mov_b32 v11, 0"},
       "overwrites v11 before"},
      {"gfx942",
       {"ds_read_b32 v10, v100", "v_mov_b32 v11, v10"},
       "reads v10 before the LDS counter"},
      {"gfx942", {"ds_read_b32 v10, v100", "s_waitcnt lgkmcnt(0)", "v_mov_b32 v11, v10"}, ""},
      {"gfx942",
       {"s_load_dword s20, s[4:5], 0x0", "s_mov_b32 s21, s20"},
       "reads s20 before the scalar memory counter"},
      // Scalar loads come back in any order.
      {"gfx942",
       {"s_load_dword s20, s[4:5], 0x0", "s_load_dword s22, s[4:5], 0x0", "s_waitcnt lgkmcnt(1)",
        "s_mov_b32 s21, s20"},
       "reads s20 before"},
      {"gfx1100",
       {"global_load_b32 v10, v100, s[4:5]", "v_add_nc_u32 v11, v10, v10"},
       "reads v10 before the vector memory counter"},
      // Stores have a counter of their own there.
      {"gfx1100",
       {"global_load_b32 v10, v100, s[4:5]", "global_store_b32 v100, v100, s[6:7]",
        "s_waitcnt vmcnt(0)", "v_add_nc_u32 v11, v10, v10"},
       ""},
      {"gfx1100",
       {"global_load_b32 v10, v100, s[4:5]", "global_store_b32 v100, v100, s[6:7]",
        "s_waitcnt vmcnt(1)", "v_add_nc_u32 v11, v10, v10"},
       "reads v10 before"},
      {"gfx1100",
       {"ds_load_b32 v10, v100", "v_dual_mov_b32 v11, v12 :: v_dual_mov_b32 v14, v10"},
       "reads v10 before"},
  };
  for (const Wait &wait : waits) {
    Machine machine(wait.chip);
    OpcodeCase test;
    test.instructions = wait.instructions;
    REQUIRE(machine.load(assemble(assemblyOf({test}, wait.chip, machine.emulator->chip(0).waveSize),
                                  wait.chip)) == LoadStatus::Ok);
    u64 in = machine.upload(numbers(256)), out = machine.upload(numbers(256));
    LaunchResult result = machine.launch("case_0", {1}, {32}, in, out);
    CHECK_EQ(result.message, "");
    if (*wait.finding) {
      expect(machine, "missing-wait", {wait.finding});
    } else {
      CHECK_EQ(machine.emulator->report(ReportFormat::Text), "");
    }
  }
}

// Cache lines and passes through LDS by hand: 64 lanes, lines of 128 bytes, 32 banks.
UNIT_TEST(strides_and_bank_conflicts_are_counted) {
  Options options;
  options.profile = true;
  Machine m("gfx942", options);
  REQUIRE(m.load(kernelFile("faulty", "gfx942", 1)) == LoadStatus::Ok);
  u64 in = m.upload(numbers(64 * 32)), out = m.upload(numbers(64));
  CHECK(m.launch("patterns", {1}, {64}, in, out).status == LaunchStatus::Ok);
  std::string report = m.emulator->report(ReportFormat::Text);
  for (const char *part : {"faulty.cl:60: global_load_dword: 2 cache lines, 2 would do (1.0x)",
                           "faulty.cl:61: global_load_dword: 64 cache lines, 2 would do (32.0x)",
                           "faulty.cl:63: ds_write_b32: 4 passes, 2 without conflicts (2.0x)",
                           "faulty.cl:64: ds_write_b32: 16 passes, 2 without conflicts (8.0x)",
                           "instructions: patterns: s_endpgm: 1"})
    if (report.find(part) == std::string::npos)
      unit::fail(__FILE__, __LINE__, std::string("no \"") + part + "\" in: " + report);
  CHECK(report.find("faulty.cl:62: ds_write") == std::string::npos);
  CHECK_EQ(m.emulator->findingCount(), u64(0));
}

UNIT_TEST_MAIN
