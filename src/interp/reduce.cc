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

Opcode combiningOp(ReduceKind kind) {
  return kind == ReduceKind::Sum   ? Opcode::Add
         : kind == ReduceKind::Max ? Opcode::Max
                                   : Opcode::Min;
}

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
    else if (kind != ReduceKind::Sum)
      reduceExtreme(out, i, a, line, kind);
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

} // namespace tl::interp
