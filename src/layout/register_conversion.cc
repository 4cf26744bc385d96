#include "layout/register_conversion.h"

#include <bit>
#include <cassert>

namespace tl {

static std::vector<int64_t> rowMajorStrides(std::span<const int64_t> shape) {
  std::vector<int64_t> strides(shape.size());
  int64_t stride = 1;
  for (size_t axis = shape.size(); axis-- > 0; stride *= shape[axis])
    strides[axis] = stride;
  return strides;
}

CoordinateMap CoordinateMap::reshape(std::span<const int64_t> resultShape) {
  return {rowMajorStrides(resultShape), 0};
}

CoordinateMap CoordinateMap::permute(std::span<const int64_t> sourceShape,
                                     std::span<const int64_t> order) {
  assert(sourceShape.size() == order.size());
  std::vector<int64_t> source = rowMajorStrides(sourceShape), strides;
  for (int64_t axis : order)
    strides.push_back(source[size_t(axis)]);
  return {strides, 0};
}

CoordinateMap CoordinateMap::broadcast(std::span<const int64_t> sourceShape,
                                       std::span<const int64_t> resultShape) {
  assert(sourceShape.size() <= resultShape.size());
  std::vector<int64_t> source = rowMajorStrides(sourceShape);
  std::vector<int64_t> strides(resultShape.size(), 0);
  size_t missing = resultShape.size() - sourceShape.size();
  for (size_t axis = 0; axis < sourceShape.size(); ++axis)
    strides[missing + axis] = sourceShape[axis] == 1 ? 0 : source[axis];
  return {strides, 0};
}

namespace {

/// The proof. Both sides' row-major indices in the source are a register's constant plus a sum over
/// thread bits, so they agree in all threads that hold an element, not padding, of a register of
/// the result exactly when
///   - every thread bit moves both alike: each bit alone stays inside the extents in register 0,
///     since half a block of an axis is less than its extent;
///   - they agree in thread 0, which holds an element if any thread does.
/// Equal indices are equal coordinates if the source's stay inside its extents. For that their
/// largest values over those threads are computed: along each axis of the result these threads are
/// the bit patterns up to a limit, and axes are independent.
class Converter {
public:
  Converter(const TileLayout &from, const TileLayout &to, const CoordinateMap &map)
      : from(from), to(to), map(map) {
    std::vector<int64_t> shape;
    for (unsigned axis = 0; axis < from.rank(); ++axis)
      shape.push_back(from.extent(axis));
    sourceStrides = rowMajorStrides(shape);
    for (unsigned bit = 0; bit < from.laneBits(); ++bit)
      bits.push_back({from.laneCoordinates(bit), to.laneCoordinates(bit)});
    for (unsigned bit = 0; bit < from.waveBits(); ++bit)
      bits.push_back({from.waveCoordinates(bit), to.waveCoordinates(bit)});
  }

  /// Whether each thread bit moves the source's index as the operation asks.
  bool threadBitsAgree() const {
    for (const ThreadBit &bit : bits)
      if (sourceStep(bit.result) != indexInSource(bit.source))
        return false;
    return true;
  }

  /// The source register that is this register of the result; nothing when there is none.
  std::optional<int32_t> convert(uint32_t resultRegister) const {
    TileCoordinates result = to.registerCoordinates(resultRegister);
    if (!isInside(to, result))
      return paddingRegister;
    TilePlace place = from.owner(sourceCoordinates(map.offset + sourceStep(result)));
    if (place.lane != 0 || place.wave != 0)
      return std::nullopt;
    if (!staysInside(from.registerCoordinates(place.registerIndex), result))
      return std::nullopt;
    return int32_t(place.registerIndex);
  }

private:
  /// What one bit of the thread number adds to the coordinates of either side.
  struct ThreadBit {
    TileCoordinates source, result;
  };

  static bool isInside(const TileLayout &layout, const TileCoordinates &coordinates) {
    for (unsigned axis = 0; axis < layout.rank(); ++axis)
      if (coordinates[axis] >= layout.extent(axis))
        return false;
    return true;
  }

  /// How far the source's row-major index of what the operation puts at these coordinates of the
  /// result lies behind that of the first element.
  int64_t sourceStep(const TileCoordinates &result) const {
    int64_t index = 0;
    for (unsigned axis = 0; axis < to.rank(); ++axis)
      index += result[axis] * map.strides[axis];
    return index;
  }

  int64_t indexInSource(const TileCoordinates &source) const {
    int64_t index = 0;
    for (unsigned axis = 0; axis < from.rank(); ++axis)
      index += source[axis] * sourceStrides[axis];
    return index;
  }

  TileCoordinates sourceCoordinates(int64_t index) const {
    TileCoordinates source{};
    for (unsigned axis = 0; axis < from.rank(); ++axis) {
      source[axis] = index / sourceStrides[axis];
      index %= sourceStrides[axis];
    }
    return source;
  }

  /// The largest number not above `limit` whose set bits are all in `mask`.
  static int64_t largestSubset(int64_t mask, int64_t limit) {
    int64_t subset = 0;
    for (; mask != 0; mask &= ~int64_t(std::bit_floor(uint64_t(mask)))) {
      int64_t highest = int64_t(std::bit_floor(uint64_t(mask)));
      if (subset + highest <= limit)
        subset += highest;
    }
    return subset;
  }

  /// Whether no thread that holds an element of the result looks at padding of the source. The
  /// thread bits that move one axis of both move them in proportion. (No blocked layout is known
  /// that passes all other tests and fails this one; the proof needs it.)
  bool staysInside(const TileCoordinates &source, const TileCoordinates &result) const {
    for (unsigned sourceAxis = 0; sourceAxis < from.rank(); ++sourceAxis) {
      int64_t largest = source[sourceAxis];
      for (unsigned axis = 0; axis < to.rank(); ++axis) {
        int64_t mask = 0;
        for (const ThreadBit &bit : bits)
          if (bit.source[sourceAxis] != 0)
            mask |= bit.result[axis];
        int64_t reach = largestSubset(mask, to.extent(axis) - 1 - result[axis]);
        largest += reach * map.strides[axis] / sourceStrides[sourceAxis];
      }
      if (largest >= from.extent(sourceAxis))
        return false;
    }
    return true;
  }

  const TileLayout &from;
  const TileLayout &to;
  const CoordinateMap &map;
  std::vector<int64_t> sourceStrides;
  std::vector<ThreadBit> bits;
};

} // namespace

std::optional<std::vector<int32_t>>
registerOnlyConversion(const TileLayout &from, const TileLayout &to, const CoordinateMap &map) {
  assert(map.strides.size() == to.rank());
  if (from.laneBits() != to.laneBits() || from.waveBits() != to.waveBits())
    return std::nullopt;
  Converter converter(from, to, map);
  if (!converter.threadBitsAgree())
    return std::nullopt;
  std::vector<int32_t> sources;
  for (uint32_t index = 0; index < to.numRegisters(); ++index) {
    std::optional<int32_t> source = converter.convert(index);
    if (!source)
      return std::nullopt;
    sources.push_back(*source);
  }
  return sources;
}

} // namespace tl
