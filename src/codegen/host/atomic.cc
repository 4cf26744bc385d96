// Atomic operations: element by element, the inactive ones on a sink instead of memory.
#include "codegen/host/nest.h"
#include "codegen/llvm/atomic_op.h"

namespace tl::host {

namespace {

using llvm::Value;

Value *lane(Emission &e, Value *value, unsigned i) {
  return value && value->getType()->isVectorTy() ? e.ir.CreateExtractElement(value, i) : value;
}

/// What was read, as a vector when there are lanes.
Value *emitLanes(Emission &e, Opcode opcode, const Pointwise &where, Value *value, Value *expected,
                 unsigned lanes) {
  Value *all = e.elements.zero(where.dtype, lanes);
  for (unsigned i = 0; i < std::max(lanes, 1u); ++i) {
    Value *inside = lane(e, where.inside, i);
    Value *address = e.ir.CreateSelect(inside, where.address(e, i), e.sink);
    Value *old = emitAtomic(e.ir, e.elements, opcode, where.dtype, address, lane(e, value, i),
                            lane(e, expected, i), llvm::SyncScope::System);
    old = e.ir.CreateSelect(inside, old, e.elements.zero(where.dtype));
    all = lanes ? e.ir.CreateInsertElement(all, old, i) : old;
  }
  return all;
}

} // namespace

void emitAtomicOp(Emission &e, OpId id) {
  const Op &op = e.g.ops[id];
  ValueId result = e.g.result(op), mask = e.g.maskOperand(op);
  const Type &type = e.typeOf(result);
  auto index = e.g.indexOperands(op);
  std::vector<ValueId> values = {e.g.operand(op, 0)};
  if (op.opcode == Opcode::AtomicCas)
    values.push_back(e.g.operand(op, 1));
  std::vector<ValueId> parts(index.begin(), index.end());
  parts.insert(parts.end(), values.begin(), values.end());
  if (mask)
    parts.push_back(mask);

  const bool kept = e.values.place[result] == Place::Buffer;
  if (kept)
    e.tile[result] = e.bufferTile(e.buffers.ofValue[result], type);
  Expression expression;
  for (ValueId v : parts)
    addExpression(e.g, e.values, v, identityMap(e.typeOf(v)), 0, expression);
  Nest nest(e);
  forEach(nest, e, shapeNest(e, type, expression, nullptr, -1), nullptr, [&] {
    auto evaluate = [&](ValueId v) { return nest.evaluate(v, identityMap(e.typeOf(v))); };
    llvm::SmallVector<Value *, 8> at;
    for (ValueId v : index)
      at.push_back(evaluate(v));
    Value *condition = mask ? evaluate(mask) : nullptr;
    Value *written = evaluate(values.back());
    Value *expected = values.size() > 1 ? evaluate(values.front()) : nullptr;
    e.at(id);
    Pointwise where = emitPointwise(e, e.g.viewOperand(op), at, condition, nest.lanes());
    Value *old = emitLanes(e, op.opcode, where, written, expected, nest.lanes());
    if (kept)
      nest.store(old, e.tile[result], identityMap(type), type.dtype);
    else if (type.rank == 0)
      e.scalar[result] = old;
  });
}

} // namespace tl::host
