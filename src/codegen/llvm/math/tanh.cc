#include "codegen/llvm/math/math.h"
#include "codegen/llvm/math/reduction.h"

namespace tl::math {

// tanh(x) = E / (E + 2) with E = e^(2|x|) - 1. Numerator and denominator are sums of two numbers
// each, so that the quotient carries little more than its last rounding, near 0 too; one division
// serves the quotient and its correction.
Value *emitTanh(llvm::IRBuilderBase &builder, Value *x) {
  Real real(builder, x->getType());
  Value *magnitude =
      real.clamp(real.abs(x), 0, real.pick(10.0, 20.0)); // from 9.02 and 19.07 on the result is 1
  ExpReduction reduced = reduceForExp(real, real.add(magnitude, magnitude));
  Pair expm1 = reducedExpm1(real, reduced.high, reduced.low);

  // E = (2^n - 1) + 2^n * expm1, the larger part first.
  Value *power = real.scale(real.constant(1), reduced.integer), *two = real.constant(2);
  Value *head = real.sub(power, real.constant(1));
  Value *small = real.mul(power, expm1.sum);
  Value *numerator = real.add(head, small);
  Value *numeratorRest = real.add(real.sub(head, numerator), small);
  numeratorRest = real.fma(power, expm1.rest, numeratorRest);
  // E + 2, either part may be the larger one (Knuth's TwoSum).
  Value *denominator = real.add(numerator, two);
  Value *part = real.sub(denominator, numerator);
  Value *denominatorRest =
      real.add(real.sub(numerator, real.sub(denominator, part)), real.sub(two, part));
  denominatorRest = real.add(denominatorRest, numeratorRest);

  Value *result = quotient(real, {numerator, numeratorRest}, {denominator, denominatorRest});
  return real.withSignOf(result, x);
}

} // namespace tl::math
