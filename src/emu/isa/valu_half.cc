// Vector instructions on f16, bf16 and 16-bit integers.
#include "emu/op_table.h"

namespace tl::emu {

std::span<const OpRow> valuHalfRows() { return {}; }

} // namespace tl::emu
