// What passes write operations with.
#pragma once

#include "graph/builder.h"

namespace tl {

using Dims = std::vector<int64_t>;

/// Writes operations through a builder, with less ado.
class GraphWriter {
public:
  explicit GraphWriter(GraphBuilder &builder) : builder(builder) {}

  const Type &typeOf(ValueId v) const { return builder.current().typeOf(v); }
  static Dims dimsOf(const Type &type) { return {type.extents().begin(), type.extents().end()}; }

  ValueId op(Opcode opcode, std::initializer_list<ValueId> operands,
             std::initializer_list<Attr> attrs = {}) {
    return builder.op(opcode, {operands.begin(), operands.end()}, {attrs.begin(), attrs.end()});
  }
  static Attr number(AttrKey key, int64_t value) {
    Attr attr;
    attr.key = key;
    attr.i = value;
    return attr;
  }
  static Attr numbers(AttrKey key, Dims list) {
    Attr attr;
    attr.key = key;
    attr.list = std::move(list);
    return attr;
  }
  static Attr dtype(DType type) { return number(AttrKey::DType, int64_t(type)); }

  ValueId constant(DType type, int64_t value) {
    return op(Opcode::Const, {}, {number(AttrKey::Value, value), dtype(type)});
  }
  /// A constant of a float type.
  ValueId number(DType type, double value) {
    Attr attr;
    attr.key = AttrKey::Value;
    attr.isFloat = true;
    attr.f = value;
    return op(Opcode::Const, {}, {attr, dtype(type)});
  }
  ValueId full(DType type, int64_t value, const Dims &dims) {
    return op(Opcode::Full, {constant(type, value)}, {numbers(AttrKey::Dims, dims)});
  }
  ValueId iota(DType type, const Dims &dims, unsigned axis) {
    return op(Opcode::Iota, {},
              {numbers(AttrKey::Dims, dims), dtype(type), number(AttrKey::Axis, axis)});
  }
  ValueId cast(ValueId v, DType type) {
    return typeOf(v).dtype == type ? v : op(Opcode::Cast, {v}, {dtype(type)});
  }
  ValueId compare(Pred pred, ValueId a, ValueId b) {
    return op(Opcode::Cmp, {a, b}, {number(AttrKey::Pred, int64_t(pred))});
  }
  ValueId take(ValueId a, ValueId index, unsigned axis) {
    return op(Opcode::Take, {a, index}, {number(AttrKey::Axis, axis)});
  }
  ValueId slice(ValueId a, const Dims &dims) {
    if (dims == dimsOf(typeOf(a)))
      return a;
    return op(Opcode::Slice, {a},
              {numbers(AttrKey::Offsets, Dims(dims.size(), 0)), numbers(AttrKey::Dims, dims)});
  }
  /// A loop from lo to hi; `body` gets the counter and the carried values and gives the next ones.
  template <class Body>
  std::vector<ValueId> loop(ValueId lo, ValueId hi, const std::vector<ValueId> &carried,
                            Body body) {
    std::vector<ValueId> operands = {lo, hi, constant(typeOf(lo).dtype, 1)};
    operands.insert(operands.end(), carried.begin(), carried.end());
    std::vector<ValueId> args = builder.begin(Opcode::For, operands);
    return builder.end(body(args[0], std::vector<ValueId>(args.begin() + 1, args.end())));
  }

private:
  GraphBuilder &builder;
};

} // namespace tl
