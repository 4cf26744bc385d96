// Scans along one axis, through LDS: each line is dealt out to the lanes of a group in chunks.
#pragma once

#include "codegen/amdgpu/lds.h"

namespace tl::amdgpu {

TileValue emitScan(KernelContext &context, Lds &lds, const Op &op, const TileValue &source);

} // namespace tl::amdgpu
