// What a host sees of a kernel: arguments, kernel argument slots and grid expressions, as the
// artifact carries them.
#pragma once

#include "artifact/artifact.h"
#include "graph/graph.h"

namespace tl {

/// Fills kernel, args, slots and grid of an artifact from an instantiated graph; of a sequence
/// kernel, args, temporaries, steps, and the members as this function describes them, in the order
/// of the callees.
Result<Artifact> describeKernel(const Graph &graph);
/// The ops that print or assert, in the order of their sites in the artifact.
std::vector<OpId> logOps(const Graph &graph);
/// What such an op is in the artifact, without its line.
LogSite logSiteOf(const Graph &graph, const Op &op);
/// Slot index of an argument's pointer or scalar, or of an implicit extent or stride (by value); -1
/// if there is none.
int slotOfValue(const Graph &graph, const std::vector<KernargSlot> &slots, ValueId value);

} // namespace tl
