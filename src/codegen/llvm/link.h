// Linking by lld, inside the process and in memory. lld is not re-entrant: calls wait for each
// other.
#pragma once

#include "codegen/llvm/session.h"
#include "codegen/llvm/target_machine.h"
#include "support/bytes.h"

#include <span>

namespace tl {

/// Links a relocatable amdgcn object to a code object (a shared ELF file, as HIP loads it).
/// Undefined symbols are an error that names them.
Result<Bytes> linkCodeObject(CompileSession &session, std::span<const uint8_t> object,
                             double *ms = nullptr);

/// Links a relocatable host object to a position-independent image without imports, for our own
/// loader: only RELATIVE relocations, no segment writable and executable, no TLS, IFUNC or
/// constructors; hidden symbols stay hidden, so kernels need default visibility. Routines of C that
/// LLVM called by itself (memcpy, memset, ...) are compiled by `machine` (the one that made the
/// object) from definitions of ours and linked in.
Result<Bytes> linkHostImage(CompileSession &session, std::span<const uint8_t> object,
                            llvm::TargetMachine &machine, double *ms = nullptr);

/// Gives lld an object without looking at it first. For provokeFailure.
Result<Bytes> linkUnchecked(CompileSession &session, std::span<const uint8_t> object);

} // namespace tl
