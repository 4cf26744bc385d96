// Operations that choose, order or count the elements of a tile.
#include "graph/fold_int.h"
#include "interp/lines.h"
#include "interp/machine.h"
#include "interp/numbers.h"
#include "interp/tile_ops.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tl::interp {

void take(TileValue &out, const TileValue &a, const TileValue &index, unsigned axis) {
  Lines from(a.type, axis), to(index.type, axis);
  for (size_t i = 0; i < to.count; ++i) {
    Line source = from[i], target = to[i];
    for (size_t k = 0; k < target.count; ++k) {
      int64_t chosen = index.ints[target[k]];
      if (chosen >= 0 && chosen < int64_t(source.count))
        out.copyElement(target[k], a, source[size_t(chosen)]);
      else if (out.isFloat())
        out.floats[target[k]] = decodeFloat(out.type.dtype, 0);
      else
        out.ints[target[k]] = 0;
      if (index.undecided(target[k]))
        out.setDoubt(target[k], {0, 0, Undecided});
    }
  }
}

namespace {

/// One line of the tile that is compared.
class LineOrder {
public:
  LineOrder(const TileValue &keys, const Line &line, bool descending)
      : keys(keys), line(line), descending(descending), order(line.count), open(line.count, false),
        reach(line.count, 0) {
    std::iota(order.begin(), order.end(), size_t(0));
    std::stable_sort(order.begin(), order.end(), [&](size_t i, size_t j) { return before(i, j); });
    for (size_t k = 0; k < line.count; ++k)
      undecided |= keys.undecided(line[k]);
    if (keys.isFloat())
      findClusters();
  }

  /// Which element of the line stands at place k.
  size_t at(size_t k) const { return order[k]; }
  /// Another implementation may have another element there.
  bool isOpen(size_t k) const { return undecided || open[k]; }
  bool allOpen() const { return undecided; }
  /// How far the key there may be from another implementation's, where its place is open.
  double distance(size_t k) const { return reach[k]; }
  bool anyOpen() const {
    return undecided || std::find(open.begin(), open.end(), true) != open.end();
  }

private:
  const TileValue &keys;
  Line line;
  bool descending;
  std::vector<size_t> order;
  std::vector<bool> open;    // by place
  std::vector<double> reach; // by place
  bool undecided = false;

  bool before(size_t i, size_t j) const {
    if (descending)
      std::swap(i, j); // is j less than i; equal elements stay as they are
    if (!keys.isFloat())
      return compareIntegers(Pred::Lt, keys.ints[line[i]], keys.ints[line[j]], keys.type.dtype);
    double x = keys.floats[line[i]], y = keys.floats[line[j]];
    return std::isnan(y) ? !std::isnan(x) : x < y;
  }

  /// Keys whose intervals meet, one after the other, may stand in any order. The key at a place is
  /// then as far from another implementation's as the largest bound among them: an order statistic
  /// moves no further than what it is taken of.
  void findClusters() {
    for (size_t first = 0; first < order.size();) {
      double value = keys.floats[line[order[first]]], most = keys.bound(line[order[first]]);
      if (std::isnan(value)) {
        ++first;
        continue;
      }
      double end = farEnd(order[first]);
      size_t last = first + 1;
      for (; last < order.size(); ++last) {
        double next = keys.floats[line[order[last]]], bound = keys.bound(line[order[last]]);
        if (std::isnan(next) || !meets(next, bound, end))
          break;
        most = std::max(most, bound);
        end = descending ? std::min(end, farEnd(order[last])) : std::max(end, farEnd(order[last]));
      }
      if (last - first > 1 && most > 0)
        for (size_t k = first; k < last; ++k) {
          open[k] = true;
          reach[k] = most;
        }
      first = last;
    }
  }

  double farEnd(size_t i) const {
    double value = keys.floats[line[i]], bound = keys.bound(line[i]) * 1.0001;
    return descending ? value - bound : value + bound;
  }
  bool meets(double value, double bound, double end) const {
    return descending ? value + bound * 1.0001 >= end : value - bound * 1.0001 <= end;
  }
};

} // namespace

std::vector<TileValue> sort(std::span<const TileValue *const> tiles, unsigned axis, bool descending,
                            Tracking &tracking) {
  std::vector<TileValue> results(tiles.size());
  for (size_t t = 0; t < tiles.size(); ++t)
    results[t].reset(tiles[t]->type);
  Lines lines(tiles[0]->type, axis);
  for (size_t i = 0; i < lines.count; ++i) {
    Line line = lines[i];
    LineOrder order(*tiles[0], line, descending);
    tracking.undecidedDecisions += order.anyOpen();
    for (size_t t = 0; t < tiles.size(); ++t)
      for (size_t k = 0; k < line.count; ++k) {
        results[t].copyElement(line[k], *tiles[t], line[order.at(k)]);
        if (!order.isOpen(k))
          continue;
        bool known = t == 0 && !order.allOpen();
        results[t].setDoubt(line[k],
                            known ? Doubt{order.distance(k), 0, 0} : Doubt{0, 0, Undecided});
      }
  }
  return results;
}

/// A tile whose elements are their coordinates along the axis.
static TileValue coordinates(const Type &shape, unsigned axis) {
  TileValue tile;
  tile.reset(shape.withDType(DType::I32));
  iota(tile, axis);
  return tile;
}

void Machine::sortTiles(const Op &op) {
  unsigned axis = unsigned(graph.intAttr(op, AttrKey::Axis));
  std::vector<const TileValue *> operands;
  for (ValueId v : graph.operands(op))
    operands.push_back(&tiles[v]);
  TileValue places;
  if (op.opcode == Opcode::TopK) {
    places = coordinates(operands[0]->type, axis);
    operands.push_back(&places);
  }
  std::vector<TileValue> sorted = sort(operands, axis, op.opcode != Opcode::Sort, tracking);
  for (size_t r = 0; r < sorted.size(); ++r) {
    TileValue &out = tiles[graph.result(op, r)];
    out.reset(graph.typeOf(graph.result(op, r)));
    Lines from(sorted[r].type, axis), to(out.type, axis);
    for (size_t i = 0; i < to.count; ++i)
      for (size_t k = 0; k < to[i].count; ++k)
        out.copyElement(to[i][k], sorted[r], from[i][k]);
  }
}

void histogram(TileValue &out, const TileValue &a, const TileValue *mask) {
  std::fill(out.ints.begin(), out.ints.end(), 0);
  bool open = false;
  for (size_t i = 0; i < a.size(); ++i) {
    size_t m = mask ? elementOf(*mask, i) : 0;
    open |= a.undecided(i) || (mask && mask->undecided(m));
    // As unsigned numbers: what is negative, or a large u64, lies beyond every count.
    if ((!mask || mask->ints[m]) && uint64_t(a.ints[i]) < uint64_t(out.size()))
      out.ints[size_t(a.ints[i])] += 1;
  }
  for (size_t i = 0; open && i < out.size(); ++i)
    out.setDoubt(i, {0, 0, Undecided});
}

} // namespace tl::interp
