// A pass that looks at one op at a time: copies the graph through the builder and lets a hook
// replace ops.
#pragma once

#include "graph/clone.h"

namespace tl {

/// `hook(cloner, builder, op)` returns true when it mapped the op's result itself.
Result<Graph> rewriteGraph(const Graph &graph,
                           const std::function<bool(GraphCloner &, GraphBuilder &, OpId)> &hook);

} // namespace tl
