// The rows of ops.def with rules Elementwise, Compare, Classify, Select, Cast and Bitcast, on whole
// tiles.
#pragma once

#include "graph/opcode.h"
#include "interp/tile_value.h"

#include <span>

namespace tl::interp {

/// How doubts are kept, and what they came to.
struct Tracking {
  bool on = true;       // else no doubts are made
  bool contract = true; // a product may stay unrounded where it is added
  uint64_t undecidedDecisions =
      0; // comparisons, roundings and casts to integers inside an error bound
};

using Operands = std::span<const TileValue *const>;

/// The rows with rule Elementwise; `out` has its type already. `fast`: another implementation may
/// take the fast form (we do not).
void elementwise(Opcode opcode, TileValue &out, Operands operands, Tracking &tracking,
                 bool fast = false);
void compare(Pred pred, TileValue &out, const TileValue &a, const TileValue &b, Tracking &tracking);
void select(TileValue &out, const TileValue &condition, const TileValue &a, const TileValue &b);
/// isnan, isinf, isfinite.
void classify(Opcode opcode, TileValue &out, const TileValue &a);
void bitcast(TileValue &out, const TileValue &a, Tracking &tracking);
/// The mode counts where both are floats.
void cast(TileValue &out, const TileValue &a, const CastMode &mode, Tracking &tracking);

/// Our own result of a float operation, rounded once to `type`.
double evaluateFloat(Opcode opcode, DType type, double a, double b, double c);
/// The truth of a comparison of floats.
bool compareFloats(Pred pred, double a, double b);

} // namespace tl::interp
