#include "graph/verify.h"

#include "graph/builder.h"
#include "graph/infer.h"
#include "graph/sequence.h"

namespace tl {

namespace {

class Verifier {
public:
  explicit Verifier(const Graph &g)
      : g(g), defined(g.values.size(), false), visited(g.blocks.size(), false) {}

  Status run() {
    const Kernel &k = g.kernel;
    if (k.name.empty() || k.grid.empty() != k.isSequence || k.grid.size() > 3)
      return internalError("the kernel has no name or no grid of 1 to 3 axes");
    if (!k.isSequence && !k.callees.empty())
      return internalError("a kernel has callees");
    for (const auto &callee : k.callees)
      TL_TRY(Verifier(*callee).run());
    for (const Argument &arg : k.args) {
      TL_TRY(define(arg.value, ValueKind::Argument));
      for (const std::vector<ViewDim> *dims : {&arg.extents, &arg.strides})
        for (const ViewDim &dim : *dims)
          if (dim.kind == ViewDim::Kind::Dynamic)
            TL_TRY(define(dim.value, ValueKind::ImplicitDim));
    }
    for (const Param &param : k.params)
      TL_TRY(define(param.value, ValueKind::Param));
    TL_TRY(checkBlock(k.head, 0, 0));
    for (ValueId v : k.grid)
      if (v >= g.values.size() || !defined[v] || !g.typeOf(v).isIndex())
        return internalError("a grid expression is not a scalar integer of the head");
    hide(k.head);
    TL_TRY(checkBlock(k.body, 0, 0));
    for (OpId id : g.block(k.body).ops)
      if (k.isSequence)
        TL_TRY(checkSequenceOp(g, g.ops[id]));
      else if (isSequenceOp(g.ops[id].opcode))
        return internalError("a kernel holds %s", opInfo(g.ops[id].opcode).text.data());
    return {};
  }

private:
  const Graph &g;
  std::vector<bool> defined;
  std::vector<bool> visited;

  Status define(ValueId v, ValueKind kind) {
    if (v == 0 || v >= g.values.size())
      return internalError("value %%%u does not exist", v);
    if (defined[v])
      return internalError("value %%%u is defined twice", v);
    if (g.values[v].kind != kind)
      return internalError("value %%%u is recorded as something else", v);
    defined[v] = true;
    return {};
  }

  /// What a block defined is not visible after it.
  void hide(BlockId block) {
    for (ValueId arg : g.block(block).args)
      defined[arg] = false;
    for (OpId id : g.block(block).ops)
      for (ValueId v : g.results(g.ops[id]))
        defined[v] = false;
  }

  Status checkBlock(BlockId id, OpId parent, unsigned depth) {
    if (id == 0 || id >= g.blocks.size() || visited[id])
      return internalError("block %u does not exist or is used twice", id);
    if (depth > maxRegionDepth)
      return makeError(TL_E_LIMIT, "regions nest more than %u deep", maxRegionDepth);
    visited[id] = true;
    const Block &block = g.block(id);
    if (block.parent != parent)
      return internalError("block %u is recorded under another op", id);
    for (size_t i = 0; i < block.args.size(); ++i) {
      TL_TRY(define(block.args[i], ValueKind::BlockArg));
      if (g.values[block.args[i]].block != id || g.values[block.args[i]].index != i)
        return internalError("argument %zu of block %u is recorded elsewhere", i, id);
    }
    for (size_t i = 0; i < block.ops.size(); ++i) {
      bool last = i + 1 == block.ops.size();
      bool isYield = block.ops[i] < g.ops.size() && g.ops[block.ops[i]].opcode == Opcode::Yield;
      if (isYield != (last && parent != 0))
        return internalError("block %u must end with its only yield, and the body must have none",
                             id);
      TL_TRY(checkOp(block.ops[i], id, depth));
    }
    if (parent != 0 && block.ops.empty())
      return internalError("region %u is empty", id);
    return {};
  }

  Status checkOp(OpId id, BlockId block, unsigned depth) {
    if (id == 0 || id >= g.ops.size() || g.ops[id].block != block)
      return internalError("op %u does not belong to block %u", id, block);
    const Op &op = g.ops[id];
    if (!opcodeKnown(int32_t(op.opcode)))
      return internalError("op %u has an unknown opcode", id);
    for (ValueId v : g.operands(op))
      if (v == 0 || v >= g.values.size() || !defined[v])
        return internalError("%s uses %%%u, which is not defined there",
                             opInfo(op.opcode).text.data(), v);
    TL_ASSIGN(std::vector<Type> types, inferTypes(g, op.opcode, g.operands(op), g.attrs(op)));
    if (op.regions.count != regionCount(op.opcode))
      return internalError("%s has %u regions", opInfo(op.opcode).text.data(), op.regions.count);
    if (op.opcode == Opcode::If)
      for (ValueId v : g.results(op))
        types.push_back(g.typeOf(v));
    if (types.size() != op.results.count)
      return internalError("%s has %u results", opInfo(op.opcode).text.data(), op.results.count);
    for (BlockId region : g.regions(op)) {
      TL_TRY(checkBlock(region, id, depth + 1));
      TL_TRY(checkRegion(op, region, types));
      hide(region);
    }
    for (size_t i = 0; i < types.size(); ++i) {
      ValueId v = g.result(op, i);
      TL_TRY(define(v, ValueKind::OpResult));
      if (g.values[v].op != id || g.values[v].index != i || g.typeOf(v) != types[i])
        return internalError("result %zu of %s has type %s, not %s", i,
                             opInfo(op.opcode).text.data(), g.typeOf(v).text().c_str(),
                             types[i].text().c_str());
    }
    return {};
  }

  Status checkRegion(const Op &op, BlockId region, const std::vector<Type> &types) {
    const Block &block = g.block(region);
    auto typesOf = [&](std::span<const ValueId> values) {
      std::vector<Type> list;
      for (ValueId v : values)
        list.push_back(g.typeOf(v));
      return list;
    };
    if (typesOf(block.args) != regionArguments(g, op.opcode, g.operands(op), types))
      return internalError("a region of %s has other arguments", opInfo(op.opcode).text.data());
    if (typesOf(g.operands(g.ops[block.ops.back()])) != regionYields(op.opcode, types))
      return internalError("a region of %s yields values of other types",
                           opInfo(op.opcode).text.data());
    if (!hasCombineRegion(op.opcode))
      return {};
    for (OpId id : block.ops) {
      const Op &inner = g.ops[id];
      bool scalar = inner.opcode == Opcode::Yield ||
                    (computesElements(inner.opcode) && g.typeOf(g.result(inner)).rank == 0);
      if (!scalar)
        return internalError("a region of %s holds %s", opInfo(op.opcode).text.data(),
                             opInfo(inner.opcode).text.data());
    }
    return {};
  }
};

} // namespace

Status verify(const Graph &graph) { return Verifier(graph).run(); }

} // namespace tl
