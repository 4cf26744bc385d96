// The counter-based generator Philox4x32-10: J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw,
// "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
#pragma once

#include <array>
#include <cstdint>

namespace tl {

struct Philox {
  static constexpr unsigned rounds = 10;
  /// What the first and third word of the counter are multiplied by.
  static constexpr uint32_t multiplier[2] = {0xD2511F53, 0xCD9E8D57};
  /// What is added to the key from round to round: of the golden ratio and of the root of 3.
  static constexpr uint32_t step[2] = {0x9E3779B9, 0xBB67AE85};
};

constexpr std::array<uint32_t, 4> philox(std::array<uint32_t, 4> counter,
                                         std::array<uint32_t, 2> key) {
  for (unsigned round = 0; round < Philox::rounds; ++round) {
    const uint64_t a = uint64_t(counter[0]) * Philox::multiplier[0];
    const uint64_t b = uint64_t(counter[2]) * Philox::multiplier[1];
    counter = {uint32_t(b >> 32) ^ counter[1] ^ key[0], uint32_t(b),
               uint32_t(a >> 32) ^ counter[3] ^ key[1], uint32_t(a)};
    key[0] += Philox::step[0];
    key[1] += Philox::step[1];
  }
  return counter;
}

} // namespace tl
