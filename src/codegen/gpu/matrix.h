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
  enum class Call : uint8_t { Mfma, Wmma, WmmaSigned };

  MatrixFamily family;
  DType a, b;
  uint32_t k;
  uint32_t perLane;
  Operand operand;
  Call call;
  llvm::Intrinsic::ID intrinsic;
};

/// The instruction for factors of these types; null if chips of the family have none.
const MatrixInstruction *findMatrixInstruction(MatrixFamily family, DType a, DType b);
/// How the chip's instructions hold their results.
const ResultFragment &resultFragment(MatrixFamily family);
/// a x b + c, by what a lane holds of each: `a` and `b` as integers or vectors of them with the
/// elements' bits, `c` as a vector of the result's registers.
llvm::Value *emitMatrix(llvm::IRBuilderBase &ir, const MatrixInstruction &instruction,
                        llvm::Value *a, llvm::Value *b, llvm::Value *c);

} // namespace tl::gpu
