// Loops over the accumulators of a matrix instruction, eight columns of a row at a time.
#pragma once

#include "emu/matrix/accumulate.h"

#include <immintrin.h>

namespace tl::emu::matrix {

/// Eight columns of one row, and where their inputs lie.
template <bool Wide, bool Sparse> struct Chunk {
  const Inputs &in;
  unsigned row, column;

  unsigned offsetA(unsigned term) const {
    return Wide ? (term * in.size + row) * in.columns() + column
                : term * in.columns() + column / in.size * in.size + row;
  }
  unsigned offsetB(unsigned term) const {
    unsigned met = Sparse ? in.select[term * in.size + row] : term;
    return met * in.columns() + column;
  }
  __m256 a(const float *values, unsigned term) const {
    return Wide ? _mm256_loadu_ps(values + offsetA(term))
                : _mm256_broadcast_ss(values + offsetA(term));
  }
  __m256 b(const float *values, unsigned term) const {
    return _mm256_loadu_ps(values + offsetB(term));
  }
  __m256i a(const int32_t *values, unsigned term) const {
    return Wide ? _mm256_loadu_si256(reinterpret_cast<const __m256i *>(values + offsetA(term)))
                : _mm256_set1_epi32(values[offsetA(term)]);
  }
  __m256i b(const int32_t *values, unsigned term) const {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i *>(values + offsetB(term)));
  }
};

/// With four rows a chunk spans two blocks, each with an element of A of its own: A is written out,
/// one element for each column. Such instructions have at most 4 terms of 4 rows.
inline constexpr unsigned kWideElements = 4 * 4 * 64;
template <class T> inline void widen(const Inputs &in, const T *a, T *wide) {
  const unsigned columns = in.columns();
  for (unsigned term = 0; term < in.terms; ++term)
    for (unsigned row = 0; row < in.size; ++row)
      for (unsigned column = 0; column < columns; ++column)
        wide[(term * in.size + row) * columns + column] =
            a[term * columns + column / in.size * in.size + row];
}

template <bool Wide, bool Sparse, class F> inline void forChunks(const Inputs &in, F &&body) {
  for (unsigned row = 0; row < in.size; ++row)
    for (unsigned column = 0; column < in.columns(); column += 8)
      body(Chunk<Wide, Sparse>{in, row, column});
}

/// Calls body(chunk) for every chunk; A must be wide when size is 4.
template <class F> inline void forAllChunks(const Inputs &in, F &&body) {
  if (in.size == 4)
    forChunks<true, false>(in, body);
  else if (in.select)
    forChunks<false, true>(in, body);
  else
    forChunks<false, false>(in, body);
}

} // namespace tl::emu::matrix
