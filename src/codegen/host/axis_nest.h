// What reductions and scans share: loops over a tile's elements of which one axis is combined
// along.
#pragma once

#include "codegen/host/nest.h"
#include "codegen/llvm/combiner.h"

namespace tl::host {

struct AxisNest {
  AxisNest(Emission &e, OpId id, const Op &op)
      : e(e), nest(e, id), operands(e.g.operands(op)), space(e.typeOf(operands[0])),
        results(e.g.results(op)),
        combiner(e.elements, e.ir, e.g, op, [&e](ValueId v) { return e.scalar[v]; }),
        axis(unsigned(e.g.intAttr(op, AttrKey::Axis))), map(identityMap(space)) {
    for (ValueId operand : operands)
      addExpression(e.g, e.values, operand, map, id, expression);
    shape = shapeNest(e, space, expression, nullptr, -1);
  }

  /// Vectors lie along the axis itself, or there are none.
  bool along() const { return shape.vectorAxis < 0 || shape.vectorAxis == int(axis); }

  /// Runs `body` in loops over the other axes, but for the vector axis.
  void outerLoops(llvm::function_ref<void()> body, unsigned a = 0) {
    while (a < space.rank && (a == axis || int(a) == shape.vectorAxis || space.dims[a] == 1))
      ++a;
    if (a == space.rank)
      return body();
    nest.loop(a, e.i64(0), e.i64(space.dims[a]), 1, [&] { outerLoops(body, a + 1); });
  }

  /// The operands at the current coordinates as a partial result.
  Parts element() {
    unsigned lanes = nest.lanes();
    llvm::SmallVector<llvm::Value *, 2> list;
    for (ValueId operand : operands)
      list.push_back(e.elements.splat(nest.evaluate(operand, map), lanes));
    nest.storeKept(expression);
    llvm::Value *coordinate = nullptr;
    if (combiner.needsCoordinate())
      coordinate = e.elements.splat(nest.laneCoordinates(axis, DType::I32), lanes);
    return combiner.lift(list, coordinate, lanes);
  }

  /// Whether anything uses result `i`.
  bool isWanted(size_t i) const { return e.values.place[results[i]] != Place::None; }

  Emission &e;
  Nest nest;
  std::span<const ValueId> operands;
  const Type &space;
  std::span<const ValueId> results;
  Combiner combiner;
  unsigned axis;
  AxisMap map;
  Expression expression;
  NestShape shape;
};

/// Gives the results that anything uses their buffers; false when there are none.
inline bool giveBuffers(Emission &e, OpId id) {
  bool any = false;
  for (ValueId v : e.g.results(e.g.ops[id])) {
    any |= e.values.place[v] != Place::None;
    if (e.values.place[v] == Place::Buffer)
      e.tile[v] = e.bufferTile(e.buffers.ofValue[v], e.typeOf(v));
  }
  return any;
}

} // namespace tl::host
