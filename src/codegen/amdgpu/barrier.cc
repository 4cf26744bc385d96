#include "codegen/amdgpu/barrier.h"

#include "llvm/IR/IntrinsicsAMDGPU.h"

namespace tl::amdgpu {

static void emitBarrier(KernelContext &context, bool ldsOnly) {
  Builder &ir = context.ir;
  llvm::LLVMContext &llvmContext = ir.getContext();
  llvm::SyncScope::ID scope = llvmContext.getOrInsertSyncScopeID("workgroup");
  auto fence = [&](llvm::AtomicOrdering ordering) {
    llvm::FenceInst *inst = ir.CreateFence(ordering, scope);
    if (ldsOnly)
      inst->setMetadata(
          llvm::LLVMContext::MD_mmra,
          llvm::MDNode::get(llvmContext, {llvm::MDString::get(llvmContext, "amdgpu-synchronize-as"),
                                          llvm::MDString::get(llvmContext, "local")}));
  };
  fence(llvm::AtomicOrdering::Release);
  ir.CreateIntrinsic(llvm::Intrinsic::amdgcn_s_barrier, {});
  fence(llvm::AtomicOrdering::Acquire);
}

void emitLdsBarrier(KernelContext &context) { emitBarrier(context, true); }
void emitMemoryBarrier(KernelContext &context) { emitBarrier(context, false); }

} // namespace tl::amdgpu
