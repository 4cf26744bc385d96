// What every part of the GPU code generator shares while it emits one kernel: the graph, the chip,
// the layouts, and the place where code goes. A program of the graph is one workgroup; a tile is
// spread over its threads by its layout, one LLVM value for each register; a scalar is one value
// that is the same in all threads.
#pragma once

#include "codegen/gpu/target.h"
#include "graph/graph.h"
#include "layout/tile_layout.h"
#include "passes/assign_layouts.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

#include <functional>
#include <map>

namespace tl::gpu {

/// A tile in one thread. Registers that hold padding have some defined value.
struct TileValue {
  const TileLayout *layout = nullptr;
  DType dtype = DType::None;
  std::vector<llvm::Value *> registers;
  /// All elements of the tile are one value, the same in all threads.
  bool isSplat = false;
  /// The layout's axis that each axis of the tile is; empty = the same. Only factors of dots may be
  /// held in another order than their own.
  std::vector<unsigned> axes = {};

  /// The value for a register of an operation on tiles; scalars stand for every register.
  llvm::Value *at(size_t i) const { return registers[registers.size() == 1 ? 0 : i]; }
};

/// A view: everything uniform. Extents and strides (in elements) are i64.
struct ViewValue {
  llvm::Value *base = nullptr;
  std::vector<llvm::Value *> extents, strides;
  DType dtype = DType::None;
};

struct KernelContext {
  const Graph &graph;
  const Target &target;
  const LayoutAssignment &layouts;
  llvm::Function &function;
  Builder &ir;
  ElementEmitter &emitter;
  /// i32: the number of this thread in its workgroup.
  llvm::Value *thread = nullptr;
  /// An address that may be read by anyone, 16 bytes from it on, 16-byte aligned: where loads of
  /// masked lanes go.
  llvm::Value *safeAddress = nullptr;
  /// Bytes of LDS for operations that need some: the chip's without the kernel's shared memory.
  uint32_t ldsBytes = 0;

  llvm::ConstantInt *i32(int64_t value) const { return ir.getInt32(uint32_t(value)); }
  llvm::ConstantInt *i64(int64_t value) const { return ir.getInt64(uint64_t(value)); }
  uint32_t waveSize() const { return layouts.waveSize; }
  uint32_t threads() const { return layouts.threads; }
};

/// Conjunctions of conditions, each made once: equal conditions are one value. Null stands for
/// "always". The values must be used where their first use dominates.
class Conjunctions {
public:
  llvm::Value *both(KernelContext &context, llvm::Value *a, llvm::Value *b);

private:
  std::map<std::pair<llvm::Value *, llvm::Value *>, llvm::Value *> known;
};

/// Emits `body` so that only threads with `condition` run it; null or a constant need no branch.
void emitIf(KernelContext &context, llvm::Value *condition, const std::function<void()> &body);
/// Marks the branch at the end of a loop: LLVM does not unroll it.
void keepRolled(KernelContext &context, llvm::Instruction *backBranch);
/// A variable of LDS, 16-byte aligned, whose contents are undefined at the start.
llvm::GlobalVariable *makeLdsVariable(KernelContext &context, uint64_t bytes, const char *name);
/// Where loads of masked lanes from memory at `base` go: in the same address space.
llvm::Value *safeAddress(const KernelContext &context, llvm::Value *base);
/// A byte offset from a pointer.
llvm::Value *byteOffset(KernelContext &context, llvm::Value *pointer, llvm::Value *bytes);
/// Loads consecutive elements from `pointer` on with one access of this alignment.
void loadElements(KernelContext &context, llvm::Value *pointer, DType dtype, uint32_t alignment,
                  std::span<llvm::Value *> elements);
/// Stores `elements` to consecutive places from `pointer` on with one access.
void storeElements(KernelContext &context, llvm::Value *pointer, DType dtype,
                   std::span<llvm::Value *const> elements, uint32_t alignment);

} // namespace tl::gpu
