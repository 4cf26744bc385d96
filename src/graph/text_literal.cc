#include "graph/text_literal.h"

#include "graph/fold_int.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <limits>

namespace tl {

std::optional<Literal> parseLiteral(std::string_view text) {
  Literal literal;
  if (text == "true" || text == "false") {
    literal.kind = Literal::Kind::Bool;
    literal.magnitude = text == "true";
    return literal;
  }
  literal.negative = text.starts_with('-');
  std::string_view digits = text.substr(literal.negative);
  if (digits == "inf" || digits == "nan") {
    literal.kind = Literal::Kind::Float;
    literal.f = digits == "inf" ? std::numeric_limits<double>::infinity()
                                : std::numeric_limits<double>::quiet_NaN();
    if (literal.negative)
      literal.f = -literal.f;
    return literal;
  }
  if (digits.empty() || digits[0] < '0' || digits[0] > '9')
    return std::nullopt;
  bool hex = digits.starts_with("0x") || digits.starts_with("0X");
  if (hex)
    digits.remove_prefix(2);
  if (digits.empty() || digits[0] == '-' || digits[0] == '+')
    return std::nullopt;
  const char *end = digits.data() + digits.size();
  auto whole = std::from_chars(digits.data(), end, literal.magnitude, hex ? 16 : 10);
  if (whole.ec == std::errc() && whole.ptr == end)
    return literal;
  if (whole.ec == std::errc::result_out_of_range && whole.ptr == end)
    return std::nullopt;
  literal.kind = Literal::Kind::Float;
  auto real = std::from_chars(digits.data(), end, literal.f,
                              hex ? std::chars_format::hex : std::chars_format::general);
  if (real.ec != std::errc() || real.ptr != end)
    return std::nullopt;
  if (literal.negative)
    literal.f = -literal.f;
  return literal;
}

std::optional<int64_t> literalInt(const Literal &literal) {
  std::optional<Attr> attr = literalAttr(literal, AttrKey::Value, DType::I64);
  return attr ? std::optional(attr->i) : std::nullopt;
}

std::optional<Attr> literalAttr(const Literal &literal, AttrKey key, DType dtype) {
  Attr attr;
  attr.key = key;
  if (isFloat(dtype)) {
    if (literal.kind == Literal::Kind::Bool)
      return std::nullopt;
    double magnitude = double(literal.magnitude);
    attr.isFloat = true;
    attr.f = literal.kind == Literal::Kind::Float ? literal.f
             : literal.negative                   ? -magnitude
                                                  : magnitude;
    return attr;
  }
  if (literal.kind == Literal::Kind::Float ||
      (literal.kind == Literal::Kind::Bool && !isBool(dtype)))
    return std::nullopt;
  constexpr uint64_t signBit = uint64_t(1) << 63;
  if (literal.negative ? literal.magnitude > signBit
                       : literal.magnitude >= signBit && dtype != DType::U64)
    return std::nullopt;
  if (literal.negative && literal.magnitude != 0 && !isSigned(dtype))
    return std::nullopt;
  attr.i = int64_t(literal.negative ? 0 - literal.magnitude : literal.magnitude);
  bool fits = isBool(dtype) ? literal.magnitude <= 1 : wrapInteger(attr.i, dtype) == attr.i;
  return fits ? std::optional(attr) : std::nullopt;
}

std::string doubleText(double value) {
  if (std::isnan(value)) {
    uint64_t bits = std::bit_cast<uint64_t>(value);
    return bits == 0x7ff8000000000000 ? "nan"
                                      : formatString("nan(0x%016llx)", (unsigned long long)bits);
  }
  if (std::isinf(value))
    return value < 0 ? "-inf" : "inf";
  char buffer[40];
  auto end = std::to_chars(buffer, buffer + sizeof buffer, value);
  std::string text(buffer, end.ptr);
  if (text.find_first_of(".e") == std::string::npos)
    text += ".0";
  return text;
}

std::string integerText(int64_t value, DType dtype) {
  if (isBool(dtype))
    return value ? "true" : "false";
  return dtype == DType::U64 ? std::to_string(uint64_t(value)) : std::to_string(value);
}

std::string numberText(const Attr &attr, DType dtype) {
  if (isFloat(dtype))
    return doubleText(attr.isFloat ? attr.f : double(attr.i));
  return integerText(attr.i, dtype);
}

DType literalType(const Graph &graph, Opcode opcode, std::span<const ValueId> operands,
                  size_t index, DType suffix) {
  auto agree = [&](size_t first, size_t last) {
    for (size_t i = first; i < last && i < operands.size(); ++i)
      if (operands[i] != 0)
        return graph.typeOf(operands[i]).dtype;
    return DType::I64;
  };
  switch (opInfo(opcode).rule) {
  case Rule::Full:
    return suffix;
  case Rule::Elementwise:
  case Rule::Compare:
    return agree(0, operands.size());
  case Rule::Select:
    return index == 0 ? DType::I1 : agree(1, 3);
  case Rule::Store:
  case Rule::Scatter:
  case Rule::Atomic: {
    size_t view = viewOperandAt(opcode);
    return index < view ? agree(view, view + 1) : DType::I64;
  }
  case Rule::For:
    return index < 3 ? agree(0, 3) : DType::None;
  case Rule::Pointer:
  case Rule::Random:
    return DType::U64;
  case Rule::RandomInt:
    return index < 2 ? DType::U64 : agree(2, 4);
  case Rule::CastStochastic:
    return index == 0 ? DType::F32 : DType::U32;
  case Rule::Unpack:
    return DType::U8;
  case Rule::Pack:
  case Rule::If:
  case Rule::While:
  case Rule::Exit:
  case Rule::Print:
  case Rule::Assert:
  case Rule::Yield:
    return DType::None;
  default:
    return DType::I64;
  }
}

} // namespace tl
