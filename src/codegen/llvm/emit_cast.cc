// Casts, each rounded once. Where a value passes through a wider float first, that step is exact or
// rounds to odd.
#include "codegen/llvm/emitter.h"
#include "codegen/llvm/rounding.h"

namespace tl {

using llvm::Value;

static bool isSmall(DType dtype) { return dtype == DType::F16 || dtype == DType::BF16; }

// An integer of 64 bits as a double that lies on the same side of, or on, every number of 52 bits
// or fewer: from 2^53 on, low bits that are not all zero become one that still fits.
static Value *wideIntegerToDouble(llvm::IRBuilderBase &ir, Value *value, bool isSigned) {
  llvm::Type *type = value->getType();
  auto integer = [&](uint64_t v) { return llvm::ConstantInt::get(type, v); };
  constexpr uint64_t exact = uint64_t(1) << 53, lowBits = 0xfff;
  Value *fits = isSigned ? ir.CreateICmpULE(ir.CreateAdd(value, integer(exact)), integer(2 * exact))
                         : ir.CreateICmpULE(value, integer(exact));
  Value *sticky =
      ir.CreateSelect(ir.CreateICmpNE(ir.CreateAnd(value, integer(lowBits)), integer(0)),
                      integer(0x800), integer(0));
  Value *rounded = ir.CreateOr(ir.CreateAnd(value, integer(~lowBits)), sticky);
  Value *chosen = ir.CreateSelect(fits, value, rounded);
  llvm::Type *real = withElement(type, ir.getDoubleTy());
  return isSigned ? ir.CreateSIToFP(chosen, real) : ir.CreateUIToFP(chosen, real);
}

// Through float: exact for 16 bits; for f16 the rest needs no care, as float holds all integers up
// to f16's overflow.
Value *ElementEmitter::integerToFloat(Value *value, DType from, DType to) {
  bool isSigned = tl::isSigned(from);
  auto convert = [&](llvm::Type *element) {
    llvm::Type *real = withElement(value->getType(), element);
    return isSigned ? ir.CreateSIToFP(value, real) : ir.CreateUIToFP(value, real);
  };
  if (!isSmall(to))
    return convert(type(to));
  if (to == DType::BF16 && dtypeBits(from) == 64)
    return fromFloat(truncateToOdd(ir, wideIntegerToDouble(ir, value, isSigned)), to);
  if (to == DType::BF16 && dtypeBits(from) == 32)
    return fromFloat(truncateToOdd(ir, convert(ir.getDoubleTy())), to);
  return fromFloat(convert(ir.getFloatTy()), to);
}

Value *ElementEmitter::floatToFloat(Value *value, DType from, DType to) {
  if (from == DType::F64) {
    if (to == DType::F32)
      return ir.CreateFPTrunc(value, withElement(value->getType(), ir.getFloatTy()));
    return fromFloat(truncateToOdd(ir, value), to);
  }
  Value *single = toFloat(value, from);
  return to == DType::F64 ? ir.CreateFPExt(single, withElement(value->getType(), ir.getDoubleTy()))
                          : fromFloat(single, to);
}

Value *ElementEmitter::floatToInteger(Value *value, DType from, DType to) {
  Value *real = isSmall(from) ? toFloat(value, from) : value;
  llvm::Type *result = withElement(value->getType(), type(to));
  auto id = tl::isSigned(to) ? llvm::Intrinsic::fptosi_sat : llvm::Intrinsic::fptoui_sat;
  return ir.CreateIntrinsic(id, {result, real->getType()}, {real});
}

Value *ElementEmitter::cast(Value *value, DType from, DType to) {
  if (from == to)
    return value;
  llvm::IRBuilderBase::FastMathFlagGuard guard(ir);
  ir.clearFastMathFlags();
  llvm::Type *shape = value->getType();
  if (isBool(to)) {
    llvm::Constant *none = llvm::Constant::getNullValue(shape);
    if (!isFloat(from))
      return ir.CreateICmpNE(value, none);
    Value *real = isSmall(from) ? toFloat(value, from) : value;
    return ir.CreateFCmpUNE(real, llvm::Constant::getNullValue(real->getType()));
  }
  if (isBool(from)) {
    auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(shape);
    unsigned lanes = vector ? vector->getNumElements() : 0;
    if (isFloat(to))
      return ir.CreateSelect(value, constantFloat(to, 1, lanes), zero(to, lanes));
    return ir.CreateZExt(value, type(to, lanes));
  }
  if (isFloat(from))
    return isFloat(to) ? floatToFloat(value, from, to) : floatToInteger(value, from, to);
  if (isFloat(to))
    return integerToFloat(value, from, to);
  return ir.CreateIntCast(value, withElement(shape, type(to)), tl::isSigned(from));
}

} // namespace tl
