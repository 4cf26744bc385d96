// Rules of what gives the host lines of a log.
#pragma once

#include "graph/graph.h"

namespace tl {

/// Rules Print, Assert and LaunchLog. Operands and attributes are of the kinds that ops.def asks
/// for.
Result<std::vector<Type>> inferDebug(const Graph &graph, Opcode opcode,
                                     std::span<const ValueId> operands,
                                     std::span<const Attr> attrs);

} // namespace tl
