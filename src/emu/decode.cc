#include "emu/decode.h"

#include "emu/chips.h"
#include "emu/code_object.h"
#include "emu/control.h"
#include "emu/decode_tables.h"
#include "emu/disassemble.h"
#include "emu/op_table.h"

#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCDisassembler/MCDisassembler.h>
#include <llvm/MC/MCExpr.h>
#include <llvm/MC/MCInst.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>

#include <algorithm>
#include <mutex>

namespace tl::emu {
namespace {

using namespace llvm;

// Bits of MCInstrDesc::TSFlags: SIInstrFlags of LLVM 22 (lib/Target/AMDGPU/SIDefines.h), which is
// not installed. The tests of single instructions fail when a bit has another meaning.
enum : uint64_t {
  kSalu = 1u << 0,
  kValu = 1u << 1,
  kVopc = 1u << 9,
  kVop3 = 1u << 10,
  kVop3p = 1u << 12,
  kSdwa = 1u << 14,
  kDpp = 1u << 15,
  kMubuf = 1u << 17,
  kMtbuf = 1u << 18,
  kSmem = 1u << 19,
  kFlat = 1u << 24,
  kDs = 1u << 25,
  kVop3OpSel = uint64_t(1) << 42,
};
// Operand types: MCOI::OPERAND_PCREL; AMDGPU::OPERAND_INPUT_MODS of LLVM 22.
constexpr unsigned kTypePcRelative = 4, kTypeModifiers = 45, kTypeImmediate = 1;

// The caches of decode_tables.cc and LLVM's lazily built tables are shared.
std::mutex decodeMutex;

class Decoder {
public:
  Decoder(const CodeObject &object, const Chip &chip, uint32_t waveSize)
      : object(object), chip(chip), program(std::make_unique<Program>()) {
    program->waveSize = waveSize;
  }

  Result<std::unique_ptr<Program>> run() {
    if (!tables().target)
      return internalError("LLVM has no AMDGPU target");
    std::string features;
    if (chip.has(BothWaveSizes))
      features = program->waveSize == 64 ? "+wavefrontsize64,-wavefrontsize32"
                                         : "+wavefrontsize32,-wavefrontsize64";
    // With it high halves of registers have names; the encodings without are among those.
    if (chip.generation != Generation::Gfx9)
      features += ",+real-true16";
    subtarget.reset(
        tables().target->createMCSubtargetInfo(tables().triple, chip.info.name, features));
    MCContext context(tables().triple, tables().anyLength.get(), tables().registers.get(),
                      subtarget.get());
    std::unique_ptr<MCDisassembler> disassembler(
        tables().target->createMCDisassembler(*subtarget, context));
    if (object.code.empty())
      return makeError(TL_E_CORRUPT, "the code object holds no code");
    uint64_t end = 0;
    program->codeBase = object.code.front().address & ~uint64_t(3);
    for (const CodeSegment &section : object.code)
      end = std::max(end, section.address + section.memoryBytes);
    program->indexOf.assign((end - program->codeBase) / 4 + 1, kNoInstruction);
    for (const CodeSegment &section : object.code)
      decodeSection(*disassembler, section);
    finish();
    return std::move(program);
  }

private:
  void decodeSection(MCDisassembler &disassembler, const CodeSegment &section) {
    const auto bytes = std::span(object.image).subspan(section.offset, section.fileBytes);
    uint64_t at = (4 - section.address % 4) % 4;
    while (at + 4 <= bytes.size()) {
      MCInst instruction;
      uint64_t size;
      MicroOp op = {};
      op.pc = uint32_t(section.address + at);
      op.target = kNoInstruction;
      op.row = kNoRow;
      if (disassemble(disassembler, *subtarget, bytes.subspan(at), op.pc, instruction, size)) {
        describe(instruction, op);
      } else {
        op.run = illegalInstruction;
        size = 4;
      }
      op.bytes = uint8_t(size);
      program->indexOf[(op.pc - program->codeBase) / 4] = uint32_t(program->ops.size());
      program->ops.push_back(op);
      const std::string &name = opcodeInfo(op.opcode).name;
      program->swaps |= name.find("_CMPS") != std::string::npos; // CMPSWAP, CMPST, CMPSTORE
      at += size;
    }
    // Running off a section's end must not reach the next one.
    MicroOp guard = {};
    guard.pc = uint32_t(section.address + bytes.size());
    guard.target = kNoInstruction;
    guard.row = kNoRow;
    guard.run = leftCode;
    program->ops.push_back(guard);
  }

  void finish() {
    for (MicroOp &op : program->ops)
      if (op.flags & OpBranch && op.target != kNoInstruction)
        op.target = program->find(op.target);
    auto lines = [&](const MicroOp &op) {
      for (const Operand &operand : op.dst)
        noteLines(operand);
      for (const Operand &operand : op.src)
        noteLines(operand);
    };
    for (const MicroOp &op : program->ops)
      lines(op);
    for (const MicroOp &op : program->halves)
      lines(op);
  }

  void noteLines(const Operand &operand) {
    if (operand.kind == Operand::Vector)
      program->vectorLines =
          std::max(program->vectorLines, operand.index + std::max<uint32_t>(operand.registers, 1));
  }

  Operand constantOperand(int64_t value) {
    auto &lines = program->constants[uint64_t(value)];
    if (!lines) {
      lines = std::make_unique<ConstantLines>();
      std::fill_n(lines->low, kLineLanes, uint32_t(value));
      std::fill_n(lines->high, kLineLanes, uint32_t(uint64_t(value) >> 32));
    }
    Operand operand;
    operand.kind = Operand::Constant;
    operand.registers = 1;
    operand.low = uint32_t(value);
    operand.constant = lines.get();
    return operand;
  }

  Operand registerOperand(unsigned reg, bool isResult) {
    const RegisterInfo &info = registerInfo(reg);
    if (info.kind == RegisterInfo::Null && !isResult)
      return constantOperand(0);
    Operand operand;
    operand.registers = info.registers;
    operand.select = info.select;
    operand.index = info.index;
    switch (info.kind) {
    case RegisterInfo::Vector:
      operand.kind = Operand::Vector;
      break;
    case RegisterInfo::Scalar:
      operand.kind = Operand::Scalar;
      break;
    case RegisterInfo::Special:
      operand.kind = Operand::Special;
      break;
    case RegisterInfo::Null:
      operand.kind = Operand::Scalar;
      operand.index = SlotDiscard;
      break;
    case RegisterInfo::Absent:
      absentRegister = true;
      break;
    default:
      break;
    }
    return operand;
  }

  Operand vccOperand() {
    Operand operand;
    operand.kind = Operand::Scalar;
    operand.index = SlotVcc;
    operand.registers = uint8_t(program->waveSize / 32);
    return operand;
  }
  Operand execOperand() {
    Operand operand = vccOperand();
    operand.index = SlotExec;
    return operand;
  }

  Operand valueOperand(const MCOperand &operand, bool isResult = false) {
    // Literals that an inline constant could have encoded come as expressions.
    int64_t value;
    if (operand.isExpr() && operand.getExpr()->evaluateAsAbsolute(value))
      return constantOperand(value);
    return operand.isReg()   ? registerOperand(operand.getReg(), isResult)
           : operand.isImm() ? constantOperand(operand.getImm())
                             : Operand();
  }

  void describe(const MCInst &instruction, MicroOp &op) {
    const OpcodeInfo &info = opcodeInfo(instruction.getOpcode());
    const MCInstrDesc &desc = tables().instructions->get(instruction.getOpcode());
    absentRegister = false;
    op.opcode = uint16_t(instruction.getOpcode());
    op.row = info.row;
    op.run = unimplementedInstruction;
    if (info.row != kNoRow) {
      op.run = opRow(info.row).run;
      op.flags |= opRow(info.row).flags;
    }
    if (info.name.rfind("V_DUAL_", 0) == 0)
      describePair(instruction, info, op);
    else if (desc.TSFlags & kSmem)
      describeScalarMemory(instruction, desc, op);
    else if (desc.TSFlags & (kFlat | kMubuf | kMtbuf))
      describeVectorMemory(instruction, desc, op);
    else if (desc.TSFlags & kDs)
      describeLds(instruction, desc, op);
    else if (desc.TSFlags & kValu)
      describeVector(instruction, desc, info, op);
    else
      describeScalar(instruction, desc, op);
    op.wait = waitClass(info.name);
    if (op.clamp && op.row != kNoRow && opRow(op.row).clamped)
      op.run = opRow(op.row).clamped, op.clamp = 0;
    if (absentRegister)
      forgetOperands(op);
  }

  // What names a register that is not there is not run, nor looked at by checks.
  static void forgetOperands(MicroOp &op) {
    op.run = unimplementedInstruction;
    op.row = kNoRow;
    op.flags = 0;
    op.space = Space::None;
    op.target = kNoInstruction;
    op.sources = 0;
    for (Operand &operand : op.dst)
      operand = Operand();
    for (Operand &operand : op.src)
      operand = Operand();
  }

  // V_MOVRELD and the like have no definition in LLVM: which register it is shows at run time.
  static void firstSourceIsResult(MicroOp &op) {
    op.dst[0] = op.src[0];
    op.src[0] = op.src[1];
    op.src[1] = Operand();
    op.sources = 1;
  }

  // Scalar instructions: results, then all else in order; immediates are operands.
  void describeScalar(const MCInst &instruction, const MCInstrDesc &desc, MicroOp &op) {
    unsigned results = desc.getNumDefs();
    for (unsigned i = 0; i < instruction.getNumOperands(); ++i) {
      const MCOperand &operand = instruction.getOperand(i);
      if (i < results) {
        if (i < 2)
          op.dst[i] = valueOperand(operand, true);
      } else if (i < desc.getNumOperands() && operand.isImm() &&
                 desc.operands()[i].OperandType == kTypePcRelative) {
        op.flags |= OpBranch;
        op.target = op.pc + 4 + uint32_t(int32_t(int16_t(operand.getImm()))) * 4;
      } else if (op.sources < 4) {
        op.src[op.sources++] = valueOperand(operand);
      }
    }
    const std::string &name = opcodeInfo(instruction.getOpcode()).name;
    if (results == 0 && name.rfind("S_MOVRELD", 0) == 0)
      firstSourceIsResult(op);
    // Delivered like scalar loads (RDNA4 ISA "S_GET_BARRIER_STATE", "S_SENDMSG_RTN_B32").
    if (name.rfind("S_GET_BARRIER_STATE", 0) == 0 || name.rfind("S_SENDMSG_RTN", 0) == 0)
      op.space = Space::Scalar;
  }

  bool isTied(const MCInstrDesc &desc, unsigned i) const {
    return i < desc.getNumOperands() && desc.getOperandConstraint(i, MCOI::TIED_TO) >= 0;
  }

  void describeScalarMemory(const MCInst &instruction, const MCInstrDesc &desc, MicroOp &op) {
    op.space = Space::Scalar;
    unsigned at = desc.getNumDefs(), immediates = 0;
    if (at)
      op.dst[0] = valueOperand(instruction.getOperand(0), true);
    else if (desc.mayStore() && instruction.getNumOperands() > 2)
      op.src[3] = valueOperand(instruction.getOperand(at++)); // the stored value
    for (unsigned registers = 0; at < instruction.getNumOperands(); ++at) {
      const MCOperand &operand = instruction.getOperand(at);
      if (operand.isReg() && registers < 2)
        op.src[registers++] = valueOperand(operand);
      else if (operand.isImm() && immediates < 3)
        op.imm[immediates++] = int32_t(operand.getImm());
    }
    // Without an offset the only immediate is the cache policy.
    if (immediates == 1)
      op.imm[1] = op.imm[0], op.imm[0] = 0;
  }

  // Order in LLVM: loads: vdata, [tied vdata], address...; stores: FLAT address first, buffers data
  // first. src[0] address, src[1] data, src[2] base or descriptor, src[3] scalar offset.
  void describeVectorMemory(const MCInst &instruction, const MCInstrDesc &desc, MicroOp &op) {
    StringRef name = tables().instructions->getName(instruction.getOpcode());
    bool buffer = desc.TSFlags & (kMubuf | kMtbuf);
    op.space = buffer                         ? Space::Buffer
               : name.starts_with("SCRATCH_") ? Space::Scratch
               : name.starts_with("GLOBAL_")  ? Space::Global
                                              : Space::Flat;
    if (name.contains("_LDS_") || name.ends_with("_LDS"))
      op.flags |= OpToLds;
    if (name.contains("OFFEN") || name.contains("BOTHEN"))
      op.flags |= OpOffsetLane;
    if (name.contains("IDXEN") || name.contains("BOTHEN"))
      op.flags |= OpIndexLane;
    unsigned at = 0;
    if (desc.getNumDefs()) {
      op.dst[0] = valueOperand(instruction.getOperand(at++), true);
      op.flags |= OpReturns;
    }
    std::vector<Operand> vectors, scalars;
    unsigned immediates = 0;
    for (; at < instruction.getNumOperands(); ++at) {
      const MCOperand &operand = instruction.getOperand(at);
      // The old value of a d16 load's register, after the immediates.
      if (immediates && operand.isReg() && isTied(desc, at))
        continue;
      bool immediate = operand.isImm() && (at >= desc.getNumOperands() ||
                                           desc.operands()[at].OperandType <= kTypeImmediate);
      if (immediate) {
        if (immediates < 3)
          op.imm[immediates++] = int32_t(operand.getImm());
        continue;
      }
      Operand value = valueOperand(operand);
      (value.kind == Operand::Vector ? vectors : scalars).push_back(value);
    }
    bool hasData = desc.mayStore() && !(op.flags & OpToLds);
    if (buffer) {
      size_t next = 0;
      if (hasData && !vectors.empty())
        op.src[1] = vectors[next++];
      if (next < vectors.size())
        op.src[0] = vectors[next++];
    } else if (op.space == Space::Scratch && hasData) {
      if (!vectors.empty())
        op.src[1] = vectors[0]; // data comes first in scratch stores
      if (vectors.size() > 1)
        op.src[0] = vectors[1];
    } else {
      if (!vectors.empty())
        op.src[0] = vectors[0];
      if (hasData && vectors.size() > 1)
        op.src[1] = vectors[1];
    }
    if (!scalars.empty())
      op.src[2] = scalars[0];
    if (scalars.size() > 1)
      op.src[3] = scalars[1];
    if (!buffer) {
      // The disassembler gives these offsets as the field's bits: 13, 24 on gfx12, signed.
      unsigned unused = chip.generation == Generation::Gfx12 ? 8 : 19;
      op.imm[0] = int32_t(uint32_t(op.imm[0]) << unused) >> unused;
    }
  }

  void describeLds(const MCInst &instruction, const MCInstrDesc &desc, MicroOp &op) {
    op.space = Space::Lds;
    unsigned at = 0, immediates = 0;
    if (desc.getNumDefs()) {
      op.dst[0] = valueOperand(instruction.getOperand(at++), true);
      op.flags |= OpReturns;
    }
    for (; at < instruction.getNumOperands() && at < desc.getNumOperands(); ++at) {
      const MCOperand &operand = instruction.getOperand(at);
      if (operand.isImm()) {
        if (immediates < 3)
          op.imm[immediates++] = int32_t(operand.getImm());
      } else if (!(immediates && isTied(desc, at)) && op.sources < 4) {
        op.src[op.sources++] = valueOperand(operand);
      }
    }
  }

  void describeVector(const MCInst &instruction, const MCInstrDesc &desc, const OpcodeInfo &info,
                      MicroOp &op) {
    op.flags |= OpVector;
    unsigned results = desc.getNumDefs();
    for (unsigned i = 0; i < results && i < 2; ++i)
      op.dst[i] = valueOperand(instruction.getOperand(i), true);
    bool dpp = desc.TSFlags & kDpp || info.dpp8;
    std::vector<int64_t> immediates;
    uint8_t modifiers = 0;
    for (unsigned i = results; i < instruction.getNumOperands(); ++i) {
      const MCOperand &operand = instruction.getOperand(i);
      unsigned type = i < desc.getNumOperands() ? desc.operands()[i].OperandType : kTypeImmediate;
      if (type == kTypeModifiers) {
        modifiers = uint8_t(operand.getImm());
      } else if (operand.isImm() && type <= kTypeImmediate) {
        immediates.push_back(operand.getImm());
      } else if (operand.isReg() && !immediates.empty()) {
        continue; // the tied old value of a partial write
      } else if (dpp && i == results && operand.isReg() && results &&
                 (isTied(desc, i) || operand.getReg() == 0)) {
        continue; // DPP's old value is the destination
      } else if (op.sources < 4) {
        Operand source = valueOperand(operand);
        source.modifiers = modifiers;
        modifiers = 0;
        op.src[op.sources++] = source;
      }
    }
    if (results == 0 && info.name.rfind("V_MOVREL", 0) == 0)
      firstSourceIsResult(op);
    describeHalves(desc, op);
    takeImmediates(desc, info, immediates, op);
    if (op.flags & OpDpp)
      op.src[0].modifiers |= ModDpp;
    addImplicit(desc, results, op);
    if (info.name.rfind("V_MFMA_SCALE", 0) == 0)
      describeScales(instruction, op);
  }

  // Two scales follow cbsz and blgp, then their modifiers, which select a byte. src[3] is A's
  // scale, dst[1], which no matrix instruction has, B's.
  void describeScales(const MCInst &instruction, MicroOp &op) {
    constexpr unsigned at = 6;
    if (instruction.getNumOperands() < at + 4)
      return;
    op.src[3] = valueOperand(instruction.getOperand(at));
    op.dst[1] = valueOperand(instruction.getOperand(at + 1));
    auto byte = [&](unsigned operand) {
      int64_t modifiers = instruction.getOperand(operand).getImm();
      return (modifiers & ModOpSel ? 1 : 0) + (modifiers & ModOpSelHi ? 2 : 0);
    };
    op.imm[2] = byte(at + 2) | byte(at + 3) << 2;
  }

  // op_sel of 16-bit operands becomes a selection; VOP3P's stays a modifier.
  void describeHalves(const MCInstrDesc &desc, MicroOp &op) {
    if (desc.TSFlags & kVop3p) {
      op.flags |= OpPacked;
      return;
    }
    if (chip.has(Preserve16))
      op.flags |= OpKeepsOther;
    if (!(desc.TSFlags & kVop3OpSel) || desc.TSFlags & kSdwa)
      return;
    op.flags |= OpKeepsOther;
    if (op.src[0].modifiers & ModOpSelHi)
      op.dst[0].select = Select::Word1;
    else if (op.dst[0].select == Select::Dword)
      op.dst[0].select = Select::Word0;
    for (Operand &source : op.src)
      if (source.modifiers & ModOpSel)
        source.select = Select::Word1;
  }

  void takeImmediates(const MCInstrDesc &desc, const OpcodeInfo &info, std::vector<int64_t> &values,
                      MicroOp &op) {
    auto take = [&] {
      int64_t value = values.empty() ? 0 : values.back();
      if (!values.empty())
        values.pop_back();
      return uint32_t(value);
    };
    if (info.dpp8) {
      op.flags |= OpDpp | OpDpp8;
      // Fetch-inactive is an encoding of its own there: 0xea with it, 0xe9 without.
      uint32_t fetchInactive = take() == 0xea, selects = take();
      op.dpp = selects | fetchInactive << 25;
    } else if (desc.TSFlags & kDpp) {
      op.flags |= OpDpp;
      uint32_t fetchInactive = chip.generation == Generation::Gfx9 ? 0 : take() != 0;
      uint32_t bound = take() != 0, bank = take(), row = take(), control = take();
      op.dpp = control | row << 16 | bank << 20 | bound << 24 | fetchInactive << 25;
    } else if (desc.TSFlags & kSdwa) {
      op.flags |= OpSdwa;
      op.outputSelect = uint8_t(Select::Dword);
      op.outputUnused = 2;
      for (unsigned i = std::min<unsigned>(op.sources, 2); i-- > 0;)
        op.src[i].select = Select(std::min(take(), 6u));
      if (values.size() >= 3 && !(desc.TSFlags & kVopc)) {
        op.outputUnused = uint8_t(take());
        op.outputSelect = uint8_t(std::min(take(), 6u));
      }
    }
    if (info.name.rfind("V_MFMA", 0) == 0 || info.name.rfind("V_SMFMAC", 0) == 0) {
      for (size_t i = 0; i < values.size() && i < 3; ++i)
        op.imm[i] = int32_t(values[i]);
      return;
    }
    // Those of integers have a clamp behind index_key; an index of 32 bits has one set only, which
    // no index_key chooses.
    const size_t clamps = info.name.rfind("V_SWMMAC_I32", 0) == 0;
    if (info.name.rfind("V_SWMMAC", 0) == 0 && values.size() > clamps) {
      op.imm[0] = int32_t(values[0]); // index_key
      values.erase(values.begin());
    }
    if (!values.empty())
      op.clamp = uint8_t(values[0]);
    if (values.size() > 1 && !(desc.TSFlags & kVop3p))
      op.omod = uint8_t(values[1]);
  }

  void addImplicit(const MCInstrDesc &desc, unsigned results, MicroOp &op) {
    bool writesVcc = false, readsVcc = false;
    for (MCPhysReg reg : desc.implicit_defs()) {
      StringRef name = tables().registers->getName(reg);
      writesVcc |= name.starts_with("VCC");
      if (name.starts_with("EXEC"))
        op.flags |= OpWritesExec;
    }
    for (MCPhysReg reg : desc.implicit_uses())
      readsVcc |= StringRef(tables().registers->getName(reg)).starts_with("VCC");
    if (writesVcc && results < 2)
      op.dst[results++] = vccOperand();
    if (op.flags & OpWritesExec && results == 0)
      op.dst[0] = execOperand();
    if (readsVcc && op.sources < 4)
      op.src[op.sources++] = vccOperand();
  }

  // "V_DUAL_FMAC_F32_e32_X_ADD_F32": two instructions with all results first. The halves are
  // decoded as the instructions of their own that they are.
  void describePair(const MCInst &instruction, const OpcodeInfo &info, MicroOp &op) {
    size_t cut = info.name.find("_X_");
    op.run = unimplementedInstruction;
    if (cut == std::string::npos || instruction.getNumOperands() < 2)
      return;
    std::string names[2] = {normalizeName("V_" + info.name.substr(7, cut - 7)),
                            normalizeName("V_" + info.name.substr(cut + 3))};
    MicroOp halves[2] = {};
    unsigned at = 2;
    for (unsigned h = 0; h < 2; ++h) {
      MicroOp &half = halves[h];
      half.pc = op.pc;
      half.target = kNoInstruction;
      half.opcode = op.opcode;
      half.row = findOp(names[h]);
      if (half.row == kNoRow)
        return;
      half.run = opRow(half.row).run;
      half.flags = opRow(half.row).flags;
      half.dst[0] = valueOperand(instruction.getOperand(h), true);
      unsigned wanted = h == 0 ? firstHalfOperands(names[0]) : instruction.getNumOperands() - at;
      for (unsigned i = 0; i < wanted && at < instruction.getNumOperands(); ++i, ++at)
        half.src[half.sources++ & 3] = valueOperand(instruction.getOperand(at));
      // LLVM's disassembler names the first half's result as accumulator of both.
      bool accumulates = names[h] == "V_FMAC_F32" || names[h].starts_with("V_DOT2");
      if (accumulates && half.sources == 3)
        half.src[2] = half.dst[0];
      if (names[h] == "V_CNDMASK_B32" && half.sources < 4)
        half.src[half.sources++] = vccOperand();
      op.flags |= half.flags & (OpMode32 | OpMode64);
    }
    op.imm[0] = int32_t(program->halves.size());
    // Only when the second half reads what the first one writes does it matter that they are one.
    for (const Operand &source : halves[1].src)
      op.imm[1] |= source.kind == Operand::Vector && source.index == halves[0].dst[0].index;
    op.flags |= OpPair;
    op.row = findOp("V_DUAL");
    op.run = op.row == kNoRow ? unimplementedInstruction : opRow(op.row).run;
    program->halves.push_back(halves[0]);
    program->halves.push_back(halves[1]);
  }

  static unsigned firstHalfOperands(const std::string &name) {
    if (name == "V_MOV_B32")
      return 1;
    // Two factors and the addend: tied, or a literal.
    bool three = name == "V_FMAC_F32" || name == "V_FMAAK_F32" || name == "V_FMAMK_F32" ||
                 name.rfind("V_DOT2", 0) == 0;
    return three ? 3 : 2;
  }

  const CodeObject &object;
  const Chip &chip;
  std::unique_ptr<Program> program;
  bool absentRegister = false; // the instruction that is described names one
  std::unique_ptr<MCSubtargetInfo> subtarget;
};

} // namespace

Result<std::unique_ptr<Program>> decode(const CodeObject &object, const Chip &chip,
                                        uint32_t waveSize) {
  std::lock_guard lock(decodeMutex);
  return Decoder(object, chip, waveSize).run();
}

std::string mnemonic(uint16_t opcode) {
  std::lock_guard lock(decodeMutex);
  if (!tables().target || opcode >= tables().instructions->getNumOpcodes())
    return "?";
  std::string name = opcodeInfo(opcode).name;
  for (char &c : name)
    if (c >= 'A' && c <= 'Z')
      c = char(c - 'A' + 'a');
  StringRef full = tables().instructions->getName(opcode);
  if (name.rfind("flat_", 0) == 0)
    for (const char *prefix : {"global", "scratch", "buffer"})
      if (full.starts_with_insensitive(prefix))
        name = prefix + name.substr(4);
  return name;
}

} // namespace tl::emu
