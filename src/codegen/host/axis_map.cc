#include "codegen/host/axis_map.h"

namespace tl::host {

AxisMap identityMap(const Type &tile) {
  AxisMap map;
  map.rank = tile.rank;
  for (unsigned i = 0; i < tile.rank; ++i)
    if (tile.dims[i] != 1)
      map.axis[i] = int8_t(i);
  return map;
}

AxisMap pieceMap(const ElementPiece &piece, const Type &from, const AxisMap &result) {
  AxisMap map;
  map.rank = from.rank;
  for (unsigned i = 0; i < from.rank; ++i) {
    const CoordinateSource &source = piece.source[i];
    map.offset[i] = source.offset;
    if (source.axis < 0)
      continue;
    auto a = size_t(source.axis);
    map.offset[i] += source.step * result.offset[a];
    map.axis[i] = result.axis[a];
    map.step[i] = map.axis[i] < 0 ? 1 : source.step * result.step[a];
  }
  return map;
}

AxisMap operandMap(const Graph &g, ValueId value, size_t index, const AxisMap &result) {
  const Op &op = *g.definingOp(value);
  const Type &from = g.typeOf(g.operand(op, index));
  AxisMap map;
  map.rank = from.rank;
  if (from.rank == 0)
    return map;
  if (movesElements(op.opcode))
    return pieceMap(elementMap(g, op, g.values[value].index)[0], from, result);
  map = result;
  map.rank = from.rank;
  return map;
}

bool inLinearOrder(const AxisMap &map, const Type &tile, const Type &space) {
  unsigned i = 0;
  auto skip = [&] {
    while (i < tile.rank && tile.dims[i] == 1)
      ++i;
  };
  skip();
  for (unsigned a = 0; a < space.rank; ++a) {
    if (space.dims[a] == 1)
      continue;
    if (i == tile.rank || map.axis[i] != int8_t(a) || map.step[i] != 1 || map.offset[i] != 0 ||
        tile.dims[i] != space.dims[a])
      return false;
    ++i;
    skip();
  }
  return i == tile.rank;
}

} // namespace tl::host
