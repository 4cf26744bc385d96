// Integer semantics of ops.def on 64-bit carriers: one definition for everything that folds.
#pragma once

#include "graph/opcode.h"
#include "support/dtype.h"

#include <optional>
#include <span>

namespace tl {

/// `v` reduced to the range of an integer type (or i1: lowest bit), as wrapping arithmetic leaves
/// it. u64 is carried as the int64_t of the same bits.
int64_t wrapInteger(int64_t v, DType dtype);
/// The result of an integer op of ops.def (arithmetic, bits) on values of `dtype`; nullopt for
/// others.
std::optional<int64_t> foldInteger(Opcode opcode, std::span<const int64_t> operands, DType dtype);
/// The truth of a comparison of integers of `dtype`.
bool compareIntegers(Pred pred, int64_t a, int64_t b, DType dtype);

} // namespace tl
