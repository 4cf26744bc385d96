// The reference interpreter: runs a kernel on host memory, program after program, and says how far
// another correct implementation may be away from each element it wrote. Naive on purpose: it is
// what everything else is compared with, so it shares nothing with the code generators.
//
// What "correct" means here, beyond ops.def: every float operation is rounded once to its type;
// approximated functions may be off by one ulp, or two (f16 and bf16: of f32, then rounded);
// sums and dots may be formed in any order, in f32 for f16, bf16 and f32, in f64 for f64; and
// unless the kernel says contract=off, a product may stay unrounded where it is added or
// subtracted.
#pragma once

#include "graph/graph.h"
#include "interp/error_map.h"

#include <span>

namespace tl {

/// One argument of a launch.
struct InterpArg {
  /// Views and pointers: host memory, aligned to the element. NULL where nothing is accessed.
  void *data = nullptr;
  /// Scalars: integers extended to 64 bits by their sign, floats as their bits (as in the kernel
  /// argument block).
  int64_t scalar = 0;
  /// Views: the tensor's extents and strides (in elements), read where the kernel declares them
  /// dynamic. May be empty if it declares none so.
  std::span<const int64_t> extents, strides;
  /// Views and pointers: size of the memory at `data`; 0 = not known. Where it is known, an access
  /// through this argument that leaves it is an error.
  size_t bytes = 0;
};

/// Receives the words of a line of print, or of an assert that failed, in the form of log.h behind
/// its header: of site `site` (artifact.h) in a program of `kernel`.
class InterpLog {
public:
  virtual ~InterpLog() = default;
  virtual void line(const Graph &kernel, uint32_t site, const int64_t (&program)[3],
                    std::span<const uint64_t> words) = 0;
};

struct InterpOptions {
  /// Keep error bounds. Off: the same values, about twice as fast, and a report without doubts.
  bool trackErrors = true;
  /// What is in doubt in memory before the launch, which takes it; NULL = nothing.
  interp::ErrorMap *before = nullptr;
  /// Give up with TL_E_LIMIT after so many operations and elements; 0 = never.
  uint64_t maxSteps = 0;
  /// Run no program and take no memory for temporaries: only see whether arguments, grids and the
  /// steps of a sequence are right.
  bool checkOnly = false;
  /// Where print and assert go; NULL = nowhere.
  InterpLog *log = nullptr;
};

struct InterpReport {
  int64_t grid[3] = {1, 1, 1};
  /// Operations, and elements of their results, that were evaluated.
  uint64_t steps = 0;
  /// Comparisons and casts to integers that lay inside an error bound.
  uint64_t undecidedDecisions = 0;
  /// Conditions, loop bounds, and places of stores that depend on undecided values: another
  /// implementation may have done something else altogether, and nothing can be compared.
  uint64_t undecidedControl = 0;
  /// By address of the arguments' memory.
  interp::ErrorMap errors;
};

/// Runs the kernel of an instantiated graph with its whole grid, x fastest, or a sequence with its
/// kernels one after the other, whose temporaries are full of ones before they are written. Errors:
/// TL_E_ARG_COUNT, TL_E_ARG_SHAPE (an extent or stride that is needed is missing), TL_E_GRID,
/// TL_E_ARG_NULL and TL_E_INVALID_ARGUMENT for an access to NULL or outside known memory,
/// TL_E_LIMIT. After an error the memory may be partly written.
Result<InterpReport> interpret(const Graph &graph, std::span<const InterpArg> args,
                               const InterpOptions &options = {});

/// The grid that `interpret` would run.
Result<std::array<int64_t, 3>> interpretGrid(const Graph &graph, std::span<const InterpArg> args);

/// The view an argument is at launch: extents and strides in elements, declared or given.
struct InterpShape {
  std::vector<int64_t> extents, strides;
};
Result<InterpShape> interpretShape(const Graph &graph, std::span<const InterpArg> args,
                                   unsigned arg);

/// For each argument whether some store or scatter may write through it.
std::vector<bool> writtenArguments(const Graph &graph);

/// How far another implementation's elements of a view argument may be from the interpreter's, in
/// row-major order of its extents.
struct ElementErrors {
  std::vector<double> bounds;     // 0 = the same bits
  std::vector<uint8_t> undecided; // 1 = anything goes
};
Result<ElementErrors> elementErrors(const Graph &graph, std::span<const InterpArg> args,
                                    const InterpReport &report, unsigned arg);

} // namespace tl
