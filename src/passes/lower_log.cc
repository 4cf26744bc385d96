#include "passes/lower_log.h"

#include "artifact/log.h"
#include "graph/interface.h"
#include "passes/graph_writer.h"
#include "passes/rewrite.h"

#include <algorithm>

namespace tl {

namespace {

static_assert((kLogWords & (kLogWords - 1)) == 0, "words are found by a mask");

/// Writes lines of the log.
class LogWriter {
public:
  explicit LogWriter(GraphBuilder &builder) : w(builder), builder(builder) {
    ValueId memory = w.op(Opcode::Pointer, {launchLog(0)}, {GraphWriter::dtype(DType::U64)});
    control = viewOf(memory, int64_t(kLogControlWords));
    ValueId words =
        w.op(Opcode::ByteOffset, {memory, w.constant(DType::I64, 8 * int64_t(kLogControlWords))},
             {GraphWriter::dtype(DType::U64)});
    ring = viewOf(words, int64_t(kLogWords));
  }

  void print(uint32_t site, const std::vector<ValueId> &values) {
    std::vector<ValueId> words;
    for (ValueId v : values)
      words.push_back(asWords(v));
    line(site, words);
  }

  void assertion(uint32_t site, ValueId condition) {
    ValueId elements = condition;
    if (w.typeOf(condition).rank > 0)
      elements = w.op(Opcode::Reshape, {condition}, {dims({w.typeOf(condition).elements()})});
    ValueId failed = w.op(Opcode::Not, {elements}), first = w.constant(DType::I64, 0);
    if (w.typeOf(elements).rank > 0) {
      ValueId place = w.iota(DType::I64, GraphWriter::dimsOf(w.typeOf(elements)), 0);
      ValueId places = w.op(Opcode::Select, {failed, place, w.constant(DType::I64, INT64_MAX)});
      first = reduce(ReduceKind::Min, places);
      failed = reduce(ReduceKind::Any, failed);
    }
    std::vector<ValueId> none;
    builder.begin(Opcode::If, std::span(&failed, 1));
    count(LogControl::Failed, w.constant(DType::I1, 1));
    line(site, {asWords(first)});
    builder.end(none);
    builder.end(none);
  }

private:
  GraphWriter w;
  GraphBuilder &builder;
  ValueId control = 0, ring = 0;

  static Attr dims(std::vector<int64_t> list) {
    return GraphWriter::numbers(AttrKey::Dims, std::move(list));
  }
  static Attr systemScope() {
    return GraphWriter::number(AttrKey::Scope, int64_t(MemoryScope::System));
  }
  ValueId launchLog(int64_t axis) {
    return w.op(Opcode::LaunchLog, {}, {GraphWriter::number(AttrKey::Axis, axis)});
  }
  ValueId viewOf(ValueId memory, int64_t words) {
    return w.op(Opcode::MakeView,
                {memory, w.constant(DType::I64, words), w.constant(DType::I64, 1)});
  }
  ValueId reduce(ReduceKind kind, ValueId v) {
    return w.op(
        Opcode::Reduce, {v},
        {GraphWriter::number(AttrKey::Kind, int64_t(kind)), GraphWriter::number(AttrKey::Axis, 0)});
  }
  ValueId number(uint64_t value) { return w.constant(DType::U64, int64_t(value)); }
  ValueId placeOf(LogControl word) { return w.constant(DType::I64, int64_t(word)); }
  ValueId load(LogControl word) {
    return w.op(Opcode::AtomicLoad, {control, placeOf(word)}, {systemScope()});
  }
  void count(LogControl word, ValueId mask) {
    w.op(Opcode::AtomicAdd, {number(1), control, placeOf(word), mask}, {systemScope()});
  }

  /// Elements as words: floats by their bits, integers extended by their sign.
  ValueId asWords(ValueId v) {
    DType type = w.typeOf(v).dtype;
    if (isFloat(type)) {
      DType bits = dtypeBits(type) == 8    ? DType::U8
                   : dtypeBits(type) == 16 ? DType::U16
                   : dtypeBits(type) == 32 ? DType::U32
                                           : DType::U64;
      return w.cast(w.op(Opcode::Bitcast, {v}, {GraphWriter::dtype(bits)}), DType::U64);
    }
    return w.cast(v, DType::U64);
  }

  /// Takes words of the ring, unless it is full: the number of the first one, and whether there
  /// was room.
  std::pair<ValueId, ValueId> take(size_t words) {
    ValueId no = w.constant(DType::I1, 0);
    ValueId operands[] = {w.constant(DType::I1, 1), load(LogControl::Taken), no};
    std::vector<ValueId> args = builder.begin(Opcode::While, operands);
    ValueId from = args[0], end = w.op(Opcode::Add, {from, number(words)});
    ValueId used = w.op(Opcode::Sub, {end, load(LogControl::Read)});
    ValueId fits = w.compare(Pred::Le, used, number(kLogWords));
    ValueId found = w.op(Opcode::AtomicCas, {from, end, control, placeOf(LogControl::Taken), fits},
                         {systemScope()});
    ValueId again = w.op(Opcode::And, {fits, w.compare(Pred::Ne, found, from)});
    ValueId yields[] = {again, w.op(Opcode::Select, {again, found, from}), fits};
    std::vector<ValueId> results = builder.end(yields);
    return results.size() == 2 ? std::pair(results[0], results[1]) : std::pair(no, no);
  }

  /// Where a word of the ring stands; scalars and tiles.
  ValueId ringPlace(ValueId number_) {
    return w.cast(w.op(Opcode::And, {number_, number(kLogWords - 1)}), DType::I64);
  }
  ValueId after(ValueId first, size_t words) { return w.op(Opcode::Add, {first, number(words)}); }
  void put(ValueId word, ValueId at, ValueId fits) {
    w.op(Opcode::Scatter, {word, ring, ringPlace(at), fits});
  }

  /// Numbers 0, 1, ... of a tile's elements, row-major.
  ValueId elementNumbers(const Type &type) {
    std::vector<int64_t> extents = GraphWriter::dimsOf(type);
    ValueId sum = w.iota(DType::U64, extents, unsigned(type.rank - 1));
    int64_t stride = type.dims[type.rank - 1];
    for (unsigned axis = type.rank - 1; axis-- > 0; stride *= type.dims[axis]) {
      ValueId rows =
          w.op(Opcode::Mul, {w.iota(DType::U64, extents, axis), number(uint64_t(stride))});
      sum = w.op(Opcode::Add, {sum, rows});
    }
    return sum;
  }

  void line(uint32_t site, const std::vector<ValueId> &values) {
    size_t words = size_t(LogHeader::Count);
    for (ValueId v : values)
      words += size_t(w.typeOf(v).elements());
    auto [first, fits] = take(words);
    count(LogControl::Lost, w.op(Opcode::Not, {fits}));
    put(number(site), after(first, size_t(LogHeader::Site)), fits);
    put(launchLog(1), after(first, size_t(LogHeader::Tag)), fits);
    for (int64_t axis = 0; axis < 3; ++axis) {
      ValueId program = w.op(Opcode::ProgramId, {}, {GraphWriter::number(AttrKey::Axis, axis)});
      put(w.cast(program, DType::U64), after(first, size_t(LogHeader::Program) + size_t(axis)),
          fits);
    }
    size_t offset = size_t(LogHeader::Count);
    for (ValueId v : values) {
      ValueId at = after(first, offset);
      if (w.typeOf(v).rank > 0)
        at = w.op(Opcode::Add, {elementNumbers(w.typeOf(v)), at});
      put(v, at, fits);
      offset += size_t(w.typeOf(v).elements());
    }
    w.op(Opcode::AtomicStore, {after(first, 1), ring, ringPlace(first), fits},
         {GraphWriter::number(AttrKey::Order, int64_t(MemoryOrdering::Release)), systemScope()});
  }
};

} // namespace

Result<Graph> lowerLog(const Graph &graph) {
  std::vector<OpId> sites = logOps(graph);
  return rewriteGraph(graph, [&](GraphCloner &cloner, GraphBuilder &builder, OpId id) {
    const Op &op = graph.ops[id];
    if (!writesLog(op.opcode))
      return false;
    auto site = uint32_t(std::find(sites.begin(), sites.end(), id) - sites.begin());
    std::vector<ValueId> values;
    for (ValueId v : graph.operands(op))
      values.push_back(cloner.mapped(v));
    if (op.opcode == Opcode::Print)
      LogWriter(builder).print(site, values);
    else
      LogWriter(builder).assertion(site, values[0]);
    return true;
  });
}

} // namespace tl
