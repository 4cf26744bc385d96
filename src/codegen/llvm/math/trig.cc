#include "codegen/llvm/math/angle.h"
#include "codegen/llvm/math/math.h"
#include "codegen/llvm/math/polynomials.h"

namespace tl::math {
namespace {

// r + r^3 S(r^2), and what the second part of r adds, to first order.
Pair reducedSin(Real &real, Pair r, Value *square) {
  Value *tail = real.isDouble() ? real.polynomial(square, sinTailDouble)
                                : real.polynomial(square, sinTailFloat);
  Value *cosine = real.fma(square, real.constant(-0.5), real.constant(1));
  Value *rest = real.fma(real.mul(r.sum, square), tail, real.mul(r.rest, cosine));
  Value *sum = real.add(r.sum, rest);
  return {sum, real.add(real.sub(r.sum, sum), rest)};
}

// 1 - r^2/2 + r^4 C(r^2), the rounding error of the difference kept.
Pair reducedCos(Real &real, Pair r, Value *square) {
  Value *tail = real.isDouble() ? real.polynomial(square, cosTailDouble)
                                : real.polynomial(square, cosTailFloat);
  Value *one = real.constant(1), *half = real.mul(square, real.constant(0.5));
  Value *head = real.sub(one, half);
  Value *rest = real.fnma(r.sum, r.rest, real.sub(real.sub(one, head), half));
  rest = real.fma(real.mul(square, square), tail, rest);
  Value *sum = real.add(head, rest);
  return {sum, real.add(real.sub(head, sum), rest)};
}

struct Turn {
  Pair sin, cos;   // of the reduced angle
  Value *quadrant; // of |x|
};

Turn turn(Real &real, Value *x) {
  Angle angle = reduceAngle(real, real.abs(x));
  Value *square = real.mul(angle.r.sum, angle.r.sum);
  return {reducedSin(real, angle.r, square), reducedCos(real, angle.r, square), angle.quadrant};
}

Value *isOdd(Real &real, Value *quadrant) {
  return real.ir.CreateIsNotNull(real.ir.CreateAnd(quadrant, real.integer(1)));
}

/// A bit of the quadrant in the place of the sign.
Value *signFrom(Real &real, Value *quadrant, unsigned bit) {
  return real.ir.CreateShl(quadrant,
                           real.integer(int64_t(real.intType->getScalarSizeInBits() - 1 - bit)));
}

/// NaN for infinities.
Value *ifFinite(Real &real, Value *x, Value *result) {
  return real.select(real.ir.CreateFCmpOLT(real.abs(x), real.infinity()), result, real.nan());
}

} // namespace

Value *emitSin(llvm::IRBuilderBase &builder, Value *x) {
  Real real(builder, x->getType());
  Turn t = turn(real, x);
  Value *result = real.select(isOdd(real, t.quadrant), t.cos.sum, t.sin.sum);
  Value *sign = builder.CreateXor(signFrom(real, t.quadrant, 1), real.bits(x));
  return ifFinite(real, x, real.flippedBy(sign, result));
}

Value *emitCos(llvm::IRBuilderBase &builder, Value *x) {
  Real real(builder, x->getType());
  Turn t = turn(real, x);
  Value *result = real.select(isOdd(real, t.quadrant), t.sin.sum, t.cos.sum);
  Value *sign = signFrom(real, builder.CreateAdd(t.quadrant, real.integer(1)), 1);
  return ifFinite(real, x, real.flippedBy(sign, result));
}

Value *emitTan(llvm::IRBuilderBase &builder, Value *x) {
  Real real(builder, x->getType());
  Turn t = turn(real, x);
  Value *odd = isOdd(real, t.quadrant);
  auto choose = [&](Pair a, Pair b) {
    return Pair{real.select(odd, a.sum, b.sum), real.select(odd, a.rest, b.rest)};
  };
  Value *result = quotient(real, choose(t.cos, t.sin), choose(t.sin, t.cos));
  Value *sign = builder.CreateXor(signFrom(real, t.quadrant, 0), real.bits(x));
  return ifFinite(real, x, real.flippedBy(sign, result));
}

} // namespace tl::math
