// Type inference: the result types of an op from its operands and attributes, or a sentence that
// says what is wrong. The one place where the typing rules of ops.def live; builder, parser, reader
// and instantiation all use it.
#pragma once

#include "graph/graph.h"

namespace tl {

/// Result types of an op; of an If none, they come from its yields. Errors are TL_E_INVALID_GRAPH
/// or TL_E_LIMIT and name the op, the operand types and the rule.
Result<std::vector<Type>> inferTypes(const Graph &graph, Opcode opcode,
                                     std::span<const ValueId> operands,
                                     std::span<const Attr> attrs);

/// The types of the arguments of an op's regions, and of what they yield, for an op with those
/// result types.
std::vector<Type> regionArguments(const Graph &graph, Opcode opcode,
                                  std::span<const ValueId> operands, std::span<const Type> results);
std::vector<Type> regionYields(Opcode opcode, std::span<const Type> results);

/// The extents of a Dims attribute with parameters at their current values; checks limits of tiles.
Result<std::vector<int64_t>> resolveDims(const Graph &graph, Opcode opcode, const Attr &dims);

/// "add(tile<4xf32>, f32)": an op with its operand types, for messages.
std::string signatureText(const Graph &graph, Opcode opcode, std::span<const ValueId> operands);

} // namespace tl
