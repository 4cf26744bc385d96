// Casts, each rounded once. Where a value passes through a wider float first, that step is exact or
// rounds to odd.
#include "codegen/llvm/emitter.h"
#include "codegen/llvm/narrow_float.h"
#include "codegen/llvm/rounding.h"

namespace tl {

using llvm::Value;

static bool isSmall(DType dtype) {
  return dtype == DType::F16 || dtype == DType::BF16 || isNarrowFloat(dtype);
}

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
  bool fewBits = to != DType::F16; // bf16 and floats of 8 bits
  if (fewBits && dtypeBits(from) == 64)
    return fromFloat(truncateToOdd(ir, wideIntegerToDouble(ir, value, isSigned)), to);
  if (fewBits && dtypeBits(from) == 32)
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

// In another mode than to nearest: from float, or for a wider type from what is rounded to odd,
// which lies on the same side of every number of fewer bits.
Value *ElementEmitter::floatInMode(Value *value, DType from, DType to, const CastMode &mode) {
  if (to == DType::F64) {
    Value *wide = from == to ? value : floatToFloat(value, from, to);
    llvm::Type *bits = withElement(value->getType(), ir.getInt64Ty());
    return ir.CreateBitCast(inMode(ir, ir.CreateBitCast(wide, bits), wide, wide, to, mode),
                            wide->getType());
  }
  if (to == DType::F32) {
    Value *nearest = floatToFloat(value, from, to);
    Value *exact = from == DType::F64 ? value : nearest;
    Value *back = from == DType::F64 ? ir.CreateFPExt(nearest, value->getType()) : nearest;
    llvm::Type *bits = withElement(value->getType(), ir.getInt32Ty());
    return ir.CreateBitCast(inMode(ir, ir.CreateBitCast(nearest, bits), back, exact, to, mode),
                            nearest->getType());
  }
  Value *single = from == DType::F64 ? truncateToOdd(ir, value) : toFloat(value, from);
  if (isNarrowFloat(to))
    return truncateToNarrow(ir, single, to, mode);
  Value *nearest = fromFloat(single, to);
  llvm::Type *bits = withElement(value->getType(), ir.getInt16Ty());
  return ir.CreateBitCast(
      inMode(ir, ir.CreateBitCast(nearest, bits), toFloat(nearest, to), single, to, mode),
      nearest->getType());
}

Value *ElementEmitter::floatToInteger(Value *value, DType from, DType to) {
  Value *real = isSmall(from) ? toFloat(value, from) : value;
  llvm::Type *result = withElement(value->getType(), type(to));
  if (isPacked(to)) { // within the range of a byte first
    Value *byte = floatToInteger(value, from, tl::isSigned(to) ? DType::I8 : DType::U8);
    auto limit = [&](int64_t v) { return llvm::ConstantInt::getSigned(result, v); };
    if (!tl::isSigned(to))
      return ir.CreateBinaryIntrinsic(llvm::Intrinsic::umin, byte, limit(15));
    byte = ir.CreateBinaryIntrinsic(llvm::Intrinsic::smin, byte, limit(7));
    return ir.CreateBinaryIntrinsic(llvm::Intrinsic::smax, byte, limit(-8));
  }
  auto id = tl::isSigned(to) ? llvm::Intrinsic::fptosi_sat : llvm::Intrinsic::fptoui_sat;
  return ir.CreateIntrinsic(id, {result, real->getType()}, {real});
}

Value *ElementEmitter::cast(Value *value, DType from, DType to, const CastMode &mode) {
  if (from == to && !mode.saturate)
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
  if (isFloat(from) && isFloat(to) && mode != CastMode())
    return floatInMode(value, from, to, mode);
  if (isFloat(from))
    return isFloat(to) ? floatToFloat(value, from, to) : floatToInteger(value, from, to);
  if (isFloat(to))
    return integerToFloat(value, from, to);
  return wrapPacked(ir.CreateIntCast(value, withElement(shape, type(to)), tl::isSigned(from)), to);
}

} // namespace tl
