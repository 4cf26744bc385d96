// Values that nothing has written: registers, LDS and scratch that are read before something writes
// them.
//
// Compilers move such values about as they please: whole-wave copies, spills, merges under EXEC,
// padding of structures. So they are followed, a bit for each lane of a vector register and each
// bit of a scalar one, and reported only where they decide something: as an address, in a branch,
// in EXEC, and in memory that others see. A register of a lane is undefined when none of its bits
// was written; what is defined in part counts as defined. Where it is not known exactly what an
// instruction does, its result counts as defined: reports are missed, none is made up.
#pragma once

#include "emu/checks/wave_checks.h"
#include "emu/lane_memory.h"
#include "emu/wave.h"

namespace tl::emu {

/// How an instruction's results depend on undefined sources.
enum class Flow : uint8_t {
  None,           // nothing to follow
  Any,            // undefined where a source is
  AnyLow,         // numbers of 64 bits: the low register decides
  AnyWithBits,    // the last source is a mask with a bit a lane
  And,            // Any, but zero in the other source makes it defined
  Merge,          // undefined where all sources are
  Select,         // v_cndmask_b32
  Compare,        // bits of a mask
  AcrossLanes,    // of the first source
  ReadFirstLane,  // of vectors, into a scalar
  ReadLane,       //
  WriteLane,      //
  Swap,           // of two registers
  SwapLanes,      // of two registers, across lanes
  Matrix,         //
  Relative,       // M0 says which register
  PermuteLds,     // ds_permute_b32 and its like: no memory
  OtherLds,       // no address register
  Bits,           // bit-wise on scalars: `bitwise` says what
  SaveExec,       // the same with EXEC
  ScalarSelect,   // s_cselect
  ScalarMaybe,    // s_cmov
  ScalarCompare,  // result in SCC
  ScalarAny,      //
  ScalarRelative, //
  BranchScc,      //
  BranchVcc,      //
};
enum class Bitwise : uint8_t {
  Copy,
  Not,
  And,
  AndNot1,
  AndNot2,
  Nand,
  Or,
  OrNot1,
  OrNot2,
  Nor,
  Xor,
  Xnor
};

/// Whether an instruction writes a half or a byte of its register; WhereKept: on OpKeepsOther.
enum class Partial : uint8_t { No, WhereKept, Yes };

struct FlowRow {
  Flow flow = Flow::None;
  Bitwise bitwise = Bitwise::Copy;
  Partial partial = Partial::No;
  bool exchanges = false; // an atomic operation whose result does not depend on memory
};
/// Of all rows of the op table.
const FlowRow *flowRows();

/// Sets what is undefined when a wave starts. `scalars`: SGPRs that the dispatcher sets.
void startDefinedness(Wave &wave, uint32_t scalars);
/// Before each instruction of a launch with checks.
void trackDefinedness(Wave &wave, const MicroOp &op);

/// Lanes access LDS or scratch, as `kind` says.
void trackLaneMemory(Wave &wave, const MicroOp &op, uint64_t lanes, uint8_t *const *pointer,
                     unsigned bytes, Access access, Origin::Kind kind);
/// The lanes of each group have exchanged parts of what they have loaded: what is undefined is the
/// groups that have loaded nothing else.
void exchangeUndefined(Wave &wave, const MicroOp &op, unsigned group);
/// Lanes store to global memory, or change it.
void checkStoredData(Wave &wave, const MicroOp &op, uint64_t lanes, unsigned bytes);
/// Something other than registers was stored to LDS.
void markLdsWritten(Wave &wave, uint64_t at, unsigned bytes);

/// Reports a use of a value. `use`: "becomes an address"; `lane` -1: of the whole wave.
void reportUndefined(Wave &wave, const MicroOp &op, Origin origin, int lane, const char *use);

} // namespace tl::emu
