// What checked launches remember of a wave and of a workgroup.
#pragma once

#include "emu/micro_op.h"

#include <cstdint>
#include <vector>

namespace tl::emu {

/// The counters of s_waitcnt. Before gfx12 LDS and scalar memory share one.
enum class WaitCounter : uint8_t { Vector, Lds, Scalar, Store, Count };

/// Registers that memory instructions have not delivered yet. Execution is eager: this only finds
/// out what would have gone wrong.
struct WaveChecks {
  struct Pending {
    uint32_t vector = 0, lds = 0; // numbers of the instruction that writes it, by counter
    uint32_t pc = 0;              // of that instruction
  };
  std::vector<Pending> lines; // of the vector file
  uint32_t scalar[ScalarSlots] = {}, scalarPc[ScalarSlots] = {};
  uint32_t issued[unsigned(WaitCounter::Count)] = {}, done[unsigned(WaitCounter::Count)] = {};
};

/// Who read, or wrote, four bytes of LDS since the last barrier: when and where last, and which
/// wave each byte. Bytes are told apart: waves may work on neighbours.
struct LdsAccess {
  uint64_t mark = 0;
  uint8_t waves[4] = {};
};
struct LdsCell {
  LdsAccess writer, reader;
};

struct GroupChecks {
  std::vector<LdsCell> lds;
  uint32_t barrierPc = 0;    // of the first wave that came to this barrier
  bool synchronized = false; // has acquired what other workgroups released
};

} // namespace tl::emu
