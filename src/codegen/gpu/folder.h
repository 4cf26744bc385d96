// What the builder simplifies while it emits: operations on constants, and operations of which one
// constant operand decides the result. It never looks behind an operand, so that phis may still
// wait for their second value (LLVM's InstSimplifyFolder would take such a phi for its first one).
#pragma once

#include "llvm/IR/ConstantFolder.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/PatternMatch.h"

namespace tl::gpu {

class IdentityFolder final : public llvm::IRBuilderFolder {
  using Value = llvm::Value;
  using Opcode = llvm::Instruction::BinaryOps;
  llvm::ConstantFolder constants;

  /// The result if an integer operation has an identity or a zero as operand.
  static Value *identity(Opcode opcode, Value *a, Value *b) {
    using namespace llvm::PatternMatch;
    switch (opcode) {
    case llvm::Instruction::Add:
      return match(a, m_Zero()) ? b : match(b, m_Zero()) ? a : nullptr;
    case llvm::Instruction::Mul:
      if (match(a, m_Zero()) || match(b, m_One()))
        return a;
      return match(b, m_Zero()) || match(a, m_One()) ? b : nullptr;
    case llvm::Instruction::And:
      if (match(a, m_Zero()) || match(b, m_AllOnes()) || a == b)
        return a;
      return match(b, m_Zero()) || match(a, m_AllOnes()) ? b : nullptr;
    case llvm::Instruction::Or:
      if (match(b, m_Zero()) || match(a, m_AllOnes()) || a == b)
        return a;
      return match(a, m_Zero()) || match(b, m_AllOnes()) ? b : nullptr;
    case llvm::Instruction::Sub:
    case llvm::Instruction::Shl:
    case llvm::Instruction::LShr:
    case llvm::Instruction::AShr:
      return match(b, m_Zero()) ? a : nullptr;
    default:
      return nullptr;
    }
  }

public:
  Value *FoldBinOp(Opcode opcode, Value *a, Value *b) const override {
    Value *folded = constants.FoldBinOp(opcode, a, b);
    return folded ? folded : identity(opcode, a, b);
  }
  Value *FoldExactBinOp(Opcode opcode, Value *a, Value *b, bool isExact) const override {
    Value *folded = constants.FoldExactBinOp(opcode, a, b, isExact);
    return folded ? folded : identity(opcode, a, b);
  }
  Value *FoldNoWrapBinOp(Opcode opcode, Value *a, Value *b, bool nuw, bool nsw) const override {
    Value *folded = constants.FoldNoWrapBinOp(opcode, a, b, nuw, nsw);
    return folded ? folded : identity(opcode, a, b);
  }
  Value *FoldSelect(Value *condition, Value *yes, Value *no) const override {
    if (auto *known = llvm::dyn_cast<llvm::ConstantInt>(condition))
      return known->isOne() ? yes : no;
    return yes == no ? yes : constants.FoldSelect(condition, yes, no);
  }

  // Constants only.
  Value *FoldBinOpFMF(Opcode opcode, Value *a, Value *b, llvm::FastMathFlags flags) const override {
    return constants.FoldBinOpFMF(opcode, a, b, flags);
  }
  Value *FoldUnOpFMF(llvm::Instruction::UnaryOps opcode, Value *a,
                     llvm::FastMathFlags flags) const override {
    return constants.FoldUnOpFMF(opcode, a, flags);
  }
  Value *FoldCmp(llvm::CmpInst::Predicate predicate, Value *a, Value *b) const override {
    return constants.FoldCmp(predicate, a, b);
  }
  Value *FoldGEP(llvm::Type *type, Value *pointer, llvm::ArrayRef<Value *> indices,
                 llvm::GEPNoWrapFlags flags) const override {
    return constants.FoldGEP(type, pointer, indices, flags);
  }
  Value *FoldExtractValue(Value *value, llvm::ArrayRef<unsigned> indices) const override {
    return constants.FoldExtractValue(value, indices);
  }
  Value *FoldInsertValue(Value *value, Value *element,
                         llvm::ArrayRef<unsigned> indices) const override {
    return constants.FoldInsertValue(value, element, indices);
  }
  Value *FoldExtractElement(Value *vector, Value *index) const override {
    return constants.FoldExtractElement(vector, index);
  }
  Value *FoldInsertElement(Value *vector, Value *element, Value *index) const override {
    return constants.FoldInsertElement(vector, element, index);
  }
  Value *FoldShuffleVector(Value *a, Value *b, llvm::ArrayRef<int> mask) const override {
    return constants.FoldShuffleVector(a, b, mask);
  }
  Value *FoldCast(llvm::Instruction::CastOps opcode, Value *value,
                  llvm::Type *type) const override {
    return constants.FoldCast(opcode, value, type);
  }
  Value *FoldBinaryIntrinsic(llvm::Intrinsic::ID id, Value *a, Value *b, llvm::Type *type,
                             llvm::Instruction *flags) const override {
    return constants.FoldBinaryIntrinsic(id, a, b, type, flags);
  }
  Value *CreatePointerCast(llvm::Constant *value, llvm::Type *type) const override {
    return constants.CreatePointerCast(value, type);
  }
  Value *CreatePointerBitCastOrAddrSpaceCast(llvm::Constant *value,
                                             llvm::Type *type) const override {
    return constants.CreatePointerBitCastOrAddrSpaceCast(value, type);
  }
};

} // namespace tl::gpu
