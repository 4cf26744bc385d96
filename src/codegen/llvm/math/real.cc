#include "codegen/llvm/math/real.h"

#include "llvm/IR/MDBuilder.h"

namespace tl::math {

static llvm::Type *integerLike(llvm::Type *type) {
  llvm::Type *scalar = llvm::IntegerType::get(type->getContext(), type->getScalarSizeInBits());
  auto *vector = llvm::dyn_cast<llvm::VectorType>(type);
  return vector ? llvm::VectorType::get(scalar, vector) : scalar;
}

Real::Real(llvm::IRBuilderBase &builder, llvm::Type *type)
    : ir(builder), type(type), intType(integerLike(type)), flags(builder) {
  ir.clearFastMathFlags();
  ir.setDefaultFPMathTag(nullptr);
}

Value *Real::constant(double value) const { return llvm::ConstantFP::get(type, value); }
Value *Real::infinity(bool negative) const { return llvm::ConstantFP::getInfinity(type, negative); }
Value *Real::nan() const { return llvm::ConstantFP::getNaN(type); }

Value *Real::fma(Value *a, Value *b, Value *c) {
  return ir.CreateIntrinsic(llvm::Intrinsic::fma, {type}, {a, b, c});
}

Value *Real::withSignOf(Value *magnitude, Value *sign) {
  return ir.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, magnitude, sign);
}

Value *Real::polynomial(Value *x, std::span<const double> coefficients) {
  Value *sum = constant(coefficients.back());
  for (size_t k = coefficients.size() - 1; k-- > 0;)
    sum = fma(sum, x, constant(coefficients[k]));
  return sum;
}

Value *Real::clamp(Value *x, double low, double high) {
  x = select(ir.CreateFCmpOGT(x, constant(high)), constant(high), x);
  return select(ir.CreateFCmpOLT(x, constant(low)), constant(low), x);
}

// Added to 1.5 * 2^(precision - 1), a number loses its fraction to rounding to nearest even, and
// the integer stands in the low bits of the sum.
Real::Rounded Real::roundToInteger(Value *a, Value *b) {
  Value *sum = fma(a, b, constant(magic()));
  return {sub(sum, constant(magic())), ir.CreateSub(bits(sum), bits(constant(magic())))};
}

Value *Real::fromInteger(Value *n) {
  return sub(fromBits(ir.CreateAdd(n, bits(constant(magic())))), constant(magic()));
}

Value *Real::powerOfTwo(Value *biasedExponent) {
  return fromBits(ir.CreateShl(biasedExponent, integer(significandBits())));
}

// The first product is exact, so only the second rounds. Half of n by a logical shift: x86 before
// AVX-512 has no arithmetic one for 64 bits.
Value *Real::scale(Value *x, Value *n) {
  constexpr int64_t offset = 4096;
  Value *half = ir.CreateLShr(ir.CreateAdd(n, integer(offset)), integer(1)); // n / 2 + offset / 2
  Value *first = ir.CreateAdd(half, integer(bias() - offset / 2));
  Value *second = ir.CreateAdd(ir.CreateSub(n, half), integer(bias() + offset / 2));
  return mul(mul(x, powerOfTwo(first)), powerOfTwo(second));
}

Value *Real::flippedBy(Value *sign, Value *magnitude) {
  Value *mask = integer(INT64_MIN >> (64 - intType->getScalarSizeInBits()));
  return fromBits(ir.CreateXor(bits(magnitude), ir.CreateAnd(sign, mask)));
}

/// Ends the builder's block here: what follows moves to a new block, which is returned.
static llvm::BasicBlock *splitHere(llvm::IRBuilderBase &ir) {
  llvm::BasicBlock *before = ir.GetInsertBlock();
  auto *after =
      llvm::BasicBlock::Create(ir.getContext(), "", before->getParent(), before->getNextNode());
  if (ir.GetInsertPoint() != before->end()) {
    after->splice(after->end(), before, ir.GetInsertPoint(), before->end());
    after->replaceSuccessorsPhiUsesWith(before, after);
  }
  ir.SetInsertPoint(before);
  return after;
}

Real::Values Real::inRareLanes(Value *rare, const Values &common,
                               llvm::function_ref<Values()> compute) {
  Value *any = rare->getType()->isVectorTy() ? ir.CreateOrReduce(rare) : rare;
  llvm::DebugLoc location = ir.getCurrentDebugLocation();
  llvm::BasicBlock *before = ir.GetInsertBlock(), *after = splitHere(ir);
  auto *block = llvm::BasicBlock::Create(ir.getContext(), "rare", before->getParent(), after);
  ir.CreateCondBr(any, block, after,
                  llvm::MDBuilder(ir.getContext()).createUnlikelyBranchWeights());
  ir.SetInsertPoint(block);
  ir.SetCurrentDebugLocation(location);
  Values computed = compute();
  for (size_t i = 0; i < common.size(); ++i)
    computed[i] = select(rare, computed[i], common[i]);
  llvm::BasicBlock *end = ir.GetInsertBlock();
  ir.CreateBr(after);
  ir.SetInsertPoint(after, after->begin());
  ir.SetCurrentDebugLocation(location);
  Values result;
  for (size_t i = 0; i < common.size(); ++i) {
    llvm::PHINode *phi = ir.CreatePHI(common[i]->getType(), 2);
    phi->addIncoming(common[i], before);
    phi->addIncoming(computed[i], end);
    result.push_back(phi);
  }
  return result;
}

} // namespace tl::math
