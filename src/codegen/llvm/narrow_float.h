// Floats of 8 bits, as their bits (i8): to float, which is exact, and from float, rounded once. And
// roundings other than to nearest, for wider formats too.
#pragma once

#include "graph/opcode.h"
#include "support/dtype.h"

#include "llvm/IR/IRBuilder.h"

namespace tl {

llvm::Value *extendNarrow(llvm::IRBuilderBase &ir, llvm::Value *bits, DType from);
llvm::Value *truncateToNarrow(llvm::IRBuilderBase &ir, llvm::Value *value, DType to,
                              const CastMode &mode);
/// `nearest` are the bits of `value` rounded to nearest in a format with infinities, and `back`
/// what they stand for in the type of `value`: gives the bits in another mode. (Bits of one sign
/// are in the order of their numbers.)
llvm::Value *inMode(llvm::IRBuilderBase &ir, llvm::Value *nearest, llvm::Value *back,
                    llvm::Value *value, DType format, const CastMode &mode);

} // namespace tl
