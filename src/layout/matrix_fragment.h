// How a matrix instruction spreads 16x16 elements of its result over registers and lanes.
#pragma once

#include <array>
#include <cstdint>

namespace tl {

/// Lane bits 0 to 3 are the column's bits. Register bits and the lane bits above them are row bits:
/// each entry says which.
struct ResultFragment {
  static constexpr unsigned sideBits = 4;
  std::array<uint8_t, 3> rowOfRegister{};
  unsigned registerBits = 0;
  std::array<uint8_t, 2> rowOfLane{};
  unsigned laneRowBits = 0;

  uint32_t registers() const { return uint32_t(1) << registerBits; }
  bool operator==(const ResultFragment &) const = default;
};

/// MFMA, waves of 64: row 4 * (lane / 16) + register.
inline constexpr ResultFragment mfmaResult = {{0, 1, 0}, 2, {2, 3}, 2};
/// WMMA of RDNA 3, waves of 32: row 2 * register + lane / 16.
inline constexpr ResultFragment wmma3Result = {{1, 2, 3}, 3, {0, 0}, 1};
/// WMMA of RDNA 4, waves of 32: row register + 8 * (lane / 16).
inline constexpr ResultFragment wmma4Result = {{0, 1, 2}, 3, {3, 0}, 1};

} // namespace tl
