// Floats of 8, 6 and 4 bits. gfx942 has the FNUZ encodings of 8 bits (no infinity, no negative
// zero, one NaN: 0x80), later chips those of OCP's "8-bit Floating Point" and "Microscaling
// Formats" specifications.
#pragma once

#include "emu/half_ops.h"

#include <algorithm>

namespace tl::emu {

struct SmallFormat {
  int exponentBits, mantissaBits, bias;
  enum Specials : uint8_t {
    Fnuz,     // only NaN, the pattern of negative zero
    NanOnly,  // NaN is all ones; no infinity
    Ieee,     // infinity and NaN as usual
    AllFinite // neither
  } specials;

  constexpr int bits() const { return 1 + exponentBits + mantissaBits; }
  constexpr uint32_t magnitudes() const { return 1u << (exponentBits + mantissaBits); }
  constexpr uint32_t largest() const {
    return magnitudes() - 1 -
           (specials == NanOnly ? 1u
            : specials == Ieee  ? 1u << mantissaBits
                                : 0u);
  }
};

inline constexpr SmallFormat kFp8Fnuz{4, 3, 8, SmallFormat::Fnuz},
    kBf8Fnuz{5, 2, 16, SmallFormat::Fnuz}, kFp8{4, 3, 7, SmallFormat::NanOnly},
    kBf8{5, 2, 15, SmallFormat::Ieee}, kFp6{2, 3, 1, SmallFormat::AllFinite},
    kBf6{3, 2, 3, SmallFormat::AllFinite}, kFp4{2, 1, 1, SmallFormat::AllFinite};

/// Exact: f32 holds all of them.
inline float decodeSmall(SmallFormat format, uint32_t code) {
  const uint32_t magnitude = code & (format.magnitudes() - 1);
  const bool negative = code >> (format.bits() - 1) & 1;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  if (format.specials == SmallFormat::Fnuz && negative && magnitude == 0)
    return nan;
  if (magnitude > format.largest()) {
    const bool infinite = format.specials == SmallFormat::Ieee && magnitude == format.largest() + 1;
    const float value = infinite ? std::numeric_limits<float>::infinity() : nan;
    return negative ? -value : value;
  }
  const int exponent = int(magnitude >> format.mantissaBits);
  const int fraction = int(magnitude & ((1u << format.mantissaBits) - 1));
  // Normal: (2^m + fraction) * 2^(exponent - bias - m); subnormal: without the leading one.
  const int whole = exponent ? fraction + (1 << format.mantissaBits) : fraction;
  const int scale = (exponent ? exponent : 1) - format.bias - format.mantissaBits;
  const float value = float(whole) * std::bit_cast<float>(uint32_t(scale + 127) << 23);
  return negative ? -value : value;
}

/// `saturates`: what is too large, infinities too, becomes the largest number (MODE's FP16_OVFL);
/// else infinity or, where the format has none, NaN. Formats without either always saturate.
inline uint32_t encodeSmall(SmallFormat format, double value, Rounding rounding, bool saturates) {
  const uint32_t sign = std::signbit(value) ? format.magnitudes() : 0;
  const uint32_t nan = format.specials == SmallFormat::Fnuz ? format.magnitudes()
                       : format.specials == SmallFormat::AllFinite
                           ? sign | format.largest()
                           : sign | (format.magnitudes() - 1);
  if (isNan(value))
    return nan;
  const NarrowFormat narrow{format.mantissaBits, 1 - format.bias, format.bias};
  const uint32_t magnitude = std::isinf(value) ? ~0u : roundMagnitude(value, narrow, rounding);
  if (magnitude > format.largest()) {
    if (saturates || format.specials == SmallFormat::AllFinite)
      return sign | format.largest();
    return format.specials == SmallFormat::Ieee ? sign | (format.largest() + 1) : nan;
  }
  if (format.specials == SmallFormat::Fnuz && magnitude == 0)
    return 0;
  return sign | magnitude;
}

/// Stochastic rounding: random bits are added below the mantissa bits that stay, the rest is cut
/// off. The random word's upper bits count (CDNA3 ISA, V_CVT_SR_FP8_F32).
inline float addNoise(float value, uint32_t noise, unsigned keptMantissaBits) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7f800000) == 0x7f800000)
    return value;
  const uint32_t largest = 0x7f7fffff;
  const uint32_t sum = std::min((bits & 0x7fffffff) + (noise >> (9 + keptMantissaBits)), largest);
  return std::bit_cast<float>((bits & 0x80000000) | sum);
}

/// The random word of the next element (CDNA4 ISA, V_PRNG_B32).
inline uint32_t nextNoise(uint32_t noise) { return noise << 1 ^ (noise >> 31 ? 197 : 0); }

} // namespace tl::emu
