// Angles reduced to a quarter turn.
#pragma once

#include "codegen/llvm/math/reduction.h"

namespace tl::math {

/// magnitude = quadrant * pi / 2 + r, but for whole turns, with |r| at most a little above pi / 4
/// and wrong by a few 2^-30 (double: 2^-60) of itself, for every finite magnitude >= 0. Garbage but
/// no undefined behaviour for infinity and NaN.
struct Angle {
  Pair r;
  Value *quadrant; // an integer of which the last two bits count
};
Angle reduceAngle(Real &real, Value *magnitude);

} // namespace tl::math
