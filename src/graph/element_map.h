// Where the elements of a result come from, for the operations that move elements and compute
// nothing: the one table of them that the interpreter and the code generators share.
#pragma once

#include "graph/graph.h"

#include <array>
#include <vector>

namespace tl {

/// A coordinate of an operand: offset + step * the result's coordinate along `axis`, or the offset
/// alone where `axis` is -1.
struct CoordinateSource {
  int8_t axis = -1;
  int64_t step = 0;
  int64_t offset = 0;
};

/// A box of the result, low <= coordinate < high along each axis, that is filled from one operand.
struct ElementPiece {
  size_t operand = 0;
  std::array<int64_t, maxTileRank> low = {}, high = {};  // by axis of the result
  std::array<CoordinateSource, maxTileRank> source = {}; // by axis of the operand
};

/// Rules of group Shape: the operation moves elements. All but Reshape have a map in any case.
bool movesElements(Opcode opcode);
/// Of those, the ones whose result is put together from several operands.
bool joinsOperands(Opcode opcode);
/// A reshape that only inserts or removes axes of extent 1: the others stand in the same order.
bool keepsAxes(const Type &from, const Type &to);

/// The pieces of result `index` of an operation that movesElements (of reshapes, those that
/// keepsAxes). Together they fill the result; where two overlap, the later one counts. Inside a
/// piece's box the operand's coordinates lie within its extents.
std::vector<ElementPiece> elementMap(const Graph &graph, const Op &op, size_t index = 0);

} // namespace tl
