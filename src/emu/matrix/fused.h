// CDNA3's fused sums of products, after MMA-Sim (arXiv 2511.10909, "TR-FDPA" and "GTR-FDPA", with
// the roundings of its reference implementation): for each group of terms
//   1. the products, exact, are truncated to 24 fraction bits below the largest of their exponents
//      (exponents as the factors' fields have them: products are not normalized, zeros do not
//      count) and added up exactly; with 8-bit inputs even and odd terms apart, then rounded down
//      to 24 bits below the larger exponent and added;
//   2. the sum is rounded down to 32 fraction bits, the accumulator to 24, below the larger of
//      their exponents (with 8-bit inputs a far smaller accumulator counts as zero), and they are
//      added exactly;
//   3. the result is rounded down to 31 fraction bits, then to the nearest f32.
// A product of 2^128 or more is an infinity.
#pragma once

#include "emu/matrix/accumulate.h"

namespace tl::emu::matrix {

void accumulateFused(const Rule &rule, const Inputs &inputs, const float *a, const float *b,
                     float *accumulators);

} // namespace tl::emu::matrix
