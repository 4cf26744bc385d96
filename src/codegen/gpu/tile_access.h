// Loads and stores of tiles in views. Two versions of each: a fast one for tiles that lie wholly in
// bounds, with vector accesses where rows are contiguous and aligned, and a masked one that is
// right for every extent, stride and offset. Which of them runs is decided once for the whole
// program, by uniform tests.
#pragma once

#include "codegen/gpu/lds.h"

namespace tl::gpu {

/// What both directions need to know: element [indices] of the view is the tile's first one, and
/// axis i of the layout runs along axis viewAxes[i] of the view.
struct TilePosition {
  const ViewValue &view;
  std::span<llvm::Value *const> indices; // i64
  std::span<const unsigned> viewAxes;
};

/// The registers of a Load: elements out of bounds are `pad`, memory there is not touched.
std::vector<llvm::Value *> loadTile(KernelContext &context, Lds &lds, const TilePosition &position,
                                    const TileLayout &layout, llvm::Value *pad);
/// A Store: elements out of bounds are dropped.
void storeTile(KernelContext &context, Lds &lds, const TilePosition &position,
               const TileLayout &layout, std::span<llvm::Value *const> registers);

/// Whether the masked version goes through LDS, a rolled loop over the elements: code for each
/// register would be long. Threads then touch elements that the layout gives to others.
bool isStaged(const TileLayout &layout);

} // namespace tl::gpu
