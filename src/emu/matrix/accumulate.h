// The arithmetic of matrix instructions: accumulators += A * B, in one of several orders and
// roundings. docs/emulator.md says which chip is taken to do which.
#pragma once

#include <cstdint>

namespace tl::emu::matrix {

enum class Model : uint8_t {
  Sequential, // one fused multiply-add after the other, in the order of K
  Paired,     // CDNA2: rounded products added in pairs, denormals flushed
  Fused,      // CDNA3: groups of terms added exactly but for truncated low bits
  FusedSplit, // CDNA3, 8-bit inputs: the same, even and odd terms apart at first
};

struct Rule {
  Model model;
  uint8_t group;       // terms that are added up before the accumulator takes part
  int16_t minExponent; // of the input formats' normal numbers
  int16_t minExponentB;
};

inline constexpr unsigned kMaxElements = 2048; // of each matrix: all blocks, all terms or rows

/// Inputs as [term][column], where column = block * size + row of A (column of B); accumulators as
/// [row][column].
struct Inputs {
  uint8_t size, blocks, terms;
  const uint8_t *select; // sparse: [term][row of A]: which term of B it meets; else NULL
  unsigned columns() const { return unsigned(size) * blocks; }
};

void accumulateFloats(const Rule &rule, const Inputs &inputs, float *a, float *b,
                      float *accumulators);
void accumulateDoubles(const Inputs &inputs, const double *a, const double *b,
                       double *accumulators);
/// Wraps around, or saturates the final sum.
void accumulateIntegers(const Inputs &inputs, const int32_t *a, const int32_t *b, bool saturate,
                        int32_t *accumulators);

} // namespace tl::emu::matrix
