// Elementary functions as IR, one definition for all targets: only operations whose results IEEE
// fixes to the bit (add, sub, mul, div, sqrt, fma, round to integer, integer operations, selects),
// no fast-math flags, no branches, so that x86 and amdgcn give equal bits and loops around them
// vectorize. Error bounds: docs/numerics.md.
#pragma once

#include "llvm/IR/IRBuilder.h"

namespace tl::math {

// Each takes and gives float or double, scalar or fixed vector, with IEEE's special cases: NaN
// gives NaN, ranges end in 0 and infinity, denormal inputs and results are exact to the same bound.

/// e^x
llvm::Value *emitExp(llvm::IRBuilderBase &builder, llvm::Value *x);
/// 2^x
llvm::Value *emitExp2(llvm::IRBuilderBase &builder, llvm::Value *x);
/// Natural logarithm; +-0 gives -infinity, negative numbers NaN.
llvm::Value *emitLog(llvm::IRBuilderBase &builder, llvm::Value *x);
/// Logarithm to base 2; +-0 gives -infinity, negative numbers NaN.
llvm::Value *emitLog2(llvm::IRBuilderBase &builder, llvm::Value *x);
/// Square root, correctly rounded.
llvm::Value *emitSqrt(llvm::IRBuilderBase &builder, llvm::Value *x);
/// 1 / sqrt(x); +-0 gives +-infinity.
llvm::Value *emitRsqrt(llvm::IRBuilderBase &builder, llvm::Value *x);
/// Hyperbolic tangent; keeps the sign of zero.
llvm::Value *emitTanh(llvm::IRBuilderBase &builder, llvm::Value *x);

} // namespace tl::math
