// A pass that looks at one op at a time: copies the graph through the builder and lets a hook
// replace ops.
#pragma once

#include "graph/clone.h"

namespace tl {

using RewriteHook = std::function<bool(GraphCloner &, GraphBuilder &, OpId)>;

/// `hook(cloner, builder, op)` returns true when it mapped the op's result itself; `ofRegions` does
/// so for ops with regions.
Result<Graph> rewriteGraph(const Graph &graph, const RewriteHook &hook,
                           const RewriteHook &ofRegions = nullptr);

} // namespace tl
