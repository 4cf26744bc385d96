// A workaround for LLVM's NVPTX back end.
#pragma once

#include "llvm/IR/PassManager.h"

namespace tl {

/// LLVM 22 takes a comparison of a 64-bit shift's amount with 64 for needless, since PTX's shifts
/// are of amounts up to their width, and forgets that PTX reads 32 bits of the amount only (mended
/// in LLVM by pull request 201165). This pass, the last before code generation, leaves 6 bits of
/// amounts that may have more than 32.
struct NarrowShiftAmounts : llvm::PassInfoMixin<NarrowShiftAmounts> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace tl
