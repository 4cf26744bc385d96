// The state of making one random kernel: the builder, the values at hand, the arguments.
#pragma once

#include "differential/generate.h"
#include "graph/builder.h"

#include <functional>
#include <map>
#include <random>

namespace tl::test {

/// Random choices that are the same everywhere (the distributions of <random> are not).
class Random {
public:
  explicit Random(uint64_t seed) : engine(seed * 0x9e3779b97f4a7c15 + 0x2545f4914f6cdd1d) {}
  uint64_t bits() { return engine(); }
  /// 0 to n - 1.
  size_t below(size_t n) { return size_t(engine() % n); }
  int64_t between(int64_t lo, int64_t hi) { return lo + int64_t(below(size_t(hi - lo + 1))); }
  bool chance(unsigned percent) { return below(100) < percent; }
  template <class T> const T &pick(const std::vector<T> &list) { return list[below(list.size())]; }
  double unit() { return double(engine() >> 11) * 0x1p-53; }
  template <class T> void shuffle(std::vector<T> &list) {
    for (size_t i = list.size(); i > 1; --i)
      std::swap(list[i - 1], list[below(i)]);
  }

private:
  std::mt19937_64 engine;
};

/// What the elements of an input are like.
enum class Fill {
  Small,       // integers that are exact in every type
  Ordinary,    // floats around 1; integers of all sizes
  Wide,        // random exponents; random bits
  Special,     // with NaNs, infinities, zeros of both signs, subnormal numbers
  Permutation, // 0 to n - 1 in random order (integers)
  Counts,      // -1 to 6, mostly 1 to 5: trip counts, lengths
  Ties,        // halfway between two neighbours of a narrower float type, or the least beside it
};

using Dims = std::vector<int64_t>;

class Generator {
public:
  explicit Generator(uint64_t seed);
  Result<Case> run();

private:
  /// A value that ops may use.
  struct Entry {
    ValueId value = 0;
    bool used = false;
    /// Another implementation may have another value (a sum, exp, ...): decisions avoid it.
    bool open = false;
    /// A float product, which contraction may leave unrounded.
    bool product = false;
  };
  /// A view argument that any program may load from.
  struct Input {
    ValueId view = 0;
    DType dtype = DType::None;
    Dims extents;
    int buffer = 0;
    bool stored = false; // to its memory, through another argument
  };
  /// A view argument that each program may load from and store to in its own row, the first axis.
  struct OwnView {
    ValueId view = 0;
    DType dtype = DType::None;
    Dims extents;
  };

  uint64_t seed;
  Random random;
  GraphBuilder b;
  Case made;
  std::vector<Entry> pool; // visible values, those of inner regions at the end
  std::map<ValueId, size_t> whereInPool;
  std::vector<std::vector<Dims>> shapes; // by rank class: what most tiles of this kernel look like
  int64_t grid[3] = {1, 1, 1};
  int64_t programs = 1;
  ValueId pid = 0;               // the program's number along all axes
  std::vector<ValueId> counters; // of open loops, i64
  std::vector<Input> inputs;
  std::vector<OwnView> own;
  unsigned depth = 0;

  // generate.cc
  void chooseShapes();
  void chooseGrid();
  void emitFeature(const Feature &f);
  void finishBlock(size_t firstEntry);
  ValueId emit(Opcode opcode, std::vector<ValueId> operands, std::vector<Attr> attrs = {});
  ValueId remember(ValueId v, Opcode opcode, const std::vector<ValueId> &operands);
  const Type &typeOf(ValueId v) const { return b.current().typeOf(v); }
  Entry *entryOf(ValueId v);
  bool isOpen(ValueId v);
  Dims shapeOf(uint8_t ranks);
  static Dims dimsOf(const Type &type);

  // generate_values.cc: tiles at hand, or new ones
  enum class Want { Any, Decided };
  ValueId tile(DType dtype, const Dims &dims, Want want = Want::Any);
  ValueId tileOrScalar(DType dtype, const Dims &dims, Want want = Want::Any);
  ValueId newTile(DType dtype, const Dims &dims, Want want);
  ValueId constant(DType dtype, int64_t value);
  ValueId randomConstant(DType dtype);
  ValueId index(int64_t value) { return constant(DType::I64, value); }
  Attr randomNumber(AttrKey key, DType dtype);
  /// Indices of -1 to extent, both ends out of bounds.
  ValueId boundedIndices(const Dims &dims, int64_t extent);
  /// 0 to n - 1 in row-major order.
  ValueId linearIndices(const Dims &dims, DType dtype);
  ValueId asIndex(ValueId v, DType dtype);
  DType indexType() { return random.chance(50) ? DType::I32 : DType::I64; }

  // generate_arguments.cc
  int addBuffer(DType dtype, size_t count, Fill fill);
  uint64_t randomBits(DType dtype, Fill fill);
  uint64_t nearTie(DType dtype);
  Fill randomFill();
  ValueId addScalar(DType dtype, uint64_t bits);
  ValueId addView(DType dtype, const Dims &extents, const Dims &strides, int buffer, size_t offset,
                  bool distinct = false);
  /// A view of fresh memory whose elements lie as the strides say (any signs; empty: contiguous).
  ValueId addFreshView(DType dtype, const Dims &extents, Dims strides, Fill fill,
                       bool distinct = false);
  ValueId addPointer(DType dtype, int buffer);
  ViewDim viewDim(int64_t value);
  Dims inputStrides(const Dims &extents);
  Dims outputStrides(const Dims &extents);

  // generate_memory.cc
  ValueId loadInput(DType dtype, const Dims &dims);
  ValueId loadFrom(ValueId view, const Dims &extents, const Dims &dims,
                   const std::vector<unsigned> &axes);
  ValueId loadOwn(const OwnView &from, const Dims &dims);
  std::vector<ValueId> placeInOwn(size_t rank);
  void stepOverOwn();
  std::vector<unsigned> chooseAxes(size_t tileRank, size_t viewRank);
  ValueId anyIndex(int64_t extent);
  ValueId loadedNumber(DType dtype, Fill fill);
  void store(ValueId v);
  void storeRow(ValueId v);
  void storeBlock(ValueId v);
  void storeOwn(ValueId v, const OwnView &to);
  bool storeOverlapping(ValueId v);
  OwnView &ownView(DType dtype, const Dims &dims);
  ValueId emitGather(DType dtype, const Dims &dims);
  void emitScatter(DType dtype, const Dims &dims);
  std::vector<Attr> atomicMode(Opcode opcode);
  void emitAtomicLoad(DType dtype, const Dims &dims);
  void emitAtomic(Opcode opcode, DType dtype, const Dims &dims);
  ValueId madeView(DType dtype, unsigned rank, Dims *extents);
  void emitAddress(DType dtype, unsigned rank);
  void emitByteOffset(DType dtype);
  void storeThroughAddress(ValueId v);

  // generate_ops.cc
  void emitElementwise(const Feature &f, const Dims &dims);
  void emitShape(const Feature &f, const Dims &dims);
  void emitReduce(const Feature &f, const Dims &dims);
  void emitOrder(const Feature &f, const Dims &dims);
  void emitCombine(const Feature &f, const Dims &dims);
  void emitDot(const Feature &f);

  // generate_control.cc
  void emitFor(DType dtype, const Dims &dims);
  void emitWhile(DType dtype, const Dims &dims);
  using LoopYields = std::function<std::vector<ValueId>(ValueId counter)>;
  void emitLoop(Opcode opcode, std::vector<ValueId> operands, const std::vector<Type> &types,
                const LoopYields &before);
  void emitIf(DType dtype, const Dims &dims);
  void emitExit();
  /// What a loop carries: a tile of that type and shape, and more that stand in the pool.
  std::vector<Type> carriedTypes(DType dtype, const Dims &dims);
  std::vector<ValueId> startCarried(const std::vector<Type> &types);
  void rememberCarried(std::span<const ValueId> values);
  std::vector<ValueId> nextCarried(const std::vector<Type> &types,
                                   std::span<const ValueId> carried);
  void fillRegion();
  ValueId condition();
  void closeScope(size_t firstEntry);

  // generate_more.cc
  void emitMore();
  bool changeAttribute(const Op &op, std::vector<Attr> &attrs);
  void emitTwin();
  void moveWithinView();
  void stepThroughView();
  void carryAround();
  void moveTwice();
  void reducePadding();
  void roundTies();
  void computeKnown();
};

Attr intAttr(AttrKey key, int64_t value);
Attr listAttr(AttrKey key, Dims list);
int64_t product(const Dims &dims);

} // namespace tl::test
