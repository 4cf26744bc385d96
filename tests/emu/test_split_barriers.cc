// gfx12's barriers in two halves: what they order, and the findings of their misuse. Expected: the
// RDNA4 ISA's "S_BARRIER_SIGNAL", "S_BARRIER_WAIT" and "S_GET_BARRIER_STATE".
#include "emu_test.h"
#include "opcode_case.h"

#include <numeric>

using namespace emutest;

namespace {

using u32 = uint32_t;
using u64 = uint64_t;

constexpr u32 kThreads = 128; // four waves

struct Outcome {
  LaunchResult result;
  std::string report;
  std::vector<u32> out;
};

// s20 is the wave's number, v101 four times the thread's; v10 is stored at the end.
Outcome run(const std::vector<std::string> &instructions, u64 seed = 0) {
  Options options;
  options.seed = seed;
  Machine machine("gfx1201", options);
  OpcodeCase test;
  test.instructions = {"v_lshlrev_b32 v101, 2, v0", "v_lshrrev_b32 v10, 5, v0",
                       "v_readfirstlane_b32 s20, v10"};
  test.instructions.insert(test.instructions.end(), instructions.begin(), instructions.end());
  test.instructions.push_back("global_store_b32 v101, v10, s[6:7]");
  Outcome outcome;
  auto loaded = machine.load(assemble(assemblyOf({test}, "gfx1201", 32), "gfx1201"));
  if (loaded != LoadStatus::Ok) {
    unit::fail(__FILE__, __LINE__, "not loaded");
    return outcome;
  }
  u64 in = machine.upload(std::vector<u32>(256)), out = machine.upload(std::vector<u32>(kThreads));
  outcome.result = machine.launch("case_0", {1}, {kThreads}, in, out);
  outcome.report = machine.emulator->report(ReportFormat::Text);
  outcome.out = machine.download<u32>(out, kThreads);
  return outcome;
}

const char *const kSignal = "s_barrier_signal -1", *const kWait = "s_barrier_wait -1",
                  *const kLds = "s_wait_dscnt 0";

bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

void expectFinding(const Outcome &outcome, const char *part) {
  if (!contains(outcome.report, "barrier-divergence: ") || !contains(outcome.report, part))
    unit::fail(__FILE__, __LINE__, std::string("no \"") + part + "\" in: " + outcome.report);
}

} // namespace

UNIT_TEST(halves_that_fit_together) {
  for (u64 seed = 0; seed < 20; ++seed) {
    // A wave reads what the next but one has written before it signaled.
    Outcome outcome = run({"v_add_nc_u32 v11, v0, 1000", "ds_store_b32 v101, v11", kLds, kSignal,
                           "v_xor_b32 v102, 0x100, v101", kWait, "ds_load_b32 v10, v102", kLds,
                           kSignal, kWait, "ds_store_b32 v101, v0", kLds},
                          seed);
    CHECK_EQ(outcome.result.message, "");
    CHECK_EQ(outcome.report, "");
    for (u32 i = 0; i < kThreads; ++i)
      CHECK_EQ(outcome.out[i], (i ^ 64) + 1000);
  }
}

UNIT_TEST(one_wave_is_the_first) {
  for (u64 seed = 0; seed < 10; ++seed) {
    Outcome outcome = run({"s_cmp_eq_u32 0, 1", "s_barrier_signal_isfirst -1",
                           "s_cselect_b32 s21, 1, 0", kWait, "v_mov_b32 v10, s21"},
                          seed);
    CHECK_EQ(outcome.report, "");
    CHECK_EQ(std::accumulate(outcome.out.begin(), outcome.out.end(), 0u), 32u);
  }
}

UNIT_TEST(the_state_of_a_barrier) {
  // Waves run in the order of their numbers until they wait.
  Outcome outcome =
      run({"s_get_barrier_state s21, -1", "s_wait_kmcnt 0", kSignal, kWait, "v_mov_b32 v10, s21"});
  CHECK_EQ(outcome.report, "");
  for (u32 i = 0; i < kThreads; ++i)
    CHECK_EQ(outcome.out[i], (i / 32) << 16 | 4 << 4 | 1);
  // It is delivered like a scalar load.
  outcome = run({"s_get_barrier_state s21, -1", "v_mov_b32 v10, s21", kSignal, kWait});
  CHECK(contains(outcome.report, "missing-wait") && contains(outcome.report, "reads s21 before"));
}

UNIT_TEST(other_barriers) {
  // Zero is none, -2 that of the trap handler.
  Outcome outcome = run({"s_mov_b32 m0, 0", "s_barrier_signal m0", "s_barrier_signal -2",
                         "s_barrier_wait -2", "s_barrier_wait 0", "v_mov_b32 v10, 7"});
  CHECK_EQ(outcome.result.message, "");
  CHECK_EQ(outcome.report, "");
  CHECK_EQ(outcome.out[127], 7u);
  for (const char *named : {"s_barrier_signal 3", "s_barrier_wait 3"}) {
    outcome = run({named});
    CHECK(outcome.result.status == LaunchStatus::Unimplemented);
    CHECK(contains(outcome.result.message, "barrier 3: gfx1201 has only its workgroups'"));
  }
  outcome = run({"s_mov_b32 m0, 3", "s_barrier_signal m0"});
  CHECK(contains(outcome.result.message, "barrier 3"));
  outcome = run({"s_barrier_join 3"});
  CHECK(contains(outcome.result.message, "s_barrier_join"));
}

UNIT_TEST(halves_that_do_not_fit) {
  Outcome outcome = run({kSignal, kWait, kWait});
  CHECK(outcome.result.status == LaunchStatus::Hang);
  expectFinding(outcome, "waits at the barrier without having signaled it");
  outcome = run({kSignal, kSignal, kWait});
  expectFinding(outcome, "signals the barrier without having waited after it did so");
  // Wave 0 signals and ends: it lets the others through before all have come.
  outcome = run({"s_cmp_lg_u32 s20, 0", "s_cbranch_scc1 2", kSignal, "s_endpgm", kSignal, kWait});
  expectFinding(outcome,
                "wave 0 ends before other waves have come to the barrier that it signaled");
  // Ended before it came, it need not come.
  outcome = run({"s_cmp_lg_u32 s20, 0", "s_cbranch_scc1 1", "s_endpgm", kSignal, kWait});
  CHECK_EQ(outcome.result.message, "");
  CHECK_EQ(outcome.report, "");
  // Two places.
  outcome = run({"s_cmp_lg_u32 s20, 0", "s_cbranch_scc1 2", kSignal, "s_branch 1", kSignal, kWait});
  expectFinding(outcome, "waits at this barrier while another wave waits at 0x");
}

// What a wave does between the halves is ordered neither before what others do after the barrier
// nor after what they do before it.
UNIT_TEST(accesses_between_the_halves) {
  const char *const neighbour = "v_xor_b32 v102, 0x80, v101"; // of the next wave
  const std::vector<std::string> racing[] = {
      {neighbour, kSignal, "ds_store_b32 v101, v0", kLds, kWait, "ds_load_b32 v10, v102", kLds},
      {neighbour, "ds_store_b32 v101, v0", kLds, kSignal, "ds_load_b32 v10, v102", kLds, kWait},
      {neighbour, "ds_store_b32 v101, v0", kLds, kSignal, kWait, kSignal, "ds_load_b32 v10, v102",
       kLds, kWait, "ds_store_b32 v101, v0", kLds},
  };
  // Of three waves, the last one writes behind the barrier; that the second one reads before it
  // does not hide that the first one reads between the halves.
  const std::vector<std::string> three = {"v_mov_b32 v102, 0",
                                          "s_cmp_eq_u32 s20, 0",
                                          "s_cbranch_scc0 1f",
                                          kSignal,
                                          "ds_load_b32 v10, v102",
                                          kLds,
                                          kWait,
                                          "s_branch 3f",
                                          "1:",
                                          "s_cmp_eq_u32 s20, 1",
                                          "s_cbranch_scc0 2f",
                                          "ds_load_b32 v10, v102",
                                          kLds,
                                          "2:",
                                          kSignal,
                                          kWait,
                                          "s_cmp_eq_u32 s20, 3",
                                          "s_cbranch_scc0 3f",
                                          "ds_store_b32 v102, v0",
                                          kLds,
                                          "3:"};
  const std::vector<std::string> clean[] = {
      {neighbour, "ds_store_b32 v101, v0", kLds, kSignal, kWait, kSignal, "ds_load_b32 v10, v102",
       kLds, kWait, kSignal, kWait, "ds_store_b32 v101, v0", kLds},
      {kSignal, "ds_store_b32 v101, v0", kLds, kWait, "ds_load_b32 v10, v101", kLds},
  };
  for (u64 seed = 0; seed < 20; ++seed) {
    CHECK(contains(run(three, seed).report, "which wave 0 read at "));
    for (const auto &instructions : racing) {
      Outcome outcome = run(instructions, seed);
      if (!contains(outcome.report, "lds-race: "))
        unit::fail(__FILE__, __LINE__,
                   "seed " + std::to_string(seed) + ", " + instructions[2] + ": no race in \"" +
                       outcome.report + "\"");
    }
    for (const auto &instructions : clean)
      CHECK_EQ(run(instructions, seed).report, "");
  }
}

UNIT_TEST_MAIN
