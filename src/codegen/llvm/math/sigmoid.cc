#include "codegen/llvm/math/math.h"
#include "codegen/llvm/math/reduction.h"

namespace tl::math {

// With E = e^-|x| = 2^n * (1 + m): 1 / (1 + E) for x >= 0, and E / (1 + E) = 2^n * (1 + m) / (1 +
// E) for x < 0, the power of two last, so that denormal results are rounded once more only there.
Value *emitSigmoid(llvm::IRBuilderBase &builder, Value *x) {
  Real real(builder, x->getType());
  Value *one = real.constant(1), *zero = real.constant(0);
  ExpReduction reduced =
      reduceForExp(real, real.neg(real.clamp(real.abs(x), 0, real.pick(104.0, 746.0))));
  Pair expm1 = reducedExpm1(real, reduced.high, reduced.low);
  Value *sum = real.add(one, expm1.sum);
  Value *rest = real.add(real.add(real.sub(one, sum), expm1.sum), expm1.rest);
  Value *power = real.scale(one, reduced.integer); // denormal where it makes no difference
  Value *e = real.mul(power, sum);
  Value *denominator = real.add(one, e);
  Value *denominatorRest = real.add(real.sub(one, denominator), e);
  denominatorRest = real.fma(power, rest, denominatorRest);

  Value *negative = builder.CreateFCmpOLT(x, zero);
  Value *numerator = real.select(negative, sum, one);
  Value *numeratorRest = real.select(negative, rest, zero);
  Value *result = quotient(real, {numerator, numeratorRest}, {denominator, denominatorRest});
  return real.select(negative, real.scale(result, reduced.integer), result);
}

} // namespace tl::math
