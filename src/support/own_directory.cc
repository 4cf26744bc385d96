#include "support/own_directory.h"

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>

namespace tl {

namespace {

struct Free {
  FILE *file;
  char *line = nullptr;
  ~Free() {
    std::free(line);
    if (file)
      std::fclose(file);
  }
};

/// The file that this code is mapped from, as the kernel knows it: neither links nor a change of
/// the working directory since it was opened matter. Empty without /proc.
std::string mappedFile() {
  const auto here = reinterpret_cast<uintptr_t>(&ownDirectory);
  Free maps{std::fopen("/proc/self/maps", "re")};
  size_t capacity = 0;
  while (maps.file && getline(&maps.line, &capacity, maps.file) > 0) {
    uintptr_t begin = 0, end = 0;
    int path = 0;
    if (std::sscanf(maps.line, "%" SCNxPTR "-%" SCNxPTR " %*s %*s %*s %*s %n", &begin, &end,
                    &path) != 2 ||
        here < begin || here >= end)
      continue;
    std::string name = maps.line + path;
    return name.substr(0, name.find('\n'));
  }
  return {};
}

} // namespace

std::string ownDirectory() {
  std::string file = mappedFile();
  Dl_info info;
  if (file.empty() || file[0] != '/')
    file = dladdr(reinterpret_cast<const void *>(&ownDirectory), &info) && info.dli_fname
               ? info.dli_fname
               : "";
  size_t slash = file.rfind('/');
  return slash == std::string::npos ? std::string() : file.substr(0, slash + 1);
}

} // namespace tl
