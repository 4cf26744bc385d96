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
  return {rowMajorStrides(resultShape)};
}

CoordinateMap CoordinateMap::permute(std::span<const int64_t> sourceShape,
                                     std::span<const int64_t> order) {
  assert(sourceShape.size() == order.size());
  std::vector<int64_t> source = rowMajorStrides(sourceShape), strides;
  for (int64_t axis : order)
    strides.push_back(source[size_t(axis)]);
  return {strides};
}

CoordinateMap CoordinateMap::broadcast(std::span<const int64_t> sourceShape,
                                       std::span<const int64_t> resultShape) {
  assert(sourceShape.size() <= resultShape.size());
  std::vector<int64_t> source = rowMajorStrides(sourceShape);
  std::vector<int64_t> strides(resultShape.size(), 0);
  size_t missing = resultShape.size() - sourceShape.size();
  for (size_t axis = 0; axis < sourceShape.size(); ++axis)
    strides[missing + axis] = sourceShape[axis] == 1 ? 0 : source[axis];
  return {strides};
}

namespace {

/// The proof, one register of the result at a time. Along each axis of the result the threads whose
/// element is inside the extent form a set of bit patterns that is closed under clearing bits, and
/// both row-major indices are sums over thread bits. So the indices agree in all those threads when
/// they agree in thread 0 and each bit that can be set inside the extent moves both alike. Equal
/// indices are equal coordinates as long as the source's stay inside its extents; their largest
/// values over the set can be computed exactly too.
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

  /// The source register that is this register of the result; nothing when there is none.
  std::optional<int32_t> convert(uint32_t resultRegister) const {
    TileCoordinates result = to.registerCoordinates(resultRegister);
    if (!isInside(to, result))
      return paddingRegister;
    TilePlace place = from.owner(sourceCoordinates(sourceIndexOf(result)));
    if (place.lane != 0 || place.wave != 0)
      return std::nullopt;
    for (const ThreadBit &bit : bits)
      if (isInside(to, sum(result, bit.result)) &&
          sourceIndexOf(bit.result) != indexInSource(bit.source))
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

  static TileCoordinates sum(TileCoordinates a, const TileCoordinates &b) {
    for (unsigned axis = 0; axis < maxLayoutRank; ++axis)
      a[axis] += b[axis];
    return a;
  }

  static bool isInside(const TileLayout &layout, const TileCoordinates &coordinates) {
    for (unsigned axis = 0; axis < layout.rank(); ++axis)
      if (coordinates[axis] >= layout.extent(axis))
        return false;
    return true;
  }

  /// The source's row-major index of what the operation puts at these coordinates of the result.
  int64_t sourceIndexOf(const TileCoordinates &result) const {
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

  /// Whether no thread that holds an element of the result looks at padding of the source. Axes of
  /// the result are independent, and along one of them the bits that move one source axis move it
  /// in proportion.
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
