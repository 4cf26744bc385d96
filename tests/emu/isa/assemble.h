// LLVM's assembler, for tests of single instructions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace isatest {

/// The machine code of one or more lines; empty when the chip has no such instruction.
std::vector<uint8_t> assemble(const std::string &chip, unsigned waveSize, const std::string &text,
                              std::string *error = nullptr);

} // namespace isatest
