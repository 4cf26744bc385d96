#include "differential/shrink.h"

#include "differential/plain_arguments.h"
#include "graph/builder.h"
#include "graph/canonical.h"
#include "graph/text.h"
#include "interp/numbers.h"

#include <algorithm>
#include <optional>

namespace tl::test {

namespace {

/// One way of making a graph smaller.
struct Edit {
  enum Kind {
    None,
    OneProgram, // of the grid
    Drop,       // the op; its results become zeros
    Forward,    // results become operands from `which` on
    Unwrap,     // the body of region `which` stands in its place, once
  } kind = None;
  OpId op = 0;
  size_t which = 0;
};

/// Copies a graph with an edit; leaves arguments out that nothing uses.
class Rebuild {
public:
  Rebuild(const Graph &from, const Edit &edit, bool contract)
      : from(from), edit(edit), contract(contract), map(from.values.size(), 0) {}

  /// Nothing when the edit makes no valid graph. `kept` gets the arguments that remain.
  std::optional<Graph> run(std::vector<size_t> *kept) {
    to.setKernel(from.kernel.name);
    to.setContract(contract);
    copyArguments(kept);
    to.buildHead(true);
    copyBlock(from.kernel.head, from.block(from.kernel.head).ops.size());
    std::vector<ValueId> grid;
    for (ValueId v : from.kernel.grid)
      grid.push_back(edit.kind == Edit::OneProgram ? one() : map[v]);
    to.setHeadGrid(grid);
    to.buildHead(false);
    copyBlock(from.kernel.body, from.block(from.kernel.body).ops.size());
    auto graph = std::move(to).finish();
    if (!graph.ok())
      return std::nullopt;
    return canonicalize(*graph);
  }

private:
  const Graph &from;
  const Edit &edit;
  bool contract;
  GraphBuilder to;
  std::vector<ValueId> map;

  std::vector<bool> usedArguments() const {
    std::vector<bool> used(from.kernel.args.size(), false);
    auto use = [&](ValueId v) {
      ValueKind kind = from.values[v].kind;
      if (kind == ValueKind::Argument || kind == ValueKind::ImplicitDim)
        used[from.values[v].index] = true;
    };
    for (OpId id = 1; id < from.ops.size(); ++id)
      for (ValueId v : from.operands(from.ops[id]))
        use(v);
    for (ValueId v : from.kernel.grid)
      use(v);
    for (size_t i = used.size(); i-- > 0;)
      if (used[i])
        for (const auto *dims : {&from.kernel.args[i].extents, &from.kernel.args[i].strides})
          for (const ViewDim &dim : *dims)
            if (dim.value)
              use(dim.value);
    return used;
  }

  void copyArguments(std::vector<size_t> *kept) {
    std::vector<bool> used = usedArguments();
    for (size_t i = 0; i < used.size(); ++i) {
      if (!used[i])
        continue;
      kept->push_back(i);
      Argument copy = from.kernel.args[i];
      for (auto *dims : {&copy.extents, &copy.strides})
        for (ViewDim &dim : *dims)
          dim.value = dim.kind == ViewDim::Kind::Value ? map[dim.value] : 0;
      const Type &type = from.typeOf(copy.value);
      map[from.kernel.args[i].value] = to.addArgument(std::move(copy), type.kind, type.dtype);
      const Argument &added = to.current().kernel.args.back();
      for (size_t axis = 0; axis < added.extents.size(); ++axis) {
        map[from.kernel.args[i].extents[axis].value] = added.extents[axis].value;
        if (axis < added.strides.size())
          map[from.kernel.args[i].strides[axis].value] = added.strides[axis].value;
      }
    }
  }

  ValueId zero(const Type &type) {
    Attr value, dtype, dims;
    value.key = AttrKey::Value;
    value.isFloat = isFloat(type.dtype);
    dtype.key = AttrKey::DType;
    dtype.i = int64_t(type.dtype);
    ValueId scalar = to.op(Opcode::Const, {}, {value, dtype});
    dims.key = AttrKey::Dims;
    dims.list.assign(type.extents().begin(), type.extents().end());
    return type.rank == 0 ? scalar : to.op(Opcode::Full, {scalar}, {dims});
  }

  ValueId one() {
    Attr value, dtype;
    value.key = AttrKey::Value;
    value.i = 1;
    dtype.key = AttrKey::DType;
    dtype.i = int64_t(DType::I64);
    return to.op(Opcode::Const, {}, {value, dtype});
  }

  void copyBlock(BlockId block, size_t count) {
    for (size_t i = 0; i < count && to.ok(); ++i)
      copyOp(from.block(block).ops[i]);
  }

  std::vector<ValueId> mapped(std::span<const ValueId> values) const {
    std::vector<ValueId> list;
    for (ValueId v : values)
      list.push_back(map[v]);
    return list;
  }

  void setResults(const Op &op, const std::vector<ValueId> &values) {
    auto results = from.results(op);
    for (size_t i = 0; i < results.size() && i < values.size(); ++i)
      map[results[i]] = values[i];
  }

  /// True when it did something else than copying the op.
  bool applyEdit(OpId id, const Op &op) {
    if (edit.op != id)
      return false;
    if (edit.kind == Edit::Drop) {
      for (ValueId v : from.results(op)) {
        if (!from.typeOf(v).isTile())
          return false;
        map[v] = zero(from.typeOf(v));
      }
      return true;
    }
    if (edit.kind == Edit::Forward) {
      auto operands = from.operands(op).subspan(edit.which);
      setResults(op, mapped(operands));
      return true;
    }
    if (edit.kind == Edit::Unwrap) {
      const Block &block = from.block(from.regions(op)[edit.which]);
      const size_t before = carriedArgumentsAt(op.opcode); // the counter, which starts as operand 0
      for (size_t i = 0; i < block.args.size(); ++i)
        map[block.args[i]] =
            map[from.operand(op, i < before ? i : firstCarried(op.opcode) + i - before)];
      copyBlock(from.regions(op)[edit.which], block.ops.size() - 1);
      auto yields = from.operands(from.ops[block.ops.back()]);
      setResults(op, mapped(yields.subspan(carriedYieldsAt(op.opcode))));
      return true;
    }
    return false;
  }

  void copyOp(OpId id) {
    const Op &op = from.ops[id];
    if (applyEdit(id, op))
      return;
    std::vector<ValueId> operands = mapped(from.operands(op));
    std::vector<Attr> attrs(from.attrs(op).begin(), from.attrs(op).end());
    if (op.regions.count == 0)
      return setResults(op, to.resultsOf(to.op(op.opcode, operands, attrs)));
    std::vector<ValueId> args = to.begin(op.opcode, operands, attrs), results;
    for (BlockId region : from.regions(op)) {
      const Block &block = from.block(region);
      for (size_t i = 0; i < block.args.size() && i < args.size(); ++i)
        map[block.args[i]] = args[i];
      copyBlock(region, block.ops.size() - 1);
      results = to.end(mapped(from.operands(from.ops[block.ops.back()])));
    }
    setResults(op, results);
  }
};

/// The case with an edited graph, or nothing.
std::optional<Case> edited(const Case &c, const Edit &edit, bool contract) {
  std::vector<size_t> kept;
  auto graph = Rebuild(c.graph, edit, contract).run(&kept);
  if (!graph)
    return std::nullopt;
  Case smaller = c;
  smaller.graph = std::move(*graph);
  smaller.args.clear();
  for (size_t i : kept)
    smaller.args.push_back(c.args[i]);
  return withoutUnusedBuffers(smaller);
}

/// Scalars that tell programs apart.
std::vector<bool> programNumbers(const Graph &g) {
  std::vector<bool> found(g.values.size(), false);
  for (OpId id = 1; id < g.ops.size(); ++id) {
    const Op &op = g.ops[id];
    bool depends = op.opcode == Opcode::ProgramId;
    for (ValueId v : g.operands(op))
      depends |= found[v];
    for (ValueId v : g.results(op))
      found[v] = depends && g.typeOf(v).isScalar() && isInteger(g.typeOf(v).dtype);
  }
  return found;
}

/// Operations without which two programs, or two elements, would write to one place: what comes of
/// that is nobody's failure.
std::vector<bool> placesApart(const Graph &g, bool oneProgram) {
  std::vector<bool> kept(g.ops.size(), false), ofProgram = programNumbers(g);
  std::vector<ValueId> work;
  for (OpId id = 1; id < g.ops.size(); ++id) {
    const Op &op = g.ops[id];
    if (!writesMemory(op.opcode))
      continue;
    bool byElement = op.opcode == Opcode::Scatter || isAtomic(op.opcode);
    for (ValueId v : g.indexOperands(op))
      if (byElement || (!oneProgram && ofProgram[v]))
        work.push_back(v);
  }
  while (!work.empty()) {
    const Value &value = g.values[work.back()];
    work.pop_back();
    if (value.kind != ValueKind::OpResult || kept[value.op])
      continue;
    kept[value.op] = true;
    for (ValueId v : g.operands(g.ops[value.op]))
      work.push_back(v);
  }
  return kept;
}

/// What may be done to an op, the boldest first.
std::vector<Edit> editsOf(const Graph &g, OpId id, bool oneProgram) {
  const Op &op = g.ops[id];
  std::vector<Edit> edits;
  if (placesApart(g, oneProgram)[id])
    return edits;
  if (op.opcode == Opcode::Invalid || op.opcode == Opcode::Yield || op.block == g.kernel.head)
    return edits;
  edits.push_back({Edit::Drop, id, 0});
  for (size_t r = 0; r < op.regions.count && !hasCombineRegion(op.opcode); ++r)
    edits.push_back({Edit::Unwrap, id, r});
  if (isLoop(op.opcode)) {
    edits.push_back({Edit::Forward, id, firstCarried(op.opcode)});
  } else if (op.results.count == 1) {
    for (size_t i = 0; i < op.operands.count; ++i)
      if (g.typeOf(g.operand(op, i)) == g.typeOf(g.result(op)))
        edits.push_back({Edit::Forward, id, i});
  }
  return edits;
}

size_t opCount(const Graph &g) {
  size_t n = 0;
  for (const Block &block : g.blocks)
    n += block.ops.size();
  return n;
}

class Shrinker {
public:
  Shrinker(const Case &failing, const std::function<bool(const Case &)> &fails, unsigned attempts)
      : best(failing), fails(fails), left(attempts) {}

  Case run() {
    accept(edited(best, {}, best.graph.kernel.contract)); // canonical, without unused arguments
    accept(edited(best, {}, false));
    oneProgram = accept(edited(best, {Edit::OneProgram, 0, 0}, best.graph.kernel.contract));
    makeArgumentsPlain();
    while (left > 0 && (removeOps() || clearBuffers() || removeArguments()))
      ;
    return std::move(best);
  }

private:
  Case best;
  const std::function<bool(const Case &)> &fails;
  unsigned left;
  bool oneProgram = false;

  bool accept(std::optional<Case> candidate) {
    if (!candidate || left == 0)
      return false;
    --left;
    if (!fails(*candidate))
      return false;
    best = std::move(*candidate);
    return true;
  }

  /// All arguments at once, or those where the failure does not hang on it.
  void makeArgumentsPlain() {
    Case all = best;
    for (size_t i = 0; i < all.args.size(); ++i)
      if (auto plain = withPlainArgument(all, i))
        all = std::move(*plain);
    if (accept(edited(all, {}, best.graph.kernel.contract)))
      return;
    std::vector<std::string> names;
    for (const Argument &argument : best.graph.kernel.args)
      names.push_back(argument.name);
    for (const std::string &name : names) {
      const std::vector<Argument> &args = best.graph.kernel.args;
      auto found = std::find_if(args.begin(), args.end(),
                                [&](const Argument &argument) { return argument.name == name; });
      if (found == args.end()) // it was the extent of one before
        continue;
      if (auto plain = withPlainArgument(best, size_t(found - args.begin())))
        accept(edited(*plain, {}, best.graph.kernel.contract));
    }
  }

  bool removeOps() {
    bool any = false;
    // From the end: what is later depends on what is before.
    for (size_t id = best.graph.ops.size(); id-- > 1 && left > 0;) {
      id = std::min(id, best.graph.ops.size() - 1);
      for (const Edit &edit : editsOf(best.graph, OpId(id), oneProgram)) {
        auto candidate = edited(best, edit, best.graph.kernel.contract);
        if (!candidate || opCount(candidate->graph) >= opCount(best.graph))
          continue;
        if (accept(std::move(candidate))) {
          any = true;
          break;
        }
      }
    }
    return any;
  }

  /// Those whose last use the last edit made dead.
  bool removeArguments() {
    auto candidate = edited(best, {}, best.graph.kernel.contract);
    return candidate && candidate->args.size() < best.args.size() && accept(std::move(candidate));
  }

  bool clearBuffers() {
    bool any = false;
    for (size_t i = 0; i < best.buffers.size(); ++i) {
      Case candidate = best;
      std::vector<uint8_t> &bytes = candidate.buffers[i];
      if (std::all_of(bytes.begin(), bytes.end(), [](uint8_t b) { return b == 0; }))
        continue;
      std::fill(bytes.begin(), bytes.end(), 0);
      any |= accept(std::move(candidate));
    }
    return any;
  }
};

std::string listText(const std::vector<int64_t> &list) {
  std::string s = "[";
  for (int64_t v : list)
    s += (s.size() > 1 ? ", " : "") + std::to_string(v);
  return s + "]";
}

std::string elementsText(const std::vector<uint8_t> &bytes, DType type) {
  std::string s;
  unsigned size = dtypeBytes(type);
  for (size_t i = 0; i + size <= bytes.size(); i += size) {
    uint64_t bits = interp::readBytes(&bytes[i], size);
    s += isFloat(type) ? formatString(" %.9g(0x%llx)", interp::decodeFloat(type, bits),
                                      (unsigned long long)bits)
                       : formatString(" %lld", (long long)interp::decodeInteger(type, bits));
  }
  return s;
}

} // namespace

Case shrink(const Case &failing, const std::function<bool(const Case &)> &fails,
            unsigned attempts) {
  return Shrinker(failing, fails, attempts).run();
}

std::string caseText(const Case &c) {
  std::string s = "// seed " + std::to_string(c.seed) + "\n" + printText(c.graph).text;
  for (size_t i = 0; i < c.args.size(); ++i) {
    const Argument &argument = c.graph.kernel.args[i];
    const CaseArg &arg = c.args[i];
    s += "// " + argument.name;
    if (arg.buffer < 0) {
      s +=
          formatString(" = %lld (0x%llx)\n", (long long)arg.scalar, (unsigned long long)arg.scalar);
      continue;
    }
    const std::vector<uint8_t> &bytes = c.buffers[size_t(arg.buffer)];
    s +=
        formatString(": buffer %d of %zu bytes, at byte %zu", arg.buffer, bytes.size(), arg.offset);
    if (!arg.extents.empty())
      s += ", extents " + listText(arg.extents) + ", strides " + listText(arg.strides);
    DType type = c.graph.typeOf(argument.value).dtype;
    bool zero = std::all_of(bytes.begin(), bytes.end(), [](uint8_t b) { return b == 0; });
    s += zero                                   ? ", all zero\n"
         : bytes.size() / dtypeBytes(type) > 64 ? ", random\n"
                                                : ":" + elementsText(bytes, type) + "\n";
  }
  return s;
}

} // namespace tl::test
