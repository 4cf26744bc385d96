// When a shape operation needs no data movement: every thread already holds, in some register, each
// element of the result that the result's layout gives it. Proved on the layouts; what is not
// proved goes through shared memory, by the same CoordinateMap.
#pragma once

#include "layout/tile_layout.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tl {

/// Which element of the source a shape operation puts at a coordinate of its result, by the
/// source's row-major index: `offset` and the sum over the result's axes of coordinate * stride.
/// With the source in shared memory in row-major order, this is the address to read from, in
/// elements.
struct CoordinateMap {
  std::vector<int64_t> strides;
  int64_t offset = 0;

  /// Reshape, and with it identity (same shape) and expand_dims (new axes of extent 1): row-major
  /// order stays.
  static CoordinateMap reshape(std::span<const int64_t> resultShape);
  /// Result axis i is source axis order[i].
  static CoordinateMap permute(std::span<const int64_t> sourceShape,
                               std::span<const int64_t> order);
  /// Axes are aligned at the innermost; missing ones and those of extent 1 are repeated.
  static CoordinateMap broadcast(std::span<const int64_t> sourceShape,
                                 std::span<const int64_t> resultShape);
};

/// In a conversion: a register of the result whose every element is padding; any value will do.
inline constexpr int32_t paddingRegister = -1;

/// If every thread can make its part of a result in layout `to` from its own registers of a source
/// in layout `from`: for each register of the result, the source register it is (or
/// paddingRegister). Else nothing. Elements inside the extents are exact in all threads, copies
/// included; padding is arbitrary.
std::optional<std::vector<int32_t>>
registerOnlyConversion(const TileLayout &from, const TileLayout &to, const CoordinateMap &map);

} // namespace tl
