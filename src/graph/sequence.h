// Rules of sequences: what their bodies hold, and which arguments a dispatch may give a kernel.
#pragma once

#include "graph/graph.h"

namespace tl {

/// Whether an op with these operands may dispatch callee number `callee` of the graph; the words
/// name the argument that does not fit.
Status checkDispatch(const Graph &graph, int64_t callee, std::span<const ValueId> operands);

/// Whether an op of the body may stand in a sequence: i64 arithmetic that a launch can evaluate,
/// constants, temporaries and dispatches.
Status checkSequenceOp(const Graph &graph, const Op &op);

/// Whether a launch can evaluate an op on scalars (in a grid expression or a sequence): integer
/// arithmetic on i64, and casts of integer arguments to i64. `where` begins the words.
Status checkLaunchArithmetic(const Graph &graph, const Op &op, const char *where);

} // namespace tl
