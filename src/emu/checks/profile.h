// Counts of a launch by instruction: executions, cache lines touched, LDS bank conflicts.
#pragma once

#include "emu/lane_memory.h"
#include "emu/line_table.h"

#include <map>
#include <string>
#include <vector>

namespace tl::emu {

struct OpProfile {
  uint64_t executions = 0;              // by waves
  uint64_t lanes = 0, bytes = 0;        // of memory
  uint64_t lines = 0, idealLines = 0;   // cache lines, and as few as could hold the bytes
  uint64_t passes = 0, idealPasses = 0; // through the banks of LDS

  void add(const OpProfile &other);
};

/// One worker's counts, by index of micro-op.
struct Profile {
  std::vector<OpProfile> ops;
};

/// What a report shows of an instruction.
struct ProfileLine {
  int32_t device = -1;
  std::string kernel, mnemonic;
  SourceLine source;
  uint32_t pc = 0;
  OpProfile counts;
};

void profileGlobal(Wave &wave, const MicroOp &op, const uint64_t *address, uint64_t lanes,
                   unsigned bytes);
void profileLds(Wave &wave, const MicroOp &op, const LaneMemory &memory, unsigned bytes);

} // namespace tl::emu
