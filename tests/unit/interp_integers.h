// The meaning of integer operations in integers that do not end, written from ops.def alone.
#pragma once

#include "graph/opcode.h"
#include "support/dtype.h"

namespace tl::test {

using Wide = __int128;

inline constexpr DType integerTypes[] = {DType::I8,  DType::U8,  DType::I16, DType::U16,
                                         DType::I32, DType::U32, DType::I64, DType::U64};

/// The value of an integer carrier.
inline Wide valueOf(int64_t v, DType type) {
  return isUnsigned(type) ? Wide(uint64_t(v)) : Wide(v);
}

inline Wide wrapped(Wide v, DType type) {
  Wide modulus = Wide(1) << dtypeBits(type);
  v = ((v % modulus) + modulus) % modulus;
  return !isUnsigned(type) && v >= modulus / 2 ? v - modulus : v;
}

inline Wide floorDivide(Wide a, Wide b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}

/// ops.def in unbounded integers, before wrapping.
inline Wide meaning(Opcode opcode, Wide a, Wide b, DType type) {
  int bits = int(dtypeBits(type));
  Wide amount = b < 0 ? b + (Wide(1) << bits) : b; // read as unsigned
  switch (opcode) {
  case Opcode::Add:
    return a + b;
  case Opcode::Sub:
    return a - b;
  case Opcode::Mul: // the low bits are all that wrapping keeps
    return Wide(uint64_t(a) * uint64_t(b));
  case Opcode::Div:
    return b == 0 ? 0 : a / b;
  case Opcode::Rem:
    return b == 0 ? a : a % b;
  case Opcode::FloorDiv:
    return b == 0 ? 0 : floorDivide(a, b);
  case Opcode::FloorMod:
    return b == 0 ? a : a - floorDivide(a, b) * b;
  case Opcode::CeilDiv:
    return b == 0 ? 0 : -floorDivide(-a, b);
  case Opcode::Min:
    return a < b ? a : b;
  case Opcode::Max:
    return a > b ? a : b;
  case Opcode::Neg:
    return -a;
  case Opcode::Abs:
    return a < 0 ? -a : a;
  case Opcode::Not:
    return -1 - a;
  case Opcode::Shl:
    return amount >= bits ? 0 : Wide(uint64_t(a) << int(amount));
  default: // Shr: division by a power of two, rounded down
    return floorDivide(a, Wide(1) << int(amount >= bits ? bits : amount));
  }
}

} // namespace tl::test
