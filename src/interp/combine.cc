// Reductions and scans whose combination a region says. The interpreter combines the elements in
// order; another implementation may group them otherwise, and rounds otherwise then.
#include "interp/lines.h"
#include "interp/machine.h"
#include "interp/numbers.h"

#include <algorithm>
#include <cmath>

namespace tl::interp {

namespace {

bool neverRounds(Opcode opcode) {
  switch (opcode) {
  case Opcode::Min:
  case Opcode::Max:
  case Opcode::MinNum:
  case Opcode::MaxNum:
  case Opcode::Clamp:
  case Opcode::Neg:
  case Opcode::Abs:
  case Opcode::Floor:
  case Opcode::Ceil:
  case Opcode::Round:
  case Opcode::Trunc:
    return true;
  default:
    return opInfo(opcode).rule != Rule::Elementwise && opcode != Opcode::Cast;
  }
}

/// Sums and products of small integers (counts), and of anything with a zero, round in no order;
/// what is exact by chance may round in another one.
bool isExactHere(const Op &op, const TileValue &value, std::span<const TileValue *const> operands) {
  if (op.opcode != Opcode::Add && op.opcode != Opcode::Sub && op.opcode != Opcode::Mul &&
      op.opcode != Opcode::Div)
    return false;
  double a = operands[0]->floats[0], b = operands[1]->floats[0];
  if (op.opcode == Opcode::Div)
    return a == 0 && b != 0;
  if (a == 0 || b == 0)
    return true;
  double limit = std::ldexp(1.0, dtypeInfo(value.type.dtype).precision);
  auto isCount = [&](double x) { return std::fabs(x) < limit && std::floor(x) == x; };
  return isCount(a) && isCount(b) && isCount(value.floats[0]);
}

/// Adds what rounding `value` may have cost, so that the bound holds the unrounded result; what
/// overflowed may not do so in another order. Where the terms of a sum cancel, other orders round
/// sums of the terms' size.
void addRounding(Opcode opcode, TileValue &value, std::span<const TileValue *const> operands) {
  double x = value.floats[0];
  Doubt d = value.doubt(0);
  if (std::isfinite(x)) {
    double largest = std::fabs(x);
    if (opcode == Opcode::Add || opcode == Opcode::Sub)
      for (const TileValue *operand : operands)
        largest = std::max(largest, std::fabs(operand->floats[0]));
    d.bound += largest * 2 * unitRoundoff(value.type.dtype) + smallest(value.type.dtype);
  } else {
    bool wasFinite = true;
    for (const TileValue *operand : operands)
      wasFinite &= !operand->isFloat() || std::isfinite(operand->floats[0]);
    if (wasFinite)
      d = {0, 0, Undecided};
  }
  value.setDoubt(0, d);
}

/// Two orders of combining are each as far from the unrounded result.
void doubleBound(TileValue &value, size_t i) {
  Doubt d = value.doubt(i);
  d.bound *= 2;
  value.setDoubt(i, d);
}

} // namespace

/// total = the region of (total, next).
Status Machine::combine(const Op &op, std::vector<TileValue> &total,
                        const std::vector<TileValue> &next) {
  BlockId region = graph.regions(op)[0];
  const std::vector<ValueId> &args = graph.block(region).args;
  for (size_t i = 0; i < total.size(); ++i) {
    tiles[args[i]] = total[i];
    tiles[args[i + total.size()]] = next[i];
  }
  for (OpId id : graph.block(region).ops) {
    const Op &inner = graph.ops[id];
    if (inner.opcode == Opcode::Yield)
      break;
    result.steps += 1;
    TL_TRY(runTileOp(inner));
    TileValue &value = tiles[graph.result(inner)];
    if (!tracking.on || !value.isFloat() || neverRounds(inner.opcode))
      continue;
    std::vector<const TileValue *> operands;
    for (ValueId v : graph.operands(inner))
      operands.push_back(&tiles[v]);
    if (!isExactHere(inner, value, operands))
      addRounding(inner.opcode, value, operands);
  }
  auto yielded = yields(region);
  for (size_t i = 0; i < total.size(); ++i)
    total[i] = tiles[yielded[i]];
  if (options.maxSteps && result.steps > options.maxSteps)
    return makeError(TL_E_LIMIT, "kernel '%s' does not end within %llu steps",
                     graph.kernel.name.c_str(), (unsigned long long)options.maxSteps);
  return {};
}

Status Machine::runCombine(const Op &op) {
  const bool scans = opInfo(op.opcode).rule == Rule::ScanWith;
  const size_t parts = op.operands.count;
  Lines lines(graph.typeOf(graph.operand(op, 0)), unsigned(graph.intAttr(op, AttrKey::Axis)));
  for (ValueId v : graph.results(op))
    tiles[v].reset(graph.typeOf(v));
  auto element = [&](size_t at) {
    std::vector<TileValue> list(parts);
    for (size_t i = 0; i < parts; ++i) {
      const TileValue &from = tiles[graph.operand(op, i)];
      list[i].reset(Type::scalar(from.type.dtype));
      list[i].copyElement(0, from, at);
    }
    return list;
  };
  auto give = [&](size_t at, const std::vector<TileValue> &total, bool combined) {
    for (size_t i = 0; i < parts; ++i) {
      TileValue &to = tiles[graph.result(op, i)];
      to.copyElement(at, total[i], 0);
      if (combined && to.isFloat())
        doubleBound(to, at);
    }
  };
  for (size_t i = 0; i < lines.count; ++i) {
    Line line = lines[i];
    std::vector<TileValue> total;
    for (size_t k = 0; k < line.count; ++k) {
      size_t at = line[isReverseScan(op.opcode) ? line.count - 1 - k : k];
      if (k == 0)
        total = element(at);
      else
        TL_TRY(combine(op, total, element(at)));
      if (scans)
        give(at, total, k > 0);
    }
    if (!scans)
      give(i, total, line.count > 1);
  }
  return {};
}

} // namespace tl::interp
