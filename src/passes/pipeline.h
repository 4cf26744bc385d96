// The passes between a request's graph and code generation: one readable list (pipeline.cc).
#pragma once

#include "graph/graph.h"

#include <functional>

namespace tl {

/// What is told of a graph after each pass.
using PassObserver = std::function<void(const char *pass, const Graph &graph)>;

/// What kind of processor the passes are for: some are for one kind alone.
enum class PassTarget : uint8_t { Host, Amd, Nvidia };

/// Runs the target's passes on a canonical graph; the verifier runs after each one in builds with
/// assertions.
Result<Graph> runPasses(const Graph &graph, PassTarget target,
                        const PassObserver &observer = nullptr);

} // namespace tl
