#include "interp/tile_ops.h"

#include "graph/fold_int.h"
#include "interp/numbers.h"

#include <algorithm>
#include <cmath>

namespace tl::interp {

void fillNumber(TileValue &out, const Attr *number) {
  if (!out.isFloat()) {
    std::fill(out.ints.begin(), out.ints.end(), number ? number->i : 0);
    return;
  }
  double value = roundTo(out.type.dtype, 0.0); // a scale has no 0
  if (number)
    value = number->isFloat ? roundTo(out.type.dtype, number->f)
                            : roundInteger(out.type.dtype, number->i, DType::I64);
  std::fill(out.floats.begin(), out.floats.end(), value);
  // Written as "nan": no particular bits, unless the type has one NaN of each sign at most.
  if (std::isnan(value) && dtypeInfo(out.type.dtype).specials == FloatSpecials::Ieee)
    for (size_t i = 0; i < out.size(); ++i)
      out.setDoubt(i, {0, 0, AnyNan});
}

void full(TileValue &out, const TileValue &scalar) {
  for (size_t i = 0, n = out.size(); i < n; ++i)
    out.copyElement(i, scalar, 0);
}

void iota(TileValue &out, unsigned axis) {
  Coordinates at(out.type);
  for (size_t i = 0, n = out.size(); i < n; ++i, at.next())
    out.ints[i] = wrapInteger(at[axis], out.type.dtype);
}

/// Element i of `out` is the element of `a` at the coordinates' sum of strides.
static void copyStrided(TileValue &out, const TileValue &a, const size_t *strides) {
  Coordinates at(out.type);
  for (size_t i = 0, n = out.size(); i < n; ++i, at.next()) {
    size_t from = 0;
    for (unsigned axis = 0; axis < out.type.rank; ++axis)
      from += size_t(at[axis]) * strides[axis];
    out.copyElement(i, a, from);
  }
}

/// Row-major strides of a tile.
static std::array<size_t, maxTileRank> stridesOf(const Type &type) {
  std::array<size_t, maxTileRank> strides = {};
  size_t stride = 1;
  for (unsigned axis = type.rank; axis-- > 0;) {
    strides[axis] = stride;
    stride *= size_t(type.dims[axis]);
  }
  return strides;
}

void broadcast(TileValue &out, const TileValue &a) {
  auto strides = stridesOf(a.type);
  for (unsigned axis = 0; axis < a.type.rank; ++axis)
    if (a.type.dims[axis] == 1)
      strides[axis] = 0;
  copyStrided(out, a, strides.data());
}

void reshape(TileValue &out, const TileValue &a) {
  for (size_t i = 0, n = out.size(); i < n; ++i)
    out.copyElement(i, a, i);
}

void permute(TileValue &out, const TileValue &a, std::span<const int64_t> perm) {
  auto from = stridesOf(a.type);
  std::array<size_t, maxTileRank> strides = {};
  for (size_t axis = 0; axis < perm.size(); ++axis)
    strides[axis] = from[size_t(perm[axis])];
  copyStrided(out, a, strides.data());
}

void fillPiece(TileValue &out, const TileValue &a, const ElementPiece &piece) {
  auto strides = stridesOf(a.type);
  Coordinates at(out.type);
  for (size_t i = 0, n = out.size(); i < n; ++i, at.next()) {
    bool inside = true;
    for (unsigned axis = 0; axis < out.type.rank; ++axis)
      inside = inside && at[axis] >= piece.low[axis] && at[axis] < piece.high[axis];
    if (!inside)
      continue;
    size_t from = 0;
    for (unsigned axis = 0; axis < a.type.rank; ++axis) {
      const CoordinateSource &source = piece.source[axis];
      int64_t along = source.axis < 0 ? 0 : at[unsigned(source.axis)];
      from += size_t(source.offset + source.step * along) * strides[axis];
    }
    out.copyElement(i, a, from);
  }
}

} // namespace tl::interp
