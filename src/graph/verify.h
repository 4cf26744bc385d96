// The verifier: every rule that a whole graph must keep, checked from nothing but the graph.
#pragma once

#include "graph/graph.h"

namespace tl {

/// Ids in range, each value defined before use and visible, types as inference gives them, regions
/// closed by matching yields, head and body as they must be. Runs after every pass in debug builds.
Status verify(const Graph &graph);

} // namespace tl
