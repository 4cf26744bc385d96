// fold: integer scalars whose value is known become constants.
// needs: an instantiated graph. gives: the same with constants. keeps: everything else.
#pragma once

#include "graph/graph.h"

namespace tl {

Result<Graph> foldConstants(const Graph &graph);

} // namespace tl
