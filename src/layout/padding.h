// How a tile of any extents becomes one that bits can index: each axis is padded to repeats *
// 2^bits, and the choice is made over all axes together. Padding each axis well on its own is a
// trap: 36 = 9*4 suits 33, but 33x33x33 that way has only 64 elements for the threads to share and
// 729 repeats, each of which costs every thread a register.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tl {

/// One axis padded to `repeats` blocks of 2^`bits` elements. `repeats` is odd and at most 15.
struct AxisPadding {
  uint32_t repeats = 1;
  uint32_t bits = 0;

  int64_t paddedExtent() const { return int64_t(repeats) << bits; }
  bool operator==(const AxisPadding &) const = default;
};

/// Registers that each of `threads` threads needs for a tile padded so: the 2^bits parts of all
/// axes are dealt out to the threads, every repeat costs registers.
uint64_t registersPerThread(std::span<const AxisPadding> axes, uint32_t threads);

/// The padding of a tile of extents `shape` (each at least 1) that needs the fewest registers on
/// each of `threads` threads, a power of two. An axis takes repeats * 2^bits with at most 1/8 of
/// the padded extent wasted, or the next power of two. Equal numbers of registers mean equally many
/// repeats, since repeats are odd; ties go to the most bits on the innermost axis, the next one,
/// and so on.
std::vector<AxisPadding> choosePadding(std::span<const int64_t> shape, uint32_t threads);

} // namespace tl
