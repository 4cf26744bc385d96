// Numbers of the text form: how they are read, which element types they fit, how they are written
// so that reading gives the same bits.
#pragma once

#include "graph/graph.h"

#include <string_view>

namespace tl {

/// A number as written, before its element type is known.
struct Literal {
  enum class Kind : uint8_t { Integer, Float, Bool };
  Kind kind = Kind::Integer;
  bool negative = false;
  uint64_t magnitude = 0; // Integer (without its sign), Bool
  double f = 0;           // Float
};

/// Reads 12, -7, 0x1f, 1.5, -2e-3, 0x1.8p3, inf, -inf, nan, true, false. nullopt for anything else
/// and for numbers that are out of range.
std::optional<Literal> parseLiteral(std::string_view text);
/// The literal as an i64, if it is one.
std::optional<int64_t> literalInt(const Literal &literal);
/// The literal as an attribute of kind Number for element type `dtype`; nullopt if it is not a
/// value of that type (floats are rounded later, so every number is one of theirs).
std::optional<Attr> literalAttr(const Literal &literal, AttrKey key, DType dtype);

/// The shortest text that reads back as the same double: "0.1", "1.0", "-inf", "nan",
/// "nan(0x7ff8000000000001)".
std::string doubleText(double value);
/// An integer of `dtype` as the graph carries it: u64 as unsigned, i1 as true or false.
std::string integerText(int64_t value, DType dtype);
/// An attribute of kind Number for element type `dtype`.
std::string numberText(const Attr &attr, DType dtype);

/// The element type of a literal that stands for operand `index` of an op, by the rule of the text
/// form: that of the operands it must agree with, else i64; None where a literal cannot stand.
/// `operands` has 0 for literals; `suffix` is the element type written after ':' (or None).
DType literalType(const Graph &graph, Opcode opcode, std::span<const ValueId> operands,
                  size_t index, DType suffix);

} // namespace tl
