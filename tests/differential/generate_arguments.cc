#include "differential/generator.h"

#include "graph/fold_int.h"
#include "interp/numbers.h"

#include <algorithm>
#include <cmath>

namespace tl::test {

Fill Generator::randomFill() {
  static const std::vector<Fill> fills = {Fill::Small,    Fill::Ordinary, Fill::Ordinary,
                                          Fill::Ordinary, Fill::Ordinary, Fill::Wide,
                                          Fill::Special,  Fill::Ties};
  return random.pick(fills);
}

/// What a rounding to fewer bits gets wrong most easily: more than one rounding on the way, or
/// ties.
uint64_t Generator::nearTie(DType dtype) {
  static const std::vector<DType> narrower = {DType::F32, DType::F16, DType::BF16, DType::F8E4M3FN,
                                              DType::F8E5M2};
  unsigned kept = dtypeInfo(random.pick(narrower)).precision;
  uint64_t bits;
  unsigned dropped;
  if (isFloat(dtype)) {
    double v = (random.unit() - random.unit()) * (random.chance(80) ? 3 : 300);
    bits = interp::encodeFloat(dtype, interp::roundTo(dtype, v));
    unsigned has = dtypeInfo(dtype).precision;
    dropped = has > kept ? has - kept : 0;
  } else {
    unsigned length = unsigned(random.between(1, int64_t(dtypeBits(dtype)) - isSigned(dtype)));
    bits = random.bits() >> (64 - length) | uint64_t(1) << (length - 1);
    dropped = length > kept ? length - kept : 0;
  }
  if (dropped == 0)
    return bits;
  uint64_t half = uint64_t(1) << (dropped - 1);
  bits = (bits & ~(2 * half - 1)) | half;
  if (dropped > 1)
    bits += uint64_t(random.between(-1, 1));
  bool negative = isSigned(dtype) && random.chance(50);
  return (negative ? 0 - bits : bits) & (~uint64_t(0) >> (64 - dtypeBits(dtype)));
}

uint64_t Generator::randomBits(DType dtype, Fill fill) {
  uint64_t any = random.bits() >> (64 - dtypeBits(dtype));
  if (fill == Fill::Counts)
    return uint64_t(random.chance(80) ? random.between(1, 5) : random.between(-1, 6));
  if (isBool(dtype))
    return any;
  if (fill == Fill::Ties)
    return nearTie(dtype);
  if (fill == Fill::Special) // both for floats and integers: bits of the ends of the range
    switch (random.below(4)) {
    case 0:
      made.traits.specials |= isFloat(dtype);
      return isFloat(dtype) ? interp::encodeFloat(dtype, random.chance(50) ? INFINITY : -INFINITY)
                            : uint64_t(int64_t(-1) >> random.below(64));
    case 1:
      made.traits.specials |= isFloat(dtype);
      return isFloat(dtype) ? interp::encodeFloat(dtype, INFINITY) | any
                            : uint64_t(1) << random.below(64);
    case 2: // zeros and subnormal numbers
      return (any & 7) | (random.chance(50) ? uint64_t(1) << (dtypeBits(dtype) - 1) : 0);
    default:
      break;
    }
  if (!isFloat(dtype)) {
    if (fill == Fill::Small)
      return uint64_t(random.between(isUnsigned(dtype) ? 0 : -8, 8));
    return fill == Fill::Wide || random.chance(40) ? any : uint64_t(random.between(-100, 100));
  }
  if (fill == Fill::Small)
    return interp::encodeFloat(dtype, double(random.between(-8, 8)));
  if (fill == Fill::Wide && random.chance(50))
    return std::isfinite(interp::decodeFloat(dtype, any)) ? any : 0;
  double v = (random.unit() - random.unit()) * (random.chance(80) ? 3 : 30);
  return interp::encodeFloat(dtype, interp::roundTo(dtype, v));
}

int Generator::addBuffer(DType dtype, size_t count, Fill fill) {
  unsigned bytes = dtypeBytes(dtype);
  std::vector<uint8_t> memory(count * bytes);
  std::vector<uint64_t> permutation(count);
  for (size_t i = 0; i < count; ++i)
    permutation[i] = i;
  random.shuffle(permutation);
  for (size_t i = 0; i < count; ++i)
    interp::writeBytes(&memory[i * bytes],
                       fill == Fill::Permutation ? permutation[i] : randomBits(dtype, fill), bytes);
  made.buffers.push_back(std::move(memory));
  return int(made.buffers.size()) - 1;
}

static std::string argumentName(const GraphBuilder &b, const char *kind) {
  return kind + std::to_string(b.current().kernel.args.size());
}

ValueId Generator::addScalar(DType dtype, uint64_t bits) {
  Argument argument;
  argument.name = argumentName(b, "s");
  CaseArg bound;
  bound.scalar = isFloat(dtype) ? int64_t(bits) : wrapInteger(int64_t(bits), dtype);
  ValueId v = b.addArgument(std::move(argument), TypeKind::Tile, dtype);
  made.args.push_back(bound);
  return v;
}

ViewDim Generator::viewDim(int64_t value) {
  ViewDim dim;
  size_t choice = random.below(100);
  if (choice < 45 && value >= 0) {
    dim.literal = value;
  } else if (choice < 65) {
    dim.kind = ViewDim::Kind::Value;
    dim.value = addScalar(value == int32_t(value) ? indexType() : DType::I64, uint64_t(value));
  } else {
    dim.kind = ViewDim::Kind::Dynamic;
  }
  return dim;
}

static Dims contiguous(const Dims &extents) {
  Dims strides(extents.size(), 1);
  for (size_t axis = extents.size(); axis-- > 1;)
    strides[axis - 1] = strides[axis] * std::max<int64_t>(extents[axis], 1);
  return strides;
}

ValueId Generator::addView(DType dtype, const Dims &extents, const Dims &strides, int buffer,
                           size_t offset, bool distinct) {
  Argument argument;
  for (int64_t extent : extents)
    argument.extents.push_back(viewDim(extent));
  bool isContiguous = strides.empty() || strides == contiguous(extents);
  made.traits.strided |= !isContiguous;
  CaseArg bound;
  bound.buffer = buffer;
  bound.offset = offset;
  bound.extents = extents;
  bound.strides = strides.empty() ? contiguous(extents) : strides;
  if (!isContiguous || random.chance(20))
    for (int64_t stride : bound.strides)
      argument.strides.push_back(viewDim(stride));
  for (int64_t stride : bound.strides)
    bound.sizeKnown &= stride >= 0;
  argument.distinct = distinct;
  argument.name = argumentName(b, "v"); // after the scalars that its dimensions have made
  ValueId v = b.addArgument(std::move(argument), TypeKind::View, dtype);
  made.args.push_back(std::move(bound));
  return v;
}

ValueId Generator::addFreshView(DType dtype, const Dims &extents, Dims strides, Fill fill,
                                bool distinct) {
  Dims place = strides.empty() ? contiguous(extents) : strides;
  int64_t low = 0, high = 0;
  for (size_t axis = 0; axis < extents.size(); ++axis) {
    int64_t far = place[axis] * std::max<int64_t>(extents[axis] - 1, 0);
    (far < 0 ? low : high) += far;
  }
  size_t count = product(extents) > 0 ? size_t(high - low + 1) : 1;
  int buffer = addBuffer(dtype, count, fill);
  return addView(dtype, extents, strides, buffer, size_t(-low) * dtypeBytes(dtype), distinct);
}

ValueId Generator::addPointer(DType dtype, int buffer) {
  Argument argument;
  argument.name = argumentName(b, "p");
  CaseArg bound;
  bound.buffer = buffer;
  ValueId v = b.addArgument(std::move(argument), TypeKind::Pointer, dtype);
  made.args.push_back(bound);
  return v;
}

/// Rows with gaps, axes in another order in memory, repeated and backward axes.
Dims Generator::inputStrides(const Dims &extents) {
  size_t choice = random.below(100);
  if (choice < 55 || extents.empty())
    return {};
  Dims strides = outputStrides(extents);
  if (strides.empty())
    strides = contiguous(extents);
  if (choice < 65)
    strides[random.below(strides.size())] = 0;
  if (choice >= 65 && choice < 72) {
    int64_t &stride = strides[random.below(strides.size())];
    stride = -stride;
  }
  return strides;
}

/// Strides under which every element has a place of its own.
Dims Generator::outputStrides(const Dims &extents) {
  if (random.chance(55))
    return {};
  std::vector<size_t> order(extents.size());
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  if (random.chance(40))
    random.shuffle(order);
  Dims strides(extents.size());
  int64_t stride = random.chance(25) ? 2 : 1;
  for (size_t i = order.size(); i-- > 0;) {
    strides[order[i]] = stride;
    stride = stride * std::max<int64_t>(extents[order[i]], 1) +
             (random.chance(40) ? random.between(1, 5) : 0);
  }
  return strides;
}

} // namespace tl::test
