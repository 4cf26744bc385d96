// Code that goes astray: each way ends with its status and a message that names place and reason.
#include "emu_test.h"
#include "opcode_case.h"

using namespace emutest;

namespace {

struct Fault {
  const char *chips;
  std::vector<std::string> instructions;
  LaunchStatus status;
  const char *message;
};

const Fault kFaults[] = {
    // A literal, which no VOP3 instruction of gfx9 has: LLVM looks for it beyond the instruction.
    {"gfx942",
     {".long 0xd2080004", ".long 0x03ff0006"},
     LaunchStatus::IllegalState,
     "is no instruction"},
    {"gfx942,gfx1100",
     {".long 0xffffffff"},
     LaunchStatus::IllegalState,
     "0xffffffff is no instruction"},
    // s_or_b32 s95, src_lds_direct, -10: LLVM decodes it, no scalar instruction can read it.
    {"gfx942", {".long 0x875fcafe"}, LaunchStatus::Unimplemented, "s_or_b32 at"},
    {"gfx942,gfx1100", {".long 0x7e0002fe"}, LaunchStatus::Unimplemented, "v_mov_b32 at"},
    // v_readlane_b32 s14, -11, v32: fields of nine bits hold more than the instruction takes.
    {"gfx942",
     {".long 0xd289000e", ".long 0x000240cb"},
     LaunchStatus::IllegalState,
     "0xd289000e is no instruction"},
    {"gfx1100",
     {".long 0xd760000e", ".long 0x000240cb"},
     LaunchStatus::IllegalState,
     "0xd760000e is no instruction"},
    // s_barrier_signal with a literal, which it does not take.
    {"gfx1201", {".long 0xbeac4eff"}, LaunchStatus::IllegalState, "0xbeac4eff is no instruction"},
    {"gfx942,gfx1100",
     {"s_mov_b64 s[20:21], 0", "s_setpc_b64 s[20:21]"},
     LaunchStatus::IllegalState,
     "a jump to 0x0, outside"},
    {"gfx942,gfx1100",
     {"s_getpc_b64 s[20:21]", "s_add_u32 s20, s20, 2", "s_setpc_b64 s[20:21]"},
     LaunchStatus::IllegalState,
     "outside of the code"},
    {"gfx942,gfx1100", {"s_branch 0x7000"}, LaunchStatus::IllegalState, "a branch to where no"},
    // Into the literal of the next instruction.
    {"gfx942,gfx1100",
     {"s_branch 1", "s_mov_b32 s20, 0x12345678"},
     LaunchStatus::IllegalState,
     "a branch to where no"},
    {"gfx942,gfx1100", {"s_trap 2"}, LaunchStatus::Trap, "trap 2"},
    {"gfx942,gfx1100", {"s_branch -1"}, LaunchStatus::Hang, "wave instructions and no end"},
    {"gfx942,gfx1100",
     {"s_mov_b64 s[20:21], 0", "s_load_dword s20, s[20:21], 0x0"},
     LaunchStatus::MemoryFault,
     "reads 4 bytes at 0x0: far from any allocation"},
    {"gfx942,gfx1100",
     {"v_mov_b32 v0, 64", "v_mov_b32 v1, 0", "global_load_dword v2, v[0:1], off"},
     LaunchStatus::MemoryFault,
     "lane 0 reads 4 bytes at 0x40"},
    {"gfx942,gfx1100",
     {"v_mov_b32 v0, 2", "ds_add_u32 v0, v0"},
     LaunchStatus::MemoryFault,
     "not aligned"},
    {"gfx942,gfx1100",
     {"v_mov_b32 v0, 300", "scratch_load_dword v1, v0, off"},
     LaunchStatus::MemoryFault,
     "at offset 300 of its scratch, which has 256 bytes"},
    {"gfx942,gfx1100",
     {"s_mov_b32 m0, 1000", "s_movrels_b32 s20, s21"},
     LaunchStatus::IllegalState,
     "m0 = 1000"},
};

void runChip(const std::string &chip) {
  Options options;
  options.instructionBudget = 100000;
  options.threads = 1;
  Machine machine(chip, options);
  std::vector<OpcodeCase> cases;
  std::vector<const Fault *> faults;
  for (const Fault &fault : kFaults)
    if (std::string(fault.chips).find(chip) != std::string::npos) {
      OpcodeCase &test = cases.emplace_back();
      test.instructions = fault.instructions;
      faults.push_back(&fault);
    }
  REQUIRE(machine.load(assemble(assemblyOf(cases, chip, machine.emulator->chip(0).waveSize),
                                chip)) == LoadStatus::Ok);
  uint64_t in = machine.upload(std::vector<uint32_t>(64)),
           out = machine.upload(std::vector<uint32_t>(64));
  for (size_t i = 0; i < faults.size(); ++i) {
    std::string name = "case_" + std::to_string(i);
    LaunchResult result = machine.launch(name, {2}, {64}, in, out);
    std::string text = chip + " " + name + ": " + result.message;
    if (result.status != faults[i]->status)
      unit::fail(__FILE__, int(i), "status " + std::to_string(int(result.status)) + ": " + text);
    if (result.message.find(faults[i]->message) == std::string::npos ||
        result.message.find("kernel " + name) == std::string::npos)
      unit::fail(__FILE__, int(i), text + "\n  lacks: " + faults[i]->message);
  }
}

} // namespace

UNIT_TEST(cdna) { runChip("gfx942"); }
UNIT_TEST(rdna) { runChip("gfx1100"); }
UNIT_TEST(rdna4) { runChip("gfx1201"); }

// A kernel that the emulator does not know an instruction of stops there, with its name.
UNIT_TEST(unknown_instructions_are_named) {
  Machine machine("gfx942");
  OpcodeCase test;
  test.instructions = {"s_rfe_restore_b64 s[20:21], s22"};
  auto object = assemble(assemblyOf({test}, "gfx942", 64), "gfx942");
  REQUIRE(machine.load(object) == LoadStatus::Ok);
  uint64_t memory = machine.upload(std::vector<uint32_t>(64));
  LaunchResult result = machine.launch("case_0", {1}, {64}, memory, memory);
  CHECK(result.status == LaunchStatus::Unimplemented);
  CHECK(result.message.find("s_rfe_restore_b64 at 0x") != std::string::npos);
}

// The driver hands out what GWS instructions work on; there is none here.
UNIT_TEST(instructions_without_resources_are_named) {
  const char *const all[] = {"ds_gws_init v4 offset:1 gds", "ds_gws_barrier v4 offset:2 gds",
                             "ds_gws_sema_v offset:1 gds",  "ds_gws_sema_br v4 offset:1 gds",
                             "ds_gws_sema_p offset:1 gds",  "ds_gws_sema_release_all offset:1 gds"};
  for (const char *chip : {"gfx90a", "gfx942", "gfx950", "gfx1100"}) {
    std::vector<OpcodeCase> cases;
    for (const char *instruction : all) {
      OpcodeCase &test = cases.emplace_back();
      // gfx90a and its successors want pairs of registers to be aligned; the first stands alone.
      test.instructions = {"s_mov_b32 m0, 0", instruction};
    }
    Machine machine(chip);
    const std::string text = assemblyOf(cases, chip, machine.emulator->chip(0).waveSize);
    REQUIRE(machine.load(assemble(text, chip)) == LoadStatus::Ok);
    uint64_t memory = machine.upload(std::vector<uint32_t>(64));
    for (size_t i = 0; i < cases.size(); ++i) {
      const std::string name = "case_" + std::to_string(i), word = all[i];
      LaunchResult result = machine.launch(name, {1}, {64}, memory, memory);
      CHECK(result.status == LaunchStatus::Unimplemented);
      const std::string place = "kernel " + name + ", " + word.substr(0, word.find(' ')) + " at 0x";
      if (result.message.find(place) == std::string::npos)
        unit::fail(__FILE__, __LINE__,
                   std::string(chip) + ": no \"" + place + "\" in " + result.message);
    }
  }
}

// gfx12 has the number of a wave in its group in ttmp8, from where compilers take it.
UNIT_TEST(waves_know_their_number) {
  Machine machine("gfx1201");
  OpcodeCase test;
  test.instructions = {"s_bfe_u32 s20, ttmp8, 0x50019", "s_cmp_lg_u32 s20, 3", "s_cbranch_scc1 1",
                       "s_trap 2"};
  auto object = assemble(assemblyOf({test}, "gfx1201", 32), "gfx1201");
  REQUIRE(machine.load(object) == LoadStatus::Ok);
  uint64_t memory = machine.upload(std::vector<uint32_t>(128));
  CHECK(machine.launch("case_0", {2}, {96}, memory, memory).status == LaunchStatus::Ok);
  CHECK(machine.launch("case_0", {2}, {128}, memory, memory).status == LaunchStatus::Trap);
}

// One instruction more than a launch may have is a hang, whether it is of one long workgroup or of
// many short ones, and each worker runs no more than a slice beyond the budget.
UNIT_TEST(the_budget_holds) {
  // 100 times round a loop of three instructions.
  OpcodeCase test;
  test.instructions = {"s_movk_i32 s20, 100", "s_sub_i32 s20, s20, 1", "s_cmp_lg_u32 s20, 0",
                       "s_cbranch_scc1 -3", "s_endpgm"};
  auto object = assemble(assemblyOf({test}, "gfx942", 64), "gfx942");
  auto run = [&](uint64_t budget, uint32_t groups, uint32_t threads, uint32_t workers) {
    Options options;
    options.instructionBudget = budget;
    options.threads = workers;
    Machine machine("gfx942", options);
    CHECK(machine.load(object) == LoadStatus::Ok);
    uint64_t memory = machine.upload(std::vector<uint32_t>(1024));
    LaunchResult result = machine.launch("case_0", {groups}, {threads}, memory, memory);
    if (result.status == LaunchStatus::Ok)
      return uint64_t(0);
    CHECK(result.status == LaunchStatus::Hang);
    uint64_t executed = std::strtoull(result.message.c_str(), nullptr, 10);
    CHECK(executed > budget);
    CHECK(executed <= budget + workers * std::min<uint64_t>(budget, 4096));
    return executed;
  };
  // What a wave has besides the loop is little; a workgroup has 1 or 4 waves.
  for (uint32_t threads : {64u, 256u})
    for (uint32_t workers : {1u, 2u}) {
      uint64_t waves = 64 * (threads / 64);
      CHECK_EQ(run(waves * 400, 64, threads, workers), uint64_t(0));
      for (uint64_t budget : {uint64_t(1), uint64_t(50), uint64_t(290), waves * 300})
        CHECK(run(budget, 64, threads, workers) != 0);
    }
}

UNIT_TEST_MAIN
