// Texts of a module that a request asks for.
#pragma once

#include "codegen/llvm/session.h"

#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

#include <map>
#include <string>
#include <vector>

namespace tl {

/// Adds the listings of these names, "llvm" and "asm", of an optimized module. TL_E_UNSUPPORTED for
/// any other name.
Status addListings(CompileSession &session, const llvm::Module &module,
                   llvm::TargetMachine &machine, const std::vector<std::string> &names,
                   std::map<std::string, std::string> &listings);

} // namespace tl
