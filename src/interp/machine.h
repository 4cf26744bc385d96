// The state of one launch: the values of the program that is running, and its memory.
#pragma once

#include "interp/atomic.h"
#include "interp/elementwise.h"
#include "interp/interp.h"
#include "interp/tile_value.h"

#include <deque>
#include <map>

namespace tl::interp {

/// Of a pointer that was an integer in memory.
constexpr unsigned fromMemory = ~0u;
/// Of a view of shared memory: this and the value that names it.
constexpr unsigned ofShared = 1u << 31;

/// A pointer at run time.
struct Place {
  uint64_t address = 0;
  unsigned arg = 0;       // the argument it came from, or fromMemory
  bool undecided = false; // depends on undecided values
};

/// A view at run time: `at` is its first element.
struct ViewValue {
  Place at;
  std::array<int64_t, maxViewRank> extents = {};
  std::array<int64_t, maxViewRank> strides = {};
};

class Machine {
public:
  Machine(const Graph &graph, std::span<const InterpArg> args, const InterpOptions &options);

  /// Gives arguments and implicit extents and strides their values.
  Status bindArguments();
  /// Evaluates the head; the grid is in report().grid afterwards.
  Status computeGrid();
  /// Runs the body as program (x, y, z).
  Status runProgram(const int64_t (&program)[3]);
  InterpReport &report() { return result; }
  const ViewValue &viewOf(ValueId v) const { return views[v]; }
  void finish() { result.undecidedDecisions += tracking.undecidedDecisions; }

private:
  const Graph &graph;
  std::span<const InterpArg> args;
  InterpOptions options;
  InterpReport result;
  Tracking tracking;
  int64_t program[3] = {0, 0, 0};
  bool exited = false;          // the program has ended before its last operation
  std::vector<TileValue> tiles; // by ValueId
  std::vector<ViewValue> views; // by ValueId
  std::vector<Place> pointers;  // by ValueId
  AtomicHistories atomics;
  /// By argument: the first byte of a view's elements, and how many bytes follow to their end.
  std::vector<std::pair<uint64_t, uint64_t>> reach;
  std::deque<std::vector<uint64_t>> temporaries;    // memory of a sequence's
  std::map<unsigned, std::vector<uint64_t>> shared; // of one program, by ofShared and the value
  /// An async_copy that no wait has ended: where it wrote, and what is known of that once it is
  /// done.
  struct AsyncCopy {
    DType dtype;
    std::vector<std::pair<uint64_t, Doubt>> written;
  };
  std::deque<AsyncCopy> copying;

  // machine.cc
  int64_t integer(ValueId v) const { return tiles[v].ints[0]; }
  void setScalar(ValueId v, int64_t value);
  Status bindScalar(const Argument &argument, const InterpArg &arg);
  Status bindView(const Argument &argument, const InterpArg &arg, unsigned index);
  Result<int64_t> viewDim(const ViewDim &dim, std::span<const int64_t> given, size_t axis,
                          const Argument &argument) const;
  Status runBlock(BlockId block, unsigned depth);
  Status runOp(const Op &op, unsigned depth);
  Status runTileOp(const Op &op);
  /// Result `index` of an op that moves elements.
  void move(const Op &op, size_t index);
  Status runFor(const Op &op, unsigned depth);
  Status runWhile(const Op &op, unsigned depth);
  Status runIf(const Op &op, unsigned depth);
  /// One round of a loop: the carried values go in, and become what the region yields.
  Status runRound(const Op &op, unsigned depth, std::vector<TileValue> &carried);
  std::vector<TileValue> startCarried(const Op &op) const;
  void giveCarried(const Op &op, std::vector<TileValue> &carried);
  void sortTiles(const Op &op);

  // combine.cc
  Status runCombine(const Op &op);
  Status combine(const Op &op, std::vector<TileValue> &total, const std::vector<TileValue> &next);
  /// The operands of the yield that ends a region.
  std::span<const ValueId> yields(BlockId region) const;
  /// A control decision that depends on `v`.
  void decide(ValueId v) { result.undecidedControl += tiles[v].undecided(0); }
  ErrorPtr errorAt(const Op &op, tl_status status, const std::string &text) const;

  // memory.cc
  void makeView(const Op &op);
  void address(const Op &op);
  void byteOffset(const Op &op);
  void pointer(const Op &op);
  void extent(const Op &op);
  Status load(const Op &op);
  Status store(const Op &op);
  /// Where a tile stands in a view.
  struct TilePlace {
    ValueId view;
    std::span<const ValueId> index;
    std::vector<unsigned> axes; // of the view, for each of the tile
  };
  /// What was written where: addresses and elements.
  using Written = std::vector<std::pair<uint64_t, size_t>>;
  /// The elements in bounds; `out` has its type, and its padding.
  Status loadTile(const Op &op, const TilePlace &at, TileValue &out) const;
  Status storeTile(const Op &op, const TilePlace &at, const TileValue &value, Written &written);
  Status gather(const Op &op);
  Status scatter(const Op &op);
  bool pointwisePlace(const Op &op, size_t i, uint64_t &address, bool &open) const;
  bool placeToWrite(const Op &op, size_t i, uint64_t &address);
  bool anyUndecided(std::span<const ValueId> scalars) const;
  Status checkAccess(const Op &op, const ViewValue &view, uint64_t address, DType type) const;
  Status checkAddress(const Op &op, uint64_t address, unsigned bytes) const;
  Status readElement(const Op &op, const ViewValue &view, uint64_t address, TileValue &out,
                     size_t i) const;
  Status writeElement(const Op &op, const ViewValue &view, uint64_t address, const TileValue &value,
                      size_t i);
  void markCollisions(Written &written, const TileValue &value);

  // sequence.cc
  Status temporary(const Op &op);
  Status dispatch(const Op &op);
  Result<InterpArg> dispatchArgument(const Op &op, size_t i, const Argument &want,
                                     const Type &type) const;
  Status checkPointers(const Op &op, const Graph &kernel, std::span<const InterpArg> given) const;
  Status checkShapes(const Op &op, const Graph &kernel, std::span<const InterpArg> given) const;

  // composite.cc
  Status im2col(const Op &op);

  // shared.cc
  void allocShared(const Op &op);
  Status copy(const Op &op);
  /// Ends all but `count` of the copies that are not done.
  void wait(size_t count);
  /// The program's end.
  void freeShared();

  // log.cc
  void log(const Op &op);

  // atomic.cc
  Status atomic(const Op &op);
  bool othersMayWrite(uint64_t address) const;
  void combineAtomic(const Op &op, const TileValue &old, size_t i, TileValue &next);
  void noteAtomic(const Op &op, uint64_t address, const TileValue &old, size_t i, TileValue &next);
  void markMeetings(const Op &op, std::vector<std::pair<uint64_t, size_t>> &touched,
                    TileValue &old);
};

} // namespace tl::interp
