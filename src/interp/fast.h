// What the `fast` forms of operations may give.
#pragma once

#include "interp/possible.h"

namespace tl::interp {

/// From the values that another implementation's exact form may have (of f32; for f64 fast forms
/// are the exact ones) to those of its fast form, for these operands: docs/numerics.md, "Fast
/// forms".
template <class C>
Possible<C> fastResult(Opcode opcode, const Possible<C> &result, std::span<const Possible<C>> x);

} // namespace tl::interp
