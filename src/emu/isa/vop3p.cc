// Packed instructions (VOP3P), mixed precision and dot products.
#include "emu/op_table.h"

namespace tl::emu {

std::span<const OpRow> vop3pRows() { return {}; }

} // namespace tl::emu
