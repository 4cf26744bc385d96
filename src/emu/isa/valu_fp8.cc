// Conversions from and to 8-bit floats.
#include "emu/op_table.h"

namespace tl::emu {

std::span<const OpRow> valuFp8Rows() { return {}; }

} // namespace tl::emu
