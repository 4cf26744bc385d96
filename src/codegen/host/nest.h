// A nest of loops over the axes of a tile, and the evaluation of expressions inside: each value is
// computed in the outermost loop that determines it, and once there. Evaluation emits no branches.
#pragma once

#include "codegen/host/emission.h"
#include "codegen/host/expression.h"

#include "llvm/ADT/SmallVector.h"

#include <map>

namespace tl::host {

using Carried = llvm::SmallVector<llvm::Value *, 16>;
using LoopBody =
    llvm::function_ref<Carried(llvm::Value *index, llvm::ArrayRef<llvm::Value *> carried)>;

/// for (index = low; index < high; index += step), with values carried from round to round; gives
/// the last ones. `entered` is called with the branch into the loop before its body is emitted.
/// `unroll` is a count for LLVM, 0 leaves it the choice. The vectorizer leaves our loops alone.
Carried emitLoop(Emission &e, llvm::Value *low, llvm::Value *high, int64_t step,
                 llvm::ArrayRef<llvm::Value *> init, LoopBody body,
                 llvm::function_ref<void(llvm::Instruction *)> entered = {}, unsigned unroll = 0);

class Nest {
public:
  /// `root`: the op whose loops these are, which decides what kept tiles are computed inside.
  explicit Nest(Emission &e, OpId root = 0) : e(e), root(root), levels(1) {}

  /// A loop over `axis`. Along the vector axis `step` elements are handled at once (0 lanes: one).
  Carried loop(unsigned axis, llvm::Value *low, llvm::Value *high, int64_t step,
               llvm::ArrayRef<llvm::Value *> init, LoopBody body, unsigned unroll = 0);
  void loop(unsigned axis, llvm::Value *low, llvm::Value *high, int64_t step,
            llvm::function_ref<void()> body, unsigned unroll = 0);
  /// A loop over `axis` in steps of `lanes`, then one over what remains, element by element.
  void chunks(unsigned axis, llvm::Value *low, llvm::Value *high, unsigned lanes,
              llvm::function_ref<void()> body, unsigned unroll = 0);

  /// Lanes of the vector axis from here on; 0: no axis is a vector.
  void vectorize(int axis, unsigned lanes);
  unsigned lanes() const { return vectorLanes; }
  /// Moves the current round of a loop over `axis` to another coordinate.
  void moveTo(unsigned axis, llvm::Value *coordinate);
  /// The current coordinate (of lane 0), i64.
  llvm::Value *coordinate(unsigned axis);
  /// The current coordinates wrapped to an integer type: a vector along the vector axis, else a
  /// scalar.
  llvm::Value *laneCoordinates(unsigned axis, DType dtype);

  /// The value at the current coordinates, as a scalar if it is equal in all lanes.
  llvm::Value *evaluate(ValueId value, const AxisMap &map);
  /// Stores the kept tiles of an expression that has been evaluated at the current coordinates.
  void storeKept(const Expression &expression);
  /// Elements of a tile in memory at the current coordinates; the registers' type.
  llvm::Value *load(const TileRef &tile, const AxisMap &map, DType dtype);
  /// Asks for what load would read `distance` rounds of `axis` later; it need not exist.
  void prefetch(const TileRef &tile, const AxisMap &map, DType dtype, unsigned axis,
                int64_t distance);
  /// Stores an element or a vector (or, in all lanes, a scalar).
  void store(llvm::Value *value, const TileRef &tile, const AxisMap &map, DType dtype);

private:
  struct Coordinate {
    llvm::Value *at = nullptr; // null: 0
    unsigned level = 0;
  };
  using Key = std::pair<ValueId, AxisMap>;
  /// Level 0 is outside of all loops. Code of a level whose loop contains further loops goes before
  /// `anchor`, the branch into the next one.
  struct Level {
    llvm::Instruction *anchor = nullptr;
    std::map<Key, llvm::Value *> known;
  };

  Emission &e;
  OpId root;
  std::vector<Level> levels;
  std::array<Coordinate, maxTileRank> coordinates;
  int vectorAxis = -1;
  unsigned vectorLanes = 0;

  unsigned levelOf(const AxisMap &map) const;
  bool varies(const AxisMap &map) const;
  void forget(unsigned level);
  llvm::Value *offset(const TileRef &tile, const AxisMap &map);
  llvm::Value *stepOf(const TileRef &tile, const AxisMap &map, unsigned axis) const;
  llvm::Value *laneStride(const TileRef &tile, const AxisMap &map) const;
  llvm::Value *compute(ValueId value, const Op &op, const AxisMap &map);
  llvm::Value *computeIota(const Op &op, DType dtype, const AxisMap &map);
  llvm::Value *computeGather(ValueId value, const Op &op, DType dtype, const AxisMap &map);
};

/// How loops run over the elements of a tile: axes of extent 1 have no loop, neighbours that all
/// tiles involved hold contiguously are one.
struct NestShape {
  std::array<int64_t, maxTileRank> extent = {}; // 1: no loop
  int vectorAxis = -1;                          // innermost; -1 if there is no loop at all
  unsigned lanes = 0;                           // of a vector along it, 0 if it is too short
  unsigned unroll = 0;                          // of the loop over vectors; 0: as LLVM likes
};

/// The shape for an expression over `space`. `target` is a contiguous tile of `space` that is
/// written (null: none); `targetAxis` an axis along which what is written is contiguous (-1: none).
NestShape shapeNest(const Emission &e, const Type &space, const Expression &expression,
                    const TileRef *target, int targetAxis);
/// An axis along which a leaf's elements are adjacent, as an axis of the nest; -1: none.
int adjacentAxis(const Emission &e, const Leaf &leaf);

/// Runs `body` for all coordinates of a box (null: all of the shape).
void forEach(Nest &nest, Emission &e, const NestShape &shape, const Box *box,
             llvm::function_ref<void()> body);

} // namespace tl::host
