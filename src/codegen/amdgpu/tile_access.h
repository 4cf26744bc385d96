// Loads and stores of tiles in views. Two versions of each: a fast one for tiles that lie wholly in
// bounds, with vector accesses where rows are contiguous and aligned, and a masked one that is
// right for every extent, stride and offset. Which of them runs is decided once for the whole
// program, by uniform tests.
#pragma once

#include "codegen/amdgpu/thread_index.h"

namespace tl::amdgpu {

/// The registers of a Load: elements out of bounds are `pad`, memory there is not touched.
std::vector<llvm::Value *> loadTile(KernelContext &context, const ViewValue &view,
                                    std::span<llvm::Value *const> indices,
                                    std::span<const unsigned> viewAxes, const TileLayout &layout,
                                    llvm::Value *pad);
/// A Store: elements out of bounds are dropped.
void storeTile(KernelContext &context, const ViewValue &view, std::span<llvm::Value *const> indices,
               std::span<const unsigned> viewAxes, const TileLayout &layout,
               std::span<llvm::Value *const> registers);

} // namespace tl::amdgpu
