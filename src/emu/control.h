// Handlers that are no instructions: what the decoder puts where there is none.
#pragma once

#include "emu/micro_op.h"

namespace tl::emu {

void unimplementedInstruction(Wave &wave, const MicroOp &op); // not in the op table
void illegalInstruction(Wave &wave, const MicroOp &op);       // no instruction of this chip
void leftCode(Wave &wave, const MicroOp &op);                 // behind the end of a section

} // namespace tl::emu
