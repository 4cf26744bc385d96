// The passes between a request's graph and code generation: one readable list (pipeline.cc).
#pragma once

#include "graph/graph.h"

namespace tl {

/// Runs all target-independent passes on a canonical graph; the verifier runs after each one in
/// debug builds. `dump` (may be empty) names a pass after which the graph's text is appended to
/// `dumped`.
Result<Graph> runPasses(const Graph &graph, const std::string &dump = {},
                        std::string *dumped = nullptr);

} // namespace tl
