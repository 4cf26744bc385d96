// Scans along one axis, through LDS: each line is dealt out to the lanes of a group in chunks.
#pragma once

#include "codegen/gpu/lds.h"
#include "codegen/llvm/combiner.h"

namespace tl::gpu {

/// The results of a scan of `sources`, the op's operands.
std::vector<TileValue> emitScan(KernelContext &context, Lds &lds, const Op &op, Combiner combiner,
                                std::span<const TileValue> sources);

} // namespace tl::gpu
