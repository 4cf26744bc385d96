// Approximated functions, division steps, and what else is not exact by IEEE 754.
#include "emu/op_table.h"

namespace tl::emu {

std::span<const OpRow> valuMathRows() { return {}; }

} // namespace tl::emu
