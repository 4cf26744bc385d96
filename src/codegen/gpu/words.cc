#include "codegen/gpu/words.h"

namespace tl::gpu {

/// Applies `move` to the 32-bit words of a value of any register type.
static llvm::Value *mapWords(KernelContext &context, llvm::Value *value,
                             llvm::function_ref<llvm::Value *(llvm::Value *)> move) {
  Builder &ir = context.ir;
  llvm::Type *type = value->getType();
  unsigned bits = type->getPrimitiveSizeInBits().getFixedValue();
  llvm::Type *asInteger = ir.getIntNTy(bits);
  llvm::Value *number = ir.CreateBitCast(value, asInteger);
  if (bits <= 32) {
    llvm::Value *word = move(ir.CreateZExt(number, ir.getInt32Ty()));
    number = ir.CreateTrunc(word, asInteger);
  } else {
    llvm::Type *pair = llvm::FixedVectorType::get(ir.getInt32Ty(), bits / 32);
    llvm::Value *words = ir.CreateBitCast(number, pair), *moved = llvm::PoisonValue::get(pair);
    for (uint64_t i = 0; i < bits / 32; ++i)
      moved = ir.CreateInsertElement(moved, move(ir.CreateExtractElement(words, i)), i);
    number = ir.CreateBitCast(moved, asInteger);
  }
  return ir.CreateBitCast(number, type);
}

llvm::Value *laneXor(KernelContext &context, llvm::Value *value, uint32_t mask) {
  return mapWords(context, value,
                  [&](llvm::Value *word) { return context.target.wordXor(context, word, mask); });
}

llvm::Value *laneFrom(KernelContext &context, llvm::Value *value, llvm::Value *from) {
  return mapWords(context, value,
                  [&](llvm::Value *word) { return context.target.wordFrom(context, word, from); });
}

llvm::Value *uniform(KernelContext &context, llvm::Value *value) {
  if (llvm::isa<llvm::Constant>(value))
    return value;
  return mapWords(context, value,
                  [&](llvm::Value *word) { return context.target.uniformWord(context.ir, word); });
}

} // namespace tl::gpu
