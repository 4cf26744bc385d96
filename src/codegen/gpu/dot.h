// Matrix products by fused multiply-add: A and B stand in LDS, accumulators in the layout of the
// result.
#pragma once

#include "codegen/gpu/lds.h"

namespace tl::gpu {

/// TL_E_LIMIT if not even one step of K fits the chip's LDS.
Result<TileValue> emitDot(KernelContext &context, Lds &lds, const Op &op, const TileValue &a,
                          const TileValue &b, const TileValue &accumulator);

} // namespace tl::gpu
