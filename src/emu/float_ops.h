// IEEE operations that C++ spells differently: shared by instructions on vectors, memory and LDS.
#pragma once

#include "emu/valu.h"

#include <cmath>
#include <limits>

namespace tl::emu {

template <class T> using BitsOf = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
template <class T>
inline constexpr BitsOf<T> kQuietBit = BitsOf<T>(1) << (sizeof(T) == 8 ? 51 : 22);

template <class T> inline bool isNan(T a) { return a != a; }
template <class T> inline T quiet(T a) {
  return std::bit_cast<T>(BitsOf<T>(std::bit_cast<BitsOf<T>>(a) | kQuietBit<T>));
}
template <class T> inline bool isSignaling(T a) {
  return isNan(a) && !(std::bit_cast<BitsOf<T>>(a) & kQuietBit<T>);
}
template <class T> inline bool isNegative(T a) {
  return std::bit_cast<BitsOf<T>>(a) >> (8 * sizeof(T) - 1);
}

/// Zero for what the host takes for zero: denormals too while it flushes them.
template <class T> inline T asHostSees(T a) {
  using Bits = BitsOf<T>;
  constexpr Bits sign = Bits(1) << (8 * sizeof(T) - 1);
  return a == 0 ? std::bit_cast<T>(Bits(std::bit_cast<Bits>(a) & sign)) : a;
}

/// minNum and maxNum of IEEE 754-2008 with -0 < +0; with MODE's IEEE bit a signaling NaN gives a
/// NaN, without it counts as a quiet one (CDNA3 ISA, V_MIN_F32).
template <class T> inline T minimumNumber(bool ieee, T a, T b) {
  a = asHostSees(a), b = asHostSees(b);
  T smaller = a < b || (a == b && isNegative(a)) ? a : b;
  T result = isNan(a) ? b : isNan(b) ? a : smaller;
  return ieee && (isSignaling(a) || isSignaling(b)) ? quiet(isSignaling(a) ? a : b) : result;
}
template <class T> inline T maximumNumber(bool ieee, T a, T b) {
  a = asHostSees(a), b = asHostSees(b);
  T larger = a > b || (a == b && isNegative(b)) ? a : b;
  T result = isNan(a) ? b : isNan(b) ? a : larger;
  return ieee && (isSignaling(a) || isSignaling(b)) ? quiet(isSignaling(a) ? a : b) : result;
}
/// minimum and maximum of IEEE 754-2019: a NaN wins (gfx12's V_MINIMUM, V_MAXIMUM).
template <class T> inline T minimumNan(T a, T b) {
  a = asHostSees(a), b = asHostSees(b);
  return isNan(a) ? quiet(a) : isNan(b) ? quiet(b) : a < b || (a == b && isNegative(a)) ? a : b;
}
template <class T> inline T maximumNan(T a, T b) {
  a = asHostSees(a), b = asHostSees(b);
  return isNan(a) ? quiet(a) : isNan(b) ? quiet(b) : a > b || (a == b && isNegative(b)) ? a : b;
}

/// Float to integer as the hardware does: saturating, NaN gives 0.
template <class I, class T> inline I toInteger(T a) {
  constexpr T low = T(std::numeric_limits<I>::min());
  // The first value that is too large: 2^31, 2^32.
  constexpr T high =
      -2 * T(std::numeric_limits<std::make_signed_t<I>>::min()) / (std::is_signed_v<I> ? 2 : 1);
  if (isNan(a))
    return 0;
  if (a <= low)
    return std::numeric_limits<I>::min();
  if (a >= high)
    return std::numeric_limits<I>::max();
  return I(a);
}

} // namespace tl::emu
