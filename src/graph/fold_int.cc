#include "graph/fold_int.h"

#include "graph/philox.h"

#include <bit>

namespace tl {

int64_t wrapInteger(int64_t v, DType dtype) {
  unsigned bits = dtypeBits(dtype);
  if (bits == 64)
    return v;
  uint64_t low = uint64_t(v) & ((uint64_t(1) << bits) - 1);
  if (isSigned(dtype) && (low >> (bits - 1)))
    low |= ~uint64_t(0) << bits;
  return int64_t(low);
}

namespace {

struct Quotient {
  int64_t quotient;
  int64_t remainder;
};

/// Truncating division with ops.def's rules: b = 0 gives (0, a); overflow wraps.
Quotient divideTruncating(int64_t a, int64_t b, bool isUnsignedType) {
  if (b == 0)
    return {0, a};
  if (isUnsignedType)
    return {int64_t(uint64_t(a) / uint64_t(b)), int64_t(uint64_t(a) % uint64_t(b))};
  if (b == -1)
    return {int64_t(0 - uint64_t(a)), 0};
  return {a / b, a % b};
}

int64_t randomBits(uint64_t seed, uint64_t offset) {
  auto words = philox({uint32_t(offset), uint32_t(offset >> 32), 0, 0},
                      {uint32_t(seed), uint32_t(seed >> 32)});
  return int64_t(uint64_t(words[1]) << 32 | words[0]);
}

int64_t highHalf(int64_t a, int64_t b, DType dtype) {
  unsigned bits = dtypeBits(dtype);
  if (isUnsigned(dtype))
    return int64_t(uint64_t((unsigned __int128)(uint64_t(a)) * uint64_t(b) >> bits));
  return int64_t((__int128)(a)*b >> bits);
}

int64_t shift(Opcode opcode, int64_t a, int64_t b, DType dtype) {
  unsigned bits = dtypeBits(dtype);
  uint64_t amount = uint64_t(b) & (bits == 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1);
  bool over = amount >= bits;
  if (opcode == Opcode::Shl)
    return over ? 0 : int64_t(uint64_t(a) << amount);
  if (isUnsigned(dtype))
    return over ? 0 : int64_t(uint64_t(a) >> amount);
  return a >> (over ? 63 : amount);
}

} // namespace

bool compareIntegers(Pred pred, int64_t a, int64_t b, DType dtype) {
  bool unsignedType = isUnsigned(dtype) || isBool(dtype);
  bool less = unsignedType ? uint64_t(a) < uint64_t(b) : a < b;
  switch (pred) {
  case Pred::Eq:
    return a == b;
  case Pred::Ne:
    return a != b;
  case Pred::Lt:
    return less;
  case Pred::Le:
    return less || a == b;
  case Pred::Gt:
    return !less && a != b;
  case Pred::Ge:
    return !less;
  default: // of floats
    return false;
  }
}

std::optional<int64_t> foldInteger(Opcode opcode, std::span<const int64_t> operands, DType dtype) {
  if (operands.empty() || operands.size() != opInfo(opcode).operands.size())
    return std::nullopt;
  int64_t a = operands[0], b = operands.back();
  bool unsignedType = isUnsigned(dtype);
  unsigned bits = dtypeBits(dtype);
  uint64_t low = uint64_t(a) & (~uint64_t(0) >> (64 - bits));
  auto wrap = [&](uint64_t v) { return wrapInteger(int64_t(v), dtype); };
  Quotient q = divideTruncating(a, b, unsignedType);
  bool inexact = b != 0 && q.remainder != 0;
  bool signsDiffer = !unsignedType && ((a < 0) != (b < 0));
  switch (opcode) {
  case Opcode::Add:
    return wrap(uint64_t(a) + uint64_t(b));
  case Opcode::Sub:
    return wrap(uint64_t(a) - uint64_t(b));
  case Opcode::Mul:
    return wrap(uint64_t(a) * uint64_t(b));
  case Opcode::Div:
    return wrap(uint64_t(q.quotient));
  case Opcode::Rem:
    return wrap(uint64_t(q.remainder));
  case Opcode::FloorDiv:
    return wrap(uint64_t(q.quotient) - (inexact && signsDiffer ? 1 : 0));
  case Opcode::FloorMod:
    return wrap(uint64_t(q.remainder) + (inexact && signsDiffer ? uint64_t(b) : 0));
  case Opcode::CeilDiv:
    return wrap(uint64_t(q.quotient) + (inexact && !signsDiffer ? 1 : 0));
  case Opcode::MulHi:
    return highHalf(a, b, dtype);
  case Opcode::RandomBits:
    return randomBits(uint64_t(a), uint64_t(b));
  case Opcode::Clamp: {
    int64_t low = operands[1];
    int64_t raised = compareIntegers(Pred::Gt, low, a, dtype) ? low : a;
    return compareIntegers(Pred::Lt, b, raised, dtype) ? b : raised;
  }
  case Opcode::Min:
    return compareIntegers(Pred::Lt, b, a, dtype) ? b : a;
  case Opcode::Max:
    return compareIntegers(Pred::Gt, b, a, dtype) ? b : a;
  case Opcode::Neg:
    return wrap(0 - uint64_t(a));
  case Opcode::Abs:
    return !unsignedType && a < 0 ? wrap(0 - uint64_t(a)) : a;
  case Opcode::And:
    return a & b;
  case Opcode::Or:
    return a | b;
  case Opcode::Xor:
    return wrap(uint64_t(a ^ b));
  case Opcode::Not:
    return wrap(~uint64_t(a));
  case Opcode::Shl:
  case Opcode::Shr:
    return wrap(uint64_t(shift(opcode, a, b, dtype)));
  case Opcode::Popcount:
    return std::popcount(low);
  case Opcode::Clz:
    return std::countl_zero(low) - int(64 - bits);
  default:
    return std::nullopt;
  }
}

} // namespace tl
