#include "codegen/llvm/emitter.h"

#include "codegen/llvm/narrow_float.h"
#include "codegen/llvm/rounding.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicInst.h"

namespace tl {

using llvm::Value;

static llvm::Type *elementType(llvm::LLVMContext &context, DType dtype) {
  switch (dtype) {
  case DType::F16:
    return llvm::Type::getHalfTy(context);
  case DType::F32:
    return llvm::Type::getFloatTy(context);
  case DType::F64:
    return llvm::Type::getDoubleTy(context);
  default:
    return llvm::IntegerType::get(context, isBool(dtype) ? 1 : dtypeBytes(dtype) * 8);
  }
}

static llvm::Type *inLanes(llvm::Type *element, unsigned lanes) {
  return lanes ? llvm::FixedVectorType::get(element, lanes) : element;
}

static const llvm::fltSemantics &semantics(DType dtype) {
  switch (dtype) {
  case DType::F16:
    return llvm::APFloat::IEEEhalf();
  case DType::BF16:
    return llvm::APFloat::BFloat();
  case DType::F32:
    return llvm::APFloat::IEEEsingle();
  case DType::F8E4M3FN:
    return llvm::APFloat::Float8E4M3FN();
  case DType::F8E5M2:
    return llvm::APFloat::Float8E5M2();
  case DType::F8E4M3FNUZ:
    return llvm::APFloat::Float8E4M3FNUZ();
  case DType::F8E5M2FNUZ:
    return llvm::APFloat::Float8E5M2FNUZ();
  case DType::F6E2M3FN:
    return llvm::APFloat::Float6E2M3FN();
  case DType::F6E3M2FN:
    return llvm::APFloat::Float6E3M2FN();
  case DType::F4E2M1FN:
    return llvm::APFloat::Float4E2M1FN();
  default:
    return llvm::APFloat::IEEEdouble();
  }
}

static llvm::Constant *floatConstant(llvm::Type *type, DType dtype, const llvm::APFloat &value) {
  if (dtype == DType::BF16 || isNarrowFloat(dtype))
    return llvm::ConstantInt::get(type, value.bitcastToAPInt().zext(type->getScalarSizeInBits()));
  return llvm::ConstantFP::get(type, value);
}

llvm::Type *ElementEmitter::type(DType dtype, unsigned lanes) const {
  return inLanes(elementType(ir.getContext(), dtype), lanes);
}

llvm::Type *ElementEmitter::memoryType(DType dtype, unsigned lanes) const {
  return isBool(dtype) ? inLanes(ir.getInt8Ty(), lanes) : type(dtype, lanes);
}

Value *ElementEmitter::toMemory(Value *value, DType dtype) {
  return isBool(dtype) ? ir.CreateZExt(value, withElement(value->getType(), ir.getInt8Ty()))
                       : value;
}

Value *ElementEmitter::fromMemory(Value *value, DType dtype) {
  return isBool(dtype) ? ir.CreateIsNotNull(value) : value;
}

llvm::Constant *ElementEmitter::constantInt(DType dtype, int64_t value, unsigned lanes) const {
  llvm::APInt bits(dtypeBits(dtype), uint64_t(value), /*isSigned=*/true, /*implicitTrunc=*/true);
  llvm::Type *held = type(dtype, lanes);
  const unsigned width = held->getScalarSizeInBits();
  return llvm::ConstantInt::get(held, isSigned(dtype) ? bits.sext(width) : bits.zext(width));
}

llvm::Constant *ElementEmitter::constantFloat(DType dtype, double value, unsigned lanes) const {
  if (dtype == DType::F8E8M0FNU)
    return llvm::ConstantInt::get(type(dtype, lanes), scaleCode(value));
  if (dtypeInfo(dtype).specials == FloatSpecials::None)
    value = toFinite(value, dtype);
  llvm::APFloat number(value);
  bool inexact;
  number.convert(semantics(dtype), llvm::APFloat::rmNearestTiesToEven, &inexact);
  return floatConstant(type(dtype, lanes), dtype, number);
}

llvm::Constant *ElementEmitter::zero(DType dtype, unsigned lanes) const {
  return llvm::Constant::getNullValue(type(dtype, lanes));
}

llvm::Constant *ElementEmitter::reduceIdentity(ReduceKind kind, DType dtype, unsigned lanes) const {
  if (isFloat(dtype)) {
    if (kind == ReduceKind::Prod)
      return constantFloat(dtype, 1, lanes);
    if (kind == ReduceKind::Sum)
      return floatConstant(type(dtype, lanes), dtype,
                           llvm::APFloat::getZero(semantics(dtype), true));
    return floatConstant(type(dtype, lanes), dtype,
                         llvm::APFloat::getInf(semantics(dtype), kind == ReduceKind::Max));
  }
  unsigned bits = dtypeBits(dtype);
  llvm::APInt value(bits, kind == ReduceKind::Prod);
  if (kind == ReduceKind::And || kind == ReduceKind::All)
    value.setAllBits();
  if (kind == ReduceKind::Max && isSigned(dtype))
    value = llvm::APInt::getSignedMinValue(bits);
  if (kind == ReduceKind::Min)
    value = isSigned(dtype) ? llvm::APInt::getSignedMaxValue(bits) : llvm::APInt::getMaxValue(bits);
  return llvm::ConstantInt::get(type(dtype, lanes), value);
}

Value *ElementEmitter::wrapPacked(Value *bits, DType dtype) {
  if (!isPacked(dtype))
    return bits;
  if (!isSigned(dtype)) // integers without sign, and codes of floats
    return ir.CreateAnd(
        bits, llvm::ConstantInt::get(bits->getType(), (uint64_t(1) << dtypeBits(dtype)) - 1));
  auto *unused = llvm::ConstantInt::get(bits->getType(), 8 - dtypeBits(dtype));
  return ir.CreateAShr(ir.CreateShl(bits, unused), unused);
}

Value *ElementEmitter::splat(Value *value, unsigned lanes) {
  return lanes && !value->getType()->isVectorTy() ? ir.CreateVectorSplat(lanes, value) : value;
}

Value *ElementEmitter::toFloat(Value *value, DType dtype) {
  if (isNarrowFloat(dtype))
    return extendNarrow(ir, value, dtype);
  if (dtype == DType::F16)
    return ir.CreateFPExt(value, withElement(value->getType(), ir.getFloatTy()));
  return dtype == DType::BF16 ? extendBf16(ir, value) : value;
}

/// LLVM 22's AMDGPU back end turns a product that is rounded to half into v_fma_mixlo_f16 with an
/// addend of +0, which makes a product of -0 a +0. What is a product, or may become one by the
/// optimizer's work, is kept apart from its rounding by an empty line of assembly.
/// (llvm.arithmetic.fence cannot be selected there for values that are the same in all lanes.)
static Value *keepProductApart(llvm::IRBuilderBase &ir, Value *value) {
  auto *operation = llvm::dyn_cast<llvm::Instruction>(value);
  auto *intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(value);
  bool product = operation && (operation->getOpcode() == llvm::Instruction::FMul ||
                               operation->getOpcode() == llvm::Instruction::FDiv ||
                               operation->getOpcode() == llvm::Instruction::FNeg ||
                               llvm::isa<llvm::SelectInst, llvm::PHINode>(operation) ||
                               (intrinsic && intrinsic->getIntrinsicID() != llvm::Intrinsic::fma));
  if (!product)
    return value;
  llvm::Type *type = value->getType()->getScalarType();
  auto *nothing =
      llvm::InlineAsm::get(llvm::FunctionType::get(type, {type}, false), "", "=v,0", false);
  auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(value->getType());
  if (!vector)
    return ir.CreateCall(nothing, {value});
  for (unsigned i = 0; i < vector->getNumElements(); ++i) {
    Value *element = ir.CreateCall(nothing, {ir.CreateExtractElement(value, uint64_t(i))});
    value = ir.CreateInsertElement(value, element, uint64_t(i));
  }
  return value;
}

Value *ElementEmitter::fromFloat(Value *value, DType dtype) {
  if (isNarrowFloat(dtype))
    return truncateToNarrow(ir, value, dtype, {});
  if (dtype == DType::F16) {
    if (options.keepsProductsApart)
      value = keepProductApart(ir, value);
    return ir.CreateFPTrunc(value, withElement(value->getType(), ir.getHalfTy()));
  }
  if (dtype != DType::BF16)
    return value;
  if (!options.nativeHalf)
    return truncateToBf16(ir, value);
  Value *rounded = ir.CreateFPTrunc(value, withElement(value->getType(), ir.getBFloatTy()));
  return ir.CreateBitCast(rounded, withElement(value->getType(), ir.getInt16Ty()));
}

Value *ElementEmitter::compare(Pred pred, Value *a, Value *b, DType dtype) {
  struct Row {
    llvm::CmpInst::Predicate signedInt, unsignedInt, real;
  };
  using P = llvm::CmpInst;
  constexpr auto none = P::BAD_ICMP_PREDICATE; // only floats are compared so
  auto row = [&]() -> Row {
    switch (pred) {
    case Pred::Eq:
      return {P::ICMP_EQ, P::ICMP_EQ, P::FCMP_OEQ};
    case Pred::Ne:
      return {P::ICMP_NE, P::ICMP_NE, P::FCMP_UNE};
    case Pred::Lt:
      return {P::ICMP_SLT, P::ICMP_ULT, P::FCMP_OLT};
    case Pred::Le:
      return {P::ICMP_SLE, P::ICMP_ULE, P::FCMP_OLE};
    case Pred::Gt:
      return {P::ICMP_SGT, P::ICMP_UGT, P::FCMP_OGT};
    case Pred::Ge:
      return {P::ICMP_SGE, P::ICMP_UGE, P::FCMP_OGE};
    case Pred::Ord:
      return {none, none, P::FCMP_ORD};
    case Pred::Uno:
      return {none, none, P::FCMP_UNO};
    case Pred::One:
      return {none, none, P::FCMP_ONE};
    case Pred::Ueq:
      return {none, none, P::FCMP_UEQ};
    case Pred::Ult:
      return {none, none, P::FCMP_ULT};
    case Pred::Ule:
      return {none, none, P::FCMP_ULE};
    case Pred::Ugt:
      return {none, none, P::FCMP_UGT};
    case Pred::Uge:
      return {none, none, P::FCMP_UGE};
    }
    llvm_unreachable("a predicate outside attrs.def");
  }();
  if (!isFloat(dtype))
    return ir.CreateICmp(isSigned(dtype) ? row.signedInt : row.unsignedInt, a, b);
  llvm::IRBuilderBase::FastMathFlagGuard guard(ir);
  ir.clearFastMathFlags();
  if (dtype == DType::BF16 || isNarrowFloat(dtype) || (dtype == DType::F16 && !options.nativeHalf))
    return ir.CreateFCmp(row.real, toFloat(a, dtype), toFloat(b, dtype));
  return ir.CreateFCmp(row.real, a, b);
}

Value *ElementEmitter::classify(Opcode opcode, Value *a, DType dtype) {
  if (dtype == DType::BF16 || isNarrowFloat(dtype) || !options.nativeHalf)
    a = toFloat(a, dtype);
  if (opcode == Opcode::IsNan)
    return ir.CreateFCmpUNO(a, a);
  Value *magnitude = ir.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, a);
  llvm::Constant *infinity = llvm::ConstantFP::getInfinity(a->getType());
  return opcode == Opcode::IsInf ? ir.CreateFCmpOEQ(magnitude, infinity)
                                 : ir.CreateFCmpOLT(magnitude, infinity);
}

Value *ElementEmitter::combine(ReduceKind kind, Value *a, Value *b, DType dtype) {
  Value *operands[] = {a, b};
  return emit(combiningOp(kind), operands, dtype, dtype);
}

Value *ElementEmitter::emit(Opcode opcode, std::span<Value *const> given, DType operandType,
                            DType resultType, Pred pred, const CastMode &mode, bool fast) {
  unsigned lanes = 0;
  for (Value *value : given)
    if (auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(value->getType()))
      lanes = vector->getNumElements();
  llvm::SmallVector<Value *, 3> operands;
  for (Value *value : given)
    operands.push_back(splat(value, lanes));

  llvm::IRBuilderBase::FastMathFlagGuard guard(ir);
  ir.clearFastMathFlags();
  ir.setDefaultFPMathTag(nullptr);
  switch (opcode) {
  case Opcode::Cmp:
    return compare(pred, operands[0], operands[1], operandType);
  case Opcode::Select:
    return ir.CreateSelect(operands[0], operands[1], operands[2]);
  case Opcode::IsNan:
  case Opcode::IsInf:
  case Opcode::IsFinite:
    return classify(opcode, operands[0], operandType);
  case Opcode::Bitcast:
    return wrapPacked(ir.CreateBitCast(operands[0], type(resultType, lanes)), resultType);
  case Opcode::Cast:
    return cast(operands[0], operandType, resultType, mode);
  default:
    return isFloat(operandType) ? emitFloat(opcode, operands, operandType, fast)
                                : emitInteger(opcode, operands, operandType);
  }
}

} // namespace tl
