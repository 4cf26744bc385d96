// What checked launches do besides executing: the places where it is called from.
#pragma once

#include "emu/checks/wave_checks.h"
#include "emu/lane_memory.h"
#include "emu/line_table.h"
#include "emu/memory.h"
#include "emu/workgroup.h"

namespace tl::emu {

/// Before each instruction of a launch with checks.
void checkHazards(Wave &wave, const MicroOp &op);
/// A wave has come to a barrier.
void checkBarrier(Wave &wave, const MicroOp &op);
/// The halves of a split barrier, and the wave's end.
void checkSignal(Wave &wave, const MicroOp &op);
void checkWait(Wave &wave, const MicroOp &op);
void checkEnd(Wave &wave, const MicroOp &op);
/// Global memory is accessed: by `lane` and, when there are more than `laneBytes`, by those that
/// follow it. `lane` is -1 for scalar reads.
void checkGlobal(Wave &wave, const MicroOp &op, const MemoryBlock &block, uint64_t address,
                 unsigned bytes, Access access, int lane, unsigned laneBytes);
/// An access outside of live memory: perhaps only because nothing orders the memory's release.
void checkReleased(Wave &wave, const MicroOp &op, uint64_t address, bool write);
/// A wave has come to a barrier: its accesses to LDS that it has not waited for.
void keepLateAccesses(Wave &wave);
/// Lanes access LDS.
void checkLds(Wave &wave, const MicroOp &op, const LaneMemory &memory, unsigned bytes,
              Access access);

/// Adds a finding at an instruction; its place goes in front of the message.
void reportFinding(Wave &wave, const MicroOp &op, const char *kind, const std::string &what);
/// "workgroup (0, 1, 0), wave 2, lane 5"
std::string placeText(const Wave &wave, int lane);

} // namespace tl::emu
