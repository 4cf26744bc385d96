// libtilelang-emu, opened when the first machine is made.
#pragma once

#include "emu/emulator.h"
#include "support/result.h"

namespace tl::hipemu {

/// Opens `path`, or if empty the file beside this library, or what the system finds, and makes a
/// machine with these chips. Messages say what was tried.
Result<std::unique_ptr<emu::Emulator>> createEmulator(const std::string &path,
                                                      const std::vector<std::string> &chips,
                                                      const emu::Options &options);

} // namespace tl::hipemu
