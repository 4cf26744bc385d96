#include "assemble.h"

#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCCodeEmitter.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCInst.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCObjectFileInfo.h>
#include <llvm/MC/MCParser/MCAsmParser.h>
#include <llvm/MC/MCParser/MCTargetAsmParser.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCStreamer.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/MCTargetOptions.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/TargetSelect.h>

#include <map>

namespace isatest {
namespace {

using namespace llvm;

// Keeps the machine code of each instruction.
class Collector final : public MCStreamer {
public:
  Collector(MCContext &context, MCCodeEmitter &emitter) : MCStreamer(context), emitter(emitter) {}
  void emitInstruction(const MCInst &instruction, const MCSubtargetInfo &subtarget) override {
    SmallVector<char, 16> bytes;
    SmallVector<MCFixup, 4> fixups;
    emitter.encodeInstruction(instruction, bytes, fixups, subtarget);
    code.insert(code.end(), bytes.begin(), bytes.end());
  }
  bool emitSymbolAttribute(MCSymbol *, MCSymbolAttr) override { return true; }
  void emitCommonSymbol(MCSymbol *, uint64_t, Align) override {}

  std::vector<uint8_t> code;

private:
  MCCodeEmitter &emitter;
};

struct Tables {
  const Target *target;
  Triple triple{"amdgcn-amd-amdhsa"};
  std::unique_ptr<MCRegisterInfo> registers;
  std::unique_ptr<MCInstrInfo> instructions;
  std::unique_ptr<MCAsmInfo> assembly;
  MCTargetOptions options;
  std::map<std::pair<std::string, unsigned>, std::unique_ptr<MCSubtargetInfo>> chips;

  Tables() {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUAsmParser();
    std::string error;
    target = TargetRegistry::lookupTarget(triple, error);
    registers.reset(target->createMCRegInfo(triple));
    instructions.reset(target->createMCInstrInfo());
    assembly.reset(target->createMCAsmInfo(*registers, triple, options));
  }
  const MCSubtargetInfo &chip(const std::string &name, unsigned waveSize) {
    auto &subtarget = chips[{name, waveSize}];
    if (!subtarget) {
      const bool both = name.compare(0, 5, "gfx11") == 0 || name.compare(0, 5, "gfx12") == 0;
      const char *features = !both            ? ""
                             : waveSize == 64 ? "+wavefrontsize64,-wavefrontsize32"
                                              : "+wavefrontsize32,-wavefrontsize64";
      subtarget.reset(target->createMCSubtargetInfo(triple, name, features));
    }
    return *subtarget;
  }
};

} // namespace

std::vector<uint8_t> assemble(const std::string &chip, unsigned waveSize, const std::string &text,
                              std::string *error) {
  static Tables tables;
  const MCSubtargetInfo &subtarget = tables.chip(chip, waveSize);
  SourceMgr sources;
  std::string message;
  sources.setDiagHandler(
      [](const SMDiagnostic &diagnostic, void *to) {
        *static_cast<std::string *>(to) = diagnostic.getMessage().str();
      },
      &message);
  sources.AddNewSourceBuffer(MemoryBuffer::getMemBufferCopy(text + "\n"), SMLoc());
  MCContext context(tables.triple, tables.assembly.get(), tables.registers.get(), &subtarget,
                    &sources, &tables.options);
  std::unique_ptr<MCObjectFileInfo> sections(tables.target->createMCObjectFileInfo(context, false));
  context.setObjectFileInfo(sections.get());
  std::unique_ptr<MCCodeEmitter> emitter(
      tables.target->createMCCodeEmitter(*tables.instructions, context));
  Collector collector(context, *emitter);
  tables.target->createNullTargetStreamer(collector);
  std::unique_ptr<MCAsmParser> parser(
      createMCAsmParser(sources, context, collector, *tables.assembly));
  std::unique_ptr<MCTargetAsmParser> targetParser(
      tables.target->createMCAsmParser(subtarget, *parser, *tables.instructions, tables.options));
  parser->setTargetParser(*targetParser);
  const bool failed = parser->Run(false) || !message.empty();
  if (error)
    *error = message;
  return failed ? std::vector<uint8_t>() : collector.code;
}

} // namespace isatest
