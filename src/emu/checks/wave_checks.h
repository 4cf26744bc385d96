// What checked launches remember of a wave and of a workgroup.
#pragma once

#include "emu/checks/race_cell.h"
#include "emu/micro_op.h"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace tl::emu {

/// The counters of s_waitcnt. Before gfx12 LDS and scalar memory share one.
enum class WaitCounter : uint8_t { Vector, Lds, Scalar, Store, Count };

/// What of a value was never written, and which instruction read it from memory.
struct Origin {
  enum Kind : uint8_t { Register, Lds, Scratch };
  uint32_t pc : 29 = 0; // / 4; of the instruction that read it; 0: it comes from a register
  uint32_t kind : 2 = Register;
  uint32_t copied : 1 = 0; // it was read where such a value had been stored
};

struct FlowRow;

/// Which register contents were never written (checks/definedness.h).
struct Definedness {
  std::vector<uint64_t> lines;        // of the vector file and its spare lines: a bit a lane
  std::vector<Origin> origins;        // of lines with such bits
  uint32_t scalars[ScalarSlots] = {}; // bit by bit, since they are masks of lanes
  Origin scalarOrigins[ScalarSlots] = {};
  bool scc = false;
  Origin sccOrigin;
  const FlowRow *flows = nullptr; // of the op table's rows
  // Of the memory instruction that runs: its data operands' words, its accesses so far.
  static constexpr unsigned kWords = 4;
  uint64_t data[2][kWords] = {};
  Origin dataOrigins[2][kWords];
  unsigned accesses = 0;
  std::unordered_map<uint32_t, Origin> copies; // of what scratch holds, by a lane's word
  uint8_t *scratch = nullptr; // a byte of ShadowBits for each byte of the wave's scratch
};

/// Registers that memory instructions have not delivered yet. Execution is eager: this only finds
/// out what would have gone wrong.
struct WaveChecks {
  struct Pending {
    uint32_t vector = 0, lds = 0; // numbers of the instruction that writes it, by counter
    uint32_t pc = 0;              // of that instruction
  };
  std::vector<Pending> lines; // of the vector file
  uint32_t scalar[ScalarSlots] = {}, scalarPc[ScalarSlots] = {};
  struct LdsAccess {
    uint32_t number; // by its counter
    uint32_t pc;
    WaitCounter counter;  // Vector: a load into LDS
    uint32_t first, last; // bytes
    Access access;
    bool holds(uint64_t at) const { return at + 4 > first && at <= last; }
    bool isDone(const WaveChecks &checks) const { return number <= checks.done[unsigned(counter)]; }
  };
  std::vector<LdsAccess> ldsWrites, ldsReads; // (atomic ones, too) that may not be waited for yet
  uint32_t signalPc = 0;                      // where it last came to a barrier
  Definedness definedness;
  uint32_t issued[unsigned(WaitCounter::Count)] = {}, done[unsigned(WaitCounter::Count)] = {};
};

/// A wave, and the instruction with which it accessed a byte of LDS; 0: none did. How it is put
/// together: lds_checks.cc.
using LdsParty = uint32_t;

/// Who wrote, or read, four bytes of LDS since the last barrier, byte by byte: waves may work on
/// neighbours. `mark` says since when (lds_checks.cc).
struct LdsCell {
  struct Writer {
    uint32_t mark = 0;
    LdsParty last[4] = {};
  } writer;
  struct Reader { // or atomic operation
    uint32_t mark = 0;
    LdsParty first[4] = {}, second[4] = {}; // two different waves
  } reader;
};

struct GroupChecks {
  std::vector<LdsCell> lds;
  // Of what counts after a barrier though other waves are before it: what is done between a
  // barrier's halves, or was not waited for. Empty as long as there is none; up to which
  // generation.
  std::vector<LdsCell> ahead;
  uint64_t aheadUntil = 0;
  std::vector<uint8_t> ldsShadow, scratchShadow;  // ShadowBits of each byte
  std::unordered_map<uint32_t, Origin> ldsCopies; // of undefined values, by word
  uint32_t barrierPc = 0;                         // of the first wave that came to this barrier
  Acquired acquired;
};

} // namespace tl::emu
