// Limits that an artifact keeps and a launch relies on.
#pragma once

#include "tilelang/types.h"

namespace tl {

/// Slots of one kernel: the most that distinct arguments, extents and strides can need, the log,
/// and the grid. A launch keeps them all on its stack.
inline constexpr size_t kMaxKernargSlots = TL_MAX_ARGUMENTS * (1 + 2 * TL_MAX_VIEW_RANK) + 2 + 3;

} // namespace tl
