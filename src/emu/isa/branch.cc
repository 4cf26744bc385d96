// Program control and everything that waits: SOPP and what else changes the program counter,
// hardware registers, barriers, messages.
#include "emu/checks/checks.h"
#include "emu/chips.h"
#include "emu/control.h"
#include "emu/op_table.h"
#include "emu/workgroup.h"

#include <algorithm>

namespace tl::emu {

void unimplementedInstruction(Wave &w, const MicroOp &op) {
  w.fault(op, LaunchStatus::Unimplemented, "the emulator does not know this instruction");
}

void illegalInstruction(Wave &w, const MicroOp &op) {
  uint32_t word = 0;
  if (const MemoryBlock *block = w.worker->translator.block(w.codeBase + op.pc, 4))
    std::memcpy(&word, block->host + (w.codeBase + op.pc - block->address), 4);
  w.fault(op, LaunchStatus::IllegalState, "0x%08x is no instruction of %s", word,
          w.launch->chip->info.name);
}

void leftCode(Wave &w, const MicroOp &op) {
  w.fault(op, LaunchStatus::IllegalState, "execution ran past the end of the code");
}

namespace {

void nothing(Wave &, const MicroOp &) {}

void branch(Wave &w, const MicroOp &op) {
  if (op.target == kNoInstruction)
    return w.fault(op, LaunchStatus::IllegalState, "a branch to where no instruction is");
  w.pc = op.target;
}
template <auto Condition> void branchIf(Wave &w, const MicroOp &op) {
  if (Condition(w))
    branch(w, op);
}

void jump(Wave &w, const MicroOp &op, uint64_t address) {
  uint32_t index = w.program->find(address - w.codeBase);
  if (index == kNoInstruction)
    return w.fault(op, LaunchStatus::IllegalState,
                   "a jump to 0x%llx, outside of the code object's code",
                   static_cast<unsigned long long>(address));
  w.pc = index;
}
uint64_t addressAfter(const Wave &w, const MicroOp &op) { return w.codeBase + op.pc + op.bytes; }

void getPc(Wave &w, const MicroOp &op) { setScalar64(w, op.dst[0], addressAfter(w, op)); }
void setPc(Wave &w, const MicroOp &op) { jump(w, op, scalar64(w, op.src[0])); }
void swapPc(Wave &w, const MicroOp &op) {
  uint64_t target = scalar64(w, op.src[0]);
  setScalar64(w, op.dst[0], addressAfter(w, op));
  jump(w, op, target);
}
void call(Wave &w, const MicroOp &op) {
  setScalar64(w, op.dst[0], addressAfter(w, op));
  branch(w, op);
}

void endProgram(Wave &w, const MicroOp &op) {
  if (w.checks)
    checkEnd(w, op);
  w.group->ended(w);
}

void barrier(Wave &w, const MicroOp &op) {
  if (w.checks)
    checkBarrier(w, op);
  w.group->arrive(w);
  w.group->wait(w);
}

// gfx12 splits it in two (RDNA4 ISA 5.2, "S_BARRIER_SIGNAL" and what follows). -1 is the
// workgroup's barrier. A group of one wave has none; nothing happens to 0, nor to -2, which is the
// trap handler's. Barriers with names are those of other chips.
enum class Barrier : uint8_t { None, Group, Absent };
Barrier findBarrier(Wave &w, const MicroOp &op, int32_t number) {
  if (number > 0 || number < -2) {
    w.fault(op, LaunchStatus::Unimplemented,
            "barrier %d: %s has only its workgroups' barrier, which is -1", number,
            w.launch->chip->info.name);
    return Barrier::Absent;
  }
  return number == -1 && w.group->waves.size() > 1 ? Barrier::Group : Barrier::None;
}
int32_t immediateBarrier(Wave &w, const MicroOp &op) { return int16_t(scalar32(w, op.src[0])); }
// M0 cannot name the negative ones.
int32_t namedBarrier(Wave &w, const MicroOp &) { return int32_t(w.s[SlotM0] & 31); }

template <auto Number> void barrierSignal(Wave &w, const MicroOp &op) {
  if (findBarrier(w, op, Number(w, op)) != Barrier::Group)
    return;
  if (w.checks)
    checkSignal(w, op);
  w.group->arrive(w);
}
template <auto Number> void barrierSignalIsFirst(Wave &w, const MicroOp &op) {
  const Barrier found = findBarrier(w, op, Number(w, op));
  w.scc = found == Barrier::Group && w.group->signals == 0;
  if (found != Barrier::Group)
    return;
  if (w.checks)
    checkSignal(w, op);
  w.group->arrive(w);
}
void barrierWait(Wave &w, const MicroOp &op) {
  if (findBarrier(w, op, immediateBarrier(w, op)) != Barrier::Group)
    return;
  if (w.checks)
    checkWait(w, op);
  w.group->wait(w);
}
// The waves that have come, how many there are, whether there is a barrier.
template <auto Number> void barrierState(Wave &w, const MicroOp &op) {
  const Barrier found = findBarrier(w, op, Number(w, op));
  if (found != Barrier::Absent)
    setScalar32(w, op.dst[0],
                found == Barrier::Group ? w.group->signals << 16 | w.group->live << 4 | 1 : 0);
}

// It gives its slice to those it waits for.
void sleep(Wave &w, const MicroOp &) {
  w.slept = true;
  w.yield();
}

void trap(Wave &w, const MicroOp &op) {
  constexpr uint32_t kDebugTrap = 3;
  uint32_t id = scalar32(w, op.src[0]) & 0xff;
  if (id != kDebugTrap)
    w.fault(op, LaunchStatus::Trap, "trap %u: the program asks to be aborted", id);
}

void sendMessage(Wave &w, const MicroOp &op) {
  // 1 is an interrupt, 3 on RDNA says that registers are free; others drive the graphics pipeline.
  uint32_t message = scalar32(w, op.src[0]) & 0xff;
  if (message != 1 && message != 3 && message != 0)
    w.fault(op, LaunchStatus::Unimplemented, "message %u", message);
}
void sendMessageReturn(Wave &w, const MicroOp &op) {
  constexpr uint32_t kRealTime = 131;
  uint64_t value = scalar32(w, op.src[0]) == kRealTime ? w.worker->clock : 0;
  if (op.dst[0].registers > 1)
    setScalar64(w, op.dst[0], value);
  else
    setScalar32(w, op.dst[0], uint32_t(value));
}

// Hardware registers by the numbers of s_getreg ("Hardware registers" of the ISA documents).
enum HardwareRegister : uint32_t {
  RegMode = 1,
  RegMemoryBases = 15,
  RegXcc = 20,
  RegCycles = 29,
};

uint32_t readRegister(const Wave &w, uint32_t id) {
  switch (id) {
  case RegMode:
    return w.mode;
  case RegMemoryBases: // bits 63:48 of the apertures
    return uint32_t(kPrivateAperture >> 48) | uint32_t(kSharedAperture >> 48) << 16;
  case RegCycles:
    return uint32_t(w.worker->clock) & 0xfffff;
  }
  return 0;
}

/// Status, traps, ids, allocations: they read as 0, nothing that a result may depend on.
bool readsAsZero(uint32_t id) {
  constexpr uint32_t known[] = {2, 3, 4, 5, 6, 7, RegXcc, 23, 24};
  return std::find(std::begin(known), std::end(known), id) != std::end(known);
}

void getRegister(Wave &w, const MicroOp &op) {
  uint32_t field = op.src[0].low, offset = field >> 6 & 31, width = (field >> 11 & 31) + 1;
  const uint32_t id = field & 63;
  if (id != RegMode && id != RegMemoryBases && id != RegCycles && !readsAsZero(id))
    return w.fault(op, LaunchStatus::Unimplemented, "hardware register %u", id);
  uint32_t value = readRegister(w, id) >> offset;
  setScalar32(w, op.dst[0], width == 32 ? value : value & ((1u << width) - 1));
}

void setMode(Wave &w, uint32_t mode) {
  if (w.launch->chip->has(NoIeeeMode))
    mode |= ModeDx10Clamp | ModeIeee;
  if (mode == w.mode)
    return;
  w.mode = mode;
  w.yield(); // the loop that runs slices depends on it
}

void setRegister(Wave &w, const MicroOp &op) {
  uint32_t value = scalar32(w, op.src[0]), field = op.src[1].low;
  uint32_t id = field & 63, offset = field >> 6 & 31, width = (field >> 11 & 31) + 1;
  if (id != RegMode)
    return; // others are privileged or without effect on results
  uint32_t mask = (width == 32 ? ~0u : (1u << width) - 1) << offset;
  setMode(w, (w.mode & ~mask) | (value << offset & mask));
}
void roundMode(Wave &w, const MicroOp &op) {
  setMode(w, (w.mode & ~15u) | (scalar32(w, op.src[0]) & 15));
}
void denormMode(Wave &w, const MicroOp &op) {
  setMode(w, (w.mode & ~0xf0u) | (scalar32(w, op.src[0]) & 15) << 4);
}

// gfx9's indexed registers: M0 holds the index and which operands it is added to.
void setIndexMode(Wave &w, uint32_t mode) {
  w.gprIndexMode = mode & 15;
  w.yield();
}
void indexOn(Wave &w, const MicroOp &op) {
  uint32_t index = scalar32(w, op.src[0]) & 0xff, mode = op.src[1].low & 15;
  w.s[SlotM0] = (w.s[SlotM0] & ~0xf0ffu) | index | mode << 12;
  setIndexMode(w, mode);
}
void indexOff(Wave &w, const MicroOp &) { setIndexMode(w, 0); }
void indexMode(Wave &w, const MicroOp &op) {
  uint32_t mode = scalar32(w, op.src[0]) & 15;
  w.s[SlotM0] = (w.s[SlotM0] & ~0xf000u) | mode << 12;
  if (w.gprIndexMode)
    setIndexMode(w, mode);
}
void indexValue(Wave &w, const MicroOp &op) {
  w.s[SlotM0] = (w.s[SlotM0] & ~0xffu) | (scalar32(w, op.src[0]) & 0xff);
}

const OpRow kRows[] = {
    {"S_NOP", nothing},
    {"S_CODE_END", leftCode}, // padding behind the code
    {"S_ENDPGM", endProgram},
    {"S_ENDPGM_SAVED", endProgram},
    {"S_BRANCH", branch, nullptr, OpBranch},
    {"S_CBRANCH_SCC0", branchIf<[](const Wave &w) { return !w.scc; }>, nullptr, OpBranch},
    {"S_CBRANCH_SCC1", branchIf<[](const Wave &w) { return w.scc; }>, nullptr, OpBranch},
    {"S_CBRANCH_VCCZ", branchIf<[](const Wave &w) { return !w.vcc(); }>, nullptr, OpBranch},
    {"S_CBRANCH_VCCNZ", branchIf<[](const Wave &w) { return w.vcc(); }>, nullptr, OpBranch},
    {"S_CBRANCH_EXECZ", branchIf<[](const Wave &w) { return !w.exec(); }>, nullptr, OpBranch},
    {"S_CBRANCH_EXECNZ", branchIf<[](const Wave &w) { return w.exec(); }>, nullptr, OpBranch},
    {"S_GETPC_B64", getPc},
    {"S_SETPC_B64", setPc, nullptr, OpBranch},
    {"S_SWAPPC_B64", swapPc, nullptr, OpBranch},
    {"S_CALL_B64", call, nullptr, OpBranch},
    {"S_BARRIER", barrier},
    {"S_BARRIER_SIGNAL_IMM", barrierSignal<immediateBarrier>},
    {"S_BARRIER_SIGNAL_M0", barrierSignal<namedBarrier>},
    {"S_BARRIER_SIGNAL_ISFIRST_IMM", barrierSignalIsFirst<immediateBarrier>},
    {"S_BARRIER_SIGNAL_ISFIRST_M0", barrierSignalIsFirst<namedBarrier>},
    {"S_GET_BARRIER_STATE_IMM", barrierState<immediateBarrier>},
    {"S_GET_BARRIER_STATE_M0", barrierState<namedBarrier>},
    {"S_BARRIER_WAIT", barrierWait},
    {"S_SLEEP", sleep},
    {"S_SLEEP_VAR", sleep},
    {"S_TRAP", trap},
    {"S_SENDMSG", sendMessage},
    {"S_SENDMSG_RTN_B32", sendMessageReturn},
    {"S_SENDMSG_RTN_B64", sendMessageReturn},
    {"S_GETREG_B32", getRegister},
    {"S_SETREG_B32", setRegister},
    {"S_SETREG_IMM32_B32", setRegister},
    {"S_ROUND_MODE", roundMode},
    {"S_DENORM_MODE", denormMode},
    {"S_SET_GPR_IDX_ON", indexOn},
    {"S_SET_GPR_IDX_OFF", indexOff},
    {"S_SET_GPR_IDX_MODE", indexMode},
    {"S_SET_GPR_IDX_IDX", indexValue},
    // Memory is done when its instruction is; what waits too little is found by the checks.
    {"S_WAITCNT", nothing},
    {"S_WAITCNT_VSCNT", nothing},
    {"S_WAITCNT_VMCNT", nothing},
    {"S_WAITCNT_EXPCNT", nothing},
    {"S_WAITCNT_LGKMCNT", nothing},
    {"S_WAITCNT_DEPCTR", nothing},
    {"S_WAIT_IDLE", nothing},
    {"S_WAIT_LOADCNT", nothing},
    {"S_WAIT_STORECNT", nothing},
    {"S_WAIT_SAMPLECNT", nothing},
    {"S_WAIT_BVHCNT", nothing},
    {"S_WAIT_EXPCNT", nothing},
    {"S_WAIT_DSCNT", nothing},
    {"S_WAIT_KMCNT", nothing},
    {"S_WAIT_LOADCNT_DSCNT", nothing},
    {"S_WAIT_STORECNT_DSCNT", nothing},
    {"S_WAIT_EVENT", nothing},
    // Hints, caches and priorities: memory is coherent here.
    {"S_DELAY_ALU", nothing},
    {"S_CLAUSE", nothing},
    {"S_SETPRIO", nothing},
    {"S_SETHALT", nothing},
    {"S_SETKILL", nothing},
    {"S_INCPERFLEVEL", nothing},
    {"S_DECPERFLEVEL", nothing},
    {"S_TTRACEDATA", nothing},
    {"S_TTRACEDATA_IMM", nothing},
    {"S_VERSION", nothing},
    {"S_WAKEUP", nothing},
    {"S_ICACHE_INV", nothing},
    {"S_INST_PREFETCH", nothing},
    {"S_PREFETCH_INST", nothing},
    {"S_PREFETCH_INST_PC_REL", nothing},
    {"S_PREFETCH_DATA", nothing},
    {"S_PREFETCH_DATA_PC_REL", nothing},
    {"S_BUFFER_PREFETCH_DATA", nothing},
};

} // namespace

std::span<const OpRow> branchRows() { return kRows; }

} // namespace tl::emu
