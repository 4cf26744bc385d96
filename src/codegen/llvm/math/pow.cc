#include "codegen/llvm/math/math.h"
#include "codegen/llvm/math/polynomials.h"
#include "codegen/llvm/math/reduction.h"

namespace tl::math {
namespace {

/// atanh(s) for s = f / (2 + f), to about 2^-37 (double: 2^-65) of itself: s (1 + t (1/3 + t P(t)))
/// with t = s^2, every number but P in two parts.
Pair halfLog1p(Real &real, Value *f) {
  Value *two = real.constant(2);
  Value *d = real.add(two, f);
  Value *dRest = real.add(real.sub(two, d), f);
  Value *inverse = real.div(real.constant(1), d);
  Value *s = real.mul(f, inverse);
  Value *sRest = real.mul(real.fnma(s, dRest, real.fnma(s, d, f)), inverse);

  Value *t = real.mul(s, s);
  Value *tRest = real.fma(real.add(s, s), sRest, real.fma(s, s, real.neg(t)));
  auto third = real.pick(thirdFloat, thirdDouble);
  Value *tail =
      real.isDouble() ? real.polynomial(t, atanhTailDouble) : real.polynomial(t, atanhTailFloat);
  Value *u = real.fma(t, tail, real.constant(third[0]));
  Value *uRest =
      real.add(real.fma(t, tail, real.sub(real.constant(third[0]), u)), real.constant(third[1]));
  Value *v = real.mul(t, u);
  Value *vRest = real.fma(tRest, u, real.fma(t, uRest, real.fma(t, u, real.neg(v))));
  Value *y = real.mul(s, v);
  Value *yRest = real.fma(sRest, v, real.fma(s, vRest, real.fma(s, v, real.neg(y))));
  Value *sum = real.add(s, y);
  Value *rest = real.add(real.add(real.sub(s, sum), y), real.add(sRest, yRest));
  return {sum, rest};
}

/// The logarithm to base 2 of a positive finite number.
Pair log2InTwoParts(Real &real, Value *x) {
  LogReduction reduced = reduceForLog(real, x);
  Pair half = halfLog1p(real, reduced.f);
  auto inverse = real.pick(inverseLn2Float, inverseLn2Double);
  Value *first = real.constant(2 * inverse[0]), *second = real.constant(2 * inverse[1]);
  Value *log = real.mul(half.sum, first);
  Value *logRest = real.fma(half.sum, first, real.neg(log));
  logRest = real.fma(half.rest, first, real.fma(half.sum, second, logRest));
  Value *sum = real.add(reduced.exponent, log);
  return {sum, real.add(real.add(real.sub(reduced.exponent, sum), log), logRest)};
}

/// 2^(sum + rest), where NaN in sum gives NaN and |sum| is bounded where the result is 0 or
/// infinite.
Value *exp2OfPair(Real &real, Pair x) {
  auto ln2 = real.pick(ln2Float, ln2Double);
  Value *first = real.constant(ln2[0]), *second = real.constant(ln2[1]), *one = real.constant(1);
  auto n = real.roundToInteger(x.sum, one);
  Value *fraction = real.sub(x.sum, n.real); // exact
  Value *r = real.add(fraction, x.rest);
  Value *rRest = real.add(real.sub(fraction, r), x.rest);
  Value *tail =
      real.isDouble() ? real.polynomial(r, exp2TailDouble) : real.polynomial(r, exp2TailFloat);
  Value *linear = real.mul(r, first);
  Value *rest = real.fma(r, real.fma(r, tail, second), real.fma(r, first, real.neg(linear)));
  rest = real.fma(rRest, first, rest);
  return real.scale(sumOfParts(real, one, linear, rest), n.integer);
}

} // namespace

// 2^(b log2|a|); the logarithm carries so many bits that its product with b is right to the last
// place of the result. Zeros and infinities are numbers whose logarithm is infinite.
Value *emitPow(llvm::IRBuilderBase &builder, Value *a, Value *b) {
  Real real(builder, a->getType());
  Value *zero = real.constant(0), *one = real.constant(1);
  Value *magnitude = real.abs(a);
  Pair log = log2InTwoParts(real, magnitude);
  Value *isZero = builder.CreateFCmpOEQ(a, zero);
  Value *finite = builder.CreateFCmpOLT(magnitude, real.infinity());
  Value *regular = builder.CreateAnd(finite, builder.CreateFCmpONE(a, zero));
  log.sum = real.select(regular, log.sum, real.select(isZero, real.infinity(true), magnitude));
  log.rest = real.select(regular, log.rest, zero);

  Value *product = real.mul(log.sum, b);
  Value *rest = real.fma(log.rest, b, real.fma(log.sum, b, real.neg(product)));
  double limit = real.pick(160.0, 1100.0); // beyond it the result is 0 or infinite
  Value *inside = builder.CreateFCmpOLT(real.abs(product), real.constant(limit));
  Value *result =
      exp2OfPair(real, {real.clamp(product, -limit, limit), real.select(inside, rest, zero)});

  Value *half = real.mul(b, real.constant(0.5));
  Value *integer = builder.CreateFCmpOEQ(real.trunc(b), b);
  Value *odd = builder.CreateAnd(integer, builder.CreateFCmpUNE(real.trunc(half), half));
  result = real.select(odd, real.flippedBy(real.bits(a), result), result);
  Value *negative = builder.CreateAnd(builder.CreateFCmpOLT(a, zero), finite);
  Value *invalid = builder.CreateAnd(negative, builder.CreateNot(integer));
  result = real.select(invalid, real.nan(), result);

  Value *endless = builder.CreateFCmpOEQ(real.abs(b), real.infinity());
  Value *unit = builder.CreateAnd(endless, builder.CreateFCmpOEQ(magnitude, one));
  unit = builder.CreateOr(unit, builder.CreateFCmpOEQ(a, one));
  unit = builder.CreateOr(unit, builder.CreateFCmpOEQ(b, zero));
  return real.select(unit, one, result);
}

} // namespace tl::math
