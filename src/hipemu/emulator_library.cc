#include "hipemu/emulator_library.h"

#include "emu/open_emulator.h"
#include "support/own_directory.h"

namespace tl::hipemu {

Result<std::unique_ptr<emu::Emulator>> createEmulator(const std::string &path,
                                                      const std::vector<std::string> &chips,
                                                      const emu::Options &options) {
  std::string message;
  auto emulator = emu::openEmulator(path, ownDirectory(), chips, options, &message);
  if (!emulator)
    return makeError(TL_E_NO_DEVICE, "%s", message.c_str());
  return emulator;
}

} // namespace tl::hipemu
