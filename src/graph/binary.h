// The binary form of a graph, in two parts: the graph itself, and source locations (outside every
// key).
#pragma once

#include "graph/graph.h"
#include "support/bytes.h"

namespace tl {

Bytes writeGraph(const Graph &graph);
/// Source locations of ops, by their position in what writeGraph writes.
Bytes writeLocations(const Graph &graph);
/// Reads a graph through the builder, so that only valid graphs come out. TL_E_CORRUPT,
/// TL_E_VERSION, TL_E_INVALID_GRAPH, TL_E_LIMIT.
Result<Graph> readGraph(std::span<const uint8_t> graph, std::span<const uint8_t> locations = {});

} // namespace tl
