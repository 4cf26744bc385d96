// The passes between a request's graph and code generation: one readable list (pipeline.cc).
#pragma once

#include "graph/graph.h"

#include <functional>

namespace tl {

/// What is told of a graph after each pass.
using PassObserver = std::function<void(const char *pass, const Graph &graph)>;

/// Runs all target-independent passes on a canonical graph; the verifier runs after each one in
/// builds with assertions.
Result<Graph> runPasses(const Graph &graph, const PassObserver &observer = nullptr);

} // namespace tl
