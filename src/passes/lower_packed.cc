// Elements of few bits: packing, and rounding to them as random bits say.
#include "graph/infer_composite.h"
#include "passes/graph_writer.h"
#include "passes/lower_composite.h"

namespace tl {

namespace {

using Writer = GraphWriter;

/// Operations on u8, wrapped to it, whose second operand is a number.
class Bytes {
public:
  explicit Bytes(GraphBuilder &builder) : w(builder) {}
  Writer w;

  ValueId shl(ValueId v, int64_t n) { return n ? w.op(Opcode::Shl, {v, number(n)}) : v; }
  ValueId shr(ValueId v, int64_t n) { return n ? w.op(Opcode::Shr, {v, number(n)}) : v; }
  ValueId low(ValueId v, unsigned bits) {
    return w.op(Opcode::And, {v, number((int64_t(1) << bits) - 1)});
  }
  ValueId either(ValueId a, ValueId b) { return w.op(Opcode::Or, {a, b}); }
  ValueId reshape(ValueId v, const Dims &dims) {
    return w.op(Opcode::Reshape, {v}, {Writer::numbers(AttrKey::Dims, dims)});
  }
  ValueId bitcast(ValueId v, DType type) {
    return w.op(Opcode::Bitcast, {v}, {Writer::dtype(type)});
  }
  /// Column k of [rows, columns].
  ValueId column(ValueId v, int64_t k) {
    return w.op(Opcode::Slice, {v},
                {Writer::numbers(AttrKey::Offsets, {0, k}),
                 Writer::numbers(AttrKey::Dims, {w.typeOf(v).dims[0], 1})});
  }
  ValueId columns(std::initializer_list<ValueId> parts) {
    return w.op(Opcode::Concat, parts, {Writer::number(AttrKey::Axis, 1)});
  }

private:
  ValueId number(int64_t n) { return w.constant(DType::U8, n); }
};

/// Elements of groups in rows, from their bytes in rows.
ValueId unpackRows(Bytes &b, ValueId bytes, unsigned bits) {
  if (bits == 4)
    return b.columns({b.low(bytes, 4), b.shr(bytes, 4)});
  ValueId x = b.column(bytes, 0), y = b.column(bytes, 1), z = b.column(bytes, 2);
  return b.columns({b.low(x, 6), b.either(b.shr(x, 6), b.shl(b.low(y, 4), 2)),
                    b.either(b.shr(y, 4), b.shl(b.low(z, 2), 4)), b.shr(z, 2)});
}

ValueId packRows(Bytes &b, ValueId codes, unsigned bits) {
  if (bits == 4)
    return b.either(b.column(codes, 0), b.shl(b.column(codes, 1), 4));
  ValueId c[4];
  for (int64_t k = 0; k < 4; ++k)
    c[k] = b.column(codes, k);
  return b.columns({b.either(c[0], b.shl(c[1], 6)), b.either(b.shr(c[1], 2), b.shl(c[2], 4)),
                    b.either(b.shr(c[2], 4), b.shl(c[3], 2))});
}

/// The bit patterns of a narrow format.
struct Codes {
  int64_t largest, overflow, nan;

  Codes(const DTypeInfo &info, bool saturate) {
    const int64_t mantissa = info.precision - 1, allOnes = (int64_t(1) << (info.bits - 1)) - 1;
    const int64_t infinity = allOnes >> mantissa << mantissa;
    switch (info.specials) {
    case FloatSpecials::Nan:
      largest = allOnes - 1;
      overflow = nan = allOnes;
      break;
    case FloatSpecials::Zero:
      largest = allOnes;
      overflow = nan = allOnes + 1;
      break;
    case FloatSpecials::None:
      largest = overflow = nan = allOnes;
      break;
    default:
      largest = infinity - 1;
      overflow = infinity;
      nan = infinity | int64_t(1) << (mantissa - 1);
      break;
    }
    if (saturate)
      overflow = largest;
  }
};

} // namespace

ValueId writePacking(const Graph &graph, const Op &op, GraphCloner &cloner, GraphBuilder &builder) {
  Bytes b(builder);
  ValueId a = cloner.mapped(graph.operand(op, 0));
  const Type result = graph.typeOf(graph.result(op));
  const bool unpacks = op.opcode == Opcode::Unpack;
  const DType packed = unpacks ? result.dtype : b.w.typeOf(a).dtype;
  const PackedGroup group = packedGroup(packed);
  const unsigned bits = dtypeBits(packed);
  int64_t perRow = unpacks ? group.bytes : group.elements, count = b.w.typeOf(a).elements();
  if (!unpacks)
    a = b.low(b.bitcast(a, DType::U8), bits); // without an i4's sign
  ValueId rows = b.reshape(a, {count / perRow, perRow});
  rows = unpacks ? unpackRows(b, rows, bits) : packRows(b, rows, bits);
  ValueId whole = b.reshape(rows, Writer::dimsOf(result));
  return unpacks ? b.bitcast(whole, packed) : whole;
}

// |a| is a significand of 24 bits and an exponent. In a u64, with 32 bits behind the last one that
// the format keeps, the random bits are added and what is behind is dropped. With the exponent
// above it that is the format's code: codes of one sign are in the order of their numbers.
ValueId writeCastStochastic(const Graph &graph, const Op &op, GraphCloner &cloner,
                            GraphBuilder &builder) {
  Writer w(builder);
  ValueId a = cloner.mapped(graph.operand(op, 0)), random = cloner.mapped(graph.operand(op, 1));
  const DTypeInfo &info = dtypeInfo(graph.typeOf(graph.result(op)).dtype);
  const Codes codes(info, graph.castMode(op).saturate);
  const int64_t mantissa = info.precision - 1, least = 127 + info.minExponent;
  auto word = [&](int64_t v) { return w.constant(DType::U32, v); };
  auto on = [&](Opcode opcode, ValueId x, ValueId y) { return w.op(opcode, {x, y}); };

  ValueId bits = w.op(Opcode::Bitcast, {a}, {Writer::dtype(DType::U32)});
  ValueId magnitude = on(Opcode::And, bits, word(0x7fffffff));
  ValueId fraction = on(Opcode::And, bits, word(0x7fffff));
  ValueId isNormal = w.compare(Pred::Ne, fraction, magnitude);
  ValueId exponent = on(Opcode::Max, on(Opcode::Shr, magnitude, word(23)), word(1));
  ValueId hidden = w.op(Opcode::Select, {isNormal, word(0x800000), word(0)});
  ValueId significand = w.cast(on(Opcode::Or, fraction, hidden), DType::U64);
  ValueId kept = on(Opcode::Max, exponent, word(least));

  auto wide = [&](int64_t v) { return w.constant(DType::U64, v); };
  ValueId fixed = on(Opcode::Shl, significand, wide(8 + info.precision));
  fixed = on(Opcode::Shr, fixed, w.cast(on(Opcode::Sub, kept, exponent), DType::U64));
  ValueId sum = on(Opcode::Add, fixed, w.cast(random, DType::U64));
  ValueId units = w.cast(on(Opcode::Shr, sum, wide(32)), DType::U32);
  ValueId above = on(Opcode::Shl, on(Opcode::Sub, kept, word(least)), word(mantissa));
  ValueId code = on(Opcode::Add, units, above);

  ValueId isOver = w.compare(Pred::Gt, code, word(codes.largest));
  code = w.op(Opcode::Select, {isOver, word(codes.overflow), code});
  ValueId sign = on(Opcode::Shl, on(Opcode::Shr, bits, word(31)), word(info.bits - 1));
  if (info.specials == FloatSpecials::Zero) // it has no -0
    sign = w.op(Opcode::Select, {w.compare(Pred::Eq, code, word(0)), word(0), sign});
  code = on(Opcode::Or, code, sign);
  code = w.op(Opcode::Select, {w.op(Opcode::IsNan, {a}), word(codes.nan), code});
  DType container = info.bits > 8 ? DType::U16 : DType::U8;
  return w.op(Opcode::Bitcast, {w.cast(code, container)}, {Writer::dtype(info.type)});
}

} // namespace tl
