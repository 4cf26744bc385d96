#include "emu/checks/profile.h"

#include "emu/chips.h"
#include "emu/decode.h"
#include "emu/workgroup.h"

#include <algorithm>

namespace tl::emu {
namespace {

OpProfile &countsOf(Wave &w, const MicroOp &op) {
  uint32_t index = w.program->find(op.pc);
  return w.worker->profile->ops[index == kNoInstruction ? 0 : index];
}

} // namespace

void OpProfile::add(const OpProfile &other) {
  executions += other.executions;
  lanes += other.lanes;
  bytes += other.bytes;
  lines += other.lines;
  idealLines += other.idealLines;
  passes += other.passes;
  idealPasses += other.idealPasses;
}

void profileGlobal(Wave &w, const MicroOp &op, const uint64_t *address, uint64_t lanes,
                   unsigned bytes) {
  OpProfile &counts = countsOf(w, op);
  const uint64_t line = w.launch->chip->info.cacheLineBytes;
  uint64_t touched[2 * kLineLanes], places[kLineLanes];
  unsigned lineCount = 0, placeCount = 0;
  forLanes(lanes, [&](unsigned l) {
    places[placeCount++] = address[l];
    touched[lineCount++] = address[l] / line;
    if ((address[l] + bytes - 1) / line != address[l] / line)
      touched[lineCount++] = (address[l] + bytes - 1) / line;
  });
  counts.lanes += placeCount;
  counts.bytes += uint64_t(placeCount) * bytes;
  std::sort(touched, touched + lineCount);
  counts.lines += uint64_t(std::unique(touched, touched + lineCount) - touched);
  // Lanes that read the same place need it once.
  std::sort(places, places + placeCount);
  uint64_t distinct = uint64_t(std::unique(places, places + placeCount) - places);
  counts.idealLines += (distinct * bytes + line - 1) / line;
}

// A model: as many lanes at once as have 128 bytes between them, in order; each bank gives one word
// of four bytes a pass, to all lanes that want the same.
void profileLds(Wave &w, const MicroOp &op, const LaneMemory &memory, unsigned bytes) {
  OpProfile &counts = countsOf(w, op);
  const uint32_t banks = w.launch->chip->info.ldsBanks;
  const unsigned words = std::max(bytes / 4, 1u), together = std::max(32 / words, 1u);
  const uint8_t *lds = w.group->lds.data();
  for (unsigned first = 0; first < w.lanes; first += together) {
    uint32_t wanted[kLineLanes * 4];
    unsigned count = 0;
    for (unsigned l = first; l < first + together && l < w.lanes; ++l)
      for (unsigned i = 0; memory.lanes >> l & 1 && i < words; ++i)
        wanted[count++] = uint32_t(memory.pointer[l] - lds) / 4 + i;
    if (!count)
      continue;
    std::sort(wanted, wanted + count);
    count = unsigned(std::unique(wanted, wanted + count) - wanted);
    uint32_t perBank[64] = {}, most = 0;
    for (unsigned i = 0; i < count; ++i)
      most = std::max(most, ++perBank[wanted[i] % banks]);
    counts.passes += most;
    counts.idealPasses += (count + banks - 1) / banks;
  }
  counts.lanes += uint64_t(__builtin_popcountll(memory.lanes));
  counts.bytes += uint64_t(__builtin_popcountll(memory.lanes)) * bytes;
}

} // namespace tl::emu
