#include "interp/tile_ops.h"

#include "graph/fold_int.h"
#include "interp/numbers.h"
#include "interp/sums.h"

#include <algorithm>
#include <climits>
#include <cmath>

namespace tl::interp {

namespace {

/// What the rows of `a` (or the columns of `b`) hold, so that the inner loop need not ask.
struct LineFacts {
  std::vector<int> lowestBit;
  std::vector<uint8_t> undecided;
};

LineFacts lineFacts(const TileValue &tile, bool rows) {
  size_t m = size_t(tile.type.dims[0]), n = size_t(tile.type.dims[1]);
  size_t lines = rows ? m : n;
  LineFacts facts{std::vector<int>(lines, INT_MAX), std::vector<uint8_t>(lines, 0)};
  for (size_t i = 0; i < m; ++i)
    for (size_t j = 0; j < n; ++j) {
      size_t line = rows ? i : j, element = i * n + j;
      if (tile.isFloat() && std::isfinite(tile.floats[element]))
        facts.lowestBit[line] = std::min(facts.lowestBit[line], lastBit(tile.floats[element]));
      facts.undecided[line] |= tile.undecided(element);
    }
  return facts;
}

void dotIntegers(TileValue &out, const TileValue &a, const TileValue &b, const TileValue &acc) {
  size_t m = size_t(a.type.dims[0]), depth = size_t(a.type.dims[1]), n = size_t(b.type.dims[1]);
  LineFacts rows = lineFacts(a, true), columns = lineFacts(b, false);
  for (size_t i = 0; i < m; ++i) {
    // Products of bytes: no sum of up to 2^20 of them leaves 64 bits.
    std::vector<int64_t> sums(acc.ints.begin() + long(i * n), acc.ints.begin() + long(i * n + n));
    for (size_t k = 0; k < depth; ++k)
      for (size_t j = 0; j < n; ++j)
        sums[j] += a.ints[i * depth + k] * b.ints[k * n + j];
    for (size_t j = 0; j < n; ++j) {
      out.ints[i * n + j] = wrapInteger(sums[j], out.type.dtype);
      if (rows.undecided[i] || columns.undecided[j] || acc.undecided(i * n + j))
        out.setDoubt(i * n + j, {0, 0, Undecided});
    }
  }
}

/// One dot of floats, a row of the result at a time; C carries the sums.
template <class C> class FloatDot {
public:
  FloatDot(TileValue &out, const TileValue &a, const TileValue &b, const TileValue &acc)
      : out(out), a(a), b(b), acc(acc), m(size_t(a.type.dims[0])), depth(size_t(a.type.dims[1])),
        n(size_t(b.type.dims[1])), sums(n), magnitudes(n), doubts(n), largestProducts(n),
        leastA(leastNormal(a.type.dtype)), leastB(leastNormal(b.type.dtype)) {}

  void run(bool track) {
    if (track) {
      rows = lineFacts(a, true);
      columns = lineFacts(b, false);
    }
    for (size_t i = 0; i < m; ++i) {
      sumRow(i);
      for (size_t j = 0; j < n; ++j)
        finish(i, j, track);
    }
  }

private:
  TileValue &out;
  const TileValue &a, &b, &acc;
  size_t m, depth, n;
  LineFacts rows, columns;
  std::vector<C> sums, magnitudes, doubts, largestProducts;
  /// Of factors that matrix units multiply: AMD's cut off terms by the exponents that the factors'
  /// bits have (docs/numerics.md, "Dots"). Else 0.
  C leastA, leastB;

  static C leastNormal(DType type) {
    return dtypeBits(type) <= 16 ? std::ldexp(C(1), dtypeInfo(type).minExponent) : C(0);
  }

  void sumRow(size_t i) {
    bool doubtful = !a.bounds.empty() || !b.bounds.empty();
    for (size_t j = 0; j < n; ++j) {
      Doubt d = acc.doubt(i * n + j);
      sums[j] = C(acc.floats[i * n + j]);
      magnitudes[j] = std::fabs(sums[j]);
      doubts[j] = C(d.bound) + C(d.product);
      largestProducts[j] = leastA != 0 ? magnitudes[j] : 0;
    }
    for (size_t k = 0; k < depth; ++k) {
      const C x = C(a.floats[i * depth + k]);
      const double *row = &b.floats[k * n];
      for (size_t j = 0; j < n; ++j) {
        C term = x * C(row[j]);
        sums[j] += term;
        magnitudes[j] += std::fabs(term);
      }
      const C size = std::max(std::fabs(x), leastA);
      for (size_t j = 0; j < n && leastA != 0 && x != 0; ++j)
        if (row[j] != 0)
          largestProducts[j] =
              std::max(largestProducts[j], size * std::max(std::fabs(C(row[j])), leastB));
      if (!doubtful)
        continue;
      const C ex = C(a.bound(i * depth + k));
      for (size_t j = 0; j < n; ++j) {
        const C y = C(row[j]), ey = C(b.bound(k * n + j));
        doubts[j] += std::fabs(x) * ey + std::fabs(y) * ex + ex * ey;
      }
    }
  }

  void finish(size_t i, size_t j, bool track) {
    size_t at = i * n + j;
    double value = roundTo(out.type.dtype, sums[j]);
    out.floats[at] = value;
    if (!track)
      return;
    if (rows.undecided[i] || columns.undecided[j] || acc.undecided(at))
      return out.setDoubt(at, {0, 0, Undecided});
    SumFacts<C> facts;
    facts.sum = sums[j];
    facts.magnitude = magnitudes[j];
    facts.doubt = doubts[j];
    facts.terms = int64_t(depth) + 1;
    facts.products = true;
    facts.largestProduct = largestProducts[j];
    facts.lowestBit = lowestBit(i, j);
    Possible<C> p = std::isfinite(facts.sum) ? possibleSum(facts, out.type.dtype) : special(i, j);
    if (p.isPoint())
      p.lo = p.hi = C(roundTo(out.type.dtype, p.lo));
    Doubt d = doubtOf<C>(out.type.dtype, value, p);
    // -0 + -0 in one order is -0 + 0 in another that starts from +0.
    if (value == 0 && std::signbit(value))
      d.bound = std::max(d.bound, smallest(out.type.dtype));
    out.setDoubt(at, d);
  }

  int lowestBit(size_t i, size_t j) const {
    int bit = rows.lowestBit[i] == INT_MAX || columns.lowestBit[j] == INT_MAX
                  ? INT_MAX
                  : rows.lowestBit[i] + columns.lowestBit[j];
    return std::min(bit, lastBit(acc.floats[i * n + j]));
  }

  /// The sum is infinite or NaN: sure where that follows from operands that are.
  Possible<C> special(size_t i, size_t j) const {
    double first = acc.floats[i * n + j];
    C finite = std::isfinite(first) ? std::fabs(C(first)) : 0;
    bool nan = std::isnan(first), open = false;
    for (size_t k = 0; k < depth; ++k) {
      size_t ia = i * depth + k, ib = k * n + j;
      double x = a.floats[ia], y = b.floats[ib];
      nan |= std::isnan(x) || std::isnan(y);
      if (std::isfinite(x) && std::isfinite(y))
        finite += std::fabs(C(x) * C(y));
      // The sign of infinity times something that may be on either side of zero is open.
      open |= std::isinf(x) && std::fabs(y) <= b.bound(ib) && b.bound(ib) != 0;
      open |= std::isinf(y) && std::fabs(x) <= a.bound(ia) && a.bound(ia) != 0;
    }
    if (nan)
      return {C(NAN), C(NAN), false};
    if (open || finite >= C(largest(out.type.dtype)) / 2)
      return {0, 0, true};
    return {sums[j], sums[j], false};
  }
};

} // namespace

void dot(TileValue &out, const TileValue &a, const TileValue &b, const TileValue &acc,
         const Tracking &tracking) {
  if (!out.isFloat())
    dotIntegers(out, a, b, acc);
  else if (out.type.dtype == DType::F64)
    FloatDot<long double>(out, a, b, acc).run(tracking.on);
  else
    FloatDot<double>(out, a, b, acc).run(tracking.on);
}

} // namespace tl::interp
