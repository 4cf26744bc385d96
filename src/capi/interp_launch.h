// The device "interp": the launch runs in the reference interpreter, on the calling thread, in
// stream order.
#pragma once

#include "capi/arguments.h"
#include "capi/handles.h"
#include "interp/interp.h"

#include <optional>

namespace tl {

/// The memory behind plain pointer `i`, as far as a tensor's shape says: 0 if it says nothing (or
/// the argument is no pointer), none if it is not that of contiguous memory.
std::optional<size_t> pointerBytes(const Artifact &artifact, const LaunchBlock &block, size_t i);
/// The interpreter's arguments of a filled block, from which they borrow. Memory behind plain
/// pointers is bounded where pointerBytes() knows it.
std::vector<InterpArg> interpArgs(const Artifact &artifact, const LaunchBlock &block);
/// Sees whether a sequence's launches would be refused, without running any.
Status checkInterpSteps(const tl_kernel &kernel, const LaunchBlock &block);
/// Waits for the stream, then interprets.
Status launchInterp(const tl_kernel &kernel, void *stream, const LaunchBlock &block);

} // namespace tl
