// Barriers of the workgroup, with the fences that give them their meaning.
#pragma once

#include "codegen/amdgpu/context.h"

namespace tl::amdgpu {

/// All threads arrive, and what each wrote to LDS before is seen by all. Global memory is not
/// ordered: on gfx11 and gfx12 that would wait for every global load in flight.
void emitLdsBarrier(KernelContext &context);
/// The same for LDS and global memory.
void emitMemoryBarrier(KernelContext &context);

} // namespace tl::amdgpu
