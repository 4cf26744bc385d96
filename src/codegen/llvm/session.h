// Where LLVM and lld run: on a thread of ours, inside a guard that turns every way in which LLVM
// would end the process (fatal errors, unhandled diagnostics, failed allocations) into an Error.
// Nothing LLVM does may reach the host program: no exit, no text on stderr, no signal handler, no
// command-line option.
#pragma once

#include "support/result.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/LLVMContext.h"

#include <memory>
#include <string_view>
#include <vector>

namespace tl {

/// One build: an LLVMContext of its own and everything LLVM or lld said during it.
class CompileSession {
public:
  CompileSession();
  ~CompileSession();
  CompileSession(const CompileSession &) = delete;
  CompileSession &operator=(const CompileSession &) = delete;

  llvm::LLVMContext &context() { return *llvmContext; }
  /// Names who speaks in diagnostics from here on: "llvm-opt", "llvm-codegen", "link".
  void setStage(std::string_view name) { stage = name; }
  /// Adds a diagnostic under the current stage; `location` may be empty.
  void report(Severity severity, std::string text, SourceLocation location = {});
  const std::vector<Diagnostic> &diagnostics() const { return collected; }
  /// Success, or a TL_E_INTERNAL error with all diagnostics if one of severity error was reported.
  /// To be called after each stage: LLVM goes on after reporting, with code that must not be used.
  Status check() const;

private:
  std::unique_ptr<llvm::LLVMContext> llvmContext;
  std::string stage = "llvm";
  std::vector<Diagnostic> collected;
  size_t errors = 0;
};

/// Runs `work` with a fresh session on a thread with an 8 MB stack, inside the guard, and waits for
/// it. Signals meant for the process are blocked on that thread. Any number of builds may run at
/// once. Once LLVM has failed fatally (or ran out of memory) in any of them, this and all later
/// calls return TL_E_COMPILER_POISONED: LLVM's frames hold no cleanups, so what they left behind
/// cannot be trusted. Sessions that failed so are leaked.
Status runCompileSession(llvm::function_ref<Status(CompileSession &)> work);

/// Runs `work` on the calling thread inside the guard: a fatal error poisons the compiler and comes
/// back as an Error. For whoever must release something (a lock) on the way; runCompileSession does
/// this by itself.
Status callGuarded(llvm::function_ref<Status()> work);

/// Leaves to the innermost guard as a fatal LLVM error would. Only inside callGuarded or
/// runCompileSession.
[[noreturn]] void failFatally(std::string_view reason);

/// True after a fatal failure in this process.
bool compilerPoisoned();
/// Marks the compiler unusable: for a linker that says that it cannot run again.
void poisonCompiler();

} // namespace tl
