#include "graph/infer_composite.h"
#include "passes/graph_writer.h"
#include "passes/lower_composite.h"

namespace tl {

namespace {

using Writer = GraphWriter;

/// Index arithmetic in i64, on scalars and tiles.
class Indices {
public:
  explicit Indices(GraphBuilder &builder) : w(builder) {}
  Writer w;

  ValueId number(int64_t n) { return w.constant(DType::I64, n); }
  ValueId add(ValueId a, ValueId b) { return w.op(Opcode::Add, {a, b}); }
  ValueId mul(ValueId a, ValueId b) { return w.op(Opcode::Mul, {a, b}); }
  ValueId div(ValueId a, ValueId b) { return w.op(Opcode::FloorDiv, {a, b}); }
  ValueId mod(ValueId a, ValueId b) { return w.op(Opcode::FloorMod, {a, b}); }
  ValueId both(ValueId a, ValueId b) { return w.op(Opcode::And, {a, b}); }
  ValueId broadcast(ValueId v, const Dims &dims) {
    return w.op(Opcode::Broadcast, {v}, {Writer::numbers(AttrKey::Dims, dims)});
  }
  /// 0 <= v < end
  ValueId within(ValueId v, ValueId end) {
    return both(w.compare(Pred::Ge, v, number(0)), w.compare(Pred::Lt, v, end));
  }
  ValueId extent(ValueId view, unsigned axis) {
    ValueId given = w.op(Opcode::Extent, {view}, {Writer::number(AttrKey::Axis, axis)});
    return w.op(Opcode::Max, {given, number(0)});
  }
};

} // namespace

// Rows and columns are taken apart on their own, a division for each of them and not for each
// element.
ValueId writeIm2col(const Graph &graph, const Op &op, GraphCloner &cloner, GraphBuilder &builder) {
  Indices in(builder);
  const Convolution c = convolutionOf(graph, op);
  const Dims dims = Writer::dimsOf(graph.typeOf(graph.result(op)));
  ValueId view = cloner.mapped(graph.operand(op, 0));
  ValueId first[2];
  for (size_t i : {0, 1})
    first[i] = in.w.cast(cloner.mapped(graph.operand(op, 1 + i)), DType::I64);
  ValueId images = in.extent(view, 0), channels = in.extent(view, 3), size[2];
  for (size_t i : {0, 1}) {
    ValueId room = in.add(in.extent(view, unsigned(1 + i)),
                          in.number(2 * c.padding[i] - c.dilation[i] * (c.kernel[i] - 1) - 1));
    ValueId steps = in.add(in.div(room, in.number(c.strides[i])), in.number(1));
    size[i] = in.w.op(Opcode::Max, {steps, in.number(0)});
  }
  ValueId row = in.add(in.w.iota(DType::I64, {dims[0], 1}, 0), first[0]);
  ValueId column = in.add(in.w.iota(DType::I64, {1, dims[1]}, 1), first[1]);
  ValueId area = in.mul(size[0], size[1]);
  ValueId inRows = in.within(row, in.mul(images, area));
  ValueId inColumns = in.within(column, in.mul(in.number(c.kernel[0] * c.kernel[1]), channels));

  ValueId image = in.div(row, area), channel = in.mod(column, channels);
  ValueId tap = in.div(column, channels);
  ValueId output[2] = {in.mod(in.div(row, size[1]), size[0]), in.mod(row, size[1])};
  ValueId taps[2] = {in.div(tap, in.number(c.kernel[1])), in.mod(tap, in.number(c.kernel[1]))};
  ValueId at[2];
  for (size_t i : {0, 1}) {
    ValueId from = in.add(in.mul(output[i], in.number(c.strides[i])), in.number(-c.padding[i]));
    ValueId distance = in.mul(taps[i], in.number(c.dilation[i]));
    at[i] = in.add(in.broadcast(from, dims), in.broadcast(distance, dims));
  }
  ValueId mask = in.both(in.broadcast(inRows, dims), in.broadcast(inColumns, dims));
  std::vector<ValueId> operands = {view,  in.broadcast(image, dims),   at[0],
                                   at[1], in.broadcast(channel, dims), mask};
  std::vector<Attr> attrs;
  if (const Attr *pad = graph.attr(op, AttrKey::Pad))
    attrs.push_back(*pad);
  return builder.op(Opcode::Gather, operands, attrs);
}

} // namespace tl
