#include "interp/composite.h"

#include "graph/fold_int.h"
#include "graph/infer_composite.h"
#include "interp/machine.h"
#include "interp/numbers.h"
#include "interp/possible.h"
#include "interp/tile_ops.h"

#include <array>
#include <cmath>
#include <initializer_list>

namespace tl::interp {

namespace {

TileValue tileOf(const Type &shape, DType dtype) {
  TileValue value;
  value.reset(shape.withDType(dtype));
  return value;
}

/// The u64 bits of random_bits, in the shape of `out`.
TileValue randomBits(const Type &shape, const TileValue &seed, const TileValue &offset,
                     Tracking &tracking) {
  TileValue bits = tileOf(shape, DType::U64);
  std::array<const TileValue *, 2> operands = {&seed, &offset};
  elementwise(Opcode::RandomBits, bits, operands, tracking);
  return bits;
}

/// An operation of floats on tiles of one type.
TileValue apply(Opcode opcode, std::initializer_list<const TileValue *> operands,
                Tracking &tracking) {
  TileValue out = tileOf((*operands.begin())->type, (*operands.begin())->type.dtype);
  elementwise(opcode, out, Operands(operands.begin(), operands.size()), tracking);
  return out;
}

/// `bits` of a u64, from bit `first` on, plus `more`, divided by 2^bits: exact.
TileValue fraction(const TileValue &random, DType dtype, unsigned first, unsigned bits,
                   uint64_t more) {
  TileValue out = tileOf(random.type, dtype);
  for (size_t i = 0; i < out.size(); ++i) {
    uint64_t part = uint64_t(random.ints[i]) >> first & ((uint64_t(1) << bits) - 1);
    out.floats[i] = std::ldexp(double(part + more), -int(bits));
    if (random.undecided(i))
      out.setDoubt(i, {0, 0, Undecided});
  }
  return out;
}

/// Of f32 or f64.
TileValue normal(const TileValue &random, DType dtype, Tracking &tracking) {
  const unsigned bits = dtype == DType::F64 ? 32 : 24;
  TileValue u = fraction(random, dtype, 64 - bits, bits, 1);
  TileValue v = fraction(random, dtype, 64 - 2 * bits, bits, 0);
  TileValue minusTwo = tileOf(Type::scalar(dtype), dtype), twoPi = minusTwo;
  minusTwo.floats[0] = -2;
  twoPi.floats[0] = roundTo(dtype, 2 * M_PI);
  TileValue logarithm = apply(Opcode::Log, {&u}, tracking);
  TileValue square = apply(Opcode::Mul, {&logarithm, &minusTwo}, tracking);
  TileValue distance = apply(Opcode::Sqrt, {&square}, tracking);
  TileValue angle = apply(Opcode::Mul, {&v, &twoPi}, tracking);
  TileValue cosine = apply(Opcode::Cos, {&angle}, tracking);
  return apply(Opcode::Mul, {&distance, &cosine}, tracking);
}

/// |a| in units of 2^-32 of the last bit that `type` keeps of it; what lies below is cut off.
struct Units {
  unsigned __int128 value;
  int last; // that bit's exponent
};
Units unitsOf(DType type, double a) {
  const DTypeInfo &info = dtypeInfo(type);
  double size = std::fabs(a);
  int last = std::max(std::ilogb(size), int(info.minExponent)) - (info.precision - 1);
  return {(unsigned __int128)(std::ldexp(size, 32 - last)), last};
}

double roundStochastically(DType type, double a, uint32_t bits, bool saturate) {
  const CastMode mode{Rounding::Nearest, saturate};
  if (std::isnan(a) || std::isinf(a) || a == 0)
    return roundTo(type, a, mode);
  Units units = unitsOf(type, a);
  uint64_t whole = uint64_t((units.value + bits) >> 32);
  double rounded = std::copysign(std::ldexp(double(whole), units.last), a);
  // Exact, or beyond the largest number.
  return roundTo(type, std::fabs(rounded) > largest(type) ? std::copysign(INFINITY, a) : rounded,
                 mode);
}

} // namespace

void random(Opcode opcode, TileValue &out, const TileValue &seed, const TileValue &offset,
            Tracking &tracking) {
  DType dtype = out.type.dtype;
  TileValue bits = randomBits(out.type, seed, offset, tracking);
  if (opcode == Opcode::Rand) {
    unsigned precision = dtypeInfo(dtype).precision;
    out = fraction(bits, dtype, 64 - precision, precision, 0);
    return;
  }
  DType computed = dtype == DType::F64 ? DType::F64 : DType::F32;
  TileValue numbers = normal(bits, computed, tracking);
  if (computed == dtype)
    out = std::move(numbers);
  else
    cast(out, numbers, {}, tracking);
}

void randomInteger(TileValue &out, Operands operands) {
  DType dtype = out.type.dtype;
  for (size_t i = 0; i < out.size(); ++i) {
    std::array<int64_t, 4> x;
    bool undecided = false;
    for (size_t k = 0; k < 4; ++k) {
      size_t j = elementOf(*operands[k], i);
      x[k] = operands[k]->ints[j];
      undecided |= operands[k]->undecided(j);
    }
    std::array<int64_t, 2> place = {x[0], x[1]};
    uint64_t bits = uint64_t(*foldInteger(Opcode::RandomBits, place, DType::U64));
    bool some = compareIntegers(Pred::Lt, x[2], x[3], dtype);
    uint64_t range = some ? uint64_t(x[3]) - uint64_t(x[2]) : 0;
    uint64_t above = uint64_t((unsigned __int128)(bits)*range >> 64);
    out.ints[i] = wrapInteger(int64_t(uint64_t(x[2]) + above), dtype);
    if (undecided)
      out.setDoubt(i, {0, 0, Undecided});
  }
}

void castStochastic(TileValue &out, const TileValue &a, const TileValue &bits, bool saturate) {
  DType type = out.type.dtype;
  for (size_t i = 0; i < out.size(); ++i) {
    size_t ia = elementOf(a, i), ib = elementOf(bits, i);
    double value = a.floats[ia], bound = a.bound(ia);
    out.floats[i] = roundStochastically(type, value, uint32_t(bits.ints[ib]), saturate);
    Doubt doubt;
    if (a.undecided(ia) || bits.undecided(ib)) {
      doubt.marks = Undecided;
    } else if (bound != 0) {
      double down = roundTo(type, value - bound, {Rounding::Down, saturate});
      double up = roundTo(type, value + bound, {Rounding::Up, saturate});
      doubt = std::isnan(down) || std::isnan(up)
                  ? Doubt{0, 0, Undecided}
                  : doubtOf<long double>(type, out.floats[i], {down, up, false});
    } else if (std::isnan(out.floats[i]) && dtypeInfo(type).specials != FloatSpecials::Zero) {
      doubt.marks = AnyNan;
    }
    out.setDoubt(i, doubt);
  }
}

void unpack(TileValue &out, const TileValue &bytes) {
  DType type = out.type.dtype;
  const unsigned bits = dtypeBits(type);
  for (size_t i = 0; i < out.size(); ++i) {
    // Groups are whole along the last axis, so that bits follow each other through the whole tile.
    size_t first = i * bits / 8, shift = i * bits % 8;
    uint64_t word = uint64_t(bytes.ints[first]);
    bool undecided = bytes.undecided(first);
    if (shift + bits > 8) {
      word |= uint64_t(bytes.ints[first + 1]) << 8;
      undecided |= bytes.undecided(first + 1);
    }
    uint64_t code = word >> shift & ((1u << bits) - 1);
    if (out.isFloat())
      out.floats[i] = decodeFloat(type, code);
    else
      out.ints[i] = decodeInteger(type, code);
    if (undecided)
      out.setDoubt(i, {0, 0, Undecided});
  }
}

void pack(TileValue &out, const TileValue &elements) {
  DType type = elements.type.dtype;
  const unsigned bits = dtypeBits(type);
  for (size_t i = 0; i < out.size(); ++i)
    out.ints[i] = 0;
  for (size_t i = 0; i < elements.size(); ++i) {
    uint64_t code = elements.isFloat() ? encodeFloat(type, elements.floats[i])
                                       : uint64_t(elements.ints[i]) & ((1u << bits) - 1);
    // Where another implementation's element may be another one, so may the byte.
    bool open = elements.undecided(i) || elements.bound(i) != 0;
    for (unsigned bit = 0; bit < bits; ++bit) {
      size_t at = i * bits + bit;
      out.ints[at / 8] |= int64_t(code >> bit & 1) << at % 8;
      if (open)
        out.setDoubt(at / 8, {0, 0, Undecided});
    }
  }
}

Status Machine::im2col(const Op &op) {
  const ViewValue &view = views[graph.operand(op, 0)];
  const Convolution c = convolutionOf(graph, op);
  TileValue &out = tiles[graph.result(op)];
  out.reset(graph.typeOf(graph.result(op)));
  fillNumber(out, graph.attr(op, AttrKey::Pad));
  auto extent = [&](size_t axis) { return std::max<int64_t>(view.extents[axis], 0); };
  using Wide = __int128;
  Wide size[2]; // of the output
  for (size_t i : {0, 1}) {
    Wide room =
        Wide(extent(1 + i)) + 2 * c.padding[i] - Wide(c.dilation[i]) * (c.kernel[i] - 1) - 1;
    size[i] = room < 0 ? 0 : room / c.strides[i] + 1;
  }
  const Wide rows = Wide(extent(0)) * size[0] * size[1];
  const Wide columns = Wide(c.kernel[0]) * c.kernel[1] * extent(3);
  auto scalars = graph.operands(op).subspan(1);
  bool open = view.at.undecided || anyUndecided(scalars);
  for (size_t i = 0, n = out.size(), width = size_t(out.type.dims[1]); i < n; ++i) {
    if (open)
      out.setDoubt(i, {0, 0, Undecided});
    Wide row = Wide(integer(scalars[0])) + Wide(i / width);
    Wide column = Wide(integer(scalars[1])) + Wide(i % width);
    if (row < 0 || row >= rows || column < 0 || column >= columns)
      continue;
    Wide at[4] = {row / (size[0] * size[1]), row / size[1] % size[0], row % size[1],
                  column % extent(3)};
    Wide tap[2] = {column / extent(3) / c.kernel[1], column / extent(3) % c.kernel[1]};
    uint64_t address = view.at.address;
    bool within = true;
    for (size_t axis = 0; axis < 4; ++axis) {
      if (axis == 1 || axis == 2)
        at[axis] = at[axis] * c.strides[axis - 1] - c.padding[axis - 1] +
                   tap[axis - 1] * c.dilation[axis - 1];
      within &= at[axis] >= 0 && at[axis] < extent(axis);
      address += uint64_t(at[axis]) * uint64_t(view.strides[axis]) * dtypeBytes(out.type.dtype);
    }
    if (!within)
      continue;
    out.setDoubt(i, {});
    TL_TRY(readElement(op, view, address, out, i));
    if (open)
      out.setDoubt(i, {0, 0, Undecided});
  }
  return {};
}

} // namespace tl::interp
