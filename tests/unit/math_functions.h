// The functions of ops.def's group Math with their references in MPFR, formats, and arguments that
// tests of them share.
#pragma once

#include "graph/opcode.h"
#include "support/dtype.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <mpfr.h>
#include <random>
#include <vector>

namespace mathtest {

using namespace tl;

/// Where the random arguments of a function come from, beside those that all functions get.
enum class Spread {
  Range,    // [low, high], where results are neither 0 nor infinite
  Positive, // over the exponents of positive numbers
  Angle,    // over all exponents, and next to multiples of pi / 2
};

struct Function {
  const char *name;
  Opcode opcode;
  int (*reference)(mpfr_t, const mpfr_t, mpfr_rnd_t);
  Spread spread;
  double low, high;
  double bound;                                                            // ulp, f32 and f64
  double smallBound = 0.51;                                                // f16 and bf16
  int (*binary)(mpfr_t, const mpfr_t, const mpfr_t, mpfr_rnd_t) = nullptr; // instead of reference
};

inline int exactSqrt(mpfr_t r, const mpfr_t x, mpfr_rnd_t mode) { return mpfr_sqrt(r, x, mode); }
inline int rsqrt(mpfr_t r, const mpfr_t x, mpfr_rnd_t mode) {
  // MPFR gives +infinity for -0; IEEE's rSqrt and ours -infinity.
  if (mpfr_zero_p(x)) {
    mpfr_set_inf(r, mpfr_signbit(x) ? -1 : 1);
    return 0;
  }
  return mpfr_rec_sqrt(r, x, mode);
}

inline int rcp(mpfr_t r, const mpfr_t x, mpfr_rnd_t mode) { return mpfr_ui_div(r, 1, x, mode); }
inline int sigmoid(mpfr_t r, const mpfr_t x, mpfr_rnd_t mode) {
  mpfr_t e;
  mpfr_init2(e, 200);
  mpfr_neg(e, x, mode);
  mpfr_exp(e, e, mode);
  mpfr_add_ui(e, e, 1, mode);
  int inexact = mpfr_ui_div(r, 1, e, mode);
  mpfr_clear(e);
  return inexact;
}
inline int floorOf(mpfr_t r, const mpfr_t x, mpfr_rnd_t) { return mpfr_floor(r, x); }
inline int ceilOf(mpfr_t r, const mpfr_t x, mpfr_rnd_t) { return mpfr_ceil(r, x); }
inline int roundOf(mpfr_t r, const mpfr_t x, mpfr_rnd_t) { return mpfr_roundeven(r, x); }
inline int truncOf(mpfr_t r, const mpfr_t x, mpfr_rnd_t) { return mpfr_trunc(r, x); }

inline const Function functions[] = {
    {"exp", Opcode::Exp, mpfr_exp, Spread::Range, -750, 712, 1},
    {"exp2", Opcode::Exp2, mpfr_exp2, Spread::Range, -1080, 1026, 1},
    {"expm1", Opcode::Expm1, mpfr_expm1, Spread::Range, -45, 712, 1},
    {"log", Opcode::Log, mpfr_log, Spread::Positive, 0, 0, 1},
    {"log2", Opcode::Log2, mpfr_log2, Spread::Positive, 0, 0, 1},
    {"log1p", Opcode::Log1p, mpfr_log1p, Spread::Positive, 0, 0, 1},
    {"sqrt", Opcode::Sqrt, exactSqrt, Spread::Positive, 0, 0, 0.5, 0.5},
    {"rsqrt", Opcode::Rsqrt, rsqrt, Spread::Positive, 0, 0, 1},
    {"rcp", Opcode::Rcp, rcp, Spread::Positive, 0, 0, 0.5, 0.5},
    {"tanh", Opcode::Tanh, mpfr_tanh, Spread::Range, -25, 25, 1},
    {"sigmoid", Opcode::Sigmoid, sigmoid, Spread::Range, -750, 45, 1},
    {"sin", Opcode::Sin, mpfr_sin, Spread::Angle, 0, 0, 1},
    {"cos", Opcode::Cos, mpfr_cos, Spread::Angle, 0, 0, 1},
    {"tan", Opcode::Tan, mpfr_tan, Spread::Angle, 0, 0, 2},
    {"erf", Opcode::Erf, mpfr_erf, Spread::Range, -7, 7, 2},
    {"pow", Opcode::Pow, nullptr, Spread::Positive, 0, 0, 2, 0.51, mpfr_pow},
    {"floor", Opcode::Floor, floorOf, Spread::Positive, 0, 0, 0, 0},
    {"ceil", Opcode::Ceil, ceilOf, Spread::Positive, 0, 0, 0, 0},
    {"round", Opcode::Round, roundOf, Spread::Positive, 0, 0, 0, 0},
    {"trunc", Opcode::Trunc, truncOf, Spread::Positive, 0, 0, 0, 0},
};

// A format's values as doubles. f16 and bf16 are stored in 16 bits.
struct Format {
  tl::DType type;
  int precision, minExponent, maxExponent; // of the smallest normal and the largest number
  unsigned bytes;
};
inline const Format formats[] = {
    {DType::F16, 11, -14, 15, 2},
    {DType::BF16, 8, -126, 127, 2},
    {DType::F32, 24, -126, 127, 4},
    {DType::F64, 53, -1022, 1023, 8},
};

inline double decode(const Format &format, uint64_t bits) {
  if (format.bytes == 8) {
    double d;
    std::memcpy(&d, &bits, 8);
    return d;
  }
  if (format.type == DType::F16) {
    int exponent = int(bits >> 10 & 31), fraction = int(bits & 1023);
    double magnitude = exponent == 31 ? (fraction ? NAN : INFINITY)
                       : exponent     ? std::ldexp(1024 + fraction, exponent - 25)
                                      : std::ldexp(fraction, -24);
    return bits & 0x8000 ? -magnitude : magnitude;
  }
  uint32_t word = uint32_t(format.type == DType::BF16 ? bits << 16 : bits);
  float f;
  std::memcpy(&f, &word, 4);
  return f;
}

inline uint64_t load(const Format &format, const std::vector<uint8_t> &bytes, size_t index) {
  uint64_t bits = 0;
  std::memcpy(&bits, bytes.data() + index * format.bytes, format.bytes);
  return bits;
}

inline std::vector<uint8_t> store(const Format &format, const std::vector<uint64_t> &values) {
  std::vector<uint8_t> bytes(values.size() * format.bytes);
  for (size_t i = 0; i < values.size(); ++i)
    std::memcpy(bytes.data() + i * format.bytes, &values[i], format.bytes);
  return bytes;
}

// The error of `got` in ulps of the format at the exact result; infinite if special values differ.
inline double errorInUlps(const Format &format, const mpfr_t exact, double got) {
  if (mpfr_nan_p(exact) || std::isnan(got))
    return mpfr_nan_p(exact) && std::isnan(got) ? 0 : INFINITY;
  if (mpfr_inf_p(exact))
    return std::isinf(got) && (got > 0) == (mpfr_sgn(exact) > 0) ? 0 : INFINITY;
  if (mpfr_zero_p(exact))
    return got == 0 && std::signbit(got) == (mpfr_signbit(exact) != 0) ? 0 : INFINITY;
  long exponent = std::max<long>(mpfr_get_exp(exact) - 1, format.minExponent);
  exponent = std::min<long>(exponent, format.maxExponent);
  if (std::isinf(got) && mpfr_get_exp(exact) > format.maxExponent + 1 &&
      (got > 0) == (mpfr_sgn(exact) > 0))
    return 0;
  mpfr_t difference;
  mpfr_init2(difference, 200);
  if (std::isinf(got)) // an infinity counts as the number after the largest
    mpfr_set_si_2exp(difference, got > 0 ? 1 : -1, format.maxExponent + 1, MPFR_RNDN);
  else
    mpfr_set_d(difference, got, MPFR_RNDN);
  mpfr_sub(difference, difference, exact, MPFR_RNDN);
  mpfr_mul_2si(difference, difference, format.precision - 1 - exponent, MPFR_RNDN);
  double ulps = std::fabs(mpfr_get_d(difference, MPFR_RNDN));
  mpfr_clear(difference);
  return ulps;
}

/// The value of a format nearest to a number (bf16: a neighbour).
inline uint64_t encode(const Format &format, double d) {
  uint64_t bits = 0;
  float f = float(d);
  if (format.bytes == 2 && format.type == DType::F16) {
    auto half = _Float16(f);
    std::memcpy(&bits, &half, 2);
    return bits;
  }
  if (format.bytes == 2) {
    std::memcpy(&bits, &f, 4);
    return bits >> 16;
  }
  if (format.bytes == 8)
    std::memcpy(&bits, &d, 8);
  else
    std::memcpy(&bits, &f, 4);
  return bits;
}

/// One random argument for f32 or f64; `kind` counts up.
inline uint64_t randomArgument(const Format &format, const Function &function,
                               std::mt19937_64 &random, unsigned kind) {
  bool isDouble = format.bytes == 8;
  auto uniform = [&] { return double(random() >> 11) * 0x1p-53; };
  if (kind % 4 == 0) // any bits: denormal numbers, NaN, both signs
    return isDouble ? random() : random() & 0xffffffff;
  double sign = kind & 16 ? -1 : 1;
  if (kind % 4 == 1) // near 1 and near 0
    return encode(format, sign * ((kind & 8 ? 0.5 : 0) + uniform() * 1.5));
  if (function.spread == Spread::Angle && kind % 4 == 2)
    return encode(format, double(sign * std::round(std::ldexp(uniform(), int(random() % 52))) *
                                 1.57079632679489661923L));
  if (function.spread != Spread::Range)
    return encode(format, std::ldexp(1 + uniform(), isDouble ? int(random() % 2098) - 1074
                                                             : int(random() % 277) - 149));
  double scale = isDouble || std::max(-function.low, function.high) < 100 ? 1 : 0.14;
  return encode(format, (function.low + (function.high - function.low) * uniform()) * scale *
                            (kind % 16 == 2 ? 0.01 : 1));
}

/// All values of f16 and bf16; of f32 and f64 `total` random ones and the neighbourhoods of special
/// places.
inline std::vector<uint64_t> arguments(const Format &format, const Function &function,
                                       unsigned total) {
  std::vector<uint64_t> values;
  if (format.bytes == 2) {
    for (int repeated = function.binary ? 4 : 1; repeated > 0; --repeated)
      for (uint64_t bits = 0; bits < 65536; ++bits)
        values.push_back(bits);
    return values;
  }
  bool isDouble = format.bytes == 8;
  std::mt19937_64 random(uint64_t(function.opcode) * 4 + format.bytes);
  for (unsigned i = 0; i < total; ++i)
    values.push_back(randomArgument(format, function, random, i));
  double largest =
      isDouble ? std::numeric_limits<double>::max() : std::numeric_limits<float>::max();
  for (double centre : std::initializer_list<double>{0.0,
                                                     1.0,
                                                     2.0,
                                                     4.0,
                                                     0.5,
                                                     std::sqrt(0.5),
                                                     std::sqrt(2.0),
                                                     88.72283935546875,
                                                     709.782712893384,
                                                     -87.33654785,
                                                     -103.97207642,
                                                     -708.3964185322641,
                                                     -745.1332191019411,
                                                     -126.0,
                                                     -149.0,
                                                     -150.0,
                                                     128.0,
                                                     1024.0,
                                                     -1022.0,
                                                     -1074.0,
                                                     -1075.0,
                                                     9.0109138,
                                                     19.0615474,
                                                     0x1p-126,
                                                     0x1p-1022,
                                                     largest,
                                                     -largest,
                                                     -0.0,
                                                     -1.0,
                                                     0x1.f37565p+95, // near a multiple of pi / 2
                                                     0x1.6ac5b262ca1ffp+849, // still nearer
                                                     -0.5,
                                                     1.5,
                                                     0x1p23,
                                                     0x1p52,
                                                     0x1p17,
                                                     0x1p20,
                                                     INFINITY,
                                                     -INFINITY,
                                                     NAN}) {
    uint64_t bits = encode(format, centre);
    values.push_back(bits);
    for (uint64_t step = 1; step < 200; ++step)
      for (uint64_t near : {bits + step, bits - step})
        values.push_back(isDouble ? near : near & 0xffffffff);
  }
  while (values.size() % 256)
    values.push_back(0);
  return values;
}

/// Second operands for pow: special ones, integers, any bits, and such as give finite results and
/// results at the ends of the range.
inline std::vector<uint64_t> exponents(const Format &format, const std::vector<uint64_t> &bases) {
  std::mt19937_64 random(format.bytes);
  auto uniform = [&] { return double(random() >> 11) * 0x1p-53; };
  const double special[] = {0.0,   -0.0,   1,      -1,         2,          -2,   3,   -3,
                            0.5,   -0.5,   1.5,    INFINITY,   -INFINITY,  NAN,  1e5, -1e5,
                            65504, 0x1p24, 0x1p53, 0x1p24 - 1, 0x1p53 - 1, 1e300};
  std::vector<uint64_t> values;
  for (uint64_t base : bases) {
    double logarithm = std::log2(std::fabs(decode(format, base)));
    double sign = random() & 1 ? -1 : 1, exponent = 0;
    switch (random() % 8) {
    case 0:
      exponent = special[random() % (sizeof special / sizeof special[0])];
      break;
    case 1:
      exponent = sign * double(random() % 40);
      break;
    case 2:
      values.push_back(random() >> (64 - 8 * format.bytes));
      continue;
    case 3:
      exponent = (sign * format.maxExponent + 4 * uniform() - 2) / logarithm;
      break;
    case 4:
      exponent = std::round(sign * uniform() * format.maxExponent / logarithm);
      break;
    default:
      exponent = sign * uniform() * (format.maxExponent + format.precision) / logarithm;
    }
    values.push_back(encode(format, exponent));
  }
  return values;
}

} // namespace mathtest
