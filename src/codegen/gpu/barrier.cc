#include "codegen/gpu/barrier.h"

namespace tl::gpu {

void emitLdsBarrier(KernelContext &context) {
  context.target.barrier(context, MemoryScope::Program, true);
}

void emitMemoryBarrier(KernelContext &context, MemoryScope released) {
  context.target.barrier(context, released, false);
}

llvm::SyncScope::ID syncScope(KernelContext &context, MemoryScope scope) {
  return context.ir.getContext().getOrInsertSyncScopeID(context.target.syncScope(scope));
}

} // namespace tl::gpu
