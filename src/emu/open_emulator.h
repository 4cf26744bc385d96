// For those who drive the emulator from another library or a program: opens libtilelang-emu.so.
#pragma once

#include "emu/emulator.h"

#include <dlfcn.h>

namespace tl::emu {

inline constexpr char kEmulatorLibrary[] = "libtilelang-emu.so.0.1";

/// Opens `path`, or if empty the file in `directory` (with its slash; may be empty), or what the
/// system finds, and makes a machine with these chips. NULL with `message` filled: what was tried.
inline std::unique_ptr<Emulator> openEmulator(const std::string &path, const std::string &directory,
                                              const std::vector<std::string> &chips,
                                              const Options &options, std::string *message) {
  std::vector<std::string> candidates = {path};
  if (path.empty())
    candidates = {directory + kEmulatorLibrary, kEmulatorLibrary};
  std::string tried;
  for (const std::string &candidate : candidates) {
    // Never closed: its threads and those of LLVM stay.
    void *handle = dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (handle) {
      auto create = reinterpret_cast<decltype(&tl_emu_create)>(dlsym(handle, "tl_emu_create"));
      if (create)
        return std::unique_ptr<Emulator>(create(kInterface, chips, options, message));
      *message = candidate + " has no tl_emu_create";
      return nullptr;
    }
    const char *why = dlerror();
    tried += (tried.empty() ? "" : "; ") + std::string(why ? why : candidate.c_str());
  }
  *message = "the emulator's library cannot be opened: " + tried;
  return nullptr;
}

} // namespace tl::emu
