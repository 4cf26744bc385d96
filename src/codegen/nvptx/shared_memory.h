// Shared memory of a kernel for NVIDIA GPUs.
#pragma once

#include "llvm/IR/Module.h"

#include <cstdint>

namespace tl::nvptx {

/// Puts all variables of shared memory one after another into a block whose size is given at the
/// launch: a variable of fixed size may have 48 KB only. Gives the bytes of the block.
uint64_t gatherSharedMemory(llvm::Module &module);

} // namespace tl::nvptx
