#include "interp/numbers.h"

#include "graph/fold_int.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace tl::interp {

namespace {

/// Facts of a type as a switch: dtypeInfo searches, and these are asked for every element.
struct Format {
  int bits, precision, maxExponent, minExponent;
  FloatSpecials specials;
};
constexpr Format formatOf(DType type) {
  switch (type) {
#define TL_DTYPE(NAME, VALUE, TEXT, BITS, BYTES, CLASS, PRECISION, EMAX, EMIN, SPECIALS)           \
  case DType::NAME:                                                                                \
    return {BITS, PRECISION, EMAX, EMIN, FloatSpecials::SPECIALS};
#include "support/dtypes.def"
  case DType::None:
    break;
  }
  return {};
}

/// A number whose last bit kept is 1, as an integer.
template <class C> C toInteger(C v, Rounding rounding) {
  switch (rounding) {
  case Rounding::Nearest:
    return std::rint(v); // to the even one of two
  case Rounding::Zero:
    return std::trunc(v);
  case Rounding::Down:
    return std::floor(v);
  case Rounding::Up:
    return std::ceil(v);
  }
  return v;
}

double overflow(const Format &format, double sign) {
  if (format.specials == FloatSpecials::None)
    return std::copysign(
        std::ldexp(2.0 - std::ldexp(1.0, 1 - format.precision), format.maxExponent), sign);
  return format.specials == FloatSpecials::Ieee
             ? std::copysign(std::numeric_limits<double>::infinity(), sign)
             : std::copysign(std::numeric_limits<double>::quiet_NaN(), sign);
}

/// A zero as the format has it: a scale has none.
double zeroOf(const Format &format, double v) {
  if (format.specials == FloatSpecials::Scale)
    return std::ldexp(1.0, format.minExponent);
  return format.specials == FloatSpecials::Zero ? 0 : std::copysign(0.0, v);
}

/// To a power of two; of two equally near ones to the one with an even exponent of the format. What
/// is below the smallest becomes it, in every mode; negative numbers NaN.
template <class C> double roundScale(const Format &format, C v, const CastMode &mode) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double most = std::ldexp(1.0, format.maxExponent);
  if (v < 0)
    return nan;
  if (std::isinf(v))
    return mode.saturate ? most : nan;
  int exponent = std::ilogb(v);
  if (exponent < format.minExponent)
    return std::ldexp(1.0, format.minExponent);
  C rest = std::scalbn(v, -exponent) - 1; // of 1
  bool odd = (exponent - format.minExponent) % 2 != 0;
  bool nearest = mode.rounding == Rounding::Nearest;
  exponent += nearest ? rest > C(0.5) || (rest == C(0.5) && odd)
                      : mode.rounding == Rounding::Up && rest > 0;
  if (exponent <= format.maxExponent)
    return std::ldexp(1.0, exponent);
  bool inwards = mode.rounding == Rounding::Zero || mode.rounding == Rounding::Down;
  return mode.saturate || inwards ? most : nan;
}

/// Rounds to `precision` bits by scaling the last kept bit to 1.
template <class C> double roundBits(DType type, C v, const CastMode &mode) {
  const Format format = formatOf(type);
  const double most = largest(type), sign = std::copysign(1.0, double(v));
  if (std::isnan(v))
    return format.specials == FloatSpecials::None ? most : double(v);
  if (v == 0)
    return zeroOf(format, double(v));
  if (format.specials == FloatSpecials::Scale)
    return roundScale(format, v, mode);
  if (std::isinf(v))
    return mode.saturate ? std::copysign(most, sign) : overflow(format, sign);
  int last = std::max(std::ilogb(v), format.minExponent) - (format.precision - 1);
  C r = std::scalbn(toInteger(std::scalbn(v, -last), mode.rounding), last);
  if (std::fabs(r) <= C(most))
    return r == 0 ? zeroOf(format, sign) : double(r);
  bool inwards = mode.rounding == Rounding::Zero ||
                 mode.rounding == (sign > 0 ? Rounding::Down : Rounding::Up);
  return mode.saturate || inwards ? std::copysign(most, sign) : overflow(format, sign);
}

} // namespace

double roundTo(DType type, double v) {
  if (type == DType::F64)
    return v;
  // Not through a conversion, which would quiet a NaN.
  if (type == DType::F32)
    return std::isnan(v) ? v : double(float(v));
  return roundBits(type, v, {});
}

double roundTo(DType type, double v, const CastMode &mode) { return roundBits(type, v, mode); }
double roundTo(DType type, long double v, const CastMode &mode) { return roundBits(type, v, mode); }

double roundTo(DType type, long double v) {
  if (type == DType::F64 || std::isnan(v))
    return double(v);
  if (type == DType::F32)
    return double(float(v));
  return roundBits(type, v, {});
}

double roundInteger(DType type, int64_t v, DType from) {
  static_assert(std::numeric_limits<long double>::digits >= 64, "holds every 64-bit integer");
  return roundTo(type, from == DType::U64 ? static_cast<long double>(uint64_t(v))
                                          : static_cast<long double>(v));
}

/// x + y rounded to odd: where it is inexact, the neighbour with an odd last bit. Rounding that to
/// nearest with at least two bits less gives what rounding the exact sum gives.
static double addToOdd(double x, double y) {
  double sum = x + y;
  if (!std::isfinite(sum))
    return sum;
  double yPart = sum - x;
  double rest = (x - (sum - yPart)) + (y - yPart); // the exact sum is sum + rest
  bool even = (std::bit_cast<uint64_t>(sum) & 1) == 0;
  if (rest != 0 && even)
    return std::nextafter(sum, rest > 0 ? std::numeric_limits<double>::infinity()
                                        : -std::numeric_limits<double>::infinity());
  return sum;
}

double fusedMultiplyAdd(DType type, double a, double b, double c) {
  if (type == DType::F64)
    return std::fma(a, b, c);
  // The product of two values of at most 24 bits is exact in double.
  return roundTo(type, addToOdd(a * b, c));
}

int64_t truncateTo(DType type, double v) {
  if (std::isnan(v))
    return 0;
  double t = std::trunc(v);
  unsigned bits = dtypeBits(type);
  if (isUnsigned(type)) {
    uint64_t most = bits == 64 ? UINT64_MAX : (uint64_t(1) << bits) - 1;
    if (t <= 0)
      return 0;
    return int64_t(t >= std::ldexp(1.0, int(bits)) ? most : uint64_t(t));
  }
  int64_t most = int64_t(UINT64_MAX >> (65 - bits));
  if (t >= std::ldexp(1.0, int(bits) - 1))
    return most;
  return t <= -std::ldexp(1.0, int(bits) - 1) ? -most - 1 : int64_t(t);
}

double ulp(DType type, double v) {
  const Format format = formatOf(type);
  int exponent;
  if (v == 0)
    exponent = format.minExponent;
  else if (!std::isfinite(v))
    exponent = format.maxExponent;
  else
    exponent = std::min(std::max(std::ilogb(v), format.minExponent), format.maxExponent);
  return std::ldexp(1.0, exponent - (format.precision - 1));
}

double smallest(DType type) { return ulp(type, 0); }

double largest(DType type) {
  const Format format = formatOf(type);
  // Where all ones are NaN, the largest number has one bit less.
  int bits = format.precision - (format.specials == FloatSpecials::Nan ? 1 : 0);
  return std::ldexp(2.0 - std::ldexp(1.0, 1 - bits), format.maxExponent);
}

double unitRoundoff(DType type) { return std::ldexp(1.0, -formatOf(type).precision); }

/// Bits of a NaN of a format of 8 bits or fewer that has two at most.
static bool isNarrowNan(const Format &format, uint64_t bits) {
  if (format.specials == FloatSpecials::None)
    return false;
  return format.specials == FloatSpecials::Nan ? (bits & 0x7f) == 0x7f : bits == 0x80;
}

double decodeFloat(DType type, uint64_t bits) {
  if (type == DType::F64)
    return std::bit_cast<double>(bits);
  const Format format = formatOf(type);
  bits &= (uint64_t(1) << format.bits) - 1;
  if (format.specials == FloatSpecials::Scale)
    return bits == 0xff ? std::numeric_limits<double>::quiet_NaN()
                        : std::ldexp(1.0, int(bits) + format.minExponent);
  int mantissaBits = format.precision - 1;
  uint64_t mantissa = bits & ((uint64_t(1) << mantissaBits) - 1);
  uint64_t allOnes = (uint64_t(1) << (format.bits - 1 - mantissaBits)) - 1;
  uint64_t exponent = bits >> mantissaBits & allOnes;
  uint64_t sign = bits >> (format.bits - 1) & 1;
  bool ieee = format.specials == FloatSpecials::Ieee;
  if (!ieee && isNarrowNan(format, bits))
    return std::copysign(std::numeric_limits<double>::quiet_NaN(), sign ? -1.0 : 1.0);
  if (exponent == 0) { // zero or subnormal
    double v = std::ldexp(double(mantissa), format.minExponent - mantissaBits);
    return sign ? -v : v;
  }
  uint64_t wide = ieee && exponent == allOnes
                      ? 2047
                      : exponent + uint64_t(int64_t(format.minExponent) - 1 + 1023);
  return std::bit_cast<double>(sign << 63 | wide << 52 | mantissa << (52 - mantissaBits));
}

uint64_t encodeFloat(DType type, double v) {
  uint64_t wide = std::bit_cast<uint64_t>(v);
  if (type == DType::F64)
    return wide;
  const Format format = formatOf(type);
  if (format.specials == FloatSpecials::Scale)
    return std::isnan(v) ? 0xff : uint64_t(std::ilogb(v) - format.minExponent);
  int mantissaBits = format.precision - 1;
  uint64_t sign = (wide >> 63) << (format.bits - 1);
  uint64_t infinity = ((uint64_t(1) << (format.bits - 1 - mantissaBits)) - 1) << mantissaBits;
  uint64_t mantissa = wide << 12 >> 12 >> (52 - mantissaBits);
  if (v == 0 && format.specials == FloatSpecials::Zero)
    return 0;
  if (std::isnan(v) && format.specials != FloatSpecials::Ieee)
    return format.specials == FloatSpecials::Zero ? 0x80 : sign | 0x7f;
  if (std::isnan(v)) // a payload that does not fit must not become infinity
    return sign | infinity | (mantissa ? mantissa : uint64_t(1) << (mantissaBits - 1));
  if (std::isinf(v))
    return sign | infinity;
  int exponent = int(wide >> 52 & 2047) - 1023;
  if (exponent < format.minExponent) // zero or subnormal: a multiple of the smallest value
    return sign | uint64_t(std::ldexp(std::fabs(v), mantissaBits - format.minExponent));
  return sign | uint64_t(exponent - format.minExponent + 1) << mantissaBits | mantissa;
}

int64_t decodeInteger(DType type, uint64_t bits) {
  return isBool(type) ? (bits & 255) != 0 : wrapInteger(int64_t(bits), type);
}

uint64_t readBytes(const void *from, unsigned bytes) {
  switch (bytes) {
  case 1:
    return *static_cast<const uint8_t *>(from);
  case 2: {
    uint16_t v;
    std::memcpy(&v, from, 2);
    return v;
  }
  case 4: {
    uint32_t v;
    std::memcpy(&v, from, 4);
    return v;
  }
  default: {
    uint64_t v;
    std::memcpy(&v, from, 8);
    return v;
  }
  }
}

void writeBytes(void *to, uint64_t bits, unsigned bytes) {
  static_assert(std::endian::native == std::endian::little);
  std::memcpy(to, &bits, bytes);
}

} // namespace tl::interp
