#include "codegen/llvm/math/angle.h"
#include "codegen/llvm/math/polynomials.h"

#include <type_traits>

namespace tl::math {
namespace {

// Ordinary angles: n = magnitude * 2/pi rounded, and n times pi/2, in three parts, subtracted (Cody
// and Waite). The first difference is exact: both sides are multiples of the last bit of pi/2's
// first part and the difference is below 1. It may be as small as the second product, so that
// their difference keeps its rounding error whatever their sizes (Knuth's TwoSum).
Angle reduceOrdinary(Real &real, Value *magnitude) {
  auto half = real.pick(halfPiFloat, halfPiDouble);
  auto n = real.roundToInteger(magnitude, real.constant(real.pick(twoByPiFloat, twoByPiDouble)));
  Value *second = real.constant(half[1]);
  Value *first = real.fnma(n.real, real.constant(half[0]), magnitude);
  Value *product = real.neg(real.mul(n.real, second));
  Value *productRest = real.fma(n.real, second, product); // with the opposite sign
  Value *sum = real.add(first, product);
  Value *part = real.sub(sum, first);
  Value *rest = real.add(real.sub(first, real.sub(sum, part)), real.sub(product, part));
  rest = real.fnma(n.real, real.constant(half[2]), real.sub(rest, productRest));
  Value *high = real.add(sum, rest);
  return {{high, real.add(real.sub(sum, high), rest)}, n.integer};
}

// Large angles (Payne and Hanek): magnitude = m * 2^e with an integer m, and m times a window of
// the bits of 2/pi, from where products are less than a whole turn, gives the fraction of a turn as
// an integer. The window is found by shifting 2/pi's words as the bits of the exponent say.
class LargeAngle {
public:
  explicit LargeAngle(Real &real) : real(real), ir(real.ir) {}

  Angle reduce(Value *magnitude) {
    Value *bits = real.bits(magnitude);
    Value *field = ir.CreateLShr(bits, real.integer(real.significandBits()));
    int64_t one = int64_t(1) << real.significandBits();
    Value *m = ir.CreateOr(ir.CreateAnd(bits, real.integer(one - 1)), real.integer(one));
    Value *shift = ir.CreateSub(field, real.integer(real.pick(144, 1043)));
    return real.isDouble() ? fromDouble(m, window(twoByPiWords64, shift))
                           : fromFloat(m, window(twoByPiWords32, shift));
  }

private:
  Real &real;
  llvm::IRBuilderBase &ir;
  static constexpr size_t windowWords = 3;

  template <class Words> Real::Values window(const Words &constants, Value *shift) {
    Real::Values words;
    for (auto word : constants)
      words.push_back(real.integer(std::make_signed_t<decltype(word)>(word)));
    int64_t bits = real.intType->getScalarSizeInBits();
    size_t step = 1;
    while (windowWords + 2 * step < words.size())
      step *= 2;
    for (; step > 0; step /= 2) {
      Value *take = ir.CreateIsNotNull(ir.CreateAnd(shift, real.integer(int64_t(step) * bits)));
      size_t left = words.size() - step;
      for (size_t i = 0; i < left; ++i)
        words[i] = real.select(take, words[i + step], words[i]);
      words.resize(left);
    }
    for (size_t i = 0; i < windowWords; ++i)
      words[i] = ir.CreateIntrinsic(llvm::Intrinsic::fshl, {real.intType},
                                    {words[i], words[i + 1], shift});
    return words;
  }

  /// Splits a fraction of a turn into the nearest quadrant, and the signed rest in its upper bits.
  Value *quadrantOf(Value *fraction) {
    unsigned bits = fraction->getType()->getScalarSizeInBits();
    auto at = [&](unsigned bit) {
      return ir.CreateLShr(fraction, llvm::ConstantInt::get(fraction->getType(), bit));
    };
    llvm::Constant *one = llvm::ConstantInt::get(fraction->getType(), 1);
    return ir.CreateAdd(at(bits - 2), ir.CreateAnd(at(bits - 3), one));
  }

  // 64 bits of the fraction; the cancellation of the nearest multiples takes less than half.
  Angle fromFloat(Value *m, const Real::Values &g) {
    llvm::Type *wide = real.intType->getWithNewBitWidth(64);
    llvm::Type *number = llvm::Type::getDoubleTy(ir.getContext());
    if (auto *vector = llvm::dyn_cast<llvm::VectorType>(real.type))
      number = llvm::VectorType::get(number, vector);
    auto product = [&](Value *word) {
      return ir.CreateMul(ir.CreateZExt(m, wide), ir.CreateZExt(word, wide));
    };
    llvm::Constant *word = llvm::ConstantInt::get(wide, 32);
    Value *fraction = ir.CreateAdd(ir.CreateShl(product(g[0]), word), product(g[1]));
    fraction = ir.CreateAdd(fraction, ir.CreateLShr(product(g[2]), word));
    Value *rest = ir.CreateShl(fraction, llvm::ConstantInt::get(wide, 2));
    Value *r = ir.CreateFMul(ir.CreateSIToFP(rest, number),
                             llvm::ConstantFP::get(number, halfPiDouble[0] * 0x1p-64));
    Value *high = ir.CreateFPTrunc(r, real.type);
    Value *low = ir.CreateFPTrunc(ir.CreateFSub(r, ir.CreateFPExt(high, number)), real.type);
    return {{high, low}, ir.CreateTrunc(quadrantOf(fraction), real.intType)};
  }

  Value *lowWord(Value *a) { return ir.CreateAnd(a, real.integer(0xffffffff)); }
  Value *highWord(Value *a) { return ir.CreateLShr(a, real.integer(32)); }

  /// The upper 64 bits of a product.
  Value *upperProduct(Value *a, Value *b) {
    Value *a0 = lowWord(a), *a1 = highWord(a), *b0 = lowWord(b), *b1 = highWord(b);
    Value *middle = ir.CreateAdd(ir.CreateMul(a1, b0), highWord(ir.CreateMul(a0, b0)));
    Value *other = ir.CreateAdd(ir.CreateMul(a0, b1), lowWord(middle));
    return ir.CreateAdd(ir.CreateAdd(ir.CreateMul(a1, b1), highWord(middle)), highWord(other));
  }

  // 128 bits of the fraction.
  Angle fromDouble(Value *m, const Real::Values &g) {
    Value *carried = upperProduct(m, g[2]);
    Value *lower = ir.CreateAdd(ir.CreateMul(m, g[1]), carried);
    Value *carry = ir.CreateZExt(ir.CreateICmpULT(lower, carried), real.intType);
    Value *upper = ir.CreateAdd(ir.CreateMul(m, g[0]), upperProduct(m, g[1]));
    upper = ir.CreateAdd(upper, carry);

    Value *quadrant = quadrantOf(upper), *two = real.integer(2);
    upper = ir.CreateOr(ir.CreateShl(upper, two), ir.CreateLShr(lower, real.integer(62)));
    lower = ir.CreateShl(lower, two);
    auto part = [&](Value *word, double unit) {
      return real.mul(real.fromInteger(word), real.constant(unit)); // exact
    };
    Value *first = part(ir.CreateAShr(upper, real.integer(32)), 0x1p-32);
    Value *second = part(lowWord(upper), 0x1p-64);
    Value *rest = real.add(part(highWord(lower), 0x1p-96), part(lowWord(lower), 0x1p-128));
    Value *sum = real.add(first, second);
    rest = real.add(real.add(real.sub(first, sum), second), rest);

    // Times pi/2.
    Value *pi0 = real.constant(halfPiDouble[0]), *pi1 = real.constant(halfPiDouble[1]);
    Value *product = real.mul(sum, pi0);
    Value *productRest = real.fma(sum, pi0, real.neg(product));
    productRest = real.fma(rest, pi0, real.fma(sum, pi1, productRest));
    Value *high = real.add(product, productRest);
    return {{high, real.add(real.sub(product, high), productRest)}, quadrant};
  }
};

} // namespace

Angle reduceAngle(Real &real, Value *magnitude) {
  Angle ordinary = reduceOrdinary(real, magnitude);
  Value *large = real.ir.CreateFCmpOGE(magnitude, real.constant(real.pick(0x1p17, 0x1p20)));
  Real::Values chosen =
      real.inRareLanes(large, {ordinary.r.sum, ordinary.r.rest, ordinary.quadrant}, [&] {
        Angle angle = LargeAngle(real).reduce(magnitude);
        return Real::Values{angle.r.sum, angle.r.rest, angle.quadrant};
      });
  return {{chosen[0], chosen[1]}, chosen[2]};
}

} // namespace tl::math
