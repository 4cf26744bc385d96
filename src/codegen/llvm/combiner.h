// What reductions combine, the same for all targets: an element, or an element and where it stands.
// A partial result is a short list of values in registers, scalars or vectors; combining is
// associative and commutative, up to rounding.
#pragma once

#include "codegen/llvm/emitter.h"
#include "graph/graph.h"

#include "llvm/ADT/SmallVector.h"

namespace tl {

using Parts = llvm::SmallVector<llvm::Value *, 2>;

class Combiner {
public:
  /// For a row of ops.def with rule Reduce or ArgReduce.
  Combiner(ElementEmitter &elements, llvm::IRBuilderBase &ir, const Graph &graph, const Op &op);

  /// The element types of the parts: f16 and bf16 add up and multiply in f32.
  std::span<const DType> dtypes() const { return {types, count}; }
  size_t parts() const { return count; }
  bool needsCoordinate() const { return count > 1; }

  /// What changes nothing.
  Parts identity(unsigned lanes = 0) const;
  /// One element of the operand; its coordinate along the axis (i32, or lanes of it) counts where
  /// needsCoordinate().
  Parts lift(llvm::Value *element, llvm::Value *coordinate) const;
  Parts combine(const Parts &a, const Parts &b) const;
  Parts select(llvm::Value *condition, const Parts &a, const Parts &b) const;

  /// The part that becomes the result, its type before finish() and that of the result.
  size_t resultPart() const { return count - 1; }
  DType resultType() const { return types[count - 1]; }
  /// Rounds a finished result to its own type.
  llvm::Value *finish(llvm::Value *value) const;

private:
  ElementEmitter &elements;
  llvm::IRBuilderBase &ir;
  ReduceKind kind;
  DType operand; // element type
  DType types[2];
  size_t count;

  llvm::Value *better(llvm::Value *a, llvm::Value *b) const;
  llvm::Value *isNan(llvm::Value *a) const;
};

} // namespace tl
