#include "passes/lower_order.h"

#include "passes/graph_writer.h"
#include "passes/rewrite.h"

#include <bit>

namespace tl {

namespace {

using Writer = GraphWriter;

/// The order of one tile's lines along an axis.
class LineSorter {
public:
  LineSorter(GraphBuilder &builder, ValueId keys, unsigned axis, bool descending)
      : w(builder), axis(axis), descending(descending), dims(Writer::dimsOf(w.typeOf(keys))),
        padded(dims) {
    padded[axis] = int64_t(std::bit_ceil(uint64_t(dims[axis])));
    makeItems(keys);
  }

  /// The places in the unsorted line, i32, in the order of what stands there.
  ValueId places() {
    if (padded[axis] > 1)
      runNetwork();
    ValueId all = items.back();
    if (items.size() == 1) // the lower half of (key, place)
      all = w.cast(all, DType::I32);
    return w.slice(all, dims);
  }

private:
  Writer w;
  unsigned axis;
  bool descending;
  Dims dims, padded;
  /// What the network moves: one tile of i64 with the key above the place, or for keys of 64 bits
  /// two tiles, key and place.
  std::vector<ValueId> items;

  /// Integers in the order of the elements: signed, of 32 bits or 64.
  ValueId ordered(ValueId v) {
    DType type = w.typeOf(v).dtype;
    bool wide = dtypeBits(type) == 64;
    DType key = wide ? DType::I64 : DType::I32;
    if (isFloat(type))
      return orderedFloats(w.cast(v, wide ? DType::F64 : DType::F32), key);
    if (isSigned(type) || dtypeBits(type) < 32)
      return w.cast(v, key);
    int64_t sign = wide ? INT64_MIN : int64_t(INT32_MIN);
    return w.op(Opcode::Xor,
                {w.op(Opcode::Bitcast, {v}, {Writer::dtype(key)}), w.constant(key, sign)});
  }

  /// The bits of IEEE numbers are in order as sign and magnitude. NaN becomes the largest integer,
  /// -0 becomes +0.
  ValueId orderedFloats(ValueId v, DType key) {
    ValueId zero = zeroOf(w.typeOf(v).dtype);
    ValueId isZero = w.compare(Pred::Eq, v, zero);
    ValueId bits =
        w.op(Opcode::Bitcast, {w.op(Opcode::Select, {isZero, zero, v})}, {Writer::dtype(key)});
    ValueId sign = w.op(Opcode::Shr, {bits, w.constant(key, dtypeBits(key) - 1)});
    ValueId magnitude = w.op(Opcode::And, {sign, w.constant(key, largest(key))});
    ValueId order = w.op(Opcode::Xor, {bits, magnitude});
    return w.op(Opcode::Select, {w.op(Opcode::IsNan, {v}), w.constant(key, largest(key)), order});
  }

  ValueId zeroOf(DType type) {
    Attr value;
    value.key = AttrKey::Value;
    value.isFloat = true;
    return w.op(Opcode::Const, {}, {value, Writer::dtype(type)});
  }

  static int64_t largest(DType key) { return key == DType::I64 ? INT64_MAX : INT32_MAX; }

  /// Behind the line, up to the power of two, stand the largest keys at places beyond all others.
  void makeItems(ValueId keys) {
    ValueId key = ordered(keys);
    DType type = w.typeOf(key).dtype;
    if (descending)
      key = w.op(Opcode::Not, {key});
    if (padded != dims) {
      Dims rest = dims;
      rest[axis] = padded[axis] - dims[axis];
      key = w.op(Opcode::Concat, {key, w.full(type, largest(type), rest)},
                 {Writer::number(AttrKey::Axis, axis)});
    }
    if (type == DType::I64) {
      items = {key, w.iota(DType::I32, padded, axis)};
      return;
    }
    ValueId high = w.op(Opcode::Shl, {w.cast(key, DType::I64), w.constant(DType::I64, 32)});
    items = {w.op(Opcode::Or, {high, w.iota(DType::I64, padded, axis)})};
  }

  /// Phase p makes sorted runs of 2^p, every other one backwards, in p steps: in step q each item
  /// meets the one whose place differs in bit p - 1 - q, and the less of the two goes below in runs
  /// that go up.
  void runNetwork() {
    int64_t phases = std::countr_zero(uint64_t(padded[axis]));
    ValueId one = w.constant(DType::I32, 1), zero = w.constant(DType::I32, 0);
    ValueId coordinate = w.iota(DType::I32, padded, axis);
    auto bitClear = [&](ValueId bit) {
      return w.compare(Pred::Eq, w.op(Opcode::And, {coordinate, bit}), zero);
    };
    items = w.loop(one, w.constant(DType::I32, phases + 1), items, [&](ValueId p, auto outer) {
      ValueId goesUp = bitClear(w.op(Opcode::Shl, {one, p}));
      return w.loop(zero, p, outer, [&](ValueId q, auto inner) {
        ValueId last = w.op(Opcode::Sub, {p, one});
        ValueId bit = w.op(Opcode::Shl, {one, w.op(Opcode::Sub, {last, q})});
        ValueId partner = w.op(Opcode::Xor, {coordinate, bit});
        ValueId keepsLess = w.compare(Pred::Eq, bitClear(bit), goesUp);
        std::vector<ValueId> others;
        for (ValueId item : inner)
          others.push_back(w.take(item, partner, axis));
        ValueId keeps = w.compare(Pred::Eq, less(inner, others), keepsLess);
        for (size_t i = 0; i < inner.size(); ++i)
          inner[i] = w.op(Opcode::Select, {keeps, inner[i], others[i]});
        return inner;
      });
    });
  }

  /// No two items are equal.
  ValueId less(const std::vector<ValueId> &a, const std::vector<ValueId> &b) {
    ValueId first = w.compare(Pred::Lt, a[0], b[0]);
    if (a.size() == 1)
      return first;
    ValueId tie =
        w.op(Opcode::And, {w.compare(Pred::Eq, a[0], b[0]), w.compare(Pred::Lt, a[1], b[1])});
    return w.op(Opcode::Or, {first, tie});
  }
};

void lowerSort(const Graph &graph, const Op &op, GraphCloner &cloner, GraphBuilder &builder) {
  Writer w(builder);
  unsigned axis = unsigned(graph.intAttr(op, AttrKey::Axis));
  ValueId keys = cloner.mapped(graph.operand(op, 0));
  ValueId places = LineSorter(builder, keys, axis, op.opcode != Opcode::Sort).places();
  for (size_t i = 0; i < op.operands.count; ++i)
    cloner.setMapped(graph.result(op, i),
                     w.take(cloner.mapped(graph.operand(op, i)), places, axis));
}

void lowerTopK(const Graph &graph, const Op &op, GraphCloner &cloner, GraphBuilder &builder) {
  Writer w(builder);
  unsigned axis = unsigned(graph.intAttr(op, AttrKey::Axis));
  ValueId a = cloner.mapped(graph.operand(op, 0));
  ValueId places = w.slice(LineSorter(builder, a, axis, true).places(),
                           Writer::dimsOf(graph.typeOf(graph.result(op, 0))));
  cloner.setMapped(graph.result(op, 0), w.take(a, places, axis));
  cloner.setMapped(graph.result(op, 1), places);
}

void lowerHistogram(const Graph &graph, const Op &op, GraphCloner &cloner, GraphBuilder &builder) {
  Writer w(builder);
  const Type &counts = graph.typeOf(graph.result(op));
  ValueId a = cloner.mapped(graph.operand(op, 0));
  DType type = w.typeOf(a).dtype;
  // In a type that has the elements as well as the numbers: a large u64 becomes negative.
  DType common = dtypeBits(type) < 32 || type == DType::I32 ? DType::I32 : DType::I64;
  Dims flat = {w.typeOf(a).elements()};
  auto flatten = [&](ValueId v) {
    if (w.typeOf(v).rank == 0)
      return w.op(Opcode::Full, {v}, {Writer::numbers(AttrKey::Dims, flat)});
    return w.op(Opcode::Reshape, {v}, {Writer::numbers(AttrKey::Dims, flat)});
  };
  ValueId elements = flatten(w.cast(a, common)), mask = 0;
  if (ValueId given = graph.maskOperand(op))
    mask = flatten(cloner.mapped(given));
  Dims dims = {counts.dims[0]};
  ValueId at = w.iota(common, dims, 0);
  std::vector<ValueId> result =
      w.loop(w.constant(DType::I64, 0), w.constant(DType::I64, counts.dims[0]),
             {w.full(counts.dtype, 0, dims)}, [&](ValueId i, auto carried) {
               ValueId number = w.cast(i, common);
               ValueId equal = w.compare(Pred::Eq, elements, number);
               if (mask)
                 equal = w.op(Opcode::And, {equal, mask});
               ValueId count = w.op(Opcode::Reduce, {w.cast(equal, counts.dtype)},
                                    {Writer::number(AttrKey::Kind, int64_t(ReduceKind::Sum)),
                                     Writer::number(AttrKey::Axis, 0)});
               ValueId here = w.compare(Pred::Eq, at, number);
               carried[0] = w.op(Opcode::Select, {here, count, carried[0]});
               return carried;
             });
  cloner.setMapped(graph.result(op), result[0]);
}

} // namespace

Result<Graph> lowerOrder(const Graph &graph) {
  return rewriteGraph(graph, [&](GraphCloner &cloner, GraphBuilder &builder, OpId id) {
    const Op &op = graph.ops[id];
    switch (opInfo(op.opcode).rule) {
    case Rule::Sort:
      lowerSort(graph, op, cloner, builder);
      return true;
    case Rule::TopK:
      lowerTopK(graph, op, cloner, builder);
      return true;
    case Rule::Histogram:
      lowerHistogram(graph, op, cloner, builder);
      return true;
    default:
      return false;
    }
  });
}

} // namespace tl
