// TileLayout over the whole matrix of shapes and thread counts, against enumeration of every
// element and every place, and against a second derivation of what "blocked" means by division.
// test-timeout: 300 test-label: matrix
#include "layout/tile_layout.h"
#include "layout_test.h"

#include <algorithm>
#include <bit>
#include <functional>

using namespace tl;
using namespace tl::test;

/// A layout, what it is a layout of, and the parts of the coordinates of all its registers and
/// threads.
struct Subject {
  std::string name;
  Shape shape;
  TileLayout layout;
  std::vector<TileCoordinates> registers, threads;
  uint32_t freeThreadMask; // free bits of the thread number

  Subject(std::string name, Shape shape, TileLayout layoutArg)
      : name(std::move(name)), shape(std::move(shape)), layout(std::move(layoutArg)),
        freeThreadMask(layout.freeWaveMask() << layout.laneBits() | layout.freeLaneMask()) {
    for (uint32_t i = 0; i < layout.numRegisters(); ++i)
      registers.push_back(layout.registerCoordinates(i));
    threads.push_back({});
    for (unsigned bit = 0; bit < layout.laneBits(); ++bit)
      addThreadBit(layout.laneCoordinates(bit));
    for (unsigned bit = 0; bit < layout.waveBits(); ++bit)
      addThreadBit(layout.waveCoordinates(bit));
  }

  Subject sliceAway(unsigned axis) const {
    Shape rest = shape;
    rest.erase(rest.begin() + axis);
    return {name + " without axis " + std::to_string(axis), rest, layout.sliceAway(axis)};
  }

  Subject insertAxis(unsigned axis) const {
    Shape more = shape;
    more.insert(more.begin() + axis, 1);
    return {name + " with a new axis " + std::to_string(axis), more, layout.insertAxis(axis)};
  }

private:
  void addThreadBit(const TileCoordinates &part) {
    for (size_t thread = 0, half = threads.size(); thread < half; ++thread) {
      TileCoordinates sum = threads[thread];
      for (unsigned axis = 0; axis < maxLayoutRank; ++axis)
        sum[axis] += part[axis];
      threads.push_back(sum);
    }
  }
};

/// Visits blocked layouts of the whole matrix: waves of 32 and 64, 32 to 1,024 threads, vectors of
/// 1 to 16 in turn. Shapes of more than 2^13 elements, on which all the time would go, take every
/// fourth thread count, so that their permutations share out all of them.
static void forEachLayout(const std::function<void(const Subject &, const Threads &)> &visit) {
  std::vector<Shape> shapes = matrixShapes();
  for (const Shape &shape : namedShapes())
    shapes.push_back(shape);
  unsigned turn = 0;
  for (const Shape &shape : shapes)
    for (uint32_t waveSize : {32u, 64u})
      for (uint32_t threads = waveSize; threads <= 1024; threads *= 2) {
        Threads t = {threads, waveSize, 1u << (turn % 5)};
        if (turn++ % 4 == 0 || elementsOf(shape) <= 1 << 13)
          visit(Subject(toText(shape, t), shape, blocked(shape, t)), t);
      }
}

static std::string print(const TileCoordinates &c) { return toText(Shape(c.begin(), c.end())); }

// ---- Padding ----

/// The fewest registers, and the fewest repeats with that many, over all paddings the rules allow.
static std::pair<uint64_t, uint64_t> fewestRegisters(const Shape &shape, uint32_t threads,
                                                     size_t axis = 0, uint64_t repeats = 1,
                                                     uint64_t linear = 1) {
  if (axis == shape.size())
    return {repeats * std::max<uint64_t>(1, linear / threads), repeats};
  std::pair<uint64_t, uint64_t> best = {UINT64_MAX, 0};
  for (int64_t r = 1; r <= 15; r += 2)
    for (int64_t block = 1; block < 2 * shape[axis]; block *= 2) {
      int64_t padded = r * block;
      if (padded >= shape[axis] && (r == 1 || 8 * (padded - shape[axis]) <= padded))
        best = std::min(best, fewestRegisters(shape, threads, axis + 1, repeats * uint64_t(r),
                                              linear * uint64_t(block)));
    }
  return best;
}

UNIT_TEST(padding_needs_the_fewest_registers) {
  Expectations waste, best;
  std::vector<Shape> shapes = matrixShapes();
  for (const Shape &shape : namedShapes())
    shapes.push_back(shape);
  for (const Shape &shape : shapes)
    for (uint32_t threads = 32; threads <= 1024; threads *= 2) {
      std::vector<AxisPadding> chosen = choosePadding(shape, threads);
      auto text = [&] { return toText(shape) + " on " + std::to_string(threads) + " threads"; };
      uint64_t repeats = 1;
      for (size_t axis = 0; axis < shape.size(); ++axis) {
        int64_t padded = chosen[axis].paddedExtent(), r = chosen[axis].repeats;
        bool lowWaste = 8 * (padded - shape[axis]) <= padded && r <= 15 && r % 2 == 1;
        bool nextPower = r == 1 && padded < 2 * shape[axis];
        waste.expect(padded >= shape[axis] && (lowWaste || nextPower), text);
        repeats *= chosen[axis].repeats;
      }
      best.expect(fewestRegisters(shape, threads) ==
                      std::pair(registersPerThread(chosen, threads), repeats),
                  text);
    }
}

/// Figures worked out by hand, at 256 threads. 7x7x7x7 takes 16 registers with powers of two alone
/// and 2,401 without any; with one axis left at 7 it takes 7*8*8*8/256.
UNIT_TEST(padding_figures) {
  Expectations figures;
  auto expect = [&](const Shape &shape, uint32_t registers, std::vector<AxisPadding> paddings) {
    TileLayout layout = TileLayout::blocked(shape, 256, 64, 1);
    figures.expect(layout.numRegisters() == registers, [&] { return layout.toString(); });
    for (unsigned axis = 0; axis < layout.rank(); ++axis)
      figures.expect(layout.padding(axis) == paddings[axis], [&] { return layout.toString(); });
  };
  expect({33, 33, 33}, 324, {{9, 2}, {9, 2}, {1, 6}});
  expect({7, 7, 7, 7}, 14, {{7, 0}, {1, 3}, {1, 3}, {1, 3}});
  expect({13, 77}, 5, {{1, 4}, {5, 4}});
  expect({3, 3, 3, 3, 3}, 3, {{3, 0}, {1, 2}, {1, 2}, {1, 2}, {1, 2}});
  expect({80, 64}, 20, {{5, 4}, {1, 6}});
  expect({1000, 64}, 256, {{1, 10}, {1, 6}});
  expect({128, 128}, 64, {{1, 7}, {1, 7}});
}

// ---- Coordinates ----

/// The coordinates of a place in a blocked layout, by its definition: number the padded elements of
/// one repeat in row-major order and count off vector, threads, registers.
static TileCoordinates blockedByDivision(const TileLayout &layout, const Threads &t,
                                         uint32_t registerIndex, uint32_t thread) {
  int64_t linear = 1, innermost = 1;
  for (unsigned axis = 0; axis < layout.rank(); ++axis) {
    int64_t block = int64_t(1) << layout.padding(axis).bits;
    linear *= block;
    if (layout.extent(axis) > 1)
      innermost = block;
  }
  int64_t perThread = std::max<int64_t>(1, linear / t.threads);
  int64_t vector = std::min<int64_t>({t.vectorElements, innermost, perThread});
  int64_t within = registerIndex % perThread, repeat = registerIndex / perThread;
  int64_t element = within % vector + vector * (thread + int64_t(t.threads) * (within / vector));
  element %= linear;

  TileCoordinates coordinates{};
  for (unsigned axis = layout.rank(); axis-- > 0;) {
    AxisPadding padding = layout.padding(axis);
    int64_t block = int64_t(1) << padding.bits;
    coordinates[axis] = repeat % padding.repeats * block + element % block;
    repeat /= padding.repeats;
    element /= block;
  }
  return coordinates;
}

/// What generated code adds up: the thread fields of an axis.
static int64_t byThreadFields(const TileLayout &layout, unsigned axis, uint32_t thread) {
  int64_t sum = 0;
  for (const ThreadField &field : layout.threadFields(axis))
    sum += int64_t(thread >> field.threadShift & ((1u << field.width) - 1))
           << field.coordinateShift;
  return sum;
}

static void checkPlace(Expectations &formula, const Subject &s, const Threads &t,
                       uint32_t registerIndex, uint32_t thread) {
  TileCoordinates expected = blockedByDivision(s.layout, t, registerIndex, thread);
  TilePlace place = {registerIndex, thread % t.waveSize, thread / t.waveSize};
  bool holds = s.layout.coordinates(place) == expected;
  for (unsigned axis = 0; axis < s.layout.rank(); ++axis) {
    int64_t constant = s.registers[registerIndex][axis], part = s.threads[thread][axis];
    holds &= constant + part == expected[axis] && (constant & part) == 0;
  }
  formula.expect(holds, [&] {
    return s.name + ": register " + std::to_string(registerIndex) + " of thread " +
           std::to_string(thread) + " holds " + print(s.layout.coordinates(place)) + ", not " +
           print(expected);
  });
}

/// A coordinate is a register's constant plus a thread's part, and these are what the definition
/// says: in all registers for a few threads and in all threads for a few registers.
UNIT_TEST(coordinates_follow_the_definition) {
  Expectations formula, fields;
  forEachLayout([&](const Subject &s, const Threads &t) {
    uint32_t registers = s.layout.numRegisters();
    for (uint32_t i = 0; i < registers; ++i)
      for (uint32_t thread : {0u, i % t.threads, t.threads - 1})
        checkPlace(formula, s, t, i, thread);
    for (uint32_t thread = 0; thread < t.threads; ++thread) {
      for (uint32_t i : {0u, registers / 3, registers - 1})
        checkPlace(formula, s, t, i, thread);
      for (unsigned axis = 0; axis < s.layout.rank(); ++axis)
        fields.expect(byThreadFields(s.layout, axis, thread) == s.threads[thread][axis],
                      [&] { return s.name; });
    }
  });
}

// ---- Owners ----

/// Row-major index of true coordinates, or -1 for padding.
static int64_t elementAt(const Shape &shape, const TileCoordinates &a, const TileCoordinates &b) {
  int64_t index = 0;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    int64_t coordinate = a[axis] + b[axis];
    if (coordinate >= shape[axis])
      return -1;
    index = index * shape[axis] + coordinate;
  }
  return index;
}

static TileCoordinates coordinatesOf(const Shape &shape, int64_t element) {
  TileCoordinates coordinates{};
  for (size_t axis = shape.size(); axis-- > 0; element /= shape[axis])
    coordinates[axis] = element % shape[axis];
  return coordinates;
}

/// Every element is in as many places as there are settings of the free bits, and these places
/// differ in nothing else; owner() is the one whose free bits are zero.
static void checkOwners(Expectations &owners, const Subject &s) {
  uint32_t copies = 1u << std::popcount(s.freeThreadMask);
  int64_t elements = elementsOf(s.shape);
  std::vector<uint32_t> owner(size_t(elements), UINT32_MAX), count(size_t(elements), 0);
  bool unique = true;
  for (uint32_t i = 0; i < s.registers.size(); ++i)
    for (uint32_t thread = 0; thread < s.threads.size(); ++thread) {
      int64_t element = elementAt(s.shape, s.registers[i], s.threads[thread]);
      if (element < 0)
        continue;
      uint32_t key = i * s.layout.threads() + (thread & ~s.freeThreadMask);
      unique &= owner[size_t(element)] == UINT32_MAX || owner[size_t(element)] == key;
      owner[size_t(element)] = key;
      ++count[size_t(element)];
    }
  bool complete = std::all_of(count.begin(), count.end(), [&](uint32_t n) { return n == copies; });
  owners.expect(unique && complete, [&] { return s.name; });

  for (int64_t element = 0; element < elements; element += 1 + elements / 512) {
    TileCoordinates coordinates = coordinatesOf(s.shape, element);
    TilePlace place = s.layout.owner(coordinates);
    uint32_t thread = place.wave * s.layout.waveSize() + place.lane;
    uint32_t key = place.registerIndex * s.layout.threads() + thread;
    owners.expect(key == owner[size_t(element)] && s.layout.coordinates(place) == coordinates,
                  [&] { return s.name + ": " + print(coordinates); });
  }
}

UNIT_TEST(every_element_has_its_owners) {
  Expectations owners;
  forEachLayout([&](const Subject &s, const Threads &) { checkOwners(owners, s); });
}

// ---- Masks and vectors ----

static void checkMasks(Expectations &masks, const Subject &s) {
  for (unsigned axis = 0; axis < s.layout.rank(); ++axis) {
    auto byAxis = [&](const TileCoordinates &a, const TileCoordinates &b) {
      return a[axis] < b[axis];
    };
    auto [least, most] = std::minmax_element(s.threads.begin(), s.threads.end(), byAxis);
    bool anyOutside = false;
    for (uint32_t i = 0; i < s.registers.size(); ++i) {
      int64_t constant = s.registers[i][axis];
      bool allIn = constant + (*most)[axis] < s.shape[axis];
      bool allOut = constant + (*least)[axis] >= s.shape[axis];
      Coverage expected = allIn ? Coverage::Inside : allOut ? Coverage::Outside : Coverage::Partial;
      masks.expect(s.layout.coverage(i, axis) == expected, [&] { return s.name; });
      anyOutside |= !allIn;
    }
    masks.expect(s.layout.needsMask(axis) == anyOutside, [&] { return s.name; });
  }
}

UNIT_TEST(masks_where_padding_is) {
  Expectations masks;
  forEachLayout([&](const Subject &s, const Threads &) { checkMasks(masks, s); });
}

/// Whether each run of `length` registers holds neighbours along `axis` and starts at a multiple of
/// its length.
static bool runsHold(const Subject &s, unsigned axis, uint32_t length) {
  for (uint32_t i = 0; i < s.registers.size(); ++i) {
    TileCoordinates expected = s.registers[i / length * length];
    if (expected[axis] % length != 0)
      return false;
    expected[axis] += i % length;
    if (s.registers[i] != expected)
      return false;
  }
  return s.registers.size() % length == 0;
}

UNIT_TEST(contiguous_registers_are_the_longest_runs) {
  Expectations vectors;
  forEachLayout([&](const Subject &s, const Threads &) {
    for (unsigned axis = 0; axis < s.layout.rank(); ++axis) {
      uint32_t run = s.layout.contiguousRegisters(axis);
      vectors.expect(runsHold(s, axis, run) && !runsHold(s, axis, 2 * run), [&] {
        return s.name + ": axis " + std::to_string(axis) + ", run " + std::to_string(run);
      });
    }
  });
}

// ---- Slices ----

static TileCoordinates without(const TileCoordinates &coordinates, unsigned axis) {
  TileCoordinates rest{};
  for (unsigned from = 0, to = 0; from < maxLayoutRank; ++from)
    if (from != axis)
      rest[to++] = coordinates[from];
  return rest;
}

/// The registers of a group and the threads along the axis together visit each padded coordinate of
/// the axis once, the registers in order.
static bool visitsAxisOnce(const Subject &s, unsigned axis, uint32_t threadsAlong,
                           const std::vector<uint32_t> &group) {
  std::vector<uint8_t> visits(size_t(s.layout.padding(axis).paddedExtent()), 0);
  int64_t previous = -1;
  for (uint32_t index : group) {
    int64_t constant = s.registers[index][axis];
    if (constant <= previous)
      return false;
    previous = constant;
    for (uint32_t thread = threadsAlong;; thread = (thread - 1) & threadsAlong) {
      ++visits[size_t(constant + s.threads[thread][axis])];
      if (thread == 0)
        break;
    }
  }
  return std::all_of(visits.begin(), visits.end(), [](uint8_t n) { return n == 1; });
}

static void checkSlice(Expectations &slices, const Subject &s, unsigned axis,
                       const Subject &sliced) {
  auto text = [&] { return sliced.name; };
  const TileLayout &layout = s.layout;
  uint32_t along = layout.axisWaveBits(axis) << layout.laneBits() | layout.axisLaneBits(axis);
  slices.expect(sliced.freeThreadMask == (s.freeThreadMask | along), text);
  slices.expect((s.freeThreadMask & along) == 0, text);

  std::vector<std::vector<uint32_t>> groups = layout.axisRegisters(axis);
  slices.expect(groups.size() == sliced.registers.size(), text);
  std::vector<bool> used(s.registers.size(), false);
  for (uint32_t i = 0; i < groups.size(); ++i) {
    for (uint32_t source : groups[i]) {
      slices.expect(without(s.registers[source], axis) == sliced.registers[i], text);
      slices.expect(!used[source], text);
      used[source] = true;
    }
    slices.expect(visitsAxisOnce(s, axis, along, groups[i]), text);
  }
  slices.expect(std::find(used.begin(), used.end(), false) == used.end(), text);
  for (uint32_t thread = 0; thread < s.threads.size(); ++thread)
    slices.expect(without(s.threads[thread], axis) == sliced.threads[thread], text);
}

UNIT_TEST(slices_agree_with_enumeration) {
  Expectations slices, owners, masks;
  forEachLayout([&](const Subject &s, const Threads &) {
    for (unsigned axis = 0; axis < s.layout.rank(); ++axis) {
      Subject sliced = s.sliceAway(axis);
      checkSlice(slices, s, axis, sliced);
      checkOwners(owners, sliced);
      checkMasks(masks, sliced);
      for (unsigned second = 0; second < sliced.layout.rank(); ++second) // lanes are free already
        checkSlice(slices, sliced, second, sliced.sliceAway(second));

      Subject kept = sliced.insertAxis(axis);
      checkSlice(slices, kept, axis, sliced);
      slices.expect(kept.layout.sliceAway(axis) == sliced.layout, [&] { return kept.name; });
      slices.expect(kept.layout.extent(axis) == 1 &&
                        kept.registers.size() == sliced.registers.size(),
                    [&] { return kept.name; });
    }
  });
}

// ---- Text ----

/// Lane and register (a, b, ...) of each element of a tile on one wave.
static std::string drawOwners(const TileLayout &layout) {
  std::string picture;
  for (int64_t row = 0; row < layout.extent(0); ++row) {
    for (int64_t column = 0; column < layout.extent(1); ++column) {
      TilePlace place = layout.owner({row, column});
      std::string lane = std::to_string(place.lane);
      picture += (column > 0 ? " " : "") + std::string(lane.size() < 2 ? " " : "") + lane +
                 char('a' + place.registerIndex);
    }
    picture += '\n';
  }
  return picture;
}

UNIT_TEST(text_and_the_picture_of_the_documentation) {
  Expectations text;
  TileLayout layout = TileLayout::blocked(Shape{16, 16}, 32, 32, 4);
  text.expect(layout.toString() == "tile 16x16: registers 8, lanes 32, waves 1\n"
                                   "  register 1.0 1.1 0.3\n"
                                   "  lane 1.2 1.3 0.0 0.1 0.2\n"
                                   "  wave\n",
              [&] { return layout.toString(); });
  std::string picture = drawOwners(layout);
  std::string firstRow = " 0a  0b  0c  0d  1a  1b  1c  1d  2a  2b  2c  2d  3a  3b  3c  3d\n";
  std::string lastRow = "28e 28f 28g 28h 29e 29f 29g 29h 30e 30f 30g 30h 31e 31f 31g 31h\n";
  text.expect(picture.starts_with(firstRow) && picture.ends_with(lastRow), [&] { return picture; });

  TileLayout sliced = TileLayout::blocked(Shape{80, 63}, 256, 64, 4).sliceAway(1);
  text.expect(sliced.toString() == "tile 80(5*16): registers 5, lanes 64, waves 4\n"
                                   "  register\n"
                                   "  lane - - - - 0.0 0.1\n"
                                   "  wave 0.2 0.3\n",
              [&] { return sliced.toString(); });
}

// ---- Results of matrix instructions ----

/// The row of element `i` of a lane, as the chips' documents have it.
static int64_t documentedRow(const ResultFragment &fragment, uint32_t i, uint32_t lane) {
  return fragment == mfmaResult    ? 4 * (lane / 16) + i
         : fragment == wmma3Result ? 2 * i + lane / 16
         : fragment == wmma4Result ? i + 8 * (lane / 16)
                                   : lane / 4 + 8 * (i % 4 / 2);
}

/// Its column; the second four of mma are another instruction's, 8 columns further.
static int64_t documentedColumn(const ResultFragment &fragment, uint32_t i, uint32_t lane) {
  return fragment == mmaResult ? lane % 4 * 2 + i % 2 + 8 * (i / 4) : lane % 16;
}

static void checkResultLayout(const Shape &shape, uint32_t threads, uint32_t waveSize,
                              const ResultFragment &fragment) {
  TileLayout layout = TileLayout::ofResults(shape, threads, waveSize, fragment);
  auto name = [&] { return toText(shape) + " on " + std::to_string(threads); };
  Expectations e;
  for (int64_t row = 0; row < shape[0]; ++row)
    for (int64_t column = 0; column < shape[1]; ++column) {
      TileCoordinates c{row, column};
      TilePlace place = layout.owner(c);
      e.expect(layout.coordinates(place) == c, [&] { return name() + ": an element is lost"; });
      const uint32_t i = place.registerIndex % fragment.registers();
      e.expect(column % 16 == documentedColumn(fragment, i, place.lane),
               [&] { return name() + ": a column"; });
      e.expect(row % 16 == documentedRow(fragment, i, place.lane),
               [&] { return name() + ": a row"; });
      // All of a block is in one wave and one group of registers.
      TilePlace first = layout.owner({row / 16 * 16, column / 16 * 16});
      e.expect(place.wave == first.wave && place.registerIndex / fragment.registers() ==
                                               first.registerIndex / fragment.registers(),
               [&] { return name() + ": a block is torn"; });
    }
}

UNIT_TEST(results_of_matrix_instructions) {
  for (const Shape &shape :
       {Shape{16, 16}, Shape{8, 8}, Shape{17, 33}, Shape{48, 64}, Shape{80, 16}, Shape{128, 128},
        Shape{272, 24}, Shape{9, 1000}, Shape{256, 64}})
    for (uint32_t waves = 1; waves <= 16; waves *= 2) {
      checkResultLayout(shape, waves * 64, 64, mfmaResult);
      checkResultLayout(shape, waves * 32, 32, wmma3Result);
      checkResultLayout(shape, waves * 32, 32, wmma4Result);
      checkResultLayout(shape, waves * 32, 32, mmaResult);
    }
}

UNIT_TEST_MAIN
