#include "codegen/llvm/narrow_float.h"

#include "codegen/llvm/rounding.h"

#include <cmath>

namespace tl {

using llvm::Value;

namespace {

/// The bits of a format of 8 bits that mean something else than those of IEEE would, and where it
/// ends.
struct Narrow {
  const DTypeInfo &info;
  unsigned mantissa;    // its bits
  uint64_t largest = 0; // the bits of the largest number
  uint64_t beyond = 0;  // what overflow gives: infinity or NaN
  uint64_t nan = 0;

  explicit Narrow(DType type) : info(dtypeInfo(type)), mantissa(info.precision - 1u) {
    switch (info.specials) {
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
  Narrow format(from);
  Words w(ir, given);
  Value *bits = ir.CreateZExt(given, w.word);
  Value *code = ir.CreateAnd(bits, w.integer(0x7f));
  Value *sign = ir.CreateShl(ir.CreateAnd(bits, w.integer(0x80)), w.integer(24));
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
  } else {
    magnitude = ir.CreateSelect(ir.CreateICmpEQ(bits, w.integer(format.nan)), nan, magnitude);
  }
  return w.asFloat(ir.CreateOr(magnitude, sign));
}

// The magnitude plus a power of two so large that the sum's last bit is the last one that the
// format keeps: the sum is rounded to it, to nearest. What that adds to the power's bits is the
// number of such units, and, with the exponent above it, the format's bits.
Value *truncateToNarrow(llvm::IRBuilderBase &ir, Value *value, DType to, const CastMode &mode) {
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
  Value *sign = ir.CreateAnd(ir.CreateLShr(bits, w.integer(24)), w.integer(0x80));
  if (format.info.specials == FloatSpecials::Zero)
    sign = ir.CreateSelect(ir.CreateICmpEQ(code, w.integer(0)), w.integer(0), sign);
  return ir.CreateTrunc(ir.CreateOr(code, sign), withElement(value->getType(), ir.getInt8Ty()));
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
