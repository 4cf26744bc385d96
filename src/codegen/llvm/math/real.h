// What the functions of this directory are written in: exact-to-the-bit operations on one real type
// (float or double, scalar or fixed vector).
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"

#include <span>

namespace tl::math {

using llvm::Value;

class Real {
public:
  Real(llvm::IRBuilderBase &builder, llvm::Type *type);
  Real(const Real &) = delete;
  Real &operator=(const Real &) = delete;

  bool isDouble() const { return type->getScalarType()->isDoubleTy(); }
  /// Picks between two things by the type.
  template <class T> T pick(T forFloat, T forDouble) const {
    return isDouble() ? forDouble : forFloat;
  }
  /// Bits of the stored significand, and the exponent's bias.
  int significandBits() const { return pick(23, 52); }
  int bias() const { return pick(127, 1023); }

  Value *constant(double value) const;
  Value *infinity(bool negative = false) const;
  Value *nan() const;

  Value *add(Value *a, Value *b) { return ir.CreateFAdd(a, b); }
  Value *sub(Value *a, Value *b) { return ir.CreateFSub(a, b); }
  Value *mul(Value *a, Value *b) { return ir.CreateFMul(a, b); }
  Value *div(Value *a, Value *b) { return ir.CreateFDiv(a, b); }
  Value *neg(Value *a) { return ir.CreateFNeg(a); }
  Value *abs(Value *a) { return ir.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, a); }
  Value *sqrt(Value *a) { return ir.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, a); }
  /// a * b + c, rounded once.
  Value *fma(Value *a, Value *b, Value *c);
  /// c - a * b, rounded once.
  Value *fnma(Value *a, Value *b, Value *c) { return fma(neg(a), b, c); }
  Value *withSignOf(Value *magnitude, Value *sign);
  Value *select(Value *condition, Value *a, Value *b) { return ir.CreateSelect(condition, a, b); }
  Value *trunc(Value *a) { return ir.CreateUnaryIntrinsic(llvm::Intrinsic::trunc, a); }
  /// The sum of coefficients[k] * x^k by Horner's rule.
  Value *polynomial(Value *x, std::span<const double> coefficients);
  /// x moved into [low, high]; NaN stays.
  Value *clamp(Value *x, double low, double high);

  Value *bits(Value *a) { return ir.CreateBitCast(a, intType); }
  Value *fromBits(Value *a) { return ir.CreateBitCast(a, type); }
  llvm::Constant *integer(int64_t value) const {
    return llvm::ConstantInt::getSigned(intType, value);
  }
  /// magnitude with its sign flipped where the sign bit of `bits` is set.
  Value *flippedBy(Value *bits, Value *magnitude);

  /// `common`, but in lanes where `rare` holds what `compute` gives. It is computed behind a branch
  /// that is taken if any lane needs it: the results do not depend on the branch.
  using Values = llvm::SmallVector<Value *, 4>;
  Values inRareLanes(Value *rare, const Values &common, llvm::function_ref<Values()> compute);

  /// a * b rounded to an integer n with |n| < 2^21, as a real and as an integer; garbage but no
  /// undefined behaviour for NaN.
  struct Rounded {
    Value *real, *integer;
  };
  Rounded roundToInteger(Value *a, Value *b);
  /// An integer with |n| < 2^21 (double: 2^51) as a real.
  Value *fromInteger(Value *n);
  /// x * 2^n with one rounding, for |n| < 2^(exponent bits), through two factors, since 2^n itself
  /// may be no number.
  Value *scale(Value *x, Value *n);

  llvm::IRBuilderBase &ir;
  llvm::Type *type;
  llvm::Type *intType;

private:
  Value *powerOfTwo(Value *biasedExponent);
  double magic() const { return pick(0x1.8p23, 0x1.8p52); }
  llvm::IRBuilderBase::FastMathFlagGuard flags;
};

} // namespace tl::math
