// Which loop of a nest gives the coordinate along each axis of a tile, and how. Broadcasts,
// permutations, slices and the like are nothing but changes of this map: they cost nothing where a
// tile is computed element by element.
#pragma once

#include "graph/element_map.h"

namespace tl::host {

struct AxisMap {
  /// By axis of the tile: the axis of the nest that runs along it, or -1 for a coordinate that is
  /// `offset`. Axes of extent 1 always have -1.
  std::array<int8_t, maxTileRank> axis = {-1, -1, -1, -1, -1};
  /// The tile's coordinate is step * the nest's + offset. Where the axis is -1, the step is 1.
  std::array<int64_t, maxTileRank> step = {1, 1, 1, 1, 1};
  std::array<int64_t, maxTileRank> offset = {};
  uint8_t rank = 0;

  auto operator<=>(const AxisMap &) const = default;
};

/// The map of a tile in a nest over its own axes.
AxisMap identityMap(const Type &tile);
/// The map of the piece's operand (of type `from`), from the map of the result.
AxisMap pieceMap(const ElementPiece &piece, const Type &from, const AxisMap &result);
/// The map of operand `index` of the op that gives `value`, element by element (elementwise ops,
/// gather, and what moves the elements of one operand), from the map of that result.
AxisMap operandMap(const Graph &graph, ValueId value, size_t index, const AxisMap &result);
/// True if all of a tile, read through `map` in a nest over `space`, is run through in row-major
/// order, as the nest does over its own elements.
bool inLinearOrder(const AxisMap &map, const Type &tile, const Type &space);

} // namespace tl::host
