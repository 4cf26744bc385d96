#include "codegen/llvm/wide_shifts.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/KnownBits.h"

namespace tl {

llvm::PreservedAnalyses NarrowShiftAmounts::run(llvm::Function &function,
                                                llvm::FunctionAnalysisManager &) {
  const llvm::DataLayout &layout = function.getParent()->getDataLayout();
  constexpr uint64_t widest = 64;
  bool changed = false;
  for (llvm::Instruction &shift : llvm::instructions(function)) {
    if (!shift.isShift() || shift.getType()->getScalarSizeInBits() != widest)
      continue;
    llvm::Value *amount = shift.getOperand(1);
    if (llvm::computeKnownBits(amount, layout).getMaxValue().getActiveBits() <= 32)
      continue;
    llvm::IRBuilder<> ir(&shift);
    shift.setOperand(1, ir.CreateAnd(amount, widest - 1));
    changed = true;
  }
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

} // namespace tl
