// LDS: accesses outside of it, and races between waves since the last barrier.
#include "emu/checks/checks.h"
#include "support/result.h"

#include <algorithm>

namespace tl::emu {
namespace {

// Marks: generation (of barriers, modulo 2^30), early : 1 (between a barrier's halves: it counts
// before the barrier, too), late : 1 (a write that was not waited for at the barrier before).
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

LdsParty makeParty(const Wave &w, uint32_t pc) {
  return (w.number % 255 + 1) << 24 | (pc / 4 & 0xffffff);
}
uint32_t waveOf(LdsParty party) { return party >> 24; }
uint32_t pcOf(LdsParty party) { return (party & 0xffffff) * 4; }

/// The first of another wave among those of some bytes: 0 if there is none.
LdsParty other(const LdsParty (&parties)[4], LdsParty mine, uint32_t bytes) {
  for (unsigned i = 0; i < 4; ++i)
    if ((bytes >> i & 1) && parties[i] && waveOf(parties[i]) != waveOf(mine))
      return parties[i];
  return 0;
}

void noteWrite(LdsCell &cell, uint32_t mark, LdsParty mine, uint32_t bytes) {
  if (generationOf(cell.writer.mark) != generationOf(mark))
    cell.writer = {};
  cell.writer.mark = mark;
  for (unsigned i = 0; i < 4; ++i)
    if (bytes >> i & 1)
      cell.writer.last[i] = mine;
}

void noteRead(LdsCell &cell, uint32_t mark, LdsParty mine, uint32_t bytes) {
  if (generationOf(cell.reader.mark) != generationOf(mark))
    cell.reader = {};
  cell.reader.mark = mark;
  for (unsigned i = 0; i < 4; ++i)
    if (bytes >> i & 1) {
      LdsParty &first = cell.reader.first[i];
      (first && waveOf(first) != waveOf(mine) ? cell.reader.second[i] : first) = mine;
    }
}

void reportRace(Wave &w, const MicroOp &op, uint32_t mark, LdsParty earlier, uint64_t at,
                bool write, bool earlierWrote) {
  std::string line;
  if (w.launch->lines) {
    SourceLine source = w.launch->lines->find(pcOf(earlier));
    if (source.line)
      line = " (" + source.text() + ")";
  }
  reportFinding(w, op, "lds-race",
                placeText(w, -1) +
                    formatString(" %s LDS byte %llu, which wave %u %s at 0x%x",
                                 write ? "writes" : "reads", static_cast<unsigned long long>(at),
                                 waveOf(earlier) - 1, earlierWrote ? "wrote" : "read",
                                 pcOf(earlier)) +
                    line +
                    (mark & kLate ? ", without waiting for it before the barrier between them"
                                  : ", without a barrier between them"));
}

/// A load into the bytes that the wave itself has under way.
void checkOwnLoads(Wave &w, const MicroOp &op, const LdsCell &cell, uint64_t at, uint32_t bytes,
                   bool write) {
  for (const WaveChecks::LdsWrite &load : w.checks->ldsWrites) {
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

void accessCell(Wave &w, const MicroOp &op, LdsCell &cell, uint64_t at, uint32_t bytes,
                bool write) {
  // Loads into LDS come back in order.
  if (!w.checks->ldsWrites.empty() && !(op.flags & OpToLds))
    checkOwnLoads(w, op, cell, at, bytes, write);
  const uint32_t mark = w.barrierSignaled ? makeMark(passed(w) + 1) | kEarly : makeMark(passed(w));
  const LdsParty mine = makeParty(w, op.pc);
  if (meet(cell.writer.mark, mark))
    if (LdsParty earlier = other(cell.writer.last, mine, bytes))
      reportRace(w, op, cell.writer.mark, earlier, at, write, true);
  if (!write)
    return noteRead(cell, mark, mine, bytes);
  if (meet(cell.reader.mark, mark)) {
    LdsParty earlier = other(cell.reader.first, mine, bytes);
    if (!earlier)
      earlier = other(cell.reader.second, mine, bytes);
    if (earlier)
      reportRace(w, op, cell.reader.mark, earlier, at, write, false);
  }
  noteWrite(cell, mark, mine, bytes);
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
  const uint32_t now = generationOf(makeMark(passed(w)));
  for (const WaveChecks::LdsWrite &write : writes) {
    const LdsParty mine = makeParty(w, write.pc);
    for (uint32_t i = write.first / 4; i <= write.last / 4; ++i) {
      auto &writer = checks->lds[i].writer;
      if (generationOf(writer.mark) != now ||
          std::find(std::begin(writer.last), std::end(writer.last), mine) == std::end(writer.last))
        continue;
      // What other waves wrote beside it is behind the barrier.
      for (LdsParty &party : writer.last)
        party = party == mine ? mine : 0;
      writer.mark = makeMark(passed(w) + 1) | kLate;
    }
  }
}

} // namespace tl::emu
