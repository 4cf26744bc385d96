#include "interp/tile_ops.h"

#include "graph/fold_int.h"
#include "interp/numbers.h"
#include "interp/sums.h"

#include <algorithm>
#include <climits>
#include <cmath>

namespace tl::interp {

namespace {

/// The elements of `a` that one element of the result combines.
struct Line {
  size_t first, stride, count;
  size_t operator[](size_t k) const { return first + k * stride; }
};

void reduceIntegers(TileValue &out, size_t to, const TileValue &a, const Line &line,
                    ReduceKind kind) {
  int64_t value = a.ints[line[0]];
  bool undecided = false;
  for (size_t k = 0; k < line.count; ++k) {
    if (k > 0)
      value = *foldInteger(combiningOp(kind), value, a.ints[line[k]], a.type.dtype);
    undecided |= a.undecided(line[k]);
  }
  out.ints[to] = value;
  if (undecided)
    out.setDoubt(to, {0, 0, Undecided});
}

void reduceExtreme(TileValue &out, size_t to, const TileValue &a, const Line &line,
                   ReduceKind kind) {
  Opcode opcode = combiningOp(kind);
  auto combine = [&](double x, double y) { return evaluateFloat(opcode, DType::F64, x, y, 0); };
  double value = a.floats[line[0]];
  double bound = a.bound(line[0]);
  double lo = value - bound, hi = value + bound;
  bool undecided = a.undecided(line[0]);
  for (size_t k = 1; k < line.count; ++k) {
    double x = a.floats[line[k]], e = a.bound(line[k]);
    value = combine(value, x);
    lo = combine(lo, x - e);
    hi = combine(hi, x + e);
    undecided |= a.undecided(line[k]);
  }
  out.floats[to] = value;
  Possible<double> hull{lo, hi, false};
  if (lo != hi)
    hull = outward(hull);
  if (undecided)
    out.setDoubt(to, {0, 0, Undecided});
  else if (a.anyDoubt() || std::isnan(value))
    out.setDoubt(to, doubtOf<double>(a.type.dtype, value, hull));
}

/// Sums accumulate in f32 or wider.
DType accumulatorOf(DType type) { return type == DType::F64 ? DType::F64 : DType::F32; }

template <class C>
void reduceSum(TileValue &out, size_t to, const TileValue &a, const Line &line,
               const Tracking &tracking) {
  DType type = a.type.dtype;
  SumFacts<C> facts;
  facts.sum = a.floats[line[0]];
  facts.terms = int64_t(line.count);
  facts.lowestBit = INT_MAX;
  bool undecided = false;
  for (size_t k = 0; k < line.count; ++k) {
    double x = a.floats[line[k]];
    if (k > 0) // not from +0, which would lose the sign of -0
      facts.sum += C(x);
    if (std::isfinite(x)) {
      facts.magnitude += std::fabs(C(x));
      facts.lowestBit = std::min(facts.lowestBit, lastBit(x));
    }
    Doubt d = a.doubt(line[k]);
    facts.doubt += C(d.bound) + C(d.product);
    undecided |= d.marks & Undecided;
  }
  double value = roundTo(type, facts.sum);
  out.floats[to] = value;
  if (!tracking.on)
    return;
  if (undecided)
    return out.setDoubt(to, {0, 0, Undecided});
  Possible<C> p = possibleSum(facts, accumulatorOf(type));
  if (type != accumulatorOf(type) && !p.unknown)
    p = {C(roundTo(type, p.lo)), C(roundTo(type, p.hi)), false};
  else if (p.isPoint())
    p.lo = p.hi = C(roundTo(type, p.lo));
  out.setDoubt(to, doubtOf<C>(type, value, p));
}

/// Bits from the highest to the lowest that is set: what an exact product of factors may add up to.
template <class C> int significantBits(C x) {
  int exponent;
  C fraction = std::frexp(std::fabs(x), &exponent);
  int bits = 0;
  for (; fraction != 0; ++bits) {
    fraction *= 2;
    fraction -= std::floor(fraction);
  }
  return bits;
}

/// A product in any order. Exact where all bits of all factors together fit the accumulator. Where
/// the factors above 1 alone would overflow, or those below 1 alone underflow, some order does.
template <class C>
void reduceProduct(TileValue &out, size_t to, const TileValue &a, const Line &line) {
  DType type = a.type.dtype, accumulator = accumulatorOf(type);
  const DTypeInfo &info = dtypeInfo(accumulator);
  C product = 1, relative = 0, above = 0, below = 0;
  int bits = 0;
  bool undecided = false, zero = false, special = false;
  for (size_t k = 0; k < line.count; ++k) {
    C x = C(a.floats[line[k]]), doubt = C(a.bound(line[k])) + C(a.doubt(line[k]).product);
    product *= x;
    undecided |= a.undecided(line[k]);
    special |= !std::isfinite(x);
    zero |= x == 0;
    if (x == 0 || special) {
      undecided |= doubt != 0;
      continue;
    }
    C least = std::fabs(x) - doubt;
    undecided |= least <= 0;
    C most = std::log2(std::fabs(x) + doubt);
    above += std::max<C>(most, 0);
    below += std::min<C>(doubt == 0 ? most : least > 0 ? std::log2(least) : C(-9999), 0);
    relative += least > 0 ? doubt / least : 0;
    bits += significantBits(x);
  }
  bool mayOverflow = above >= info.maxExponent, mayUnderflow = below <= 2 - info.maxExponent;
  // An infinity keeps what it is against factors that are no zeros, and a NaN against all.
  if (special ? (zero || mayUnderflow) && !std::isnan(product)
              : mayOverflow || (mayUnderflow && !zero))
    undecided = true;
  double value = roundTo(type, product);
  out.floats[to] = value;
  if (undecided)
    return out.setDoubt(to, {0, 0, Undecided});
  if (special || zero || (relative == 0 && bits <= info.precision))
    return out.setDoubt(to, {0, 0, uint8_t(std::isnan(value) ? AnyNan : 0)});
  relative += C(line.count) * 2 * C(unitRoundoff(accumulator));
  C distance = std::fabs(product) * relative;
  Possible<C> p = outward(Possible<C>{product - distance, product + distance, false});
  p.lo = C(roundTo(type, p.lo));
  p.hi = C(roundTo(type, p.hi));
  out.setDoubt(to, doubtOf<C>(type, value, p));
}

/// A sum of negative zeros is -0, or +0 where a compiler starts from +0 or fills up with it.
void openSignOfZero(TileValue &out, size_t i) {
  Doubt d = out.doubt(i);
  if (out.floats[i] != 0 || !std::signbit(out.floats[i]) || (d.marks & Undecided))
    return;
  d.bound = std::max(d.bound, smallest(out.type.dtype));
  out.setDoubt(i, d);
}

} // namespace

void reduce(TileValue &out, const TileValue &a, ReduceKind kind, unsigned axis,
            const Tracking &tracking) {
  size_t inner = 1;
  for (unsigned i = axis + 1; i < a.type.rank; ++i)
    inner *= size_t(a.type.dims[i]);
  size_t count = size_t(a.type.dims[axis]);
  for (size_t i = 0, n = out.size(); i < n; ++i) {
    Line line{i / inner * inner * count + i % inner, inner, count};
    if (count == 1)
      out.copyElement(i, a, line[0]);
    else if (!a.isFloat())
      reduceIntegers(out, i, a, line, kind);
    else if (kind == ReduceKind::Max || kind == ReduceKind::Min)
      reduceExtreme(out, i, a, line, kind);
    else if (kind == ReduceKind::Prod && a.type.dtype == DType::F64)
      reduceProduct<long double>(out, i, a, line);
    else if (kind == ReduceKind::Prod)
      reduceProduct<double>(out, i, a, line);
    else if (a.type.dtype == DType::F64)
      reduceSum<long double>(out, i, a, line, tracking);
    else
      reduceSum<double>(out, i, a, line, tracking);
    if (a.isFloat() && kind == ReduceKind::Sum && tracking.on)
      openSignOfZero(out, i);
    if (a.isFloat() && std::isnan(out.floats[i]) && !out.undecided(i))
      out.setDoubt(i, {0, 0, AnyNan});
  }
}

namespace {

/// Whether x goes before y where values count: NaN first, then the largest (or smallest).
bool before(double x, double y, bool largest) {
  if (std::isnan(x) || std::isnan(y))
    return std::isnan(x) && !std::isnan(y);
  return largest ? x > y : x < y;
}

/// Another element may be the one that is chosen, because of error bounds.
bool openChoice(const TileValue &a, const Line &line, size_t chosen, bool largest) {
  double value = a.floats[line[chosen]], bound = a.bound(line[chosen]);
  for (size_t k = 0; k < line.count; ++k) {
    double x = a.floats[line[k]], reach = bound + a.bound(line[k]);
    if (k == chosen || reach == 0 || std::isnan(value) || std::isnan(x))
      continue;
    if (largest ? x + reach * 1.0001 >= value : x - reach * 1.0001 <= value)
      return true;
  }
  return false;
}

} // namespace

void argReduce(TileValue &out, const TileValue &a, bool largest, unsigned axis,
               Tracking &tracking) {
  size_t inner = 1;
  for (unsigned i = axis + 1; i < a.type.rank; ++i)
    inner *= size_t(a.type.dims[i]);
  size_t count = size_t(a.type.dims[axis]);
  for (size_t i = 0, n = out.size(); i < n; ++i) {
    Line line{i / inner * inner * count + i % inner, inner, count};
    size_t chosen = 0;
    bool undecided = a.undecided(line[0]) && count > 1;
    for (size_t k = 1; k < count; ++k) {
      undecided |= a.undecided(line[k]);
      Pred beyond = largest ? Pred::Gt : Pred::Lt;
      if (a.isFloat()
              ? before(a.floats[line[k]], a.floats[line[chosen]], largest)
              : compareIntegers(beyond, a.ints[line[k]], a.ints[line[chosen]], a.type.dtype))
        chosen = k;
    }
    out.ints[i] = int64_t(chosen);
    if (!undecided && a.isFloat() && openChoice(a, line, chosen, largest)) {
      undecided = true;
      ++tracking.undecidedDecisions;
    }
    if (undecided)
      out.setDoubt(i, {0, 0, Undecided});
  }
}

} // namespace tl::interp
