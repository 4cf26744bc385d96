// Conversions between float formats, and rounding to odd: an inexact result takes the neighbour
// with an odd significand. A second rounding to nearest, to a format at least two bits narrower, is
// then as good as rounding the exact value once (Boldo and Melquiond, "Emulation of FMA and
// correctly rounded sums", 2008).
#pragma once

#include "llvm/IR/IRBuilder.h"

namespace tl {

/// double to float, to odd.
llvm::Value *truncateToOdd(llvm::IRBuilderBase &ir, llvm::Value *value);
/// a + b in float or double, to odd.
llvm::Value *addToOdd(llvm::IRBuilderBase &ir, llvm::Value *a, llvm::Value *b);
/// The bits of a bf16 (i16) as float, exact.
llvm::Value *extendBf16(llvm::IRBuilderBase &ir, llvm::Value *bits);
/// float to the bits of bf16, to nearest even, by integer operations.
llvm::Value *truncateToBf16(llvm::IRBuilderBase &ir, llvm::Value *value);
/// The same for a float that is a bf16 exactly, or NaN.
llvm::Value *truncateExactBf16(llvm::IRBuilderBase &ir, llvm::Value *value);
/// A type like `shape` (scalar or vector) with another element.
llvm::Type *withElement(llvm::Type *shape, llvm::Type *element);

} // namespace tl
