// Addresses of buffer instructions (CDNA3 ISA 9.1 "Vector Memory Buffer Instructions", RDNA3 ISA
// 10.1): descriptor, swizzle, and the range checks, which differ between families.
#pragma once

#include "emu/lane_memory.h"

namespace tl::emu {

struct BufferAddresses {
  uint64_t inside = 0;  // lanes with at least one word in range
  bool partial = false; // words[lane] says how many words are in range
  bool scratch = false; // gfx90a's scratch: address is the offset in a lane's scratch
  uint64_t address[kLineLanes];
  uint8_t words[kLineLanes];
};

void bufferAddresses(const Wave &wave, const MicroOp &op, unsigned bytes, Access access,
                     BufferAddresses &out);

} // namespace tl::emu
