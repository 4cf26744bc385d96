// The rows of ops.def that are short for several operations, on whole tiles. `out` has its type
// already.
#pragma once

#include "interp/elementwise.h"
#include "interp/tile_value.h"

namespace tl::interp {

/// rand and randn.
void random(Opcode opcode, TileValue &out, const TileValue &seed, const TileValue &offset,
            Tracking &tracking);
void randomInteger(TileValue &out, Operands operands);
void castStochastic(TileValue &out, const TileValue &a, const TileValue &bits, bool saturate);
void unpack(TileValue &out, const TileValue &bytes);
void pack(TileValue &out, const TileValue &elements);

} // namespace tl::interp
