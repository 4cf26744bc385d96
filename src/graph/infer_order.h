// Result types of operations that choose, order or count the elements of a tile.
#pragma once

#include "graph/graph.h"

namespace tl {

/// Rules Take, Sort, TopK and Histogram; operands and attributes are of the kinds that ops.def asks
/// for.
Result<std::vector<Type>> inferOrder(const Graph &graph, Opcode opcode,
                                     std::span<const ValueId> operands,
                                     std::span<const Attr> attrs);

} // namespace tl
