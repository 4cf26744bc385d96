// ElementEmitter: the elementwise operations of ops.def as LLVM IR, on scalars or fixed vectors,
// the same for all targets. Values in registers have these LLVM types (or vectors of them):
//   i1 -> i1, integers -> iN, f16 -> half, f32 -> float, f64 -> double, bf16 -> i16 (its bits),
//   floats of 8 bits and fewer -> i8 (their bits in the low ones, the others 0),
//   i4 -> i8 with its sign, u4 -> i8
// In memory i1 is a byte, 0 or 1; everything else is as in registers. bf16 is held as bits because
// no target of ours computes in it, x86 would call a library to round to it, and bits load, store
// and select everywhere.
// On amdgcn the lanes of a vector must be a power of two: LLVM 22 cannot select some code for 5, 6
// and 7 lanes of half, and crashes over some.
#pragma once

#include "graph/opcode.h"
#include "support/dtype.h"

#include "llvm/IR/IRBuilder.h"

#include <span>

namespace tl {

struct EmitterOptions {
  /// a * b + c may become one fma: products, sums and differences carry LLVM's `contract` flag.
  bool contract = true;
  /// The target computes in half and rounds to bfloat by itself (amdgcn, nvptx). Else (x86) both go
  /// through f32, and bf16 is rounded by integer arithmetic. The results are equal.
  bool nativeHalf = false;
  /// LLVM 22's scalar minimum and maximum for AVX-512 lose a signalling NaN where the other operand
  /// is known to be a number (vfpclass is asked for quiet ones only): it is not to know.
  bool hidesNumbers = false;
  /// LLVM 22's AMDGPU back end would round products to half with the wrong sign of zero: they are
  /// kept apart from the rounding.
  bool keepsProductsApart = false;
  /// Operations that are `fast` take the instructions of AMD GPUs (math/fast_amd.h); else they are
  /// as exact as others.
  bool amdFast = false;
};

class ElementEmitter {
public:
  /// Emits at the builder's insertion point, wherever the caller moves it. The builder's own
  /// fast-math flags are ignored and kept.
  ElementEmitter(llvm::IRBuilderBase &builder, const EmitterOptions &options)
      : ir(builder), options(options) {}

  /// The type of one element in a register, or of a vector of `lanes` (0 = scalar).
  llvm::Type *type(DType dtype, unsigned lanes = 0) const;
  /// The same in memory.
  llvm::Type *memoryType(DType dtype, unsigned lanes = 0) const;
  /// Between the two: a change for i1 only.
  llvm::Value *toMemory(llvm::Value *value, DType dtype);
  llvm::Value *fromMemory(llvm::Value *value, DType dtype);

  /// Constants; integers wrap to the type, floats are rounded to nearest even, once.
  llvm::Constant *constantInt(DType dtype, int64_t value, unsigned lanes = 0) const;
  llvm::Constant *constantFloat(DType dtype, double value, unsigned lanes = 0) const;
  /// All bits zero: 0, +0.0, false.
  llvm::Constant *zero(DType dtype, unsigned lanes = 0) const;
  /// Where a reduction over no elements starts: what changes nothing. -0 for float sums, so that a
  /// sum of -0 stays -0; the largest value, or infinity, for min.
  llvm::Constant *reduceIdentity(ReduceKind kind, DType dtype, unsigned lanes = 0) const;

  /// One row of ops.def with rule Elementwise, Compare, Classify, Select, Cast or Bitcast.
  /// `operandType` is the element type of the operands (Select: of a and b), `resultType` that of
  /// the result. Scalars among vector operands are repeated. `pred` is for Cmp, `mode` for Cast
  /// only; `fast` for those with that attribute.
  llvm::Value *emit(Opcode opcode, std::span<llvm::Value *const> operands, DType operandType,
                    DType resultType, Pred pred = Pred::Eq, const CastMode &mode = {},
                    bool fast = false);
  /// The mode counts where both are floats.
  llvm::Value *cast(llvm::Value *value, DType from, DType to, const CastMode &mode = {});
  llvm::Value *compare(Pred pred, llvm::Value *a, llvm::Value *b, DType dtype);
  llvm::Value *classify(Opcode opcode, llvm::Value *a, DType dtype);
  /// One step of a reduction.
  llvm::Value *combine(ReduceKind kind, llvm::Value *a, llvm::Value *b, DType dtype);
  /// The low bits of an i8 as an element of 4 or 6 bits; other types as they are.
  llvm::Value *wrapPacked(llvm::Value *bits, DType dtype);
  /// Repeats a scalar in `lanes` lanes; vectors and lanes = 0 give the value itself.
  llvm::Value *splat(llvm::Value *value, unsigned lanes);

  /// A float of 16 bits or fewer in registers to float, exact; f32 as it is.
  llvm::Value *toFloat(llvm::Value *value, DType dtype);
  /// float to one of 16 bits or fewer, rounded to nearest even; f32 as it is.
  llvm::Value *fromFloat(llvm::Value *value, DType dtype);

private:
  // emit_integer.cc
  llvm::Value *emitInteger(Opcode opcode, std::span<llvm::Value *const> operands, DType dtype);
  llvm::Value *divideInteger(Opcode opcode, llvm::Value *a, llvm::Value *b, bool isSigned);
  llvm::Value *highHalf(llvm::Value *a, llvm::Value *b, bool isSigned);
  llvm::Value *randomBits(llvm::Value *seed, llvm::Value *offset);
  llvm::Value *shiftInteger(Opcode opcode, llvm::Value *a, llvm::Value *b, bool isSigned);
  // emit_float.cc
  llvm::Value *emitFloat(Opcode opcode, std::span<llvm::Value *const> operands, DType dtype,
                         bool fast);
  llvm::Value *floatArithmetic(Opcode opcode, std::span<llvm::Value *const> operands);
  llvm::Value *minMax(Opcode opcode, llvm::Value *a, llvm::Value *b, DType dtype);
  llvm::Value *negateOrAbs(Opcode opcode, llvm::Value *a, DType dtype);
  llvm::Value *roundToIntegral(Opcode opcode, llvm::Value *a, DType dtype);
  llvm::Value *fma(std::span<llvm::Value *const> operands, DType dtype);
  // emit_cast.cc
  llvm::Value *integerToFloat(llvm::Value *value, DType from, DType to);
  llvm::Value *floatToFloat(llvm::Value *value, DType from, DType to);
  llvm::Value *floatInMode(llvm::Value *value, DType from, DType to, const CastMode &mode);
  llvm::Value *floatToInteger(llvm::Value *value, DType from, DType to);

  llvm::IRBuilderBase &ir;
  EmitterOptions options;
};

} // namespace tl
