// Functions that the hardware approximates, the steps of division, and what else is not exact by
// IEEE 754. Accuracies: RDNA3 ISA chapter 16, "1 ULP accuracy, denormals are flushed" for f32, 2^29
// units for f64.
#include "emu/approximate.h"
#include "emu/op_table.h"

#include <algorithm>
#include <numbers>

namespace tl::emu {
namespace {

using u32 = uint32_t;
using i32 = int32_t;
using u64 = uint64_t;
using LongDouble = long double;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int64_t kDoubleUnits = int64_t(1) << 29;

float flushed(float a) {
  u32 bits = std::bit_cast<u32>(a);
  return std::bit_cast<float>(bits & 0x7f800000 ? bits : bits & 0x80000000);
}

// The fraction of a turn nearest to zero, as sine and cosine see it. Exact. Beyond 256 turns the
// argument counts as a whole number (GCN3 ISA, V_SIN_F32: valid domain [-256, 256]).
double fractionOfTurn(double turns) {
  return std::fabs(turns) > 256 ? 0 : turns - __builtin_roundeven(turns);
}
template <class T> T sineOfFraction(T f) { // |f| <= 1/2
  constexpr T kTurn = 2 * std::numbers::pi_v<T>;
  // About a half turn the sine is that of what is missing to it.
  T near = f > T(0.25) ? T(0.5) - f : f < T(-0.25) ? T(-0.5) - f : f;
  return near == T(0.25) ? 1 : near == T(-0.25) ? -1 : std::sin(kTurn * near);
}
template <class T> T cosineOfFraction(T f) {
  T away = std::fabs(f); // cos(t) = sin(1/4 - t)
  return away == T(0.25) ? 0 : sineOfFraction(T(0.25) - away);
}

struct Reciprocal {
  template <class T> static T of(T a) { return 1 / a; }
};
struct ReciprocalRoot {
  template <class T> static T of(T a) {
    return a < 0 ? T(kNan) : a == 0 ? std::copysign(T(kInfinity), a) : 1 / std::sqrt(a);
  }
};
struct Root {
  template <class T> static T of(T a) { return a < 0 ? T(kNan) : std::sqrt(a); }
};
struct Power {
  // Out of range of every result, but a number while the argument is one.
  template <class T> static T of(T a) {
    return std::exp2(std::isinf(a) || !(a > 1000) ? a : T(1000));
  }
};
struct Logarithm {
  template <class T> static T of(T a) {
    return a < 0 ? T(kNan) : a == 0 ? T(-kInfinity) : std::log2(a);
  }
};
struct Sine {
  template <class T> static T of(T a) {
    T f = T(fractionOfTurn(double(a)));
    T sine = sineOfFraction(f);
    return std::isinf(a) ? T(kNan) : sine == 0 ? std::copysign(T(0), a) : sine;
  }
};
struct Cosine {
  template <class T> static T of(T a) {
    return std::isinf(a) ? T(kNan) : cosineOfFraction(T(fractionOfTurn(double(a))));
  }
};

template <class F> Approximation<float> inFloat(float a) {
  float x = flushed(a);
  auto result = roundedToFloat(F::template of<double>(double(x)),
                               [x] { return F::template of<LongDouble>(LongDouble(x)); });
  return {flushed(result.value), result.exact};
}
template <class F> Approximation<Half> inHalf(const Mode &m, Half a) {
  double value = F::template of<double>(double(toFloat(m, a)));
  Half result = roundToHalf(value, Rounding::NearestEven, m.bits & kModeKeepsOutput16,
                            m.bits & kModeClampsOverflow16);
  return {result, isNan(value) || toFloat(result) == value};
}

template <class F>
constexpr Handler float32 = approximate<[](const Mode &, float a) { return inFloat<F>(a); }, float>;
template <class F>
constexpr Handler float16 =
    approximate<[](const Mode &m, Half a) { return inHalf<F>(m, a); }, Half>;

// 1 / sqrt(a) from an estimate in long double: where the 11 bits beyond f64 lie at a tie, the
// squared middle decides.
double reciprocalRoot(double a) {
  __extension__ typedef __float128 Quad;
  if (!(a > 0) || std::isinf(a))
    return ReciprocalRoot::of(a);
  LongDouble estimate = 1 / std::sqrt(LongDouble(a));
  double low = double(estimate * (1 - 0x1p-61L)), high = double(estimate * (1 + 0x1p-61L));
  if (low == high)
    return low;
  Quad middle = (Quad(low) + Quad(high)) / 2;
  return Quad(a) * middle * middle < 1 ? high : low;
}

// The pseudo-scalar instructions of gfx12: a scalar in, a scalar out.
template <Handler Vector, class T> void ofScalar(Wave &wave, const MicroOp &op) {
  MicroOp onVector = op;
  // The result lands in the spare line behind the file, whatever EXEC says.
  const u64 exec = wave.scalarPair(SlotExec);
  wave.setScalarPair(SlotExec, 1);
  onVector.dst[0].kind = Operand::Vector;
  onVector.dst[0].index = wave.launchVectorLines;
  onVector.flags &= ~u32(OpKeepsOther);
  Vector(wave, onVector);
  wave.setScalarPair(SlotExec, exec);
  u32 value = wave.line(wave.launchVectorLines)[0];
  setScalar32(wave, op.dst[0], sizeof(T) == 2 ? value & 0xffff : value);
}

// Division (CDNA3 ISA, V_DIV_SCALE, V_DIV_FMAS, V_DIV_FIXUP): scale numerator and denominator so
// that no step of the iteration leaves the normal numbers, undo it with the last multiplication.
template <class T> struct Division;
template <> struct Division<float> {
  static constexpr int kNearLargest = 96, kTiny = 23, kUnderflow = -150, kSpecial = 255;
  static constexpr float kUp = 0x1p64f, kDown = 0x1p-64f, kSmallest = 0x1p-126f,
                         kLargeDenominator = 0x1p126f;
  static int exponent(float a) { return int(std::bit_cast<u32>(a) >> 23 & 0xff); }
  static bool isSubnormalQuotient(float n, float d) {
    double quotient = std::fabs(double(n) / double(d));
    return quotient < double(kSmallest) && quotient > 0;
  }
};
template <> struct Division<double> {
  static constexpr int kNearLargest = 768, kTiny = 53, kUnderflow = -1075, kSpecial = 2047;
  static constexpr double kUp = 0x1p128, kDown = 0x1p-128, kSmallest = 0x1p-1022,
                          kLargeDenominator = 0x1p1022;
  static int exponent(double a) { return int(std::bit_cast<u64>(a) >> 52 & 0x7ff); }
  static bool isSubnormalQuotient(double n, double d) {
    LongDouble quotient = std::fabs(LongDouble(n) / LongDouble(d));
    return quotient < LongDouble(kSmallest) && quotient > 0;
  }
};

template <class T> WithMask<T> divisionScale(T value, T denominator, T numerator) {
  using D = Division<T>;
  const bool isDenominator = value == denominator, isNumerator = value == numerator;
  if (numerator == 0 || denominator == 0)
    return {T(kNan), false};
  if (D::exponent(numerator) - D::exponent(denominator) >= D::kNearLargest)
    return {isDenominator ? value * D::kUp : value, true};
  if (std::fabs(denominator) < D::kSmallest)
    return {value * D::kUp, false};
  const bool smallReciprocal =
      std::fabs(denominator) > D::kLargeDenominator && !std::isinf(denominator);
  const bool smallQuotient = D::isSubnormalQuotient(numerator, denominator);
  // The document scales such a denominator up, out of range; down is what makes the iteration
  // work, and V_DIV_FMAS undoes.
  if (smallReciprocal && smallQuotient)
    return {isDenominator ? value * D::kDown : value, true};
  if (smallReciprocal)
    return {value * D::kDown, false};
  if (smallQuotient)
    return {isNumerator ? value * D::kUp : value, true};
  if (D::exponent(numerator) <= D::kTiny)
    return {value * D::kUp, false};
  return {value, false};
}

// A large quotient is 2^-64 of the true one, a small one 2^64 times it; one rounding in all.
float divisionStep(const Mode &m, float a, float b, float c, bool scaled) {
  constexpr NarrowFormat kFloatFormat{23, -126, 127};
  const Rounding rounding = Rounding(m.bits & 3);
  if (!(m.bits & 1 << 4))
    a = flushed(a), b = flushed(b), c = flushed(c);
  double sum = addToOdd(double(a) * double(b), double(c));
  if (scaled)
    sum *= Division<float>::exponent(c) > 127 ? 0x1p64 : 0x1p-64;
  if (isNan(sum) || std::isinf(sum) || sum == 0)
    return float(sum);
  const u32 sign = std::signbit(sum) ? 0x80000000 : 0;
  u32 bits = roundMagnitude(sum, kFloatFormat, rounding);
  if (bits >= 0x7f800000)
    bits = staysFinite(rounding, sign) ? 0x7f7fffff : 0x7f800000;
  if (bits < 0x00800000 && !(m.bits & 1 << 5))
    bits = 0;
  return std::bit_cast<float>(sign | bits);
}
double flushed(double a, bool keeps) {
  return keeps || std::fabs(a) >= 0x1p-1022 || isNan(a) ? a : std::copysign(0.0, a);
}
double divisionStep(const Mode &m, double a, double b, double c, bool scaled) {
  __extension__ typedef __float128 Quad;
  if (!scaled || !std::isfinite(a) || !std::isfinite(b) || !std::isfinite(c))
    return __builtin_fma(a, b, c);
  // The host's flags that flush f64 do not reach these.
  const bool keepsInput = m.bits & 1 << 6, keepsResult = m.bits & 1 << 7;
  const Quad sum =
      Quad(flushed(a, keepsInput)) * Quad(flushed(b, keepsInput)) + Quad(flushed(c, keepsInput));
  const Quad scale = Division<double>::exponent(c) > 1023 ? 0x1p128 : 0x1p-128;
  return flushed(double(sum * scale), keepsResult);
}

template <class T> T divisionFixup(T quotient, T denominator, T numerator) {
  using D = Division<T>;
  const T sign = isNegative(denominator) != isNegative(numerator) ? T(-1) : T(1);
  if (isNan(numerator))
    return quiet(numerator);
  if (isNan(denominator))
    return quiet(denominator);
  if ((denominator == 0 && numerator == 0) || (std::isinf(denominator) && std::isinf(numerator)))
    return -T(kNan);
  if (denominator == 0 || std::isinf(numerator))
    return std::copysign(T(kInfinity), sign);
  if (std::isinf(denominator) || numerator == 0)
    return std::copysign(T(0), sign);
  if (D::exponent(numerator) - D::exponent(denominator) < D::kUnderflow)
    return std::copysign(T(0), sign);
  // A NaN here comes from an iteration that overflowed.
  return std::copysign(isNan(quotient) ? T(kInfinity) : quotient, sign);
}

// 2/pi: the 1201 bits behind the point that V_TRIG_PREOP_F64 has, and zeros.
constexpr unsigned kTwoOverPiBits = 1201;
constexpr u32 kTwoOverPi[] = {
    0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab, 0xdebbc561,
    0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e, 0xe88235f5, 0x2ebb4484,
    0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff, 0xde05980f,
    0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b,
    0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08, 0x56033046, 0xfc7b6bab};

// 53 bits of 2/pi for the reduction of an argument of this size: segment `segment` of them.
double trigPreop(double argument, u32 segment) {
  const int exponent = Division<double>::exponent(argument);
  unsigned shift = (segment & 31) * 53;
  if (exponent > 1077)
    shift += unsigned(exponent - 1077);
  u64 bits = 0;
  for (unsigned n = shift; n < shift + 53; ++n)
    bits = bits << 1 | (n < kTwoOverPiBits ? kTwoOverPi[n / 32] >> (31 - n % 32) & 1 : 0);
  return std::ldexp(double(bits), -53 - int(shift) + (exponent >= 1968 ? 128 : 0));
}

// Which face of a cube a direction meets: 0 and 1 x, 2 and 3 y, 4 and 5 z, the odd ones negative.
int cubeFace(float x, float y, float z) {
  float ax = std::fabs(x), ay = std::fabs(y), az = std::fabs(z);
  if (az >= ax && az >= ay)
    return z < 0 ? 5 : 4;
  if (ay >= ax)
    return y < 0 ? 3 : 2;
  return x < 0 ? 1 : 0;
}
float cubeS(float x, float y, float z) {
  const int face = cubeFace(x, y, z);
  return face == 0 ? -z : face == 1 ? z : face == 5 ? -x : x;
}
float cubeT(float x, float y, float z) {
  const int face = cubeFace(x, y, z);
  return face == 2 ? z : face == 3 ? -z : -y;
}
float cubeMajor(float x, float y, float z) {
  const int face = cubeFace(x, y, z);
  return 2 * (face < 2 ? x : face < 4 ? y : z);
}

float multiplyLit(float a, float b, float c) {
  constexpr float kLargest = std::numeric_limits<float>::max();
  bool out = b == -kLargest || b == -float(kInfinity) || isNan(b) || c <= 0 || isNan(c);
  return out ? -kLargest : a * b;
}

constexpr Handler kRcp64 = approximate<[](const Mode &, double a) {
  return Approximation<double>{1 / a, __builtin_fma(1 / a, a, -1.0) == 0};
},
                                       double, kDoubleUnits>;
constexpr Handler kRsq64 = approximate<[](const Mode &, double a) {
  return Approximation<double>{reciprocalRoot(a), false};
},
                                       double, kDoubleUnits>;
constexpr Handler kSqrt64 = approximate<[](const Mode &, double a) {
  double root = Root::of(a);
  return Approximation<double>{root, __builtin_fma(root, root, -a) == 0};
},
                                        double, kDoubleUnits>;

const OpRow kRows[] = {
    {"V_RCP_F32", float32<Reciprocal>},
    {"V_RCP_IFLAG_F32", float32<Reciprocal>},
    {"V_RSQ_F32", float32<ReciprocalRoot>},
    {"V_SQRT_F32", float32<Root>},
    {"V_EXP_F32", float32<Power>},
    {"V_EXP_LEGACY_F32", float32<Power>},
    {"V_LOG_F32", float32<Logarithm>},
    {"V_LOG_LEGACY_F32", float32<Logarithm>},
    {"V_SIN_F32", float32<Sine>},
    {"V_COS_F32", float32<Cosine>},
    {"V_RCP_F16", float16<Reciprocal>},
    {"V_RSQ_F16", float16<ReciprocalRoot>},
    {"V_SQRT_F16", float16<Root>},
    {"V_EXP_F16", float16<Power>},
    {"V_LOG_F16", float16<Logarithm>},
    {"V_SIN_F16", float16<Sine>},
    {"V_COS_F16", float16<Cosine>},
    {"V_RCP_F64", kRcp64},
    {"V_RSQ_F64", kRsq64},
    {"V_SQRT_F64", kSqrt64},
    {"V_S_RCP_F32", ofScalar<float32<Reciprocal>, float>},
    {"V_S_RSQ_F32", ofScalar<float32<ReciprocalRoot>, float>},
    {"V_S_SQRT_F32", ofScalar<float32<Root>, float>},
    {"V_S_EXP_F32", ofScalar<float32<Power>, float>},
    {"V_S_LOG_F32", ofScalar<float32<Logarithm>, float>},
    {"V_S_RCP_F16", ofScalar<float16<Reciprocal>, Half>},
    {"V_S_RSQ_F16", ofScalar<float16<ReciprocalRoot>, Half>},
    {"V_S_SQRT_F16", ofScalar<float16<Root>, Half>},
    {"V_S_EXP_F16", ofScalar<float16<Power>, Half>},
    {"V_S_LOG_F16", ofScalar<float16<Logarithm>, Half>},
    {"V_DIV_SCALE_F32", valu<([](float a, float b, float c) { return divisionScale(a, b, c); })>,
     nullptr, OpMode32},
    {"V_DIV_SCALE_F64", valu<([](double a, double b, double c) { return divisionScale(a, b, c); })>,
     nullptr, OpMode64},
    {"V_DIV_FMAS_F32", valu<([](const Mode &m, float a, float b, float c, Bit scaled) {
       return divisionStep(m, a, b, c, bool(scaled));
     })>},
    {"V_DIV_FMAS_F64", valu<([](const Mode &m, double a, double b, double c, Bit scaled) {
       return divisionStep(m, a, b, c, bool(scaled));
     })>,
     nullptr, OpMode64},
    {"V_DIV_FIXUP_F32", valu<([](float a, float b, float c) { return divisionFixup(a, b, c); })>,
     nullptr, OpMode32},
    {"V_DIV_FIXUP_F64", valu<([](double a, double b, double c) { return divisionFixup(a, b, c); })>,
     nullptr, OpMode64},
    {"V_TRIG_PREOP_F64", valu<([](double a, u32 b) { return trigPreop(a, b); })>},
    {"V_MAD_LEGACY_F32", valu<([](float a, float b, float c) {
       a = flushed(a), b = flushed(b), c = flushed(c);
       return a == 0 || b == 0 ? c : flushed(flushed(a * b) + c);
     })>,
     nullptr, OpMode32},
    {"V_CUBEID_F32", valu<([](float x, float y, float z) { return float(cubeFace(x, y, z)); })>},
    {"V_CUBESC_F32", valu<([](float x, float y, float z) { return cubeS(x, y, z); })>},
    {"V_CUBETC_F32", valu<([](float x, float y, float z) { return cubeT(x, y, z); })>},
    {"V_CUBEMA_F32", valu<([](float x, float y, float z) { return cubeMajor(x, y, z); })>, nullptr,
     OpMode32},
    {"V_MULLIT_F32", valu<([](float a, float b, float c) { return multiplyLit(a, b, c); })>,
     nullptr, OpMode32},
};

} // namespace

std::span<const OpRow> valuMathRows() { return kRows; }

} // namespace tl::emu
