// Packing the operands of a dot: A row by row, B in panels of columns, both in the type that the
// dot computes in. Packing evaluates the operands' expressions, so that casts and the like cost
// nothing extra.
#pragma once

#include "codegen/host/dot_shape.h"
#include "codegen/host/nest.h"

namespace tl::host {

/// Asks for the rows that packing will read soon, since they lie far apart in memory: all tiles of
/// an expression that are read in place, at the current coordinates but for `axis`.
void prefetchRows(Emission &e, Nest &nest, const Expression &expression, unsigned axis);

/// A[:, first .. first + count) to rows of shape.slice elements.
void packA(Emission &e, ValueId a, const DotShape &shape, llvm::Value *to, llvm::Value *first,
           llvm::Value *count);
/// B[first .. first + count, :) to panels shape.panelStride() elements apart, each in rows of
/// shape.panelWidth() elements. Columns behind the last one up to a whole vector are zero.
void packB(Emission &e, ValueId b, const DotShape &shape, llvm::Value *to, llvm::Value *first,
           llvm::Value *count);

} // namespace tl::host
