// What a launch of a case's artifact needs, made by hand: the argument block and the grid.
#pragma once

#include "artifact/artifact.h"
#include "differential/execute.h"

#include <functional>

namespace tl::test {

/// The artifact's grid expressions give what the interpreter found.
Status checkGrid(const Case &c, const Artifact &artifact, const int64_t (&grid)[3]);

/// `pointer` says where argument i lies on the device.
std::vector<uint64_t> fillSlots(const Case &c, const Artifact &artifact, const int64_t (&grid)[3],
                                const std::function<void *(size_t)> &pointer);

} // namespace tl::test
