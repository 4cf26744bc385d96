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
  if (("\n" + report).find("\n" + std::string(kind) + ": ") == std::string::npos)
    unit::fail(__FILE__, __LINE__, chip + ": no " + kind + " in: " + report);
  for (const std::string &part : parts)
    if (report.find(part) == std::string::npos)
      unit::fail(__FILE__, __LINE__, chip + ": no \"" + part + "\" in: " + report);
}

std::vector<u32> numbers(size_t n) { return std::vector<u32>(n, 5); }

/// One workgroup of 64, as an operation of a stream.
void launchAs(Machine &m, const char *kernel, const Operation &operation,
              std::vector<u64> arguments) {
  LaunchRequest request;
  request.kernel = m.module->findKernel(kernel);
  request.block[0] = 64;
  request.kernarg = arguments.data();
  request.kernargBytes = arguments.size() * 8;
  request.operation = operation;
  CHECK(m.emulator->launch(request).status == LaunchStatus::Ok);
}

} // namespace

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

// Two streams: with the event's order nothing is found, without it the race is, with both lines.
UNIT_TEST(streams_that_race) {
  for (bool ordered : {true, false}) {
    Machine m("gfx942");
    REQUIRE(m.load(kernelFile("faulty", "gfx942", 1)) == LoadStatus::Ok);
    u64 data = m.upload(numbers(64)), out = m.upload(numbers(64));
    launchAs(m, "produce", {0, 1, {0, 0}, "produce"}, {data});
    launchAs(m, "consume", {1, 1, {ordered ? 1u : 0u, 0}, "consume"}, {data, out});
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

// Readers in two streams, then a writer that comes behind the second one: a later reader does not
// make the first one forgotten, whether it is another kernel or the one that writes.
UNIT_TEST(earlier_readers_that_race) {
  for (bool ordered : {true, false})
    for (bool inPlace : {true, false}) {
      Machine m("gfx942");
      REQUIRE(m.load(kernelFile("faulty", "gfx942", 1)) == LoadStatus::Ok);
      u64 data = m.upload(numbers(64)), first = m.upload(numbers(64)),
          second = m.upload(numbers(64)), third = m.upload(numbers(64));
      u64 behind = ordered ? 1 : 0;
      launchAs(m, "consume", {0, 1, {0, 0, 0}, "consume"}, {data, first});
      if (inPlace) {
        launchAs(m, "consume", {1, 1, {behind, 0, 0}, "consume"}, {data, data});
      } else {
        launchAs(m, "consume", {1, 1, {0, 0, 0}, "consume"}, {data, second});
        launchAs(m, "consume", {2, 1, {0, 0, 0}, "consume"}, {data, third});
        launchAs(m, "produce", {2, 2, {behind, 1, 1}, "produce"}, {data});
      }
      std::string report = m.emulator->report(ReportFormat::Text);
      if (ordered)
        CHECK_EQ(report, "");
      else
        expect(m, "global-race", {"(stream 0, operation 1) read", "faulty.cl:40"});
    }
}

// Memory that one stream releases while another one uses it: whichever comes first, both places are
// named; with an event's order nothing is found.
UNIT_TEST(releases_that_race) {
  for (bool ordered : {true, false})
    for (bool releaseFirst : {false, true}) {
      if (ordered && releaseFirst)
        continue;
      Machine m("gfx942");
      REQUIRE(m.load(kernelFile("faulty", "gfx942", 1)) == LoadStatus::Ok);
      u64 data = m.upload(numbers(64)), out = m.upload(numbers(64));
      LaunchRequest request;
      u64 arguments[] = {data, out};
      request.kernel = m.module->findKernel("consume");
      request.block[0] = 64;
      request.kernarg = arguments;
      request.kernargBytes = sizeof arguments;
      request.operation = {0, 1, {0, 0}, "consume"};
      Operation release{1, 1, {ordered ? 1u : 0u, 0}, "hipFreeAsync"};
      if (releaseFirst)
        CHECK(m.emulator->release(data, &release));
      LaunchResult result = m.emulator->launch(request);
      CHECK(result.status == (releaseFirst ? LaunchStatus::MemoryFault : LaunchStatus::Ok));
      if (!releaseFirst)
        CHECK(m.emulator->release(data, &release));
      if (ordered) {
        CHECK_EQ(m.emulator->report(ReportFormat::Text), "");
        continue;
      }
      expect(m, "global-race",
             {"faulty.cl:40", "hipFreeAsync (stream 1, operation 1)", "(stream 0, operation 1)",
              "nothing orders the two",
              releaseFirst ? "which hipFreeAsync" : " releases the allocation"});
      CHECK_EQ(m.emulator->findingCount(), u64(releaseFirst ? 2 : 1)); // the fault is one too
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
      // gfx12 has a counter for each kind, and waits for two of them at once.
      {"gfx1201",
       {"global_load_b32 v10, v100, s[4:5]", "s_wait_loadcnt 0x0", "v_add_nc_u32 v11, v10, v10"},
       ""},
      {"gfx1201",
       {"global_load_b32 v10, v100, s[4:5]", "s_wait_storecnt 0x0", "s_wait_dscnt 0x0",
        "s_wait_kmcnt 0x0", "s_wait_samplecnt 0x0", "v_add_nc_u32 v11, v10, v10"},
       "reads v10 before the vector memory counter"},
      {"gfx1201", {"ds_load_b32 v10, v100", "s_wait_dscnt 0x0", "v_mov_b32 v11, v10"}, ""},
      {"gfx1201",
       {"ds_load_b32 v10, v100", "s_wait_loadcnt 0x0", "s_wait_kmcnt 0x0", "v_mov_b32 v11, v10"},
       "reads v10 before the LDS counter"},
      {"gfx1201",
       {"ds_load_b32 v10, v100", "ds_load_b32 v12, v100", "s_wait_storecnt_dscnt 0x1",
        "v_mov_b32 v11, v10"},
       ""},
      {"gfx1201",
       {"ds_load_b32 v10, v100", "ds_load_b32 v12, v100", "s_wait_storecnt_dscnt 0x1",
        "v_mov_b32 v11, v12"},
       "reads v12 before the LDS counter"},
      {"gfx1201",
       {"ds_load_b32 v10, v100", "global_load_b32 v12, v100, s[4:5]", "s_wait_loadcnt_dscnt 0x100",
        "v_mov_b32 v11, v10", "s_wait_loadcnt 0x0"},
       ""},
      {"gfx1201",
       {"ds_load_b32 v10, v100", "global_load_b32 v12, v100, s[4:5]", "s_wait_loadcnt_dscnt 0x100",
        "v_mov_b32 v11, v12"},
       "reads v12 before the vector memory counter"},
      {"gfx1201", {"s_load_b32 s20, s[4:5], 0x0", "s_wait_kmcnt 0x0", "s_mov_b32 s21, s20"}, ""},
      // Loads of two kinds, and scalar ones, come back in any order.
      {"gfx942",
       {"ds_read_b32 v10, v100", "global_load_dword v10, v100, s[4:5]",
        "s_waitcnt vmcnt(0) lgkmcnt(0)", "v_mov_b32 v11, v10"},
       "overwrites v10 before the LDS counter"},
      {"gfx942",
       {"global_load_dword v10, v100, s[4:5]", "ds_read_b32 v10, v100",
        "s_waitcnt vmcnt(0) lgkmcnt(0)", "v_mov_b32 v11, v10"},
       "overwrites v10 before the vector memory counter"},
      {"gfx942",
       {"ds_read_b32 v10, v100", "ds_read_b32 v10, v100", "global_load_dword v12, v100, s[4:5]",
        "global_load_dword v12, v100, s[4:5]", "s_waitcnt vmcnt(0) lgkmcnt(0)",
        "v_add_u32 v11, v10, v12"},
       ""},
      {"gfx1100",
       {"s_load_b32 s20, s[4:5], 0x0", "s_load_b32 s20, s[4:5], 0x4", "s_waitcnt lgkmcnt(0)",
        "s_mov_b32 s21, s20"},
       "overwrites s20 before the scalar memory counter"},
      {"gfx1201",
       {"s_load_b32 s20, s[4:5], 0x0", "s_wait_loadcnt_dscnt 0x0", "s_mov_b32 s21, s20"},
       "reads s20 before the scalar memory counter"},
      {"gfx1201",
       {"ds_load_b32 v10, v100", "global_load_b32 v12, v100, s[4:5]", "s_wait_idle",
        "v_add_nc_u32 v11, v10, v12"},
       ""},
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

// What nothing has written is followed through registers and memory, and reported where it matters.
UNIT_TEST(unwritten_values) {
  const std::string store50 = "global_store_dword v100, v50, s[6:7]",
                    store51 = "global_store_dword v100, v51, s[6:7]",
                    ldsWait = "s_waitcnt lgkmcnt(0)", loadWait = "s_waitcnt vmcnt(0)",
                    saveExec = "s_mov_b64 s[20:21], exec", twoLanes = "s_mov_b64 exec, 3",
                    allLanes = "s_mov_b64 exec, s[20:21]", stored = "it is stored to memory";
  struct Case {
    const char *chip;
    std::vector<std::string> instructions;
    std::string finding; // "": none
  };
  const Case cases[] = {
      {"gfx942", {store50}, "lane 0 uses a register that nothing has written: " + stored},
      {"gfx942", {"v_add_u32 v51, v50, v0", store51}, stored},
      {"gfx942", {"v_mov_b32 v51, v50", "v_add_u32 v51, v51, v50"}, ""},
      {"gfx942", {"global_load_dword v10, v50, s[4:5]"}, "it becomes an address"},
      {"gfx942",
       {"s_add_u32 s4, s4, s50", "s_load_dword s20, s[4:5], 0x0", ldsWait},
       "it becomes an address"},
      // Branches, and masks of lanes bit by bit.
      {"gfx942", {"v_cmp_eq_u32 vcc, 0, v50", "s_cbranch_vccz 0"}, "it decides a branch"},
      {"gfx942", {"v_cmp_eq_u32 vcc, 0, v50", "s_and_b64 vcc, vcc, 0", "s_cbranch_vccz 0"}, ""},
      {"gfx942", {"v_cmp_eq_u32 vcc, 0, v50", "s_or_b64 vcc, vcc, exec", "s_cbranch_vccz 0"}, ""},
      {"gfx942", {"s_cmp_eq_u32 s50, 0", "s_cbranch_scc1 0"}, "it decides a branch"},
      {"gfx942", {"s_cmp_eq_u32 s50, 0", "s_cselect_b32 s51, 1, 2"}, ""},
      {"gfx942",
       {"v_cmp_eq_u32 vcc, 0, v50", "s_and_saveexec_b64 s[20:21], vcc", allLanes},
       "lane 0 uses a register that nothing has written: it decides which lanes run"},
      {"gfx942",
       {"s_andn2_b64 s[22:23], s[50:51], exec", "v_cmp_eq_u32 vcc, 0, v100",
        "s_or_b64 s[22:23], s[22:23], vcc", "s_and_saveexec_b64 s[20:21], s[22:23]", allLanes},
       ""},
      // Lanes: only the two that ran are written.
      {"gfx942", {saveExec, twoLanes, "v_mov_b32 v50, 1", store50, allLanes}, ""},
      {"gfx942",
       {saveExec, twoLanes, "v_mov_b32 v50, 1", allLanes, store50},
       "lane 2 uses a register"},
      {"gfx942", {saveExec, "s_mov_b64 exec, -1", "v_mov_b32 v51, v0", allLanes, store51}, ""},
      {"gfx942",
       {"v_writelane_b32 v50, s4, 3", "v_readlane_b32 s20, v50, 3", "s_cmp_eq_u32 s20, 0",
        "s_cbranch_scc1 0"},
       ""},
      {"gfx942",
       {"v_writelane_b32 v50, s4, 3", "v_readlane_b32 s20, v50, 4", "s_cmp_eq_u32 s20, 0",
        "s_cbranch_scc1 0"},
       "it decides a branch"},
      {"gfx942", {"v_mov_b32_dpp v51, v50 row_shr:1 row_mask:0xf bank_mask:0xf", store51}, stored},
      // One of two sources counts, or makes up for the other.
      {"gfx942", {"s_mov_b64 vcc, 0", "v_cndmask_b32 v51, v100, v50, vcc", store51}, ""},
      {"gfx942",
       {"s_mov_b64 vcc, 4", "v_cndmask_b32 v51, v100, v50, vcc", store51},
       "lane 2 uses a register"},
      {"gfx942", {"v_and_b32 v51, 0, v50", store51}, ""},
      {"gfx942", {"v_and_b32 v51, 7, v50", store51}, stored},
      {"gfx942", {"v_or_b32 v51, 7, v50", store51}, ""},
      {"gfx942", {"v_or_b32 v51, v50, v52", store51}, stored},
      // Accumulation registers and matrices.
      {"gfx942", {"v_accvgpr_read_b32 v51, a3", store51}, stored},
      {"gfx942", {"v_accvgpr_write_b32 a3, v0", "v_accvgpr_read_b32 v51, a3", store51}, ""},
      {"gfx942", {"v_mfma_f32_4x4x1_16b_f32 v[50:53], v100, v60, 0", "s_nop 15", store50}, stored},
      {"gfx942",
       {"v_mfma_f32_4x4x1_16b_f32 v[50:53], v100, v100, 0", "s_nop 15", store50},
       ""}, // lanes 32 to 63 are off
      // LDS, also when it gets what is not defined, and when loads fill it.
      {"gfx942",
       {"ds_read_b32 v50, v100", ldsWait, store50},
       "lane 0 reads LDS that nothing has written: " + stored},
      {"gfx942", {"ds_write_b32 v100, v0", "ds_read_b32 v50, v100", ldsWait, store50}, ""},
      {"gfx942", {"ds_write_b8 v100, v0", "ds_read_b32 v50, v100", ldsWait, store50}, ""},
      {"gfx942",
       {"ds_write_b32 v100, v0", "ds_read_b32 v50, v100 offset:4", ldsWait, store50},
       "lane 31 reads LDS that nothing has written"},
      {"gfx942",
       {"ds_write_b32 v100, v52", "ds_read_b32 v50, v100", ldsWait, store50},
       "reads a copy of what nothing has written"},
      {"gfx942",
       {"ds_write2_b32 v100, v0, v52 offset1:64", "ds_read2_b32 v[50:51], v100 offset1:64", ldsWait,
        store50},
       ""},
      {"gfx942",
       {"ds_write2_b32 v100, v0, v52 offset1:64", "ds_read2_b32 v[50:51], v100 offset1:64", ldsWait,
        store51},
       stored},
      {"gfx942",
       {"s_mov_b32 m0, 0", "global_load_lds_dword v100, s[4:5]", loadWait, "ds_read_b32 v50, v100",
        ldsWait, store50},
       ""},
      // Lanes exchange what they load: a group of 16 is undefined as a whole.
      {"gfx950",
       {"v_lshlrev_b32 v101, 1, v100", "ds_read_b64_tr_b16 v[50:51], v101", ldsWait, store50},
       "lane 0 reads LDS that nothing has written: " + stored},
      {"gfx950",
       {"v_lshlrev_b32 v101, 1, v100", saveExec, twoLanes, "ds_write_b64 v101, v[100:101]",
        allLanes, "ds_read_b64_tr_b16 v[50:51], v101", ldsWait, store50},
       "lane 16 reads LDS that nothing has written: " + stored},
      {"gfx950",
       {"v_lshlrev_b32 v101, 1, v100", saveExec, "s_mov_b64 exec, 0x10001",
        "ds_write_b64 v101, v[100:101]", allLanes, "ds_read_b64_tr_b16 v[50:51], v101", ldsWait,
        store50},
       ""},
      {"gfx942", {"ds_bpermute_b32 v51, v100, v0", ldsWait, store51}, ""},
      // Scratch.
      {"gfx942",
       {"scratch_load_dword v50, off, off offset:8", loadWait, store50},
       "reads scratch that nothing has written: " + stored},
      {"gfx942",
       {"scratch_store_dword off, v0, off offset:8", "scratch_load_dword v50, off, off offset:8",
        loadWait, store50},
       ""},
      {"gfx942",
       {"scratch_store_dword off, v52, off offset:8", "scratch_load_dword v50, off, off offset:8",
        loadWait},
       ""},
      {"gfx1100", {"v_dual_mov_b32 v51, v50 :: v_dual_mov_b32 v52, v100", store51}, stored},
      {"gfx1100", {"v_dual_mov_b32 v51, v100 :: v_dual_mov_b32 v52, v50", store51}, ""},
      {"gfx1100", {"v_mov_b16 v50.l, v100.l", store50}, ""},
      {"gfx1100", {"v_cmpx_eq_u32 v50, v100"}, "it decides which lanes run"},
      {"gfx1201", {"v_add_nc_u32 v51, v50, v0", store51}, stored},
  };
  for (const Case &one : cases) {
    Machine machine(one.chip);
    OpcodeCase test;
    test.instructions = one.instructions;
    std::string text;
    for (const std::string &instruction : one.instructions)
      text += instruction + "; ";
    if (machine.load(assemble(assemblyOf({test}, one.chip, machine.emulator->chip(0).waveSize),
                              one.chip)) != LoadStatus::Ok) {
      unit::fail(__FILE__, __LINE__, text + machine.message);
      continue;
    }
    u64 in = machine.upload(numbers(256)), out = machine.upload(numbers(256));
    LaunchResult result = machine.launch("case_0", {1}, {32}, in, out);
    std::string report = machine.emulator->report(ReportFormat::Text);
    bool good = one.finding.empty() ? report.empty()
                                    : report.rfind("uninitialized-read: ", 0) == 0 &&
                                          report.find(one.finding) != std::string::npos;
    if (!good || !result.message.empty())
      unit::fail(__FILE__, __LINE__,
                 text + "wanted \"" + one.finding + "\" in: " + report + result.message);
  }
}

// Lanes whose memory lies side by side are checked together: the finding still names the one lane.
UNIT_TEST(unwritten_memory_and_its_lane) {
  const std::string load = "global_load_dword v10, v101, s[4:5]", wait = "s_waitcnt vmcnt(0)";
  struct Case {
    std::vector<std::string> address; // v101, from the lane's number in v0
    std::string lane;                 // that reads a byte from 40 on first
  };
  const Case cases[] = {
      {{"v_lshlrev_b32 v101, 2, v0"}, "lane 10 reads the byte"},
      {{"v_and_b32 v101, 15, v0", "v_lshlrev_b32 v101, 2, v101"}, "lane 10 reads the byte"},
      {{"v_lshlrev_b32 v101, 3, v0"}, "lane 5 reads the byte"},
      {{"v_xor_b32 v101, 31, v0", "v_lshlrev_b32 v101, 2, v101"}, "lane 0 reads the byte"},
      {{"v_and_b32 v101, 8, v0", "v_lshlrev_b32 v101, 3, v101"}, "lane 8 reads the byte"},
      {{"v_and_b32 v101, 1, v0"}, ""},
  };
  for (const Case &one : cases) {
    Machine machine("gfx942");
    OpcodeCase test;
    test.instructions = one.address;
    test.instructions.insert(test.instructions.end(), {load, wait});
    REQUIRE(machine.load(assemble(assemblyOf({test}, "gfx942", 64), "gfx942")) == LoadStatus::Ok);
    u64 in = machine.emulator->allocate(1024, MemoryKind::Device, 0);
    machine.emulator->fill(in, 7, 1, 40, Operation(), &machine.message);
    u64 out = machine.upload(numbers(256));
    LaunchResult result = machine.launch("case_0", {1}, {32}, in, out);
    CHECK_EQ(result.message, "");
    std::string report = machine.emulator->report(ReportFormat::Text);
    if (one.lane.empty() ? !report.empty() : report.find(one.lane) == std::string::npos)
      unit::fail(__FILE__, __LINE__, "wanted \"" + one.lane + "\" in: " + report);
  }
}

// A buffer of 12 bytes and a load of 8 from byte 8 on: AMD's documents disagree about whether the
// half that lies inside is read (emulator.h, Options::BufferRange); both readings can be had.
UNIT_TEST(buffer_range_in_both_readings) {
  using Range = Options::BufferRange;
  for (const char *chip : {"gfx942", "gfx1100"})
    for (Range range : {Range::PerDword, Range::PerAccess}) {
      const bool cdna = chip[3] == '9';
      Options options;
      options.bufferRange = range;
      Machine machine(chip, options);
      OpcodeCase test;
      test.instructions = {"s_mov_b32 s8, s4",
                           "s_and_b32 s9, s5, 0xffff",
                           "s_mov_b32 s10, 12",
                           cdna ? "s_mov_b32 s11, 0x00020000" : "s_mov_b32 s11, 0x31004000",
                           "buffer_load_dwordx2 v[10:11], off, s[8:11], 0 offset:8",
                           "v_lshlrev_b32 v101, 3, v0",
                           "s_waitcnt vmcnt(0)",
                           "global_store_dwordx2 v101, v[10:11], s[6:7]"};
      REQUIRE(machine.load(assemble(assemblyOf({test}, chip, cdna ? 64 : 32), chip)) ==
              LoadStatus::Ok);
      u64 in = machine.upload(std::vector<u32>{100, 101, 102, 103});
      u64 out = machine.upload(numbers(256));
      LaunchResult result = machine.launch("case_0", {1}, {32}, in, out);
      CHECK_EQ(result.message, "");
      std::vector<u32> got = machine.download<u32>(out, 64);
      for (size_t i = 0; i < 64; i += 2) {
        CHECK_EQ(got[i], range == Range::PerDword ? 102u : 0u);
        CHECK_EQ(got[i + 1], 0u);
      }
    }
}

// A write that a wave has not waited for when it comes to the barrier may be done behind it.
UNIT_TEST(writes_that_a_barrier_does_not_wait_for) {
  for (const char *chip : {"gfx942", "gfx1100", "gfx1201"})
    for (bool waits : {true, false}) {
      const std::string name = chip;
      const std::string wait = name == "gfx1201" ? "s_wait_dscnt 0" : "s_waitcnt lgkmcnt(0)";
      OpcodeCase test;
      test.instructions = {"v_lshlrev_b32 v101, 2, v0", "v_xor_b32 v102, 0x1fc, v101",
                           "ds_write_b32 v101, v0"};
      if (waits)
        test.instructions.push_back(wait);
      if (name == "gfx1201")
        test.instructions.insert(test.instructions.end(),
                                 {"s_barrier_signal -1", "s_barrier_wait -1"});
      else
        test.instructions.push_back("s_barrier");
      test.instructions.insert(test.instructions.end(), {"ds_read_b32 v10, v102", wait});
      Machine machine(chip);
      REQUIRE(machine.load(assemble(assemblyOf({test}, chip, name == "gfx942" ? 64 : 32), chip)) ==
              LoadStatus::Ok);
      u64 in = machine.upload(numbers(256)), out = machine.upload(numbers(256));
      LaunchResult result = machine.launch("case_0", {1}, {128}, in, out);
      CHECK_EQ(result.message, "");
      std::string report = machine.emulator->report(ReportFormat::Text);
      bool found = report.find("lds-race") != std::string::npos &&
                   report.find("without waiting for it before the barrier") != std::string::npos;
      if (waits ? !report.empty() : !found)
        unit::fail(__FILE__, __LINE__, name + ": " + report);
    }
}

// Loads into LDS are done when the vector memory counter says so, for the wave itself and, at a
// barrier, for others.
UNIT_TEST(loads_into_lds_that_are_not_waited_for) {
  const std::string load = "global_load_lds_dword v101, s[4:5]", wait = "s_waitcnt vmcnt(0)",
                    read = "ds_read_b32 v10, v101", readOther = "ds_read_b32 v10, v102",
                    write = "ds_write_b32 v101, v0", ldsWait = "s_waitcnt lgkmcnt(0)",
                    barrier = "s_barrier";
  struct Case {
    u32 threads;
    std::vector<std::string> instructions;
    std::string kind, words; // none: ""
  };
  const Case cases[] = {
      {64, {load, read, ldsWait}, "missing-wait", "reads LDS byte 0 before the vector memory"},
      {64, {load, ldsWait, read, ldsWait}, "missing-wait", "reads LDS byte"},
      {64, {load, wait, read, ldsWait}, "", ""},
      {64, {load, write, wait, ldsWait}, "missing-wait", "overwrites LDS byte"},
      {64, {load, load, wait, read, ldsWait}, "", ""},
      // The same instruction once more, elsewhere: what came before is there.
      {64,
       {"s_mov_b32 s21, 2", load, "s_add_u32 m0, m0, 256", "s_sub_u32 s21, s21, 1",
        "s_cmp_lg_u32 s21, 0", "s_cbranch_scc1 65529", "s_waitcnt vmcnt(1)", read, wait, ldsWait},
       "",
       ""},
      {64,
       {"s_mov_b32 s21, 2", load, "s_add_u32 m0, m0, 256", "s_sub_u32 s21, s21, 1",
        "s_cmp_lg_u32 s21, 0", "s_cbranch_scc1 65529", "s_waitcnt vmcnt(1)",
        "ds_read_b32 v10, v101 offset:256", wait, ldsWait},
       "missing-wait",
       "reads LDS byte 256"},
      {64,
       {load, "global_load_dword v11, v101, s[4:5]", "s_waitcnt vmcnt(1)", read, wait, ldsWait},
       "",
       ""},
      {64,
       {"global_load_dword v11, v101, s[4:5]", load, "s_waitcnt vmcnt(1)", read, wait, ldsWait},
       "missing-wait",
       "reads LDS byte"},
      {128, {load, wait, barrier, readOther, ldsWait}, "", ""},
      {128, {load, barrier, wait, readOther, ldsWait}, "lds-race", "without waiting for it before"},
      {128, {load, wait, readOther, ldsWait}, "lds-race", "without a barrier between them"},
  };
  for (const Case &c : cases) {
    OpcodeCase test;
    // Each wave's part of LDS begins where M0 says.
    test.instructions = {"v_lshlrev_b32 v101, 2, v0", "v_xor_b32 v102, 0x100, v101",
                         "v_readfirstlane_b32 s20, v101", "s_mov_b32 m0, s20"};
    test.instructions.insert(test.instructions.end(), c.instructions.begin(), c.instructions.end());
    Machine machine("gfx942");
    REQUIRE(machine.load(assemble(assemblyOf({test}, "gfx942", 64), "gfx942")) == LoadStatus::Ok);
    u64 in = machine.upload(numbers(256)), out = machine.upload(numbers(256));
    LaunchResult result = machine.launch("case_0", {1}, {c.threads}, in, out);
    CHECK_EQ(result.message, "");
    if (c.kind.empty())
      CHECK_EQ(machine.emulator->report(ReportFormat::Text), "");
    else
      expect(machine, c.kind.c_str(), {c.words});
  }
}

UNIT_TEST_MAIN
