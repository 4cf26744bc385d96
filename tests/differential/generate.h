// Random kernels with their arguments, for running one thing against another. The same seed gives
// the same case on every machine. Every case is free of races between programs: what a program
// stores no other program touches.
#pragma once

#include "differential/coverage.h"

namespace tl::test {

/// How one argument of a case is bound.
struct CaseArg {
  int buffer = -1;   // views and pointers: which buffer
  size_t offset = 0; // and where in it, in bytes
  int64_t scalar = 0;
  std::vector<int64_t> extents, strides; // views, in elements
  bool sizeKnown = true;                 // no element lies before `offset`
};

struct Case {
  uint64_t seed = 0;
  Graph graph; // instantiated
  std::vector<CaseArg> args;
  std::vector<std::vector<uint8_t>> buffers;
  Traits traits;
};

/// Each case is built around so many consecutive features of a shuffled list that a thousand cases
/// have each one four times: some cases are inconclusive.
constexpr unsigned casesOfAWholeRun = 1000;

/// Makes the case of a seed. An error is a defect of the generator or of the graph builder.
Result<Case> generateCase(uint64_t seed);

} // namespace tl::test
