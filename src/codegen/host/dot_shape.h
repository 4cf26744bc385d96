// How a dot is cut up: blocks of rows by panels of columns, each held in vector registers while a
// loop runs over a slice of K. All of it is known at compile time.
#pragma once

#include "codegen/host/value_plan.h"

namespace tl::host {

struct DotShape {
  int64_t m = 0, n = 0, k = 0;
  DType compute = DType::F32; // of accumulators and packed operands
  unsigned lanes = 8;         // of one vector
  unsigned rows = 1;          // of the larger row blocks; the others have one less
  unsigned vectors = 1;       // side by side in a panel of columns
  int64_t rowBlocks = 1;      // how many
  int64_t largeBlocks = 1;    // of them with `rows` rows; they come first
  int64_t panels = 1;         // of vectors * lanes columns; the last one may be narrower
  int64_t slice = 0;          // of K that is packed at once
  bool packA = true;          // else A is read where it is
  bool startAtZero = false;   // the accumulator's value is zero and K is one slice

  int64_t panelWidth() const { return int64_t(vectors) * lanes; }
  int64_t slices() const { return (k + slice - 1) / slice; }
  /// Elements from one packed panel to the next: one row more than it holds, so that the panels of
  /// a row of B do not all fall into one set of the cache.
  int64_t panelStride() const { return (slice + 1) * panelWidth(); }
  size_t bytesOfA() const { return packA ? size_t(m * slice) * dtypeBytes(compute) : 0; }
  size_t bytesOfB() const { return size_t(panels * panelStride()) * dtypeBytes(compute); }
};

DotShape planDot(const Graph &graph, const ValuePlan &values, OpId op, unsigned vectorBits);

} // namespace tl::host
