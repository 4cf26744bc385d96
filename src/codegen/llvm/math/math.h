// Elementary functions as IR, one definition for all targets: only operations whose results IEEE
// fixes to the bit (add, sub, mul, div, sqrt, fma, round to integer, integer operations, selects),
// no fast-math flags, no branches but one around the reduction of large angles, which vectors take
// if one of their lanes needs it; so that x86 and amdgcn give equal bits, alone and in every lane.
// Error bounds: docs/numerics.md.
#pragma once

#include "graph/opcode.h"

#include "llvm/IR/IRBuilder.h"

#include <span>

namespace tl::math {

// Each takes and gives float or double, scalar or fixed vector, with IEEE's special cases: NaN
// gives NaN, ranges end in 0 and infinity, denormal inputs and results are exact to the same bound.

/// e^x
llvm::Value *emitExp(llvm::IRBuilderBase &builder, llvm::Value *x);
/// 2^x
llvm::Value *emitExp2(llvm::IRBuilderBase &builder, llvm::Value *x);
/// e^x - 1; keeps the sign of zero.
llvm::Value *emitExpm1(llvm::IRBuilderBase &builder, llvm::Value *x);
/// Natural logarithm; +-0 gives -infinity, negative numbers NaN.
llvm::Value *emitLog(llvm::IRBuilderBase &builder, llvm::Value *x);
/// Logarithm to base 2; +-0 gives -infinity, negative numbers NaN.
llvm::Value *emitLog2(llvm::IRBuilderBase &builder, llvm::Value *x);
/// log(1 + x); -1 gives -infinity, smaller numbers NaN; keeps the sign of zero.
llvm::Value *emitLog1p(llvm::IRBuilderBase &builder, llvm::Value *x);
/// Square root, correctly rounded.
llvm::Value *emitSqrt(llvm::IRBuilderBase &builder, llvm::Value *x);
/// 1 / sqrt(x); +-0 gives +-infinity.
llvm::Value *emitRsqrt(llvm::IRBuilderBase &builder, llvm::Value *x);
/// 1 / x, correctly rounded.
llvm::Value *emitRcp(llvm::IRBuilderBase &builder, llvm::Value *x);
/// 1 / (1 + e^-x)
llvm::Value *emitSigmoid(llvm::IRBuilderBase &builder, llvm::Value *x);
/// Hyperbolic tangent; keeps the sign of zero.
llvm::Value *emitTanh(llvm::IRBuilderBase &builder, llvm::Value *x);

/// Sine, cosine and tangent of an angle in radians of any size; infinities give NaN.
llvm::Value *emitSin(llvm::IRBuilderBase &builder, llvm::Value *x);
llvm::Value *emitCos(llvm::IRBuilderBase &builder, llvm::Value *x);
llvm::Value *emitTan(llvm::IRBuilderBase &builder, llvm::Value *x);
/// The error function; keeps the sign of zero.
llvm::Value *emitErf(llvm::IRBuilderBase &builder, llvm::Value *x);
/// a to the power of b, with C's special cases.
llvm::Value *emitPow(llvm::IRBuilderBase &builder, llvm::Value *a, llvm::Value *b);
/// The function of a row of ops.def.
llvm::Value *emitFunction(Opcode opcode, llvm::IRBuilderBase &builder,
                          std::span<llvm::Value *const> operands);

} // namespace tl::math
