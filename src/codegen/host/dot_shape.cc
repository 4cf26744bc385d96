#include "codegen/host/dot_shape.h"

#include <algorithm>
#include <cmath>

namespace tl::host {

namespace {

/// K that keeps a panel of B in the first-level cache.
constexpr int64_t maxSlice = 384;

int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

bool isZero(const Graph &g, ValueId v) {
  const Op *op = g.definingOp(v);
  if (!op || op->opcode != Opcode::Full)
    return false;
  const Op *value = g.definingOp(g.operand(*op, 0));
  if (!value || value->opcode != Opcode::Const)
    return false;
  const Attr *number = g.attr(*value, AttrKey::Value);
  return number->isFloat ? number->f == 0 && !std::signbit(number->f) : number->i == 0;
}

} // namespace

DotShape planDot(const Graph &g, const ValuePlan &values, OpId id, unsigned vectorBits) {
  const Op &op = g.ops[id];
  const Type &a = g.typeOf(g.operand(op, 0)), &acc = g.typeOf(g.operand(op, 2));
  DotShape s;
  s.m = acc.dims[0];
  s.n = acc.dims[1];
  s.k = a.dims[1];
  s.compute = acc.dtype;
  s.lanes = vectorBits / 8 / dtypeBytes(s.compute);

  // 16 vector registers (32 with AVX-512): accumulators, one row of the panel, one element of A.
  unsigned accumulators = vectorBits == 512 ? 24 : 12;
  unsigned widest = s.m >= 5 ? 2 : s.m == 4 ? 3 : s.m == 3 ? 4 : s.m == 2 ? 6 : 8;
  s.vectors = unsigned(std::min<int64_t>(widest, ceilDiv(s.n, s.lanes)));
  s.rows = unsigned(std::min<int64_t>(s.m, std::min(accumulators / s.vectors, 12u)));
  s.rowBlocks = ceilDiv(s.m, s.rows);
  s.rows = unsigned(ceilDiv(s.m, s.rowBlocks));
  s.largeBlocks = s.m - (s.rows - 1) * s.rowBlocks;
  s.panels = ceilDiv(s.n, s.panelWidth());
  s.slice = ceilDiv(s.k, ceilDiv(s.k, maxSlice));

  Place place = values.place[g.operand(op, 0)];
  s.packA = !((place == Place::Buffer || place == Place::Alias) && a.dtype == s.compute);
  s.startAtZero = s.slices() == 1 && isZero(g, g.operand(op, 2)) &&
                  values.place[g.operand(op, 2)] == Place::Inline;
  return s;
}

} // namespace tl::host
