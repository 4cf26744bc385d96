// Makes the Emulator. Code in this library other than create.cc needs a CPU with AVX2.
#pragma once

#include "emu/emulator.h"

namespace tl::emu {

Emulator *createMachine(const std::vector<std::string> &chips, const Options &options,
                        std::string *message);

} // namespace tl::emu
