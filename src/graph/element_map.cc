#include "graph/element_map.h"

#include <algorithm>
#include <cassert>

namespace tl {

bool movesElements(Opcode opcode) {
  switch (opcode) {
  case Opcode::Broadcast:
  case Opcode::Reshape:
  case Opcode::Permute:
  case Opcode::ExpandDims:
  case Opcode::Slice:
  case Opcode::Flip:
  case Opcode::Split:
    return true;
  default:
    return joinsOperands(opcode);
  }
}

bool joinsOperands(Opcode opcode) {
  return opcode == Opcode::InsertSlice || opcode == Opcode::Concat || opcode == Opcode::Join;
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

/// All of the result from one operand, whose coordinates are 0 so far.
ElementPiece wholeOf(const Type &result) {
  ElementPiece piece;
  for (unsigned a = 0; a < result.rank; ++a)
    piece.high[a] = result.dims[a];
  return piece;
}

ElementPiece reshaped(const Type &from, const Type &to) {
  assert(keepsAxes(from, to));
  ElementPiece piece = wholeOf(to);
  unsigned j = 0;
  for (unsigned i = 0; i < from.rank; ++i) {
    if (from.dims[i] == 1)
      continue;
    while (to.dims[j] == 1)
      ++j;
    piece.source[i] = {int8_t(j++), 1, 0};
  }
  return piece;
}

ElementPiece permuted(const Type &to, std::span<const int64_t> perm) {
  ElementPiece piece = wholeOf(to);
  for (size_t i = 0; i < perm.size(); ++i)
    piece.source[size_t(perm[i])] = {int8_t(i), 1, 0};
  return piece;
}

ElementPiece broadcast(const Type &from, const Type &to) {
  ElementPiece piece = wholeOf(to);
  for (unsigned i = 0; i < from.rank; ++i)
    if (from.dims[i] != 1)
      piece.source[i] = {int8_t(i), 1, 0};
  return piece;
}

ElementPiece sliced(const Graph &g, const Op &op, const Type &to) {
  const std::vector<int64_t> &offsets = g.attr(op, AttrKey::Offsets)->list;
  const Attr *strides = g.attr(op, AttrKey::Strides);
  ElementPiece piece = wholeOf(to);
  for (unsigned i = 0; i < to.rank; ++i)
    piece.source[i] = {int8_t(i), strides ? strides->list[i] : 1, offsets[i]};
  return piece;
}

ElementPiece flipped(const Type &to, std::span<const int64_t> axes) {
  ElementPiece piece = wholeOf(to);
  for (unsigned i = 0; i < to.rank; ++i)
    piece.source[i] = {int8_t(i), 1, 0};
  for (int64_t axis : axes)
    piece.source[size_t(axis)] = {int8_t(axis), -1, to.dims[size_t(axis)] - 1};
  return piece;
}

/// The box from `low` on that has the extents of `from`, filled from all of it. Along axes of the
/// result beyond those of `from` it is one element wide.
ElementPiece placed(const Type &from, const Type &to, size_t operand,
                    const std::array<int64_t, maxTileRank> &low) {
  ElementPiece piece;
  piece.operand = operand;
  piece.low = low;
  for (unsigned i = 0; i < to.rank; ++i)
    piece.high[i] = low[i] + (i < from.rank ? from.dims[i] : 1);
  for (unsigned i = 0; i < from.rank; ++i)
    piece.source[i] = {int8_t(i), 1, -low[i]};
  return piece;
}

std::vector<ElementPiece> inserted(const Graph &g, const Op &op, const Type &to) {
  const std::vector<int64_t> &offsets = g.attr(op, AttrKey::Offsets)->list;
  std::array<int64_t, maxTileRank> low = {};
  std::copy(offsets.begin(), offsets.end(), low.begin());
  return {placed(to, to, 0, {}), placed(g.typeOf(g.operand(op, 1)), to, 1, low)};
}

/// The operands one after the other along an axis of the result, which they may lack.
std::vector<ElementPiece> stacked(const Graph &g, const Op &op, const Type &to, unsigned axis) {
  std::vector<ElementPiece> pieces;
  std::array<int64_t, maxTileRank> low = {};
  for (size_t i = 0; i < op.operands.count; ++i) {
    pieces.push_back(placed(g.typeOf(g.operand(op, i)), to, i, low));
    low[axis] = pieces.back().high[axis];
  }
  return pieces;
}

/// The elements at a coordinate of the operand's last axis.
ElementPiece lastAxisAt(const Type &to, int64_t coordinate) {
  ElementPiece piece = wholeOf(to);
  for (unsigned i = 0; i < to.rank; ++i)
    piece.source[i] = {int8_t(i), 1, 0};
  piece.source[to.rank] = {-1, 0, coordinate};
  return piece;
}

} // namespace

std::vector<ElementPiece> elementMap(const Graph &g, const Op &op, size_t index) {
  const Type &from = g.typeOf(g.operand(op, 0)), &to = g.typeOf(g.result(op, index));
  switch (op.opcode) {
  case Opcode::Broadcast:
    return {broadcast(from, to)};
  case Opcode::Permute:
    return {permuted(to, g.attr(op, AttrKey::Perm)->list)};
  case Opcode::Slice:
    return {sliced(g, op, to)};
  case Opcode::Flip:
    return {flipped(to, g.attr(op, AttrKey::Axes)->list)};
  case Opcode::InsertSlice:
    return inserted(g, op, to);
  case Opcode::Concat:
    return stacked(g, op, to, unsigned(g.intAttr(op, AttrKey::Axis)));
  case Opcode::Join:
    return stacked(g, op, to, to.rank - 1u);
  case Opcode::Split:
    return {lastAxisAt(to, int64_t(index))};
  default:
    assert(op.opcode == Opcode::Reshape || op.opcode == Opcode::ExpandDims);
    return {reshaped(from, to)};
  }
}

} // namespace tl
