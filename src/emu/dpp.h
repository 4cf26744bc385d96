// Data-parallel primitives: sources from other lanes (CDNA3 ISA 4.4 "Data Parallel Processing",
// RDNA3 ISA 7.2 "DPP").
#pragma once

#include "emu/wave.h"

namespace tl::emu {

/// Replaces a line by what its lanes read of it; a lane without a valid source reads 0.
void permuteDpp(Wave &wave, const MicroOp &op, uint32_t *line);
/// Lanes that DPP's row and bank masks and its bounds let an instruction write.
uint64_t dppWriteMask(const Wave &wave, const MicroOp &op);

} // namespace tl::emu
