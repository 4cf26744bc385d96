// Barriers of the workgroup, with the fences that give them their meaning.
#pragma once

#include "codegen/gpu/context.h"

namespace tl::gpu {

/// All threads arrive, and what each wrote to LDS before is seen by all. Global memory is not
/// ordered: on gfx11 and gfx12 that would wait for every global load in flight.
void emitLdsBarrier(KernelContext &context);
/// The same for LDS and global memory. `released` is for whom what any thread wrote is complete:
/// for the device, say, when one of them releases it by an atomic operation afterwards. (Fences of
/// a workgroup do not suffice for that: on gfx90a and gfx942 no wave waits for its stores at one,
/// and a wave that releases waits for its own.)
void emitMemoryBarrier(KernelContext &context, MemoryScope released);

/// LLVM's name of a scope: AMDGPU usage, "Memory Scopes".
llvm::SyncScope::ID syncScope(KernelContext &context, MemoryScope scope);

} // namespace tl::gpu
