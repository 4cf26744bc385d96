#include "codegen/llvm/narrow_atomics.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

namespace tl {

static bool isNarrowOrOfNothing(const llvm::AtomicRMWInst &atomic) {
  auto *given = llvm::dyn_cast<llvm::ConstantInt>(atomic.getValOperand());
  return atomic.getOperation() == llvm::AtomicRMWInst::Or && given && given->isZero() &&
         given->getBitWidth() < 32;
}

llvm::PreservedAnalyses ReplaceNarrowOrs::run(llvm::Function &function,
                                              llvm::FunctionAnalysisManager &) {
  for (llvm::Instruction &instruction : llvm::instructions(function))
    if (auto *atomic = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction))
      if (isNarrowOrOfNothing(*atomic))
        atomic->setOperation(llvm::AtomicRMWInst::Add);
  return llvm::PreservedAnalyses::all();
}

} // namespace tl
