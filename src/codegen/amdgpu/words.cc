#include "codegen/amdgpu/words.h"

#include "llvm/IR/IntrinsicsAMDGPU.h"

namespace tl::amdgpu {

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

/// The control word of DPP that exchanges lanes whose numbers differ by `mask`, or 0.
static uint32_t dppControl(const AmdChip &chip, uint32_t mask) {
  constexpr uint32_t quadXor1 = 1 | 0 << 2 | 3 << 4 | 2 << 6; // quad_perm:[1,0,3,2]
  constexpr uint32_t quadXor2 = 2 | 3 << 2 | 0 << 4 | 1 << 6; // quad_perm:[2,3,0,1]
  constexpr uint32_t rowXmask = 0x160;
  if (mask <= 2)
    return mask == 1 ? quadXor1 : quadXor2;
  return chip.rowXmask && mask < 16 ? rowXmask + mask : 0;
}

llvm::Value *laneXor(KernelContext &context, llvm::Value *value, uint32_t mask) {
  Builder &ir = context.ir;
  if (uint32_t control = dppControl(context.chip, mask))
    return mapWords(context, value, [&](llvm::Value *word) -> llvm::Value * {
      return ir.CreateIntrinsic(llvm::Intrinsic::amdgcn_update_dpp, {ir.getInt32Ty()},
                                {llvm::PoisonValue::get(ir.getInt32Ty()), word,
                                 context.i32(control), context.i32(15), context.i32(15),
                                 ir.getTrue()});
    });
  llvm::Value *lane = ir.CreateAnd(context.thread, context.i32(context.waveSize() - 1));
  return laneFrom(context, value, ir.CreateXor(lane, context.i32(mask)));
}

llvm::Value *laneFrom(KernelContext &context, llvm::Value *value, llvm::Value *from) {
  Builder &ir = context.ir;
  llvm::Value *address = ir.CreateShl(from, 2);
  return mapWords(context, value, [&](llvm::Value *word) -> llvm::Value * {
    return ir.CreateIntrinsic(llvm::Intrinsic::amdgcn_ds_bpermute, {}, {address, word});
  });
}

llvm::Value *uniform(KernelContext &context, llvm::Value *value) {
  if (llvm::isa<llvm::Constant>(value))
    return value;
  return mapWords(context, value, [&](llvm::Value *word) -> llvm::Value * {
    return context.ir.CreateIntrinsic(llvm::Intrinsic::amdgcn_readfirstlane,
                                      {context.ir.getInt32Ty()}, {word});
  });
}

} // namespace tl::amdgpu
