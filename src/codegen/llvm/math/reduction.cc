#include "codegen/llvm/math/reduction.h"

#include "codegen/llvm/math/polynomials.h"

namespace tl::math {

// n * ln2's first part is subtracted without rounding: both sides are multiples of ln2's last bit
// and the difference is below 1/2 (Cody and Waite's reduction, by fma).
ExpReduction reduceForExp(Real &real, Value *x) {
  auto ln2 = real.pick(ln2Float, ln2Double);
  auto n = real.roundToInteger(x, real.constant(real.pick(inverseLn2Float, inverseLn2Double)[0]));
  Value *exact = real.fnma(n.real, real.constant(ln2[0]), x);
  Value *high = real.fnma(n.real, real.constant(ln2[1]), exact);
  Value *low = real.fnma(n.real, real.constant(ln2[1]), real.sub(exact, high));
  return {n.integer, n.real, high, low};
}

Value *expTail(Real &real, Value *r) {
  Value *tail =
      real.isDouble() ? real.polynomial(r, expTailDouble) : real.polynomial(r, expTailFloat);
  return real.fma(r, tail, real.constant(0.5));
}

Pair reducedExpm1(Real &real, Value *high, Value *low) {
  Value *rest = real.fma(real.mul(high, high), expTail(real, high), real.fma(low, high, low));
  Value *sum = real.add(high, rest);
  return {sum, real.add(real.sub(high, sum), rest)};
}

LogReduction reduceForLog(Real &real, Value *x) {
  llvm::IRBuilderBase &ir = real.ir;
  // Denormal numbers are scaled to normal ones first.
  Value *tiny = ir.CreateFCmpOLT(x, real.constant(real.pick(0x1p-126, 0x1p-1022)));
  int scaling = real.pick(24, 54);
  Value *normal = real.select(tiny, real.mul(x, real.constant(real.pick(0x1p24, 0x1p54))), x);

  // Taking sqrt(1/2)'s bits away makes the exponent field count from there.
  int64_t root = real.pick<int64_t>(0x3f3504f3, 0x3fe6a09e667f3bcd);
  int64_t one = int64_t(1) << real.significandBits();
  int64_t offset = real.bias(); // keeps the field positive
  Value *field = ir.CreateAdd(real.bits(normal), real.integer(offset * one - root));
  Value *biased = ir.CreateLShr(field, real.integer(real.significandBits()));
  Value *exponent = real.sub(real.fromInteger(biased), real.constant(double(offset)));
  exponent = real.sub(exponent, real.select(tiny, real.constant(scaling), real.constant(0)));
  Value *mantissa = ir.CreateAdd(ir.CreateAnd(field, real.integer(one - 1)), real.integer(root));
  return {exponent, real.sub(real.fromBits(mantissa), real.constant(1))};
}

Pair reducedLog1p(Real &real, Value *f) {
  // log(1 + f) = f - f^2/2 + f^3 * tail, with the roundings of f^2/2 and of the difference kept.
  Value *tail =
      real.isDouble() ? real.polynomial(f, logTailDouble) : real.polynomial(f, logTailFloat);
  Value *half = real.mul(f, real.constant(0.5));
  Value *square = real.mul(half, f);
  Value *squareRest = real.fma(half, f, real.neg(square));
  Value *sum = real.sub(f, square);
  Value *sumRest = real.sub(real.sub(real.sub(f, sum), square), squareRest);
  Value *cube = real.mul(real.mul(f, f), f);
  return {sum, real.fma(cube, tail, sumRest)};
}

Value *sumOfParts(Real &real, Value *large, Value *small, Value *rest) {
  Value *head = real.add(large, small);
  return real.add(head, real.add(real.add(real.sub(large, head), small), rest));
}

Value *quotient(Real &real, Pair a, Pair b) {
  Value *inverse = real.div(real.constant(1), b.sum);
  Value *first = real.mul(a.sum, inverse);
  Value *remainder = real.fnma(first, b.sum, a.sum);
  remainder = real.fnma(first, b.rest, real.add(remainder, a.rest));
  return real.fma(remainder, inverse, first);
}

} // namespace tl::math
