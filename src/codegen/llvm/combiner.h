// What reductions and scans combine, the same for all targets: an element, an element and where it
// stands, or the elements of several tiles by a region of the graph. A partial result is a short
// list of values in registers, scalars or vectors; combining is associative, and for reductions
// commutative, up to rounding.
#pragma once

#include "codegen/llvm/emitter.h"
#include "graph/graph.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <functional>
#include <vector>

namespace tl {

using Parts = llvm::SmallVector<llvm::Value *, 2>;

class Combiner {
public:
  /// For an op that combines along an axis. `outer` gives the scalars from outside that a region
  /// uses.
  Combiner(ElementEmitter &elements, llvm::IRBuilderBase &ir, const Graph &graph, const Op &op,
           std::function<llvm::Value *(ValueId)> outer);

  /// The element types of the parts: f16 and bf16 add up and multiply in f32. A region's parts are
  /// those of its operands and a truth value: false where nothing has been combined yet, since a
  /// region has no identity.
  std::span<const DType> dtypes() const { return types; }
  size_t parts() const { return types.size(); }
  bool needsCoordinate() const { return chooses; }
  /// Whether combining gives the same bits with its operands exchanged.
  bool isSymmetric() const { return !region; }

  /// What changes nothing.
  Parts identity(unsigned lanes = 0) const;
  /// One element of each operand; its coordinate along the axis (i32, or lanes of it) counts where
  /// needsCoordinate().
  Parts lift(llvm::ArrayRef<llvm::Value *> element, llvm::Value *coordinate,
             unsigned lanes = 0) const;
  Parts combine(const Parts &a, const Parts &b) const;
  Parts select(llvm::Value *condition, const Parts &a, const Parts &b) const;

  /// The part that becomes result `i`, and its value rounded to the result's own type.
  size_t results() const { return region ? types.size() - 1 : 1; }
  size_t resultPart(size_t i) const { return needsCoordinate() ? 1 : i; }
  llvm::Value *finish(llvm::Value *value, size_t i) const;

private:
  ElementEmitter &elements;
  llvm::IRBuilderBase &ir;
  const Graph &graph;
  std::function<llvm::Value *(ValueId)> outer;
  ReduceKind kind = ReduceKind::Sum;
  BlockId region = 0;
  bool chooses = false;        // argmax, argmin
  std::vector<DType> operands; // element types
  std::vector<DType> types;

  llvm::Value *better(llvm::Value *a, llvm::Value *b) const;
  llvm::Value *isNan(llvm::Value *a) const;
  Parts runRegion(const Parts &a, const Parts &b) const;
};

} // namespace tl
