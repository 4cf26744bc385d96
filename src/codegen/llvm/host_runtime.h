// The routines of C that LLVM calls by itself on the host (memcpy and the like), as IR of our own:
// a kernel image has no imports.
#pragma once

#include "codegen/llvm/session.h"
#include "codegen/llvm/target_machine.h"

#include <string>
#include <vector>

namespace tl {

/// An object that defines the routines named, with hidden visibility. TL_E_INTERNAL names those it
/// does not know.
Result<Bytes> hostRuntimeObject(CompileSession &session, const std::vector<std::string> &names,
                                llvm::TargetMachine &machine);

} // namespace tl
