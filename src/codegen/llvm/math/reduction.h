// Argument reductions that several functions share.
#pragma once

#include "codegen/llvm/math/real.h"

namespace tl::math {

/// x = n * ln2 + r with |r| <= ln2 / 2, and r = high + low exactly but for the last rounding of
/// low.
struct ExpReduction {
  Value *integer; // n
  Value *real;    // n
  Value *high, *low;
};
ExpReduction reduceForExp(Real &real, Value *x);

/// (e^r - 1 - r) / r^2 for a reduced argument.
Value *expTail(Real &real, Value *r);

/// e^(high + low) - 1 for a reduced argument, as sum + rest with |rest| below an ulp of sum.
struct Pair {
  Value *sum, *rest;
};
Pair reducedExpm1(Real &real, Value *high, Value *low);

/// x = 2^e * (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)), for positive finite x; garbage but no
/// undefined behaviour for others. log(1 + f) = sum + rest with rest small against sum.
struct LogReduction {
  Value *exponent; // e, as a real
  Pair log1p;
};
LogReduction reduceForLog(Real &real, Value *x);

} // namespace tl::math
