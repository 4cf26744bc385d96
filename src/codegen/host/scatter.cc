// Scatters: element by element; what is not to be written goes to a sink instead, so that
// there are no branches. All loads they need are copied beforehand (see planValues).
#include "codegen/host/nest.h"

namespace tl::host {

namespace {

using llvm::Value;

void writeLanes(Emission &e, const Pointwise &where, Value *value, unsigned lanes) {
  DType dtype = where.dtype;
  value = e.elements.toMemory(e.elements.splat(value, lanes), dtype);
  for (unsigned lane = 0; lane < std::max(lanes, 1u); ++lane) {
    Value *inside = lanes ? e.ir.CreateExtractElement(where.inside, lane) : where.inside;
    Value *one = lanes ? e.ir.CreateExtractElement(value, lane) : value;
    Value *to = e.ir.CreateSelect(inside, where.address(e, lane), e.sink);
    e.ir.CreateAlignedStore(one, to, llvm::Align(dtypeBytes(dtype)));
  }
}

} // namespace

void emitScatter(Emission &e, OpId id) {
  const Op &op = e.g.ops[id];
  ValueId value = e.g.operand(op, 0), mask = e.g.maskOperand(op);
  auto index = e.g.indexOperands(op);
  std::vector<ValueId> parts(index.begin(), index.end());
  parts.push_back(value);
  if (mask)
    parts.push_back(mask);

  Type space = Type::scalar(e.typeOf(value).dtype);
  for (ValueId v : parts)
    if (e.typeOf(v).rank > 0)
      space = e.typeOf(v);
  Expression expression;
  for (ValueId v : parts)
    addExpression(e.g, e.values, v, identityMap(e.typeOf(v)), 0, expression);
  Nest nest(e);
  forEach(nest, e, shapeNest(e, space, expression, nullptr, -1), nullptr, [&] {
    auto evaluate = [&](ValueId v) { return nest.evaluate(v, identityMap(e.typeOf(v))); };
    llvm::SmallVector<Value *, 8> at;
    for (ValueId v : index)
      at.push_back(evaluate(v));
    Value *condition = mask ? evaluate(mask) : nullptr;
    Value *written = evaluate(value);
    e.at(id);
    Pointwise where = emitPointwise(e, e.g.viewOperand(op), at, condition, nest.lanes());
    writeLanes(e, where, written, nest.lanes());
  });
}

} // namespace tl::host
