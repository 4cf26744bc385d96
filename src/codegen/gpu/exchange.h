// Moving a tile from one layout to another: registers renamed where the layouts prove that enough,
// else through LDS.
#pragma once

#include "codegen/gpu/lds.h"
#include "layout/register_conversion.h"

namespace tl::gpu {

/// The registers of a result in layout `to` whose element at a coordinate is the element of
/// `source` that `map` names. The source stands in LDS in row-major order, in parts if it does not
/// fit.
std::vector<llvm::Value *> exchange(KernelContext &context, Lds &lds, const TileValue &source,
                                    const TileLayout &to, const CoordinateMap &map);

/// A tile whose registers are right in the threads that own their elements, in all threads.
std::vector<llvm::Value *> fromOwners(KernelContext &context, Lds &lds, const TileValue &source);

/// A result of an op that moves elements, from its operands. Each piece of the result goes by way
/// of LDS on its own, unless it is all of the result and the registers need only be renamed.
TileValue emitShapeOp(KernelContext &context, Lds &lds, ValueId result,
                      std::span<const TileValue> operands);

/// A Take: the operand stands in LDS, in parts if it does not fit, and each thread reads where its
/// indices say.
TileValue emitTake(KernelContext &context, Lds &lds, const Op &op, const TileValue &source,
                   const TileValue &index);

} // namespace tl::gpu
