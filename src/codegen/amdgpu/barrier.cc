#include "codegen/amdgpu/barrier.h"

#include "llvm/IR/IntrinsicsAMDGPU.h"

namespace tl::amdgpu {

static void emitBarrier(KernelContext &context, MemoryScope released, bool ldsOnly) {
  Builder &ir = context.ir;
  llvm::LLVMContext &llvmContext = ir.getContext();
  auto fence = [&](llvm::AtomicOrdering ordering, MemoryScope scope) {
    llvm::FenceInst *inst = ir.CreateFence(ordering, syncScope(context, scope));
    if (ldsOnly)
      inst->setMetadata(
          llvm::LLVMContext::MD_mmra,
          llvm::MDNode::get(llvmContext, {llvm::MDString::get(llvmContext, "amdgpu-synchronize-as"),
                                          llvm::MDString::get(llvmContext, "local")}));
  };
  fence(llvm::AtomicOrdering::Release, released);
  ir.CreateIntrinsic(llvm::Intrinsic::amdgcn_s_barrier, {});
  fence(llvm::AtomicOrdering::Acquire, MemoryScope::Program);
}

void emitLdsBarrier(KernelContext &context) { emitBarrier(context, MemoryScope::Program, true); }
void emitMemoryBarrier(KernelContext &context, MemoryScope released) {
  emitBarrier(context, released, false);
}

llvm::SyncScope::ID syncScope(KernelContext &context, MemoryScope scope) {
  const char *name = scope == MemoryScope::Program  ? "workgroup"
                     : scope == MemoryScope::Device ? "agent"
                                                    : "";
  return context.ir.getContext().getOrInsertSyncScopeID(name);
}

} // namespace tl::amdgpu
