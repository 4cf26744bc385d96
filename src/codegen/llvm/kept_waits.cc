#include "codegen/llvm/kept_waits.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SCCIterator.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineInstr.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/IR/LLVMContext.h"

namespace tl {

namespace {

/// Soft waits and what they are called when they are hard. The numbers of instructions are those of
/// all AMD GPUs together.
using Hardened = llvm::DenseMap<unsigned, unsigned>;

Hardened findSoftWaits(const llvm::TargetInstrInfo &instructions) {
  constexpr llvm::StringLiteral suffix = "_soft";
  llvm::StringMap<unsigned> soft;
  for (unsigned i = 0; i < instructions.getNumOpcodes(); ++i)
    if (llvm::StringRef name = instructions.getName(i); name.consume_back(suffix))
      soft[name] = i;
  // Kernels neither sample images nor trace rays: there is never anything to wait for.
  soft.erase("S_WAIT_SAMPLECNT");
  soft.erase("S_WAIT_BVHCNT");
  Hardened hardened;
  for (unsigned i = 0; i < instructions.getNumOpcodes(); ++i)
    if (auto found = soft.find(instructions.getName(i)); found != soft.end())
      hardened[found->second] = i;
  return hardened;
}

bool hasLoop(llvm::MachineFunction &function) {
  for (auto at = llvm::scc_begin(&function); !at.isAtEnd(); ++at)
    if (at.hasCycle())
      return true;
  return false;
}

class KeepWaits : public llvm::MachineFunctionPass {
public:
  static char ID;
  KeepWaits() : MachineFunctionPass(ID) {}
  llvm::StringRef getPassName() const override { return "Keep waits around loops"; }

  bool runOnMachineFunction(llvm::MachineFunction &function) override {
    const llvm::TargetInstrInfo &instructions = *function.getSubtarget().getInstrInfo();
    static const Hardened hardened = findSoftWaits(instructions);
    if (hardened.empty()) // another LLVM
      function.getFunction().getContext().emitError("this LLVM has no soft waits");
    if (!hasLoop(function))
      return false;
    for (llvm::MachineBasicBlock &block : function)
      harden(block, instructions, hardened);
    return true;
  }

private:
  static void harden(llvm::MachineBasicBlock &block, const llvm::TargetInstrInfo &instructions,
                     const Hardened &hardened) {
    llvm::SmallVector<std::pair<unsigned, int64_t>> waited; // since memory was last touched
    for (llvm::MachineInstr &instruction : block) {
      auto hard = hardened.find(instruction.getOpcode());
      if (hard == hardened.end()) {
        if (touchesMemory(instruction, instructions))
          waited.clear();
        continue;
      }
      std::pair wait(hard->first,
                     instruction.getOperand(instruction.getNumOperands() - 1).getImm());
      if (llvm::is_contained(waited, wait))
        continue;
      waited.push_back(wait);
      instruction.setDesc(instructions.get(hard->second));
    }
  }

  /// Also by what has effects that LLVM does not describe, as the writing back of caches.
  static bool touchesMemory(const llvm::MachineInstr &instruction,
                            const llvm::TargetInstrInfo &instructions) {
    if (instruction.mayLoadOrStore())
      return true;
    llvm::StringRef name = instructions.getName(instruction.getOpcode());
    return instruction.hasUnmodeledSideEffects() && !name.starts_with("S_BARRIER") &&
           !name.starts_with("S_WAIT");
  }
};

char KeepWaits::ID = 0;

} // namespace

llvm::Pass *createKeepWaits() { return new KeepWaits; }

bool writesSoftWaits(const llvm::Pass &pass) { return pass.getPassName() == "SI Memory Legalizer"; }

} // namespace tl
