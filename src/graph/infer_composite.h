// Result types of operations that are short for several others.
#pragma once

#include "graph/graph.h"

namespace tl {

/// Rules Random, RandomInt, CastStochastic, Unpack, Pack and Im2col; operands and attributes are of
/// the kinds that ops.def asks for.
Result<std::vector<Type>> inferComposite(const Graph &graph, Opcode opcode,
                                         std::span<const ValueId> operands,
                                         std::span<const Attr> attrs);

/// What views and pointers lead to: whole bytes.
Status checkInMemory(DType dtype);

/// Along the last axis, `elements` of `dtype` stand in `bytes`.
struct PackedGroup {
  int64_t elements, bytes;
};
PackedGroup packedGroup(DType dtype);

/// What an im2col says of the convolution, in this order: of height and width each.
struct Convolution {
  int64_t kernel[2], strides[2] = {1, 1}, padding[2] = {0, 0}, dilation[2] = {1, 1};
};
Convolution convolutionOf(const Graph &graph, const Op &op);

} // namespace tl
