// What reductions and scans share: loops over a tile's elements of which one axis is combined
// along.
#pragma once

#include "codegen/host/nest.h"
#include "codegen/llvm/combiner.h"

namespace tl::host {

struct AxisNest {
  AxisNest(Emission &e, OpId id, const Op &op)
      : e(e), nest(e, id), operand(e.g.operand(op, 0)), space(e.typeOf(operand)),
        result(e.g.result(op)), combiner(e.elements, e.ir, e.g, op),
        axis(unsigned(e.g.intAttr(op, AttrKey::Axis))), map(identityMap(space)) {
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

  /// The operand at the current coordinates as a partial result.
  Parts element() {
    llvm::Value *v = e.elements.splat(nest.evaluate(operand, map), nest.lanes());
    nest.storeKept(expression);
    if (!combiner.needsCoordinate())
      return combiner.lift(v, nullptr);
    return combiner.lift(v, e.elements.splat(nest.laneCoordinates(axis, DType::I32), nest.lanes()));
  }

  Emission &e;
  Nest nest;
  ValueId operand;
  const Type &space;
  ValueId result;
  Combiner combiner;
  unsigned axis;
  AxisMap map;
  Expression expression;
  NestShape shape;
};

} // namespace tl::host
