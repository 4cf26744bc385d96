#include "codegen/llvm/narrow_float.h"

#include "codegen/llvm/rounding.h"

#include <cmath>

namespace tl {

using llvm::Value;

namespace {

/// The bits of a format of 8 bits or fewer that mean something else than those of IEEE would, and
/// where it ends.
struct Narrow {
  const DTypeInfo &info;
  unsigned mantissa;    // its bits
  uint64_t sign;        // its bit
  uint64_t largest = 0; // the bits of the largest number
  uint64_t beyond = 0;  // what overflow gives: infinity or NaN
  uint64_t nan = 0;

  explicit Narrow(DType type)
      : info(dtypeInfo(type)), mantissa(info.precision - 1u), sign(uint64_t(1) << (info.bits - 1)) {
    switch (info.specials) {
    case FloatSpecials::None:
      beyond = nan = largest = sign - 1;
      break;
    case FloatSpecials::Scale: // has functions of its own
      break;
    case FloatSpecials::Ieee:
      beyond = ((1u << (7 - mantissa)) - 1) << mantissa;
      largest = beyond - 1;
      nan = beyond | 1u << (mantissa - 1);
      break;
    case FloatSpecials::Nan:
      beyond = nan = 0x7f;
      largest = 0x7e;
      break;
    case FloatSpecials::Zero:
      beyond = nan = 0x80;
      largest = 0x7f;
      break;
    }
  }
};

constexpr int floatBias = 127;
constexpr unsigned floatMantissa = 23;

class Words {
public:
  Words(llvm::IRBuilderBase &ir, Value *shape)
      : ir(ir), word(withElement(shape->getType(), ir.getInt32Ty())),
        real(withElement(shape->getType(), ir.getFloatTy())) {}

  llvm::IRBuilderBase &ir;
  llvm::Type *word, *real;

  llvm::Constant *integer(uint64_t v) const { return llvm::ConstantInt::get(word, v); }
  llvm::Constant *number(double v) const { return llvm::ConstantFP::get(real, v); }
  Value *bits(Value *v) const { return ir.CreateBitCast(v, word); }
  Value *asFloat(Value *v) const { return ir.CreateBitCast(v, real); }
};

/// A code of f8e8m0fnu as float: its exponent, but for the smallest, which is subnormal there.
Value *extendScale(llvm::IRBuilderBase &ir, Value *given) {
  Words w(ir, given);
  Value *code = ir.CreateZExt(given, w.word);
  Value *bits = ir.CreateShl(code, w.integer(floatMantissa));
  bits = ir.CreateSelect(ir.CreateICmpEQ(code, w.integer(0)), w.integer(0x400000), bits);
  bits = ir.CreateSelect(ir.CreateICmpEQ(code, w.integer(0xff)), w.integer(0x7fc00000), bits);
  return w.asFloat(bits);
}

/// The exponent, and one more where the fraction and the mode say so. What is below 2^-126 is
/// subnormal and looks like one half of it from 2^-127 on.
Value *truncateToScale(llvm::IRBuilderBase &ir, Value *value, const CastMode &mode) {
  Words w(ir, value);
  constexpr uint64_t half = uint64_t(1) << (floatMantissa - 1);
  Value *bits = w.bits(value);
  Value *code = ir.CreateLShr(bits, w.integer(floatMantissa));
  Value *rest = ir.CreateAnd(bits, w.integer(2 * half - 1));
  // Of a subnormal number what is above 2^-127, in the same units of the step to the next.
  Value *above = ir.CreateSelect(ir.CreateICmpUGT(rest, w.integer(half)),
                                 ir.CreateShl(ir.CreateSub(rest, w.integer(half)), w.integer(1)),
                                 w.integer(0));
  rest = ir.CreateSelect(ir.CreateICmpEQ(code, w.integer(0)), above, rest);
  bool inwards = mode.rounding == Rounding::Zero || mode.rounding == Rounding::Down;
  if (mode.rounding == Rounding::Up)
    code = ir.CreateAdd(code, ir.CreateZExt(ir.CreateICmpNE(rest, w.integer(0)), w.word));
  if (mode.rounding == Rounding::Nearest) {
    // One half rounds up from an odd code: it and the code's last bit are more than one half.
    Value *odd = ir.CreateAnd(code, w.integer(1));
    Value *isUp = ir.CreateICmpUGT(ir.CreateAdd(rest, odd), w.integer(half));
    code = ir.CreateAdd(code, ir.CreateZExt(isUp, w.word));
  }
  Value *isOver = ir.CreateICmpUGT(code, w.integer(0xfe));
  Value *isInfinite = ir.CreateICmpEQ(bits, w.integer(0x7f800000));
  Value *over = mode.saturate ? (Value *)w.integer(0xfe)
                : inwards     ? ir.CreateSelect(isInfinite, w.integer(0xff), w.integer(0xfe))
                              : (Value *)w.integer(0xff);
  code = ir.CreateSelect(isOver, over, code);
  Value *isNegative = ir.CreateFCmpULT(value, llvm::Constant::getNullValue(w.real)); // or NaN
  code = ir.CreateSelect(isNegative, w.integer(0xff), code);
  Value *isZero = ir.CreateFCmpOEQ(value, llvm::Constant::getNullValue(w.real)); // -0 too
  code = ir.CreateSelect(isZero, w.integer(0), code);
  return ir.CreateTrunc(code, withElement(value->getType(), ir.getInt8Ty()));
}

/// Whether a mode moves magnitudes of numbers with this sign inwards; null: those of none.
Value *movesInwards(llvm::IRBuilderBase &ir, Value *isNegative, Rounding rounding) {
  switch (rounding) {
  case Rounding::Nearest:
    return nullptr;
  case Rounding::Zero:
    return llvm::Constant::getAllOnesValue(isNegative->getType());
  case Rounding::Down:
    return ir.CreateNot(isNegative);
  case Rounding::Up:
    return isNegative;
  }
  return nullptr;
}

} // namespace

Value *extendNarrow(llvm::IRBuilderBase &ir, Value *given, DType from) {
  if (from == DType::F8E8M0FNU)
    return extendScale(ir, given);
  Narrow format(from);
  Words w(ir, given);
  Value *bits = ir.CreateZExt(given, w.word);
  Value *code = ir.CreateAnd(bits, w.integer(format.sign - 1));
  Value *sign =
      ir.CreateShl(ir.CreateAnd(bits, w.integer(format.sign)), w.integer(32 - format.info.bits));
  // A normal number has the same fraction and another bias; a subnormal one is so many times the
  // smallest.
  unsigned shift = floatMantissa - format.mantissa;
  int rebias = floatBias + format.info.minExponent - 1;
  Value *normal = ir.CreateAdd(ir.CreateShl(code, w.integer(shift)),
                               w.integer(uint64_t(rebias) << floatMantissa));
  double least = std::ldexp(1.0, format.info.minExponent - int(format.mantissa));
  Value *subnormal = w.bits(ir.CreateFMul(ir.CreateUIToFP(code, w.real), w.number(least)));
  Value *isNormal = ir.CreateICmpUGE(code, w.integer(uint64_t(1) << format.mantissa));
  Value *magnitude = ir.CreateSelect(isNormal, normal, subnormal);
  llvm::Constant *nan = w.integer(0x7fc00000);
  if (format.info.specials == FloatSpecials::Ieee) {
    magnitude = ir.CreateSelect(ir.CreateICmpUGE(code, w.integer(format.beyond)),
                                w.integer(0x7f800000), magnitude);
    magnitude = ir.CreateSelect(ir.CreateICmpUGT(code, w.integer(format.beyond)), nan, magnitude);
  } else if (format.info.specials == FloatSpecials::Nan) {
    magnitude = ir.CreateSelect(ir.CreateICmpEQ(code, w.integer(format.nan)), nan, magnitude);
  } else if (format.info.specials == FloatSpecials::Zero) {
    magnitude = ir.CreateSelect(ir.CreateICmpEQ(bits, w.integer(format.nan)), nan, magnitude);
  }
  return w.asFloat(ir.CreateOr(magnitude, sign));
}

// The magnitude plus a power of two so large that the sum's last bit is the last one that the
// format keeps: the sum is rounded to it, to nearest. What that adds to the power's bits is the
// number of such units, and, with the exponent above it, the format's bits.
Value *truncateToNarrow(llvm::IRBuilderBase &ir, Value *value, DType to, const CastMode &mode) {
  if (to == DType::F8E8M0FNU)
    return truncateToScale(ir, value, mode);
  Narrow format(to);
  Words w(ir, value);
  Value *bits = w.bits(value);
  Value *magnitude = w.asFloat(ir.CreateAnd(bits, w.integer(0x7fffffff)));
  Value *isNegative = ir.CreateICmpSLT(bits, w.integer(0));
  llvm::Constant *limit = w.number(std::ldexp(1.0, format.info.maxExponent + 1));
  magnitude = ir.CreateSelect(ir.CreateFCmpOLT(magnitude, limit), magnitude, limit);

  uint64_t least = uint64_t(floatBias + format.info.minExponent);
  Value *exponent = ir.CreateLShr(w.bits(magnitude), w.integer(floatMantissa));
  exponent =
      ir.CreateSelect(ir.CreateICmpUGT(exponent, w.integer(least)), exponent, w.integer(least));
  Value *power = ir.CreateShl(ir.CreateAdd(exponent, w.integer(floatMantissa - format.mantissa)),
                              w.integer(floatMantissa));
  Value *sum = ir.CreateFAdd(magnitude, w.asFloat(power));
  Value *units = ir.CreateSub(w.bits(sum), power);
  Value *code = ir.CreateAdd(
      units, ir.CreateShl(ir.CreateSub(exponent, w.integer(least)), w.integer(format.mantissa)));
  Value *inwards = movesInwards(ir, isNegative, mode.rounding);
  if (inwards) {
    Value *rounded = ir.CreateFSub(sum, w.asFloat(power)); // exact
    Value *down = ir.CreateAnd(inwards, ir.CreateFCmpOGT(rounded, magnitude));
    Value *up = ir.CreateAnd(ir.CreateNot(inwards), ir.CreateFCmpOLT(rounded, magnitude));
    code = ir.CreateSub(code, ir.CreateZExt(down, w.word));
    code = ir.CreateAdd(code, ir.CreateZExt(up, w.word));
  }

  llvm::Constant *largest = w.integer(format.largest), *beyond = w.integer(format.beyond);
  Value *isInfinite =
      ir.CreateICmpEQ(ir.CreateAnd(bits, w.integer(0x7fffffff)), w.integer(0x7f800000));
  Value *over =
      mode.saturate ? (Value *)largest
      : inwards ? ir.CreateSelect(ir.CreateAnd(inwards, ir.CreateNot(isInfinite)), largest, beyond)
                : (Value *)beyond;
  code = ir.CreateSelect(ir.CreateICmpUGT(code, largest), over, code);
  code = ir.CreateSelect(ir.CreateFCmpUNO(value, value), w.integer(format.nan), code);
  Value *sign =
      ir.CreateAnd(ir.CreateLShr(bits, w.integer(32 - format.info.bits)), w.integer(format.sign));
  if (format.info.specials == FloatSpecials::None) // a NaN becomes the largest number
    sign = ir.CreateSelect(ir.CreateFCmpUNO(value, value), w.integer(0), sign);
  if (format.info.specials == FloatSpecials::Zero)
    sign = ir.CreateSelect(ir.CreateICmpEQ(code, w.integer(0)), w.integer(0), sign);
  return ir.CreateTrunc(ir.CreateOr(code, sign), withElement(value->getType(), ir.getInt8Ty()));
}

uint8_t scaleCode(double value) {
  if (std::isnan(value) || value < 0)
    return 0xff;
  int exponent;
  double fraction = value == 0 ? 0 : std::frexp(value, &exponent); // 1/2 to 1
  if (value == 0 || exponent - 1 < -floatBias)
    return 0;
  if (std::isinf(value))
    return 0xff;
  int code = exponent - 1 + floatBias;
  code += fraction > 0.75 || (fraction == 0.75 && code % 2 != 0);
  return uint8_t(code > 0xfe ? 0xff : code);
}

double toFinite(double value, DType dtype) {
  const DTypeInfo &info = dtypeInfo(dtype);
  double most = std::ldexp(2 - std::ldexp(1.0, 1 - info.precision), info.maxExponent);
  if (std::isnan(value))
    return most;
  return std::fabs(value) > most ? std::copysign(most, value) : value;
}

Value *inMode(llvm::IRBuilderBase &ir, Value *nearest, Value *back, Value *value, DType format,
              const CastMode &mode) {
  const DTypeInfo &info = dtypeInfo(format);
  llvm::Type *type = nearest->getType();
  auto integer = [&](uint64_t v) { return llvm::ConstantInt::get(type, v); };
  Value *isNegative = ir.CreateICmpSLT(nearest, integer(0));
  if (Value *inwards = movesInwards(ir, isNegative, mode.rounding)) {
    Value *size = ir.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, value);
    Value *rounded = ir.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, back);
    Value *down = ir.CreateAnd(inwards, ir.CreateFCmpOGT(rounded, size));
    Value *up = ir.CreateAnd(ir.CreateNot(inwards), ir.CreateFCmpOLT(rounded, size));
    nearest = ir.CreateSub(nearest, ir.CreateZExt(down, type));
    nearest = ir.CreateAdd(nearest, ir.CreateZExt(up, type));
  }
  if (!mode.saturate)
    return nearest;
  uint64_t sign = uint64_t(1) << (info.bits - 1);
  uint64_t infinity = (sign >> (info.precision - 1)) - 1;
  infinity <<= info.precision - 1;
  Value *isInfinite = ir.CreateICmpEQ(ir.CreateAnd(nearest, integer(sign - 1)), integer(infinity));
  return ir.CreateSub(nearest, ir.CreateZExt(isInfinite, type));
}

} // namespace tl
