#include "interp/sums.h"

#include "interp/numbers.h"

#include <algorithm>
#include <bit>
#include <climits>
#include <cmath>
#include <limits>

namespace tl::interp {

int lastBit(double v) {
  if (v == 0)
    return INT_MAX;
  uint64_t bits = std::bit_cast<uint64_t>(v);
  int exponent = int(bits >> 52 & 2047);
  uint64_t mantissa = bits << 12 >> 12;
  if (exponent != 0)
    mantissa |= uint64_t(1) << 52;
  return std::max(exponent, 1) - 1023 - 52 + std::countr_zero(mantissa);
}

/// No partial sum, in any order, is larger: it is one of the positive terms' sum minus part of the
/// negative ones', or the other way round.
template <class C> static C largestPartialSum(const SumFacts<C> &facts) {
  return (facts.magnitude + std::fabs(facts.sum)) / 2 + facts.doubt;
}

/// All partial sums are multiples of 2^lowestBit: when the largest fits the accumulator's bits,
/// every one of them is exact.
template <class C> static bool alwaysExact(const SumFacts<C> &facts, DType accumulator) {
  if (facts.doubt != 0)
    return false;
  if (facts.magnitude == 0)
    return true;
  int precision = dtypeInfo(accumulator).precision;
  if (facts.largestProduct > std::scalbn(C(1), facts.lowestBit + precision))
    return false; // the last bits may be cut off
  return facts.lowestBit >= std::ilogb(smallest(accumulator)) &&
         largestPartialSum(facts) <= std::scalbn(C(1), facts.lowestBit + precision);
}

template <class C> Possible<C> possibleSum(const SumFacts<C> &facts, DType accumulator) {
  if (!std::isfinite(facts.sum) && facts.magnitude + facts.doubt < C(largest(accumulator)) / 2)
    return {facts.sum, facts.sum, false}; // from infinite terms, whatever the order
  if (!std::isfinite(facts.sum))
    return {0, 0, true};
  if (alwaysExact(facts, accumulator))
    return {facts.sum, facts.sum, false};
  if (facts.terms == 2 && !facts.products && facts.doubt == 0) { // one rounding, as everywhere
    C sum = C(roundTo(accumulator, facts.sum));
    return {sum, sum, false};
  }
  // Each of the additions is wrong by at most the unit roundoff of a partial sum, which the earlier
  // errors have moved a little (gamma_n of Higham, Accuracy and Stability). Ours, in C, comes on
  // top.
  const C u = C(unitRoundoff(accumulator)), nu = C(facts.terms - 1) * u;
  C gamma = nu < C(0.5) ? nu / (1 - nu) : 2 * nu;
  C magnitude = facts.magnitude + facts.doubt;
  C own = C(facts.terms) * std::numeric_limits<C>::epsilon();
  C radius = gamma * largestPartialSum(facts) + own * magnitude + facts.doubt;
  if (facts.products)
    radius += (1 + gamma) * u * magnitude + C(facts.terms) * C(smallest(accumulator));
  radius += C(facts.terms + 2) * facts.largestProduct * C(0x1p-24);
  Possible<C> p = outward(Possible<C>{facts.sum - radius, facts.sum + radius, false});
  // A partial sum may overflow although the sum does not, unless all terms have one sign.
  C most = C(largest(accumulator));
  if (magnitude + radius < most)
    return p;
  bool oneSign = std::fabs(facts.sum) >= facts.magnitude && facts.doubt == 0;
  if (oneSign && std::fabs(facts.sum) - radius > most) {
    C infinity = std::copysign(std::numeric_limits<C>::infinity(), facts.sum);
    return {infinity, infinity, false};
  }
  return {0, 0, true};
}

template Possible<double> possibleSum(const SumFacts<double> &, DType);
template Possible<long double> possibleSum(const SumFacts<long double> &, DType);

} // namespace tl::interp
