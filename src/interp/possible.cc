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

/// Where the function's domain begins, at a pole: NaN below.
template <class C> C domainStart(Opcode opcode) {
  switch (opcode) {
  case Opcode::Log:
  case Opcode::Log2:
  case Opcode::Rsqrt:
    return 0;
  case Opcode::Log1p:
    return -1;
  default:
    return -infinity<C>;
  }
}

/// Zero by definition at zero.
bool keepsZero(Opcode opcode) {
  return opcode == Opcode::Tanh || opcode == Opcode::Expm1 || opcode == Opcode::Log1p ||
         opcode == Opcode::Sin || opcode == Opcode::Tan || opcode == Opcode::Erf;
}

/// In ulp of f64 for f64 and of f32 for all else (f16 and bf16 are rounded from that).
double allowedUlp(Opcode opcode) {
  return opcode == Opcode::Tan || opcode == Opcode::Erf || opcode == Opcode::Pow ? 2 : 1;
}

/// From the ends of what the exact function gives to what an implementation may give.
template <class C> Possible<C> widened(Opcode opcode, DType type, C lo, C hi) {
  DType computed = type == DType::F64 ? DType::F64 : DType::F32;
  Possible<C> p = outward(Possible<C>{lo, hi, false});
  p.lo = saturated(computed, p.lo - C(allowedUlp(opcode) * ulp(computed, double(lo))));
  p.hi = saturated(computed, p.hi + C(allowedUlp(opcode) * ulp(computed, double(hi))));
  return type == computed ? p : rounded(type, p);
}

/// sin, cos and tan, which rise and fall.
template <class C> Possible<C> periodic(Opcode opcode, DType type, const Possible<C> &x) {
  C lo = mathFunction(opcode, x.lo), hi = x.isPoint() ? lo : mathFunction(opcode, x.hi);
  C width = x.hi - x.lo;
  if (x.isPoint() && (std::isinf(x.lo) || (x.lo == 0 && keepsZero(opcode))))
    return {lo, lo, false};
  if (!(width < 3)) // infinite, or more than between two poles
    return opcode == Opcode::Tan || !std::isfinite(width) ? unknown<C>()
                                                          : widened<C>(opcode, type, -1, 1);
  // Rising between poles; beyond one the tangent starts again from below.
  if (opcode == Opcode::Tan)
    return lo <= hi ? widened(opcode, type, lo, hi) : unknown<C>();
  // The slope is 1 at most.
  return widened(opcode, type, std::max<C>(-1, std::min(lo, hi) - width),
                 std::min<C>(1, std::max(lo, hi) + width));
}

template <class C> Possible<C> power(DType type, const Possible<C> &a, const Possible<C> &b) {
  auto is = [](const Possible<C> &p, C value) {
    return !p.unknown && p.isPoint() && p.lo == value;
  };
  if (is(b, 0) || is(a, 1)) // even if the other is NaN
    return {1, 1, false};
  if (std::isnan(a.lo) || std::isnan(b.lo))
    return {nan<C>, nan<C>, false};
  if (a.unknown || b.unknown)
    return unknown<C>();
  if (a.isPoint() && b.isPoint()) {
    C value = std::pow(a.lo, b.lo);
    if (std::isnan(value) || std::isinf(value) || std::isinf(a.lo) || std::isinf(b.lo) || a.lo == 0)
      return rounded(type, Possible<C>{value, value, false});
    return widened(Opcode::Pow, type, value, value);
  }
  // Rising or falling along each operand, so that the corners bound it: for positive a, and for an
  // integer b on one side of a = 0.
  bool integer = b.isPoint() && std::isfinite(b.lo) && b.lo == std::trunc(b.lo);
  if (!(a.lo > 0) && !(integer && (a.hi < 0 || b.lo > 0)))
    return unknown<C>();
  C within = a.lo <= 0 && a.hi >= 0 ? C(0) : std::pow(a.lo, b.lo);
  Possible<C> p = hull<C>({std::pow(a.lo, b.lo), std::pow(a.lo, b.hi), std::pow(a.hi, b.lo),
                           std::pow(a.hi, b.hi), within});
  return p.unknown ? p : widened(Opcode::Pow, type, p.lo, p.hi);
}

template <class C> Possible<C> approximated(Opcode opcode, DType type, const Possible<C> &x) {
  C start = domainStart<C>(opcode);
  if (x.hi < start)
    return {nan<C>, nan<C>, false};
  if (!x.isPoint() && x.lo <= start && !std::isinf(start))
    return unknown<C>();
  C lo = mathFunction(opcode, x.lo);
  C hi = x.isPoint() ? lo : mathFunction(opcode, x.hi);
  if (opcode == Opcode::Rsqrt)
    std::swap(lo, hi);
  // Limits and zeros that the function has by definition are not approximated.
  bool special = std::isinf(x.lo) || std::isinf(lo) || (x.lo == 0 && keepsZero(opcode));
  if (x.isPoint() && special)
    return rounded(type, Possible<C>{lo, lo, false});
  return widened(opcode, type, lo, hi);
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

bool isRounding(Opcode opcode) {
  return opcode == Opcode::Floor || opcode == Opcode::Ceil || opcode == Opcode::Round ||
         opcode == Opcode::Trunc;
}

bool isApproximated(Opcode opcode) {
  switch (opcode) {
  case Opcode::Exp:
  case Opcode::Exp2:
  case Opcode::Expm1:
  case Opcode::Log:
  case Opcode::Log2:
  case Opcode::Log1p:
  case Opcode::Rsqrt:
  case Opcode::Tanh:
  case Opcode::Sigmoid:
  case Opcode::Sin:
  case Opcode::Cos:
  case Opcode::Tan:
  case Opcode::Erf:
  case Opcode::Pow:
    return true;
  default:
    return false;
  }
}

template <class C> C mathFunction(Opcode opcode, C x, C y) {
  switch (opcode) {
  case Opcode::Exp:
    return std::exp(x);
  case Opcode::Exp2:
    return std::exp2(x);
  case Opcode::Expm1:
    return std::expm1(x);
  case Opcode::Log:
    return std::log(x);
  case Opcode::Log2:
    return std::log2(x);
  case Opcode::Log1p:
    return std::log1p(x);
  case Opcode::Sqrt:
    return std::sqrt(x);
  case Opcode::Rsqrt:
    return C(1) / std::sqrt(x);
  case Opcode::Rcp:
    return C(1) / x;
  case Opcode::Tanh:
    return std::tanh(x);
  case Opcode::Sigmoid:
    return C(1) / (C(1) + std::exp(-x));
  case Opcode::Sin:
    return std::sin(x);
  case Opcode::Cos:
    return std::cos(x);
  case Opcode::Tan:
    return std::tan(x);
  case Opcode::Erf:
    return std::erf(x);
  case Opcode::Pow: // libm lets signalling NaN win
    return y == 0 || x == 1 ? C(1) : std::pow(x, y);
  case Opcode::Floor:
    return std::floor(x);
  case Opcode::Ceil:
    return std::ceil(x);
  case Opcode::Round: // the default rounding mode is to nearest even
    return std::nearbyint(x);
  case Opcode::Trunc:
    return std::trunc(x);
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
  if (opcode == Opcode::Pow) // NaN to the power of 0 is 1
    return power(type, x[0], x[1]);
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
  case Opcode::Rcp:
    return rounded(type, quotient(Possible<C>{1, 1, false}, x[0]));
  case Opcode::Floor:
  case Opcode::Ceil:
  case Opcode::Round:
  case Opcode::Trunc: {
    Possible<C> p{mathFunction(opcode, x[0].lo), mathFunction(opcode, x[0].hi), false};
    return p.isPoint() ? p : unknown<C>();
  }
  case Opcode::Sin:
  case Opcode::Cos:
  case Opcode::Tan:
    return periodic(opcode, type, x[0]);
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
  template C mathFunction(Opcode, C, C);                                                           \
  template Possible<C> possibleResult(Opcode, DType, std::span<const Possible<C>>);                \
  template Doubt doubtOf(DType, double, const Possible<C> &);
TL_INSTANTIATE(double)
TL_INSTANTIATE(long double)
#undef TL_INSTANTIATE

} // namespace tl::interp
