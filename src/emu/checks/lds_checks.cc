// LDS: accesses outside of it, and races between waves since the last barrier.
#include "emu/checks/checks.h"
#include "support/result.h"

#include <algorithm>

namespace tl::emu {
namespace {

// Marks: generation (of barriers, modulo 2^30), early : 1 (between a barrier's halves: it counts
// before the barrier, too), late : 1 (it was not waited for at the barrier before).
constexpr uint32_t kLate = 1, kEarly = 2;

uint32_t makeMark(uint64_t generation) { return uint32_t(generation + 1) << 2; }
uint32_t generationOf(uint32_t mark) { return mark >> 2; }
/// The first generation that it belongs to.
uint32_t firstOf(uint32_t mark) { return generationOf(mark) - (mark & kEarly ? 1 : 0); }
bool meet(uint32_t mark, uint32_t other) {
  return generationOf(mark) >= firstOf(other) && generationOf(other) >= firstOf(mark);
}
/// Barriers that the wave has waited for.
uint64_t passed(const Wave &w) { return w.group->generation - w.barrierComplete; }

// Parties: has changed it atomically : 1, has read it : 1, wave from 1 : 6 (a workgroup has 32 at
// most), address of the instruction / 4 : 24.
constexpr LdsParty kAtomic = 1u << 31, kRead = 1u << 30, kKinds = kAtomic | kRead;

LdsParty makeParty(const Wave &w, uint32_t pc) {
  return (w.number % 63 + 1) << 24 | (pc / 4 & 0xffffff);
}
uint32_t waveOf(LdsParty party) { return party >> 24 & 63; }
uint32_t pcOf(LdsParty party) { return (party & 0xffffff) * 4; }

/// Of reads and atomic operations.
LdsParty kindOf(Access access) { return access == Access::Read ? kRead : kAtomic; }

/// The first of another wave, and of some kinds, among those of some bytes: 0 if there is none.
LdsParty other(const LdsParty (&parties)[4], LdsParty mine, uint32_t bytes, LdsParty kinds) {
  for (unsigned i = 0; i < 4; ++i)
    if ((bytes >> i & 1) && parties[i] && waveOf(parties[i]) != waveOf(mine) &&
        (!kinds || parties[i] & kinds))
      return parties[i];
  return 0;
}

/// What a cell says of generation `mark`, cleared when it was about another one.
template <class Half> Half &prepare(Half &half, uint32_t mark) {
  if (generationOf(half.mark) != generationOf(mark))
    half = {};
  half.mark = mark | (half.mark & kEarly);
  return half;
}

void noteWrite(LdsCell &cell, uint32_t mark, LdsParty mine, uint32_t bytes) {
  LdsCell::Writer &writer = prepare(cell.writer, mark);
  for (unsigned i = 0; i < 4; ++i)
    if (bytes >> i & 1)
      writer.last[i] = mine;
}

void noteRead(LdsCell &cell, uint32_t mark, LdsParty mine, uint32_t bytes) {
  LdsCell::Reader &reader = prepare(cell.reader, mark);
  for (unsigned i = 0; i < 4; ++i)
    if (bytes >> i & 1) {
      LdsParty &first = reader.first[i];
      LdsParty &place = first && waveOf(first) != waveOf(mine) ? reader.second[i] : first;
      place = mine | (waveOf(place) == waveOf(mine) ? place & kKinds : 0);
    }
}

void reportRace(Wave &w, const MicroOp &op, uint32_t mark, LdsParty earlier, uint64_t at,
                Access access, const char *did) {
  static const char *const does[] = {"reads", "writes", "changes"};
  std::string line;
  if (w.launch->lines) {
    SourceLine source = w.launch->lines->find(pcOf(earlier));
    if (source.line)
      line = " (" + source.text() + ")";
  }
  reportFinding(w, op, "lds-race",
                placeText(w, -1) +
                    formatString(" %s LDS byte %llu, which wave %u %s at 0x%x",
                                 does[unsigned(access)], static_cast<unsigned long long>(at),
                                 waveOf(earlier) - 1, did, pcOf(earlier)) +
                    line +
                    (mark & kLate ? ", without waiting for it before the barrier between them"
                                  : ", without a barrier between them"));
}

/// A load into the bytes that the wave itself has under way.
void checkOwnLoads(Wave &w, const MicroOp &op, const LdsCell &cell, uint64_t at, uint32_t bytes,
                   bool write) {
  for (const WaveChecks::LdsAccess &load : w.checks->ldsWrites) {
    if (load.counter != WaitCounter::Vector || !load.holds(at) || load.isDone(*w.checks))
      continue;
    const LdsParty mine = makeParty(w, load.pc);
    bool loaded = false;
    for (unsigned i = 0; i < 4; ++i)
      loaded |= (bytes >> i & 1) && cell.writer.last[i] == mine;
    if (!loaded)
      continue;
    SourceLine line = w.launch->lines ? w.launch->lines->find(load.pc) : SourceLine();
    return reportFinding(
        w, op, "missing-wait",
        formatString("%s LDS byte %llu before the vector memory counter has been waited for: it is "
                     "loaded at 0x%x",
                     write ? "overwrites" : "reads", static_cast<unsigned long long>(at), load.pc) +
            (line.line ? " (" + line.text() + ")" : std::string()));
  }
}

/// Compilers make an atomic operation that the chip lacks of a load and instructions that compare
/// and swap: in such code, reads and atomic operations do not race.
bool comparesAndSwaps(const Wave &w) { return w.program->swaps; }

void checkCell(Wave &w, const MicroOp &op, const LdsCell &cell, uint32_t mark, LdsParty mine,
               uint64_t at, uint32_t bytes, Access access) {
  if (meet(cell.writer.mark, mark))
    if (LdsParty earlier = other(cell.writer.last, mine, bytes, 0))
      reportRace(w, op, cell.writer.mark, earlier, at, access, "wrote");
  if (!meet(cell.reader.mark, mark) || (access != Access::Write && comparesAndSwaps(w)))
    return;
  const LdsParty kinds = access == Access::Write  ? kKinds
                         : access == Access::Read ? kAtomic
                                                  : kRead;
  LdsParty earlier = other(cell.reader.first, mine, bytes, kinds);
  if (!earlier)
    earlier = other(cell.reader.second, mine, bytes, kinds);
  if (earlier)
    reportRace(w, op, cell.reader.mark, earlier, at, access,
               earlier & kinds & kRead ? "read" : "changed");
}

/// What waves have done ahead of others; none when all have come by.
LdsCell *findAhead(GroupChecks &checks, uint64_t generation, uint32_t number) {
  // Waves are one barrier apart at most.
  return generation <= checks.aheadUntil && !checks.ahead.empty() ? &checks.ahead[number] : nullptr;
}

LdsCell &makeAhead(GroupChecks &checks, uint64_t generation, uint32_t number) {
  checks.aheadUntil = std::max(checks.aheadUntil, generation);
  if (checks.ahead.empty())
    checks.ahead.resize(checks.lds.size());
  return checks.ahead[number];
}

void accessCell(Wave &w, const MicroOp &op, GroupChecks &checks, uint64_t at, uint32_t bytes,
                Access access) {
  LdsCell *cell = &checks.lds[at / 4];
  // Loads into LDS come back in order.
  if (!w.checks->ldsWrites.empty() && access != Access::Atomic && !(op.flags & OpToLds))
    checkOwnLoads(w, op, *cell, at, bytes, access == Access::Write);
  const uint64_t generation = passed(w) + w.barrierSignaled;
  const uint32_t mark = makeMark(generation) | (w.barrierSignaled ? kEarly : 0);
  const LdsParty mine = makeParty(w, op.pc);
  checkCell(w, op, *cell, mark, mine, at, bytes, access);
  if (const LdsCell *ahead = findAhead(checks, passed(w), uint32_t(at / 4)))
    checkCell(w, op, *ahead, mark, mine, at, bytes, access);
  if (w.barrierSignaled)
    cell = &makeAhead(checks, generation, uint32_t(at / 4));
  if (access == Access::Write)
    noteWrite(*cell, mark, mine, bytes);
  else
    noteRead(*cell, mark, mine | kindOf(access), bytes);
}

/// Remembers an access until it is waited for.
void addPending(Wave &w, const MicroOp &op, const LaneMemory &memory, unsigned bytes,
                Access access) {
  WaitCounter counter = op.flags & OpToLds ? WaitCounter::Vector : WaitCounter::Lds;
  WaveChecks::LdsAccess all{
      w.checks->issued[unsigned(counter)], op.pc, counter, UINT32_MAX, 0, access};
  forLanes(memory.lanes, [&](unsigned l) {
    const auto at = uint32_t(memory.pointer[l] - w.group->lds.data());
    all.first = std::min(all.first, at), all.last = std::max(all.last, at + bytes - 1);
  });
  if (memory.lanes)
    (access == Access::Write ? w.checks->ldsWrites : w.checks->ldsReads).push_back(all);
}

} // namespace

void checkLds(Wave &w, const MicroOp &op, const LaneMemory &memory, unsigned bytes, Access access) {
  GroupChecks *checks = w.group->checks.get();
  if (!checks)
    return;
  if (memory.outside)
    reportFinding(w, op, "lds-out-of-bounds",
                  placeText(w, __builtin_ctzll(memory.outside)) +
                      formatString(" %s %u bytes outside of the workgroup's %u bytes of LDS",
                                   access == Access::Read ? "reads" : "writes", bytes,
                                   w.group->ldsBytes));
  const bool loads = op.flags & OpToLds;
  const bool alone = w.group->waves.size() < 2;
  // A wave alone meets only its own loads into LDS.
  if (alone && (access == Access::Atomic || (!loads && w.checks->ldsWrites.empty())))
    return;
  if (loads || !alone)
    addPending(w, op, memory, bytes, access);
  const uint8_t *lds = w.group->lds.data();
  forLanes(memory.lanes, [&](unsigned l) {
    uint64_t start = uint64_t(memory.pointer[l] - lds), end = start + bytes;
    for (uint64_t at = start & ~uint64_t(3); at < end; at += 4) {
      uint32_t mask = 15;
      if (at < start)
        mask &= 15u << (start - at);
      if (at + 4 > end)
        mask &= 15u >> (at + 4 - end);
      accessCell(w, op, *checks, at, mask & 15, access);
    }
  });
}

namespace {

/// The bytes of a cell that an instruction of the wave was the last of it to access since a
/// barrier.
uint32_t bytesOf(const LdsCell &cell, uint32_t generation, LdsParty mine, Access access) {
  uint32_t bytes = 0;
  const auto add = [&](const LdsParty(&parties)[4], LdsParty kind) {
    for (unsigned i = 0; i < 4; ++i)
      if ((parties[i] & ~kKinds) == mine && (parties[i] & kind) == kind)
        bytes |= 1u << i;
  };
  if (access == Access::Write) {
    if (generationOf(cell.writer.mark) == generation)
      add(cell.writer.last, 0);
  } else if (generationOf(cell.reader.mark) == generation) {
    add(cell.reader.first, kindOf(access));
    add(cell.reader.second, kindOf(access));
  }
  return bytes;
}

/// An access that may be done behind the barrier: it counts there, too.
void keepLate(Wave &w, GroupChecks &checks, const WaveChecks::LdsAccess &late) {
  const uint64_t next = passed(w) + 1;
  const uint32_t now = generationOf(makeMark(next - 1)), mark = makeMark(next) | kLate;
  const LdsParty mine = makeParty(w, late.pc);
  for (uint32_t i = late.first / 4; i <= late.last / 4; ++i) {
    uint32_t bytes = bytesOf(checks.lds[i], now, mine, late.access);
    if (const LdsCell *ahead = findAhead(checks, next - 1, i))
      bytes |= bytesOf(*ahead, now, mine, late.access);
    if (!bytes)
      continue;
    LdsCell &cell = makeAhead(checks, next, i);
    if (late.access == Access::Write)
      noteWrite(cell, mark, mine, bytes);
    else
      noteRead(cell, mark, mine | kindOf(late.access), bytes);
  }
}

} // namespace

/// What is not done when the wave comes to a barrier may be done behind it: it counts there, too.
void keepLateAccesses(Wave &w) {
  GroupChecks *checks = w.group->checks.get();
  for (auto *accesses : {&w.checks->ldsWrites, &w.checks->ldsReads}) {
    std::erase_if(*accesses, [&](const auto &access) { return access.isDone(*w.checks); });
    if (checks)
      for (const WaveChecks::LdsAccess &access : *accesses)
        keepLate(w, *checks, access);
  }
}

} // namespace tl::emu
