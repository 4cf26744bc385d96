#include "codegen/llvm/math/math.h"
#include "codegen/llvm/math/polynomials.h"
#include "codegen/llvm/math/reduction.h"

namespace tl::math {
namespace {

// What lies outside (0, infinity): -infinity at 0, NaN below, infinity and NaN themselves.
Value *withSpecialCases(Real &real, Value *x, Value *result) {
  llvm::IRBuilderBase &ir = real.ir;
  Value *zero = real.constant(0);
  Value *special = real.select(ir.CreateFCmpOLT(x, zero), real.nan(), x);
  special = real.select(ir.CreateFCmpOEQ(x, zero), real.infinity(true), special);
  Value *regular = ir.CreateAnd(ir.CreateFCmpOGT(x, zero), ir.CreateFCmpOLT(x, real.infinity()));
  return real.select(regular, result, special);
}

// large + small + rest, where |large| >= |small| or large = 0.
Value *sum(Real &real, Value *large, Value *small, Value *rest) {
  Value *head = real.add(large, small);
  return real.add(head, real.add(real.add(real.sub(large, head), small), rest));
}

} // namespace

Value *emitLog(llvm::IRBuilderBase &builder, Value *x) {
  Real real(builder, x->getType());
  LogReduction reduced = reduceForLog(real, x);
  auto ln2 = real.pick(ln2ShortFloat, ln2ShortDouble);
  Value *large = real.mul(reduced.exponent, real.constant(ln2[0])); // exact
  Value *rest = real.fma(reduced.exponent, real.constant(ln2[1]), reduced.log1p.rest);
  return withSpecialCases(real, x, sum(real, large, reduced.log1p.sum, rest));
}

Value *emitLog2(llvm::IRBuilderBase &builder, Value *x) {
  Real real(builder, x->getType());
  LogReduction reduced = reduceForLog(real, x);
  auto inverse = real.pick(inverseLn2Float, inverseLn2Double);
  Value *first = real.constant(inverse[0]), *second = real.constant(inverse[1]);
  Value *high = real.mul(reduced.log1p.sum, first);
  Value *low = real.fma(reduced.log1p.sum, first, real.neg(high));
  low = real.fma(reduced.log1p.sum, second, low);
  low = real.fma(reduced.log1p.rest, first, low);
  return withSpecialCases(real, x, sum(real, reduced.exponent, high, low));
}

} // namespace tl::math
