// Moving values between the lanes of a wave, 32 bits at a time. All lanes are active wherever these
// are emitted: control flow on graph level is uniform.
#pragma once

#include "codegen/gpu/context.h"

namespace tl::gpu {

/// The value that lane (own number ^ mask) holds; `mask` is a power of two below the wave size.
llvm::Value *laneXor(KernelContext &context, llvm::Value *value, uint32_t mask);
/// The value that lane `from` of the wave (i32, modulo its size) holds.
llvm::Value *laneFrom(KernelContext &context, llvm::Value *value, llvm::Value *from);
/// A value that is equal in all lanes, as a uniform one.
llvm::Value *uniform(KernelContext &context, llvm::Value *value);

} // namespace tl::gpu
