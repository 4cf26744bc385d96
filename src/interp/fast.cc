#include "interp/fast.h"

#include "interp/numbers.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace tl::interp {

namespace {

constexpr double leastNormal = 0x1p-126;

/// How far a fast form may be from the exact result: so many ulp of it, and so much besides.
struct Error {
  double ulps, absolute;
};

/// For operands of at most this magnitude.
Error errorOf(Opcode opcode, double magnitude) {
  switch (opcode) {
  case Opcode::Exp2:
    return {2, leastNormal};
  case Opcode::Exp: // the operand is multiplied by log2(e) in f32
    return {2 + 1.5 * magnitude, leastNormal};
  case Opcode::Sigmoid:
    return {4 + 1.5 * magnitude, leastNormal};
  case Opcode::Tanh:
    return {0, 0x1p-20};
  case Opcode::Log2:
    return {2, 0x1p-22};
  case Opcode::Log:
    return {4, 0x1p-22};
  case Opcode::Sin:
  case Opcode::Cos: // the operand is divided by 2 pi in f32
    return {0, 0x1p-20 + magnitude * 0x1p-23};
  case Opcode::Sqrt:
  case Opcode::Rsqrt:
    return {2, 0};
  case Opcode::Rcp:
    return {2, leastNormal};
  case Opcode::Div:
    return {4, leastNormal};
  default:
    assert(false && "there is no fast form");
    return {0, 0};
  }
}

/// Whether a value within is subnormal: it may count as 0.
template <class C> bool holdsSubnormal(const Possible<C> &p) {
  const C least = C(leastNormal);
  bool zero = p.isPoint() && p.lo == 0;
  return !zero && p.hi > -least && p.lo < least;
}

/// The operand that may not be subnormal: 0 has a pole there.
template <class C> bool atPole(Opcode opcode, std::span<const Possible<C>> x) {
  switch (opcode) {
  case Opcode::Log:
  case Opcode::Log2:
  case Opcode::Rsqrt:
  case Opcode::Rcp:
    return holdsSubnormal(x[0]);
  case Opcode::Div:
    return holdsSubnormal(x[1]);
  default:
    return false;
  }
}

} // namespace

template <class C>
Possible<C> fastResult(Opcode opcode, const Possible<C> &result, std::span<const Possible<C>> x) {
  if (result.unknown || std::isnan(result.lo))
    return result;
  if (atPole(opcode, x))
    return {0, 0, true};
  Possible<C> p = result;
  // Of a subnormal operand, or a divisor whose reciprocal is subnormal, 0 may come.
  bool reachesZero =
      (opcode == Opcode::Sqrt && holdsSubnormal(x[0])) ||
      (opcode == Opcode::Div && std::max(std::fabs(x[1].lo), std::fabs(x[1].hi)) > C(0x1p126));
  if (reachesZero) {
    p.lo = std::min<C>(p.lo, 0);
    p.hi = std::max<C>(p.hi, 0);
  }
  const Error error = errorOf(opcode, double(std::max(std::fabs(x[0].lo), std::fabs(x[0].hi))));
  auto distance = [&](C end) {
    return C(error.ulps * ulp(DType::F32, double(end)) + error.absolute);
  };
  auto beyond = [](C v) {
    return std::fabs(v) > C(largest(DType::F32))
               ? std::copysign(std::numeric_limits<C>::infinity(), v)
               : v;
  };
  if (std::isfinite(p.lo))
    p.lo = beyond(p.lo - distance(p.lo));
  if (std::isfinite(p.hi))
    p.hi = beyond(p.hi + distance(p.hi));
  return p;
}

template Possible<double> fastResult(Opcode, const Possible<double> &,
                                     std::span<const Possible<double>>);
template Possible<long double> fastResult(Opcode, const Possible<long double> &,
                                          std::span<const Possible<long double>>);

} // namespace tl::interp
