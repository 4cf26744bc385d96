// Which of LLVM's passes run. Compile time is a product of this library, so that a pass is here
// because the code is worse without it: docs/performance.md has the figures.
#pragma once

#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/TargetParser/Triple.h"

#include <vector>

namespace tl {

/// Optimizations on LLVM IR for a level 0 to 3: LLVM's own pipeline on the host; on AMD, where our
/// code is one function of straight code and rolled loops without stack variables, a short list
/// that is the same for all levels but 0.
llvm::ModulePassManager optimizationPasses(llvm::PassBuilder &builder, const llvm::Triple &triple,
                                           int optLevel);

/// LLVM's passes of code generation as a target adds them, without those that our code does not
/// need and with those that it needs besides.
class CodegenPasses : public llvm::legacy::PassManager {
public:
  explicit CodegenPasses(const llvm::Module &module);
  /// Takes the pass over, as its base does.
  void add(llvm::Pass *pass) override;

private:
  std::vector<llvm::AnalysisID> unwanted;
};

} // namespace tl
