// The kernel function while it is written, and the parts of the generator that write it.
#pragma once

#include "codegen/codegen.h"
#include "codegen/debug_info.h"
#include "codegen/host/buffer_plan.h"
#include "codegen/host/value_plan.h"
#include "codegen/llvm/element_op.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/IRBuilder.h"

namespace tl::host {

/// A view in registers: all i64, strides in elements.
struct ViewRef {
  llvm::Value *base = nullptr;
  std::vector<llvm::Value *> extents, strides;
};

/// A tile in memory: its element 0 and its strides in elements (i64; constants for the arena).
struct TileRef {
  llvm::Value *base = nullptr;
  std::array<llvm::Value *, maxTileRank> stride = {};
};

/// The part of a tile that lies inside a view: low <= coordinate < high along each axis, all i64,
/// 0 <= low <= high <= extent. Empty along some axis if nothing lies inside.
struct Box {
  std::array<llvm::Value *, maxTileRank> low = {}, high = {};
};

/// State of one function. Everything that is emitted goes to `ir`'s insertion point.
struct Emission {
  const CodegenInput &input;
  const Graph &g;
  const ValuePlan &values;
  const BufferPlan &buffers;
  unsigned vectorBits;
  llvm::Function *function;
  llvm::IRBuilder<> ir;
  ElementEmitter elements;
  const KernelDebugInfo &debug;

  llvm::Value *arena = nullptr;
  llvm::Value *sink = nullptr; // 8 bytes that reads and writes go to which must not happen
  std::array<llvm::Value *, 3> programs = {}; // of the grid
  std::array<llvm::Value *, 2> log = {};     // its address and the launch's tag, where there is one
  std::array<llvm::Value *, 3> program = {}; // this one
  llvm::BasicBlock *programEnd = nullptr;    // where this one is done
  std::vector<llvm::Value *> scalar;         // by ValueId: rank 0 tiles and pointers
  std::vector<ViewRef> view;                 // by ValueId
  std::vector<TileRef> tile;                 // by ValueId: Buffer, InPlace and Alias

  Emission(const CodegenInput &input, const ValuePlan &values, const BufferPlan &buffers,
           unsigned vectorBits, llvm::Function *function, const KernelDebugInfo &debug);

  llvm::ConstantInt *i64(int64_t n) { return ir.getInt64(uint64_t(n)); }
  /// A value as i64; i32 is sign-extended.
  llvm::Value *index(ValueId v);
  /// Code from here on belongs to `op`.
  void at(OpId op) { ir.SetCurrentDebugLocation(debug.at(op)); }
  const Type &typeOf(ValueId v) const { return g.typeOf(v); }

  llvm::Value *bufferAddress(BufferId buffer);
  /// A row-major tile at the start of a buffer.
  TileRef bufferTile(BufferId buffer, const Type &type);
  /// The address of the element at `offset` (i64, in elements) from `base`.
  llvm::Value *element(llvm::Value *base, llvm::Value *offset, DType dtype);
  /// The pad value of a load or gather.
  llvm::Constant *pad(const Op &op, DType dtype);
  /// Runs `body` where `condition` holds.
  void ifThen(llvm::Value *condition, llvm::function_ref<void()> body);
  llvm::BasicBlock *newBlock(const char *name);
};

/// Elements per vector for tiles of `elementBytes`.
unsigned lanesFor(const Emission &e, unsigned elementBytes);

// view.cc
void emitArgumentViews(Emission &e);
void emitMakeView(Emission &e, OpId op);
/// Views of shared memory, which lies in the arena.
void emitSharedViews(Emission &e);
/// The address of element `index` of a view; arithmetic wraps.
llvm::Value *elementAddress(Emission &e, ValueId view, std::span<llvm::Value *const> index);
/// True where all of `index` is inside the view.
llvm::Value *insideView(Emission &e, ValueId view, std::span<llvm::Value *const> index);

/// Where a load or store reaches: its tile in the view, and how much of it lies inside.
struct Access {
  TileRef tile;
  Box box;
  llvm::Value *whole = nullptr;    // i1: all of the tile lies inside
  llvm::Value *possible = nullptr; // i1: something does, as far as axes without a loop can tell
};
Access emitAccess(Emission &e, const Op &op, const Type &tile);

/// Where the elements of a gather or scatter are.
struct Pointwise {
  llvm::Value *base = nullptr;
  llvm::Value *offset = nullptr; // in elements, i64 or a vector of it
  llvm::Value *inside = nullptr; // i1 or a vector: in bounds and not masked out
  DType dtype = DType::None;
  llvm::Value *address(Emission &e, unsigned lane) const;
};
/// With lanes, everything is a vector of that many; scalars among the operands are repeated.
Pointwise emitPointwise(Emission &e, ValueId view, std::span<llvm::Value *const> index,
                        llvm::Value *mask, unsigned lanes);
/// The elements where they are inside, else `pad`, as a vector when there are lanes.
llvm::Value *loadPointwise(Emission &e, const Pointwise &where, unsigned lanes, llvm::Value *pad);
/// The element at `address` where `condition` holds, else `pad`; branches nowhere.
llvm::Value *loadIf(Emission &e, llvm::Value *condition, llvm::Value *address, DType dtype,
                    llvm::Value *pad);

// scalar.cc
/// Ops whose result is a scalar or a pointer, all operands being scalars, views or pointers.
void emitScalarOp(Emission &e, ValueId result);

// load.cc, store.cc, scatter.cc
void emitLoad(Emission &e, OpId op);
/// Where a load that is read in place is copied to if need be: as contiguous along its unit axis as
/// the original.
TileRef copyOfLoad(Emission &e, ValueId load);
/// `inPlace` where `asItIs` holds, else `copy`, which `makeCopy` fills.
TileRef orCopy(Emission &e, const Type &type, llvm::Value *asItIs, const TileRef &inPlace,
               const TileRef &copy, llvm::function_ref<void()> makeCopy);
void emitStore(Emission &e, OpId op);
void emitScatter(Emission &e, OpId op);
void emitAtomicOp(Emission &e, OpId op);

// materialize.cc
/// Computes a value into a tile of its own type, in the loops of `root` (0: an op that computes no
/// kept tile).
void materialize(Emission &e, ValueId value, const TileRef &to, OpId root);
/// The only element of a value as a scalar.
llvm::Value *emitElement(Emission &e, ValueId value);
/// Copies a tile of `type`, or a part of it.
void copyTile(Emission &e, const Type &type, const TileRef &from, const TileRef &to,
              const Box *box = nullptr);
/// Sets all elements of a row-major tile.
void fillTile(Emission &e, const Type &type, const TileRef &to, llvm::Constant *value);

// take.cc
void emitTake(Emission &e, OpId op);

// pieces.cc
/// An op whose result is put together from several operands.
void emitPieces(Emission &e, OpId op);

// reduce.cc, scan.cc, dot.cc
void emitReduce(Emission &e, OpId op);
void emitScan(Emission &e, OpId op);
void emitDot(Emission &e, OpId op);

// control.cc
void emitBlock(Emission &e, BlockId block);

} // namespace tl::host
