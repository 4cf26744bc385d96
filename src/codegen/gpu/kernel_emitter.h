// Walks the operations of a graph and emits what each thread of a workgroup does: the state of that
// walk. kernel.cc has the operations, control.cc loops, branches and ends of programs.
#pragma once

#include "codegen/gpu/element_access.h"
#include "codegen/gpu/kernel.h"
#include "codegen/gpu/lds.h"
#include "codegen/gpu/memory_order.h"
#include "codegen/gpu/register_phis.h"

namespace tl::gpu {

class KernelEmitter {
public:
  KernelEmitter(const CodegenInput &input, KernelContext &context, KernelDebugInfo &debugInfo)
      : input(input), graph(input.graph), context(context), ir(context.ir), debugInfo(debugInfo),
        lds(context), accessLayouts(graph, context.layouts), order(context, accessLayouts),
        tiles(graph.values.size()), views(graph.values.size()), pointers(graph.values.size()) {}

  Status emit() {
    TL_TRY(checkRegisters());
    TL_TRY(allocateShared());
    findFactors();
    emitArguments();
    TL_TRY(emitBlock(graph.kernel.body));
    ir.CreateRetVoid();
    lds.finish();
    return {};
  }

private:
  using Yields = std::vector<TileValue>;

  const CodegenInput &input;
  const Graph &graph;
  KernelContext &context;
  Builder &ir;
  KernelDebugInfo &debugInfo;
  Lds lds;
  AccessLayouts accessLayouts;
  MemoryOrder order;
  std::vector<TileValue> tiles; // by ValueId
  std::vector<ViewValue> views;
  std::vector<llvm::Value *> pointers;
  std::vector<bool> onlyFactor; // by ValueId: all uses are first or second operands of dots
  Yields yields;                // of the region that was emitted last

  Status checkRegisters() const;
  /// Gives each alloc_shared its LDS, and the context what is left.
  Status allocateShared();
  void findFactors();
  void emitArguments();
  llvm::Value *slot(ValueId value);
  llvm::Value *dimension(const ViewDim &dim);
  void emitViewArgument(const Argument &argument);

  Status emitBlock(BlockId block);
  Status emitOp(OpId id);
  /// A loop while it is emitted.
  struct LoopBody {
    llvm::BasicBlock *before, *body, *after;
    Lds::Pending ldsBefore;
    MemoryOrder::Pending orderBefore;
    std::span<const ValueId> init, carried;
    std::vector<RegisterPhis> phis; // of the carried values
  };
  LoopBody enterLoop();
  void startBody(const Op &op, LoopBody &loop);
  void finishLoop(const Op &op, LoopBody &loop, const Yields &last, llvm::Value *more);
  Status emitFor(const Op &op);
  Status emitWhile(const Op &op);
  void emitExit(const Op &op);
  Status emitIfOp(const Op &op);
  void emitConstant(const Op &op);
  void emitIota(const Op &op);
  void emitElementwise(const Op &op);
  Status emitAlongAxis(const Op &op);
  void emitShape(const Op &op);
  void emitMakeView(const Op &op);
  void emitAddress(const Op &op);
  void emitLoad(const Op &op);
  void emitStore(const Op &op);
  void emitMemory(const Op &op);
  void emitWorkgroupBarrier(MemoryScope released = MemoryScope::Program);
  const TileLayout &elementLayout(const Op &op, const ViewValue &view, const ElementIndices &at);
  std::vector<llvm::Value *> emitAtomics(const Op &op, const AtomicMode &mode,
                                         const ViewValue &view, const ElementIndices &at,
                                         TileValue value);

  const TileValue &tile(ValueId value) const { return tiles[value]; }
  llvm::Value *scalar(ValueId value) const { return tiles[value].registers[0]; }
  void setScalar(ValueId id, llvm::Value *value) {
    tiles[id] = {&context.layouts.of(graph.typeOf(id)), graph.typeOf(id).dtype, {value}, true};
  }
  void setTile(ValueId id, TileValue value);
  /// An i32 or i64 scalar as i64.
  llvm::Value *index(ValueId value) { return ir.CreateSExt(scalar(value), ir.getInt64Ty()); }
  std::vector<llvm::Value *> indices(std::span<const ValueId> values);
  llvm::Value *padding(const Op &op, DType dtype);
  TileValue join(const TileValue &a, llvm::BasicBlock *fromA, const TileValue &b,
                 llvm::BasicBlock *fromB);
};

} // namespace tl::gpu
