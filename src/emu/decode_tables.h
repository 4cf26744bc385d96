// LLVM's tables of AMDGPU, and what its opcodes and registers are here. Both are looked at when
// they are first met, which the decoder's lock makes safe (decode.cc); nothing else uses this.
#pragma once

#include "emu/micro_op.h"

#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/TargetParser/Triple.h>

#include <memory>
#include <string>

namespace llvm {
class Target;
}

namespace tl::emu {

/// In bytes, of any chip: an image instruction with many addresses.
constexpr unsigned kLongestInstruction = 20;

/// What does not depend on a chip.
struct TargetTables {
  const llvm::Target *target = nullptr; // NULL: LLVM has no AMDGPU target
  llvm::Triple triple{"amdgcn-amd-amdhsa"};
  std::unique_ptr<llvm::MCRegisterInfo> registers;
  std::unique_ptr<llvm::MCInstrInfo> instructions;
  std::unique_ptr<llvm::MCAsmInfo> assembly;
  /// With which a disassembler reads as much as any chip's longest instruction takes. LLVM 22
  /// crashes over a literal that lies beyond the longest instruction of the chip at hand.
  std::unique_ptr<llvm::MCAsmInfo> anyLength;

  TargetTables();
};
const TargetTables &tables();

/// An LLVM opcode: its normalized name and its row.
struct OpcodeInfo {
  std::string name;
  uint16_t row = kNoRow;
  bool dpp8 = false;
};
const OpcodeInfo &opcodeInfo(unsigned opcode);

/// What an LLVM register is in our files; found from its name and encoding once.
struct RegisterInfo {
  enum Kind : uint8_t {
    Unknown,
    None,
    Vector,
    Scalar,
    Special,
    Null,
    Absent, // a register that the emulator does not have
  } kind = Unknown;
  uint8_t registers = 1;
  Select select = Select::Dword;
  uint16_t index = 0;
};
const RegisterInfo &registerInfo(unsigned reg);

/// Which counters a waiting instruction waits for, by its normalized name.
WaitClass waitClass(const std::string &name);

} // namespace tl::emu
