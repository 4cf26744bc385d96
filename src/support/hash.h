// 128-bit content hashes (XXH3). A hash names content, it does not prove identity: whoever looks
// something up by hash also compares the whole key.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace tl {

struct Hash128 {
  uint64_t high = 0;
  uint64_t low = 0;
  bool operator==(const Hash128 &) const = default;
  /// 32 lower-case hexadecimal digits.
  std::string hex() const;
};

Hash128 hashBytes(std::span<const uint8_t> bytes);
/// 64-bit checksum for file integrity.
uint64_t checksumBytes(std::span<const uint8_t> bytes);

} // namespace tl
