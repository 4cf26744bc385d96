#include "graph/graph.h"

#include "graph/fold_int.h"

#include <array>
#include <cassert>

namespace tl {

Graph::Graph() : values(1), ops(1), blocks(1), locations(1), known(1) {
  kernel.head = addBlock(0);
  kernel.body = addBlock(0);
}

std::span<const ValueId> Graph::operands(const Op &op) const {
  return std::span(operandPool).subspan(op.operands.begin, op.operands.count);
}
std::span<const ValueId> Graph::results(const Op &op) const {
  return std::span(resultPool).subspan(op.results.begin, op.results.count);
}
std::span<const Attr> Graph::attrs(const Op &op) const {
  return std::span(attrPool).subspan(op.attrs.begin, op.attrs.count);
}
std::span<const BlockId> Graph::regions(const Op &op) const {
  return std::span(regionPool).subspan(op.regions.begin, op.regions.count);
}

const Attr *Graph::attr(const Op &op, AttrKey key) const {
  for (const Attr &a : attrs(op))
    if (a.key == key)
      return &a;
  return nullptr;
}

int64_t Graph::intAttr(const Op &op, AttrKey key, int64_t otherwise) const {
  const Attr *a = attr(op, key);
  return a ? a->i : otherwise;
}

CastMode Graph::castMode(const Op &op) const {
  return {Rounding(intAttr(op, AttrKey::Round, int64_t(Rounding::Nearest))),
          attr(op, AttrKey::Saturate) != nullptr};
}

AtomicMode Graph::atomicMode(const Op &op) const {
  return {MemoryOrdering(intAttr(op, AttrKey::Order, int64_t(MemoryOrdering::Relaxed))),
          MemoryScope(intAttr(op, AttrKey::Scope, int64_t(MemoryScope::Device)))};
}

Type Graph::elementsType(const Op &op) const {
  Type type = Type::scalar(typeOf(viewOperand(op)).dtype);
  for (ValueId v : operands(op))
    if (typeOf(v).isTile() && typeOf(v).rank > 0)
      return typeOf(v).withDType(type.dtype);
  return type;
}

const Op *Graph::definingOp(ValueId v) const {
  return values[v].kind == ValueKind::OpResult ? &ops[values[v].op] : nullptr;
}

ValueId Graph::viewOperand(const Op &op) const { return operands(op)[viewOperandAt(op.opcode)]; }

ValueId Graph::writtenOperand(const Op &op) const {
  return operands(op)[viewOperandAt(op.opcode) - 1];
}

ValueId Graph::maskOperand(const Op &op) const {
  const auto &specs = opInfo(op.opcode).operands;
  if (specs.empty() || specs.back().arity != Arity::Optional)
    return 0;
  auto list = operands(op);
  // Masks stand behind the indices of a view, or behind the one operand of a histogram.
  if (list.size() < specs.size() - (specs[specs.size() - 2].arity == Arity::Variadic ? 1 : 0))
    return 0;
  return typeOf(list.back()).dtype == DType::I1 ? list.back() : 0;
}

std::span<const ValueId> Graph::indexOperands(const Op &op) const {
  auto list = operands(op).subspan(viewOperandAt(op.opcode) + 1);
  return maskOperand(op) ? list.first(list.size() - 1) : list;
}

std::vector<unsigned> Graph::tileAxes(const Op &op) const {
  std::vector<unsigned> axes;
  if (const Attr *a = attr(op, AttrKey::Axes)) {
    for (int64_t axis : a->list)
      axes.push_back(unsigned(axis));
    return axes;
  }
  const Type &tile = op.opcode == Opcode::Store ? typeOf(operand(op, 0)) : typeOf(result(op));
  unsigned viewRank = typeOf(viewOperand(op)).rank;
  for (unsigned i = 0; i < tile.rank; ++i)
    axes.push_back(viewRank - tile.rank + i);
  return axes;
}

BlockId Graph::addBlock(OpId parent) {
  blocks.push_back({parent, {}, {}});
  return BlockId(blocks.size() - 1);
}

ValueId Graph::addValue(const Type &type, ValueKind kind, uint32_t index) {
  values.push_back({type, kind, 0, 0, index, 0, false});
  known.emplace_back();
  return ValueId(values.size() - 1);
}

ValueId Graph::addBlockArg(BlockId block, const Type &type) {
  ValueId v = addValue(type, ValueKind::BlockArg, uint32_t(blocks[block].args.size()));
  values[v].block = block;
  blocks[block].args.push_back(v);
  return v;
}

ValueId Graph::addArgument(Argument argument, const Type &type) {
  uint32_t index = uint32_t(kernel.args.size());
  argument.value = addValue(type, ValueKind::Argument, index);
  setName(argument.value, argument.name);
  auto addImplicit = [&](std::vector<ViewDim> &dims, bool isStride) {
    for (size_t axis = 0; axis < dims.size(); ++axis) {
      if (dims[axis].kind != ViewDim::Kind::Dynamic)
        continue;
      ValueId v = addValue(Type::scalar(DType::I64), ValueKind::ImplicitDim, index);
      values[v].axis = uint8_t(axis);
      values[v].isStride = isStride;
      dims[axis].value = v;
    }
  };
  addImplicit(argument.extents, false);
  addImplicit(argument.strides, true);
  ValueId value = argument.value;
  kernel.args.push_back(std::move(argument));
  return value;
}

ValueId Graph::addParam(std::string name, int64_t defaultValue, std::vector<int64_t> choices) {
  ValueId v = addValue(Type::scalar(DType::I64), ValueKind::Param, uint32_t(kernel.params.size()));
  known[v] = defaultValue;
  setName(v, name);
  kernel.params.push_back({std::move(name), v, defaultValue, std::move(choices)});
  return v;
}

/// The integer a new op's result is known to have, given what is known of its operands.
static std::optional<int64_t> knownResult(const Graph &g, const Op &op) {
  if (op.results.count != 1)
    return std::nullopt;
  const Type &type = g.typeOf(g.result(op));
  if (!type.isScalar() || isFloat(type.dtype))
    return std::nullopt;
  if (op.opcode == Opcode::Const)
    return g.intAttr(op, AttrKey::Value);
  auto list = g.operands(op);
  if (list.empty() || list.size() > 3)
    return std::nullopt;
  std::array<int64_t, 3> x = {};
  for (size_t i = 0; i < list.size(); ++i) {
    auto known = g.constantInt(list[i]);
    if (!known)
      return std::nullopt;
    x[i] = *known;
  }
  switch (op.opcode) {
  case Opcode::Select: // of known branches only: it must not depend on what parameters are bound to
    return x[0] ? x[1] : x[2];
  case Opcode::Bitcast:
    return wrapInteger(x[0], type.dtype);
  case Opcode::Cast:
    return isBool(type.dtype) ? int64_t(x[0] != 0) : wrapInteger(x[0], type.dtype);
  case Opcode::Cmp:
    return compareIntegers(Pred(g.intAttr(op, AttrKey::Pred)), x[0], x[1], g.typeOf(list[0]).dtype);
  default:
    return foldInteger(op.opcode, {x.data(), list.size()}, type.dtype);
  }
}

OpId Graph::addOp(BlockId block, Opcode opcode, std::span<const ValueId> operands,
                  std::span<const Attr> attrs, std::span<const Type> resultTypes,
                  std::span<const BlockId> regions, uint32_t location) {
  OpId id = OpId(ops.size());
  Op op;
  op.opcode = opcode;
  op.block = block;
  op.location = location;
  // The spans may point into the pools that grow here: copy first.
  std::vector<ValueId> operandCopy(operands.begin(), operands.end());
  std::vector<Attr> attrCopy(attrs.begin(), attrs.end());
  op.operands = {uint32_t(operandPool.size()), uint32_t(operandCopy.size())};
  operandPool.insert(operandPool.end(), operandCopy.begin(), operandCopy.end());
  op.attrs = {uint32_t(attrPool.size()), uint32_t(attrCopy.size())};
  attrPool.insert(attrPool.end(), attrCopy.begin(), attrCopy.end());
  op.regions = {uint32_t(regionPool.size()), uint32_t(regions.size())};
  regionPool.insert(regionPool.end(), regions.begin(), regions.end());
  for (BlockId region : regions)
    blocks[region].parent = id;
  op.results = {uint32_t(resultPool.size()), uint32_t(resultTypes.size())};
  for (size_t i = 0; i < resultTypes.size(); ++i) {
    ValueId v = addValue(resultTypes[i], ValueKind::OpResult, uint32_t(i));
    values[v].op = id;
    resultPool.push_back(v);
  }
  ops.push_back(op);
  blocks[block].ops.push_back(id);
  if (op.results.count == 1)
    known[result(op)] = knownResult(*this, op);
  return id;
}

void Graph::setName(ValueId v, std::string name) {
  if (valueNames.size() <= v)
    valueNames.resize(v + 1);
  valueNames[v] = std::move(name);
}

std::string_view Graph::nameOf(ValueId v) const {
  return v < valueNames.size() ? std::string_view(valueNames[v]) : std::string_view();
}

uint32_t Graph::addLocation(SourceLocation location) {
  const SourceLocation &last = locations.back();
  if (location.line == 0)
    return 0;
  if (last.line == location.line && last.column == location.column && last.file == location.file)
    return uint32_t(locations.size() - 1);
  locations.push_back(std::move(location));
  return uint32_t(locations.size() - 1);
}

ViewDim Graph::viewExtent(ValueId view, unsigned axis) const {
  if (const Op *op = definingOp(view)) {
    if (op->opcode == Opcode::AllocShared) {
      int64_t extent = attr(*op, AttrKey::Dims)->list[axis]; // or the value that says it
      return {ViewDim::Kind::Literal, extent < 0 ? *constantInt(ValueId(-extent)) : extent, 0};
    }
    assert(op->opcode == Opcode::MakeView);
    return {ViewDim::Kind::Value, 0, operand(*op, 1 + axis)};
  }
  return kernel.args[values[view].index].extents[axis];
}

std::optional<ViewDim> Graph::viewStride(ValueId view, unsigned axis) const {
  if (const Op *op = definingOp(view)) {
    if (op->opcode == Opcode::AllocShared)
      return std::nullopt;
    assert(op->opcode == Opcode::MakeView);
    return ViewDim{ViewDim::Kind::Value, 0, operand(*op, 1 + typeOf(view).rank + axis)};
  }
  const Argument &arg = kernel.args[values[view].index];
  if (arg.strides.empty())
    return std::nullopt;
  return arg.strides[axis];
}

/// The argument, the Pointer or the AllocShared that a view or pointer comes from.
static ValueId rootOf(const Graph &graph, ValueId v) {
  // Views are made from pointers and pointers from views; only tiles pass through regions.
  for (const Op *op; (op = graph.definingOp(v)) && op->opcode != Opcode::Pointer &&
                     op->opcode != Opcode::AllocShared;)
    v = graph.operand(*op, 0);
  return v;
}

std::optional<unsigned> rootArgument(const Graph &graph, ValueId v) {
  ValueId root = rootOf(graph, v);
  if (graph.definingOp(root))
    return std::nullopt;
  return graph.values[root].index;
}

bool isShared(const Graph &graph, ValueId v) {
  const Op *op = graph.definingOp(rootOf(graph, v));
  return op && op->opcode == Opcode::AllocShared;
}

bool areApart(const Graph &graph, ValueId a, ValueId b) {
  ValueId x = rootOf(graph, a), y = rootOf(graph, b);
  auto distinct = [&](ValueId root) {
    return !graph.definingOp(root) && graph.kernel.args[graph.values[root].index].distinct;
  };
  return x != y && (isShared(graph, x) || isShared(graph, y) || distinct(x) || distinct(y));
}

Effect effectOf(const Graph &graph, const Op &op) {
  Effect effect = opInfo(op.opcode).effect;
  if (effect != Effect::Control)
    return effect;
  // Regions nest at most maxRegionDepth deep (builder, parser and reader refuse more).
  effect = Effect::Pure;
  for (BlockId region : graph.regions(op))
    for (OpId inner : graph.block(region).ops) {
      Effect e = effectOf(graph, graph.ops[inner]);
      if (e == Effect::Write)
        return Effect::Write;
      if (e == Effect::Read)
        effect = Effect::Read;
    }
  return effect;
}

} // namespace tl
