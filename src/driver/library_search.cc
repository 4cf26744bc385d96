#include "driver/library_search.h"

#include <cstdlib>
#include <dlfcn.h>

namespace tl {

// A runtime has threads and handlers of its own: once loaded it stays.
static constexpr int openFlags = RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE;

Result<FoundLibrary> findLibrary(const LibrarySearch &search,
                                 const std::function<std::string(void *handle)> &missing) {
  std::string tried;
  FoundLibrary found;
  // Takes a library that is complete; remembers why it was not.
  auto take = [&](void *handle, bool owned, const std::string &name) {
    std::string lacks = missing(handle);
    if (lacks.empty()) {
      found = {handle, owned};
      return true;
    }
    tried += "; " + name + " has no " + lacks;
    if (owned)
      dlclose(handle);
    return false;
  };
  auto tryName = [&](const std::string &name, int flags) {
    dlerror();
    if (void *handle = dlopen(name.c_str(), openFlags | flags))
      return take(handle, true, name);
    const char *why = dlerror();
    if (!(flags & RTLD_NOLOAD))
      tried += "; " + std::string(why ? why : name);
    return false;
  };
  auto look = [&] {
    if (search.handle)
      return take(search.handle, false, "the given handle");
    if (!search.path.empty())
      return tryName(search.path, 0);
    for (const char *name : search.names)
      if (tryName(name, RTLD_NOLOAD))
        return true;
    const char *file = search.variable ? secure_getenv(search.variable) : nullptr;
    if (file && *file)
      return tryName(file, 0);
    for (const char *name : search.names)
      if (tryName(name, 0))
        return true;
    return false;
  };
  if (!look())
    return makeError(TL_E_NO_DEVICE, "no %s%s", search.what, tried.c_str());
  return found;
}

} // namespace tl
