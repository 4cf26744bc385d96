// What instructions should give, from mathematics: numbers of MPFR, rounded by this file alone.
#pragma once

#include <mpfr.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

namespace isatest {

constexpr mpfr_prec_t kPrecision = 4400; // sums and products of f64 are exact

class Num {
public:
  Num() { mpfr_init2(x, kPrecision); }
  Num(double value) : Num() { mpfr_set_d(x, value, MPFR_RNDN); }
  Num(const Num &other) : Num() { mpfr_set(x, other.x, MPFR_RNDN); }
  Num &operator=(const Num &other) {
    mpfr_set(x, other.x, MPFR_RNDN);
    return *this;
  }
  ~Num() { mpfr_clear(x); }

  bool isNan() const { return mpfr_nan_p(x); }
  bool isInf() const { return mpfr_inf_p(x); }
  bool isZero() const { return mpfr_zero_p(x); }
  bool negative() const { return mpfr_signbit(x); }
  double toDouble() const { return mpfr_get_d(x, MPFR_RNDN); }

  mpfr_t x;
};

using MpfrUnary = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
using MpfrBinary = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);
inline Num apply(MpfrBinary f, const Num &a, const Num &b) {
  Num r;
  f(r.x, a.x, b.x, MPFR_RNDN);
  return r;
}
/// Functions that are not exact, to enough places.
inline Num approximate(MpfrUnary f, const Num &a) {
  Num r;
  mpfr_set_prec(r.x, 240);
  f(r.x, a.x, MPFR_RNDN);
  Num result;
  mpfr_set(result.x, r.x, MPFR_RNDN);
  return result;
}
inline Num operator+(const Num &a, const Num &b) { return apply(mpfr_add, a, b); }
inline Num operator-(const Num &a, const Num &b) { return apply(mpfr_sub, a, b); }
inline Num operator*(const Num &a, const Num &b) { return apply(mpfr_mul, a, b); }
inline Num operator/(const Num &a, const Num &b) {
  Num r;
  mpfr_set_prec(r.x, 400);
  mpfr_div(r.x, a.x, b.x, MPFR_RNDN);
  Num result;
  mpfr_set(result.x, r.x, MPFR_RNDN);
  return result;
}
inline bool operator<(const Num &a, const Num &b) { return mpfr_less_p(a.x, b.x); }
inline bool operator==(const Num &a, const Num &b) { return mpfr_equal_p(a.x, b.x); }
inline Num operator-(const Num &a) {
  Num r(a);
  mpfr_neg(r.x, a.x, MPFR_RNDN);
  return r;
}
inline Num timesPower(const Num &a, long exponent) {
  Num r;
  mpfr_mul_2si(r.x, a.x, exponent, MPFR_RNDN);
  return r;
}
inline Num rounded(const Num &a, mpfr_rnd_t direction) {
  Num r;
  if (a.isNan() || a.isInf())
    return a;
  mpfr_rint(r.x, a.x, direction);
  if (r.isZero() && a.negative())
    mpfr_set_zero(r.x, -1);
  return r;
}
inline Num floorOf(const Num &a) { return rounded(a, MPFR_RNDD); }

/// IEEE formats; MPFR_RNDN is to even.
struct Format {
  int mantissa, exponent;
  int bias() const { return (1 << (exponent - 1)) - 1; }
  int bits() const { return 1 + exponent + mantissa; }
  uint64_t infinity() const { return ((uint64_t(1) << exponent) - 1) << mantissa; }
  uint64_t sign() const { return uint64_t(1) << (bits() - 1); }
  bool isNan(uint64_t v) const { return (v & (sign() - 1)) > infinity(); }
  bool isSignaling(uint64_t v) const { return isNan(v) && !(v >> (mantissa - 1) & 1); }
  bool isDenormal(uint64_t v) const { return !(v & infinity()) && v & (sign() - 1); }
};
/// Equal bits, or any two NaNs.
inline bool sameFloat(Format f, uint64_t a, uint64_t b) {
  return a == b || (f.isNan(a) && f.isNan(b));
}
inline constexpr Format kF16{10, 5}, kBf16{7, 8}, kF32{23, 8}, kF64{52, 11};

inline Num valueOf(Format f, uint64_t bits) {
  Num r;
  const bool negative = bits & f.sign();
  const uint64_t magnitude = bits & (f.sign() - 1);
  if (magnitude > f.infinity()) {
    mpfr_set_nan(r.x);
  } else if (magnitude == f.infinity()) {
    mpfr_set_inf(r.x, negative ? -1 : 1);
  } else {
    const int exponent = int(magnitude >> f.mantissa);
    uint64_t whole = magnitude & ((uint64_t(1) << f.mantissa) - 1);
    if (exponent)
      whole |= uint64_t(1) << f.mantissa;
    mpfr_set_ui_2exp(r.x, whole, (exponent ? exponent : 1) - f.bias() - f.mantissa, MPFR_RNDN);
    if (negative)
      mpfr_neg(r.x, r.x, MPFR_RNDN);
  }
  return r;
}

/// MODE's two bits of rounding.
inline mpfr_rnd_t direction(unsigned mode) {
  static const mpfr_rnd_t all[] = {MPFR_RNDN, MPFR_RNDU, MPFR_RNDD, MPFR_RNDZ};
  return all[mode & 3];
}

/// Bits of the nearest number in a direction; NaN as a quiet one.
inline uint64_t bitsOf(Format f, const Num &value, mpfr_rnd_t round = MPFR_RNDN) {
  if (value.isNan())
    return f.infinity() | uint64_t(1) << (f.mantissa - 1);
  const uint64_t sign = value.negative() ? f.sign() : 0;
  if (value.isInf())
    return sign | f.infinity();
  if (value.isZero())
    return sign;
  // |value| is in [2^(e-1), 2^e): the last place is worth 2^unit.
  const long e = mpfr_get_exp(value.x);
  const long least = 1 - f.bias() - f.mantissa;
  const long unit = std::max(e - 1 - f.mantissa, least);
  // Far out of range the fields would not fit.
  if (e > f.bias() + 2)
    return bitsOf(f, timesPower(value, f.bias() + 2 - e), round);
  Num scaled;
  mpfr_mul_2si(scaled.x, value.x, -unit, MPFR_RNDN);
  mpfr_rint(scaled.x, scaled.x, round);
  uint64_t whole = uint64_t(std::fabs(mpfr_get_d(scaled.x, MPFR_RNDZ)));
  // Carried into the next power of two, or not: both are the sum of fields.
  uint64_t magnitude = whole + (uint64_t(unit - least) << f.mantissa);
  if (magnitude >= f.infinity()) {
    const bool finite =
        round == MPFR_RNDZ || (round == MPFR_RNDU && sign) || (round == MPFR_RNDD && !sign);
    magnitude = finite ? f.infinity() - 1 : f.infinity();
  }
  return sign | magnitude;
}

/// Minimum or maximum as the ISA documents define them.
enum class Nan { Ignored, QuietsSignaling, Wins };
inline uint64_t chosen(Format f, uint64_t a, uint64_t b, bool maximum, Nan nan) {
  if (nan == Nan::QuietsSignaling && (f.isSignaling(a) || f.isSignaling(b)))
    nan = Nan::Wins;
  if (nan == Nan::Wins && (f.isNan(a) || f.isNan(b)))
    return f.infinity() | uint64_t(1) << (f.mantissa - 1);
  if (f.isNan(a))
    return b;
  if (f.isNan(b))
    return a;
  // As integers of sign and magnitude: -0 is less than +0.
  auto order = [&](uint64_t v) {
    return v & f.sign() ? -1 - int64_t(v & (f.sign() - 1)) : int64_t(v);
  };
  return (order(a) < order(b)) == maximum ? b : a;
}

} // namespace isatest
