// Elementwise operations of a graph whose operands are LLVM values already, scalars or vectors.
#pragma once

#include "codegen/llvm/emitter.h"
#include "graph/graph.h"

namespace tl {

/// The number of a Value or Pad attribute; 0 when there is none.
inline llvm::Constant *emitNumber(const ElementEmitter &elements, const Attr *number, DType dtype) {
  if (!number)
    return elements.zero(dtype);
  if (isFloat(dtype))
    return elements.constantFloat(dtype, number->isFloat ? number->f : double(number->i));
  return elements.constantInt(dtype, number->i);
}

/// An op of a rule that ElementEmitter::emit knows.
inline llvm::Value *emitElementOp(ElementEmitter &elements, const Graph &graph, const Op &op,
                                  std::span<llvm::Value *const> operands) {
  DType operandType = graph.typeOf(graph.operands(op).back()).dtype; // Select: of a and b
  return elements.emit(op.opcode, operands, operandType, graph.typeOf(graph.result(op)).dtype,
                       Pred(graph.intAttr(op, AttrKey::Pred, int64_t(Pred::Eq))),
                       graph.castMode(op), graph.isFast(op));
}

} // namespace tl
