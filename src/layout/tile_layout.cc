#include "layout/tile_layout.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <utility>

namespace tl {

static unsigned log2Exact(uint32_t value) {
  assert(std::has_single_bit(value));
  return unsigned(std::countr_zero(value));
}

static uint64_t lowBits(unsigned count) { return (uint64_t(1) << count) - 1; }

TileLayout::TileLayout(std::vector<Axis> axesArg, unsigned registerBits, unsigned laneBits,
                       unsigned waveBits, LinearMap mapArg)
    : axes(std::move(axesArg)), registerBits(registerBits), laneBitCount(laneBits),
      waveBitCount(waveBits), registerCount(uint32_t(1) << registerBits), map(std::move(mapArg)) {
  assert(rank() <= maxLayoutRank && map.inBits() == registerBits + laneBits + waveBits);
  for (const Axis &axis : axes)
    registerCount *= axis.padding.repeats;
  for (unsigned bit = 0; bit < map.inBits(); ++bit)
    assert(std::popcount(map.column(bit)) == 1 || (map.column(bit) == 0 && bit >= registerBits));
  auto right = map.rightInverse();
  assert(right && "every coordinate bit must be moved by some input bit");
  inverse = std::move(*right);
}

TileLayout TileLayout::blocked(std::span<const int64_t> shape, uint32_t threads, uint32_t waveSize,
                               uint32_t vectorElements) {
  assert(waveSize <= threads);
  std::vector<AxisPadding> paddings = choosePadding(shape, threads);
  std::vector<Axis> axes;
  unsigned elementBits = 0, innermostBits = 0;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    axes.push_back({shape[axis], paddings[axis]});
    elementBits += paddings[axis].bits;
    if (shape[axis] > 1)
      innermostBits = paddings[axis].bits;
  }

  unsigned threadBits = log2Exact(threads);
  unsigned registerBits = elementBits > threadBits ? elementBits - threadBits : 0;
  unsigned vectorBits = std::min({log2Exact(vectorElements), innermostBits, registerBits});

  // Element bits in row-major order: [0, vectorBits) and what the threads leave go to registers.
  std::vector<uint64_t> columns;
  for (unsigned bit = 0; bit < registerBits; ++bit)
    columns.push_back(uint64_t(1) << (bit < vectorBits ? bit : bit + threadBits));
  for (unsigned bit = vectorBits; bit < vectorBits + threadBits; ++bit)
    columns.push_back(bit < elementBits ? uint64_t(1) << bit : 0);
  unsigned laneBits = log2Exact(waveSize);
  return {std::move(axes), registerBits, laneBits, threadBits - laneBits,
          LinearMap(elementBits, std::move(columns))};
}

/// The fewest blocks of 16 that cover the extent with few enough repeats.
static AxisPadding paddingToBlocks(int64_t extent) {
  constexpr uint32_t mostRepeats = 15;
  uint32_t blocks = uint32_t((extent + 15) / 16), bits = ResultFragment::sideBits;
  while (blocks % 2 == 0 || blocks > mostRepeats) {
    blocks = (blocks + 1) / 2;
    ++bits;
  }
  return {blocks, bits};
}

TileLayout TileLayout::ofResults(std::span<const int64_t> shape, uint32_t threads,
                                 uint32_t waveSize, const ResultFragment &fragment) {
  assert(shape.size() == 2 && waveSize <= threads && waveSize == uint32_t(1) << fragment.laneBits);
  std::vector<Axis> axes = {{shape[0], paddingToBlocks(shape[0])},
                            {shape[1], paddingToBlocks(shape[1])}};
  const unsigned rowBits = axes[0].padding.bits, columnBits = axes[1].padding.bits;
  auto row = [&](unsigned bit) { return uint64_t(1) << (columnBits + bit); };
  auto column = [](unsigned bit) { return uint64_t(1) << bit; };
  auto place = [&](unsigned bit) {
    constexpr unsigned side = ResultFragment::sideBits;
    return bit < side ? column(bit) : row(bit - side);
  };

  std::vector<uint64_t> registers, lanes, waves;
  for (unsigned i = 0; i < fragment.registerBits; ++i)
    registers.push_back(place(fragment.ofRegister[i]));
  for (unsigned i = 0; i < fragment.laneBits; ++i)
    lanes.push_back(place(fragment.ofLane[i]));
  // Waves take the highest bits, of the longer side first, so that each has a rectangle that is
  // about square.
  unsigned rowsLeft = rowBits, columnsLeft = columnBits;
  const unsigned laneBits = log2Exact(waveSize), waveBits = log2Exact(threads) - laneBits;
  while (waves.size() < waveBits) {
    bool any = std::max(rowsLeft, columnsLeft) > ResultFragment::sideBits;
    waves.push_back(!any ? 0 : rowsLeft >= columnsLeft ? row(--rowsLeft) : column(--columnsLeft));
  }
  for (unsigned bit = ResultFragment::sideBits; bit < columnsLeft; ++bit)
    registers.push_back(column(bit));
  for (unsigned bit = ResultFragment::sideBits; bit < rowsLeft; ++bit)
    registers.push_back(row(bit));

  const unsigned registerBits = unsigned(registers.size());
  std::vector<uint64_t> columns = std::move(registers);
  columns.insert(columns.end(), lanes.begin(), lanes.end());
  columns.insert(columns.end(), waves.begin(), waves.end());
  return {std::move(axes), registerBits, laneBits, waveBits,
          LinearMap(rowBits + columnBits, std::move(columns))};
}

TileLayout TileLayout::sliceAway(unsigned axis) const {
  unsigned shift = axisShift(axis), bits = axes[axis].padding.bits;
  std::vector<uint64_t> columns;
  unsigned keptRegisterBits = 0;
  for (unsigned bit = 0; bit < map.inBits(); ++bit) {
    uint64_t column = map.column(bit);
    bool isRegister = bit < registerBits;
    if (isRegister && (column & axisMask(axis)) != 0)
      continue;
    keptRegisterBits += isRegister;
    columns.push_back((column & lowBits(shift)) | (column >> (shift + bits) << shift));
  }
  std::vector<Axis> kept = axes;
  kept.erase(kept.begin() + axis);
  return {std::move(kept), keptRegisterBits, laneBitCount, waveBitCount,
          LinearMap(map.outBits() - bits, std::move(columns))};
}

TileLayout TileLayout::insertAxis(unsigned axis) const {
  std::vector<Axis> extended = axes;
  extended.insert(extended.begin() + axis, Axis{});
  return {std::move(extended), registerBits, laneBitCount, waveBitCount, map};
}

/// The position of an axis's lowest coordinate bit among the map's outputs.
unsigned TileLayout::axisShift(unsigned axis) const {
  unsigned shift = 0;
  for (unsigned later = axis + 1; later < rank(); ++later)
    shift += axes[later].padding.bits;
  return shift;
}

/// The map's outputs that are coordinate bits of an axis.
uint64_t TileLayout::axisMask(unsigned axis) const {
  return lowBits(axes[axis].padding.bits) << axisShift(axis);
}

/// The coordinates within a block that the map's outputs stand for.
TileCoordinates TileLayout::split(uint64_t outputs) const {
  TileCoordinates coordinates{};
  for (unsigned axis = rank(); axis-- > 0;) {
    coordinates[axis] = int64_t(outputs & lowBits(axes[axis].padding.bits));
    outputs >>= axes[axis].padding.bits;
  }
  return coordinates;
}

TileCoordinates TileLayout::registerCoordinates(uint32_t registerIndex) const {
  assert(registerIndex < registerCount);
  TileCoordinates coordinates = split(map.apply(registerIndex & lowBits(registerBits)));
  uint32_t repeat = registerIndex >> registerBits;
  for (unsigned axis = rank(); axis-- > 0;) {
    AxisPadding padding = axes[axis].padding;
    coordinates[axis] += int64_t(repeat % padding.repeats) << padding.bits;
    repeat /= padding.repeats;
  }
  return coordinates;
}

TileCoordinates TileLayout::laneCoordinates(unsigned bit) const {
  assert(bit < laneBitCount);
  return split(threadColumn(bit));
}

TileCoordinates TileLayout::waveCoordinates(unsigned bit) const {
  assert(bit < waveBitCount);
  return split(threadColumn(laneBitCount + bit));
}

std::vector<ThreadField> TileLayout::threadFields(unsigned axis) const {
  std::vector<ThreadField> fields;
  for (unsigned bit = 0; bit < laneBitCount + waveBitCount; ++bit) {
    uint64_t column = threadColumn(bit) & axisMask(axis);
    if (column == 0)
      continue;
    unsigned coordinateBit = unsigned(std::countr_zero(column)) - axisShift(axis);
    bool extends = !fields.empty() && fields.back().threadShift + fields.back().width == bit &&
                   fields.back().coordinateShift + fields.back().width == coordinateBit;
    if (extends)
      ++fields.back().width;
    else
      fields.push_back({bit, coordinateBit, 1});
  }
  return fields;
}

TileCoordinates TileLayout::coordinates(const TilePlace &place) const {
  assert(place.lane < waveSize() && place.wave < uint32_t(1) << waveBitCount);
  TileCoordinates result = registerCoordinates(place.registerIndex);
  uint64_t thread = place.wave << laneBitCount | place.lane;
  TileCoordinates threadPart = split(map.apply(thread << registerBits));
  for (unsigned axis = 0; axis < rank(); ++axis)
    result[axis] += threadPart[axis];
  return result;
}

TilePlace TileLayout::owner(const TileCoordinates &coordinates) const {
  uint64_t outputs = 0;
  uint32_t repeat = 0;
  for (unsigned axis = 0; axis < rank(); ++axis) {
    AxisPadding padding = axes[axis].padding;
    assert(coordinates[axis] >= 0 && coordinates[axis] < padding.paddedExtent());
    uint64_t coordinate = uint64_t(coordinates[axis]);
    outputs = outputs << padding.bits | (coordinate & lowBits(padding.bits));
    repeat = repeat * padding.repeats + uint32_t(coordinate >> padding.bits);
  }
  uint64_t inputs = inverse.apply(outputs);
  uint64_t thread = inputs >> registerBits;
  return {repeat << registerBits | uint32_t(inputs & lowBits(registerBits)),
          uint32_t(thread & lowBits(laneBitCount)), uint32_t(thread >> laneBitCount)};
}

/// Mask of the thread bits that move any of these outputs.
uint32_t TileLayout::movedThreadBits(uint64_t outputs) const {
  uint32_t mask = 0;
  for (unsigned bit = 0; bit < laneBitCount + waveBitCount; ++bit)
    if ((threadColumn(bit) & outputs) != 0)
      mask |= uint32_t(1) << bit;
  return mask;
}

uint32_t TileLayout::freeLaneMask() const {
  return ~movedThreadBits(~uint64_t(0)) & uint32_t(lowBits(laneBitCount));
}

uint32_t TileLayout::freeWaveMask() const {
  return ~movedThreadBits(~uint64_t(0)) >> laneBitCount & uint32_t(lowBits(waveBitCount));
}

uint32_t TileLayout::axisLaneBits(unsigned axis) const {
  return movedThreadBits(axisMask(axis)) & uint32_t(lowBits(laneBitCount));
}

uint32_t TileLayout::axisWaveBits(unsigned axis) const {
  return movedThreadBits(axisMask(axis)) >> laneBitCount;
}

Coverage TileLayout::coverage(uint32_t registerIndex, unsigned axis) const {
  uint64_t threadOutputs = 0;
  for (unsigned bit = 0; bit < laneBitCount + waveBitCount; ++bit)
    threadOutputs |= threadColumn(bit);
  int64_t lowest = registerCoordinates(registerIndex)[axis];
  int64_t highest = lowest + split(threadOutputs)[axis];
  if (highest < extent(axis))
    return Coverage::Inside;
  return lowest < extent(axis) ? Coverage::Partial : Coverage::Outside;
}

uint32_t TileLayout::contiguousRegisters(unsigned axis) const {
  unsigned run = 0;
  while (run < registerBits && run < axes[axis].padding.bits &&
         map.column(run) == uint64_t(1) << (axisShift(axis) + run))
    ++run;
  return uint32_t(1) << run;
}

/// The register of sliceAway(axis) that this register becomes part of: its number without the bits
/// and the repeat digit of the axis.
uint32_t TileLayout::slicedRegister(uint32_t registerIndex, unsigned axis) const {
  uint32_t laterRepeats = 1;
  for (unsigned later = axis + 1; later < rank(); ++later)
    laterRepeats *= axes[later].padding.repeats;
  uint32_t repeat = registerIndex >> registerBits;
  uint32_t sliced =
      repeat / laterRepeats / axes[axis].padding.repeats * laterRepeats + repeat % laterRepeats;
  for (unsigned bit = registerBits; bit-- > 0;)
    if ((map.column(bit) & axisMask(axis)) == 0)
      sliced = sliced << 1 | (registerIndex >> bit & 1);
  return sliced;
}

std::vector<std::vector<uint32_t>> TileLayout::axisRegisters(unsigned axis) const {
  std::vector<std::vector<uint32_t>> groups(sliceAway(axis).numRegisters());
  std::vector<int64_t> along(registerCount);
  for (uint32_t index = 0; index < registerCount; ++index) {
    along[index] = registerCoordinates(index)[axis];
    groups[slicedRegister(index, axis)].push_back(index);
  }
  for (std::vector<uint32_t> &group : groups)
    std::sort(group.begin(), group.end(),
              [&](uint32_t a, uint32_t b) { return along[a] < along[b]; });
  return groups;
}

std::string TileLayout::toString() const {
  std::string text = rank() == 0 ? "scalar" : "tile ";
  for (unsigned axis = 0; axis < rank(); ++axis) {
    AxisPadding padding = axes[axis].padding;
    text += (axis > 0 ? "x" : "") + std::to_string(extent(axis));
    if (padding.repeats > 1 || needsMask(axis))
      text += "(" + std::to_string(padding.repeats) + "*" +
              std::to_string(uint32_t(1) << padding.bits) + ")";
  }
  text += ": registers " + std::to_string(registerCount) + ", lanes " + std::to_string(waveSize()) +
          ", waves " + std::to_string(uint32_t(1) << waveBitCount);

  const std::pair<const char *, unsigned> parts[] = {
      {"\n  register", registerBits}, {"\n  lane", laneBitCount}, {"\n  wave", waveBitCount}};
  unsigned bit = 0;
  for (auto [name, count] : parts) {
    text += name;
    for (unsigned end = bit + count; bit < end; ++bit) {
      std::string moved = " -";
      for (unsigned axis = 0; axis < rank(); ++axis)
        if ((map.column(bit) & axisMask(axis)) != 0)
          moved = " " + std::to_string(axis) + "." +
                  std::to_string(unsigned(std::countr_zero(map.column(bit))) - axisShift(axis));
      text += moved;
    }
  }
  return text + "\n";
}

} // namespace tl
