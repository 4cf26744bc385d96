#include "capi/emulator.h"

#include "support/own_directory.h"

#include <dlfcn.h>
#include <stdlib.h>

namespace tl {

namespace {

constexpr const char *libraryName = "libtilelang-hipemu.so.0.1";
// One machine with all chips, unless the user's environment says otherwise.
constexpr const char *settings = "devices?=gfx90a,gfx942,gfx950,gfx1100,gfx1201";
constexpr int openFlags = RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE;

/// What is wrong with the runtime's settings, or why it has no device; "" when all is well.
std::string problemOf(void *handle) {
  auto fault = reinterpret_cast<size_t (*)(int, char *, size_t)>(dlsym(handle, "tl_hipemu_fault"));
  char text[1024] = "";
  if (fault)
    fault(-1, text, sizeof text);
  return text;
}

} // namespace

Result<std::shared_ptr<Driver>> openEmulator(bool ignoreEnvironment) {
  const char *fromEnvironment = ignoreEnvironment ? nullptr : secure_getenv("TL_HIPEMU_LIBRARY");
  std::vector<std::string> candidates;
  if (fromEnvironment && *fromEnvironment)
    candidates = {fromEnvironment};
  else
    candidates = {ownDirectory() + libraryName, libraryName};
  void *handle = nullptr;
  std::string tried;
  for (const std::string &candidate : candidates) {
    if ((handle = dlopen(candidate.c_str(), openFlags)))
      break;
    const char *why = dlerror();
    tried += (tried.empty() ? "" : "; ") + std::string(why ? why : candidate.c_str());
  }
  if (!handle)
    return makeError(TL_E_NO_DEVICE, "the emulator cannot be opened: %s", tried.c_str());
  auto configure =
      reinterpret_cast<int (*)(const char *, char *, size_t)>(dlsym(handle, "tl_hipemu_configure"));
  if (!configure)
    return makeError(TL_E_NO_DEVICE, "%s is no stand-in HIP runtime", candidates.back().c_str());
  // Fails when the machine runs already with other chips: then those are the devices.
  char message[256];
  configure(settings, message, sizeof message);
  HipDriverOptions options;
  options.name = "emu";
  options.handle = handle;
  options.nameByChip = true;
  auto driver = openHipDriver(options);
  // A setting that is not understood is a mistake of the user's, who would wait in vain for its
  // effect.
  std::string problem = problemOf(handle);
  if (driver.ok() && !problem.empty())
    return makeError(TL_E_NO_DEVICE, "the emulator is not usable: %s", problem.c_str());
  return driver;
}

} // namespace tl
