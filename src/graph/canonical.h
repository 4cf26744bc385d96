// Canonical form: the same computation gives the same graph, whatever the order it was built in.
#pragma once

#include "graph/graph.h"

#include <map>

namespace tl {

/// Binds the parameters and makes a concrete graph: parameters become constants, Dims attributes
/// literals, all types are inferred anew. Unknown names, values outside the choices and broken
/// requirements give TL_E_PARAM; ops that become ill-typed give their own error with the bindings
/// named.
Result<Graph> instantiate(const Graph &graph, const std::map<std::string, int64_t> &bindings);

/// Renumbers: effects (stores, scatters, ops that contain them) keep program order; pure ops and
/// loads come in the order in which a traversal from the effects meets them, loads between the same
/// two effects as before; what no effect needs is dropped, and so are callees that are never
/// dispatched, the others having the numbers of their first dispatches; names of inner values go.
/// Needs an instantiated graph.
Graph canonicalize(const Graph &graph);

} // namespace tl
