#include "codegen/gpu/loop.h"

namespace tl::gpu {

Carried emitLoop(KernelContext &context, int64_t begin, int64_t trips, uint32_t stride,
                 Carried carried, const LoopStep &step) {
  Builder &ir = context.ir;
  if (trips == 1)
    return step(context.i32(begin), std::move(carried));
  llvm::BasicBlock *before = ir.GetInsertBlock();
  auto *body = llvm::BasicBlock::Create(ir.getContext(), "", &context.function);
  auto *after = llvm::BasicBlock::Create(ir.getContext(), "", &context.function);
  ir.CreateBr(body);
  ir.SetInsertPoint(body);
  llvm::PHINode *index = ir.CreatePHI(ir.getInt32Ty(), 2);
  index->addIncoming(context.i32(begin), before);
  std::vector<llvm::PHINode *> phis;
  for (llvm::Value *&value : carried) {
    phis.push_back(ir.CreatePHI(value->getType(), 2));
    phis.back()->addIncoming(value, before);
    value = phis.back();
  }
  carried = step(index, std::move(carried));
  llvm::Value *next = ir.CreateAdd(index, context.i32(stride));
  llvm::BasicBlock *end = ir.GetInsertBlock(); // the step may have branched
  index->addIncoming(next, end);
  for (size_t i = 0; i < carried.size(); ++i)
    phis[i]->addIncoming(carried[i], end);
  keepRolled(context, ir.CreateCondBr(ir.CreateICmpULT(next, context.i32(begin + trips * stride)),
                                      body, after));
  ir.SetInsertPoint(after);
  return carried;
}

} // namespace tl::gpu
