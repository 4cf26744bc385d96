// Which loop of a nest gives the coordinate along each axis of a tile. Broadcasts, permutations and
// the like are nothing but changes of this map: they cost nothing where a tile is computed element
// by element.
#pragma once

#include "graph/graph.h"

namespace tl::host {

struct AxisMap {
  /// By axis of the tile: the axis of the nest that runs along it, or -1 for coordinate 0. Axes of
  /// extent 1 always have -1.
  std::array<int8_t, maxTileRank> axis = {-1, -1, -1, -1, -1};
  uint8_t rank = 0;

  auto operator<=>(const AxisMap &) const = default;
};

/// The map of a tile in a nest over its own axes.
AxisMap identityMap(const Type &tile);
/// The map of operand `index` of an op that is computed element by element (elementwise ops, gather
/// and shape ops), from the map of its result.
AxisMap operandMap(const Graph &graph, const Op &op, size_t index, const AxisMap &result);
/// True if a tile read through `map` in a nest over `space` runs through its elements in row-major
/// order, as the nest does over its own.
bool inLinearOrder(const AxisMap &map, const Type &space);

/// A reshape that only inserts or removes axes of extent 1: the others stand in the same order.
bool keepsAxes(const Type &from, const Type &to);

} // namespace tl::host
