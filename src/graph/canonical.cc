#include "graph/canonical.h"

#include <algorithm>
#include <cassert>

namespace tl {

namespace {

/// Orders the ops of every block; see canonical.h for the rule. Planning goes from inner blocks
/// outwards (regions nest at most maxRegionDepth deep), everything else is iterative.
class Planner {
public:
  explicit Planner(const Graph &g)
      : g(g), order(g.blocks.size()), external(g.blocks.size()), live(g.ops.size(), false),
        ranked(g.ops.size(), false), emitted(g.ops.size(), false), rank(g.ops.size(), 0),
        seenIn(g.values.size(), 0) {}

  const std::vector<OpId> &orderOf(BlockId block) const { return order[block]; }

  void planBody() {
    markLive();
    planBlock(g.kernel.body);
  }
  void planHead() {
    std::vector<OpId> &out = order[g.kernel.head];
    for (ValueId v : g.kernel.grid)
      emitTree(v, g.kernel.head, emitted, out);
  }

private:
  const Graph &g;
  std::vector<std::vector<OpId>> order;       // by block
  std::vector<std::vector<ValueId>> external; // by block: outer values in order of first use
  std::vector<bool> live;
  // Marks over all ops: each op belongs to one block, so blocks do not disturb each other.
  std::vector<bool> ranked, emitted;
  std::vector<uint32_t> rank;  // by op: order of first need in its block
  std::vector<BlockId> seenIn; // by value: the block whose collectExternal met it last

  bool isRoot(const Op &op) const {
    return op.opcode == Opcode::Yield || effectOf(g, op) == Effect::Write;
  }

  void markLive() {
    std::vector<OpId> work;
    auto mark = [&](OpId id) {
      if (!live[id]) {
        live[id] = true;
        work.push_back(id);
      }
    };
    for (OpId id : g.block(g.kernel.body).ops)
      if (isRoot(g.ops[id]))
        mark(id);
    while (!work.empty()) {
      const Op &op = g.ops[work.back()];
      work.pop_back();
      for (ValueId v : g.operands(op))
        if (g.values[v].kind == ValueKind::OpResult)
          mark(g.values[v].op);
      for (BlockId region : g.regions(op))
        for (OpId inner : g.block(region).ops)
          if (isRoot(g.ops[inner]))
            mark(inner);
    }
  }

  /// What an op uses: its operands, then the outer values its regions use.
  std::vector<ValueId> uses(const Op &op) const {
    std::vector<ValueId> list(g.operands(op).begin(), g.operands(op).end());
    for (BlockId region : g.regions(op))
      list.insert(list.end(), external[region].begin(), external[region].end());
    return list;
  }

  /// Emits the ops of `block` that `v` needs and that are not done, operands first.
  void emitTree(ValueId v, BlockId block, std::vector<bool> &done, std::vector<OpId> &out) const {
    struct Frame {
      OpId op;
      std::vector<ValueId> uses;
      size_t next = 0;
    };
    std::vector<Frame> stack;
    auto push = [&](ValueId value) {
      if (g.values[value].kind != ValueKind::OpResult)
        return;
      OpId id = g.values[value].op;
      if (g.ops[id].block != block || done[id])
        return;
      done[id] = true;
      stack.push_back({id, uses(g.ops[id]), 0});
    };
    push(v);
    while (!stack.empty()) {
      Frame &top = stack.back();
      if (top.next < top.uses.size()) {
        push(top.uses[top.next++]);
        continue;
      }
      out.push_back(top.op);
      stack.pop_back();
    }
  }

  void planBlock(BlockId block) {
    const std::vector<OpId> &ops = g.block(block).ops;
    for (OpId id : ops)
      if (live[id])
        for (BlockId region : g.regions(g.ops[id]))
          planBlock(region);

    // First pass: the order of first need, from all roots in program order.
    std::vector<OpId> needed;
    std::vector<OpId> roots;
    for (OpId id : ops)
      if (live[id] && isRoot(g.ops[id]))
        roots.push_back(id);
    for (OpId root : roots)
      for (ValueId v : uses(g.ops[root]))
        emitTree(v, block, ranked, needed);
    for (size_t i = 0; i < needed.size(); ++i)
      rank[needed[i]] = uint32_t(i);

    // Reads by the root they stand before, each group in order of need.
    std::vector<std::vector<OpId>> reads(roots.size() + 1);
    size_t epoch = 0;
    for (OpId id : ops) {
      if (!live[id])
        continue;
      if (isRoot(g.ops[id]))
        ++epoch;
      else if (effectOf(g, g.ops[id]) == Effect::Read)
        reads[epoch].push_back(id);
    }
    std::vector<OpId> &out = order[block];
    for (size_t k = 0; k < roots.size(); ++k) {
      std::sort(reads[k].begin(), reads[k].end(),
                [&](OpId a, OpId b) { return rank[a] < rank[b]; });
      for (OpId read : reads[k])
        emitTree(g.result(g.ops[read]), block, emitted, out);
      for (ValueId v : uses(g.ops[roots[k]]))
        emitTree(v, block, emitted, out);
      emitted[roots[k]] = true; // later ops may use its results
      out.push_back(roots[k]);
    }
    collectExternal(block);
  }

  void collectExternal(BlockId block) {
    std::vector<ValueId> &list = external[block];
    for (ValueId arg : g.block(block).args)
      seenIn[arg] = block;
    for (OpId id : order[block])
      for (ValueId v : g.results(g.ops[id]))
        seenIn[v] = block;
    for (OpId id : order[block])
      for (ValueId v : uses(g.ops[id]))
        if (seenIn[v] != block) {
          seenIn[v] = block;
          list.push_back(v);
        }
  }
};

/// Copies planned blocks into a fresh graph.
class Emitter {
public:
  Emitter(const Graph &from, const Planner &plan)
      : from(from), plan(plan), map(from.values.size(), 0) {}

  Graph run() {
    const Kernel &kernel = from.kernel;
    out.kernel.name = kernel.name;
    out.kernel.contract = kernel.contract;
    out.kernel.threads = kernel.threads;
    out.kernel.isSequence = kernel.isSequence;
    takeCallees();
    for (const Argument &arg : kernel.args) {
      Argument copy = arg;
      map[arg.value] = out.addArgument(std::move(copy), from.typeOf(arg.value));
    }
    for (size_t i = 0; i < kernel.args.size(); ++i)
      mapDims(kernel.args[i], out.kernel.args[i]);
    emitBlock(kernel.head, out.kernel.head);
    for (ValueId v : kernel.grid)
      out.kernel.grid.push_back(map[v]);
    emitBlock(kernel.body, out.kernel.body);
    return std::move(out);
  }

private:
  const Graph &from;
  const Planner &plan;
  Graph out;
  std::vector<ValueId> map;
  std::vector<int64_t> calleeNumber; // by the old number

  /// Callees in the order of their first dispatch; one that is never dispatched is not part of the
  /// sequence.
  void takeCallees() {
    calleeNumber.resize(from.kernel.callees.size() + 1, 0);
    for (OpId id : plan.orderOf(from.kernel.body)) {
      if (from.ops[id].opcode != Opcode::Dispatch)
        continue;
      size_t old = size_t(from.intAttr(from.ops[id], AttrKey::Callee));
      if (calleeNumber[old])
        continue;
      const Graph &callee = *from.kernel.callees[old - 1];
      out.kernel.callees.push_back(std::make_shared<const Graph>(canonicalize(callee)));
      calleeNumber[old] = int64_t(out.kernel.callees.size());
    }
  }

  std::vector<Attr> mappedAttrs(const Op &op) const {
    std::vector<Attr> attrs(from.attrs(op).begin(), from.attrs(op).end());
    for (Attr &attr : attrs)
      if (attr.key == AttrKey::Callee)
        attr.i = calleeNumber[size_t(attr.i)];
    return attrs;
  }

  void mapDims(const Argument &old, Argument &copy) {
    for (auto dims : {&Argument::extents, &Argument::strides})
      for (size_t axis = 0; axis < (old.*dims).size(); ++axis) {
        const ViewDim &dim = (old.*dims)[axis];
        if (dim.kind == ViewDim::Kind::Dynamic)
          map[dim.value] = (copy.*dims)[axis].value;
        else if (dim.kind == ViewDim::Kind::Value)
          (copy.*dims)[axis].value = map[dim.value];
      }
    copy.generator.lowValue = map[old.generator.lowValue];
    copy.generator.highValue = map[old.generator.highValue];
  }

  void emitBlock(BlockId block, BlockId target) {
    for (OpId id : plan.orderOf(block)) {
      const Op &op = from.ops[id];
      std::vector<BlockId> regions;
      for (BlockId region : from.regions(op)) {
        BlockId copy = out.addBlock(0);
        for (ValueId arg : from.block(region).args)
          map[arg] = out.addBlockArg(copy, from.typeOf(arg));
        emitBlock(region, copy);
        regions.push_back(copy);
      }
      std::vector<ValueId> operands;
      for (ValueId v : from.operands(op))
        operands.push_back(map[v]);
      std::vector<Type> types;
      for (ValueId v : from.results(op))
        types.push_back(from.typeOf(v));
      uint32_t location = out.addLocation(from.locations[op.location]);
      OpId copy = out.addOp(target, op.opcode, operands, mappedAttrs(op), types, regions, location);
      for (size_t i = 0; i < types.size(); ++i)
        map[from.results(op)[i]] = out.result(out.ops[copy], i);
    }
  }
};

} // namespace

Graph canonicalize(const Graph &graph) {
  assert(graph.kernel.params.empty() && "canonical form is of instantiated graphs");
  Planner plan(graph);
  plan.planBody();
  plan.planHead();
  return Emitter(graph, plan).run();
}

} // namespace tl
