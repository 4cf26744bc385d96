#include "passes/lower_composite.h"

#include "graph/infer_shared.h"
#include "passes/graph_writer.h"
#include "passes/rewrite.h"

#include <cmath>

namespace tl {

namespace {

using Writer = GraphWriter;

/// Bits first to first + bits - 1 of a u64, at most 32 of them for f32 and narrower floats, plus
/// `more`, times 2^-bits: exact.
ValueId fraction(Writer &w, ValueId random, DType dtype, unsigned first, unsigned bits,
                 int64_t more) {
  ValueId part = random;
  if (first > 0)
    part = w.op(Opcode::Shr, {part, w.constant(DType::U64, first)});
  if (first + bits < 64)
    part = w.op(Opcode::And, {part, w.constant(DType::U64, (int64_t(1) << bits) - 1)});
  if (more)
    part = w.op(Opcode::Add, {part, w.constant(DType::U64, more)});
  if (bits < 32)
    part = w.cast(part, DType::U32);
  return w.op(Opcode::Mul, {w.cast(part, dtype), w.number(dtype, std::ldexp(1.0, -int(bits)))});
}

ValueId writeNormal(Writer &w, ValueId random, DType dtype) {
  const unsigned bits = dtype == DType::F64 ? 32 : 24;
  ValueId u = fraction(w, random, dtype, 64 - bits, bits, 1);
  ValueId v = fraction(w, random, dtype, 64 - 2 * bits, bits, 0);
  ValueId square = w.op(Opcode::Mul, {w.op(Opcode::Log, {u}), w.number(dtype, -2)});
  ValueId angle = w.op(Opcode::Mul, {v, w.number(dtype, 2 * M_PI)});
  return w.op(Opcode::Mul, {w.op(Opcode::Sqrt, {square}), w.op(Opcode::Cos, {angle})});
}

ValueId writeInteger(Writer &w, ValueId random, ValueId lo, ValueId hi) {
  DType dtype = w.typeOf(lo).dtype;
  ValueId low = w.cast(lo, DType::U64);
  ValueId range = w.op(Opcode::Sub, {w.cast(hi, DType::U64), low});
  range = w.op(Opcode::Select, {w.compare(Pred::Lt, lo, hi), range, w.constant(DType::U64, 0)});
  return w.cast(w.op(Opcode::Add, {low, w.op(Opcode::MulHi, {random, range})}), dtype);
}

} // namespace

ValueId writeRandom(const Graph &graph, const Op &op, GraphCloner &cloner, GraphBuilder &builder) {
  Writer w(builder);
  auto operand = [&](size_t i) { return cloner.mapped(graph.operand(op, i)); };
  ValueId random = w.op(Opcode::RandomBits, {operand(0), operand(1)});
  if (op.opcode == Opcode::RandInt)
    return writeInteger(w, random, operand(2), operand(3));
  DType dtype = graph.typeOf(graph.result(op)).dtype;
  if (op.opcode == Opcode::Randn)
    return w.cast(writeNormal(w, random, dtype == DType::F64 ? DType::F64 : DType::F32), dtype);
  const unsigned precision = dtypeInfo(dtype).precision;
  return fraction(w, random, dtype, 64 - precision, precision, 0);
}

void writeCopy(const Graph &graph, const Op &op, GraphCloner &cloner, GraphBuilder &builder) {
  const CopyIndices at = copyIndices(graph, op);
  auto operands = [&](std::initializer_list<ValueId> first, std::span<const ValueId> indices) {
    std::vector<ValueId> list(first);
    for (ValueId v : indices)
      list.push_back(cloner.mapped(v));
    return list;
  };
  const Attr dims[] = {*graph.attr(op, AttrKey::Dims)};
  ValueId tile =
      builder.op(Opcode::Load, operands({cloner.mapped(graph.operand(op, 1))}, at.from), dims);
  builder.op(Opcode::Store, operands({tile, cloner.mapped(graph.operand(op, 0))}, at.to), {});
}

Result<Graph> lowerComposite(const Graph &graph) {
  return rewriteGraph(graph, [&](GraphCloner &cloner, GraphBuilder &builder, OpId id) {
    const Op &op = graph.ops[id];
    auto write = [&](auto part) {
      cloner.setMapped(graph.result(op), part(graph, op, cloner, builder));
      return true;
    };
    switch (opInfo(op.opcode).rule) {
    case Rule::Random:
    case Rule::RandomInt:
      return write(writeRandom);
    case Rule::CastStochastic:
      return write(writeCastStochastic);
    case Rule::Unpack:
    case Rule::Pack:
      return write(writePacking);
    case Rule::Im2col:
      return write(writeIm2col);
    case Rule::Copy:
      writeCopy(graph, op, cloner, builder);
      return true;
    case Rule::Wait: // a copy is done at once
      return true;
    default:
      return false;
    }
  });
}

} // namespace tl
