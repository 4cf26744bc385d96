#include "codegen/llvm/math/math.h"
#include "codegen/llvm/math/polynomials.h"
#include "codegen/llvm/math/real.h"

namespace tl::math {

// Below 1: x + x P(x^2). From 1 on: 1 - e^-G(x - 1), where e^-G is at most 0.16, and its error
// counts that much less. From 3.95 (double: 6) on the result is 1.
Value *emitErf(llvm::IRBuilderBase &builder, Value *x) {
  Real real(builder, x->getType());
  Value *one = real.constant(1);
  Value *magnitude = real.clamp(real.abs(x), 0, real.pick(3.95, 6.0));
  Value *square = real.mul(magnitude, magnitude);
  Value *tail = real.isDouble() ? real.polynomial(square, erfTailDouble)
                                : real.polynomial(square, erfTailFloat);
  Value *small = real.fma(magnitude, tail, magnitude);

  Value *beyond = real.sub(magnitude, one);
  Value *logarithm = real.isDouble() ? real.polynomial(beyond, erfcLogDouble)
                                     : real.polynomial(beyond, erfcLogFloat);
  Value *large = real.sub(one, emitExp(builder, real.neg(logarithm)));
  Value *result = real.select(builder.CreateFCmpOLT(magnitude, one), small, large);
  return real.withSignOf(result, x);
}

} // namespace tl::math
