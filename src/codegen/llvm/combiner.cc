#include "codegen/llvm/combiner.h"

#include "codegen/llvm/element_op.h"

#include <map>

namespace tl {

static ReduceKind kindOf(const Graph &graph, const Op &op) {
  if (op.opcode == Opcode::ArgMax)
    return ReduceKind::Max;
  return op.opcode == Opcode::ArgMin ? ReduceKind::Min
                                     : ReduceKind(graph.intAttr(op, AttrKey::Kind));
}

Combiner::Combiner(ElementEmitter &elements, llvm::IRBuilderBase &ir, const Graph &graph,
                   const Op &op, std::function<llvm::Value *(ValueId)> outer)
    : elements(elements), ir(ir), graph(graph), outer(std::move(outer)) {
  for (ValueId v : graph.operands(op))
    operands.push_back(graph.typeOf(v).dtype);
  if (hasCombineRegion(op.opcode)) {
    region = graph.regions(op)[0];
    types = operands;
    types.push_back(DType::I1);
    return;
  }
  kind = kindOf(graph, op);
  bool small = operands[0] == DType::F16 || operands[0] == DType::BF16;
  bool rounds = kind == ReduceKind::Sum || kind == ReduceKind::Prod;
  types.push_back(small && rounds ? DType::F32 : operands[0]);
  if (opInfo(op.opcode).rule == Rule::ArgReduce) {
    chooses = true;
    types.push_back(DType::I32);
  }
}

Parts Combiner::identity(unsigned lanes) const {
  Parts parts;
  if (region) {
    for (DType type : types)
      parts.push_back(elements.zero(type, lanes));
    return parts;
  }
  parts.push_back(elements.reduceIdentity(kind, types[0], lanes));
  if (needsCoordinate()) // loses against every element, also an equal one
    parts.push_back(elements.constantInt(DType::I32, INT32_MAX, lanes));
  return parts;
}

Parts Combiner::lift(llvm::ArrayRef<llvm::Value *> element, llvm::Value *coordinate,
                     unsigned lanes) const {
  Parts parts(element.begin(), element.end());
  if (region)
    parts.push_back(elements.constantInt(DType::I1, 1, lanes));
  else if (types[0] != operands[0])
    parts[0] = elements.toFloat(parts[0], operands[0]);
  if (needsCoordinate())
    parts.push_back(coordinate);
  return parts;
}

llvm::Value *Combiner::isNan(llvm::Value *a) const {
  return elements.classify(Opcode::IsNan, a, operands[0]);
}

// Whether a goes before b by value; a NaN goes before everything else.
llvm::Value *Combiner::better(llvm::Value *a, llvm::Value *b) const {
  llvm::Value *beyond =
      elements.compare(kind == ReduceKind::Max ? Pred::Gt : Pred::Lt, a, b, operands[0]);
  if (!isFloat(operands[0]))
    return beyond;
  return ir.CreateOr(beyond, ir.CreateAnd(isNan(a), ir.CreateNot(isNan(b))));
}

Parts Combiner::combine(const Parts &a, const Parts &b) const {
  if (region) {
    llvm::Value *isA = a.back(), *isB = b.back();
    Parts both = select(isA, select(isB, runRegion(a, b), a), b);
    both.back() = ir.CreateOr(isA, isB);
    return both;
  }
  if (!needsCoordinate())
    return {elements.combine(kind, a[0], b[0], types[0])};
  llvm::Value *second = better(b[0], a[0]), *first = better(a[0], b[0]);
  llvm::Value *earlier = ir.CreateICmpSLT(b[1], a[1]);
  return select(ir.CreateOr(second, ir.CreateAnd(earlier, ir.CreateNot(first))), b, a);
}

// The region's operations on the parts; operands from outside are scalars, repeated as needed.
Parts Combiner::runRegion(const Parts &a, const Parts &b) const {
  std::map<ValueId, llvm::Value *> values;
  const Block &block = graph.block(region);
  for (size_t i = 0; i < operands.size(); ++i) {
    values[block.args[i]] = a[i];
    values[block.args[i + operands.size()]] = b[i];
  }
  auto valueOf = [&](ValueId v) {
    auto it = values.find(v);
    return it != values.end() ? it->second : outer(v);
  };
  for (OpId id : block.ops) {
    const Op &op = graph.ops[id];
    if (op.opcode == Opcode::Yield)
      break;
    ValueId result = graph.result(op);
    if (op.opcode == Opcode::Const) {
      values[result] =
          emitNumber(elements, graph.attr(op, AttrKey::Value), graph.typeOf(result).dtype);
      continue;
    }
    llvm::SmallVector<llvm::Value *, 4> list;
    for (ValueId v : graph.operands(op))
      list.push_back(valueOf(v));
    values[result] = emitElementOp(elements, graph, op, list);
  }
  auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(a[0]->getType());
  unsigned lanes = vector ? vector->getNumElements() : 0;
  Parts parts;
  for (ValueId v : graph.operands(graph.ops[block.ops.back()]))
    parts.push_back(elements.splat(valueOf(v), lanes));
  parts.push_back(a.back()); // replaced by combine()
  return parts;
}

Parts Combiner::select(llvm::Value *condition, const Parts &a, const Parts &b) const {
  if (auto *known = llvm::dyn_cast<llvm::Constant>(condition))
    if (known->isAllOnesValue() || known->isNullValue())
      return known->isNullValue() ? b : a;
  Parts parts;
  for (size_t i = 0; i < types.size(); ++i)
    parts.push_back(ir.CreateSelect(condition, a[i], b[i]));
  return parts;
}

llvm::Value *Combiner::finish(llvm::Value *value, size_t i) const {
  bool accumulates = !region && !needsCoordinate() && types[i] != operands[i];
  return accumulates ? elements.fromFloat(value, operands[i]) : value;
}

} // namespace tl
