#include "emu/matrix/fused.h"

#include "emu/matrix/chunk.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace tl::emu::matrix {
namespace {

// Of a zero: so low that no product with it is the largest.
constexpr int32_t kZeroExponent = -1000;
constexpr unsigned kMaxGroup = 16;

// A matrix as exponents and signed significands with 12 fraction bits, so that products have 24.
struct Split {
  alignas(32) int32_t exponent[kMaxElements];
  alignas(32) int32_t significand[kMaxElements];
};

// Whether all values are finite. Formats with more than 12 fraction bits do not come here.
bool split(const float *values, unsigned count, int32_t minExponent, Split &parts) {
  uint32_t special = 0;
  for (unsigned i = 0; i < count; ++i) {
    uint32_t bits = std::bit_cast<uint32_t>(values[i]);
    int32_t field = bits >> 23 & 255;
    special |= field == 255;
    uint32_t fraction = (bits & 0x7fffff) | (field ? 0x800000 : 0);
    int32_t exponent = (field ? field : 1) - 127;
    int32_t clamped = exponent > minExponent ? exponent : minExponent;
    uint32_t shift = uint32_t(11 + clamped - exponent);
    int32_t magnitude = int32_t(fraction >> (shift < 31 ? shift : 31));
    parts.significand[i] = bits >> 31 ? -magnitude : magnitude;
    parts.exponent[i] = fraction ? clamped : kZeroExponent;
  }
  return !special;
}

struct Sum {
  __m256i value, exponent; // value in units of 2^(exponent - 24)
};

// Step 1 for every `stride`th term from `first` on.
Sum truncatedSum(const __m256i *products, const __m256i *exponents, unsigned first, unsigned count,
                 unsigned stride) {
  Sum sum = {_mm256_setzero_si256(), _mm256_set1_epi32(2 * kZeroExponent)};
  for (unsigned t = first; t < count; t += stride)
    sum.exponent = _mm256_max_epi32(sum.exponent, exponents[t]);
  for (unsigned t = first; t < count; t += stride) {
    __m256i below = _mm256_sub_epi32(sum.exponent, exponents[t]);
    __m256i kept = _mm256_srlv_epi32(_mm256_abs_epi32(products[t]), below);
    sum.value = _mm256_add_epi32(sum.value, _mm256_sign_epi32(kept, products[t]));
  }
  return sum;
}

Sum addDown(const Sum &x, const Sum &y) {
  Sum sum;
  sum.exponent = _mm256_max_epi32(x.exponent, y.exponent);
  sum.value =
      _mm256_add_epi32(_mm256_srav_epi32(x.value, _mm256_sub_epi32(sum.exponent, x.exponent)),
                       _mm256_srav_epi32(y.value, _mm256_sub_epi32(sum.exponent, y.exponent)));
  return sum;
}

__m256d powerOfTwo(__m128i exponent) {
  __m256i field = _mm256_add_epi64(_mm256_cvtepi32_epi64(exponent), _mm256_set1_epi64x(1023));
  return _mm256_castsi256_pd(_mm256_slli_epi64(field, 52));
}

__m128i binaryExponent(__m256d value) {
  __m256i field = _mm256_srli_epi64(_mm256_slli_epi64(_mm256_castpd_si256(value), 1), 53);
  __m256i words = _mm256_permutevar8x32_epi32(field, _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6));
  return _mm_sub_epi32(_mm256_castsi256_si128(words), _mm_set1_epi32(1023));
}

// Steps 2 and 3 for four columns. All values fit doubles exactly.
__m128 addAccumulator(__m128i sum, __m128i exponent, __m128 accumulator, bool dropsSmall) {
  const __m128i one = _mm_set1_epi32(1), zero = _mm_setzero_si128();
  __m128i field =
      _mm_and_si128(_mm_srli_epi32(_mm_castps_si128(accumulator), 23), _mm_set1_epi32(255));
  __m128i own = _mm_sub_epi32(_mm_max_epi32(field, one), _mm_set1_epi32(127));
  __m128i top = _mm_max_epi32(exponent, own);
  // In units of 2^(top - 32).
  __m128i below = _mm_max_epi32(_mm_sub_epi32(exponent, top), _mm_set1_epi32(-1000));
  __m256d total = _mm256_floor_pd(
      _mm256_mul_pd(_mm256_cvtepi32_pd(sum), powerOfTwo(_mm_add_epi32(below, _mm_set1_epi32(8)))));
  __m256d mine = _mm256_floor_pd(_mm256_mul_pd(_mm256_cvtps_pd(accumulator),
                                               powerOfTwo(_mm_sub_epi32(_mm_set1_epi32(24), top))));
  if (dropsSmall) {
    __m128i small = _mm_cmplt_epi32(own, _mm_sub_epi32(top, _mm_set1_epi32(25)));
    mine = _mm256_andnot_pd(_mm256_castsi256_pd(_mm256_cvtepi32_epi64(small)), mine);
  }
  total = _mm256_add_pd(total, _mm256_mul_pd(mine, _mm256_set1_pd(256.0)));
  // Bits of the total below its 31st fraction bit; denormals of f32 have the exponent -126.
  __m128i relative = _mm_max_epi32(_mm_sub_epi32(binaryExponent(total), _mm_set1_epi32(32)),
                                   _mm_sub_epi32(_mm_set1_epi32(-126), top));
  __m128i excess = _mm_max_epi32(_mm_add_epi32(relative, one), zero);
  total =
      _mm256_mul_pd(_mm256_floor_pd(_mm256_mul_pd(total, powerOfTwo(_mm_sub_epi32(zero, excess)))),
                    powerOfTwo(excess));
  return _mm256_cvtpd_ps(_mm256_mul_pd(total, powerOfTwo(_mm_sub_epi32(top, _mm_set1_epi32(32)))));
}

__m256 addAccumulators(const Sum &sum, __m256 accumulators, bool dropsSmall) {
  __m128 low =
      addAccumulator(_mm256_castsi256_si128(sum.value), _mm256_castsi256_si128(sum.exponent),
                     _mm256_castps256_ps128(accumulators), dropsSmall);
  __m128 high = addAccumulator(_mm256_extracti128_si256(sum.value, 1),
                               _mm256_extracti128_si256(sum.exponent, 1),
                               _mm256_extractf128_ps(accumulators, 1), dropsSmall);
  __m256 result = _mm256_set_m128(high, low);
  // An accumulator that is not finite stays what it is.
  __m256i all = _mm256_set1_epi32(0x7f800000);
  __m256i special =
      _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_castps_si256(accumulators), all), all);
  return _mm256_blendv_ps(result, accumulators, _mm256_castsi256_ps(special));
}

// The result of a group with infinities or NaNs, as IEEE 754 adds them; false when it has none.
template <class C>
bool specialSum(const C &chunk, unsigned lane, const float *a, const float *b, unsigned first,
                unsigned count, float accumulator, bool wide, float *result) {
  double sum = std::isfinite(accumulator) ? 0.0 : accumulator;
  bool special = !std::isfinite(accumulator);
  for (unsigned term = first; term < first + count; ++term) {
    double x = a[chunk.offsetA(term) + (wide ? lane : 0)], y = b[chunk.offsetB(term) + lane];
    double product = x * y;
    if (std::fabs(product) >= 0x1p128)
      product = std::copysign(INFINITY, product);
    if (!std::isfinite(product)) {
      special = true;
      sum += product;
    }
  }
  *result = float(sum);
  return special;
}

struct Fused {
  const Rule &rule;
  const Inputs &in;
  const float *a, *b; // A wide where chunks want it so
  float *accumulators;
  bool special; // some input is not finite
  const Split &splitA, &splitB;

  template <class C> void run(const C &chunk) {
    float *sums = accumulators + chunk.row * in.columns() + chunk.column;
    __m256 current = _mm256_loadu_ps(sums);
    for (unsigned first = 0; first < in.terms; first += rule.group)
      current = group(chunk, first, current);
    _mm256_storeu_ps(sums, current);
  }

  template <class C> __m256 group(const C &chunk, unsigned first, __m256 current) {
    const unsigned count = std::min<unsigned>(rule.group, in.terms - first);
    __m256i products[kMaxGroup], exponents[kMaxGroup];
    for (unsigned t = 0; t < count; ++t) {
      products[t] = _mm256_mullo_epi32(chunk.a(splitA.significand, first + t),
                                       chunk.b(splitB.significand, first + t));
      exponents[t] = _mm256_add_epi32(chunk.a(splitA.exponent, first + t),
                                      chunk.b(splitB.exponent, first + t));
    }
    const bool halves = rule.model == Model::FusedSplit;
    Sum sum = halves ? addDown(truncatedSum(products, exponents, 0, count, 2),
                               truncatedSum(products, exponents, 1, count, 2))
                     : truncatedSum(products, exponents, 0, count, 1);
    __m256 result = addAccumulators(sum, current, halves);
    __m256i huge = _mm256_cmpgt_epi32(sum.exponent, _mm256_set1_epi32(126));
    if (special || _mm256_movemask_epi8(huge))
      result = withSpecials(chunk, first, count, current, result);
    return result;
  }

  template <class C>
  __m256 withSpecials(const C &chunk, unsigned first, unsigned count, __m256 current,
                      __m256 result) {
    alignas(32) float before[8], after[8];
    _mm256_store_ps(before, current);
    _mm256_store_ps(after, result);
    for (unsigned lane = 0; lane < 8; ++lane) {
      float value;
      if (specialSum(chunk, lane, a, b, first, count, before[lane], in.size == 4, &value))
        after[lane] = value;
    }
    return _mm256_load_ps(after);
  }
};

} // namespace

void accumulateFused(const Rule &rule, const Inputs &in, const float *a, const float *b,
                     float *accumulators) {
  unsigned countA = in.terms * in.columns();
  // A sparse A has half as many terms as B.
  unsigned countB = in.select ? 2 * countA : countA;
  float wide[kWideElements];
  if (in.size == 4) {
    widen(in, a, wide);
    a = wide;
    countA *= in.size;
  }
  Split splitA, splitB;
  bool finite = split(a, countA, rule.minExponent, splitA);
  finite &= split(b, countB, rule.minExponentB, splitB);
  Fused fused = {rule, in, a, b, accumulators, !finite, splitA, splitB};
  forAllChunks(in, [&](const auto &chunk) { fused.run(chunk); });
}

} // namespace tl::emu::matrix
