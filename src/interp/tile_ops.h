// Constants and the rows of ops.def with groups Shape, Reduce and Matrix, on whole tiles. `out` has
// its type already.
#pragma once

#include "graph/element_map.h"
#include "interp/elementwise.h"
#include "interp/tile_value.h"

#include <span>

namespace tl::interp {

/// Every element of `out` becomes the number of a Value or Pad attribute (null: 0).
void fillNumber(TileValue &out, const Attr *number);
/// Every element of `out` becomes the scalar.
void full(TileValue &out, const TileValue &scalar);
void iota(TileValue &out, unsigned axis);

void broadcast(TileValue &out, const TileValue &a);
/// Also expand_dims: the elements in row-major order stay.
void reshape(TileValue &out, const TileValue &a);
void permute(TileValue &out, const TileValue &a, std::span<const int64_t> perm);
/// The elements of the piece's box, from the tile that is its operand.
void fillPiece(TileValue &out, const TileValue &a, const ElementPiece &piece);

void reduce(TileValue &out, const TileValue &a, ReduceKind kind, unsigned axis,
            const Tracking &tracking);
/// Each element combined with all before it along the axis, or all after it.
void scan(TileValue &out, const TileValue &a, ReduceKind kind, unsigned axis, bool reverse,
          const Tracking &tracking);
/// Where the largest element is, or the smallest.
void argReduce(TileValue &out, const TileValue &a, bool largest, unsigned axis, Tracking &tracking);
/// Elements of `a` chosen along the axis.
void take(TileValue &out, const TileValue &a, const TileValue &index, unsigned axis);
/// The tiles in the order of the elements of the first along the axis, one result for each.
std::vector<TileValue> sort(std::span<const TileValue *const> tiles, unsigned axis, bool descending,
                            Tracking &tracking);
/// How often each number from 0 on stands in `a` where the mask (null: none) is true.
void histogram(TileValue &out, const TileValue &a, const TileValue *mask);
void dot(TileValue &out, const TileValue &a, const TileValue &b, const TileValue &acc,
         const Tracking &tracking);

/// Counts through the elements of a tile in row-major order.
class Coordinates {
public:
  explicit Coordinates(const Type &type) : type(type) {}
  int32_t operator[](unsigned axis) const { return at[axis]; }
  void next() {
    for (unsigned axis = type.rank; axis-- > 0;) {
      if (++at[axis] < type.dims[axis])
        return;
      at[axis] = 0;
    }
  }

private:
  const Type &type;
  std::array<int32_t, maxTileRank> at = {};
};

} // namespace tl::interp
