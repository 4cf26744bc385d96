#include "codegen/host/buffer_plan.h"

#include "codegen/host/dot_shape.h"
#include "graph/infer_shared.h"

#include <algorithm>
#include <set>

namespace tl::host {

namespace {

/// A stretch of program points, both ends included. Op number p reads at point 2p and writes there
/// too: an op may not write over what it reads unless it is said to (see `mayFollow`).
struct Stretch {
  uint32_t from, to;
};

/// A buffer as the values need it, before some become one.
struct Node {
  size_t bytes = 0;
  std::vector<Stretch> live;
};

size_t alignUp(size_t n) { return (n + 63) & ~size_t(63); }

class BufferPlanner {
public:
  BufferPlanner(const Graph &g, const ValuePlan &values, unsigned vectorBits)
      : g(g), values(values), vectorBits(vectorBits) {
    plan.ofValue.assign(g.values.size(), noBuffer);
  }

  BufferPlan run() {
    for (OpId id : values.order)
      makeNodes(id);
    for (OpId id : values.order)
      addUses(id);
    group.resize(nodes.size());
    for (uint32_t i = 0; i < group.size(); ++i)
      group[i] = {i};
    groupOf.resize(nodes.size());
    for (uint32_t i = 0; i < groupOf.size(); ++i)
      groupOf[i] = i;
    for (const Affinity &affinity : affinities)
      mayFollow.insert({affinity.from, affinity.to, affinity.point});
    for (const Affinity &affinity : affinities)
      merge(affinity.from, affinity.to);
    addMoves();
    place();
    return std::move(plan);
  }

private:
  /// Node `to` may take over the buffer of `from` at a point where both are live.
  struct Affinity {
    BufferId from, to;
    uint32_t point;
  };

  const Graph &g;
  const ValuePlan &values;
  unsigned vectorBits;
  BufferPlan plan;
  std::vector<Node> nodes;
  std::vector<Affinity> affinities;
  std::set<std::tuple<BufferId, BufferId, uint32_t>> mayFollow;
  std::vector<uint32_t> groupOf;            // by node
  std::vector<std::vector<BufferId>> group; // members; empty when merged into another

  uint32_t pointOf(OpId id) const { return 2 * values.begin[id]; }
  uint32_t endOf(OpId id) const { return 2 * values.end[id]; }
  OpId yieldOf(BlockId region) const { return g.block(region).ops.back(); }
  bool inArena(ValueId v) const {
    return values.place[v] == Place::Buffer || values.place[v] == Place::InPlace;
  }
  /// The op that writes a result.
  OpId rootOf(ValueId v) const { return values.root[v] ? values.root[v] : g.values[v].op; }
  BlockId homeOf(ValueId v) const {
    const Value &value = g.values[v];
    return value.kind == ValueKind::BlockArg ? value.block : g.ops[value.op].block;
  }

  /// What a loop's region gets of the carried values, or a region's yield gives of them (or of its
  /// op's results).
  std::span<const ValueId> carriedIn(BlockId region) const {
    Opcode opcode = g.ops[g.block(region).parent].opcode;
    return std::span(g.block(region).args).subspan(carriedArgumentsAt(opcode));
  }
  std::span<const ValueId> yieldsOf(BlockId region) const {
    Opcode opcode = g.ops[g.block(region).parent].opcode;
    return g.operands(g.ops[yieldOf(region)]).subspan(carriedYieldsAt(opcode));
  }

  BufferId addNode(size_t bytes, uint32_t from, uint32_t to) {
    nodes.push_back({alignUp(bytes), {{from, to}}});
    return BufferId(nodes.size() - 1);
  }
  BufferId addNode(ValueId v, uint32_t from, uint32_t to) {
    const Type &type = g.typeOf(v);
    return plan.ofValue[v] = addNode(size_t(type.elements()) * dtypeBytes(type.dtype), from, to);
  }

  void makeNodes(OpId id) {
    const Op &op = g.ops[id];
    if (isLoop(op.opcode)) {
      loopNodes(id);
    } else if (op.opcode == Opcode::If) {
      branchNodes(id);
    } else {
      for (ValueId v : g.results(op))
        if (inArena(v))
          addNode(v, pointOf(rootOf(v)), pointOf(rootOf(v)));
        else if (values.place[v] == Place::Alias)
          plan.ofValue[v] = plan.ofValue[g.operand(op, 0)];
    }
    if (op.opcode == Opcode::Dot && values.place[g.result(op)] == Place::Buffer) {
      DotShape shape = planDot(g, values, id, vectorBits);
      if (shape.packA)
        plan.ofOp[{id, Scratch::PackedA, 0}] = addNode(shape.bytesOfA(), pointOf(id), pointOf(id));
      plan.ofOp[{id, Scratch::PackedB, 0}] = addNode(shape.bytesOfB(), pointOf(id), pointOf(id));
    }
  }

  /// A carried value and the loop's result are one buffer: written before the loop, and again by
  /// each yield, where it lives on to the end of the loop.
  void loopNodes(OpId id) {
    const Op &op = g.ops[id];
    BlockId body = g.regions(op)[0];
    auto carried = carriedIn(body);
    for (size_t i = 0; i < carried.size(); ++i) {
      if (values.place[carried[i]] != Place::Buffer)
        continue;
      BufferId node = addNode(carried[i], pointOf(id), pointOf(id));
      nodes[node].live.push_back({pointOf(yieldOf(body)), endOf(id)});
      plan.ofValue[g.result(op, i)] = node;
    }
  }

  void branchNodes(OpId id) {
    const Op &op = g.ops[id];
    for (ValueId v : g.results(op)) {
      if (values.place[v] != Place::Buffer)
        continue;
      BufferId node = addNode(v, endOf(id), endOf(id));
      // Written by the yield of the branch taken; the other branch's ops do not run after it.
      for (BlockId region : g.regions(op))
        nodes[node].live.push_back({pointOf(yieldOf(region)), pointOf(yieldOf(region))});
    }
  }

  /// The value at whose definition the buffer of `v` begins: reshapes have that of their operand.
  ValueId baseOf(ValueId v) const {
    while (values.place[v] == Place::Alias)
      v = g.operand(*g.definingOp(v), 0);
    return v;
  }

  void use(ValueId v, OpId user) {
    ValueId base = baseOf(v);
    uint32_t to = 2 * values.lastNeed(g, user, homeOf(base));
    const Value &value = g.values[base];
    uint32_t from = 0;
    if (value.kind == ValueKind::BlockArg)
      from = pointOf(g.block(value.block).parent);
    else if (g.ops[value.op].regions.count)
      from = endOf(value.op);
    else
      from = pointOf(rootOf(base));
    nodes[plan.ofValue[base]].live.push_back({from, to});
  }

  Expression expressionOf(ValueId v, OpId root) const {
    Expression e;
    addExpression(g, values, v, identityMap(g.typeOf(v)), root, e);
    return e;
  }

  void useLeaves(const Expression &e, OpId user) {
    for (const Leaf &leaf : e.leaves)
      use(leaf.value, user);
  }

  void addUses(OpId id) {
    const Op &op = g.ops[id];
    bool elsewhere = false; // what computes the results has been seen to, or will be
    for (ValueId result : g.results(op)) {
      if (values.root[result] == id)
        addLoops(id, result, g.typeOf(result));
      elsewhere |= values.root[result] != 0 || values.place[result] == Place::Inline;
    }
    if (elsewhere)
      return;
    if (combinesAlongAxis(op.opcode)) {
      for (ValueId operand : g.operands(op))
        addLoops(id, operand, g.typeOf(operand));
      return;
    }
    for (ValueId operand : g.operands(op))
      if (g.typeOf(operand).isTile() && g.typeOf(operand).rank > 0)
        useLeaves(expressionOf(operand, 0), id);
    if (op.opcode == Opcode::Dot && values.place[g.result(op)] == Place::Buffer)
      accumulateInPlace(id);
    if (isLoop(op.opcode))
      carriedInPlace(id);
    if (op.opcode == Opcode::If)
      for (BlockId region : g.regions(op))
        followYields(region, g.results(op));
  }

  /// The loops of a reduction or of a kept tile: what they read, and what they may write over it.
  void addLoops(OpId id, ValueId v, const Type &space) {
    Expression e = expressionOf(v, id);
    useLeaves(e, id);
    for (const Leaf &kept : e.kept)
      computeInPlace(id, kept.value, e, space, {});
  }

  /// `result` may be written over a tile that its loops over `space` read element by element, in
  /// order, and nowhere else. (The copy of a load that is read in place may be ordered otherwise.)
  void computeInPlace(OpId id, ValueId result, const Expression &e, const Type &space,
                      std::set<BufferId> readElsewhere) {
    unsigned bytes = dtypeBytes(g.typeOf(result).dtype);
    for (const Leaf &leaf : e.leaves)
      if (!inLinearOrder(leaf.map, g.typeOf(leaf.value), space) ||
          values.place[leaf.value] == Place::InPlace ||
          dtypeBytes(g.typeOf(leaf.value).dtype) != bytes)
        readElsewhere.insert(plan.ofValue[leaf.value]);
    for (const Leaf &leaf : e.leaves)
      if (!readElsewhere.contains(plan.ofValue[leaf.value]))
        affinities.push_back({plan.ofValue[leaf.value], plan.ofValue[result], pointOf(id)});
  }

  void accumulateInPlace(OpId id) {
    const Op &op = g.ops[id];
    std::set<BufferId> readElsewhere;
    for (size_t i = 0; i < 2; ++i)
      for (const Leaf &leaf : expressionOf(g.operand(op, i), 0).leaves)
        readElsewhere.insert(plan.ofValue[leaf.value]);
    computeInPlace(id, g.result(op), expressionOf(g.operand(op, 2), 0), g.typeOf(g.result(op)),
                   std::move(readElsewhere));
  }

  void carriedInPlace(OpId id) {
    const Op &op = g.ops[id];
    BlockId body = g.regions(op)[0];
    auto carried = carriedIn(body);
    followYields(body, carried);
    for (size_t i = 0; i < carried.size(); ++i) {
      ValueId init = g.operand(op, i + firstCarried(op.opcode));
      if (values.place[carried[i]] == Place::Buffer && plan.ofValue[init] != noBuffer &&
          values.place[init] != Place::InPlace)
        affinities.push_back({plan.ofValue[init], plan.ofValue[carried[i]], pointOf(id)});
    }
  }

  void followYields(BlockId region, std::span<const ValueId> targets) {
    OpId yield = yieldOf(region);
    auto yields = yieldsOf(region);
    for (size_t i = 0; i < targets.size(); ++i)
      if (values.place[targets[i]] == Place::Buffer)
        affinities.push_back({plan.ofValue[yields[i]], plan.ofValue[targets[i]], pointOf(yield)});
  }

  bool overlap(BufferId a, BufferId b) const {
    for (const Stretch &x : nodes[a].live)
      for (const Stretch &y : nodes[b].live) {
        uint32_t from = std::max(x.from, y.from), to = std::min(x.to, y.to);
        if (from < to ||
            (from == to && !mayFollow.contains({a, b, from}) && !mayFollow.contains({b, a, from})))
          return true;
      }
    return false;
  }

  bool groupsOverlap(const std::vector<BufferId> &a, const std::vector<BufferId> &b) const {
    for (BufferId x : a)
      for (BufferId y : b)
        if (overlap(x, y))
          return true;
    return false;
  }

  void merge(BufferId from, BufferId to) {
    uint32_t a = groupOf[from], b = groupOf[to];
    if (a == b || groupsOverlap(group[a], group[b]))
      return;
    for (BufferId member : group[b])
      groupOf[member] = a;
    group[a].insert(group[a].end(), group[b].begin(), group[b].end());
    group[b].clear();
  }

  /// A yielded value that stands in the buffer of another carried value of the same loop has to go
  /// by way of a buffer of its own, since all carried values change at once.
  void addMoves() {
    for (OpId id : values.order) {
      if (!isLoop(g.ops[id].opcode))
        continue;
      BlockId body = g.regions(g.ops[id])[0];
      OpId yield = yieldOf(body);
      auto carried = carriedIn(body), yields = yieldsOf(body);
      std::set<uint32_t> targets;
      for (size_t i = 0; i < yields.size(); ++i)
        if (values.place[carried[i]] == Place::Buffer)
          targets.insert(groupOf[plan.ofValue[carried[i]]]);
      for (size_t i = 0; i < yields.size(); ++i) {
        if (values.place[carried[i]] != Place::Buffer)
          continue;
        uint32_t from = groupOf[plan.ofValue[yields[i]]];
        if (from != groupOf[plan.ofValue[carried[i]]] && targets.contains(from)) {
          BufferId node =
              addNode(nodes[plan.ofValue[yields[i]]].bytes, pointOf(yield), pointOf(yield));
          plan.ofOp[{yield, Scratch::Move, uint32_t(i)}] = node;
          groupOf.push_back(uint32_t(group.size()));
          group.push_back({node});
        }
      }
    }
  }

  /// First fit, large buffers first. From here on a buffer is a group.
  void place() {
    std::vector<uint32_t> order;
    std::vector<size_t> bytes(group.size(), 0);
    for (uint32_t i = 0; i < group.size(); ++i) {
      for (BufferId member : group[i])
        bytes[i] = std::max(bytes[i], nodes[member].bytes);
      if (!group[i].empty())
        order.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](uint32_t a, uint32_t b) { return bytes[a] > bytes[b]; });
    plan.offset.assign(group.size(), 0);
    mayFollow.clear();
    std::vector<uint32_t> placed;
    for (uint32_t i : order) {
      std::vector<std::pair<size_t, size_t>> taken;
      for (uint32_t other : placed)
        if (groupsOverlap(group[i], group[other]))
          taken.push_back({plan.offset[other], plan.offset[other] + bytes[other]});
      std::sort(taken.begin(), taken.end());
      size_t at = 0;
      for (auto [from, to] : taken) {
        if (from >= at + bytes[i])
          break;
        at = std::max(at, to);
      }
      plan.offset[i] = at;
      plan.arenaBytes = std::max(plan.arenaBytes, at + bytes[i]);
      placed.push_back(i);
    }
    for (BufferId &buffer : plan.ofValue)
      if (buffer != noBuffer)
        buffer = groupOf[buffer];
    for (auto &[key, buffer] : plan.ofOp)
      buffer = groupOf[buffer];
  }
};

} // namespace

BufferPlan planBuffers(const Graph &graph, const ValuePlan &values, unsigned vectorBits) {
  BufferPlan plan = BufferPlanner(graph, values, vectorBits).run();
  // Behind all buffers, for the whole program.
  for (OpId id = 1; id < graph.ops.size(); ++id) {
    if (graph.ops[id].opcode != Opcode::AllocShared)
      continue;
    constexpr size_t line = 64;
    plan.arenaBytes = (plan.arenaBytes + line - 1) / line * line;
    plan.sharedMemory[id] = plan.arenaBytes;
    plan.arenaBytes += sharedBytes(graph, graph.ops[id]);
  }
  return plan;
}

} // namespace tl::host
