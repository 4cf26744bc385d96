#include "codegen/amdgpu/amd_target.h"

#include "codegen/gpu/context.h"

#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"

namespace tl::amdgpu {

using gpu::Builder, gpu::KernelContext;
using llvm::Value, llvm::Intrinsic::ID;

AmdTarget::AmdTarget(const AmdChip &chip)
    : Target({.name = chip.name,
              .waveSize = chip.waveSize,
              .ldsBytes = chip.ldsBytes,
              .matrix = chip.matrix,
              .emitter = {.nativeHalf = true, .keepsProductsApart = true, .amdFast = true}}),
      chip(chip) {}

void AmdTarget::describe(llvm::Function &function, uint32_t threads) const {
  llvm::LLVMContext &llvmContext = function.getContext();
  function.setCallingConv(llvm::CallingConv::AMDGPU_KERNEL);
  // Where both kinds of registers are one file, a kernel needs no second name for half of it: LLVM
  // would keep sums there and move them in and out.
  if (chip.acc == AccRegisters::Unified)
    function.addFnAttr("amdgpu-agpr-alloc", "0");
  std::string size = std::to_string(threads);
  function.addFnAttr("amdgpu-flat-work-group-size", size + "," + size);
  function.addFnAttr("uniform-work-group-size", "true");
  // Nothing but the arguments, the workgroup's ids and the thread's x; else LLVM adds hidden
  // arguments where it does not analyse the code.
  for (const char *unused :
       {"amdgpu-no-completion-action", "amdgpu-no-default-queue", "amdgpu-no-dispatch-id",
        "amdgpu-no-dispatch-ptr", "amdgpu-no-flat-scratch-init", "amdgpu-no-heap-ptr",
        "amdgpu-no-hostcall-ptr", "amdgpu-no-implicitarg-ptr", "amdgpu-no-lds-kernel-id",
        "amdgpu-no-multigrid-sync-arg", "amdgpu-no-queue-ptr", "amdgpu-no-workitem-id-y",
        "amdgpu-no-workitem-id-z"})
    function.addFnAttr(unused);
  auto number = [&](uint32_t value) {
    return llvm::ConstantAsMetadata::get(
        llvm::ConstantInt::get(llvm::Type::getInt32Ty(llvmContext), value));
  };
  function.setMetadata("reqd_work_group_size",
                       llvm::MDNode::get(llvmContext, {number(threads), number(1), number(1)}));
}

Value *AmdTarget::thread(Builder &ir, uint32_t threads) const {
  llvm::CallInst *thread = ir.CreateIntrinsic(llvm::Intrinsic::amdgcn_workitem_id_x, {});
  thread->addRangeRetAttr({llvm::APInt(32, 0), llvm::APInt(32, threads)});
  return thread;
}

Value *AmdTarget::program(Builder &ir, unsigned axis) const {
  static constexpr ID ids[] = {llvm::Intrinsic::amdgcn_workgroup_id_x,
                               llvm::Intrinsic::amdgcn_workgroup_id_y,
                               llvm::Intrinsic::amdgcn_workgroup_id_z};
  return ir.CreateIntrinsic(ids[axis], {});
}

Value *AmdTarget::readableAddress(Builder &ir) const {
  // The kernel argument block: at least the three sizes of the grid.
  return ir.CreateAddrSpaceCast(ir.CreateIntrinsic(llvm::Intrinsic::amdgcn_kernarg_segment_ptr, {}),
                                llvm::PointerType::get(ir.getContext(), gpu::globalSpace));
}

/// The control word of DPP that exchanges lanes whose numbers differ by `mask`, or 0.
static uint32_t dppControl(const AmdChip &chip, uint32_t mask) {
  constexpr uint32_t quadXor1 = 1 | 0 << 2 | 3 << 4 | 2 << 6; // quad_perm:[1,0,3,2]
  constexpr uint32_t quadXor2 = 2 | 3 << 2 | 0 << 4 | 1 << 6; // quad_perm:[2,3,0,1]
  constexpr uint32_t rowXmask = 0x160;
  if (mask <= 2)
    return mask == 1 ? quadXor1 : quadXor2;
  return chip.rowXmask && mask < 16 ? rowXmask + mask : 0;
}

Value *AmdTarget::wordXor(KernelContext &context, Value *word, uint32_t mask) const {
  Builder &ir = context.ir;
  if (uint32_t control = dppControl(chip, mask))
    return ir.CreateIntrinsic(llvm::Intrinsic::amdgcn_update_dpp, {ir.getInt32Ty()},
                              {llvm::PoisonValue::get(ir.getInt32Ty()), word, context.i32(control),
                               context.i32(15), context.i32(15), ir.getTrue()});
  Value *lane = ir.CreateAnd(context.thread, context.i32(context.waveSize() - 1));
  return wordFrom(context, word, ir.CreateXor(lane, context.i32(mask)));
}

Value *AmdTarget::wordFrom(KernelContext &context, Value *word, Value *from) const {
  return context.ir.CreateIntrinsic(llvm::Intrinsic::amdgcn_ds_bpermute, {},
                                    {context.ir.CreateShl(from, 2), word});
}

Value *AmdTarget::uniformWord(Builder &ir, Value *word) const {
  return ir.CreateIntrinsic(llvm::Intrinsic::amdgcn_readfirstlane, {ir.getInt32Ty()}, {word});
}

// Loads are counted, not told apart: LLVM waits for all of them where one that is needed may be the
// last. An empty line of assembly needs the value.
Value *AmdTarget::arrived(Builder &ir, Value *loaded) const {
  llvm::Type *type = loaded->getType();
  const unsigned bits = unsigned(type->getPrimitiveSizeInBits().getFixedValue());
  if (bits < 32)
    return loaded;
  llvm::Type *words = ir.getInt32Ty();
  if (bits > 32)
    words = llvm::FixedVectorType::get(words, bits / 32);
  auto *nothing =
      llvm::InlineAsm::get(llvm::FunctionType::get(words, {words}, false), "", "=v,0", true);
  return ir.CreateBitCast(ir.CreateCall(nothing, {ir.CreateBitCast(loaded, words)}), type);
}

void AmdTarget::barrier(KernelContext &context, MemoryScope released, bool ldsOnly) const {
  Builder &ir = context.ir;
  llvm::LLVMContext &llvmContext = ir.getContext();
  auto fence = [&](llvm::AtomicOrdering ordering, MemoryScope scope) {
    llvm::FenceInst *inst =
        ir.CreateFence(ordering, llvmContext.getOrInsertSyncScopeID(syncScope(scope)));
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

// AMDGPU usage, "Memory Scopes".
const char *AmdTarget::syncScope(MemoryScope scope) const {
  return scope == MemoryScope::Program ? "workgroup" : scope == MemoryScope::Device ? "agent" : "";
}

} // namespace tl::amdgpu
