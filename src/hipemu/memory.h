// Allocations of the program. The runtime's lock must be held.
#pragma once

#include "emu/emulator.h"

namespace tl::hipemu {

class Runtime;

/// Memory on a device; NULL for 0 bytes. hipErrorOutOfMemory when it is used up.
int allocateBlock(Runtime &runtime, uint64_t bytes, emu::MemoryKind kind, int device,
                  unsigned flags, void **memory);
/// Ends an allocation that nothing uses any more.
void releaseBlock(Runtime &runtime, uint64_t address);

} // namespace tl::hipemu
