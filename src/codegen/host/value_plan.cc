#include "codegen/host/value_plan.h"

#include "codegen/host/expression.h"

#include <algorithm>

namespace tl::host {

namespace {

constexpr unsigned maxExpressionOps = 200; // of one Inline value, operands counted as often as used
constexpr unsigned maxExpressionDepth = 48;

/// What one element costs, about as many vector instructions.
unsigned elementCost(const Graph &g, const Op &op) {
  const Type &type = g.typeOf(g.result(op));
  bool small = type.dtype == DType::F16 || type.dtype == DType::BF16 || isNarrowFloat(type.dtype);
  if (movesElements(op.opcode))
    return 0;
  switch (op.opcode) {
  case Opcode::Full:
    return 0;
  case Opcode::Exp:
  case Opcode::Exp2:
  case Opcode::Log:
  case Opcode::Log2:
  case Opcode::Expm1:
    return 16;
  case Opcode::Log1p:
  case Opcode::Tanh:
  case Opcode::Sigmoid:
    return 24;
  case Opcode::Sin:
  case Opcode::Cos:
  case Opcode::Tan:
  case Opcode::Erf:
    return 40;
  case Opcode::Pow:
    return 70;
  case Opcode::Sqrt:
  case Opcode::Rsqrt:
  case Opcode::Rcp:
    return 6;
  case Opcode::Gather:
    return 10;
  case Opcode::RandomBits:
    return 80;
  case Opcode::Div:
    return isFloat(type.dtype) ? 5 : 20;
  case Opcode::Rem:
  case Opcode::FloorDiv:
  case Opcode::FloorMod:
  case Opcode::CeilDiv:
    return 20;
  case Opcode::Cast:
    return small ? 3 : isFloat(g.typeOf(g.operand(op, 0)).dtype) && !isFloat(type.dtype) ? 5 : 1;
  case Opcode::MulHi:
    return dtypeBits(type.dtype) == 64 ? 12 : 3;
  case Opcode::Popcount:
  case Opcode::Clz:
    return 6;
  case Opcode::Clamp:
    return isFloat(type.dtype) ? 6 : 2;
  case Opcode::MinNum:
  case Opcode::MaxNum:
  case Opcode::Min:
  case Opcode::Max:
    return isFloat(type.dtype) ? 3 : 1;
  default:
    return small ? 4 : 1;
  }
}

bool isTileOfRank(const Type &type) { return type.isTile() && type.rank > 0; }

/// A reshape that needs its operand's elements in memory.
bool needsMemory(const Graph &g, const Op &op) {
  return op.opcode == Opcode::Reshape &&
         !keepsAxes(g.typeOf(g.operand(op, 0)), g.typeOf(g.result(op)));
}

class ValuePlanner {
public:
  explicit ValuePlanner(const Graph &g)
      : g(g), size(g.values.size(), 0), depth(g.values.size(), 0), cost(g.values.size(), 1),
        keep(g.values.size(), false), large(g.values.size(), false),
        reshaped(g.values.size(), false), sites(g.values.size()) {
    plan.place.assign(g.values.size(), Place::None);
    plan.root.assign(g.values.size(), 0);
    plan.begin.assign(g.ops.size(), 0);
    plan.end.assign(g.ops.size(), 0);
  }

  ValuePlan run() {
    for (ValueId v = 1; v < g.values.size(); ++v)
      if (g.typeOf(v).isScalar())
        plan.place[v] = Place::Scalar;
    number(g.kernel.body);
    for (OpId id : plan.order)
      estimate(g.ops[id]);
    for (auto it = plan.order.rbegin(); it != plan.order.rend(); ++it)
      decide(*it);
    return std::move(plan);
  }

private:
  const Graph &g;
  ValuePlan plan;
  std::vector<uint32_t> size, depth, cost; // by value, were it Inline
  std::vector<bool> keep;                  // by value: must be a Buffer
  std::vector<bool> large;                 // by value: because of its size
  std::vector<bool> reshaped;              // by value: has an Alias
  std::vector<std::vector<Site>> sites;    // by value: who computes it, were it Inline
  std::vector<uint32_t> writes;            // numbers of ops that write memory, ascending
  uint32_t next = 1;

  /// Recursion is bounded by maxRegionDepth.
  void number(BlockId block) {
    for (OpId id : g.block(block).ops) {
      plan.begin[id] = next++;
      plan.order.push_back(id);
      if (writesMemory(g.ops[id].opcode) || isAtomic(g.ops[id].opcode))
        writes.push_back(plan.begin[id]);
      for (BlockId region : g.regions(g.ops[id]))
        number(region);
      plan.end[id] = g.ops[id].regions.count ? next++ : plan.begin[id];
    }
  }

  /// Size, depth and cost of a result as an expression; too large ones are kept and count as
  /// leaves.
  void estimate(const Op &op) {
    if (!computedByElement(op))
      return;
    for (ValueId v : g.results(op))
      if (isTileOfRank(g.typeOf(v)))
        estimate(op, v);
  }

  void estimate(const Op &op, ValueId v) {
    uint32_t total = 1, deepest = 0, sum = elementCost(g, op);
    for (ValueId operand : g.operands(op)) {
      if (!isTileOfRank(g.typeOf(operand)))
        continue;
      total += size[operand];
      deepest = std::max(deepest, depth[operand]);
      sum += cost[operand];
    }
    if (op.opcode == Opcode::Broadcast && cost[g.operand(op, 0)] > 3)
      keep[g.operand(op, 0)] = true;
    if (total > maxExpressionOps || deepest >= maxExpressionDepth || needsMemory(g, op)) {
      keep[v] = large[v] = !needsMemory(g, op);
      return;
    }
    size[v] = total;
    depth[v] = deepest + 1;
    cost[v] = op.opcode == Opcode::Full || op.opcode == Opcode::Iota ? 0 : sum;
  }

  static bool computedByElement(const Op &op) {
    return op.opcode != Opcode::Load && op.opcode != Opcode::Dot && op.regions.count == 0 &&
           !isAtomic(op.opcode) && !combinesAlongAxis(op.opcode) && !joinsOperands(op.opcode) &&
           op.opcode != Opcode::Take;
  }

  void decide(OpId id) {
    const Op &op = g.ops[id];
    if (isLoop(op.opcode))
      for (ValueId arg : g.block(g.regions(op)[0]).args)
        if (isTileOfRank(g.typeOf(arg)))
          plan.place[arg] = Place::Buffer;
    for (ValueId v : g.results(op))
      if (isTileOfRank(g.typeOf(v)))
        plan.place[v] = placeOf(id, v);
    if (computedByElement(op))
      for (ValueId v : g.results(op))
        if (plan.place[v] == Place::Buffer)
          plan.root[v] = rootOf(id, v);
    for (size_t i = 0; i < op.operands.count; ++i)
      if (isTileOfRank(g.typeOf(g.operand(op, i))))
        passOn(id, i);
  }

  Place placeOf(OpId id, ValueId v) {
    const Op &op = g.ops[id];
    if (isLoop(op.opcode) || op.opcode == Opcode::If)
      return Place::Buffer;
    if (sites[v].empty() && !keep[v])
      return Place::None;
    if (combinesAlongAxis(op.opcode) || joinsOperands(op.opcode) || isAtomic(op.opcode) ||
        op.opcode == Opcode::Dot || op.opcode == Opcode::Take)
      return Place::Buffer;
    if (needsMemory(g, op))
      return Place::Alias;
    if (keep[v])
      return Place::Buffer;
    if (op.opcode == Opcode::Load)
      return canReadLater(id, v) && !(sites[v].size() > 1 && unitAxis(g, op).axis < 0)
                 ? Place::InPlace
                 : Place::Buffer;
    if (op.opcode == Opcode::Gather)
      return sites[v].size() == 1 && canReadLater(id, v) && !feedsWrite(v) ? Place::Inline
                                                                           : Place::Buffer;
    size_t n = sites[v].size();
    return n > 1 && (n - 1) * cost[v] > 2 + 2 * n ? Place::Buffer : Place::Inline;
  }

  /// Tells operand `index` who computes it.
  void passOn(OpId id, size_t index) {
    const Op &op = g.ops[id];
    ValueId operand = g.operand(op, index);
    if (op.opcode == Opcode::Yield) {
      keep[operand] = true;
      return;
    }
    if (op.opcode == Opcode::Take && index == 0)
      keep[operand] = true; // its elements are read in any order
    std::vector<Site> &list = sites[operand];
    if (op.results.count == 0 || !computedByElement(op))
      list.push_back(siteOf(g, id, index));
    else
      for (ValueId result : g.results(op))
        switch (plan.place[result]) {
        case Place::Alias:
          keep[operand] = reshaped[operand] = true;
          break;
        case Place::Inline:
          list.insert(list.end(), sites[result].begin(), sites[result].end());
          break;
        case Place::Buffer:
          list.push_back({plan.root[result], 0});
          break;
        case Place::None:
          break;
        default:
          list.push_back(siteOf(g, id, index));
        }
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }

  /// No store comes between the read at `id` and any site that computes `v`. (A site's own store
  /// comes after its reads, which it sees to itself; a scatter does not.)
  bool canReadLater(OpId id, ValueId v) const {
    uint32_t from = plan.begin[id];
    for (const Site &site : sites[v]) {
      uint32_t to = plan.lastNeed(g, site.op, g.ops[id].block);
      auto write = std::upper_bound(writes.begin(), writes.end(), from);
      if ((write != writes.end() && *write < to) || g.ops[site.op].opcode == Opcode::Scatter ||
          isAtomic(g.ops[site.op].opcode))
        return false;
    }
    return true;
  }

  /// The op in whose loops a kept tile is computed: that of the first site, if this goes through
  /// the tile's elements in order and reads nothing else of it, else its own.
  OpId rootOf(OpId id, ValueId v) const {
    auto first = std::min_element(sites[v].begin(), sites[v].end(), [&](Site a, Site b) {
      return plan.begin[a.op] < plan.begin[b.op];
    });
    if (first == sites[v].end() || large[v] || reshaped[v] || !mayWait(id, first->op))
      return id;
    const Op &root = g.ops[first->op];
    ValueId value = combinesAlongAxis(root.opcode) ? g.operand(root, 0) : g.result(root);
    const Type &space = g.typeOf(value);
    Expression e;
    addExpression(g, plan, value, identityMap(space), first->op, e);
    if (e.operations + size[v] > maxExpressionOps)
      return id;
    for (const Leaf &leaf : e.leaves)
      if (leaf.value == v && !inLinearOrder(leaf.map, g.typeOf(v), space))
        return id;
    return first->op;
  }

  /// Whether `id` may be computed in the loops of `root`, as far as the ops themselves can tell.
  bool mayWait(OpId id, OpId root) const {
    const Op &op = g.ops[root];
    bool loops =
        (combinesAlongAxis(op.opcode) && op.operands.count == 1) ||
        (op.results.count == 1 && computedByElement(op) && plan.root[g.result(op)] == root);
    auto write = std::upper_bound(writes.begin(), writes.end(), plan.begin[id]);
    return loops && op.block == g.ops[id].block &&
           (write == writes.end() || *write > plan.begin[root]);
  }

  bool feedsWrite(ValueId v) const {
    return std::any_of(sites[v].begin(), sites[v].end(), [&](const Site &site) {
      return opInfo(g.ops[site.op].opcode).effect == Effect::Write;
    });
  }
};

} // namespace

uint32_t ValuePlan::lastNeed(const Graph &g, OpId user, BlockId home) const {
  uint32_t last = begin[user];
  for (BlockId block = g.ops[user].block; block != home;) {
    OpId parent = g.block(block).parent;
    if (isLoop(g.ops[parent].opcode))
      last = end[parent];
    block = g.ops[parent].block;
  }
  return last;
}

ValuePlan planValues(const Graph &graph) { return ValuePlanner(graph).run(); }

Site siteOf(const Graph &g, OpId op, size_t operand) {
  Opcode opcode = g.ops[op].opcode;
  bool separate = opcode == Opcode::Dot || isLoop(opcode) || joinsOperands(opcode);
  return {op, separate ? uint32_t(operand) : 0};
}

UnitAxis unitAxis(const Graph &g, const Op &op) {
  ValueId view = g.viewOperand(op);
  unsigned rank = g.typeOf(view).rank;
  std::vector<unsigned> axes = g.tileAxes(op);
  const Type &tile =
      op.opcode == Opcode::Store ? g.typeOf(g.operand(op, 0)) : g.typeOf(g.result(op));
  UnitAxis guess;
  for (unsigned i = 0; i < axes.size(); ++i) {
    if (tile.dims[i] == 1)
      continue;
    auto stride = g.viewStride(view, axes[i]);
    std::optional<int64_t> known;
    if (!stride)
      known = axes[i] + 1 == rank ? std::optional<int64_t>(1) : std::nullopt;
    else if (stride->kind == ViewDim::Kind::Literal)
      known = stride->literal;
    else if (stride->kind == ViewDim::Kind::Value)
      known = g.constantInt(stride->value);
    if (known == 1)
      return {int(i), true};
    // Strides given at run time: most arrays have their last axis contiguous.
    if (stride && !known && axes[i] + 1 == rank)
      guess = {int(i), false};
  }
  return guess;
}

} // namespace tl::host
