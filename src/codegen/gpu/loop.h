// Counted loops inside one operation's code.
#pragma once

#include "codegen/gpu/context.h"

#include <functional>

namespace tl::gpu {

using Carried = std::vector<llvm::Value *>;
/// From the index (i32) and the carried values to the next ones.
using LoopStep = std::function<Carried(llvm::Value *index, Carried carried)>;

/// `trips` (>= 1) rounds with index = begin, begin + stride, ...; gives the last carried values. A
/// single round is emitted straight, and LLVM does not unroll more.
Carried emitLoop(KernelContext &context, int64_t begin, int64_t trips, uint32_t stride,
                 Carried carried, const LoopStep &step);

} // namespace tl::gpu
