#include "codegen/gpu/matrix.h"

#include "llvm/IR/IntrinsicsAMDGPU.h"

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
                                         : mfmaResult;
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

Value *emitMatrix(llvm::IRBuilderBase &ir, const MatrixInstruction &row, Value *a, Value *b,
                  Value *c) {
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
    break;
  }
  return ir.CreateIntrinsic(
      row.intrinsic, {c->getType(), type},
      {ir.getInt1(isSigned(row.a)), a, ir.getInt1(isSigned(row.b)), b, c, ir.getFalse()});
}

} // namespace tl::gpu
