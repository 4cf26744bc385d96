// Floats of 8 bits and fewer, as their bits (i8): to float, which is exact, and from float, rounded
// once. And roundings other than to nearest, for wider formats too.
#pragma once

#include "graph/opcode.h"
#include "support/dtype.h"

#include "llvm/IR/IRBuilder.h"

namespace tl {

llvm::Value *extendNarrow(llvm::IRBuilderBase &ir, llvm::Value *bits, DType from);
llvm::Value *truncateToNarrow(llvm::IRBuilderBase &ir, llvm::Value *value, DType to,
                              const CastMode &mode);
/// A number as the bits of f8e8m0fnu, rounded to nearest: negative numbers and what is beyond the
/// largest one become NaN, what is below the smallest becomes it; of two equally near ones the one
/// with an even code is taken.
uint8_t scaleCode(double value);
/// The nearest finite number of a type that has neither infinity nor NaN; of NaN the largest one.
double toFinite(double value, DType dtype);
/// `nearest` are the bits of `value` rounded to nearest in a format with infinities, and `back`
/// what they stand for in the type of `value`: gives the bits in another mode. (Bits of one sign
/// are in the order of their numbers.)
llvm::Value *inMode(llvm::IRBuilderBase &ir, llvm::Value *nearest, llvm::Value *back,
                    llvm::Value *value, DType format, const CastMode &mode);

} // namespace tl
