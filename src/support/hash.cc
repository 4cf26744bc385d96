#include "support/hash.h"

#include "support/result.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace tl {

std::string Hash128::hex() const {
  return formatString("%016llx%016llx", (unsigned long long)high, (unsigned long long)low);
}

Hash128 hashBytes(std::span<const uint8_t> bytes) {
  XXH128_hash_t h = XXH3_128bits(bytes.data(), bytes.size());
  return {h.high64, h.low64};
}

uint64_t checksumBytes(std::span<const uint8_t> bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

} // namespace tl
