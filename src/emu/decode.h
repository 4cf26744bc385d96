// Machine code → micro-ops, through LLVM's disassembler, once per code object and wave size.
#pragma once

#include "emu/micro_op.h"
#include "support/result.h"

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace tl::emu {

struct Chip;
struct CodeObject;

struct Program {
  std::vector<MicroOp> ops;      // in order of addresses; the last one is a guard that faults
  uint64_t codeBase = 0;         // address of indexOf[0]
  std::vector<uint32_t> indexOf; // for each four bytes of code; kNoInstruction inside of one
  std::vector<MicroOp> halves;   // of VOPD pairs
  uint32_t vectorLines = 1;      // lines of the vector file that any instruction names
  uint32_t waveSize = 64;
  bool swaps = false; // an instruction compares memory and swaps
  std::unordered_map<uint64_t, std::unique_ptr<ConstantLines>> constants;

  /// The instruction at an address of the code object, kNoInstruction when there is none.
  uint32_t find(uint64_t address) const {
    uint64_t slot = (address - codeBase) / 4;
    return address % 4 || slot >= indexOf.size() ? kNoInstruction : indexOf[slot];
  }
};

Result<std::unique_ptr<Program>> decode(const CodeObject &object, const Chip &chip,
                                        uint32_t waveSize);

/// "v_add_f32": the normalized name of an LLVM opcode, in small letters.
std::string mnemonic(uint16_t opcode);

} // namespace tl::emu
