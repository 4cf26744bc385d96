#include "emu/disassemble.h"

#include "emu/decode_tables.h"

#include <llvm/MC/MCDisassembler/MCDisassembler.h>
#include <llvm/MC/MCInst.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

namespace tl::emu {

using namespace llvm;

namespace {

// What is in a register class of LLVM's.
struct ClassInfo {
  bool known = false, vectors = false, others = false;
};

const ClassInfo &classInfo(unsigned registerClass) {
  static auto &known = *new std::vector<ClassInfo>(tables().registers->getNumRegClasses());
  ClassInfo &info = known[registerClass];
  if (!info.known)
    for (MCPhysReg reg : tables().registers->getRegClass(registerClass))
      (registerInfo(reg).kind == RegisterInfo::Vector ? info.vectors : info.others) = true;
  info.known = true;
  return info;
}

// Fields of nine bits name registers of all kinds and constants, and LLVM decodes those that an
// instruction does not take, too.
bool takesOperands(const MCInst &instruction, const MCSubtargetInfo &chip) {
  const MCInstrDesc &desc = tables().instructions->get(instruction.getOpcode());
  const unsigned mode = chip.getHwMode(MCSubtargetInfo::HwMode_RegInfo);
  for (unsigned i = 0; i < desc.getNumOperands() && i < instruction.getNumOperands(); ++i) {
    const MCOperand &operand = instruction.getOperand(i);
    const int registerClass = tables().instructions->getOpRegClassID(desc.operands()[i], mode);
    if (registerClass < 0 || (operand.isReg() && !operand.getReg()))
      continue;
    const ClassInfo &info = classInfo(unsigned(registerClass));
    const bool vector =
        operand.isReg() && registerInfo(operand.getReg()).kind == RegisterInfo::Vector;
    const bool taken = !operand.isReg() ? desc.operands()[i].OperandType != MCOI::OPERAND_REGISTER
                       : vector         ? info.vectors
                                        : info.others;
    if (!taken)
      return false;
  }
  return true;
}

// An instruction's bytes, and what LLVM 22 makes of them. It crashes over a source operand 0xff, a
// literal that follows, where an instruction takes none: such instructions are recognized with
// another value in its place.
class Window {
public:
  Window(const MCDisassembler &disassembler, std::span<const uint8_t> code, uint64_t address)
      : disassembler(disassembler), address(address) {
    // Padded, as LLVM must not meet the end of what it may read before an instruction's own.
    std::memcpy(words, code.data(), std::min(sizeof words, code.size()));
  }

  bool read(MCInst &instruction, uint64_t &bytes) {
    if (words[1] == kLiteral && readHalf(instruction, bytes))
      return true;
    if ((words[0] & kScalarMask) == kScalarWithLiteral && isBarrier())
      return false;
    return decode(instruction, bytes);
  }

private:
  static constexpr uint32_t kLiteral = 0xff, kOtherLiteral = 0x5a5a, kMinusOne = 0xc1;
  // SOP1, "Scalar ALU" of all ISA documents.
  static constexpr uint32_t kScalarMask = 0xff8000ff, kScalarWithLiteral = 0xbe8000ff;

  bool decode(MCInst &instruction, uint64_t &bytes) const {
    instruction = MCInst();
    bytes = 0;
    ArrayRef<uint8_t> window(reinterpret_cast<const uint8_t *>(words), sizeof words);
    return disassembler.getInstruction(instruction, bytes, window, address, nulls()) !=
           MCDisassembler::Fail;
  }
  /// The name of what stands here with another value for a word.
  const std::string &nameWith(uint32_t &word, uint32_t value, MCInst &instruction,
                              uint64_t &bytes) const {
    const uint32_t before = std::exchange(word, value);
    const bool good = decode(instruction, bytes);
    word = before;
    return opcodeInfo(good ? instruction.getOpcode() : 0).name;
  }

  // The constant of 16 bits that some encodings hold is decoded as a source operand's number.
  bool readHalf(MCInst &instruction, uint64_t &bytes) {
    const std::string &name = nameWith(words[1], kOtherLiteral, instruction, bytes);
    if (name != "V_MADMK_F16" && name != "V_MADAK_F16" && name != "V_FMAMK_F16" &&
        name != "V_FMAAK_F16")
      return false;
    for (MCOperand &operand : instruction)
      if (operand.isImm() && operand.getImm() == kOtherLiteral)
        operand.setImm(kLiteral);
    return true;
  }
  // Of gfx12: their numbers are no literals.
  bool isBarrier() {
    MCInst instruction;
    uint64_t bytes;
    const uint32_t inlined = (words[0] & ~0xffu) | kMinusOne;
    return nameWith(words[0], inlined, instruction, bytes).find("BARRIER") != std::string::npos;
  }

  const MCDisassembler &disassembler;
  uint64_t address;
  uint32_t words[kLongestInstruction / 4] = {};
};

} // namespace

bool disassemble(const MCDisassembler &disassembler, const MCSubtargetInfo &chip,
                 std::span<const uint8_t> code, uint64_t address, MCInst &instruction,
                 uint64_t &bytes) {
  return Window(disassembler, code, address).read(instruction, bytes) && bytes &&
         bytes <= code.size() && bytes <= tables().assembly->getMaxInstLength(&chip) &&
         takesOperands(instruction, chip);
}

} // namespace tl::emu
