// Loads that transpose: each lane reads its own words, then the lanes of a group exchange elements.
#pragma once

#include "emu/lane_memory.h"

namespace tl::emu {

/// How the lanes of a group exchange. Element e of lane l (within its group) is element l % n of
/// lane (e / run) * run * (group / n) + (l / n) * run + e % run, where n is the elements of a lane.
struct Exchange {
  uint8_t words, bits, group;
  uint8_t run; // how many consecutive elements come from consecutive lanes

  constexpr unsigned elements() const { return 32u * words / bits; }
};

/// memory → registers from line `to` on. What lanes that access nothing would have read is zero.
void loadTransposed(Wave &wave, const LaneMemory &memory, const Exchange &exchange, uint32_t to);

} // namespace tl::emu
