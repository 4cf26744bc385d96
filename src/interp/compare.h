// Comparing what a device gave with what the interpreter gave.
#pragma once

#include "interp/interp.h"

namespace tl {

struct CompareOptions {
  /// Mismatches to describe; all are counted.
  size_t maxMismatches = 8;
  /// Share of the elements of written arguments that may be undecided.
  double maxUndecidedShare = 0.01;
};

/// One element that differs more than it may.
struct Mismatch {
  unsigned arg = 0;
  std::vector<int64_t> coordinates; // in the view; empty for memory outside it and for pointers
  int64_t offset = 0;               // in elements from the start of the argument's memory
  std::string expected, actual;     // values with their bits
  double bound = 0;                 // that was allowed
};

struct Comparison {
  uint64_t elements = 0;   // compared
  uint64_t mismatches = 0; // of those
  uint64_t inexact = 0;    // elements with a bound above 0
  uint64_t undecided = 0;  // elements of written arguments that may have any value
  uint64_t written = 0;    // elements of written arguments
  double maxError = 0;     // largest |actual - reference| within or outside its bound
  double maxShare = 0;     // largest |actual - reference| / bound
  std::vector<Mismatch> first;
  /// Why nothing can be said, or empty.
  std::string inconclusive;

  bool equal() const { return mismatches == 0 && inconclusive.empty(); }
  /// What there is to say, in lines; empty when equal.
  std::string text(const Graph &graph) const;
};

/// Compares the memory of every view and pointer argument: `reference` as `interpret` left it,
/// `actual[i]` the bytes of argument i from the other device in the same layout (NULL for scalars
/// and NULL arguments). Where InterpArg::bytes is known all of the memory is compared, else a
/// view's elements (and pointers not at all). Elements without doubt must have the same bits, NaNs
/// made by arithmetic be NaN, all others lie within their bound.
Result<Comparison> compareOutputs(const Graph &graph, const InterpReport &report,
                                  std::span<const InterpArg> reference,
                                  std::span<const void *const> actual,
                                  const CompareOptions &options = {});

} // namespace tl
