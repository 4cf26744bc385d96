// Float rows of ops.def. f16 and bf16 are computed in float and rounded once; for +, -, *, / and
// sqrt that equals rounding the exact result, since float has more than twice their precision
// (Figueroa, 1995).
#include "codegen/llvm/emitter.h"
#include "codegen/llvm/math/fast_amd.h"
#include "codegen/llvm/math/math.h"
#include "codegen/llvm/rounding.h"

namespace tl {

using llvm::Value;

static bool isSmall(DType dtype) { return dtype == DType::F16 || dtype == DType::BF16; }

Value *ElementEmitter::minMax(Opcode opcode, Value *a, Value *b, DType dtype) {
  auto id = opcode == Opcode::Min      ? llvm::Intrinsic::minimum
            : opcode == Opcode::Max    ? llvm::Intrinsic::maximum
            : opcode == Opcode::MinNum ? llvm::Intrinsic::minimumnum
                                       : llvm::Intrinsic::maximumnum;
  auto hidden = [&](Value *v) {
    return options.hidesNumbers ? ir.CreateUnaryIntrinsic(llvm::Intrinsic::arithmetic_fence, v) : v;
  };
  if (!isSmall(dtype) || (dtype == DType::F16 && options.nativeHalf))
    return ir.CreateBinaryIntrinsic(id, hidden(a), hidden(b));
  Value *result =
      ir.CreateBinaryIntrinsic(id, hidden(toFloat(a, dtype)), hidden(toFloat(b, dtype)));
  return dtype == DType::BF16 ? truncateExactBf16(ir, result) : fromFloat(result, dtype);
}

// On bits where the target has no instructions for the type, or it would convert and so change
// NaNs.
Value *ElementEmitter::negateOrAbs(Opcode opcode, Value *a, DType dtype) {
  bool negate = opcode == Opcode::Neg;
  if (!isSmall(dtype) || (dtype == DType::F16 && options.nativeHalf))
    return negate ? ir.CreateFNeg(a) : ir.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, a);
  llvm::Type *type = withElement(a->getType(), ir.getInt16Ty());
  Value *bits = ir.CreateBitCast(a, type);
  bits = negate ? ir.CreateXor(bits, llvm::ConstantInt::get(type, 0x8000))
                : ir.CreateAnd(bits, llvm::ConstantInt::get(type, 0x7fff));
  return ir.CreateBitCast(bits, a->getType());
}

// A product of two f16 is exact in float, one of two bf16 in double; the sum is rounded to odd
// until the last step.
Value *ElementEmitter::fma(std::span<Value *const> operands, DType dtype) {
  if (!isSmall(dtype) || (dtype == DType::F16 && options.nativeHalf))
    return ir.CreateIntrinsic(llvm::Intrinsic::fma, {operands[0]->getType()}, operands);
  Value *wide[3];
  for (int i = 0; i < 3; ++i) {
    wide[i] = toFloat(operands[i], dtype);
    if (dtype == DType::BF16)
      wide[i] = ir.CreateFPExt(wide[i], withElement(wide[i]->getType(), ir.getDoubleTy()));
  }
  Value *sum = addToOdd(ir, ir.CreateFMul(wide[0], wide[1]), wide[2]);
  return fromFloat(dtype == DType::BF16 ? truncateToOdd(ir, sum) : sum, dtype);
}

// Exact, so that f16 and bf16 need not be rounded again.
Value *ElementEmitter::roundToIntegral(Opcode opcode, Value *a, DType dtype) {
  auto id = opcode == Opcode::Floor   ? llvm::Intrinsic::floor
            : opcode == Opcode::Ceil  ? llvm::Intrinsic::ceil
            : opcode == Opcode::Trunc ? llvm::Intrinsic::trunc
                                      : llvm::Intrinsic::roundeven;
  if (!isSmall(dtype) || (dtype == DType::F16 && options.nativeHalf))
    return ir.CreateUnaryIntrinsic(id, a);
  Value *result = ir.CreateUnaryIntrinsic(id, toFloat(a, dtype));
  return dtype == DType::BF16 ? truncateExactBf16(ir, result) : fromFloat(result, dtype);
}

Value *ElementEmitter::floatArithmetic(Opcode opcode, std::span<Value *const> operands) {
  Value *a = operands[0];
  llvm::IRBuilderBase::FastMathFlagGuard guard(ir);
  llvm::FastMathFlags flags;
  flags.setAllowContract(options.contract);
  switch (opcode) {
  case Opcode::Add:
    ir.setFastMathFlags(flags);
    return ir.CreateFAdd(a, operands[1]);
  case Opcode::Sub:
    ir.setFastMathFlags(flags);
    return ir.CreateFSub(a, operands[1]);
  case Opcode::Mul:
    ir.setFastMathFlags(flags);
    return ir.CreateFMul(a, operands[1]);
  case Opcode::Div:
    return ir.CreateFDiv(a, operands[1]);
  default:
    return math::emitFunction(opcode, ir, operands);
  }
}

Value *ElementEmitter::emitFloat(Opcode opcode, std::span<Value *const> operands, DType dtype,
                                 bool fast) {
  switch (opcode) {
  case Opcode::Min:
  case Opcode::Max:
  case Opcode::MinNum:
  case Opcode::MaxNum:
    return minMax(opcode, operands[0], operands[1], dtype);
  case Opcode::Clamp: {
    Value *atLeast = minMax(Opcode::Max, operands[0], operands[1], dtype);
    return minMax(Opcode::Min, atLeast, operands[2], dtype);
  }
  case Opcode::Neg:
  case Opcode::Abs:
    return negateOrAbs(opcode, operands[0], dtype);
  case Opcode::Fma:
    return fma(operands, dtype);
  case Opcode::Floor:
  case Opcode::Ceil:
  case Opcode::Round:
  case Opcode::Trunc:
    return roundToIntegral(opcode, operands[0], dtype);
  default:
    break;
  }
  if (opcode == Opcode::Mul && dtype == DType::F16 && options.nativeHalf)
    return ir.CreateFMul(operands[0], operands[1]);
  llvm::SmallVector<Value *, 3> wide;
  for (Value *operand : operands)
    wide.push_back(toFloat(operand, dtype));
  Value *result = fast && options.amdFast && dtype != DType::F64
                      ? math::emitFastAmd(opcode, ir, wide)
                      : floatArithmetic(opcode, wide);
  return fromFloat(result, dtype);
}

} // namespace tl
