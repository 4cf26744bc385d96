#include "interp/elementwise.h"

#include "graph/fold_int.h"
#include "interp/fast.h"
#include "interp/numbers.h"
#include "interp/possible.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

namespace tl::interp {

namespace {

/// The smaller one, with -0 before +0; NaN if either is.
double minimum(double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return std::numeric_limits<double>::quiet_NaN();
  if (a == b)
    return std::signbit(a) ? a : b;
  return a < b ? a : b;
}

double maximum(double a, double b) { return -minimum(-a, -b); }

double minimumNumber(double a, double b) {
  return std::isnan(a) ? b : std::isnan(b) ? a : minimum(a, b);
}

bool keepsNan(Opcode opcode, double value) {
  constexpr uint64_t quiet = uint64_t(1) << 51; // of the carrier, for every type
  return (opcode == Opcode::Neg || opcode == Opcode::Abs) &&
         (std::bit_cast<uint64_t>(value) & quiet);
}

void integerElementwise(Opcode opcode, TileValue &out, Operands operands) {
  for (size_t i = 0, n = out.size(); i < n; ++i) {
    std::array<int64_t, 3> x = {};
    bool undecided = false;
    for (size_t k = 0; k < operands.size(); ++k) {
      size_t j = elementOf(*operands[k], i);
      x[k] = operands[k]->ints[j];
      undecided |= operands[k]->undecided(j);
    }
    out.ints[i] = *foldInteger(opcode, {x.data(), operands.size()}, out.type.dtype);
    if (undecided)
      out.setDoubt(i, {0, 0, Undecided});
  }
}

/// Doubts about one float result, from those about the operands.
class FloatDoubt {
public:
  FloatDoubt(Opcode opcode, DType type, Operands operands, bool contract, bool fast)
      : opcode(opcode), type(type), operands(operands), contract(contract), fast(fast),
        additive(opcode == Opcode::Add || opcode == Opcode::Sub) {}

  Doubt of(double value, size_t i) const {
    bool exact = !isApproximated(opcode) && !fast;
    for (const TileValue *operand : operands) {
      size_t j = elementOf(*operand, i);
      if (operand->undecided(j))
        return {0, 0, Undecided};
      exact &= radius(*operand, j) == 0;
    }
    Doubt doubt;
    if (!exact)
      doubt = type == DType::F64 ? inexact<long double>(value, i) : inexact<double>(value, i);
    else if (std::isnan(value))
      doubt.marks = keepsNan(opcode, value) ? operands[0]->doubt(elementOf(*operands[0], i)).marks
                                            : uint8_t(AnyNan);
    if (contract && !(doubt.marks & Undecided))
      doubt.product = distanceFromProduct(value, doubt.bound, i);
    return doubt;
  }

private:
  Opcode opcode;
  DType type;
  Operands operands;
  bool contract, fast;
  bool additive;

  /// How far another implementation's operand may be away.
  double radius(const TileValue &operand, size_t j) const {
    Doubt d = operand.doubt(j);
    return d.bound + (additive ? d.product : 0);
  }

  template <class C> Doubt inexact(double value, size_t i) const {
    std::array<Possible<C>, 3> x;
    for (size_t k = 0; k < operands.size(); ++k) {
      size_t j = elementOf(*operands[k], i);
      x[k] = possibleOperand<C>(operands[k]->floats[j], radius(*operands[k], j));
    }
    std::span<const Possible<C>> all(x.data(), operands.size());
    if (!fast)
      return doubtOf<C>(type, value, possibleResult<C>(opcode, type, all));
    Possible<C> p = fastResult<C>(opcode, possibleResult<C>(opcode, DType::F32, all), all);
    if (type != DType::F32 && !p.unknown)
      p = {C(roundTo(type, p.lo)), C(roundTo(type, p.hi)), false};
    return doubtOf<C>(type, value, p);
  }

  double distanceFromProduct(double value, double bound, size_t i) const {
    if (opcode == Opcode::Neg)
      return operands[0]->doubt(elementOf(*operands[0], i)).product;
    if (opcode != Opcode::Mul)
      return 0;
    double a = operands[0]->floats[elementOf(*operands[0], i)];
    double b = operands[1]->floats[elementOf(*operands[1], i)];
    if (!std::isfinite(value))
      return std::isfinite(a) && std::isfinite(b) ? std::numeric_limits<double>::infinity() : 0;
    if (a == 0 || b == 0)
      return 0;
    // Where the distance itself would be below the smallest double, a whole ulp stands for a half.
    if (type == DType::F64 && std::fabs(value) < 0x1p-900)
      return ulp(type, value);
    if (bound != 0)
      return ulp(type, std::fabs(value) + bound) / 2;
    // Exact: the product has at most twice the bits of the type.
    return type == DType::F64 ? std::fabs(std::fma(a, b, -value)) : std::fabs(a * b - value);
  }
};

void floatElementwise(Opcode opcode, TileValue &out, Operands operands, Tracking &tracking,
                      bool fast) {
  DType type = out.type.dtype;
  fast &= type != DType::F64;
  FloatDoubt doubts(opcode, type, operands, tracking.contract, fast);
  bool doubtful = isApproximated(opcode) || fast || (opcode == Opcode::Mul && tracking.contract);
  for (const TileValue *operand : operands)
    doubtful |= operand->anyDoubt();
  doubtful &= tracking.on;
  std::array<double, 3> x = {};
  for (size_t i = 0, n = out.size(); i < n; ++i) {
    for (size_t k = 0; k < operands.size(); ++k)
      x[k] = operands[k]->floats[elementOf(*operands[k], i)];
    double value = evaluateFloat(opcode, type, x[0], x[1], x[2]);
    out.floats[i] = value;
    if (doubtful) {
      Doubt doubt = doubts.of(value, i);
      bool decision = isRounding(opcode) && !operands[0]->undecided(elementOf(*operands[0], i));
      tracking.undecidedDecisions += decision && (doubt.marks & Undecided);
      out.setDoubt(i, doubt);
    } else if (std::isnan(value) && !keepsNan(opcode, value))
      out.setDoubt(i, {0, 0, AnyNan});
  }
}

} // namespace

double evaluateFloat(Opcode opcode, DType type, double a, double b, double c) {
  switch (opcode) {
  case Opcode::Add:
    return roundTo(type, a + b);
  case Opcode::Sub:
    return roundTo(type, a - b);
  case Opcode::Mul:
    return roundTo(type, a * b);
  case Opcode::Div:
    return roundTo(type, a / b);
  case Opcode::Fma:
    return fusedMultiplyAdd(type, a, b, c);
  case Opcode::Min:
    return minimum(a, b);
  case Opcode::Max:
    return maximum(a, b);
  case Opcode::MinNum:
    return minimumNumber(a, b);
  case Opcode::MaxNum:
    return -minimumNumber(-a, -b);
  case Opcode::Clamp:
    return minimum(maximum(a, b), c);
  case Opcode::Neg:
    return -a;
  case Opcode::Abs:
    return std::fabs(a);
  case Opcode::Sqrt:
    return roundTo(type, std::sqrt(a));
  case Opcode::Rcp:
    return roundTo(type, 1 / a);
  case Opcode::Floor:
  case Opcode::Ceil:
  case Opcode::Round:
  case Opcode::Trunc:
    return mathFunction(opcode, a); // exact
  default:
    // Rounded from a result with more bits; for f64 from long double's.
    return type == DType::F64 ? roundTo(type, mathFunction<long double>(opcode, a, b))
                              : roundTo(type, mathFunction<double>(opcode, a, b));
  }
}

void elementwise(Opcode opcode, TileValue &out, Operands operands, Tracking &tracking, bool fast) {
  if (out.isFloat())
    floatElementwise(opcode, out, operands, tracking, fast);
  else
    integerElementwise(opcode, out, operands);
}

/// The predicate that is the same where neither operand is NaN.
static Pred orderedPred(Pred pred) {
  switch (pred) {
  case Pred::One:
    return Pred::Ne;
  case Pred::Ueq:
    return Pred::Eq;
  case Pred::Ult:
    return Pred::Lt;
  case Pred::Ule:
    return Pred::Le;
  case Pred::Ugt:
    return Pred::Gt;
  case Pred::Uge:
    return Pred::Ge;
  default:
    return pred;
  }
}

bool compareFloats(Pred pred, double a, double b) {
  bool unordered = std::isnan(a) || std::isnan(b);
  if (isFloatPred(pred) && (unordered || pred == Pred::Ord || pred == Pred::Uno))
    return pred == Pred::Ord ? !unordered : pred != Pred::One && unordered;
  switch (orderedPred(pred)) {
  case Pred::Eq:
    return a == b;
  case Pred::Ne:
    return a != b;
  case Pred::Lt:
    return a < b;
  case Pred::Le:
    return a <= b;
  case Pred::Gt:
    return a > b;
  default: // Ge
    return a >= b;
  }
}

/// Whether a comparison has the same truth for all values within the bounds: they are apart, or
/// touch on the side where that makes no difference.
static bool comparisonDecided(Pred pred, double a, double aBound, double b, double bBound) {
  if (aBound == 0 && bBound == 0)
    return true;
  if (std::isnan(a) || std::isnan(b) || pred == Pred::Ord || pred == Pred::Uno)
    return true;
  pred = orderedPred(pred);
  auto pa = possibleOperand<long double>(a, aBound);
  auto pb = possibleOperand<long double>(b, bBound);
  if (pa.hi < pb.lo || pb.hi < pa.lo)
    return true;
  bool aLeast = pa.hi <= pb.lo, bLeast = pb.hi <= pa.lo;
  bool lessOrEqual = pred == Pred::Le || pred == Pred::Gt;
  bool less = pred == Pred::Lt || pred == Pred::Ge;
  return (lessOrEqual && aLeast) || (less && bLeast);
}

void compare(Pred pred, TileValue &out, const TileValue &a, const TileValue &b,
             Tracking &tracking) {
  for (size_t i = 0, n = out.size(); i < n; ++i) {
    size_t ia = elementOf(a, i), ib = elementOf(b, i);
    bool doubtful = a.undecided(ia) || b.undecided(ib);
    if (!a.isFloat()) {
      out.ints[i] = compareIntegers(pred, a.ints[ia], b.ints[ib], a.type.dtype);
    } else {
      out.ints[i] = compareFloats(pred, a.floats[ia], b.floats[ib]);
      if (!doubtful &&
          !comparisonDecided(pred, a.floats[ia], a.bound(ia), b.floats[ib], b.bound(ib))) {
        doubtful = true;
        ++tracking.undecidedDecisions;
      }
    }
    if (doubtful)
      out.setDoubt(i, {0, 0, Undecided});
  }
}

/// Between two floats it is open which one: the one that is `taken` or anything up to the `other`.
static Doubt doubtOfEither(double taken, const Doubt &takenDoubt, double other,
                           const Doubt &otherDoubt) {
  if ((takenDoubt.marks | otherDoubt.marks) & Undecided || !std::isfinite(taken) ||
      !std::isfinite(other))
    return {0, 0, Undecided};
  double distance = std::fabs(taken - other) * (1 + 1e-15);
  if (!std::isfinite(distance))
    return {0, 0, Undecided};
  if (std::signbit(taken) != std::signbit(other)) // two zeros
    distance = std::max(distance, std::numeric_limits<double>::denorm_min());
  Doubt d;
  d.bound = std::max(takenDoubt.bound, distance + otherDoubt.bound);
  d.product = std::max(takenDoubt.product, otherDoubt.product);
  return d;
}

void select(TileValue &out, const TileValue &condition, const TileValue &a, const TileValue &b) {
  for (size_t i = 0, n = out.size(); i < n; ++i) {
    size_t ic = elementOf(condition, i), ia = elementOf(a, i), ib = elementOf(b, i);
    bool first = condition.ints[ic] != 0;
    const TileValue &taken = first ? a : b, &other = first ? b : a;
    size_t it = first ? ia : ib, io = first ? ib : ia;
    out.copyElement(i, taken, it);
    if (!condition.undecided(ic))
      continue;
    if (out.isFloat())
      out.setDoubt(
          i, doubtOfEither(taken.floats[it], taken.doubt(it), other.floats[io], other.doubt(io)));
    else if (taken.ints[it] != other.ints[io] || other.undecided(io))
      out.setDoubt(i, {0, 0, Undecided});
  }
}

namespace {

/// Every value of `from` is one of `to`.
bool holdsAll(DType to, DType from) {
  const DTypeInfo &t = dtypeInfo(to), &f = dtypeInfo(from);
  return t.precision >= f.precision && t.maxExponent >= f.maxExponent &&
         t.minExponent - t.precision <= f.minExponent - f.precision &&
         t.specials == FloatSpecials::Ieee;
}

void castFloatToFloat(TileValue &out, const TileValue &a, const CastMode &mode,
                      const Tracking &tracking, size_t i) {
  DType to = out.type.dtype, from = a.type.dtype;
  double value = a.floats[i];
  if (to == from && !mode.saturate)
    return out.copyElement(i, a, i);
  double result = roundTo(to, value, mode);
  out.floats[i] = result;
  Doubt d = a.doubt(i);
  // A NaN that overflow makes has the number's sign, and some types have one NaN alone.
  if (std::isnan(value) && std::isnan(result) && dtypeInfo(to).specials != FloatSpecials::Zero)
    d.marks |= AnyNan;
  else
    d.marks &= uint8_t(~AnyNan);
  if (d.bound != 0 && !holdsAll(to, from)) {
    auto p = possibleOperand<long double>(value, d.bound);
    double lo = roundTo(to, p.lo, mode), hi = roundTo(to, p.hi, mode);
    if (std::isnan(lo) == std::isnan(hi) && (!std::isnan(lo) || (p.lo > 0) == (p.hi > 0)))
      d = doubtOf<long double>(to, result, {lo, hi, false});
    else // an end overflows to NaN, and there are numbers before it
      d = {0, 0, Undecided};
  } else if (!holdsAll(to, from)) {
    d.product = 0;
  }
  if (tracking.on || d.marks)
    out.setDoubt(i, d);
}

/// To an integer or i1.
void castFloatToInteger(TileValue &out, const TileValue &a, Tracking &tracking, size_t i) {
  DType to = out.type.dtype;
  auto convert = [&](double v) { return isBool(to) ? int64_t(v != 0) : truncateTo(to, v); };
  out.ints[i] = convert(a.floats[i]);
  bool doubtful = a.undecided(i);
  if (!doubtful && a.bound(i) != 0) {
    auto p = possibleOperand<double>(a.floats[i], a.bound(i));
    bool decided = isBool(to) ? p.lo > 0 || p.hi < 0 : convert(p.lo) == convert(p.hi);
    doubtful = !decided;
    tracking.undecidedDecisions += !decided;
  }
  if (doubtful)
    out.setDoubt(i, {0, 0, Undecided});
}

void castInteger(TileValue &out, const TileValue &a, size_t i) {
  DType to = out.type.dtype;
  if (isFloat(to))
    out.floats[i] = roundInteger(to, a.ints[i], a.type.dtype);
  else
    out.ints[i] = isBool(to) ? a.ints[i] != 0 : wrapInteger(a.ints[i], to);
  if (a.undecided(i))
    out.setDoubt(i, {0, 0, Undecided});
}

} // namespace

void classify(Opcode opcode, TileValue &out, const TileValue &a) {
  for (size_t i = 0, n = out.size(); i < n; ++i) {
    double x = a.floats[i];
    out.ints[i] = opcode == Opcode::IsNan   ? std::isnan(x)
                  : opcode == Opcode::IsInf ? std::isinf(x)
                                            : std::isfinite(x);
    if (a.undecided(i))
      out.setDoubt(i, {0, 0, Undecided});
  }
}

void bitcast(TileValue &out, const TileValue &a, Tracking &tracking) {
  DType to = out.type.dtype, from = a.type.dtype;
  for (size_t i = 0, n = out.size(); i < n; ++i) {
    uint64_t bits = a.isFloat() ? encodeFloat(from, a.floats[i]) : uint64_t(a.ints[i]);
    if (out.isFloat())
      out.floats[i] = decodeFloat(to, bits);
    else
      out.ints[i] = wrapInteger(int64_t(bits), to);
    // Other bits are possible where the value is not exact, or some NaN.
    bool open = a.bound(i) != 0 || (a.doubt(i).marks & AnyNan);
    tracking.undecidedDecisions += open;
    if (open || a.undecided(i))
      out.setDoubt(i, {0, 0, Undecided});
  }
}

void cast(TileValue &out, const TileValue &a, const CastMode &mode, Tracking &tracking) {
  for (size_t i = 0, n = out.size(); i < n; ++i) {
    if (!a.isFloat())
      castInteger(out, a, i);
    else if (out.isFloat())
      castFloatToFloat(out, a, mode, tracking, i);
    else
      castFloatToInteger(out, a, tracking, i);
  }
}

} // namespace tl::interp
