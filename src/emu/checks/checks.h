// What checked launches do besides executing: the places where it is called from.
#pragma once

#include "emu/lane_memory.h"
#include "emu/workgroup.h"

namespace tl::emu {

/// Before each instruction.
void checkInstruction(Wave &wave, const MicroOp &op);
/// All waves have met at a barrier.
void checkBarrierPassed(Workgroup &group);
/// Device memory is read; `lane` is -1 for scalar reads.
void checkGlobalRead(Wave &wave, const MicroOp &op, const uint8_t *shadow, uint64_t address,
                     unsigned bytes, int lane);
/// Lanes access LDS.
void checkLds(Wave &wave, const MicroOp &op, const LaneMemory &memory, unsigned bytes,
              Access access);

} // namespace tl::emu
