// What sums of many terms in any order may give: reductions and dots.
#pragma once

#include "interp/possible.h"

#include <algorithm>
#include <climits>
#include <cmath>

namespace tl::interp {

/// Exponent of the last bit that is set in a finite float; far above all of them for 0.
int lastBit(double v);

/// A sum as the interpreter has formed it, in the carrier C, and what is known of its terms.
template <class C> struct SumFacts {
  C sum = 0;       // computed in C
  C magnitude = 0; // sum of the terms' magnitudes, finite ones only
  C doubt = 0;     // sum of how far another implementation's terms may be away
  int64_t terms = 0;
  int lowestBit = INT_MAX; // least lastBit of the terms; INT_MAX when they are all 0
  bool products = false;   // the terms are products, which may be rounded and may underflow
  /// Of products that matrix units add up, the largest, subnormal factors counting as the smallest
  /// normal number; else 0. Each term may lose what lies below 2^-24 of it.
  C largestProduct = 0;

  /// One more term; another implementation's is within `distance` of it.
  void add(double term, C distance) {
    sum = terms ? sum + C(term) : C(term); // not from +0, which would lose the sign of -0
    ++terms;
    if (std::isfinite(term)) {
      magnitude += std::fabs(C(term));
      lowestBit = std::min(lowestBit, lastBit(term));
    }
    doubt += distance;
  }
};

/// The sums another implementation may have that accumulates in `accumulator`, before it rounds to
/// the result's type.
template <class C> Possible<C> possibleSum(const SumFacts<C> &facts, DType accumulator);

} // namespace tl::interp
