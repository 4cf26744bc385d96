// registerOnlyConversion against brute force over all registers and threads, with the shape
// operations written out a second time as functions of coordinates.
#include "layout/register_conversion.h"
#include "layout_test.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>

using namespace tl;
using namespace tl::test;

/// What element of the source an operation puts at these coordinates of its result.
using Operation = std::function<TileCoordinates(const TileCoordinates &)>;

static Operation reshapeOperation(Shape from, Shape to) {
  return [from, to](const TileCoordinates &result) {
    int64_t index = 0;
    for (size_t axis = 0; axis < to.size(); ++axis)
      index = index * to[axis] + result[axis];
    TileCoordinates source{};
    for (size_t axis = from.size(); axis-- > 0; index /= from[axis])
      source[axis] = index % from[axis];
    return source;
  };
}

static Operation permuteOperation(Shape order) {
  return [order](const TileCoordinates &result) {
    TileCoordinates source{};
    for (size_t axis = 0; axis < order.size(); ++axis)
      source[size_t(order[axis])] = result[axis];
    return source;
  };
}

static Operation broadcastOperation(Shape from, Shape to) {
  return [from, to](const TileCoordinates &result) {
    TileCoordinates source{};
    for (size_t axis = 0; axis < from.size(); ++axis)
      source[axis] = from[axis] == 1 ? 0 : result[axis + to.size() - from.size()];
    return source;
  };
}

/// A coordinate is offset + step * the result's.
static Operation affineOperation(Shape offsets, Shape steps) {
  return [offsets, steps](const TileCoordinates &result) {
    TileCoordinates source{};
    for (size_t axis = 0; axis < steps.size(); ++axis)
      source[axis] = offsets[axis] + steps[axis] * result[axis];
    return source;
  };
}

static CoordinateMap affineMap(const Shape &from, const Shape &offsets, const Shape &steps) {
  CoordinateMap map = CoordinateMap::reshape(from);
  for (size_t axis = 0; axis < from.size(); ++axis) {
    map.offset += offsets[axis] * map.strides[axis];
    map.strides[axis] *= steps[axis];
  }
  return map;
}

/// The source register that holds, in every thread, what the result has in `index`; -1 for padding
/// only.
static std::optional<int32_t> bruteForceRegister(const TileLayout &from, const TileLayout &to,
                                                 const Operation &operation, uint32_t index) {
  int32_t found = -1;
  for (uint32_t thread = 0; thread < to.threads(); ++thread) {
    uint32_t lane = thread % to.waveSize(), wave = thread / to.waveSize();
    TileCoordinates result = to.coordinates({index, lane, wave});
    bool inside = true;
    for (unsigned axis = 0; axis < to.rank(); ++axis)
      inside &= result[axis] < to.extent(axis);
    if (!inside)
      continue;
    TileCoordinates source = operation(result);
    for (uint32_t i = 0; found < 0 && i < from.numRegisters(); ++i)
      if (from.coordinates({i, lane, wave}) == source)
        found = int32_t(i);
    if (found < 0 || from.coordinates({uint32_t(found), lane, wave}) != source)
      return std::nullopt;
  }
  return found;
}

/// Compares the two and counts the answers, so that a case can demand both kinds.
class Comparison {
public:
  bool compare(const TileLayout &from, const TileLayout &to, const CoordinateMap &map,
               const Operation &operation) {
    std::optional<std::vector<int32_t>> expected = std::vector<int32_t>();
    for (uint32_t index = 0; expected && index < to.numRegisters(); ++index) {
      std::optional<int32_t> source = bruteForceRegister(from, to, operation, index);
      if (source)
        expected->push_back(*source);
      else
        expected.reset();
    }
    std::optional<std::vector<int32_t>> got = registerOnlyConversion(from, to, map);
    same.expect(got == expected, [&] {
      return std::string(got ? "wrongly or differently converted" : "not converted") + "\n" +
             from.toString() + "to\n" + to.toString();
    });
    ++(got ? converted : refused);
    return got.has_value();
  }

  int converted = 0, refused = 0;

private:
  Expectations same;
};

static const Threads threadCounts[] = {{32, 32, 1}, {128, 32, 4}, {64, 64, 2}, {256, 64, 8}};

UNIT_TEST(reshape) {
  const std::vector<std::vector<Shape>> groups = {
      {{64}, {8, 8}, {64, 1}, {1, 64}, {2, 4, 8}, {4, 1, 16}},
      {{240}, {16, 15}, {15, 16}, {2, 8, 15}, {3, 80}, {80, 3}, {5, 48}},
      {{160}, {2, 5, 16}, {10, 16}, {5, 32}, {2, 80}},
      {{4096}, {64, 64}, {16, 16, 16}, {128, 32}, {4096, 1}},
      {{2401}, {7, 7, 7, 7}, {49, 49}, {343, 7}, {49, 1, 7, 7}},
      {{3000}, {3, 1000}, {1000, 3}, {30, 100}, {3, 10, 100}}};
  Comparison comparison;
  for (const std::vector<Shape> &group : groups)
    for (const Shape &from : group)
      for (const Shape &to : group)
        for (Threads t : threadCounts)
          for (uint32_t vector : {1u, t.vectorElements}) {
            TileLayout source = blocked(from, t),
                       result = blocked(to, {t.threads, t.waveSize, vector});
            bool converted = comparison.compare(source, result, CoordinateMap::reshape(to),
                                                reshapeOperation(from, to));
            if (from == to && vector == t.vectorElements)
              CHECK(converted);
          }
  CHECK(comparison.converted > 100 && comparison.refused > 100);
}

/// In register 0 of the result every single lane bit agrees with the source, whose rows of 5 are
/// padded to 8; bits 1 and 4 together leave the row.
UNIT_TEST(reshape_carries_across_bits) {
  Comparison comparison;
  Shape from = {2, 5, 16}, to = {10, 16};
  Threads t = {128, 32, 1};
  TileLayout source = blocked(from, t), result = blocked(to, t);
  CHECK_EQ(source.numRegisters(), 2u);
  CHECK(source.threadFields(1) == result.threadFields(0));
  comparison.compare(source, result, CoordinateMap::reshape(to), reshapeOperation(from, to));
  CHECK_EQ(comparison.refused, 1);
}

UNIT_TEST(permute) {
  const std::vector<Shape> shapes = {{16, 16},     {64, 1},      {1, 80},     {33, 7},
                                     {8, 16, 4},   {3, 1, 5},    {13, 7, 2},  {1, 1, 96},
                                     {64, 1, 128}, {2, 3, 4, 5}, {1, 4, 1, 8}};
  Comparison comparison;
  for (const Shape &from : shapes)
    for (Threads t : threadCounts) {
      Shape order(from.size());
      std::iota(order.begin(), order.end(), 0);
      do {
        Shape to;
        for (int64_t axis : order)
          to.push_back(from[size_t(axis)]);
        comparison.compare(blocked(from, t), blocked(to, t), CoordinateMap::permute(from, order),
                           permuteOperation(order));
      } while (std::next_permutation(order.begin(), order.end()));
    }
  CHECK(comparison.converted > 50 && comparison.refused > 50);
}

UNIT_TEST(slices_and_flips) {
  Comparison comparison;
  auto compare = [&](const Shape &from, const Shape &to, const Shape &offsets, const Shape &steps) {
    for (Threads t : threadCounts)
      comparison.compare(blocked(from, t), blocked(to, t), affineMap(from, offsets, steps),
                         affineOperation(offsets, steps));
  };
  for (int64_t offset : {0, 1, 16, 33, 64})
    for (int64_t step : {1, 2, 3}) {
      compare({256, 8}, {32, 8}, {offset, 0}, {step, 1});
      compare({256, 80}, {5, 80}, {offset, 0}, {step, 1});
      compare({5, 257}, {5, 33}, {0, offset}, {1, step});
      compare({200}, {40}, {offset}, {step});
    }
  for (int64_t rows : {4, 7, 64, 256})
    for (int64_t columns : {4, 8, 33, 256}) {
      compare({rows, columns}, {rows, columns}, {rows - 1, 0}, {-1, 1});
      compare({rows, columns}, {rows, columns}, {0, columns - 1}, {1, -1});
      compare({rows, columns}, {rows / 2, columns}, {rows / 2, 0}, {1, 1});
      compare({rows, 2, columns}, {rows, 2, columns}, {0, 1, 0}, {1, -1, 1});
    }
  compare({256, 64, 2}, {256, 64, 2}, {0, 0, 1}, {1, 1, -1});
  CHECK(comparison.converted > 10 && comparison.refused > 100);
}

UNIT_TEST(broadcast) {
  const std::vector<Shape> shapes = {{64},      {80},       {16, 16},    {33, 7},
                                     {128, 64}, {5, 1, 33}, {7, 7, 7, 7}};
  Comparison comparison;
  for (const Shape &to : shapes)
    for (Threads t : threadCounts) {
      TileLayout result = blocked(to, t);
      CHECK(comparison.compare(blocked({}, t), result, CoordinateMap::broadcast({}, to),
                               broadcastOperation({}, to)));
      for (unsigned axis = 0; axis < to.size(); ++axis) {
        Shape kept = to, tail(to.begin() + axis, to.end());
        kept[axis] = 1;
        CoordinateMap map = CoordinateMap::broadcast(kept, to);
        Operation operation = broadcastOperation(kept, to);
        // Back from a reduction that keeps its axis: what softmax and rmsnorm do.
        TileLayout reduced = result.sliceAway(axis).insertAxis(axis);
        CHECK(comparison.compare(reduced, result, map, operation));
        comparison.compare(blocked(kept, t), result, map, operation);
        comparison.compare(blocked(tail, t), result, CoordinateMap::broadcast(tail, to),
                           broadcastOperation(tail, to));
      }
    }
  CHECK(comparison.refused > 20);
}

UNIT_TEST(threads_must_agree) {
  Shape shape = {64, 64};
  CoordinateMap identity = CoordinateMap::reshape(shape);
  TileLayout layout = TileLayout::blocked(shape, 128, 32, 4);
  CHECK(!registerOnlyConversion(layout, TileLayout::blocked(shape, 128, 64, 4), identity));
  CHECK(!registerOnlyConversion(layout, TileLayout::blocked(shape, 256, 32, 4), identity));
  CHECK(registerOnlyConversion(layout, TileLayout::blocked(shape, 128, 32, 4), identity));
}

/// Random extents, in random order, with this many elements in total.
static Shape randomShape(std::mt19937_64 &random, int64_t elements) {
  Shape shape;
  while (shape.size() < 4 && elements > 1) {
    int64_t extent = 1 + int64_t(random() % 12);
    extent = elements % extent == 0 ? extent : 1;
    shape.push_back(extent);
    elements /= extent;
  }
  shape.push_back(elements);
  std::shuffle(shape.begin(), shape.end(), random);
  return shape;
}

/// Random shapes, operations, and sliced layouts on either side.
UNIT_TEST(random_conversions) {
  std::mt19937_64 random(3);
  Comparison comparison;
  for (int i = 0; i < 6000; ++i) {
    Threads t = threadCounts[random() % 4];
    Threads u = {t.threads, t.waveSize, 1u << random() % 4};
    int64_t elements = 1 + int64_t(random() % 400) * (random() % 2 ? 1 : 4);
    Shape from = randomShape(random, elements), to = randomShape(random, elements);
    if (random() % 3 == 0) {
      std::vector<Shape> grown = {from, to};
      for (Shape &shape : grown)
        shape.insert(shape.begin(), 1 + int64_t(random() % 5));
      if (grown[0].size() > maxLayoutRank || grown[1].size() > maxLayoutRank)
        continue;
      comparison.compare(blocked(grown[0], t).sliceAway(0), blocked(grown[1], u).sliceAway(0),
                         CoordinateMap::reshape(to), reshapeOperation(from, to));
    } else if (random() % 2 == 0) {
      comparison.compare(blocked(from, t), blocked(to, u), CoordinateMap::reshape(to),
                         reshapeOperation(from, to));
    } else {
      Shape order(from.size()), permuted;
      std::iota(order.begin(), order.end(), 0);
      std::shuffle(order.begin(), order.end(), random);
      for (int64_t axis : order)
        permuted.push_back(from[size_t(axis)]);
      comparison.compare(blocked(from, t), blocked(permuted, u),
                         CoordinateMap::permute(from, order), permuteOperation(order));
    }
  }
  std::printf("%d converted, %d refused\n", comparison.converted, comparison.refused);
  CHECK(comparison.converted > 500 && comparison.refused > 500);
}

UNIT_TEST_MAIN
