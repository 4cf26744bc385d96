// A launch's arguments against what the kernel declares: checks, and the block of 8-byte slots. On
// the launch path: no allocation, and words only for whoever asks.
#pragma once

#include "artifact/artifact.h"
#include "artifact/limits.h"
#include "tilelang/launch.h"

namespace tl {

constexpr size_t maxLaunchArgs = TL_MAX_ARGUMENTS;

/// The arguments of one launch, resolved. Large but plain: lives on the caller's stack, used
/// entries only.
struct LaunchBlock {
  int64_t grid[3];
  size_t slotCount;
  int64_t scalars[maxLaunchArgs];       // integer scalars by value, floats by their bits
  void *pointers[maxLaunchArgs];        // views and pointers
  const int64_t *shapes[maxLaunchArgs]; // as given, or null
  const int64_t
      *strides[maxLaunchArgs]; // as given; contiguous ones where the kernel wants some; or null
  int32_t ranks[maxLaunchArgs];
  uint64_t slots[kMaxKernargSlots];
  int64_t contiguous[maxLaunchArgs][TL_MAX_VIEW_RANK]; // strides of tensors that came without

  /// Fills everything. `words` (may be null) receives an explanation of a failure.
  tl_status fill(const Artifact &artifact, const tl_arg *args, size_t n, bool checked,
                 ErrorPtr *words);

  /// Extents and strides (in elements) of the filled view argument `i`.
  void viewDims(size_t i, int64_t *shape, int64_t *elementStrides) const;

private:
  const Artifact *kernel;
  bool checked;
  ErrorPtr *words;

  tl_status readArg(size_t i, const tl_arg &arg);
  tl_status readScalar(size_t i, const tl_arg &arg);
  tl_status readDLPack(size_t i, const void *tensor);
  void addStrides(size_t i);
  tl_status checkView(size_t i) const;
  tl_status makeSlots();
  tl_status makeGrid();
  int64_t extent(size_t i, size_t axis) const;
  int64_t stride(size_t i, size_t axis, int64_t contiguousStride) const;
  [[gnu::format(printf, 4, 5)]] tl_status fail(tl_status status, size_t i, const char *format,
                                               ...) const;
};

} // namespace tl
