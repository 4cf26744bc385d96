// cse: equal pure ops are computed once.
// needs: an instantiated graph. gives: the same without repeated pure ops. keeps: effects, loads
// and their order.
#pragma once

#include "graph/graph.h"

namespace tl {

Result<Graph> eliminateCommonSubexpressions(const Graph &graph);

} // namespace tl
