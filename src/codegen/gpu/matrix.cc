#include "codegen/gpu/matrix.h"

#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

namespace tl::gpu {

using llvm::Value;

static constexpr MatrixInstruction instructions[] = {
#define TL_MATRIX(FAMILY, A, B, K, PER_LANE, OPERAND, CALL, INTRINSIC)                             \
  {MatrixFamily::FAMILY,                                                                           \
   DType::A,                                                                                       \
   DType::B,                                                                                       \
   K,                                                                                              \
   PER_LANE,                                                                                       \
   MatrixInstruction::Operand::OPERAND,                                                            \
   MatrixInstruction::Call::CALL,                                                                  \
   llvm::Intrinsic::INTRINSIC},
#include "codegen/gpu/matrix.def"
};

const MatrixInstruction *findMatrixInstruction(MatrixFamily family, DType a, DType b) {
  for (const MatrixInstruction &row : instructions)
    if (row.family == family && row.a == a && row.b == b)
      return &row;
  return nullptr;
}

const ResultFragment &resultFragment(MatrixFamily family) {
  return family == MatrixFamily::Rdna3   ? wmma3Result
         : family == MatrixFamily::Rdna4 ? wmma4Result
         : family == MatrixFamily::Sm80  ? mmaResult
                                         : mfmaResult;
}

Value *lineOfLane(llvm::IRBuilderBase &ir, const MatrixInstruction &row, Value *lane) {
  return row.call == MatrixInstruction::Call::Mma ? ir.CreateLShr(lane, 2) : ir.CreateAnd(lane, 15);
}

Value *partOfLane(llvm::IRBuilderBase &ir, const MatrixInstruction &row, Value *lane) {
  if (row.perLane == row.k)
    return ir.getInt32(0);
  return row.call == MatrixInstruction::Call::Mma ? ir.CreateAnd(lane, 3) : ir.CreateLShr(lane, 4);
}

static llvm::Type *operandType(llvm::IRBuilderBase &ir, const MatrixInstruction &row) {
  using Operand = MatrixInstruction::Operand;
  switch (row.operand) {
  case Operand::Halves:
    return llvm::FixedVectorType::get(ir.getHalfTy(), row.perLane);
  case Operand::Words16:
    return llvm::FixedVectorType::get(ir.getInt16Ty(), row.perLane);
  case Operand::Bfloats:
    return llvm::FixedVectorType::get(ir.getBFloatTy(), row.perLane);
  case Operand::Word64:
    return ir.getInt64Ty();
  case Operand::Words32:
    break;
  }
  return llvm::FixedVectorType::get(ir.getInt32Ty(), row.perLane * dtypeBytes(row.a) / 4);
}

/// Four mma.m16n8: two steps of 32 bytes along K for each half of the columns. A lane has 16 bytes
/// side by side of each of its lines, where the instructions' documents have 4 and 4 further on,
/// for both factors alike: the order of K does not matter.
static Value *emitMma(llvm::IRBuilderBase &ir, const MatrixInstruction &row, Value *a, Value *b,
                      Value *c) {
  llvm::Type *word = row.operand == MatrixInstruction::Operand::Halves
                         ? (llvm::Type *)llvm::FixedVectorType::get(ir.getHalfTy(), 2)
                         : ir.getInt32Ty();
  auto at = [&](Value *words, uint64_t i) {
    return ir.CreateBitCast(ir.CreateExtractElement(words, i), word);
  };
  constexpr uint64_t otherLine = 4;
  for (uint64_t half = 0; half < 2; ++half)
    for (uint64_t step = 0; step < 4; step += 2) {
      const uint64_t column = otherLine * half + step, sum = 4 * half;
      std::vector<Value *> operands = {at(a, step),     at(a, step + otherLine),
                                       at(a, step + 1), at(a, step + 1 + otherLine),
                                       at(b, column),   at(b, column + 1)};
      for (uint64_t i = 0; i < 4; ++i)
        operands.push_back(ir.CreateExtractElement(c, sum + i));
      Value *result = ir.CreateIntrinsic(row.intrinsic, {}, operands);
      for (uint64_t i = 0; i < 4; ++i)
        c = ir.CreateInsertElement(c, ir.CreateExtractValue(result, unsigned(i)), sum + i);
    }
  return c;
}

Value *emitMatrix(llvm::IRBuilderBase &ir, const MatrixInstruction &row, Value *a, Value *b,
                  Value *c) {
  if (row.call == MatrixInstruction::Call::Mma)
    return emitMma(ir, row, a, b, c);
  llvm::Type *type = operandType(ir, row);
  a = ir.CreateBitCast(a, type);
  b = ir.CreateBitCast(b, type);
  switch (row.call) {
  case MatrixInstruction::Call::Mfma: // neither broadcasts nor negations
    return ir.CreateIntrinsic(row.intrinsic, {},
                              {a, b, c, ir.getInt32(0), ir.getInt32(0), ir.getInt32(0)});
  case MatrixInstruction::Call::Wmma:
    return ir.CreateIntrinsic(row.intrinsic, {c->getType(), type}, {a, b, c});
  case MatrixInstruction::Call::WmmaSigned:
  case MatrixInstruction::Call::Mma:
    break;
  }
  return ir.CreateIntrinsic(
      row.intrinsic, {c->getType(), type},
      {ir.getInt1(isSigned(row.a)), a, ir.getInt1(isSigned(row.b)), b, c, ir.getFalse()});
}

} // namespace tl::gpu
