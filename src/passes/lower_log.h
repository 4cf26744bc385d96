// Writes print and assert as atomic operations and scatters into the device's log.
#pragma once

#include "graph/graph.h"

namespace tl {

/// needs  the canonical graph, whose prints and asserts number the sites of the artifact
/// gives  a graph without them
/// keeps  all results; artifact/log.h says what is written where
Result<Graph> lowerLog(const Graph &graph);

} // namespace tl
