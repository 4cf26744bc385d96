#include "hipemu/emulator_library.h"

#include "support/own_directory.h"

#include <dlfcn.h>

namespace tl::hipemu {

static constexpr const char *kLibraryName = "libtilelang-emu.so.0.1";

Result<std::unique_ptr<emu::Emulator>> createEmulator(const std::string &path,
                                                      const std::vector<std::string> &chips,
                                                      const emu::Options &options) {
  std::vector<std::string> candidates;
  if (!path.empty())
    candidates = {path};
  else
    candidates = {ownDirectory() + kLibraryName, kLibraryName};
  std::string tried;
  void *handle = nullptr;
  for (const std::string &candidate : candidates) {
    // Never closed: its threads and those of LLVM stay.
    handle = dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (handle)
      break;
    const char *why = dlerror();
    tried += (tried.empty() ? "" : "; ") + std::string(why ? why : candidate.c_str());
  }
  if (!handle)
    return makeError(TL_E_NO_DEVICE, "the emulator's library cannot be opened: %s", tried.c_str());
  auto create = reinterpret_cast<decltype(&tl_emu_create)>(dlsym(handle, "tl_emu_create"));
  if (!create)
    return makeError(TL_E_NO_DEVICE, "the emulator's library has no tl_emu_create");
  std::string message;
  std::unique_ptr<emu::Emulator> emulator(create(emu::kInterface, chips, options, &message));
  if (!emulator)
    return makeError(TL_E_NO_DEVICE, "%s", message.c_str());
  return emulator;
}

} // namespace tl::hipemu
