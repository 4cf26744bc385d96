#include "support/own_directory.h"

#include <cstring>
#include <dlfcn.h>

namespace tl {

std::string ownDirectory() {
  Dl_info info;
  if (!dladdr(reinterpret_cast<const void *>(&ownDirectory), &info) || !info.dli_fname)
    return {};
  const char *slash = std::strrchr(info.dli_fname, '/');
  return slash ? std::string(info.dli_fname, size_t(slash - info.dli_fname) + 1) : std::string();
}

} // namespace tl
