// lower_composite: operations that are short for several others are written as those.
// needs: an instantiated graph. gives: the same without rand, randn, randint, cast_stochastic,
// unpack, pack, im2col, copy_tile, async_copy and async_wait.
// keeps: everything else.
#pragma once

#include "graph/clone.h"

namespace tl {

Result<Graph> lowerComposite(const Graph &graph);

// The parts of it: each writes one operation through the builder and gives its result.

/// rand, randn and randint, from the bits of random_bits.
ValueId writeRandom(const Graph &graph, const Op &op, GraphCloner &cloner, GraphBuilder &builder);
/// cast_stochastic, by integer operations on the bits.
ValueId writeCastStochastic(const Graph &graph, const Op &op, GraphCloner &cloner,
                            GraphBuilder &builder);
/// unpack and pack, by shifts of bytes.
ValueId writePacking(const Graph &graph, const Op &op, GraphCloner &cloner, GraphBuilder &builder);
/// copy_tile and async_copy, as a load and a store.
void writeCopy(const Graph &graph, const Op &op, GraphCloner &cloner, GraphBuilder &builder);
/// im2col, as a gather.
ValueId writeIm2col(const Graph &graph, const Op &op, GraphCloner &cloner, GraphBuilder &builder);

} // namespace tl
