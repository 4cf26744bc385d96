// Debug info of a kernel: one function, whose lines are those of the canonical text that the
// artifact holds.
#pragma once

#include "codegen/codegen.h"

#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Module.h"

#include <optional>

namespace tl {

class KernelDebugInfo {
public:
  /// Does nothing at all when the request wants no debug info.
  KernelDebugInfo(llvm::Module &module, const CodegenInput &input);

  /// Makes `function` the kernel, named as in the graph, in a file "<kernel>.canonical.tile":
  /// nobody's own file is called so, whose lines would be others.
  void describe(llvm::Function &function);
  /// The line of an op in that function, or an empty location.
  llvm::DebugLoc at(OpId op) const;
  /// To be called once, when all code is there.
  void finish();

private:
  bool isPtx() const;

  const CodegenInput &input;
  llvm::Module &module;
  std::optional<llvm::DIBuilder> builder;
  llvm::DICompileUnit *unit = nullptr;
  llvm::DISubprogram *program = nullptr;
};

} // namespace tl
