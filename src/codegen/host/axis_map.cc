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

bool keepsAxes(const Type &from, const Type &to) {
  unsigned i = 0, j = 0;
  while (true) {
    while (i < from.rank && from.dims[i] == 1)
      ++i;
    while (j < to.rank && to.dims[j] == 1)
      ++j;
    if (i == from.rank || j == to.rank)
      return i == from.rank && j == to.rank;
    if (from.dims[i++] != to.dims[j++])
      return false;
  }
}

namespace {

/// Axes that are not of extent 1, in order, take over the loops of those of the other type.
AxisMap reshapedMap(const Type &from, const Type &to, const AxisMap &map) {
  AxisMap result;
  result.rank = from.rank;
  unsigned j = 0;
  for (unsigned i = 0; i < from.rank; ++i) {
    if (from.dims[i] == 1)
      continue;
    while (to.dims[j] == 1)
      ++j;
    result.axis[i] = map.axis[j++];
  }
  return result;
}

} // namespace

AxisMap operandMap(const Graph &g, const Op &op, size_t index, const AxisMap &result) {
  const Type &from = g.typeOf(g.operand(op, index));
  AxisMap map;
  map.rank = from.rank;
  if (from.rank == 0)
    return map;
  switch (op.opcode) {
  case Opcode::Permute: {
    const std::vector<int64_t> &perm = g.attr(op, AttrKey::Perm)->list;
    for (unsigned i = 0; i < from.rank; ++i)
      map.axis[size_t(perm[i])] = result.axis[i];
    break;
  }
  case Opcode::ExpandDims:
  case Opcode::Reshape:
    map = reshapedMap(from, g.typeOf(g.result(op)), result);
    break;
  default: // Broadcast and elementwise ops
    map.axis = result.axis;
  }
  for (unsigned i = 0; i < from.rank; ++i)
    if (from.dims[i] == 1)
      map.axis[i] = -1;
  return map;
}

bool inLinearOrder(const AxisMap &map, const Type &space) {
  unsigned i = 0;
  for (unsigned a = 0; a < space.rank; ++a) {
    if (space.dims[a] == 1)
      continue;
    while (i < map.rank && map.axis[i] == -1)
      ++i;
    if (i == map.rank || map.axis[i] != int8_t(a))
      return false;
    ++i;
  }
  while (i < map.rank && map.axis[i] == -1)
    ++i;
  return i == map.rank;
}

} // namespace tl::host
