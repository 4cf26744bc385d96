// LLVM's disassembler, for code that is not trusted.
#pragma once

#include <cstdint>
#include <span>

namespace llvm {
class MCDisassembler;
class MCInst;
class MCSubtargetInfo;
} // namespace llvm

namespace tl::emu {

/// The instruction that `code` begins with and its bytes; false when it is none of the chip's.
/// Under the decoder's lock, as are LLVM's tables.
bool disassemble(const llvm::MCDisassembler &disassembler, const llvm::MCSubtargetInfo &chip,
                 std::span<const uint8_t> code, uint64_t address, llvm::MCInst &instruction,
                 uint64_t &bytes);

} // namespace tl::emu
