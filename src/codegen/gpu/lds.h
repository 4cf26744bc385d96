// The workgroup's shared memory (LDS): one static arena that operations use one after another, and
// tiles in it.
#pragma once

#include "codegen/gpu/thread_index.h"

#include <algorithm>
#include <optional>

namespace tl::gpu {

/// Gives out regions of the arena. An operation opens one, writes, publishes, reads and closes it;
/// what another operation's threads may still be reading is not written before a barrier.
class Lds {
public:
  explicit Lds(KernelContext &context);

  /// Bytes that an operation may open at one time: the kernel's own shared memory leaves few, and
  /// more than `most` would keep other workgroups off the compute unit for little gain.
  uint32_t room(uint32_t most = 32768) const { return std::min(most, context.ldsBytes); }
  /// What a kernel's own shared memory leaves at least.
  static constexpr uint32_t leastRoom = 8192;

  /// The start of a region that all threads may write now; 16-byte aligned. `bytes` is at most the
  /// chip's.
  uint32_t open(uint32_t bytes);
  /// A barrier: reads see what was written.
  void publish();
  /// The region was read for the last time.
  void close();
  /// Some other barrier passed: no thread reads anything from before it.
  void barrierPassed() { pending.clear(); }

  /// A pointer into the arena.
  llvm::Value *address(llvm::Value *bytes);

  /// Bytes that threads may be reading still, as [begin, end). Part of the state that joins where
  /// control flow does.
  struct Range {
    uint32_t begin, end;
  };
  using Pending = std::vector<Range>;
  const Pending &state() const { return pending; }
  /// Joins the state of another way to this point.
  void join(const Pending &other) { pending.insert(pending.end(), other.begin(), other.end()); }
  void setState(Pending state) { pending = std::move(state); }
  /// Whatever may be pending is: the state at the head of a loop that uses LDS.
  void assumeAllPending() { pending = {{0, context.ldsBytes}}; }

  /// Gives the arena its size. Nothing may be opened afterwards.
  void finish();
  /// Bytes of the arena so far.
  uint32_t size() const { return arenaBytes; }

private:
  KernelContext &context;
  llvm::GlobalVariable *arena;
  Pending pending;
  Range current{0, 0};
  uint32_t arenaBytes = 0;
};

/// Room that is left after every 2^shift steps along an axis, so that what stands there does not
/// always fall into the same banks.
struct LdsGap {
  unsigned axis = 0, shift = 0;
  int64_t elements = 0; // a power of two; 0: none

  /// Whether it can be left: no thread's part of a coordinate carries into the steps.
  static bool fits(const TileLayout &layout, unsigned axis, unsigned shift);
};

/// How a tile stands in LDS: the element at (c0, c1, ...) at byte
/// region + (c0 * strides[0] + c1 * strides[1] + ... - origin + extra) * bytes of an element, and
/// the gaps before it.
struct LdsPlace {
  uint32_t region = 0;
  std::vector<int64_t> strides; // in elements
  int64_t origin = 0;
  /// i32, per thread, or null; a multiple of extraAlignment (a power of two).
  llvm::Value *extra = nullptr;
  uint32_t extraAlignment = 1;
  LdsGap gap = {};
};

/// A part of a tile: elements with low <= c0 * weights[0] + c1 * weights[1] + ... < high. Both ends
/// are multiples of `alignment`, a power of two, except that `high` may be the end of the tile.
struct LdsWindow {
  std::vector<int64_t> weights;
  int64_t low = 0, high = 0;
  uint32_t alignment = 1;
};

/// Bytes of an element in LDS (i1 takes one).
inline uint32_t ldsBytes(DType dtype) { return dtypeBytes(dtype); }

/// Writes the elements of a tile, each by its owner. `distinguished`: see ownerTest.
void writeTile(KernelContext &context, Lds &lds, const TileLayout &layout,
               std::span<llvm::Value *const> registers, DType dtype, const LdsPlace &place,
               const std::optional<LdsWindow> &window = {}, uint32_t distinguished = 0);
/// Reads what a thread holds of a tile in `layout` into `registers`; those outside the window or
/// the box (and padding) keep their values.
void readTile(KernelContext &context, Lds &lds, const TileLayout &layout,
              std::span<llvm::Value *> registers, DType dtype, const LdsPlace &place,
              const std::optional<LdsWindow> &window = {}, const std::optional<TileBox> &box = {});

} // namespace tl::gpu
