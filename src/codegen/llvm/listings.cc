#include "codegen/llvm/listings.h"

#include "codegen/llvm/target_machine.h"

#include "llvm/Transforms/Utils/Cloning.h"

namespace tl {

Status addListings(CompileSession &session, const llvm::Module &module,
                   llvm::TargetMachine &machine, const std::vector<std::string> &names,
                   std::map<std::string, std::string> &listings) {
  for (const std::string &name : names) {
    if (name == "llvm") {
      listings[name] = moduleText(module);
    } else if (name == "asm") {
      std::unique_ptr<llvm::Module> copy = llvm::CloneModule(module);
      TL_ASSIGN(listings[name], emitAssembly(session, *copy, machine));
    } else {
      return makeError(TL_E_UNSUPPORTED, "code has no listing '%s' (known: llvm, asm)",
                       name.c_str());
    }
  }
  return {};
}

} // namespace tl
