#include "codegen/debug_info.h"

#include "llvm/BinaryFormat/Dwarf.h"

namespace tl {

KernelDebugInfo::KernelDebugInfo(llvm::Module &module, const CodegenInput &input)
    : input(input), module(module) {
  if (!input.request.debugInfo)
    return;
  builder.emplace(module);
  module.addModuleFlag(llvm::Module::Warning, "Debug Info Version", llvm::DEBUG_METADATA_VERSION);
  // PTX has lines in its own form, without texts.
  module.addModuleFlag(llvm::Module::Max, "Dwarf Version", isPtx() ? 2 : 5);
}

void KernelDebugInfo::describe(llvm::Function &function) {
  if (!builder)
    return;
  // There is no such file: its text is in the line table, for whoever shows lines.
  std::optional<llvm::StringRef> text;
  if (!isPtx())
    text = input.text.text;
  llvm::DIFile *file =
      builder->createFile(input.graph.kernel.name + ".canonical.tile", ".", std::nullopt, text);
  unit = builder->createCompileUnit(
      llvm::DISourceLanguageName(llvm::dwarf::DW_LANG_C11), file, "libtilelang",
      /*isOptimized=*/true, "", 0, "",
      isPtx() ? llvm::DICompileUnit::DebugDirectivesOnly : llvm::DICompileUnit::FullDebug);
  llvm::DISubroutineType *type = builder->createSubroutineType(builder->getOrCreateTypeArray({}));
  // The first op's line; the kernel's own line is not known here and need not be exact.
  unsigned line = 0;
  for (OpId op : input.graph.block(input.graph.kernel.body).ops)
    if (line == 0 && op < input.text.opLine.size())
      line = input.text.opLine[op];
  llvm::DISubprogram::DISPFlags flags =
      llvm::DISubprogram::SPFlagDefinition | llvm::DISubprogram::SPFlagOptimized;
  // No linkage name: debuggers then show the kernel's own name, not that of its symbol.
  program = builder->createFunction(file, input.graph.kernel.name, "", file, line, type, line,
                                    llvm::DINode::FlagPrototyped, flags);
  function.setSubprogram(program);
}

llvm::DebugLoc KernelDebugInfo::at(OpId op) const {
  if (!program)
    return {};
  unsigned line = op < input.text.opLine.size() ? input.text.opLine[op] : 0;
  return llvm::DILocation::get(module.getContext(), line, 0, program);
}

bool KernelDebugInfo::isPtx() const { return module.getTargetTriple().isNVPTX(); }

void KernelDebugInfo::finish() {
  if (builder)
    builder->finalize();
}

} // namespace tl
