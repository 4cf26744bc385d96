#include "codegen/llvm/math/math.h"
#include "codegen/llvm/math/real.h"

namespace tl::math {

Value *emitSqrt(llvm::IRBuilderBase &builder, Value *x) {
  Real real(builder, x->getType());
  return real.sqrt(x);
}

Value *emitRcp(llvm::IRBuilderBase &builder, Value *x) {
  Real real(builder, x->getType());
  return real.div(real.constant(1), x);
}

// One Newton step on y = 1 / sqrt(x), whose error 1 - x * y^2 is computed from both halves of x *
// y.
Value *emitRsqrt(llvm::IRBuilderBase &builder, Value *x) {
  Real real(builder, x->getType());
  Value *y = real.div(real.constant(1), real.sqrt(x));
  Value *product = real.mul(x, y);
  Value *productRest = real.fma(x, y, real.neg(product));
  Value *error = real.fnma(productRest, y, real.fnma(product, y, real.constant(1)));
  Value *better = real.fma(real.mul(error, real.constant(0.5)), y, y);
  // At 0 and infinity the step makes NaN of a result that is exact.
  Value *regular = builder.CreateAnd(builder.CreateFCmpONE(x, real.constant(0)),
                                     builder.CreateFCmpONE(x, real.infinity()));
  return real.select(regular, better, y);
}

} // namespace tl::math
