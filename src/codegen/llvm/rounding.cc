#include "codegen/llvm/rounding.h"

namespace tl {

using llvm::Value;

llvm::Type *withElement(llvm::Type *shape, llvm::Type *element) {
  auto *vector = llvm::dyn_cast<llvm::VectorType>(shape);
  return vector ? llvm::VectorType::get(element, vector) : element;
}

static llvm::Type *bitsType(llvm::Type *type) {
  return withElement(type, llvm::IntegerType::get(type->getContext(), type->getScalarSizeInBits()));
}

static llvm::Constant *integer(llvm::Type *type, uint64_t value) {
  return llvm::ConstantInt::get(type, value);
}

// Moves an inexact nearest result with an even significand to its odd neighbour, the exact value's
// other side.
static Value *oddNeighbour(llvm::IRBuilderBase &ir, Value *nearest, Value *inexact,
                           Value *exactIsLarger) {
  llvm::Type *type = bitsType(nearest->getType());
  Value *bits = ir.CreateBitCast(nearest, type);
  Value *even = ir.CreateICmpEQ(ir.CreateAnd(bits, integer(type, 1)), integer(type, 0));
  Value *step =
      ir.CreateSelect(exactIsLarger, integer(type, 1), llvm::ConstantInt::getSigned(type, -1));
  Value *moved = ir.CreateSelect(ir.CreateAnd(inexact, even), ir.CreateAdd(bits, step), bits);
  return ir.CreateBitCast(moved, nearest->getType());
}

Value *truncateToOdd(llvm::IRBuilderBase &ir, Value *value) {
  Value *nearest = ir.CreateFPTrunc(value, withElement(value->getType(), ir.getFloatTy()));
  Value *back = ir.CreateFPExt(nearest, value->getType());
  Value *larger = ir.CreateFCmpOGT(ir.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, value),
                                   ir.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, back));
  return oddNeighbour(ir, nearest, ir.CreateFCmpONE(value, back), larger);
}

// The rounding error of the sum is exact (Knuth's TwoSum).
Value *addToOdd(llvm::IRBuilderBase &ir, Value *a, Value *b) {
  Value *sum = ir.CreateFAdd(a, b);
  Value *part = ir.CreateFSub(sum, a);
  Value *error = ir.CreateFAdd(ir.CreateFSub(a, ir.CreateFSub(sum, part)), ir.CreateFSub(b, part));
  llvm::Type *type = bitsType(sum->getType());
  Value *signs = ir.CreateXor(ir.CreateBitCast(error, type), ir.CreateBitCast(sum, type));
  Value *larger = ir.CreateICmpSGE(signs, integer(type, 0));
  return oddNeighbour(ir, sum, ir.CreateFCmpONE(error, llvm::ConstantFP::get(sum->getType(), 0)),
                      larger);
}

Value *extendBf16(llvm::IRBuilderBase &ir, Value *bits) {
  llvm::Type *word = withElement(bits->getType(), ir.getInt32Ty());
  Value *high = ir.CreateShl(ir.CreateZExt(bits, word), integer(word, 16));
  return ir.CreateBitCast(high, withElement(bits->getType(), ir.getFloatTy()));
}

static Value *highHalf(llvm::IRBuilderBase &ir, Value *word) {
  Value *high = ir.CreateLShr(word, integer(word->getType(), 16));
  return ir.CreateTrunc(high, withElement(word->getType(), ir.getInt16Ty()));
}

Value *truncateExactBf16(llvm::IRBuilderBase &ir, Value *value) {
  return highHalf(ir, ir.CreateBitCast(value, bitsType(value->getType())));
}

// Half an ulp less one, plus the last bit kept, carries exactly where nearest even rounds up. NaN
// stays NaN: it is made quiet, so that a payload in the low bits alone does not vanish.
Value *truncateToBf16(llvm::IRBuilderBase &ir, Value *value) {
  llvm::Type *word = bitsType(value->getType());
  Value *bits = ir.CreateBitCast(value, word);
  Value *last = ir.CreateAnd(ir.CreateLShr(bits, integer(word, 16)), integer(word, 1));
  Value *rounded = ir.CreateAdd(ir.CreateAdd(bits, integer(word, 0x7fff)), last);
  Value *quiet = ir.CreateOr(bits, integer(word, 0x400000));
  return highHalf(ir, ir.CreateSelect(ir.CreateFCmpUNO(value, value), quiet, rounded));
}

} // namespace tl
