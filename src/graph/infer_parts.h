// Result types of the operations that take tiles apart and put them together.
#pragma once

#include "graph/graph.h"

namespace tl {

/// Rules Slice, InsertSlice, Flip, Concat, Join and Split. Operands and attributes are of the kinds
/// that ops.def asks for.
Result<std::vector<Type>> inferParts(const Graph &graph, Opcode opcode,
                                     std::span<const ValueId> operands,
                                     std::span<const Attr> attrs);

} // namespace tl
