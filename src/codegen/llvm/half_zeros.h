// A workaround for LLVM's AMDGPU back end.
#pragma once

#include "llvm/IR/PassManager.h"

namespace tl {

/// LLVM 22 takes a half of -0 for one of +0 where it packs a pair whose other half is not constant
/// ("v_and_b32 v0, 0xffff, v1" is what it makes of {v1, -0}). This pass, the last before code
/// generation, brings each such -0 from a register that no later pass sees through: those that are
/// inserted into vectors, and those that are stored, since stores side by side become pairs.
struct KeepHalfZeroSigns : llvm::PassInfoMixin<KeepHalfZeroSigns> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace tl
