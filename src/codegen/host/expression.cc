#include "codegen/host/expression.h"

#include <algorithm>
#include <set>

namespace tl::host {

namespace {

/// Bytes per element in registers: f16 and bf16 are computed in f32, unless they are only moved.
unsigned registerBytes(Opcode opcode, DType dtype) {
  bool moved = opcode == Opcode::Select || opcode == Opcode::Gather;
  bool small = dtype == DType::F16 || dtype == DType::BF16 || isNarrowFloat(dtype);
  return small && !moved ? 4 : dtypeBytes(dtype);
}

bool changesShapeOnly(Opcode opcode) { return movesElements(opcode) || opcode == Opcode::Full; }

} // namespace

void addExpression(const Graph &g, const ValuePlan &plan, ValueId value, const AxisMap &map,
                   OpId root, Expression &e) {
  std::set<std::pair<ValueId, AxisMap>> seen;
  std::vector<Leaf> work = {{value, map}};
  while (!work.empty()) {
    Leaf leaf = work.back();
    work.pop_back();
    Place place = plan.place[leaf.value];
    bool inside = plan.computedIn(leaf.value, root);
    if (!(inside || place == Place::Buffer || place == Place::InPlace || place == Place::Alias) ||
        !seen.insert({leaf.value, leaf.map}).second)
      continue;
    const Type &type = g.typeOf(leaf.value);
    if (!inside) {
      e.leaves.push_back(leaf);
      e.laneBytes = std::max(e.laneBytes, unsigned(dtypeBytes(type.dtype)));
      continue;
    }
    if (place == Place::Buffer)
      e.kept.push_back(leaf);
    const Op &op = *g.definingOp(leaf.value);
    if (op.opcode == Opcode::Iota)
      e.positions.push_back(leaf.map);
    if (op.opcode == Opcode::Gather)
      e.gathers.push_back(leaf.value);
    if (!changesShapeOnly(op.opcode)) {
      ++e.operations;
      e.laneBytes = std::max(e.laneBytes, registerBytes(op.opcode, type.dtype));
    }
    for (size_t i = 0; i < op.operands.count; ++i)
      if (g.typeOf(g.operand(op, i)).isTile())
        work.push_back({g.operand(op, i), operandMap(g, leaf.value, i, leaf.map)});
  }
}

} // namespace tl::host
