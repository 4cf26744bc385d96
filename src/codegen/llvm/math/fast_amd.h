// The `fast` forms of operations on AMD GPUs: what the chips' own approximations give.
#pragma once

#include "graph/opcode.h"

#include "llvm/IR/IRBuilder.h"

#include <span>

namespace tl::math {

/// An operation with the attribute `fast`, on float, scalar or fixed vectors. Error bounds:
/// docs/numerics.md, "Fast forms".
llvm::Value *emitFastAmd(Opcode opcode, llvm::IRBuilderBase &builder,
                         std::span<llvm::Value *const> operands);

} // namespace tl::math
