// Scatters and atomic operations: element by element; what is not to be touched is a sink instead,
// so that there are no branches. All loads they need are copied beforehand (see planValues).
#include "codegen/host/nest.h"
#include "codegen/llvm/atomic_op.h"

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

Value *lane(Emission &e, Value *value, unsigned i) {
  return value && value->getType()->isVectorTy() ? e.ir.CreateExtractElement(value, i) : value;
}

/// What was read, as a vector when there are lanes.
Value *emitLanes(Emission &e, const Op &op, const Pointwise &where, Value *value, Value *expected,
                 unsigned lanes) {
  const AtomicAccess access{atomicOrdering(e.g.atomicMode(op).order), llvm::SyncScope::System};
  Value *all = e.elements.zero(where.dtype, lanes);
  for (unsigned i = 0; i < std::max(lanes, 1u); ++i) {
    Value *inside = lane(e, where.inside, i);
    Value *address = e.ir.CreateSelect(inside, where.address(e, i), e.sink);
    Value *old = emitAtomic(e.ir, e.elements, op.opcode, where.dtype, address, lane(e, value, i),
                            lane(e, expected, i), access);
    old = e.ir.CreateSelect(inside, old, e.elements.zero(where.dtype));
    all = lanes ? e.ir.CreateInsertElement(all, old, i) : old;
  }
  return all;
}

/// What `write` gets for the elements, or vectors of them, of a scatter or atomic operation: where
/// they are, and the operands before the view.
using WriteElements = llvm::function_ref<void(Nest &, const Pointwise &, llvm::ArrayRef<Value *>)>;

void forEachPlace(Emission &e, OpId id, WriteElements write) {
  const Op &op = e.g.ops[id];
  auto values = e.g.operands(op).first(viewOperandAt(op.opcode));
  auto index = e.g.indexOperands(op);
  ValueId mask = e.g.maskOperand(op);
  Type space = Type::scalar(e.typeOf(e.g.viewOperand(op)).dtype);
  Expression expression;
  auto add = [&](ValueId v) {
    if (e.typeOf(v).rank > 0)
      space = e.typeOf(v).withDType(space.dtype);
    addExpression(e.g, e.values, v, identityMap(e.typeOf(v)), 0, expression);
  };
  for (ValueId v : index)
    add(v);
  for (ValueId v : values)
    add(v);
  if (mask)
    add(mask);
  Nest nest(e);
  forEach(nest, e, shapeNest(e, space, expression, nullptr, -1), nullptr, [&] {
    auto evaluate = [&](ValueId v) { return nest.evaluate(v, identityMap(e.typeOf(v))); };
    llvm::SmallVector<Value *, 8> at, given;
    for (ValueId v : index)
      at.push_back(evaluate(v));
    Value *condition = mask ? evaluate(mask) : nullptr;
    for (ValueId v : values)
      given.push_back(evaluate(v));
    e.at(id);
    write(nest, emitPointwise(e, e.g.viewOperand(op), at, condition, nest.lanes()), given);
  });
}

} // namespace

void emitScatter(Emission &e, OpId id) {
  forEachPlace(e, id, [&](Nest &nest, const Pointwise &where, llvm::ArrayRef<Value *> values) {
    writeLanes(e, where, values[0], nest.lanes());
  });
}

void emitAtomicOp(Emission &e, OpId id) {
  const Op &op = e.g.ops[id];
  const ValueId result = op.results.count ? e.g.result(op) : 0;
  const Type type = result ? e.typeOf(result) : Type::scalar(DType::I1);
  const bool kept = result && e.values.place[result] == Place::Buffer;
  if (kept)
    e.tile[result] = e.bufferTile(e.buffers.ofValue[result], type);
  forEachPlace(e, id, [&](Nest &nest, const Pointwise &where, llvm::ArrayRef<Value *> values) {
    Value *expected = values.size() > 1 ? values.front() : nullptr;
    Value *value = values.empty() ? nullptr : values.back();
    Value *old = emitLanes(e, op, where, value, expected, nest.lanes());
    if (kept)
      nest.store(old, e.tile[result], identityMap(type), type.dtype);
    else if (result && type.rank == 0)
      e.scalar[result] = old;
  });
}

} // namespace tl::host
