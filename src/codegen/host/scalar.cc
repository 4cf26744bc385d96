#include "codegen/host/nest.h"

namespace tl::host {

namespace {

using llvm::Value;

/// A gather of one element.
Value *gatherScalar(Emission &e, const Op &op, DType dtype) {
  llvm::SmallVector<Value *, 8> index;
  for (ValueId v : e.g.indexOperands(op))
    index.push_back(e.scalar[v]);
  ValueId mask = e.g.maskOperand(op);
  Pointwise where =
      emitPointwise(e, e.g.viewOperand(op), index, mask ? e.scalar[mask] : nullptr, 0);
  return loadPointwise(e, where, 0, e.pad(op, dtype));
}

Value *address(Emission &e, const Op &op) {
  llvm::SmallVector<Value *, 8> index;
  for (ValueId v : e.g.operands(op).subspan(1))
    index.push_back(e.index(v));
  return elementAddress(e, e.g.operand(op, 0), index);
}

/// The one element of a result that an op moves there.
Value *movedElement(Emission &e, ValueId result) {
  return Nest(e).evaluate(e.g.operand(*e.g.definingOp(result), 0),
                          operandMap(e.g, result, 0, AxisMap()));
}

Value *elementwise(Emission &e, const Op &op) {
  llvm::SmallVector<Value *, 4> operands;
  for (ValueId v : e.g.operands(op))
    operands.push_back(e.scalar[v]);
  return emitElementOp(e.elements, e.g, op, operands);
}

} // namespace

void emitScalarOp(Emission &e, ValueId result) {
  const Op &op = *e.g.definingOp(result);
  DType dtype = e.typeOf(result).dtype;
  Value *&value = e.scalar[result];
  auto axis = size_t(e.g.intAttr(op, AttrKey::Axis));
  switch (op.opcode) {
  case Opcode::ProgramId:
    value = e.program[axis];
    break;
  case Opcode::NumPrograms:
    value = e.programs[axis];
    break;
  case Opcode::LaunchLog:
    value = e.log[axis];
    break;
  case Opcode::Const:
    value = emitNumber(e.elements, e.g.attr(op, AttrKey::Value), dtype);
    break;
  case Opcode::Extent:
    value = e.view[e.g.operand(op, 0)].extents[axis];
    break;
  case Opcode::Address:
    value = address(e, op);
    break;
  case Opcode::ByteOffset:
    value = e.ir.CreatePtrAdd(e.scalar[e.g.operand(op, 0)], e.index(e.g.operand(op, 1)));
    break;
  case Opcode::Pointer:
    value = e.ir.CreateIntToPtr(e.scalar[e.g.operand(op, 0)], e.ir.getPtrTy());
    break;
  case Opcode::Gather:
    value = gatherScalar(e, op, dtype);
    break;
  case Opcode::Full:
    value = emitElement(e, e.g.operand(op, 0));
    break;
  default:
    value = movesElements(op.opcode) ? movedElement(e, result) : elementwise(e, op);
  }
}

} // namespace tl::host
