#include "interp/possible.h"

#include "interp/numbers.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace tl::interp {

namespace {

template <class C> constexpr C infinity = std::numeric_limits<C>::infinity();
template <class C> constexpr C nan = std::numeric_limits<C>::quiet_NaN();

template <class C> Possible<C> unknown() { return {0, 0, true}; }

/// -0 before +0, so that an interval remembers which zeros it holds.
template <class C> bool before(C a, C b) {
  return a < b || (a == b && std::signbit(a) && !std::signbit(b));
}

/// The hull of a few values; a NaN among them makes it unknown.
template <class C> Possible<C> hull(std::initializer_list<C> values) {
  Possible<C> p{*values.begin(), *values.begin(), false};
  for (C v : values) {
    if (std::isnan(v))
      return unknown<C>();
    if (before(v, p.lo))
      p.lo = v;
    if (before(p.hi, v))
      p.hi = v;
  }
  return p;
}

template <class C> Possible<C> product(const Possible<C> &a, const Possible<C> &b) {
  return outward(hull<C>({a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi}));
}

template <class C> Possible<C> sum(const Possible<C> &a, const Possible<C> &b) {
  if (a.unknown || std::isnan(a.lo + b.lo) || std::isnan(a.hi + b.hi))
    return unknown<C>();
  return outward(Possible<C>{a.lo + b.lo, a.hi + b.hi, false});
}

template <class C> Possible<C> quotient(const Possible<C> &a, const Possible<C> &b) {
  if (!b.isPoint() && b.lo <= 0 && b.hi >= 0)
    return unknown<C>();
  return outward(hull<C>({a.lo / b.lo, a.lo / b.hi, a.hi / b.lo, a.hi / b.hi}));
}

template <class C> Possible<C> negated(const Possible<C> &a) { return {-a.hi, -a.lo, false}; }

template <class C> Possible<C> magnitude(const Possible<C> &a) {
  if (a.lo >= 0)
    return {std::fabs(a.lo), std::fabs(a.hi), false};
  if (a.hi <= 0)
    return {std::fabs(a.hi), -a.lo, false};
  return {0, std::max(-a.lo, a.hi), false};
}

template <class C> Possible<C> smaller(const Possible<C> &a, const Possible<C> &b) {
  return {before(b.lo, a.lo) ? b.lo : a.lo, before(b.hi, a.hi) ? b.hi : a.hi, false};
}

template <class C> Possible<C> larger(const Possible<C> &a, const Possible<C> &b) {
  return {before(a.lo, b.lo) ? b.lo : a.lo, before(a.hi, b.hi) ? b.hi : a.hi, false};
}

template <class C> Possible<C> rounded(DType type, const Possible<C> &p) {
  if (p.unknown)
    return p;
  return {C(roundTo(type, p.lo)), C(roundTo(type, p.hi)), false};
}

/// Values beyond the largest one come out as infinity.
template <class C> C saturated(DType type, C v) {
  return std::fabs(v) > largest(type) ? std::copysign(infinity<C>, v) : v;
}

template <class C> Possible<C> approximated(Opcode opcode, DType type, const Possible<C> &x) {
  bool positiveOnly = opcode == Opcode::Log || opcode == Opcode::Log2 || opcode == Opcode::Rsqrt;
  if (positiveOnly && x.hi < 0)
    return {nan<C>, nan<C>, false};
  if (positiveOnly && !x.isPoint() && x.lo <= 0)
    return unknown<C>();
  C lo = mathFunction(opcode, x.lo);
  C hi = x.isPoint() ? lo : mathFunction(opcode, x.hi);
  if (opcode == Opcode::Rsqrt)
    std::swap(lo, hi);
  // Limits and zeros that the function has by definition are not approximated.
  bool special = std::isinf(x.lo) || std::isinf(lo) || (opcode == Opcode::Tanh && x.lo == 0);
  if (x.isPoint() && special)
    return rounded(type, Possible<C>{lo, lo, false});
  DType computed = type == DType::F64 ? DType::F64 : DType::F32;
  Possible<C> p = outward(Possible<C>{lo, hi, false});
  p.lo = saturated(computed, p.lo - C(allowedUlp * ulp(computed, double(lo))));
  p.hi = saturated(computed, p.hi + C(allowedUlp * ulp(computed, double(hi))));
  return type == computed ? p : rounded(type, p);
}

} // namespace

template <class C> Possible<C> outward(Possible<C> p) {
  // Two roundings in C, of the operand's ends and of the operation.
  const C part = 2 * std::numeric_limits<C>::epsilon();
  if (std::isfinite(p.lo))
    p.lo -= std::fabs(p.lo) * part;
  if (std::isfinite(p.hi))
    p.hi += std::fabs(p.hi) * part;
  return p;
}

template <class C> Possible<C> possibleOperand(double value, double bound) {
  if (bound == 0)
    return {C(value), C(value), false};
  if (std::isinf(bound))
    return unknown<C>();
  return outward(Possible<C>{C(value) - C(bound), C(value) + C(bound), false});
}

bool isApproximated(Opcode opcode) {
  return opcode == Opcode::Exp || opcode == Opcode::Exp2 || opcode == Opcode::Log ||
         opcode == Opcode::Log2 || opcode == Opcode::Rsqrt || opcode == Opcode::Tanh;
}

template <class C> C mathFunction(Opcode opcode, C x) {
  switch (opcode) {
  case Opcode::Exp:
    return std::exp(x);
  case Opcode::Exp2:
    return std::exp2(x);
  case Opcode::Log:
    return std::log(x);
  case Opcode::Log2:
    return std::log2(x);
  case Opcode::Sqrt:
    return std::sqrt(x);
  case Opcode::Rsqrt:
    return C(1) / std::sqrt(x);
  case Opcode::Tanh:
    return std::tanh(x);
  default:
    assert(false && "not a mathematical function");
    return nan<C>;
  }
}

template <class C>
Possible<C> possibleResult(Opcode opcode, DType type, std::span<const Possible<C>> x) {
  bool numbersOnly = opcode == Opcode::MinNum || opcode == Opcode::MaxNum;
  if (numbersOnly && !x[0].unknown && !x[1].unknown)
    for (size_t i : {0, 1})
      if (std::isnan(x[i].lo))
        return x[1 - i];
  for (const Possible<C> &p : x)
    if (std::isnan(p.lo) && !numbersOnly)
      return {nan<C>, nan<C>, false};
  for (const Possible<C> &p : x)
    if (p.unknown)
      return p;
  switch (opcode) {
  case Opcode::Add:
    return rounded(type, sum(x[0], x[1]));
  case Opcode::Sub:
    return rounded(type, sum(x[0], negated(x[1])));
  case Opcode::Mul:
    return rounded(type, product(x[0], x[1]));
  case Opcode::Div:
    return rounded(type, quotient(x[0], x[1]));
  case Opcode::Fma:
    return rounded(type, sum(product(x[0], x[1]), x[2]));
  case Opcode::Neg:
    return negated(x[0]);
  case Opcode::Abs:
    return magnitude(x[0]);
  case Opcode::Min:
  case Opcode::MinNum:
    return smaller(x[0], x[1]);
  case Opcode::Max:
  case Opcode::MaxNum:
    return larger(x[0], x[1]);
  case Opcode::Clamp:
    return smaller(larger(x[0], x[1]), x[2]);
  case Opcode::Sqrt:
    if (x[0].hi < 0)
      return {nan<C>, nan<C>, false};
    if (x[0].lo < 0)
      return unknown<C>();
    return rounded(type, outward(Possible<C>{std::sqrt(x[0].lo), std::sqrt(x[0].hi), false}));
  default:
    return approximated(opcode, type, x[0]);
  }
}

template <class C> Doubt doubtOf(DType type, double value, const Possible<C> &p) {
  if (p.unknown || std::isnan(p.lo) != std::isnan(value))
    return {0, 0, Undecided};
  if (std::isnan(value))
    return {0, 0, AnyNan};
  if (std::isinf(p.lo) || std::isinf(p.hi) || std::isinf(value))
    return {0, 0, uint8_t(p.lo == value && p.hi == value ? 0 : Undecided)};
  bool sameZero =
      std::signbit(p.lo) == std::signbit(value) && std::signbit(p.hi) == std::signbit(value);
  if (p.lo == value && p.hi == value)
    return {value == 0 && !sameZero ? smallest(type) : 0, 0, 0};
  C distance = std::max(p.hi - C(value), C(value) - p.lo);
  double bound = double(distance);
  if (C(bound) < distance)
    bound = std::nextafter(bound, infinity<double>);
  return {bound, 0, 0};
}

#define TL_INSTANTIATE(C)                                                                          \
  template Possible<C> outward(Possible<C>);                                                       \
  template Possible<C> possibleOperand(double, double);                                            \
  template C mathFunction(Opcode, C);                                                              \
  template Possible<C> possibleResult(Opcode, DType, std::span<const Possible<C>>);                \
  template Doubt doubtOf(DType, double, const Possible<C> &);
TL_INSTANTIATE(double)
TL_INSTANTIATE(long double)
#undef TL_INSTANTIATE

} // namespace tl::interp
