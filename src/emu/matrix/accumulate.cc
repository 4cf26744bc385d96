#include "emu/matrix/accumulate.h"

#include "emu/matrix/chunk.h"
#include "emu/matrix/fused.h"

#include <algorithm>
#include <cmath>

namespace tl::emu::matrix {
namespace {

void accumulateSequential(const Inputs &in, const float *a, const float *b, float *accumulators) {
  forAllChunks(in, [&](const auto &chunk) {
    float *sums = accumulators + chunk.row * in.columns() + chunk.column;
    __m256 sum = _mm256_loadu_ps(sums);
    for (unsigned term = 0; term < in.terms; ++term)
      sum = _mm256_fmadd_ps(chunk.a(a, term), chunk.b(b, term), sum);
    _mm256_storeu_ps(sums, sum);
  });
}

// Denormals of inputs become +0.
void flushInputs(float *values, unsigned count, int minExponent) {
  const float smallest = std::ldexp(1.0f, minExponent);
  for (unsigned i = 0; i < count; ++i)
    values[i] = std::fabs(values[i]) < smallest ? 0.0f : values[i];
}

// Denormal results keep their sign.
__m256 flushed(__m256 value) {
  const __m256 sign = _mm256_set1_ps(-0.0f), smallest = _mm256_set1_ps(0x1p-126f);
  __m256 tiny = _mm256_cmp_ps(_mm256_andnot_ps(sign, value), smallest, _CMP_LT_OQ);
  return _mm256_blendv_ps(value, _mm256_and_ps(value, sign), tiny);
}

// MMA-Sim (arXiv 2511.10909), algorithm 2.
void accumulatePaired(const Rule &rule, const Inputs &in, float *a, float *b, float *accumulators) {
  flushInputs(accumulators, in.size * in.columns(), -126);
  forAllChunks(in, [&](const auto &chunk) {
    auto product = [&](unsigned term) {
      return flushed(_mm256_mul_ps(chunk.a(a, term), chunk.b(b, term)));
    };
    auto pair = [&](unsigned term) {
      return flushed(_mm256_add_ps(product(term), product(term + 1)));
    };
    float *sums = accumulators + chunk.row * in.columns() + chunk.column;
    __m256 sum = _mm256_loadu_ps(sums);
    for (unsigned term = 0; term < in.terms; term += rule.group) {
      __m256 group = pair(term);
      if (rule.group == 4)
        group = flushed(_mm256_add_ps(group, pair(term + 2)));
      sum = flushed(_mm256_add_ps(sum, group));
    }
    _mm256_storeu_ps(sums, sum);
  });
}

} // namespace

void accumulateFloats(const Rule &rule, const Inputs &in, float *a, float *b, float *accumulators) {
  const unsigned columns = in.columns();
  if (rule.model == Model::Fused || rule.model == Model::FusedSplit)
    return accumulateFused(rule, in, a, b, accumulators);
  if (rule.model == Model::Paired) {
    flushInputs(a, in.terms * columns, rule.minExponent);
    flushInputs(b, in.terms * columns, rule.minExponentB);
  }
  float wide[kWideElements];
  if (in.size == 4) {
    widen(in, a, wide);
    a = wide;
  }
  if (rule.model == Model::Paired)
    accumulatePaired(rule, in, a, b, accumulators);
  else
    accumulateSequential(in, a, b, accumulators);
}

void accumulateDoubles(const Inputs &in, const double *a, const double *b, double *accumulators) {
  const unsigned columns = in.columns();
  for (unsigned row = 0; row < in.size; ++row)
    for (unsigned block = 0; block < in.blocks; ++block) {
      double *sums = accumulators + row * columns + block * in.size;
      for (unsigned term = 0; term < in.terms; ++term) {
        double factor = a[term * columns + block * in.size + row];
        const double *other = b + term * columns + block * in.size;
        for (unsigned column = 0; column < in.size; ++column)
          sums[column] = __builtin_fma(factor, other[column], sums[column]);
      }
    }
}

void accumulateIntegers(const Inputs &in, const int32_t *a, const int32_t *b, bool saturate,
                        int32_t *accumulators) {
  int32_t wide[kWideElements];
  if (in.size == 4) {
    widen(in, a, wide);
    a = wide;
  }
  forAllChunks(in, [&](const auto &chunk) {
    // No instruction has so many terms that their sum alone overflows.
    __m256i sum = _mm256_setzero_si256();
    for (unsigned term = 0; term < in.terms; ++term)
      sum = _mm256_add_epi32(sum, _mm256_mullo_epi32(chunk.a(a, term), chunk.b(b, term)));
    alignas(32) int32_t terms[8];
    _mm256_store_si256(reinterpret_cast<__m256i *>(terms), sum);
    int32_t *sums = accumulators + chunk.row * in.columns() + chunk.column;
    for (unsigned i = 0; i < 8; ++i) {
      int64_t exact = int64_t(sums[i]) + terms[i];
      sums[i] = saturate ? int32_t(std::clamp<int64_t>(exact, INT32_MIN, INT32_MAX))
                         : int32_t(uint32_t(exact));
    }
  });
}

} // namespace tl::emu::matrix
