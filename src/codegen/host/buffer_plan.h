// The arena: which buffer each tile gets, when it is in use, and where it lies. Values that follow
// one another (the accumulator of a dot and its result, the rounds of a loop's carried value) share
// a buffer where nobody needs the old one, so that nothing is copied.
#pragma once

#include "codegen/host/expression.h"
#include "codegen/host/value_plan.h"

#include <map>

namespace tl::host {

/// One buffer of the arena by index; noBuffer for none.
using BufferId = uint32_t;
constexpr BufferId noBuffer = UINT32_MAX;

/// Buffers that belong to an op and not to a value.
enum class Scratch : uint32_t { PackedA, PackedB, Move };

struct BufferPlan {
  std::vector<BufferId> ofValue;                                // by ValueId
  std::map<std::tuple<OpId, Scratch, uint32_t>, BufferId> ofOp; // index: which move
  std::vector<size_t> offset;                                   // by BufferId, bytes
  std::map<OpId, size_t> sharedMemory;                          // of alloc_shared, bytes
  size_t arenaBytes = 0;

  /// True if `from` and `to` are one buffer: no copy is needed between them.
  bool shared(ValueId from, ValueId to) const {
    return ofValue[from] != noBuffer && ofValue[from] == ofValue[to];
  }
};

BufferPlan planBuffers(const Graph &graph, const ValuePlan &values, unsigned vectorBits);

} // namespace tl::host
