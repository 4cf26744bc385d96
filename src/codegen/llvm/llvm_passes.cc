#include "codegen/llvm/llvm_passes.h"

#include "codegen/llvm/double_signs.h"
#include "codegen/llvm/half_zeros.h"
#include "codegen/llvm/kept_waits.h"
#include "codegen/llvm/narrow_atomics.h"
#include "codegen/llvm/wide_shifts.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/InstSimplifyPass.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

#include <memory>

namespace tl {

namespace {

llvm::OptimizationLevel optimizationLevel(int level) {
  switch (level) {
  case 1:
    return llvm::OptimizationLevel::O1;
  case 2:
    return llvm::OptimizationLevel::O2;
  default:
    return llvm::OptimizationLevel::O3;
  }
}

/// Address arithmetic is what there is to optimize: equal terms of the accesses (early CSE before
/// the costly combiner, and once more on what that made equal), and terms that do not change in a
/// loop.
llvm::ModulePassManager gpuPasses() {
  llvm::FunctionPassManager functions;
  functions.addPass(llvm::EarlyCSEPass());
  functions.addPass(llvm::InstCombinePass());
  functions.addPass(llvm::SimplifyCFGPass());
  functions.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()),
                                                          /*UseMemorySSA=*/true));
  functions.addPass(llvm::EarlyCSEPass());
  llvm::ModulePassManager passes;
  passes.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(functions)));
  return passes;
}

llvm::AnalysisID idOf(llvm::Pass *pass) { return std::unique_ptr<llvm::Pass>(pass)->getPassID(); }

} // namespace

llvm::ModulePassManager optimizationPasses(llvm::PassBuilder &builder, const llvm::Triple &triple,
                                           int optLevel) {
  if (triple.isAMDGPU() || triple.isNVPTX()) {
    llvm::ModulePassManager passes;
    llvm::FunctionPassManager last;
    if (optLevel == 0) {
      passes = builder.buildO0DefaultPipeline(llvm::OptimizationLevel::O0);
      last.addPass(llvm::InstSimplifyPass()); // so that constants are seen as such
    } else {
      passes = gpuPasses();
    }
    if (triple.isAMDGPU()) {
      last.addPass(KeepHalfZeroSigns());
      last.addPass(ReplaceNarrowOrs());
    } else {
      last.addPass(ChangeDoubleSigns());
      last.addPass(NarrowShiftAmounts());
    }
    passes.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(last)));
    return passes;
  }
  if (optLevel == 0)
    return builder.buildO0DefaultPipeline(llvm::OptimizationLevel::O0);
  return builder.buildPerModuleDefaultPipeline(optimizationLevel(optLevel));
}

/// A matrix instruction takes part of every lane's registers, and must not be moved to where some
/// lanes do not run. LLVM 22 says so of the intrinsics, but not of all instructions that they
/// become (those of gfx11's WMMA with two and three addresses, some of MFMA), and sinks them into
/// branches.
static bool hasMatrixInstructions(const llvm::Module &module) {
  return llvm::any_of(module.functions(), [](const llvm::Function &function) {
    return function.getName().starts_with("llvm.amdgcn.wmma") ||
           function.getName().starts_with("llvm.amdgcn.mfma");
  });
}

CodegenPasses::CodegenPasses(const llvm::Module &module) {
  const llvm::Triple &triple = module.getTargetTriple();
  // Follows variables from register to register; our debug info has lines only.
  unwanted.push_back(&llvm::LiveDebugValuesID);
  if (!triple.isAMDGPU())
    return;
  // Makes a counter of every address in a loop. Ours are a counter and constants that fit the
  // instructions' offsets: what it makes of them takes more registers and instructions.
  unwanted.push_back(idOf(llvm::createLoopStrengthReducePass()));
  if (hasMatrixInstructions(module))
    unwanted.push_back(&llvm::MachineSinkingLegacyID);
  // Finds nothing after straight-line strength reduction, which has run by then.
  unwanted.push_back(idOf(llvm::createNaryReassociatePass()));
}

void CodegenPasses::add(llvm::Pass *pass) {
  if (llvm::is_contained(unwanted, pass->getPassID())) {
    delete pass;
    return;
  }
  bool softWaits = writesSoftWaits(*pass);
  llvm::legacy::PassManager::add(pass);
  if (softWaits)
    llvm::legacy::PassManager::add(createKeepWaits());
}

} // namespace tl
