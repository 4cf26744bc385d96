// f16 and bf16 numbers: exact conversions, and the one rounding that ends an operation on them.
//
// An operation on f16 is computed exactly, or rounded to odd, in f64 and then rounded once by
// MODE's fields for f16 (CDNA3 ISA 4.1 "Mode register": the f64 fields are those of f16 too).
// Nothing here looks at the host's rounding mode.
#pragma once

#include "emu/float_ops.h"

#include <immintrin.h>

namespace tl::emu {

inline constexpr uint32_t kModeKeepsInput16 = 1 << 6, kModeKeepsOutput16 = 1 << 7;
inline constexpr uint32_t kModeClampsOverflow16 = 1 << 23; // FP16_OVFL

inline bool isNan(Half a) { return (a.bits & 0x7fff) > 0x7c00; }
inline bool isSignaling(Half a) { return isNan(a) && !(a.bits & 0x200); }
inline Half quiet(Half a) { return {uint16_t(a.bits | 0x200)}; }
inline bool isNegative(Half a) { return a.bits >> 15; }

/// A source's value: denormals count as zero when MODE says so.
inline Half flushedInput(const Mode &mode, Half a) {
  bool flush = !(mode.bits & kModeKeepsInput16) && !(a.bits & 0x7c00);
  return {uint16_t(flush ? a.bits & 0x8000 : a.bits)};
}
inline float toFloat(Half a) { return _cvtsh_ss(a.bits); }
inline float toFloat(const Mode &mode, Half a) { return _cvtsh_ss(flushedInput(mode, a).bits); }
inline float toFloat(Bfloat a) { return std::bit_cast<float>(uint32_t(a.bits) << 16); }

enum class Rounding : uint8_t { NearestEven, Up, Down, TowardZero };
inline Rounding rounding16(const Mode &mode) { return Rounding(mode.bits >> 2 & 3); }

/// Where and how a number of few bits is rounded: exponents from `smallest` on are normal.
struct NarrowFormat {
  int mantissaBits, smallest, bias;
};
inline constexpr NarrowFormat kHalfFormat{10, -14, 15}, kBfloatFormat{7, -126, 127};

/// The magnitude of a finite `value` in a format, as its exponent and mantissa fields joined; may
/// be beyond the format's largest.
inline uint32_t roundMagnitude(double value, NarrowFormat format, Rounding rounding) {
  uint64_t bits = std::bit_cast<uint64_t>(value);
  bool negative = bits >> 63;
  int exponent = int(bits >> 52 & 0x7ff) - 1023;
  uint64_t fraction = bits & ((uint64_t(1) << 52) - 1);
  if (exponent == -1023) {
    if (!fraction)
      return 0;
    exponent = -1022;
  } else {
    fraction |= uint64_t(1) << 52;
  }
  int kept = exponent < format.smallest ? format.smallest : exponent;
  int shift = 52 - format.mantissaBits + kept - exponent;
  shift = shift > 63 ? 63 : shift;
  uint64_t result = fraction >> shift, rest = fraction & ((uint64_t(1) << shift) - 1),
           middle = uint64_t(1) << (shift - 1);
  bool up = rounding == Rounding::NearestEven ? rest > middle || (rest == middle && result & 1)
            : rounding == Rounding::Up        ? rest && !negative
            : rounding == Rounding::Down      ? rest && negative
                                              : false;
  // The bit before the point of a normal number counts once in the exponent field.
  return uint32_t(result + up) + (uint32_t(kept + format.bias - 1) << format.mantissaBits);
}

/// Does rounding beyond the largest number give it, not an infinity?
inline bool staysFinite(Rounding rounding, bool negative) {
  return rounding == Rounding::TowardZero || (rounding == Rounding::Up && negative) ||
         (rounding == Rounding::Down && !negative);
}

inline Half roundToHalf(double value, Rounding rounding, bool keepsDenormals = true,
                        bool clampsOverflow = false) {
  uint32_t sign = std::bit_cast<uint64_t>(value) >> 48 & 0x8000;
  if (isNan(value))
    return {uint16_t(sign | 0x7e00)};
  if (std::isinf(value))
    return {uint16_t(sign | 0x7c00)};
  uint32_t bits = roundMagnitude(value, kHalfFormat, rounding);
  if (bits >= 0x7c00)
    bits = clampsOverflow || staysFinite(rounding, sign) ? 0x7bff : 0x7c00;
  if (bits < 0x400 && !keepsDenormals)
    bits = 0;
  return {uint16_t(sign | bits)};
}
inline Half roundToHalf(const Mode &mode, double value) {
  return roundToHalf(value, rounding16(mode), mode.bits & kModeKeepsOutput16,
                     mode.bits & kModeClampsOverflow16);
}

inline Bfloat roundToBfloat(double value, Rounding rounding) {
  uint32_t sign = std::bit_cast<uint64_t>(value) >> 48 & 0x8000;
  if (isNan(value))
    return {uint16_t(sign | 0x7fc0)};
  if (std::isinf(value))
    return {uint16_t(sign | 0x7f80)};
  uint32_t bits = roundMagnitude(value, kBfloatFormat, rounding);
  if (bits >= 0x7f80)
    bits = staysFinite(rounding, sign) ? 0x7f7f : 0x7f80;
  return {uint16_t(sign | bits)};
}

/// a + b with an inexact sum rounded to odd: rounding it again to at most 51 bits is exact.
inline double addToOdd(double a, double b) {
  double sum = a + b, part = sum - a;
  double error = (a - (sum - part)) + (b - part);
  uint64_t bits = std::bit_cast<uint64_t>(sum);
  // Towards the lost part, when the last bit is even.
  bool away = (error > 0) == (sum > 0);
  bool adjusts = error != 0 && std::isfinite(sum) && !(bits & 1);
  return std::bit_cast<double>(adjusts ? (away ? bits + 1 : bits - 1) : bits);
}

// Minimum and maximum: as those of f32, which holds every f16.
inline Half minimumNumber(bool ieee, Half a, Half b) {
  float x = toFloat(a), y = toFloat(b);
  Half smaller = x < y || (x == y && isNegative(a)) ? a : b;
  Half result = isNan(a) ? b : isNan(b) ? a : smaller;
  return ieee && (isSignaling(a) || isSignaling(b)) ? quiet(isSignaling(a) ? a : b) : result;
}
inline Half maximumNumber(bool ieee, Half a, Half b) {
  float x = toFloat(a), y = toFloat(b);
  Half larger = x > y || (x == y && isNegative(b)) ? a : b;
  Half result = isNan(a) ? b : isNan(b) ? a : larger;
  return ieee && (isSignaling(a) || isSignaling(b)) ? quiet(isSignaling(a) ? a : b) : result;
}
inline Half minimumNan(Half a, Half b) {
  float x = toFloat(a), y = toFloat(b);
  return isNan(a) ? quiet(a) : isNan(b) ? quiet(b) : x < y || (x == y && isNegative(a)) ? a : b;
}
inline Half maximumNan(Half a, Half b) {
  float x = toFloat(a), y = toFloat(b);
  return isNan(a) ? quiet(a) : isNan(b) ? quiet(b) : x > y || (x == y && isNegative(b)) ? a : b;
}

} // namespace tl::emu
