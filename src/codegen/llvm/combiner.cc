#include "codegen/llvm/combiner.h"

namespace tl {

static ReduceKind kindOf(const Graph &graph, const Op &op) {
  if (op.opcode == Opcode::ArgMax)
    return ReduceKind::Max;
  return op.opcode == Opcode::ArgMin ? ReduceKind::Min
                                     : ReduceKind(graph.intAttr(op, AttrKey::Kind));
}

Combiner::Combiner(ElementEmitter &elements, llvm::IRBuilderBase &ir, const Graph &graph,
                   const Op &op)
    : elements(elements), ir(ir), kind(kindOf(graph, op)),
      operand(graph.typeOf(graph.operand(op, 0)).dtype),
      count(opInfo(op.opcode).rule == Rule::ArgReduce ? 2 : 1) {
  bool small = operand == DType::F16 || operand == DType::BF16;
  bool rounds = kind == ReduceKind::Sum || kind == ReduceKind::Prod;
  types[0] = small && rounds ? DType::F32 : operand;
  types[1] = DType::I32;
}

Parts Combiner::identity(unsigned lanes) const {
  Parts parts = {elements.reduceIdentity(kind, types[0], lanes)};
  if (needsCoordinate()) // loses against every element, also an equal one
    parts.push_back(elements.constantInt(DType::I32, INT32_MAX, lanes));
  return parts;
}

Parts Combiner::lift(llvm::Value *element, llvm::Value *coordinate) const {
  Parts parts = {types[0] != operand ? elements.toFloat(element, operand) : element};
  if (needsCoordinate())
    parts.push_back(coordinate);
  return parts;
}

llvm::Value *Combiner::isNan(llvm::Value *a) const {
  return elements.classify(Opcode::IsNan, a, operand);
}

// Whether a goes before b by value; a NaN goes before everything else.
llvm::Value *Combiner::better(llvm::Value *a, llvm::Value *b) const {
  llvm::Value *beyond =
      elements.compare(kind == ReduceKind::Max ? Pred::Gt : Pred::Lt, a, b, operand);
  if (!isFloat(operand))
    return beyond;
  return ir.CreateOr(beyond, ir.CreateAnd(isNan(a), ir.CreateNot(isNan(b))));
}

Parts Combiner::combine(const Parts &a, const Parts &b) const {
  if (!needsCoordinate())
    return {elements.combine(kind, a[0], b[0], types[0])};
  llvm::Value *second = better(b[0], a[0]), *first = better(a[0], b[0]);
  llvm::Value *earlier = ir.CreateICmpSLT(b[1], a[1]);
  return select(ir.CreateOr(second, ir.CreateAnd(earlier, ir.CreateNot(first))), b, a);
}

Parts Combiner::select(llvm::Value *condition, const Parts &a, const Parts &b) const {
  Parts parts;
  for (size_t i = 0; i < count; ++i)
    parts.push_back(ir.CreateSelect(condition, a[i], b[i]));
  return parts;
}

llvm::Value *Combiner::finish(llvm::Value *value) const {
  return !needsCoordinate() && types[0] != operand ? elements.fromFloat(value, operand) : value;
}

} // namespace tl
