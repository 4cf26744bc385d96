#include "passes/prefetch_loads.h"

#include "passes/graph_writer.h"
#include "passes/rewrite.h"

#include <algorithm>

namespace tl {

namespace {

/// What moves ahead in a loop: the ops that make the loads' places and the loads, in order.
struct Prefetch {
  std::vector<OpId> slice;
  std::vector<ValueId> tiles; // results of the loads
};

uint64_t bytesOf(const Type &type) {
  uint64_t bytes = dtypeBytes(type.dtype);
  for (int64_t extent : type.extents())
    bytes *= uint64_t(extent);
  return bytes;
}

class LoopPlan {
public:
  LoopPlan(const Graph &graph, const Op &loop)
      : graph(graph), loop(loop), body(graph.block(graph.regions(loop)[0])),
        isAhead(graph.values.size(), false), isWanted(graph.values.size(), false) {}

  /// Nothing where no load moves.
  Prefetch make() {
    if (effectOf(graph, loop) == Effect::Write)
      return {};
    findAhead();
    findFactors();
    Prefetch result;
    for (OpId id : body.ops) {
      const Op &op = graph.ops[id];
      if (op.opcode == Opcode::Load && isOne(op, isAhead) && isOne(op, isWanted) &&
          graph.typeOf(graph.result(op)).isTile())
        result.tiles.push_back(graph.result(op));
    }
    if (!hasRoom(result.tiles))
      return {};
    keepNeeded(result);
    return result;
  }

private:
  const Graph &graph;
  const Op &loop;
  const Block &body;
  std::vector<bool> isAhead;  // by value: known a step ahead
  std::vector<bool> isWanted; // by value: goes into a dot's factors

  bool isOne(const Op &op, const std::vector<bool> &values) const {
    return op.results.count == 1 && values[graph.result(op)];
  }

  /// Values that the counter and what is outside of the loop determine.
  void findAhead() {
    isAhead[body.args[0]] = true;
    for (OpId id : body.ops) {
      const Op &op = graph.ops[id];
      if (op.results.count != 1 || op.regions.count != 0 || !mayMove(op))
        continue;
      isAhead[graph.result(op)] = std::ranges::all_of(
          graph.operands(op), [&](ValueId v) { return isAhead[v] || isOutside(v); });
    }
  }

  bool mayMove(const Op &op) const {
    if (op.opcode == Opcode::Load) {
      // Views that the loop itself makes may lie anywhere in a step that never comes.
      const ValueId view = graph.operand(op, 0);
      return std::ranges::any_of(graph.kernel.args,
                                 [&](const Argument &arg) { return arg.value == view; });
    }
    return opInfo(op.opcode).effect == Effect::Pure && op.opcode != Opcode::AllocShared;
  }

  bool isOutside(ValueId v) const {
    const Value &value = graph.values[v];
    BlockId block = value.kind == ValueKind::OpResult   ? graph.ops[value.op].block
                    : value.kind == ValueKind::BlockArg ? value.block
                                                        : 0;
    // The loop's own block, or one around it: not one within the loop.
    for (BlockId inner = block; inner != 0;) {
      const OpId parent = graph.block(inner).parent;
      if (parent == 0)
        return true;
      if (&graph.ops[parent] == &loop)
        return false;
      inner = graph.ops[parent].block;
    }
    return true;
  }

  /// Marks what the factors of the body's dots are made of, from the last op to the first.
  void findFactors() {
    for (auto id = body.ops.rbegin(); id != body.ops.rend(); ++id) {
      const Op &op = graph.ops[*id];
      if (op.opcode == Opcode::Dot)
        isWanted[graph.operand(op, 0)] = isWanted[graph.operand(op, 1)] = true;
      else if (op.regions.count == 0 && isOne(op, isWanted))
        for (ValueId v : graph.operands(op))
          isWanted[v] = true;
    }
  }

  /// Tiles that are carried besides take registers of their own: as many as the sums' at most, or
  /// as few as one or two hundred threads do not notice.
  bool hasRoom(const std::vector<ValueId> &tiles) const {
    constexpr uint64_t few = 16384;
    uint64_t carried = 0, added = 0;
    for (size_t i = 1; i < body.args.size(); ++i)
      if (const Type &type = graph.typeOf(body.args[i]); type.isTile())
        carried += bytesOf(type);
    for (ValueId v : tiles)
      added += bytesOf(graph.typeOf(v));
    return added <= std::max(carried, few);
  }

  /// The slice: what the loads need, and they.
  void keepNeeded(Prefetch &result) const {
    std::vector<bool> needed(graph.values.size(), false);
    for (ValueId v : result.tiles)
      needed[v] = true;
    for (auto id = body.ops.rbegin(); id != body.ops.rend(); ++id) {
      const Op &op = graph.ops[*id];
      if (!isOne(op, needed))
        continue;
      result.slice.push_back(*id);
      for (ValueId v : graph.operands(op))
        needed[v] = true;
    }
    std::ranges::reverse(result.slice);
  }
};

/// Writes the loop anew.
class LoopWriter {
public:
  LoopWriter(const Graph &graph, GraphCloner &cloner, GraphBuilder &builder, const Op &loop,
             const Prefetch &plan)
      : graph(graph), cloner(cloner), builder(builder), writer(builder), loop(loop),
        body(graph.block(graph.regions(loop)[0])), plan(plan) {}

  void write() {
    std::vector<ValueId> operands;
    for (ValueId v : graph.operands(loop))
      operands.push_back(cloner.mapped(v));
    const ValueId lo = operands[0], hi = operands[1], step = operands[2];
    for (ValueId v : firstTiles(lo, hi, step))
      operands.push_back(v);
    const std::vector<ValueId> args = builder.begin(loop.opcode, operands, graph.attrs(loop));
    // The last step loads what it has once more: nothing but what the author's loop loads.
    const ValueId following = writer.op(Opcode::Add, {args[0], step});
    const std::vector<ValueId> next = tilesAt(
        writer.op(Opcode::Select, {writer.compare(Pred::Lt, following, hi), following, args[0]}));
    for (size_t i = 0; i < body.args.size(); ++i)
      cloner.setMapped(body.args[i], args[i]);
    for (OpId id : body.ops) {
      const Op &op = graph.ops[id];
      if (op.opcode != Opcode::Yield && !isTaken(op))
        cloner.copyOp(id);
      else if (op.opcode != Opcode::Yield)
        cloner.setMapped(graph.result(op), args[body.args.size() + place(graph.result(op))]);
    }
    std::vector<ValueId> yields;
    for (ValueId v : graph.operands(graph.ops[body.ops.back()]))
      yields.push_back(cloner.mapped(v));
    yields.insert(yields.end(), next.begin(), next.end());
    const std::vector<ValueId> results = builder.end(yields);
    for (size_t i = 0; i < graph.results(loop).size(); ++i)
      cloner.setMapped(graph.results(loop)[i], results[i]);
  }

private:
  const Graph &graph;
  GraphCloner &cloner;
  GraphBuilder &builder;
  GraphWriter writer;
  const Op &loop;
  const Block &body;
  const Prefetch &plan;

  size_t place(ValueId tile) const {
    return size_t(std::ranges::find(plan.tiles, tile) - plan.tiles.begin());
  }
  bool isTaken(const Op &op) const {
    return op.results.count == 1 && place(graph.result(op)) < plan.tiles.size();
  }

  /// The loads of the first step, if there is one.
  std::vector<ValueId> firstTiles(ValueId lo, ValueId hi, ValueId step) {
    const DType index = writer.typeOf(lo).dtype;
    const ValueId runs =
        writer.op(Opcode::And, {writer.compare(Pred::Lt, lo, hi),
                                writer.compare(Pred::Gt, step, writer.constant(index, 0))});
    const ValueId condition[] = {runs};
    builder.begin(Opcode::If, condition);
    builder.end(tilesAt(lo));
    std::vector<ValueId> none;
    for (ValueId v : plan.tiles) {
      const Type &type = graph.typeOf(v);
      const ValueId zero =
          isFloat(type.dtype) ? writer.number(type.dtype, 0) : writer.constant(type.dtype, 0);
      none.push_back(writer.op(Opcode::Full, {zero},
                               {GraphWriter::numbers(AttrKey::Dims, GraphWriter::dimsOf(type))}));
    }
    return builder.end(none);
  }

  /// The loads of the step with this counter.
  std::vector<ValueId> tilesAt(ValueId counter) {
    cloner.setMapped(body.args[0], counter);
    for (OpId id : plan.slice)
      cloner.copyOp(id);
    std::vector<ValueId> tiles;
    for (ValueId v : plan.tiles)
      tiles.push_back(cloner.mapped(v));
    return tiles;
  }
};

} // namespace

Result<Graph> prefetchLoads(const Graph &graph) {
  return rewriteGraph(
      graph, [](GraphCloner &, GraphBuilder &, OpId) { return false; },
      [&](GraphCloner &cloner, GraphBuilder &builder, OpId id) {
        const Op &op = graph.ops[id];
        if (op.opcode != Opcode::For)
          return false;
        const Prefetch plan = LoopPlan(graph, op).make();
        if (plan.tiles.empty())
          return false;
        LoopWriter(graph, cloner, builder, op, plan).write();
        return true;
      });
}

} // namespace tl
