#include "codegen/host/nest.h"

namespace tl::host {

using llvm::Value;

void materialize(Emission &e, ValueId value, const TileRef &to, OpId root) {
  const Type &type = e.typeOf(value);
  AxisMap map = identityMap(type);
  Expression expression;
  addExpression(e.g, e.values, value, map, root, expression);
  Nest nest(e, root);
  forEach(nest, e, shapeNest(e, type, expression, &to, -1), nullptr, [&] {
    Value *result = nest.evaluate(value, map);
    nest.storeKept(expression);
    if (!root)
      nest.store(result, to, map, type.dtype);
  });
}

Value *emitElement(Emission &e, ValueId value) {
  AxisMap map;
  map.rank = e.typeOf(value).rank;
  return Nest(e).evaluate(value, map);
}

void fillTile(Emission &e, const Type &type, const TileRef &to, llvm::Constant *value) {
  Type flat = Type::scalar(type.dtype);
  flat.rank = 1;
  flat.dims[0] = int32_t(type.elements());
  TileRef line;
  line.base = to.base;
  line.stride[0] = e.i64(1);
  Expression nothing;
  nothing.laneBytes = dtypeBytes(type.dtype);
  AxisMap map = identityMap(flat);
  Nest nest(e);
  forEach(nest, e, shapeNest(e, flat, nothing, &line, -1), nullptr,
          [&] { nest.store(value, line, map, type.dtype); });
}

namespace {

/// An axis along which both tiles, or at least the first, are contiguous.
int copyAxis(const Type &type, const TileRef &to) {
  for (unsigned i = type.rank; i-- > 0;) {
    auto *stride = llvm::dyn_cast<llvm::ConstantInt>(to.stride[i]);
    if (type.dims[i] != 1 && stride && stride->isOne())
      return int(i);
  }
  return -1;
}

} // namespace

void copyTile(Emission &e, const Type &type, const TileRef &from, const TileRef &to,
              const Box *box) {
  AxisMap map = identityMap(type);
  Expression nothing;
  nothing.laneBytes = dtypeBytes(type.dtype);
  int axis = copyAxis(type, to);
  NestShape shape = shapeNest(e, type, nothing, nullptr, axis);
  auto copy = [&](const TileRef &source) {
    Nest nest(e);
    forEach(nest, e, shape, box,
            [&] { nest.store(nest.load(source, map, type.dtype), to, map, type.dtype); });
  };
  Value *stride = axis < 0 ? nullptr : from.stride[size_t(axis)];
  if (!stride || llvm::isa<llvm::ConstantInt>(stride))
    return copy(from);
  Value *adjacent = e.ir.CreateICmpEQ(stride, e.i64(1));
  e.ifThen(adjacent, [&] {
    TileRef unit = from;
    unit.stride[size_t(axis)] = e.i64(1);
    copy(unit);
  });
  e.ifThen(e.ir.CreateNot(adjacent), [&] { copy(from); });
}

} // namespace tl::host
