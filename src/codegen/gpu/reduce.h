// Reductions along one axis: registers, then lanes, then waves.
#pragma once

#include "codegen/gpu/lds.h"
#include "codegen/llvm/combiner.h"

namespace tl::gpu {

/// The results of a reduction of `sources`, the op's operands.
std::vector<TileValue> emitReduce(KernelContext &context, Lds &lds, const Op &op, Combiner combiner,
                                  std::span<const TileValue> sources);

} // namespace tl::gpu
