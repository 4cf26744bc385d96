// Checking in processes of their own, so that a case that crashes or hangs is a result like others.
#pragma once

#include "differential/execute.h"

#include <functional>

namespace tl::test {

using OpenDevice = std::function<std::unique_ptr<Device>()>;

/// One case in a child process; killed after `seconds`.
Outcome checkIsolated(const Case &c, const OpenDevice &open, unsigned seconds = 60);

/// The cases of seeds first to first + count - 1, in a few child processes. `done` is called in
/// this process for each, in no particular order; where it gives false, seeds after that one are
/// left out from then on.
void checkMany(uint64_t first, uint64_t count, const OpenDevice &open, unsigned processes,
               const std::function<bool(uint64_t seed, const Outcome &)> &done,
               unsigned seconds = 60);

} // namespace tl::test
