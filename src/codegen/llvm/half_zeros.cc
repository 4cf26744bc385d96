#include "codegen/llvm/half_zeros.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

namespace tl {

namespace {

bool isNegativeZero(const llvm::Value *value) {
  auto *constant = llvm::dyn_cast_or_null<llvm::ConstantFP>(value);
  return constant && constant->getType()->isHalfTy() && constant->isZero() &&
         constant->isNegative();
}

/// Replaces the constants of one function.
class Replacer {
public:
  explicit Replacer(llvm::Function &function) : function(function) {}

  bool run() {
    bool changed = false;
    for (llvm::Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(function)))
      if (llvm::isa<llvm::InsertElementInst, llvm::ShuffleVectorInst, llvm::StoreInst>(instruction))
        for (llvm::Use &use : instruction.operands())
          changed |= replace(use, instruction);
    return changed;
  }

private:
  llvm::Function &function;
  llvm::Value *zero = nullptr; // of the whole function, made when it is needed

  llvm::Value *negativeZero() {
    if (zero)
      return zero;
    llvm::IRBuilder<> ir(&*function.getEntryBlock().getFirstInsertionPt());
    auto *type = llvm::FunctionType::get(ir.getInt32Ty(), false);
    llvm::Value *bits =
        ir.CreateCall(llvm::InlineAsm::get(type, "s_mov_b32 $0, 0x8000", "=s", false));
    zero = ir.CreateBitCast(ir.CreateTrunc(bits, ir.getInt16Ty()), ir.getHalfTy());
    return zero;
  }

  bool replace(llvm::Use &use, llvm::Instruction &user) {
    if (isNegativeZero(use)) {
      use = negativeZero();
      return true;
    }
    // A vector that is stored whole is a constant as a whole: right.
    auto *vector = llvm::dyn_cast<llvm::Constant>(use);
    auto *type = llvm::dyn_cast<llvm::FixedVectorType>(use->getType());
    if (!vector || !type || !type->getElementType()->isHalfTy() || llvm::isa<llvm::StoreInst>(user))
      return false;
    llvm::IRBuilder<> ir(&user);
    llvm::Value *rebuilt = nullptr;
    for (unsigned i = 0; i < type->getNumElements(); ++i) {
      if (!isNegativeZero(vector->getAggregateElement(i)))
        continue;
      rebuilt = rebuilt ? rebuilt : vector;
      rebuilt = ir.CreateInsertElement(rebuilt, negativeZero(), uint64_t(i));
    }
    if (rebuilt)
      use = rebuilt;
    return rebuilt != nullptr;
  }
};

} // namespace

llvm::PreservedAnalyses KeepHalfZeroSigns::run(llvm::Function &function,
                                               llvm::FunctionAnalysisManager &) {
  if (function.isDeclaration() || !Replacer(function).run())
    return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

} // namespace tl
