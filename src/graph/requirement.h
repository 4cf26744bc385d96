// What is said about a requirement that does not hold.
#pragma once

#include "graph/graph.h"

namespace tl {

/// TL_E_PARAM with the requirement as the text form has it, its place, and `bindings` ("B = 4, C =
/// 2"; empty: the parameters' defaults). `condition` is one of the kernel's requirements.
ErrorPtr requirementFailure(const Graph &graph, ValueId condition, const std::string &bindings);

} // namespace tl
