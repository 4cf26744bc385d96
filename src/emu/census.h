// Which instructions a code object uses, and whether the emulator knows them.
#pragma once

#include "support/result.h"

#include <span>

namespace tl::emu {

struct CensusRow {
  std::string chip, mnemonic;
  uint64_t count;
  bool implemented;
};

/// Of an ELF code object of any emulated chip; by mnemonic.
Result<std::vector<CensusRow>> takeCensus(std::span<const uint8_t> file);

} // namespace tl::emu
