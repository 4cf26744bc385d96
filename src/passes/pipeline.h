// The passes between a request's graph and code generation: one readable list (pipeline.cc).
#pragma once

#include "graph/graph.h"

namespace tl {

/// Runs all target-independent passes on a canonical graph; the verifier runs after each one in
/// builds with assertions.
Result<Graph> runPasses(const Graph &graph);

} // namespace tl
