// Products by matrix instructions.
#pragma once

#include "codegen/gpu/lds.h"
#include "codegen/gpu/matrix.h"

namespace tl::gpu {

/// acc + a x b by this instruction, when `accumulator` is laid out as its results; nothing where
/// one step of K does not fit into LDS. A and the transpose of B go through LDS.
std::optional<TileValue> emitMatrixDot(KernelContext &context, Lds &lds,
                                       const MatrixInstruction &instruction, const TileValue &a,
                                       const TileValue &b, const TileValue &accumulator);

/// Numbers by axis of a matrix as numbers by axis of the layout that holds it.
std::vector<int64_t> byLayoutAxis(const TileValue &value, std::vector<int64_t> numbers);

} // namespace tl::gpu
