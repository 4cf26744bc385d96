#include "artifact/log.h"

#include "tilelang/types.h"

namespace tl {

/// 0 for what is no tile or scalar.
static size_t elementsOf(const LogSite::Value &value) {
  constexpr size_t maxElements = size_t(1) << 20;
  size_t n = 1;
  if (!dtypeKnown(int32_t(value.dtype)) || value.extents.size() > TL_MAX_TILE_RANK)
    return 0;
  for (int64_t extent : value.extents)
    if (extent < 1 || __builtin_mul_overflow(n, size_t(extent), &n) || n > maxElements)
      return 0;
  return n;
}

size_t logWordsOf(const LogSite &site) {
  size_t words = size_t(LogHeader::Count);
  for (const LogSite::Value &value : site.values) {
    size_t elements = elementsOf(value);
    if (elements == 0 || (site.isAssert && site.values.size() > 1))
      return 0;
    words += site.isAssert ? 0 : elements;
  }
  words += site.isAssert; // the index of one element
  return words <= kMaxLogWords ? words : 0;
}

} // namespace tl
