// Target machines, the optimization pipeline and emission, all in memory.
#pragma once

#include "codegen/llvm/session.h"
#include "support/bytes.h"
#include "support/result.h"

#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

#include <memory>
#include <string>
#include <string_view>

namespace tl {

enum class TargetFamily : uint8_t { Amdgcn, Nvptx, Host };

/// What LLVM needs to know of a target. Made by parseTarget.
struct TargetSpec {
  TargetFamily family{};
  std::string triple;   // "amdgcn-amd-amdhsa", "nvptx64-nvidia-cuda", "x86_64-unknown-linux-gnu"
  std::string cpu;      // "gfx942", "sm_90", "x86-64-v3"
  std::string features; // LLVM's form: "+avx512f,+avx512vl"
};

/// Parses a resolved target: "amdgcn:gfx942", "nvptx:sm_90", or "host:x86-64-v3" followed by any
/// number of
/// "+feature" in LLVM's names ("host:x86-64-v3+avx512f+avx512vl"). TL_E_UNKNOWN_TARGET for anything
/// else, features LLVM does not know included; TL_E_UNSUPPORTED for "host:x86-64" and
/// "host:x86-64-v2" (an older CPU).
Result<TargetSpec> parseTarget(std::string_view target);

/// Milliseconds spent in LLVM.
struct LlvmTimes {
  double optimize = 0;
  double codegen = 0;
};

/// A target machine for `optLevel` 0 to 3; position-independent.
Result<std::unique_ptr<llvm::TargetMachine>> createTargetMachine(const TargetSpec &spec,
                                                                 int optLevel);

/// A new module with triple, data layout and the module flags the target needs (amdgcn: code object
/// version 5).
std::unique_ptr<llvm::Module>
createModule(CompileSession &session, const llvm::TargetMachine &machine, llvm::StringRef name);

/// Gives a function the attributes every function of ours has: nounwind and IEEE denormals, on
/// which math functions and the emitter rely for equal bits on all targets.
void addCommonAttributes(llvm::Function &function);

/// Verifies the module (TL_E_INTERNAL with LLVM's words if it is broken) and runs the passes of the
/// level, 0 to 3, over it (llvm_passes.h).
Status optimizeModule(CompileSession &session, llvm::Module &module, llvm::TargetMachine &machine,
                      int optLevel, LlvmTimes *times = nullptr);
/// A relocatable ELF object. The module is used up: code generation changes it.
Result<Bytes> emitObject(CompileSession &session, llvm::Module &module,
                         llvm::TargetMachine &machine, LlvmTimes *times = nullptr);
/// Assembly text, by the same code generation as emitObject; also uses the module up (clone it
/// first).
Result<std::string> emitAssembly(CompileSession &session, llvm::Module &module,
                                 llvm::TargetMachine &machine, LlvmTimes *times = nullptr);
/// The module as LLVM IR text.
std::string moduleText(const llvm::Module &module);

} // namespace tl
