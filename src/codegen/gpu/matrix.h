// The matrix instructions that dots become, expanded from matrix.def.
#pragma once

#include "codegen/targets.h"
#include "layout/matrix_fragment.h"
#include "support/dtype.h"

#include "llvm/IR/IRBuilder.h"

namespace tl::gpu {

/// One row of matrix.def.
struct MatrixInstruction {
  enum class Operand : uint8_t { Halves, Words16, Bfloats, Word64, Words32 };
  enum class Call : uint8_t { Mfma, Wmma, WmmaSigned, Mma };

  MatrixFamily family;
  DType a, b;
  uint32_t k;
  uint32_t perLane;
  Operand operand;
  Call call;
  llvm::Intrinsic::ID intrinsic;

  /// Rows of A, and columns of B, that a lane gives elements of: lane % 16, or, by mma, lane / 4
  /// and the one 8 further.
  uint32_t linesPerLane() const { return call == Call::Mma ? 2 : 1; }
};

/// The instruction for factors of these types; null if chips of the family have none.
const MatrixInstruction *findMatrixInstruction(MatrixFamily family, DType a, DType b);
/// How the chip's instructions hold their results.
const ResultFragment &resultFragment(MatrixFamily family);
/// The row of A, and the column of B, in a block that a lane gives elements of, or the first of
/// two.
llvm::Value *lineOfLane(llvm::IRBuilderBase &ir, const MatrixInstruction &instruction,
                        llvm::Value *lane);
/// Which part of the line's elements: those from perLane times this on.
llvm::Value *partOfLane(llvm::IRBuilderBase &ir, const MatrixInstruction &instruction,
                        llvm::Value *lane);
/// a x b + c, by what a lane holds of each: `a` and `b` as integers or vectors of them with the
/// elements' bits, `c` as a vector of the result's registers.
llvm::Value *emitMatrix(llvm::IRBuilderBase &ir, const MatrixInstruction &instruction,
                        llvm::Value *a, llvm::Value *b, llvm::Value *c);

} // namespace tl::gpu
