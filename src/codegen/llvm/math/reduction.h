// Argument reductions that several functions share.
#pragma once

#include "codegen/llvm/math/real.h"

namespace tl::math {

/// The number sum + rest, with |rest| below an ulp of sum.
struct Pair {
  Value *sum, *rest;
};

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

/// e^(high + low) - 1 for a reduced argument.
Pair reducedExpm1(Real &real, Value *high, Value *low);

/// x = 2^e * (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)), for positive finite x; garbage but no
/// undefined behaviour for others.
struct LogReduction {
  Value *exponent; // e, as a real
  Value *f;
};
LogReduction reduceForLog(Real &real, Value *x);

/// log(1 + f) for a reduced argument, as sum + rest with rest small against sum.
Pair reducedLog1p(Real &real, Value *f);

/// large + small + rest, where |large| >= |small| or large = 0.
Value *sumOfParts(Real &real, Value *large, Value *small, Value *rest);

/// (a.sum + a.rest) / (b.sum + b.rest), rounded to a number with little more than half an ulp of
/// error, by one division whose remainder corrects it. Neither 0 nor infinite.
Value *quotient(Real &real, Pair a, Pair b);

} // namespace tl::math
