#include "emu/decode_tables.h"

#include "emu/op_table.h"

#include <llvm/MC/MCAsmInfoELF.h>
#include <llvm/MC/MCTargetOptions.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>

#include <vector>

namespace tl::emu {

using namespace llvm;

namespace {
struct AnyLength final : MCAsmInfoELF {
  unsigned getMaxInstLength(const MCSubtargetInfo *) const override { return kLongestInstruction; }
};
} // namespace

TargetTables::TargetTables() {
  LLVMInitializeAMDGPUTargetInfo();
  LLVMInitializeAMDGPUTargetMC();
  LLVMInitializeAMDGPUDisassembler();
  std::string error;
  target = TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return;
  registers.reset(target->createMCRegInfo(triple));
  instructions.reset(target->createMCInstrInfo());
  assembly.reset(target->createMCAsmInfo(*registers, triple, MCTargetOptions()));
  anyLength = std::make_unique<AnyLength>();
}

const TargetTables &tables() {
  // Never destroyed: a stream may still run while static objects go.
  static const TargetTables &theTables = *new TargetTables;
  return theTables;
}

namespace {

constexpr unsigned kNamedSlots = SlotExec + 2; // what encodings name by number ends here

unsigned occurrences(StringRef text, StringRef part) { return unsigned(text.count(part)); }

RegisterInfo describeRegister(unsigned reg) {
  RegisterInfo info;
  StringRef name = tables().registers->getName(reg);
  unsigned encoding = tables().registers->getEncodingValue(reg);
  info.index = encoding & 0xff;
  if (reg == 0) {
    info.kind = RegisterInfo::None;
  } else if (name.starts_with("VGPR") || name.starts_with("AGPR")) {
    info.kind = RegisterInfo::Vector;
    info.registers = uint8_t(occurrences(name, "GPR"));
    if (name.starts_with("AGPR"))
      info.index = uint16_t(info.index + 256);
    if (name.ends_with("_HI16") || name.ends_with("_LO16"))
      info.select = name.ends_with("_HI16") ? Select::Word1 : Select::Word0;
  } else if (name.contains("NULL")) {
    info.kind = RegisterInfo::Null;
  } else if (name.starts_with("SRC_")) {
    info.kind = RegisterInfo::Scalar;
    info.registers = name.ends_with("_LO") || name.ends_with("_HI") ? 1 : 2;
    switch (encoding) {
    case 230:
      info.index = SlotScratchBase;
      break;
    case 231:
      info.index = SlotScratchBase + 1;
      break;
    case 235:
      info.index = SlotSharedBase;
      break;
    case 236:
      info.index = SlotSharedLimit;
      break;
    case 237:
      info.index = SlotPrivateBase;
      break;
    case 238:
      info.index = SlotPrivateLimit;
      break;
    case 239:
      info.index = SlotZero;
      break;
    default:
      info.kind = RegisterInfo::Special;
      info.registers = 1;
      info.index = encoding == 251 ? SlotVccZero : encoding == 252 ? SlotExecZero : SlotScc;
    }
  } else {
    info.kind = RegisterInfo::Scalar;
    if (name.starts_with("M0"))
      info.index = SlotM0;
    else if (name.starts_with("SGPR") || name.starts_with("TTMP"))
      info.registers = uint8_t(occurrences(name, name.substr(0, 4)));
    else
      info.registers = name.contains("_LO") || name.contains("_HI") ? 1 : 2;
    if (name.ends_with("_HI16") || name.ends_with("_LO16"))
      info.select = name.ends_with("_HI16") ? Select::Word1 : Select::Word0;
    if (info.index + info.registers > kNamedSlots)
      info.kind = RegisterInfo::Absent; // LDS_DIRECT, and names that no encoding has
  }
  return info;
}

} // namespace

const RegisterInfo &registerInfo(unsigned reg) {
  static auto &known = *new std::vector<RegisterInfo>(tables().registers->getNumRegs());
  if (known[reg].kind == RegisterInfo::Unknown)
    known[reg] = describeRegister(reg);
  return known[reg];
}

const OpcodeInfo &opcodeInfo(unsigned opcode) {
  static auto &known =
      *new std::vector<std::unique_ptr<OpcodeInfo>>(tables().instructions->getNumOpcodes());
  auto &info = known[opcode];
  if (!info) {
    info = std::make_unique<OpcodeInfo>();
    StringRef name = tables().instructions->getName(opcode);
    info->name = normalizeName({name.data(), name.size()});
    info->row = findOp(info->name);
    info->dpp8 = name.contains("_dpp8");
  }
  return *info;
}

// Which counters a waiting instruction waits for; nothing else has such a name.
WaitClass waitClass(const std::string &name) {
  static const std::pair<const char *, WaitClass> classes[] = {
      {"S_WAITCNT", WaitClass::Combined},
      {"S_WAITCNT_VMCNT", WaitClass::Vector},
      {"S_WAITCNT_LGKMCNT", WaitClass::LdsAndScalar},
      {"S_WAITCNT_VSCNT", WaitClass::Store},
      {"S_WAIT_LOADCNT", WaitClass::Vector},
      {"S_WAIT_DSCNT", WaitClass::Lds},
      {"S_WAIT_KMCNT", WaitClass::Scalar},
      {"S_WAIT_STORECNT", WaitClass::Store},
      {"S_WAIT_LOADCNT_DSCNT", WaitClass::VectorAndLds},
      {"S_WAIT_STORECNT_DSCNT", WaitClass::Lds}, // nothing is delivered by stores
      {"S_WAIT_IDLE", WaitClass::Idle},
  };
  if (name.rfind("S_WAIT", 0) == 0)
    for (const auto &[known, value] : classes)
      if (name == known)
        return value;
  return WaitClass::None;
}

} // namespace tl::emu
