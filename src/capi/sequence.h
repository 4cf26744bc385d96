// Launching sequences: each step's arguments from the sequence's, and the workspace with its
// temporaries. On the launch path: no allocation, unless a launch outside of a capture needs a
// larger workspace than the kernel has.
#pragma once

#include "capi/arguments.h"
#include "capi/handles.h"

namespace tl {

/// The temporaries of one launch.
struct TemporaryPlan {
  struct Entry {
    uint64_t offset;
    int64_t shape[TL_MAX_VIEW_RANK];
  };
  Entry entries[kMaxTemporaries];
  uint64_t bytes = 0; // of the workspace

  /// Places the temporaries of a sequence. `words` (may be null) receives an explanation.
  tl_status fill(const Artifact &sequence, const LaunchBlock &block, ErrorPtr *words);
};

/// The arguments of one step, as its kernel's launch takes them.
struct StepArguments {
  tl_arg args[maxLaunchArgs];
  int64_t shapes[maxLaunchArgs][TL_MAX_VIEW_RANK];
  int64_t strides[maxLaunchArgs][TL_MAX_VIEW_RANK];

  /// TL_E_ARG_TYPE for a number that is no value of its argument's type; `words` (may be null)
  /// receives an explanation.
  tl_status fill(const Artifact &sequence, const Step &step, const LaunchBlock &block,
                 const TemporaryPlan &plan, const void *workspace, ErrorPtr *words);
};

/// Checks and loads all that a launch needs; makes the workspace if arguments are given.
Status prepareSequence(const tl_kernel &kernel, const tl_arg *args, size_t n);
tl_status launchSequence(const tl_kernel &kernel, void *stream, const LaunchBlock &block,
                         const tl_launch_options &options) noexcept;

} // namespace tl
