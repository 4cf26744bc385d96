// Elements chosen along an axis: the tile stands in memory, and each element of the result reads
// where its index says.
#include "codegen/host/nest.h"

namespace tl::host {

using llvm::Value;

namespace {

/// Where the elements for the current coordinates are.
Pointwise placesOf(Emission &e, Nest &nest, const Op &op, Value *index) {
  llvm::IRBuilder<> &ir = e.ir;
  ValueId a = e.g.operand(op, 0);
  const Type &source = e.typeOf(a), &result = e.typeOf(e.g.result(op));
  auto along = unsigned(e.g.intAttr(op, AttrKey::Axis));
  unsigned lanes = nest.lanes();
  auto spread = [&](Value *v) { return e.elements.splat(v, lanes); };
  llvm::Type *wide = ir.getInt64Ty();
  if (auto *vector = llvm::dyn_cast<llvm::VectorType>(index->getType()))
    wide = llvm::VectorType::get(wide, vector->getElementCount());
  Value *at = spread(ir.CreateSExt(index, wide));

  Pointwise where;
  where.base = e.tile[a].base;
  where.dtype = source.dtype;
  // As unsigned numbers, so that negative ones lie beyond.
  where.inside = ir.CreateICmpULT(at, spread(e.i64(source.dims[along])));
  where.offset = ir.CreateMul(at, spread(e.tile[a].stride[along]));
  for (unsigned axis = 0; axis < source.rank; ++axis) {
    if (axis == along || result.dims[axis] == 1)
      continue;
    Value *coordinate = spread(nest.laneCoordinates(axis, DType::I64));
    where.offset =
        ir.CreateAdd(where.offset, ir.CreateMul(coordinate, spread(e.tile[a].stride[axis])));
  }
  return where;
}

} // namespace

void emitTake(Emission &e, OpId id) {
  const Op &op = e.g.ops[id];
  ValueId result = e.g.result(op), index = e.g.operand(op, 1);
  if (e.values.place[result] == Place::None)
    return;
  const Type &type = e.typeOf(result);
  AxisMap map = identityMap(type);
  TileRef to = e.tile[result] = e.bufferTile(e.buffers.ofValue[result], type);
  Expression expression;
  addExpression(e.g, e.values, index, map, 0, expression);
  expression.positions.push_back(map); // no axes that are one loop
  llvm::Constant *zero = e.elements.zero(type.dtype);
  Nest nest(e);
  forEach(nest, e, shapeNest(e, type, expression, &to, -1), nullptr, [&] {
    Value *chosen = nest.evaluate(index, map);
    e.at(id);
    Value *taken = loadPointwise(e, placesOf(e, nest, op, chosen), nest.lanes(), zero);
    nest.store(taken, to, map, type.dtype);
  });
}

} // namespace tl::host
