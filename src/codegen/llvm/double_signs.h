// For LLVM's NVPTX back end.
#pragma once

#include "llvm/IR/PassManager.h"

namespace tl {

/// PTX leaves open what neg and abs make of a NaN (PTX ISA, "neg", "abs"), and for double the sign
/// is not what they say, while ours and LLVM's change the sign of whatever it is. This pass, one of
/// the last before code generation, changes the bits instead.
struct ChangeDoubleSigns : llvm::PassInfoMixin<ChangeDoubleSigns> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace tl
