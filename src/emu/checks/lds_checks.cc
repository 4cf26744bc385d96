// LDS: accesses outside of it, and races between waves since the last barrier.
#include "emu/checks/checks.h"
#include "support/result.h"

#include <algorithm>

namespace tl::emu {
namespace {

// Marks: generation : 24 (of barriers), late : 1 (a write that was not waited for at the barrier
// before), early : 1 (between a barrier's halves: it counts before the barrier, too), address of
// the instruction / 4 : 38. Waves of a byte: 0 none, number % 254 + 1, or kSeveral.
constexpr uint8_t kSeveral = 255;
constexpr uint64_t kLate = uint64_t(1) << 39, kEarly = kLate >> 1, kPcMask = kEarly - 1;

uint64_t makeMark(uint64_t generation, uint64_t pc) {
  return ((generation + 1) & 0xffffff) << 40 | (pc / 4 & kPcMask);
}
uint64_t generationOf(uint64_t mark) { return mark >> 40; }
/// The first generation that it belongs to.
uint64_t firstOf(uint64_t mark) { return generationOf(mark) - (mark & kEarly ? 1 : 0); }
/// Barriers that the wave has waited for.
uint64_t passed(const Wave &w) { return w.group->generation - w.barrierComplete; }
uint32_t pcOf(uint64_t mark) { return uint32_t(mark & kPcMask) * 4; }
uint8_t waveId(const Wave &w) { return uint8_t(w.number % 254 + 1); }

/// Another wave's access to one of the bytes since the last barrier: that wave, 0 if there is none.
uint8_t otherWave(const LdsAccess &earlier, uint64_t mine, uint8_t self, uint32_t bytes) {
  if (generationOf(earlier.mark) < firstOf(mine) || generationOf(mine) < firstOf(earlier.mark))
    return 0;
  for (unsigned i = 0; i < 4; ++i)
    if ((bytes >> i & 1) && earlier.waves[i] && earlier.waves[i] != self)
      return earlier.waves[i];
  return 0;
}

/// `several`: whether others' accesses to the bytes still count beside this one.
void note(LdsAccess &access, uint64_t mine, uint8_t self, uint32_t bytes, bool several) {
  if (generationOf(access.mark) != generationOf(mine))
    access = {};
  access.mark = mine;
  for (unsigned i = 0; i < 4; ++i)
    if (bytes >> i & 1)
      access.waves[i] = several && access.waves[i] && access.waves[i] != self ? kSeveral : self;
}

void reportRace(Wave &w, const MicroOp &op, uint64_t earlier, uint8_t wave, uint64_t at, bool write,
                bool earlierWrote) {
  std::string line;
  if (w.launch->lines) {
    SourceLine source = w.launch->lines->find(pcOf(earlier));
    if (source.line)
      line = " (" + source.text() + ")";
  }
  std::string who = wave == kSeveral ? "other waves" : formatString("wave %u", unsigned(wave - 1));
  reportFinding(
      w, op, "lds-race",
      placeText(w, -1) +
          formatString(" %s LDS byte %llu, which ", write ? "writes" : "reads",
                       static_cast<unsigned long long>(at)) +
          who + formatString(" %s at 0x%x", earlierWrote ? "wrote" : "read", pcOf(earlier)) + line +
          (earlier & kLate ? ", without waiting for it before the barrier between them"
                           : ", without a barrier between them"));
}

/// A load into the bytes that the wave itself has under way.
void checkOwnLoads(Wave &w, const MicroOp &op, const LdsCell &cell, uint64_t at, uint32_t bytes,
                   bool write) {
  const uint8_t self = waveId(w);
  bool mine = false;
  for (unsigned i = 0; i < 4; ++i)
    mine |= (bytes >> i & 1) && cell.writer.waves[i] == self;
  const uint32_t pc = pcOf(cell.writer.mark);
  for (const WaveChecks::LdsWrite &load : w.checks->ldsWrites) {
    if (!mine || load.counter != WaitCounter::Vector || load.pc != pc || !load.holds(at) ||
        load.isDone(*w.checks))
      continue;
    SourceLine line = w.launch->lines ? w.launch->lines->find(pc) : SourceLine();
    return reportFinding(
        w, op, "missing-wait",
        formatString("%s LDS byte %llu before the vector memory counter has been waited for: it is "
                     "loaded at 0x%x",
                     write ? "overwrites" : "reads", static_cast<unsigned long long>(at), pc) +
            (line.line ? " (" + line.text() + ")" : std::string()));
  }
}

void accessCell(Wave &w, const MicroOp &op, LdsCell &cell, uint64_t at, uint32_t bytes,
                bool write) {
  // Loads into LDS come back in order.
  if (!w.checks->ldsWrites.empty() && !(op.flags & OpToLds))
    checkOwnLoads(w, op, cell, at, bytes, write);
  const uint64_t mine =
      w.barrierSignaled ? makeMark(passed(w) + 1, op.pc) | kEarly : makeMark(passed(w), op.pc);
  const uint8_t self = waveId(w);
  if (uint8_t wave = otherWave(cell.writer, mine, self, bytes))
    reportRace(w, op, cell.writer.mark, wave, at, write, true);
  if (write)
    if (uint8_t wave = otherWave(cell.reader, mine, self, bytes))
      reportRace(w, op, cell.reader.mark, wave, at, write, false);
  note(write ? cell.writer : cell.reader, mine, self, bytes, !write);
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
  std::vector<WaveChecks::LdsWrite> &writes = w.checks->ldsWrites;
  const bool loads = op.flags & OpToLds;
  const bool alone = w.group->waves.size() < 2;
  // Atomic operations may meet. A wave alone meets only its own loads into LDS.
  if (access == Access::Atomic || (alone && !loads && writes.empty()))
    return;
  if (access == Access::Write && (loads || !alone)) {
    const WaitCounter counter = loads ? WaitCounter::Vector : WaitCounter::Lds;
    WaveChecks::LdsWrite all{w.checks->issued[unsigned(counter)], op.pc, counter, UINT32_MAX, 0};
    forLanes(memory.lanes, [&](unsigned l) {
      const auto at = uint32_t(memory.pointer[l] - w.group->lds.data());
      all.first = std::min(all.first, at), all.last = std::max(all.last, at + bytes - 1);
    });
    if (memory.lanes)
      writes.push_back(all);
  }
  const uint8_t *lds = w.group->lds.data();
  forLanes(memory.lanes, [&](unsigned l) {
    uint64_t start = uint64_t(memory.pointer[l] - lds), end = start + bytes;
    for (uint64_t at = start & ~uint64_t(3); at < end; at += 4) {
      uint32_t mask = 15;
      if (at < start)
        mask &= 15u << (start - at);
      if (at + 4 > end)
        mask &= 15u >> (at + 4 - end);
      accessCell(w, op, checks->lds[at / 4], at, mask & 15, access == Access::Write);
    }
  });
}

/// What is not done when the wave comes to a barrier may be done behind it: it counts there, too.
void keepLateWrites(Wave &w) {
  GroupChecks *checks = w.group->checks.get();
  std::vector<WaveChecks::LdsWrite> &writes = w.checks->ldsWrites;
  std::erase_if(writes, [&](const WaveChecks::LdsWrite &write) { return write.isDone(*w.checks); });
  if (!checks || writes.empty())
    return;
  const uint64_t now = generationOf(makeMark(passed(w), 0));
  const uint8_t self = waveId(w);
  for (const WaveChecks::LdsWrite &write : writes)
    for (uint32_t i = write.first / 4; i <= write.last / 4; ++i) {
      LdsCell &cell = checks->lds[i];
      const uint64_t mark = cell.writer.mark;
      if (generationOf(mark) == now && write.pc == pcOf(mark) &&
          std::find(std::begin(cell.writer.waves), std::end(cell.writer.waves), self) !=
              std::end(cell.writer.waves))
        cell.writer.mark = makeMark(passed(w) + 1, pcOf(mark)) | kLate;
    }
}

} // namespace tl::emu
