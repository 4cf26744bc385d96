// What a set of loops computes: an expression over tiles in memory and scalars, seen from outside.
#pragma once

#include "codegen/host/value_plan.h"

namespace tl::host {

/// A tile read through a map.
struct Leaf {
  ValueId value = 0;
  AxisMap map;
};

struct Expression {
  std::vector<Leaf> leaves;       // tiles in memory (Buffer, InPlace, Alias), each map once
  std::vector<Leaf> kept;         // tiles computed here that go to their buffers
  std::vector<AxisMap> positions; // maps whose coordinates themselves are needed (iota)
  std::vector<ValueId> gathers;   // gathers computed inside
  unsigned laneBytes = 1;         // the widest element it computes with
  unsigned operations = 0;        // ops per element, roughly
};

/// Adds the expression that gives `value` at `map` in the loops of `root` (0: of an op that
/// computes no kept tile).
void addExpression(const Graph &graph, const ValuePlan &plan, ValueId value, const AxisMap &map,
                   OpId root, Expression &expression);

} // namespace tl::host
