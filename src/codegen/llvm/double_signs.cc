#include "codegen/llvm/double_signs.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"

namespace tl {

namespace {

constexpr uint32_t sign = uint32_t(1) << 31;

llvm::Value *negated(llvm::IRBuilder<> &ir, llvm::Value *word) { return ir.CreateXor(word, sign); }
llvm::Value *withoutSign(llvm::IRBuilder<> &ir, llvm::Value *word) {
  return ir.CreateAnd(word, ~sign);
}

/// Changes the upper half of a double, or of each element of a vector. Of an integer of 64 bits
/// LLVM would make neg and abs again.
llvm::Value *mapHighWords(llvm::IRBuilder<> &ir, llvm::Value *value,
                          llvm::Value *(*change)(llvm::IRBuilder<> &, llvm::Value *)) {
  auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(value->getType());
  const unsigned count = vector ? vector->getNumElements() : 1;
  auto *halves = llvm::FixedVectorType::get(ir.getInt32Ty(), 2 * count);
  llvm::Value *words = ir.CreateBitCast(value, halves);
  for (uint64_t i = 1; i < 2 * count; i += 2)
    words = ir.CreateInsertElement(words, change(ir, ir.CreateExtractElement(words, i)), i);
  return ir.CreateBitCast(words, value->getType());
}

} // namespace

llvm::PreservedAnalyses ChangeDoubleSigns::run(llvm::Function &function,
                                               llvm::FunctionAnalysisManager &) {
  using namespace llvm::PatternMatch;
  bool changed = false;
  for (llvm::Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    llvm::Value *value = nullptr;
    const bool isNeg = match(&instruction, m_FNeg(m_Value(value)));
    if (!instruction.getType()->getScalarType()->isDoubleTy() ||
        (!isNeg && !match(&instruction, m_FAbs(m_Value(value)))))
      continue;
    llvm::IRBuilder<> ir(&instruction);
    instruction.replaceAllUsesWith(isNeg ? mapHighWords(ir, value, negated)
                                         : mapHighWords(ir, value, withoutSign));
    instruction.eraseFromParent();
    changed = true;
  }
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

} // namespace tl
