// How a matrix instruction spreads 16x16 elements of its result over registers and lanes.
#pragma once

#include <array>
#include <cstdint>

namespace tl {

/// For each bit of a register's and of a lane's number, the bit of the element's place in the block
/// that it is: 0 to 3 of the column, 4 to 7 of the row.
struct ResultFragment {
  static constexpr unsigned sideBits = 4;
  unsigned registerBits = 0, laneBits = 0;
  std::array<uint8_t, 3> ofRegister{};
  std::array<uint8_t, 6> ofLane{};

  uint32_t registers() const { return uint32_t(1) << registerBits; }
  bool operator==(const ResultFragment &) const = default;
};

/// MFMA, waves of 64: column lane % 16, row 4 * (lane / 16) + register.
inline constexpr ResultFragment mfmaResult = {2, 6, {4, 5}, {0, 1, 2, 3, 6, 7}};
/// WMMA of RDNA 3, waves of 32: column lane % 16, row 2 * register + lane / 16.
inline constexpr ResultFragment wmma3Result = {3, 5, {5, 6, 7}, {0, 1, 2, 3, 4}};
/// WMMA of RDNA 4, waves of 32: column lane % 16, row register + 8 * (lane / 16).
inline constexpr ResultFragment wmma4Result = {3, 5, {4, 5, 6}, {0, 1, 2, 3, 7}};
/// Two mma.m16n8 of NVIDIA GPUs side by side (PTX ISA, "Matrix Fragments for mma.m16n8k16"): column
/// 2 * (lane % 4) + register % 2 + 8 * (register / 4), row lane / 4 + 8 * (register / 2 % 2).
inline constexpr ResultFragment mmaResult = {3, 5, {0, 7, 3}, {1, 2, 4, 5, 6}};

} // namespace tl
