// Gathers, scatters and atomic operations: one access for each element, each with its own test.
#pragma once

#include "codegen/gpu/thread_index.h"

namespace tl::gpu {

/// Indices of any integer type of an index tile; the mask is i1 or has no registers for "all".
struct ElementIndices {
  std::vector<TileValue> indices;
  TileValue mask;
};

/// The registers of a Gather in `layout`.
std::vector<llvm::Value *> gatherElements(KernelContext &context, const ViewValue &view,
                                          const ElementIndices &at, const TileLayout &layout,
                                          llvm::Value *pad);
/// A Scatter; `value` may be a scalar.
void scatterElements(KernelContext &context, const ViewValue &view, const ElementIndices &at,
                     const TileLayout &layout, const TileValue &value);
/// An atomic operation; values may be scalars, `value` has no registers for an AtomicLoad,
/// `expected` none unless it is AtomicCas. Gives what was read, in the registers of those threads
/// that own the elements.
std::vector<llvm::Value *> atomicElements(KernelContext &context, const Op &op,
                                          const ViewValue &view, const ElementIndices &at,
                                          const TileLayout &layout, const TileValue &value,
                                          const TileValue &expected);

} // namespace tl::gpu
