#include "emu/checks/checks.h"

#include "emu/checks/global_races.h"
#include "emu/chips.h"
#include "emu/findings.h"
#include "support/result.h"

namespace tl::emu {

void reportFinding(Wave &w, const MicroOp &op, const char *kind, const std::string &what) {
  Finding finding;
  finding.kind = kind;
  finding.device = w.launch->device;
  finding.kernel = w.launch->record->info.name;
  finding.pc = op.pc;
  if (w.launch->lines)
    finding.source = w.launch->lines->find(op.pc);
  finding.message = w.launch->place(op) + ": " + what;
  w.launch->findings->add(std::move(finding));
}

std::string placeText(const Wave &w, int lane) {
  std::string text = formatString("workgroup (%u, %u, %u), wave %u", w.group->id[0], w.group->id[1],
                                  w.group->id[2], w.number);
  return lane < 0 ? text : text + formatString(", lane %d", lane);
}

void checkBarrier(Wave &w, const MicroOp &op) {
  keepLateAccesses(w);
  GroupChecks &checks = *w.group->checks;
  if (w.group->signals == 0)
    checks.barrierPc = op.pc;
  else if (checks.barrierPc != op.pc)
    reportFinding(w, op, "barrier-divergence",
                  placeText(w, -1) +
                      formatString(" waits at this barrier while another wave waits at 0x%x",
                                   checks.barrierPc));
  w.checks->signalPc = op.pc;
}

namespace {

void reportBarrier(Wave &w, const MicroOp &op, const char *what) {
  std::string text = placeText(w, -1) + " " + what;
  if (w.checks->signalPc) {
    SourceLine line = w.launch->lines ? w.launch->lines->find(w.checks->signalPc) : SourceLine();
    text += formatString(" at 0x%x", w.checks->signalPc);
    if (line.line)
      text += " (" + line.text() + ")";
  }
  reportFinding(w, op, "barrier-divergence", text);
}

} // namespace

void checkSignal(Wave &w, const MicroOp &op) {
  if (w.barrierSignaled)
    reportBarrier(w, op, "signals the barrier without having waited after it did so");
  checkBarrier(w, op);
}

void checkWait(Wave &w, const MicroOp &op) {
  if (!w.barrierSignaled) {
    w.checks->signalPc = 0;
    reportBarrier(w, op, "waits at the barrier without having signaled it");
  }
}

void checkEnd(Wave &w, const MicroOp &op) {
  // It counts twice then: as one that has come and as one that need not.
  if (w.barrierSignaled && !w.barrierComplete)
    reportBarrier(w, op, "ends before other waves have come to the barrier that it signaled");
}

namespace {

void checkWritten(Wave &w, const MicroOp &op, const uint8_t *shadow, uint64_t address,
                  unsigned bytes, int lane, unsigned laneBytes) {
  unsigned at = 0;
  for (; at + 8 <= bytes; at += 8) {
    uint64_t eight;
    std::memcpy(&eight, shadow + at, 8);
    if ((eight & 0x0101010101010101) != 0x0101010101010101)
      break;
  }
  while (at < bytes && shadow[at] & ShadowWritten)
    ++at;
  if (at == bytes)
    return;
  const int reader = lane < 0 ? lane : lane + int(at / laneBytes);
  reportFinding(w, op, "uninitialized-read",
                placeText(w, reader) +
                    formatString(" reads the byte at 0x%llx, which nothing has written: ",
                                 static_cast<unsigned long long>(address + at)) +
                    w.launch->space->describe(address + at));
}

// Accesses that are coherent with other workgroups by themselves: those of atomic loads and stores.
// With slc, too, glc says that they are not temporal.
bool isCoherent(const Wave &w, const MicroOp &op) {
  constexpr uint32_t kGlc = 1, kSlc = 2, kSc1 = 16;
  const uint32_t policy = uint32_t(op.imm[1]);
  switch (w.launch->chip->generation) {
  case Generation::Gfx9:
    if (w.launch->chip->has(ArchitectedScratch))
      return policy & kSc1;
    [[fallthrough]];
  case Generation::Gfx11:
    return (policy & (kGlc | kSlc)) == kGlc;
  case Generation::Gfx12:
    return (policy >> 3 & 3) >= 2; // scope: device or system
  }
  return false;
}

void noteForRaces(Wave &w, const MicroOp &op, const MemoryBlock &block, uint64_t address,
                  unsigned bytes, Access access, int lane) {
  RaceChecker &races = *w.launch->races;
  Acquired &acquired = w.group->checks->acquired;
  const bool coherent = access != Access::Atomic && lane >= 0 && isCoherent(w, op);
  if (access == Access::Atomic || (coherent && access == Access::Read))
    races.meet(block, address, bytes, acquired);
  if (coherent && access == Access::Read) // an atomic load: it races with nothing
    return;
  races.access(block, address, bytes, coherent ? Access::Atomic : access, w.group->number, op.pc,
               acquired);
}

} // namespace

void checkGlobal(Wave &w, const MicroOp &op, const MemoryBlock &block, uint64_t address,
                 unsigned bytes, Access access, int lane, unsigned laneBytes) {
  if (!block.shadow)
    return;
  uint8_t *shadow = block.shadow + (address - block.address);
  if (w.launch->races) {
    if (access != Access::Write)
      checkWritten(w, op, shadow, address, bytes, lane, laneBytes);
    noteForRaces(w, op, block, address, bytes, access, lane);
  }
  if (access != Access::Read)
    std::memset(shadow, ShadowWritten, bytes);
}

void checkReleased(Wave &w, const MicroOp &op, uint64_t address, bool write) {
  if (!w.launch->races)
    return;
  if (const MemoryBlock *block = w.launch->space->find(address); block && !block->live)
    w.launch->races->useReleased(*block, address, write, op.pc);
}

} // namespace tl::emu
