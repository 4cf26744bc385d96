#include "emu/mapped_bytes.h"

#include <cstdint>
#include <cstdio>

namespace tl::emu {

size_t mappedBytes(const void *address) {
  std::FILE *maps = std::fopen("/proc/self/maps", "re");
  if (!maps)
    return SIZE_MAX;
  const auto first = reinterpret_cast<uintptr_t>(address);
  uintptr_t end = first;
  // "7f0c8a400000-7f0c8a428000 r--p 00000000 ...", by address.
  unsigned long long from, to;
  char readable;
  while (std::fscanf(maps, "%llx-%llx %c%*[^\n]", &from, &to, &readable) == 3)
    if (from <= end && end < to && readable == 'r')
      end = to;
  std::fclose(maps);
  return end - first;
}

} // namespace tl::emu
