// Finding a vendor's runtime library: the order is the same for all vendors.
#pragma once

#include "support/result.h"

#include <functional>
#include <span>
#include <string>

namespace tl {

/// Where to look, in this order: a handle of dlopen that the host gives, else the file at a path,
/// else a copy that is loaded already, else the file that an environment variable names, else the
/// usual names.
struct LibrarySearch {
  const char *what = "";  // "HIP runtime"
  void *handle = nullptr; // stays the caller's
  std::string path;
  const char *variable = nullptr; // of the environment; null = none is looked at
  std::span<const char *const> names;
};

struct FoundLibrary {
  void *handle = nullptr;
  bool owned = false; // to be closed
};

/// `missing` names a function that a library lacks, or "" for one that will do. TL_E_NO_DEVICE
/// names everything that was tried.
Result<FoundLibrary> findLibrary(const LibrarySearch &search,
                                 const std::function<std::string(void *handle)> &missing);

} // namespace tl
