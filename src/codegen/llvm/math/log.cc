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

// exponent * ln 2 + log1p
Value *naturalLog(Real &real, Value *exponent, Pair log1p) {
  auto ln2 = real.pick(ln2ShortFloat, ln2ShortDouble);
  Value *large = real.mul(exponent, real.constant(ln2[0])); // exact
  Value *rest = real.fma(exponent, real.constant(ln2[1]), log1p.rest);
  return sumOfParts(real, large, log1p.sum, rest);
}

} // namespace

Value *emitLog(llvm::IRBuilderBase &builder, Value *x) {
  Real real(builder, x->getType());
  LogReduction reduced = reduceForLog(real, x);
  Pair log1p = reducedLog1p(real, reduced.f);
  return withSpecialCases(real, x, naturalLog(real, reduced.exponent, log1p));
}

Value *emitLog2(llvm::IRBuilderBase &builder, Value *x) {
  Real real(builder, x->getType());
  LogReduction reduced = reduceForLog(real, x);
  Pair log1p = reducedLog1p(real, reduced.f);
  auto inverse = real.pick(inverseLn2Float, inverseLn2Double);
  Value *first = real.constant(inverse[0]), *second = real.constant(inverse[1]);
  Value *high = real.mul(log1p.sum, first);
  Value *low = real.fma(log1p.sum, first, real.neg(high));
  low = real.fma(log1p.sum, second, low);
  low = real.fma(log1p.rest, first, low);
  return withSpecialCases(real, x, sumOfParts(real, reduced.exponent, high, low));
}

// With u = 1 + x rounded: near 1 (exponent 0) the reduced argument is x itself; elsewhere what u
// lost is added to first order, (1 + x - u) / u.
Value *emitLog1p(llvm::IRBuilderBase &builder, Value *x) {
  Real real(builder, x->getType());
  Value *one = real.constant(1);
  Value *u = real.add(one, x);
  LogReduction reduced = reduceForLog(real, u);
  Value *near = builder.CreateFCmpOEQ(reduced.exponent, real.constant(0));
  Pair log1p = reducedLog1p(real, real.select(near, x, reduced.f));
  // The larger of 1 and x first, so that the difference is exact.
  Value *large = builder.CreateFCmpOGT(x, one);
  Value *lost = real.sub(real.select(large, one, x), real.sub(u, real.select(large, x, one)));
  Value *correction = real.div(lost, u);
  log1p.rest = real.add(log1p.rest, real.select(near, real.constant(0), correction));
  Value *result = withSpecialCases(real, u, naturalLog(real, reduced.exponent, log1p));
  Value *tiny = builder.CreateFCmpOLT(real.abs(x), real.constant(real.pick(0x1p-30, 0x1p-60)));
  return real.select(tiny, x, result); // keeps the sign of zero
}

} // namespace tl::math
