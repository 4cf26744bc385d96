// Reductions along one axis: registers, then lanes, then waves.
#pragma once

#include "codegen/gpu/lds.h"
#include "codegen/llvm/combiner.h"

namespace tl::gpu {

/// The results of a reduction of `sources`, the op's operands. TL_E_LIMIT if not even one element
/// of each of them from every wave has room in shared memory.
Result<std::vector<TileValue>> emitReduce(KernelContext &context, Lds &lds, const Op &op,
                                          Combiner combiner, std::span<const TileValue> sources);

} // namespace tl::gpu
