// Result types of the operations on shared memory.
#pragma once

#include "graph/graph.h"

namespace tl {

/// Rules AllocShared, Copy, Wait and Barrier; operands and attributes are of the kinds that ops.def
/// asks for.
Result<std::vector<Type>> inferShared(const Graph &graph, Opcode opcode,
                                      std::span<const ValueId> operands,
                                      std::span<const Attr> attrs);

/// A copy as a load and a store have it: the indices of its views.
struct CopyIndices {
  std::span<const ValueId> to, from;
};
CopyIndices copyIndices(const Graph &graph, const Op &op);

/// Bytes that an alloc_shared takes, a multiple of 16.
uint64_t sharedBytes(const Graph &graph, const Op &op);

} // namespace tl
