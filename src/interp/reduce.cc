#include "interp/tile_ops.h"

#include "graph/fold_int.h"
#include "interp/lines.h"
#include "interp/numbers.h"
#include "interp/sums.h"

#include <algorithm>
#include <climits>
#include <cmath>

namespace tl::interp {

namespace {

/// Accumulators take the elements of a line in order with add(); give() writes what they have
/// combined so far, with its doubt.
class IntegerFold {
public:
  IntegerFold(const TileValue &a, ReduceKind kind) : a(a), opcode(combiningOp(kind)) {}
  void add(size_t j) {
    int64_t pair[] = {value, a.ints[j]};
    value = any ? *foldInteger(opcode, pair, a.type.dtype) : a.ints[j];
    any = true;
    undecided |= a.undecided(j);
  }
  void give(TileValue &out, size_t to) const {
    out.ints[to] = value;
    if (undecided)
      out.setDoubt(to, {0, 0, Undecided});
  }

private:
  const TileValue &a;
  Opcode opcode;
  int64_t value = 0;
  bool any = false, undecided = false;
};

class Extreme {
public:
  Extreme(const TileValue &a, ReduceKind kind) : a(a), opcode(combiningOp(kind)) {}
  void add(size_t j) {
    double x = a.floats[j], e = a.bound(j);
    value = any ? combine(value, x) : x;
    lo = any ? combine(lo, x - e) : x - e;
    hi = any ? combine(hi, x + e) : x + e;
    any = true;
    undecided |= a.undecided(j);
  }
  void give(TileValue &out, size_t to) const {
    out.floats[to] = value;
    Possible<double> hull{lo, hi, false};
    if (lo != hi)
      hull = outward(hull);
    if (undecided)
      out.setDoubt(to, {0, 0, Undecided});
    else if (a.anyDoubt() || std::isnan(value))
      out.setDoubt(to, doubtOf<double>(a.type.dtype, value, hull));
  }

private:
  double combine(double x, double y) const { return evaluateFloat(opcode, DType::F64, x, y, 0); }

  const TileValue &a;
  Opcode opcode;
  double value = 0, lo = 0, hi = 0;
  bool any = false, undecided = false;
};

/// Sums and products accumulate in f32 or wider.
DType accumulatorOf(DType type) { return type == DType::F64 ? DType::F64 : DType::F32; }

template <class C> class Sum {
public:
  Sum(const TileValue &a, const Tracking &tracking) : a(a), tracking(tracking) {}
  void add(size_t j) {
    Doubt d = a.doubt(j);
    facts.add(a.floats[j], C(d.bound) + C(d.product));
    undecided |= d.marks & Undecided;
  }
  void give(TileValue &out, size_t to) const {
    DType type = a.type.dtype;
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

private:
  const TileValue &a;
  const Tracking &tracking;
  SumFacts<C> facts;
  bool undecided = false;
};

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
template <class C> class Product {
public:
  explicit Product(const TileValue &a) : a(a) {}
  void add(size_t j) {
    C x = C(a.floats[j]), doubt = C(a.bound(j)) + C(a.doubt(j).product);
    product *= x;
    ++terms;
    undecided |= a.undecided(j);
    special |= !std::isfinite(x);
    zero |= x == 0;
    if (x == 0 || !std::isfinite(x)) {
      undecided |= doubt != 0;
      return;
    }
    C least = std::fabs(x) - doubt;
    undecided |= least <= 0;
    C most = std::log2(std::fabs(x) + doubt);
    above += std::max<C>(most, 0);
    below += std::min<C>(doubt == 0 ? most : least > 0 ? std::log2(least) : C(-9999), 0);
    relative += least > 0 ? doubt / least : 0;
    bits += significantBits(x);
  }
  void give(TileValue &out, size_t to) const {
    DType type = a.type.dtype, accumulator = accumulatorOf(type);
    const DTypeInfo &info = dtypeInfo(accumulator);
    bool mayOverflow = above >= info.maxExponent, mayUnderflow = below <= 2 - info.maxExponent;
    // An infinity stays one against factors that are no zeros, and a NaN against all.
    bool open =
        special ? mayUnderflow && !std::isnan(product) : mayOverflow || (mayUnderflow && !zero);
    double value = roundTo(type, product);
    out.floats[to] = value;
    if (undecided || open)
      return out.setDoubt(to, {0, 0, Undecided});
    if (special || zero || (relative == 0 && bits <= info.precision))
      return out.setDoubt(to, {0, 0, uint8_t(std::isnan(value) ? AnyNan : 0)});
    C distance = std::fabs(product) * (relative + C(terms) * 2 * C(unitRoundoff(accumulator)));
    Possible<C> p = outward(Possible<C>{product - distance, product + distance, false});
    out.setDoubt(to,
                 doubtOf<C>(type, value, {C(roundTo(type, p.lo)), C(roundTo(type, p.hi)), false}));
  }

private:
  const TileValue &a;
  C product = 1, relative = 0, above = 0, below = 0;
  int64_t terms = 0;
  int bits = 0;
  bool undecided = false, zero = false, special = false;
};

/// A sum of negative zeros is -0, or +0 where a compiler starts from +0 or fills up with it.
void openSignOfZero(TileValue &out, size_t i) {
  Doubt d = out.doubt(i);
  if (out.floats[i] != 0 || !std::signbit(out.floats[i]) || (d.marks & Undecided))
    return;
  d.bound = std::max(d.bound, smallest(out.type.dtype));
  out.setDoubt(i, d);
}

/// Calls `body` with a maker of accumulators of the kind and element type.
template <class F>
void withAccumulator(const TileValue &a, ReduceKind kind, const Tracking &tracking, F body) {
  bool isDouble = a.type.dtype == DType::F64;
  if (!a.isFloat())
    body([&] { return IntegerFold(a, kind); });
  else if (kind == ReduceKind::Max || kind == ReduceKind::Min)
    body([&] { return Extreme(a, kind); });
  else if (kind == ReduceKind::Prod && isDouble)
    body([&] { return Product<long double>(a); });
  else if (kind == ReduceKind::Prod)
    body([&] { return Product<double>(a); });
  else if (isDouble)
    body([&] { return Sum<long double>(a, tracking); });
  else
    body([&] { return Sum<double>(a, tracking); });
}

void finish(TileValue &out, size_t i, ReduceKind kind, const Tracking &tracking) {
  if (!out.isFloat())
    return;
  if (kind == ReduceKind::Sum && tracking.on)
    openSignOfZero(out, i);
  if (std::isnan(out.floats[i]) && !out.undecided(i))
    out.setDoubt(i, {0, 0, AnyNan});
}

} // namespace

void reduce(TileValue &out, const TileValue &a, ReduceKind kind, unsigned axis,
            const Tracking &tracking) {
  Lines lines(a.type, axis);
  withAccumulator(a, kind, tracking, [&](auto make) {
    for (size_t i = 0; i < lines.count; ++i) {
      Line line = lines[i];
      auto accumulator = make();
      for (size_t k = 0; k < line.count; ++k)
        accumulator.add(line[k]);
      if (line.count == 1)
        out.copyElement(i, a, line[0]);
      else
        accumulator.give(out, i);
      finish(out, i, kind, tracking);
    }
  });
}

void scan(TileValue &out, const TileValue &a, ReduceKind kind, unsigned axis, bool reverse,
          const Tracking &tracking) {
  Lines lines(a.type, axis);
  withAccumulator(a, kind, tracking, [&](auto make) {
    for (size_t i = 0; i < lines.count; ++i) {
      Line line = lines[i];
      auto accumulator = make();
      for (size_t k = 0; k < line.count; ++k) {
        size_t at = line[reverse ? line.count - 1 - k : k];
        accumulator.add(at);
        if (k == 0)
          out.copyElement(at, a, at);
        else
          accumulator.give(out, at);
        finish(out, at, kind, tracking);
      }
    }
  });
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
  Lines lines(a.type, axis);
  for (size_t i = 0; i < lines.count; ++i) {
    Line line = lines[i];
    size_t chosen = 0;
    bool undecided = a.undecided(line[0]) && line.count > 1;
    for (size_t k = 1; k < line.count; ++k) {
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
