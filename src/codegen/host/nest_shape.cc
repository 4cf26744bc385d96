#include "codegen/host/nest.h"

#include <bit>
#include <cstdlib>

namespace tl::host {

namespace {

std::optional<int64_t> constant(llvm::Value *v) {
  auto *known = llvm::dyn_cast_or_null<llvm::ConstantInt>(v);
  return known ? std::optional<int64_t>(known->getSExtValue()) : std::nullopt;
}

/// The axis of a tile that a map ties to axis `a` of the nest, or -1.
int tileAxisAt(const AxisMap &map, unsigned a) {
  for (unsigned i = 0; i < map.rank; ++i)
    if (map.axis[i] == int8_t(a))
      return int(i);
  return -1;
}

/// Whether a tile holds axes `a` and `b` of the nest as one: going round in b and one on in a is
/// one step of b.
bool contiguous(const TileRef &tile, const AxisMap &map, unsigned a, unsigned b, int64_t extentB) {
  int i = tileAxisAt(map, a), j = tileAxisAt(map, b);
  if (i < 0 && j < 0)
    return true;
  if (i < 0 || j < 0)
    return false;
  auto outer = constant(tile.stride[size_t(i)]), inner = constant(tile.stride[size_t(j)]);
  return outer && inner && *outer * map.step[size_t(i)] == extentB * *inner * map.step[size_t(j)];
}

bool canJoin(const Emission &e, const Type &space, const Expression &expression,
             const TileRef &target, unsigned a, unsigned b) {
  int64_t extent = space.dims[b];
  if (!contiguous(target, identityMap(space), a, b, extent))
    return false;
  for (const Leaf &leaf : expression.leaves)
    if (!contiguous(e.tile[leaf.value], leaf.map, a, b, extent))
      return false;
  for (const AxisMap &map : expression.positions)
    if (tileAxisAt(map, a) >= 0 || tileAxisAt(map, b) >= 0)
      return false;
  return true;
}

int lastLongAxis(const Type &type) {
  for (unsigned i = type.rank; i-- > 0;)
    if (type.dims[i] != 1)
      return int(i);
  return -1;
}

} // namespace

int adjacentAxis(const Emission &e, const Leaf &leaf) {
  int axis = e.values.place[leaf.value] == Place::InPlace
                 ? unitAxis(e.g, *e.g.definingOp(leaf.value)).axis
                 : lastLongAxis(e.typeOf(leaf.value));
  bool adjacent = axis >= 0 && std::abs(leaf.map.step[size_t(axis)]) == 1;
  return adjacent ? leaf.map.axis[size_t(axis)] : -1;
}

NestShape shapeNest(const Emission &e, const Type &space, const Expression &expression,
                    const TileRef *target, int targetAxis) {
  NestShape shape;
  for (unsigned i = 0; i < maxTileRank; ++i)
    shape.extent[i] = i < space.rank ? space.dims[i] : 1;
  int previous = -1;
  for (unsigned i = 0; target && i < space.rank; ++i) {
    if (space.dims[i] == 1)
      continue;
    if (previous >= 0 && canJoin(e, space, expression, *target, unsigned(previous), i)) {
      shape.extent[i] *= shape.extent[size_t(previous)];
      shape.extent[size_t(previous)] = 1;
    }
    previous = int(i);
  }
  if (target)
    targetAxis = lastLongAxis(space);

  unsigned lanes = lanesFor(e, expression.laneBytes);
  double best = 0;
  for (unsigned a = 0; a < space.rank; ++a) {
    if (shape.extent[a] == 1)
      continue;
    double cost = targetAxis == int(a) ? 1 : targetAxis < 0 ? 0 : lanes;
    for (const Leaf &leaf : expression.kept)
      cost += adjacentAxis(e, leaf) == int(a) ? 1 : lanes;
    for (const Leaf &leaf : expression.leaves)
      cost += tileAxisAt(leaf.map, a) < 0 ? 0.25 : adjacentAxis(e, leaf) == int(a) ? 1 : lanes;
    auto fit = std::bit_floor(uint64_t(std::min<int64_t>(lanes, shape.extent[a])));
    cost = (cost + 0.5 + expression.operations) * lanes / double(fit);
    if (shape.vectorAxis < 0 || cost <= best) {
      shape.vectorAxis = int(a);
      shape.lanes = fit > 1 ? unsigned(fit) : 0;
      best = cost;
    }
  }
  shape.unroll = expression.operations <= 4 ? 4 : 0;
  return shape;
}

void forEach(Nest &nest, Emission &e, const NestShape &shape, const Box *box,
             llvm::function_ref<void()> body) {
  if (shape.vectorAxis < 0)
    return body();
  auto low = [&](unsigned a) { return box ? box->low[a] : e.i64(0); };
  auto high = [&](unsigned a) { return box ? box->high[a] : e.i64(shape.extent[a]); };
  // Axes from the outside in; recursion is at most maxTileRank deep.
  auto inside = [&](auto &self, unsigned a) -> void {
    while (a < maxTileRank && (shape.extent[a] == 1 || int(a) == shape.vectorAxis))
      ++a;
    if (a < maxTileRank)
      return nest.loop(a, low(a), high(a), 1, [&] { self(self, a + 1); });
    auto v = unsigned(shape.vectorAxis);
    nest.chunks(v, low(v), high(v), shape.lanes, body, shape.unroll);
  };
  inside(inside, 0);
}

} // namespace tl::host
