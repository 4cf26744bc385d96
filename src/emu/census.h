// Which instructions a code object uses, and whether the emulator knows them.
#pragma once

#include "emu/emulator.h"
#include "support/result.h"

#include <span>

namespace tl::emu {

/// Of an ELF code object of any emulated chip; by mnemonic.
Result<std::vector<CensusRow>> takeCensus(std::span<const uint8_t> file);

} // namespace tl::emu
