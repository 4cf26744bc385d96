// What each elementwise operation must give, from mathematics: integers by 128-bit arithmetic,
// floats by MPFR with the format's precision and exponent range. Elements are passed as their bits.
#pragma once

#include "graph/opcode.h"
#include "support/dtype.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <mpfr.h>

namespace unit {

using tl::DType;
using tl::Opcode;
using tl::Pred;
using Wide = __int128;

inline uint64_t maskOf(DType t) {
  return tl::dtypeBits(t) == 64 ? ~uint64_t(0) : (uint64_t(1) << tl::dtypeBits(t)) - 1;
}

inline Wide toWide(DType t, uint64_t bits) {
  bits &= maskOf(t);
  unsigned width = tl::dtypeBits(t);
  bool negative = tl::isSigned(t) && bits >> (width - 1);
  return negative ? Wide(bits) - (Wide(1) << width) : Wide(bits);
}

inline uint64_t wrap(DType t, Wide value) { return uint64_t(value) & maskOf(t); }

/// A format of 8 bits or fewer by its definition: bits of the fraction, the bias, and the bit of
/// the sign.
struct NarrowFormat {
  int fraction, bias;
  uint64_t sign = 0x80;
};
inline NarrowFormat narrowFormat(DType t) {
  switch (t) {
  case DType::F8E4M3FN:
    return {3, 7};
  case DType::F8E5M2:
    return {2, 15};
  case DType::F8E4M3FNUZ:
    return {3, 8};
  case DType::F6E2M3FN:
    return {3, 1, 0x20};
  case DType::F6E3M2FN:
    return {2, 3, 0x20};
  case DType::F4E2M1FN:
    return {1, 1, 0x8};
  default: // F8E5M2FNUZ
    return {2, 16};
  }
}
/// Those without NaN and infinity.
inline bool isFiniteFormat(DType t) {
  return t == DType::F6E2M3FN || t == DType::F6E3M2FN || t == DType::F4E2M1FN;
}

inline double narrowToDouble(DType t, uint64_t bits) {
  if (t == DType::F8E8M0FNU)
    return bits == 0xff ? NAN : std::ldexp(1.0, int(bits) - 127);
  NarrowFormat format = narrowFormat(t);
  bool unsignedZero = t == DType::F8E4M3FNUZ || t == DType::F8E5M2FNUZ;
  if (unsignedZero ? bits == 0x80 : t == DType::F8E4M3FN && (bits & 0x7f) == 0x7f)
    return NAN;
  int exponent = int(bits & (format.sign - 1)) >> format.fraction, ones = 1 << format.fraction;
  int fraction = int(bits) & (ones - 1);
  double magnitude = exponent
                         ? std::ldexp(ones + fraction, exponent - format.bias - format.fraction)
                         : std::ldexp(fraction, 1 - format.bias - format.fraction);
  if (t == DType::F8E5M2 && exponent == 31)
    magnitude = fraction ? NAN : INFINITY;
  return bits & format.sign ? -magnitude : magnitude;
}

/// The same for f8e8m0fnu, whose codes are in the order of their numbers; it has no 0 and no sign.
inline uint64_t scaleReference(long double value, tl::CastMode mode) {
  if (std::isnan(value) || value < 0 || (std::isinf(value) && !mode.saturate))
    return 0xff;
  auto numberAt = [](uint64_t code) { return std::ldexp(1.0L, int(code) - 127); };
  uint64_t low = 0;
  while (low < 0xff && numberAt(low + 1) <= value)
    ++low;
  uint64_t chosen = low;
  if (numberAt(low) < value && mode.rounding != tl::Rounding::Zero &&
      mode.rounding != tl::Rounding::Down) {
    long double below = value - numberAt(low), above = numberAt(low + 1) - value;
    chosen += mode.rounding == tl::Rounding::Up || above < below || (above == below && low % 2);
  }
  bool inwards = mode.rounding == tl::Rounding::Zero || mode.rounding == tl::Rounding::Down;
  return chosen > 0xfe && (mode.saturate || inwards) ? 0xfe : std::min<uint64_t>(chosen, 0xff);
}

/// The bits that a number becomes: by looking at all numbers of the format.
inline uint64_t narrowReference(DType t, long double value, tl::CastMode mode) {
  if (t == DType::F8E8M0FNU)
    return scaleReference(value, mode);
  const uint64_t signBit = narrowFormat(t).sign;
  bool unsignedZero = t == DType::F8E4M3FNUZ || t == DType::F8E5M2FNUZ;
  uint64_t nan = unsignedZero ? 0x80 : signBit - 1; // the largest number where there is none
  uint64_t sign = std::signbit(value) && !unsignedZero ? signBit : 0;
  mode.saturate |= isFiniteFormat(t);
  uint64_t infinity = t == DType::F8E5M2 ? 0x7c | sign : nan;
  if (std::isnan(value))
    return nan;
  uint64_t largest = signBit - 1; // of the positive numbers, which are in the order of their bits
  while (!std::isfinite(narrowToDouble(t, largest)))
    --largest;
  auto numberAt = [&](uint64_t bits) -> long double {
    double last = narrowToDouble(t, largest), before = narrowToDouble(t, largest - 1);
    return bits > largest ? last + (last - before) : narrowToDouble(t, bits);
  };
  long double a = std::fabs(value);
  uint64_t low = 0;
  while (low <= largest && numberAt(low + 1) <= a)
    ++low;
  uint64_t chosen = low;
  bool inwards = mode.rounding == tl::Rounding::Zero ||
                 mode.rounding == (std::signbit(value) ? tl::Rounding::Up : tl::Rounding::Down);
  if (low <= largest && numberAt(low) != a) {
    long double below = a - numberAt(low), above = numberAt(low + 1) - a;
    bool up = mode.rounding == tl::Rounding::Nearest ? above < below || (above == below && low % 2)
                                                     : !inwards;
    chosen = low + up;
  }
  if (chosen > largest) {
    if (!mode.saturate && (!inwards || std::isinf(value)))
      return infinity;
    chosen = largest;
  }
  uint64_t negative = std::signbit(value) && (chosen != 0 || !unsignedZero) ? signBit : 0;
  return chosen | negative;
}

/// A float of any format as double, exact.
inline double toDouble(DType t, uint64_t bits) {
  if (tl::isNarrowFloat(t))
    return narrowToDouble(t, bits & maskOf(t));
  if (t == DType::F64) {
    double d;
    std::memcpy(&d, &bits, 8);
    return d;
  }
  if (t == DType::F16) {
    int exponent = int(bits >> 10 & 31), fraction = int(bits & 1023);
    double magnitude = exponent == 31 ? (fraction ? NAN : INFINITY)
                       : exponent     ? std::ldexp(1024 + fraction, exponent - 25)
                                      : std::ldexp(fraction, -24);
    return bits & 0x8000 ? -magnitude : magnitude;
  }
  uint32_t word = uint32_t(t == DType::BF16 ? bits << 16 : bits);
  float f;
  std::memcpy(&f, &word, 4);
  return f;
}

/// The bits of a number that the format holds exactly; NaN gives some NaN.
inline uint64_t encodeExact(DType t, double value) {
  if (tl::isNarrowFloat(t))
    return narrowReference(t, value, {});
  if (t == DType::F64) {
    uint64_t bits;
    std::memcpy(&bits, &value, 8);
    return bits;
  }
  if (t == DType::F16) {
    uint64_t sign = std::signbit(value) ? 0x8000 : 0;
    if (std::isnan(value))
      return 0x7e00;
    if (std::isinf(value))
      return sign | 0x7c00;
    double magnitude = std::fabs(value);
    if (magnitude < 0x1p-14)
      return sign | uint64_t(std::ldexp(magnitude, 24));
    int exponent = std::ilogb(magnitude);
    return sign | (uint64_t(exponent + 15) << 10 |
                   (uint64_t(std::ldexp(magnitude, 10 - exponent)) & 1023));
  }
  float f = float(value);
  uint32_t word;
  std::memcpy(&word, &f, 4);
  return t == DType::BF16 ? word >> 16 : word;
}

/// Evaluates in a format: every operation through round() is rounded once, denormals and overflow
/// included.
class Format {
public:
  explicit Format(DType t, mpfr_rnd_t rounding = MPFR_RNDN)
      : type(t), info(tl::dtypeInfo(t)), rounding(rounding) {
    savedMin = mpfr_get_emin();
    savedMax = mpfr_get_emax();
    mpfr_init2(result, info.precision);
  }
  ~Format() {
    mpfr_clear(result);
    mpfr_set_emin(savedMin);
    mpfr_set_emax(savedMax);
  }
  /// `compute` sets its argument, rounded as was said, and gives MPFR's ternary value.
  template <class F> uint64_t round(F compute) {
    int minNormal = 1 - info.maxExponent;
    mpfr_set_emin(minNormal - info.precision + 2);
    mpfr_set_emax(info.maxExponent + 1);
    int ternary = compute(result);
    ternary = mpfr_check_range(result, ternary, rounding);
    mpfr_subnormalize(result, ternary, rounding);
    double value = mpfr_get_d(result, MPFR_RNDN);
    mpfr_set_emin(savedMin);
    mpfr_set_emax(savedMax);
    return encodeExact(type, value);
  }

private:
  DType type;
  const tl::DTypeInfo &info;
  mpfr_rnd_t rounding;
  mpfr_t result;
  mpfr_exp_t savedMin, savedMax;
};

/// An exact operand.
class Exact {
public:
  explicit Exact(double value) {
    mpfr_init2(number, 64);
    mpfr_set_d(number, value, MPFR_RNDN);
  }
  explicit Exact(Wide value) {
    mpfr_init2(number, 64);
    bool negative = value < 0;
    mpfr_set_uj(number, uintmax_t(negative ? -value : value), MPFR_RNDN);
    if (negative)
      mpfr_neg(number, number, MPFR_RNDN);
  }
  Exact(const Exact &) = delete;
  ~Exact() { mpfr_clear(number); }
  mpfr_t number;
};

inline Wide floorDivide(Wide a, Wide b) {
  Wide q = a / b;
  return q * b != a && (a < 0) != (b < 0) ? q - 1 : q;
}

/// High half of the product of two n-bit numbers, by the product of magnitudes in 256 bits.
inline uint64_t highHalfReference(DType t, Wide a, Wide b) {
  using Unsigned = unsigned __int128;
  unsigned width = tl::dtypeBits(t);
  Unsigned x = Unsigned(a < 0 ? -a : a), y = Unsigned(b < 0 ? -b : b), product = x * y; // < 2^128
  bool negative = (a < 0) != (b < 0) && product != 0;
  Unsigned floor = product >> width, rest = product - (floor << width);
  return wrap(t, negative ? -Wide(floor) - (rest != 0) : Wide(floor));
}

inline uint64_t countBits(uint64_t bits) {
  uint64_t count = 0;
  for (; bits; bits >>= 1)
    count += bits & 1;
  return count;
}

/// The first 64 bits of Philox4x32-10, written as the paper has it: L and R of each half, and the
/// key of round r as the first key plus r times the constant.
inline uint64_t philoxReference(uint64_t seed, uint64_t offset) {
  constexpr uint64_t word = 0xffffffff;
  uint64_t r0 = offset & word, l0 = offset >> 32, r1 = 0, l1 = 0;
  for (uint64_t r = 0; r < 10; ++r) {
    uint64_t k0 = ((seed & word) + r * 0x9E3779B9) & word,
             k1 = ((seed >> 32) + r * 0xBB67AE85) & word;
    uint64_t p0 = r0 * 0xD2511F53, p1 = r1 * 0xCD9E8D57;
    r0 = (p1 >> 32) ^ k0 ^ l0;
    r1 = (p0 >> 32) ^ k1 ^ l1;
    l0 = p1 & word;
    l1 = p0 & word;
  }
  return l0 << 32 | r0;
}

inline uint64_t integerReference(Opcode op, DType t, const uint64_t *bits) {
  uint64_t bitsA = bits[0], bitsB = bits[1];
  Wide a = toWide(t, bitsA), b = toWide(t, bitsB), c = toWide(t, bits[2]);
  unsigned width = tl::dtypeBits(t);
  uint64_t shift = bitsB & maskOf(t);
  switch (op) {
  case Opcode::Add:
    return wrap(t, a + b);
  case Opcode::Sub:
    return wrap(t, a - b);
  case Opcode::Mul: {
    uint64_t low = bitsA * bitsB;
    return low & maskOf(t);
  }
  case Opcode::Div:
    return b == 0 ? 0 : wrap(t, a / b);
  case Opcode::Rem:
    return b == 0 ? wrap(t, a) : wrap(t, a % b);
  case Opcode::FloorDiv:
    return b == 0 ? 0 : wrap(t, floorDivide(a, b));
  case Opcode::FloorMod:
    return b == 0 ? wrap(t, a) : wrap(t, a - floorDivide(a, b) * b);
  case Opcode::CeilDiv:
    return b == 0 ? 0 : wrap(t, -floorDivide(-a, b));
  case Opcode::MulHi:
    return highHalfReference(t, a, b);
  case Opcode::RandomBits:
    return philoxReference(bitsA, bitsB);
  case Opcode::Popcount:
    return countBits(bitsA & maskOf(t));
  case Opcode::Clz: {
    uint64_t zeros = 0;
    while (zeros < width && !(bitsA >> (width - 1 - zeros) & 1))
      ++zeros;
    return zeros;
  }
  case Opcode::Clamp:
    return wrap(t, std::min(std::max(a, b), c));
  case Opcode::Min:
    return wrap(t, a < b ? a : b);
  case Opcode::Max:
    return wrap(t, a > b ? a : b);
  case Opcode::Neg:
    return wrap(t, -a);
  case Opcode::Abs:
    return wrap(t, a < 0 ? -a : a);
  case Opcode::And:
    return bitsA & bitsB;
  case Opcode::Or:
    return bitsA | bitsB;
  case Opcode::Xor:
    return bitsA ^ bitsB;
  case Opcode::Not:
    return ~bitsA & maskOf(t);
  case Opcode::Shl:
    return shift >= width ? 0 : wrap(t, Wide(bitsA & maskOf(t)) << shift);
  case Opcode::Shr:
    return shift >= width ? (a < 0 ? maskOf(t) : 0) : wrap(t, a >> shift);
  default:
    return 0xdeadbeef;
  }
}

inline double minMaxReference(bool isMin, double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return NAN;
  if (a == 0 && b == 0)
    return isMin ? (std::signbit(a) ? a : b) : (std::signbit(a) ? b : a);
  return (a < b) == isMin ? a : b;
}

inline uint64_t floatReference(Opcode op, DType t, const uint64_t *bits) {
  uint64_t sign = uint64_t(1) << (tl::dtypeBits(t) - 1);
  if (op == Opcode::Neg)
    return bits[0] ^ sign;
  if (op == Opcode::Abs)
    return bits[0] & ~sign;
  double a = toDouble(t, bits[0]), b = toDouble(t, bits[1]);
  if (op == Opcode::MinNum || op == Opcode::MaxNum)
    return encodeExact(t, std::isnan(a)   ? b
                          : std::isnan(b) ? a
                                          : minMaxReference(op == Opcode::MinNum, a, b));
  if (op == Opcode::Clamp)
    return encodeExact(t,
                       minMaxReference(true, minMaxReference(false, a, b), toDouble(t, bits[2])));
  if (op == Opcode::Min || op == Opcode::Max)
    return encodeExact(t, minMaxReference(op == Opcode::Min, a, b));
  Exact x(a), y(b), z(toDouble(t, bits[2]));
  Format format(t);
  return format.round([&](mpfr_t r) {
    switch (op) {
    case Opcode::Add:
      return mpfr_add(r, x.number, y.number, MPFR_RNDN);
    case Opcode::Sub:
      return mpfr_sub(r, x.number, y.number, MPFR_RNDN);
    case Opcode::Mul:
      return mpfr_mul(r, x.number, y.number, MPFR_RNDN);
    case Opcode::Div:
      return mpfr_div(r, x.number, y.number, MPFR_RNDN);
    default: // Fma
      return mpfr_fma(r, x.number, y.number, z.number, MPFR_RNDN);
    }
  });
}

inline bool classifyReference(Opcode op, DType t, uint64_t bits) {
  double a = toDouble(t, bits);
  return op == Opcode::IsNan   ? std::isnan(a)
         : op == Opcode::IsInf ? std::isinf(a)
                               : std::isfinite(a);
}

inline bool compareReference(Pred pred, DType t, uint64_t bitsA, uint64_t bitsB) {
  int order; // -1, 0, 1; 2 = unordered
  if (tl::isFloat(t)) {
    double a = toDouble(t, bitsA), b = toDouble(t, bitsB);
    order = a < b ? -1 : a > b ? 1 : a == b ? 0 : 2;
  } else {
    Wide a = toWide(t, bitsA), b = toWide(t, bitsB);
    order = a < b ? -1 : a > b;
  }
  switch (pred) {
  case Pred::Eq:
    return order == 0;
  case Pred::Ne:
    return order != 0;
  case Pred::Lt:
    return order == -1;
  case Pred::Le:
    return order == -1 || order == 0;
  case Pred::Gt:
    return order == 1;
  case Pred::Ge:
    return order == 1 || order == 0;
  case Pred::Ord:
    return order != 2;
  case Pred::Uno:
    return order == 2;
  case Pred::One:
    return order == 1 || order == -1;
  case Pred::Ueq:
    return order == 0 || order == 2;
  case Pred::Ult:
    return order == -1 || order == 2;
  case Pred::Ule:
    return order != 1;
  case Pred::Ugt:
    return order == 1 || order == 2;
  default: // Uge
    return order != -1;
  }
}

inline mpfr_rnd_t mpfrRounding(tl::Rounding rounding) {
  switch (rounding) {
  case tl::Rounding::Zero:
    return MPFR_RNDZ;
  case tl::Rounding::Down:
    return MPFR_RNDD;
  case tl::Rounding::Up:
    return MPFR_RNDU;
  default:
    return MPFR_RNDN;
  }
}

/// A float of 16 bits or more, from another.
inline uint64_t castToFormat(DType to, double value, tl::CastMode mode) {
  Exact x(value);
  mpfr_rnd_t rounding = mpfrRounding(mode.rounding);
  uint64_t bits =
      Format(to, rounding).round([&](mpfr_t r) { return mpfr_set(r, x.number, rounding); });
  uint64_t infinity = encodeExact(to, INFINITY), sign = uint64_t(1) << (tl::dtypeBits(to) - 1);
  return mode.saturate && (bits & ~sign) == infinity ? bits - 1 : bits;
}

inline uint64_t castReference(DType from, DType to, uint64_t bits, tl::CastMode mode = {}) {
  if (from == to && !mode.saturate)
    return bits & maskOf(from);
  if (!tl::isFloat(from) && !tl::isFloat(to))
    return tl::isBool(to) ? (bits & maskOf(from)) != 0 : wrap(to, toWide(from, bits));
  if (!tl::isFloat(from) && tl::isNarrowFloat(to))
    return narrowReference(to, static_cast<long double>(toWide(from, bits)), {});
  if (!tl::isFloat(from)) {
    Exact x(toWide(from, bits));
    return Format(to).round([&](mpfr_t r) { return mpfr_set(r, x.number, MPFR_RNDN); });
  }
  double value = toDouble(from, bits);
  if (tl::isBool(to))
    return value != 0;
  if (tl::isFloat(to))
    return tl::isNarrowFloat(to) ? narrowReference(to, value, mode) : castToFormat(to, value, mode);
  if (std::isnan(value))
    return 0;
  unsigned width = tl::dtypeBits(to);
  Wide low = tl::isSigned(to) ? -(Wide(1) << (width - 1)) : 0;
  Wide high = tl::isSigned(to) ? (Wide(1) << (width - 1)) - 1 : (Wide(1) << width) - 1;
  double truncated = std::trunc(value);
  if (truncated >= 0x1p100)
    return wrap(to, high);
  if (truncated <= -0x1p100)
    return wrap(to, low);
  Wide integer = Wide(truncated);
  return wrap(to, integer < low ? low : integer > high ? high : integer);
}

} // namespace unit
