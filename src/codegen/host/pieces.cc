// Tiles put together from several: each piece is computed by loops of its own into its box of the
// result's buffer.
#include "codegen/host/nest.h"

namespace tl::host {

namespace {

/// The loops' space: a tile of the box's extents, and the result's coordinates in it.
struct PieceBox {
  Type space;
  AxisMap map;
};

PieceBox boxOf(const ElementPiece &piece, const Type &result) {
  PieceBox box;
  box.space = result;
  for (unsigned a = 0; a < result.rank; ++a)
    box.space.dims[a] = int32_t(piece.high[a] - piece.low[a]);
  box.map = identityMap(box.space);
  for (unsigned a = 0; a < result.rank; ++a)
    box.map.offset[a] = piece.low[a];
  return box;
}

} // namespace

void emitPieces(Emission &e, OpId id) {
  const Op &op = e.g.ops[id];
  ValueId result = e.g.result(op);
  if (e.values.place[result] == Place::None)
    return;
  const Type &type = e.typeOf(result);
  e.tile[result] = e.bufferTile(e.buffers.ofValue[result], type);
  for (const ElementPiece &piece : elementMap(e.g, op)) {
    PieceBox box = boxOf(piece, type);
    TileRef to = e.tile[result];
    llvm::Value *start = e.i64(0);
    for (unsigned a = 0; a < type.rank; ++a)
      start = e.ir.CreateAdd(start, e.ir.CreateMul(to.stride[a], e.i64(piece.low[a])));
    to.base = e.element(to.base, start, type.dtype);
    ValueId operand = e.g.operand(op, piece.operand);
    AxisMap map = pieceMap(piece, e.typeOf(operand), box.map);
    Expression expression;
    addExpression(e.g, e.values, operand, map, 0, expression);
    Nest nest(e);
    forEach(nest, e, shapeNest(e, box.space, expression, &to, -1), nullptr, [&] {
      nest.store(nest.evaluate(operand, map), to, identityMap(box.space), type.dtype);
    });
  }
}

} // namespace tl::host
