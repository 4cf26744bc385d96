// A workaround for LLVM's AMDGPU back end.
#pragma once

#include "llvm/IR/PassManager.h"

namespace tl {

/// LLVM 22 has no instruction for an atomic "or" of nothing to one or two bytes whose order
/// releases, and does not make a loop of it either, since it takes it for something that it has.
/// (All operations that change nothing become this "or": a maximum of unsigned numbers with 0.)
/// This pass, one of the last before code generation, makes an addition of nothing of it, which
/// becomes a loop.
struct ReplaceNarrowOrs : llvm::PassInfoMixin<ReplaceNarrowOrs> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace tl
