// TileLayout: which thread holds which element of a tile, and in which register. The whole compiler
// asks this class and nothing else: addresses and masks of loads and stores, the steps of a
// reduction, whether a shape operation moves data at all.
//
// Each axis is padded to repeats * 2^bits (padding.h). A LinearMap takes the bits of (register,
// lane, wave) to the coordinate bits of all axes; the repeats are the high part of the register
// number, in mixed radix, the last axis fastest. Every coordinate bit is moved by exactly one
// register, lane or wave bit, and no bit moves more than one. So a coordinate is a sum with a
// constant part,
//
//   coordinates = registerCoordinates(register)
//               + laneCoordinates(b) for each set bit b of the lane number
//               + waveCoordinates(b) for each set bit b of the wave number,
//
// and since the terms share no bit, plain addition is always valid; | and ^ give the same. Lane and
// wave bits that move nothing are free: threads that differ only there hold copies of the same
// elements.
#pragma once

#include "layout/linear_map.h"
#include "layout/matrix_fragment.h"
#include "layout/padding.h"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tl {

/// The highest rank of a tile.
inline constexpr unsigned maxLayoutRank = 5;

/// A coordinate per axis, outermost first; entries at and above the rank are zero.
using TileCoordinates = std::array<int64_t, maxLayoutRank>;

/// Where an element lives.
struct TilePlace {
  uint32_t registerIndex = 0;
  uint32_t lane = 0;
  uint32_t wave = 0;
  bool operator==(const TilePlace &) const = default;
};

/// A part of a coordinate that depends on the thread: `width` bits of the thread number (wave *
/// waveSize + lane) from bit `threadShift` on, moved to bit `coordinateShift` of the coordinate.
struct ThreadField {
  uint32_t threadShift = 0;
  uint32_t coordinateShift = 0;
  uint32_t width = 0;
  bool operator==(const ThreadField &) const = default;
};

/// What threads see of one register along one axis: every thread's element lies inside the true
/// extent, only some do, or none does.
enum class Coverage { Inside, Partial, Outside };

class TileLayout {
public:
  /// The default layout of a tile: its padded elements are dealt out in row-major order, first
  /// `vectorElements` to the registers of a lane, then over the lanes of a wave, then over the
  /// waves, and what remains to further registers. `shape`: rank 0 to 5, extents at least 1, at
  /// most 2^20 elements. `threads`, `waveSize` <= `threads` and `vectorElements` are powers of two;
  /// the vector is shortened to what the innermost axis of extent above 1 holds, and so that no
  /// thread idles while another holds two elements.
  static TileLayout blocked(std::span<const int64_t> shape, uint32_t threads, uint32_t waveSize,
                            uint32_t vectorElements);
  /// The layout of a matrix as a matrix instruction's results: each wave holds blocks of 16x16, and
  /// the blocks are dealt out to the waves in rectangles, what remains to further registers, of
  /// which those of one block follow each other. Extents are padded to multiples of 16.
  static TileLayout ofResults(std::span<const int64_t> shape, uint32_t threads, uint32_t waveSize,
                              const ResultFragment &fragment);
  /// The layout of this tile reduced over `axis`: registers along the axis disappear (axisRegisters
  /// says which become one), lane and wave bits along it become free.
  TileLayout sliceAway(unsigned axis) const;
  /// The layout with a new axis of extent 1 before `axis` (0..rank); no element moves. So
  /// sliceAway(a).insertAxis(a) is the layout of a reduction that keeps its axis.
  TileLayout insertAxis(unsigned axis) const;

  unsigned rank() const { return unsigned(axes.size()); }
  /// The true extent of an axis.
  int64_t extent(unsigned axis) const { return axes[axis].extent; }
  /// How an axis is padded.
  AxisPadding padding(unsigned axis) const { return axes[axis].padding; }
  unsigned laneBits() const { return laneBitCount; }
  unsigned waveBits() const { return waveBitCount; }
  uint32_t waveSize() const { return uint32_t(1) << laneBitCount; }
  uint32_t threads() const { return uint32_t(1) << (laneBitCount + waveBitCount); }
  /// Registers (elements, padding included) that each thread holds.
  uint32_t numRegisters() const { return registerCount; }

  /// The coordinates of `registerIndex` in lane 0 of wave 0: the constant part of its coordinates.
  TileCoordinates registerCoordinates(uint32_t registerIndex) const;
  /// What bit `bit` of the lane number adds to the coordinates: a power of two on one axis, or
  /// nothing.
  TileCoordinates laneCoordinates(unsigned bit) const;
  /// What bit `bit` of the wave number adds to the coordinates.
  TileCoordinates waveCoordinates(unsigned bit) const;
  /// The thread's part of the coordinate of one axis, as the fewest shifted bit fields of the
  /// thread number.
  std::vector<ThreadField> threadFields(unsigned axis) const;
  /// The coordinates of an element by its place; at or above the extent where that place is
  /// padding.
  TileCoordinates coordinates(const TilePlace &place) const;
  /// The place of an element (or of padding); of several copies, the one whose free bits are zero.
  TilePlace owner(const TileCoordinates &coordinates) const;

  /// Lane bits that move nothing. A thread is the owner of what it holds, not one of the copies,
  /// when (lane & freeLaneMask()) == 0 and (wave & freeWaveMask()) == 0.
  uint32_t freeLaneMask() const;
  /// Wave bits that move nothing.
  uint32_t freeWaveMask() const;

  /// Whether some place lies outside the true extent of `axis`.
  bool needsMask(unsigned axis) const { return axes[axis].padding.paddedExtent() > extent(axis); }
  /// Where the elements of one register lie along `axis`; Partial needs a test in each thread.
  Coverage coverage(uint32_t registerIndex, unsigned axis) const;
  /// The longest power-of-two run of registers, each run starting at a multiple of its length,
  /// whose elements follow each other along `axis`: the width of vector accesses where memory is
  /// contiguous along it.
  uint32_t contiguousRegisters(unsigned axis) const;

  /// For each register of sliceAway(axis), the registers of this layout that it gathers, in the
  /// order of their coordinates on `axis`.
  std::vector<std::vector<uint32_t>> axisRegisters(unsigned axis) const;
  /// Mask of the lane bits that move along `axis`.
  uint32_t axisLaneBits(unsigned axis) const;
  /// Mask of the wave bits that move along `axis`.
  uint32_t axisWaveBits(unsigned axis) const;

  /// The layout in text: for each register, lane and wave bit, the axis.bit it moves, or - where
  /// it is free.
  std::string toString() const;

  /// Same shape, same padding, every element in the same place.
  bool operator==(const TileLayout &) const = default;

private:
  struct Axis {
    int64_t extent = 1;
    AxisPadding padding;
    bool operator==(const Axis &) const = default;
  };

  TileLayout(std::vector<Axis> axes, unsigned registerBits, unsigned laneBits, unsigned waveBits,
             LinearMap map);

  unsigned axisShift(unsigned axis) const;
  uint64_t axisMask(unsigned axis) const;
  uint64_t threadColumn(unsigned threadBit) const { return map.column(registerBits + threadBit); }
  uint32_t movedThreadBits(uint64_t outputs) const;
  uint32_t slicedRegister(uint32_t registerIndex, unsigned axis) const;
  TileCoordinates split(uint64_t outputs) const;

  std::vector<Axis> axes;
  unsigned registerBits = 0; // the low, linear part of a register number
  unsigned laneBitCount = 0;
  unsigned waveBitCount = 0;
  uint32_t registerCount = 1;
  /// From register, lane and wave bits to coordinate bits, the last axis lowest.
  LinearMap map;
  /// Its right inverse, which leaves free bits zero.
  LinearMap inverse;
};

} // namespace tl
