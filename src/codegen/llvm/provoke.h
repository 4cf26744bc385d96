// Ways in which LLVM and lld end processes, provoked on purpose: how tests show that the guard
// holds.
#pragma once

#include "support/result.h"

namespace tl {

enum class Provocation : int32_t {
  FatalError = 1,      // an instruction the back end cannot select: report_fatal_error
  ErrorDiagnostic = 2, // "no libcall available": exit(1) without a diagnostic handler
  OutOfMemory = 3,     // a failed allocation inside LLVM: abort
  LinkerError = 4,     // a malformed object: lld's fatal() calls _exit
};

/// Provokes it in a session of its own. Always an Error, unless a defect let the failure pass. All
/// but ErrorDiagnostic poison the compiler.
Status provokeFailure(Provocation which);

} // namespace tl
