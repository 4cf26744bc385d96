// Reductions along one axis: registers, then lanes, then waves.
#pragma once

#include "codegen/amdgpu/lds.h"

namespace tl::amdgpu {

TileValue emitReduce(KernelContext &context, Lds &lds, const Op &op, const TileValue &source);

} // namespace tl::amdgpu
