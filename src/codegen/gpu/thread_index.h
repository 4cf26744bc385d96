// Where this thread's elements lie in a tile, as LLVM values: coordinates, weighted sums of
// coordinates (addresses), and the tests for padding and copies. Everything splits into a part of
// the thread and a constant of the register.
#pragma once

#include "codegen/gpu/context.h"

namespace tl::gpu {

/// The thread's part of sum(coordinate[axis] * strides[axis]).
struct ThreadSum {
  llvm::Value *value = nullptr;      // i32
  int64_t smallest = 0, largest = 0; // over all threads
  uint32_t alignment = 1;            // a power of two that divides it in all threads
};
ThreadSum threadSum(KernelContext &context, const TileLayout &layout,
                    std::span<const int64_t> strides);
/// The register's part.
int64_t registerSum(const TileLayout &layout, uint32_t registerIndex,
                    std::span<const int64_t> strides);

/// The thread's part of a coordinate, i32.
llvm::Value *threadCoordinate(KernelContext &context, const TileLayout &layout, unsigned axis);

/// True in threads that own what they hold in this layout, false in those that hold copies; null if
/// all own. Threads whose numbers differ in `distinguished` bits only count as different owners.
llvm::Value *ownerTest(KernelContext &context, const TileLayout &layout,
                       uint32_t distinguished = 0);

/// A part of a tile: elements with low <= coordinate < high along each axis.
struct TileBox {
  TileCoordinates low{}, high{};
};

/// Extents of the tile against what the threads hold.
class TileBounds {
public:
  TileBounds(KernelContext &context, const TileLayout &layout);
  /// Along one axis.
  Coverage coverage(uint32_t registerIndex, unsigned axis) const;
  /// Outside if no thread has an element of the tile in this register, Inside if all have.
  Coverage coverage(uint32_t registerIndex) const;
  /// i1: this thread's element of the register is one of the tile. Null if it is so in all threads.
  llvm::Value *inside(uint32_t registerIndex);
  /// The same two for a part of the tile; elements of the tile only are asked about.
  Coverage coverage(uint32_t registerIndex, const TileBox &box) const;
  llvm::Value *inside(uint32_t registerIndex, const TileBox &box);
  /// i32: the coordinate of this thread's element.
  llvm::Value *coordinate(uint32_t registerIndex, unsigned axis);

private:
  KernelContext &context;
  const TileLayout &layout;
  std::vector<TileCoordinates> registers;
  TileCoordinates largestThreadPart{};
  std::array<llvm::Value *, maxLayoutRank> threadParts{};

  Coverage coverage(uint32_t registerIndex, unsigned axis, const TileBox &box) const;

  // Tests and coordinates, made once for each axis and register part; they must be used where the
  // first use of the object dominates.
  std::map<std::pair<unsigned, int64_t>, llvm::Value *> tests, coordinates;
  std::map<std::array<int64_t, 4>, llvm::Value *> boxTests; // and by low and high
  Conjunctions conjunctions;
};

/// The axis along which consecutive registers follow each other, and how many of them do.
struct RegisterRun {
  unsigned axis = 0;
  uint32_t length = 1;
};
RegisterRun registerRun(const TileLayout &layout);

} // namespace tl::gpu
