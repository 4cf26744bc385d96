// lower_order: sorts, top-k and histograms are written as other operations.
// needs: an instantiated graph. gives: the same without sort, sort_descending, topk and histogram.
// keeps: everything else.
//
// A line is sorted as integers that stand in the order of its elements, each together with its
// place in the line, so that no two are equal: by a bitonic network over the next power of two
// (Batcher, "Sorting networks and their applications", 1968), whose comparisons are two nested
// loops around one take. What else goes along is taken at the places that come out. A histogram
// compares all elements with one number after the other.
#pragma once

#include "graph/graph.h"

namespace tl {

Result<Graph> lowerOrder(const Graph &graph);

} // namespace tl
