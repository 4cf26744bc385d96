#include "codegen/gpu/context.h"

namespace tl::gpu {

llvm::Value *Conjunctions::both(KernelContext &context, llvm::Value *a, llvm::Value *b) {
  if (!a || !b)
    return a ? a : b;
  llvm::Value *&value = known[{a, b}];
  if (!value)
    value = context.ir.CreateAnd(a, b);
  return value;
}

void emitIf(KernelContext &context, llvm::Value *condition, const std::function<void()> &body) {
  auto *constant = llvm::dyn_cast_or_null<llvm::ConstantInt>(condition);
  if (constant && constant->isZero())
    return;
  if (!condition || constant)
    return body();
  llvm::LLVMContext &llvmContext = context.ir.getContext();
  auto *inside = llvm::BasicBlock::Create(llvmContext, "", &context.function);
  auto *after = llvm::BasicBlock::Create(llvmContext, "", &context.function);
  context.ir.CreateCondBr(condition, inside, after);
  context.ir.SetInsertPoint(inside);
  body();
  context.ir.CreateBr(after);
  context.ir.SetInsertPoint(after);
}

void keepRolled(KernelContext &context, llvm::Instruction *backBranch) {
  llvm::LLVMContext &llvmContext = context.ir.getContext();
  llvm::MDNode *option =
      llvm::MDNode::get(llvmContext, llvm::MDString::get(llvmContext, "llvm.loop.unroll.disable"));
  llvm::MDNode *loop = llvm::MDNode::getDistinct(llvmContext, {nullptr, option});
  loop->replaceOperandWith(0, loop);
  backBranch->setMetadata(llvm::LLVMContext::MD_loop, loop);
}

llvm::GlobalVariable *makeLdsVariable(KernelContext &context, uint64_t bytes, const char *name) {
  auto *type = llvm::ArrayType::get(context.ir.getInt8Ty(), bytes);
  auto *variable = new llvm::GlobalVariable(
      *context.function.getParent(), type, false, llvm::GlobalValue::InternalLinkage,
      llvm::PoisonValue::get(type), name, nullptr, llvm::GlobalValue::NotThreadLocal, ldsSpace);
  variable->setAlignment(llvm::Align(16));
  return variable;
}

llvm::Value *safeAddress(const KernelContext &context, llvm::Value *base) {
  // Shared memory has at least 16 bytes.
  bool isLds = base->getType()->getPointerAddressSpace() == ldsSpace;
  return isLds ? base : context.safeAddress;
}

llvm::Value *byteOffset(KernelContext &context, llvm::Value *pointer, llvm::Value *bytes) {
  auto *constant = llvm::dyn_cast<llvm::ConstantInt>(bytes);
  if (constant && constant->isZero())
    return pointer;
  return context.ir.CreateGEP(context.ir.getInt8Ty(), pointer, bytes);
}

void loadElements(KernelContext &context, llvm::Value *pointer, DType dtype, uint32_t alignment,
                  std::span<llvm::Value *> elements) {
  Builder &ir = context.ir;
  unsigned count = unsigned(elements.size());
  llvm::Type *type = context.emitter.memoryType(dtype, count == 1 ? 0 : count);
  llvm::Value *loaded = ir.CreateAlignedLoad(type, pointer, llvm::Align(alignment));
  for (unsigned i = 0; i < count; ++i) {
    llvm::Value *element = count == 1 ? loaded : ir.CreateExtractElement(loaded, uint64_t(i));
    elements[i] = context.emitter.fromMemory(element, dtype);
  }
}

void storeElements(KernelContext &context, llvm::Value *pointer, DType dtype,
                   std::span<llvm::Value *const> elements, uint32_t alignment) {
  Builder &ir = context.ir;
  unsigned count = unsigned(elements.size());
  if (count == 1) {
    ir.CreateAlignedStore(context.emitter.toMemory(elements[0], dtype), pointer,
                          llvm::Align(alignment));
    return;
  }
  llvm::Value *all = llvm::PoisonValue::get(context.emitter.memoryType(dtype, count));
  for (unsigned i = 0; i < count; ++i)
    all = ir.CreateInsertElement(all, context.emitter.toMemory(elements[i], dtype), uint64_t(i));
  ir.CreateAlignedStore(all, pointer, llvm::Align(alignment));
}

} // namespace tl::gpu
