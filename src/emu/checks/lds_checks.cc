// LDS: accesses outside of it, and races between waves since the last barrier.
#include "emu/checks/checks.h"
#include "support/result.h"

namespace tl::emu {
namespace {

constexpr uint64_t kSeveral = 255;

uint64_t makeMark(const Wave &w, const MicroOp &op, uint32_t bytes) {
  uint64_t generation = (w.group->generation + 1) & 0xffffff;
  return generation << 40 | uint64_t(w.number % 254 + 1) << 32 |
         uint64_t(op.pc / 4 & 0xfffffff) << 4 | bytes;
}
uint64_t generationOf(uint64_t mark) { return mark >> 40; }
uint64_t waveOf(uint64_t mark) { return mark >> 32 & 0xff; }
uint32_t pcOf(uint64_t mark) { return (uint32_t(mark >> 4) & 0xfffffff) * 4; }

bool conflicts(uint64_t earlier, uint64_t mine) {
  return generationOf(earlier) == generationOf(mine) && waveOf(earlier) != waveOf(mine) &&
         (earlier & mine & 15);
}

void reportRace(Wave &w, const MicroOp &op, uint64_t earlier, uint64_t at, bool write,
                bool earlierWrote) {
  std::string line;
  if (w.launch->lines) {
    SourceLine source = w.launch->lines->find(pcOf(earlier));
    if (source.line)
      line = " (" + source.text() + ")";
  }
  std::string who = waveOf(earlier) == kSeveral
                        ? "other waves"
                        : formatString("wave %u", unsigned(waveOf(earlier) - 1));
  reportFinding(w, op, "lds-race",
                placeText(w, -1) +
                    formatString(" %s LDS byte %llu, which ", write ? "writes" : "reads",
                                 static_cast<unsigned long long>(at)) +
                    who +
                    formatString(" %s at 0x%x", earlierWrote ? "wrote" : "read", pcOf(earlier)) +
                    line + ", without a barrier between them");
}

void accessCell(Wave &w, const MicroOp &op, LdsCell &cell, uint64_t at, uint32_t bytes,
                bool write) {
  const uint64_t mine = makeMark(w, op, bytes);
  if (conflicts(cell.writer, mine))
    reportRace(w, op, cell.writer, at, write, true);
  if (write) {
    if (conflicts(cell.reader, mine))
      reportRace(w, op, cell.reader, at, write, false);
    cell.writer = mine;
  } else if (generationOf(cell.reader) == generationOf(mine)) {
    uint64_t all = mine | (cell.reader & 15);
    cell.reader = waveOf(cell.reader) == waveOf(mine) ? all : all | kSeveral << 32;
  } else {
    cell.reader = mine;
  }
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
  // Atomic operations may meet.
  if (access == Access::Atomic || w.group->waves.size() < 2)
    return;
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

} // namespace tl::emu
