#include "codegen/nvptx/nvidia_target.h"

#include "codegen/gpu/context.h"

#include "llvm/IR/IntrinsicsNVPTX.h"

namespace tl::nvptx {

using gpu::Builder, gpu::KernelContext;
using llvm::Value, llvm::Intrinsic::ID;

static constexpr uint32_t warpSize = 32;

NvidiaTarget::NvidiaTarget(const NvidiaChip &chip)
    : Target({.name = chip.name,
              .waveSize = warpSize,
              .ldsBytes = chip.sharedBytes,
              .matrix = MatrixFamily::Sm80,
              .emitter = {.nativeHalf = true}}) {}

void NvidiaTarget::describe(llvm::Function &kernel, uint32_t threads) const {
  kernel.setCallingConv(llvm::CallingConv::PTX_Kernel);
  kernel.addFnAttr("nvvm.reqntid", std::to_string(threads) + ",1,1");
}

Value *NvidiaTarget::thread(Builder &ir, uint32_t threads) const {
  llvm::CallInst *thread = ir.CreateIntrinsic(llvm::Intrinsic::nvvm_read_ptx_sreg_tid_x, {});
  thread->addRangeRetAttr({llvm::APInt(32, 0), llvm::APInt(32, threads)});
  return thread;
}

Value *NvidiaTarget::program(Builder &ir, unsigned axis) const {
  static constexpr ID ids[] = {llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_x,
                               llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_y,
                               llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_z};
  return ir.CreateIntrinsic(ids[axis], {});
}

Value *NvidiaTarget::readableAddress(Builder &ir) const {
  // Parameters have no address in global memory.
  auto *type = llvm::ArrayType::get(ir.getInt8Ty(), 16);
  auto *variable = new llvm::GlobalVariable(
      *ir.GetInsertBlock()->getModule(), type, true, llvm::GlobalValue::InternalLinkage,
      llvm::ConstantAggregateZero::get(type), "tl$readable", nullptr,
      llvm::GlobalValue::NotThreadLocal, gpu::globalSpace);
  variable->setAlignment(llvm::Align(16));
  return variable;
}

/// Of shfl.sync (PTX ISA, "shfl.sync"): all lanes take part, in segments of the whole warp.
static constexpr uint32_t allLanes = UINT32_MAX, wholeWarp = warpSize - 1;

Value *NvidiaTarget::wordXor(KernelContext &context, Value *word, uint32_t mask) const {
  return context.ir.CreateIntrinsic(
      llvm::Intrinsic::nvvm_shfl_sync_bfly_i32, {},
      {context.i32(allLanes), word, context.i32(mask), context.i32(wholeWarp)});
}

Value *NvidiaTarget::wordFrom(KernelContext &context, Value *word, Value *from) const {
  return context.ir.CreateIntrinsic(llvm::Intrinsic::nvvm_shfl_sync_idx_i32, {},
                                    {context.i32(allLanes), word, from, context.i32(wholeWarp)});
}

// There are no scalar registers that the author of PTX could choose.
Value *NvidiaTarget::uniformWord(Builder &, Value *word) const { return word; }

// Registers are waited for one by one.
Value *NvidiaTarget::arrived(Builder &, Value *loaded) const { return loaded; }

void NvidiaTarget::barrier(KernelContext &context, MemoryScope released, bool) const {
  Builder &ir = context.ir;
  // The barrier itself orders what the program's threads access, in both kinds of memory (PTX ISA,
  // "bar.sync"); wider scopes want a fence of each thread before it.
  if (released != MemoryScope::Program)
    ir.CreateFence(llvm::AtomicOrdering::AcquireRelease,
                   ir.getContext().getOrInsertSyncScopeID(syncScope(released)));
  // Not the aligned form: after a loop that lanes leave one by one (compare-and-swap), ptxas 12.9
  // and 13.0 made wrong code of it.
  ir.CreateIntrinsic(llvm::Intrinsic::nvvm_barrier_cta_sync_all, {}, {context.i32(0)});
}

// NVPTX usage, "Memory Scopes"; the system's has no name.
const char *NvidiaTarget::syncScope(MemoryScope scope) const {
  return scope == MemoryScope::Program ? "block" : scope == MemoryScope::Device ? "device" : "";
}

} // namespace tl::nvptx
