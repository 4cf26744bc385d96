#include "codegen/llvm/math/math.h"
#include "codegen/llvm/math/polynomials.h"
#include "codegen/llvm/math/reduction.h"

namespace tl::math {

// e^x = 2^n * e^r. The bounds lie outside the range where the result is a finite, non-zero number.
// 1 + r is kept with its rounding error, which leaves room for that of r.
Value *emitExp(llvm::IRBuilderBase &builder, Value *x) {
  Real real(builder, x->getType());
  x = real.clamp(x, real.pick(-104.0, -746.0), real.pick(89.0, 710.0));
  ExpReduction reduced = reduceForExp(real, x);
  Value *r = reduced.high, *one = real.constant(1);
  Value *head = real.add(one, r);
  Value *headRest = real.add(real.sub(one, head), r);
  Value *tail = real.fma(real.mul(r, r), expTail(real, r), headRest);
  return real.scale(real.add(head, tail), reduced.integer);
}

// 2^x = 2^n * 2^r with n = x rounded to an integer; r = x - n is exact.
Value *emitExp2(llvm::IRBuilderBase &builder, Value *x) {
  Real real(builder, x->getType());
  x = real.clamp(x, real.pick(-151.0, -1076.0), real.pick(128.0, 1024.0));
  auto n = real.roundToInteger(x, real.constant(1));
  Value *r = real.sub(x, n.real);
  auto ln2 = real.pick(ln2Float, ln2Double);
  Value *tail =
      real.isDouble() ? real.polynomial(r, exp2TailDouble) : real.polynomial(r, exp2TailFloat);
  Value *rest = real.mul(r, real.fma(r, tail, real.constant(ln2[1])));
  Value *expm1 = real.fma(r, real.constant(ln2[0]), rest);
  return real.scale(real.add(real.constant(1), expm1), n.integer);
}

// e^x - 1 = 2 * ((h - 1/2) + h * (e^r - 1)) with h = 2^(n - 1), which does not overflow before the
// result does.
Value *emitExpm1(llvm::IRBuilderBase &builder, Value *x) {
  Real real(builder, x->getType());
  Value *inRange = real.clamp(x, real.pick(-30.0, -60.0), real.pick(89.0, 710.0));
  ExpReduction reduced = reduceForExp(real, inRange);
  Pair expm1 = reducedExpm1(real, reduced.high, reduced.low);
  Value *half = real.constant(0.5);
  Value *power = real.scale(half, reduced.integer);
  // Either may be the larger one, so that the difference keeps its rounding error (Knuth's TwoSum).
  Value *head = real.sub(power, half), *part = real.sub(head, power);
  Value *lost = real.sub(real.sub(power, real.sub(head, part)), real.add(half, part));
  Value *rest = real.fma(power, expm1.rest, lost);
  Value *sum = sumOfParts(real, head, real.mul(power, expm1.sum), rest);
  Value *tiny = builder.CreateFCmpOLT(real.abs(x), real.constant(real.pick(0x1p-30, 0x1p-60)));
  return real.select(tiny, x, real.mul(sum, real.constant(2))); // keeps the sign of zero
}

} // namespace tl::math
