// The device "interp": the launch runs in the reference interpreter, on the calling thread, in
// stream order.
#pragma once

#include "capi/arguments.h"
#include "capi/handles.h"
#include "interp/interp.h"

namespace tl {

/// The interpreter's arguments of a filled block, from which they borrow. The memory behind a plain
/// pointer has the size that a tensor's shape says.
Result<std::vector<InterpArg>> interpArgs(const Artifact &artifact, const LaunchBlock &block);
/// Waits for the stream, then interprets.
Status launchInterp(const tl_kernel &kernel, void *stream, const LaunchBlock &block);

} // namespace tl
