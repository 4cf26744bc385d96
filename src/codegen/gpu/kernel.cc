#include "codegen/gpu/kernel_emitter.h"

#include "codegen/gpu/barrier.h"
#include "codegen/gpu/dot.h"
#include "codegen/gpu/exchange.h"
#include "codegen/gpu/matrix.h"
#include "codegen/gpu/reduce.h"
#include "codegen/gpu/scan.h"
#include "codegen/gpu/tile_access.h"
#include "codegen/llvm/element_op.h"
#include "codegen/llvm/target_machine.h"
#include "codegen/op_error.h"
#include "graph/infer_shared.h"
#include "graph/interface.h"

namespace tl::gpu {

/// 32-bit registers that one tile may take in each thread: all that the chips have. LLVM would
/// spill more to scratch memory, and its time grows with the square.
static constexpr uint64_t maxTileWords = 512;

Status KernelEmitter::checkRegisters() const {
  for (const Value &value : graph.values) {
    if (!value.type.isTile())
      continue;
    OpId op = value.kind == ValueKind::BlockArg ? graph.block(value.block).parent : value.op;
    uint64_t elements = context.layouts.of(value.type).numRegisters();
    uint64_t words = elements * std::max(1u, dtypeBytes(value.type.dtype) / 4);
    if (words > maxTileWords)
      return errorAtOp(
          makeError(TL_E_LIMIT,
                    "%s: %s over %u threads takes %llu registers in each, more than the limit of "
                    "%llu; use a smaller tile%s",
                    opInfo(graph.ops[op].opcode).text.data(), value.type.text().c_str(),
                    context.threads(), (unsigned long long)words, (unsigned long long)maxTileWords,
                    context.threads() < 1024 ? " or more threads" : ""),
          input, op);
  }
  return {};
}

Status KernelEmitter::allocateShared() {
  // Operations that exchange elements between threads do so in parts that fit into it.
  constexpr uint64_t leastLeft = Lds::leastRoom;
  uint64_t total = 0;
  for (OpId id = 1; id < graph.ops.size(); ++id) {
    const Op &op = graph.ops[id];
    if (op.opcode != Opcode::AllocShared)
      continue;
    const uint64_t bytes = sharedBytes(graph, op);
    total += bytes;
    if (total + leastLeft > context.target.facts.ldsBytes)
      return errorAtOp(
          makeError(TL_E_LIMIT,
                    "alloc_shared: the kernel's shared memory has %llu bytes or more, and a "
                    "workgroup of %s has %u, of which %llu are for operations on tiles",
                    (unsigned long long)total, std::string(context.target.facts.name).c_str(),
                    context.target.facts.ldsBytes, (unsigned long long)leastLeft),
          input, id);
    ValueId result = graph.result(op);
    ViewValue &view = views[result];
    view.base = makeLdsVariable(context, bytes, "shared");
    view.dtype = graph.typeOf(result).dtype;
    int64_t stride = 1;
    for (unsigned axis = graph.typeOf(result).rank; axis-- > 0;) {
      const int64_t extent = graph.viewExtent(result, axis).literal;
      view.extents.insert(view.extents.begin(), context.i64(extent));
      view.strides.insert(view.strides.begin(), context.i64(stride));
      stride *= extent;
    }
  }
  context.ldsBytes = uint32_t(context.target.facts.ldsBytes - total);
  return {};
}

void KernelEmitter::findFactors() {
  onlyFactor.assign(graph.values.size(), true);
  for (const Op &op : graph.ops)
    for (size_t i = 0; i < op.operands.count; ++i)
      if (op.opcode != Opcode::Dot || i == 2)
        onlyFactor[graph.operand(op, i)] = false;
}

llvm::Value *KernelEmitter::slot(ValueId value) {
  return context.function.getArg(unsigned(slotOfValue(graph, input.slots, value)));
}

llvm::Value *KernelEmitter::dimension(const ViewDim &dim) {
  switch (dim.kind) {
  case ViewDim::Kind::Literal:
    return context.i64(dim.literal);
  case ViewDim::Kind::Value:
    if (auto known = graph.constantInt(dim.value))
      return context.i64(*known);
    return slot(dim.value); // integers stand extended to 64 bits in their slots
  case ViewDim::Kind::Dynamic:
    break;
  }
  return slot(dim.value);
}

void KernelEmitter::emitViewArgument(const Argument &argument) {
  ViewValue view;
  view.dtype = graph.typeOf(argument.value).dtype;
  view.base = slot(argument.value);
  for (const ViewDim &extent : argument.extents)
    view.extents.push_back(dimension(extent));
  if (argument.strides.empty()) {
    llvm::Value *stride = context.i64(1);
    for (size_t axis = view.extents.size(); axis-- > 0;) {
      view.strides.insert(view.strides.begin(), stride);
      stride = ir.CreateMul(stride, view.extents[axis]);
    }
  }
  for (const ViewDim &stride : argument.strides)
    view.strides.push_back(dimension(stride));
  views[argument.value] = std::move(view);
}

void KernelEmitter::emitArguments() {
  for (const Argument &argument : graph.kernel.args) {
    const Type &type = graph.typeOf(argument.value);
    if (type.isView()) {
      emitViewArgument(argument);
    } else if (type.isPointer()) {
      pointers[argument.value] = slot(argument.value);
    } else {
      llvm::Type *target = context.emitter.type(type.dtype);
      llvm::Type *bits = ir.getIntNTy(target->getPrimitiveSizeInBits().getFixedValue());
      setScalar(argument.value,
                ir.CreateBitCast(ir.CreateTrunc(slot(argument.value), bits), target));
    }
  }
  for (ValueId value = 1; value < graph.values.size(); ++value)
    if (graph.values[value].kind == ValueKind::ImplicitDim)
      setScalar(value, slot(value));
}

Status KernelEmitter::emitBlock(BlockId block) {
  for (OpId id : graph.block(block).ops) {
    ir.SetCurrentDebugLocation(debugInfo.at(id));
    if (Status s = emitOp(id); !s.ok())
      return errorAtOp(s.takeError(), input, id);
  }
  return {};
}

Status KernelEmitter::emitOp(OpId id) {
  const Op &op = graph.ops[id];
  switch (opInfo(op.opcode).rule) {
  case Rule::ProgramIndex: {
    int64_t axis = graph.intAttr(op, AttrKey::Axis);
    if (op.opcode == Opcode::NumPrograms) {
      setScalar(graph.result(op),
                context.function.getArg(unsigned(input.slots.size() - 3 + size_t(axis))));
      break;
    }
    setScalar(graph.result(op),
              ir.CreateZExt(context.target.program(ir, unsigned(axis)), ir.getInt64Ty()));
    break;
  }
  case Rule::Const:
    emitConstant(op);
    break;
  case Rule::Full: {
    const TileLayout &layout = context.layouts.of(graph.typeOf(graph.result(op)));
    const TileValue &value = tile(graph.operand(op, 0));
    tiles[graph.result(op)] = {
        &layout, value.dtype, {layout.numRegisters(), value.registers[0]}, true};
    break;
  }
  case Rule::Iota:
    emitIota(op);
    break;
  case Rule::Elementwise:
  case Rule::Compare:
  case Rule::Classify:
  case Rule::Bitcast:
  case Rule::Select:
  case Rule::Cast:
    emitElementwise(op);
    break;
  case Rule::Permute:
    if (onlyFactor[graph.result(op)] && !tile(graph.operand(op, 0)).isSplat) {
      // Every element stays where it is; the dot writes it to LDS in the new order.
      TileValue value = tile(graph.operand(op, 0));
      for (int64_t axis : graph.attr(op, AttrKey::Perm)->list)
        value.axes.push_back(unsigned(axis));
      setTile(graph.result(op), std::move(value));
      break;
    }
    [[fallthrough]];
  case Rule::Broadcast:
  case Rule::Reshape:
  case Rule::ExpandDims:
  case Rule::Slice:
  case Rule::InsertSlice:
  case Rule::Flip:
  case Rule::Concat:
  case Rule::Join:
  case Rule::Split:
    emitShape(op);
    break;
  case Rule::Reduce:
  case Rule::ArgReduce:
  case Rule::ReduceWith:
  case Rule::Scan:
  case Rule::ScanWith:
    TL_TRY(emitAlongAxis(op));
    break;
  case Rule::Dot: {
    TL_ASSIGN(TileValue result, emitDot(context, lds, op, tile(graph.operand(op, 0)),
                                        tile(graph.operand(op, 1)), tile(graph.operand(op, 2))));
    tiles[graph.result(op)] = std::move(result);
    break;
  }
  case Rule::MakeView:
    emitMakeView(op);
    break;
  case Rule::AllocShared: // has its view already
    break;
  case Rule::Barrier:
    emitWorkgroupBarrier();
    order.passed(BarrierKind::Memory);
    break;
  case Rule::Address:
    emitAddress(op);
    break;
  case Rule::LaunchLog: // its two slots stand before those of the grid
    setScalar(graph.result(op),
              context.function.getArg(
                  unsigned(input.slots.size() - 5 + size_t(graph.intAttr(op, AttrKey::Axis)))));
    break;
  case Rule::ByteOffset:
    pointers[graph.result(op)] =
        byteOffset(context, pointers[graph.operand(op, 0)], index(graph.operand(op, 1)));
    break;
  case Rule::Extent:
    setScalar(graph.result(op),
              views[graph.viewOperand(op)].extents[size_t(graph.intAttr(op, AttrKey::Axis))]);
    break;
  case Rule::Load:
  case Rule::Store:
  case Rule::Gather:
  case Rule::Scatter:
  case Rule::Atomic:
    emitMemory(op);
    break;
  case Rule::Take:
    tiles[graph.result(op)] =
        emitTake(context, lds, op, tile(graph.operand(op, 0)), tile(graph.operand(op, 1)));
    break;
  case Rule::Pointer:
    pointers[graph.result(op)] =
        ir.CreateIntToPtr(scalar(graph.operand(op, 0)), ir.getPtrTy(globalSpace));
    break;
  case Rule::For:
    return emitFor(op);
  case Rule::While:
    return emitWhile(op);
  case Rule::Exit:
    emitExit(op);
    break;
  case Rule::If:
    return emitIfOp(op);
  case Rule::Yield:
    yields.clear();
    for (ValueId value : graph.operands(op))
      yields.push_back(tile(value));
    break;
  case Rule::Sort:
  case Rule::TopK:
  case Rule::Print:
  case Rule::Assert:
  case Rule::Histogram:
  case Rule::Random:
  case Rule::RandomInt:
  case Rule::CastStochastic:
  case Rule::Unpack:
  case Rule::Pack:
  case Rule::Im2col:
  case Rule::Copy:
  case Rule::Wait:
  case Rule::Temporary:
  case Rule::Dispatch:
    return internalError("%s in a kernel", opInfo(op.opcode).text.data());
  }
  return {};
}

void KernelEmitter::emitConstant(const Op &op) {
  ValueId result = graph.result(op);
  setScalar(result, emitNumber(context.emitter, graph.attr(op, AttrKey::Value),
                               graph.typeOf(result).dtype));
}

void KernelEmitter::emitIota(const Op &op) {
  const Type &type = graph.typeOf(graph.result(op));
  const TileLayout &layout = context.layouts.of(type);
  TileBounds bounds(context, layout);
  TileValue result{&layout, type.dtype, {}, false};
  llvm::Type *target = context.emitter.type(type.dtype);
  for (uint32_t i = 0; i < layout.numRegisters(); ++i)
    result.registers.push_back(ir.CreateZExtOrTrunc(
        bounds.coordinate(i, unsigned(graph.intAttr(op, AttrKey::Axis))), target));
  tiles[graph.result(op)] = std::move(result);
}

void KernelEmitter::emitElementwise(const Op &op) {
  const Type &type = graph.typeOf(graph.result(op));
  std::span<const ValueId> operands = graph.operands(op);
  TileValue result{&context.layouts.of(type), type.dtype, {}, true};
  for (ValueId operand : operands)
    result.isSplat &= tile(operand).isSplat;
  std::vector<llvm::Value *> previous;
  for (uint32_t i = 0; i < result.layout->numRegisters(); ++i) {
    std::vector<llvm::Value *> values;
    for (ValueId operand : operands)
      values.push_back(tile(operand).at(i));
    // Registers with equal operands (splats, broadcasts) have equal results.
    if (i > 0 && values == previous) {
      result.registers.push_back(result.registers.back());
      continue;
    }
    result.registers.push_back(emitElementOp(context.emitter, graph, op, values));
    previous = std::move(values);
  }
  tiles[graph.result(op)] = std::move(result);
}

Status KernelEmitter::emitAlongAxis(const Op &op) {
  Combiner combiner(context.emitter, ir, graph, op, [this](ValueId v) { return scalar(v); });
  std::vector<TileValue> sources;
  for (ValueId operand : graph.operands(op))
    sources.push_back(tile(operand));
  std::vector<TileValue> results;
  if (isReduction(op.opcode)) {
    TL_ASSIGN(results, emitReduce(context, lds, op, std::move(combiner), sources));
  } else {
    results = emitScan(context, lds, op, std::move(combiner), sources);
  }
  for (size_t i = 0; i < results.size(); ++i)
    tiles[graph.result(op, i)] = std::move(results[i]);
  return {};
}

void KernelEmitter::emitShape(const Op &op) {
  std::vector<TileValue> operands;
  for (ValueId operand : graph.operands(op))
    operands.push_back(tile(operand));
  for (ValueId result : graph.results(op))
    tiles[result] = emitShapeOp(context, lds, result, operands);
}

std::vector<llvm::Value *> KernelEmitter::indices(std::span<const ValueId> values) {
  std::vector<llvm::Value *> result;
  for (ValueId value : values)
    result.push_back(index(value));
  return result;
}

void KernelEmitter::emitMakeView(const Op &op) {
  ValueId result = graph.result(op);
  unsigned rank = graph.typeOf(result).rank;
  std::vector<llvm::Value *> dims = indices(graph.operands(op).subspan(1));
  views[result] = {pointers[graph.operand(op, 0)],
                   {dims.begin(), dims.begin() + rank},
                   {dims.begin() + rank, dims.end()},
                   graph.typeOf(result).dtype};
}

void KernelEmitter::emitAddress(const Op &op) {
  const ViewValue &view = views[graph.operand(op, 0)];
  std::vector<llvm::Value *> at = indices(graph.operands(op).subspan(1));
  llvm::Value *distance = context.i64(0);
  for (size_t axis = 0; axis < at.size(); ++axis)
    distance = ir.CreateAdd(distance, ir.CreateMul(at[axis], view.strides[axis]));
  pointers[graph.result(op)] =
      byteOffset(context, view.base, ir.CreateMul(distance, context.i64(dtypeBytes(view.dtype))));
}

llvm::Value *KernelEmitter::padding(const Op &op, DType dtype) {
  return emitNumber(context.emitter, graph.attr(op, AttrKey::Pad), dtype);
}

/// A tile whose axes stand in another order in memory is loaded in that order.
void KernelEmitter::emitLoad(const Op &op) {
  const ViewValue &view = views[graph.viewOperand(op)];
  const AccessLayout &access = accessLayouts.of(op);
  std::vector<llvm::Value *> at = indices(graph.indexOperands(op));
  ValueId result = graph.result(op);
  TileValue value{
      access.layout, view.dtype,
      loadTile(context, lds, {view, at, access.viewAxes}, *access.layout, padding(op, view.dtype)),
      access.layout->rank() == 0};
  if (!access.isTileOrder)
    value.axes = access.layoutAxes;
  setTile(result, std::move(value));
}

void KernelEmitter::emitStore(const Op &op) {
  const ViewValue &view = views[graph.viewOperand(op)];
  const AccessLayout &access = accessLayouts.of(op);
  std::vector<llvm::Value *> at = indices(graph.indexOperands(op));
  const TileValue &value = tile(graph.operand(op, 0));
  std::vector<llvm::Value *> registers = value.registers;
  if (!access.isTileOrder && value.isSplat) {
    registers.assign(access.layout->numRegisters(), value.registers[0]);
  } else if (!access.isTileOrder) {
    const Type &type = graph.typeOf(graph.operand(op, 0));
    std::vector<int64_t> extents(type.extents().begin(), type.extents().end());
    std::vector<int64_t> order(access.tileAxes.begin(), access.tileAxes.end());
    registers =
        exchange(context, lds, value, *access.layout, CoordinateMap::permute(extents, order));
  }
  storeTile(context, lds, {view, at, access.viewAxes}, *access.layout, registers);
}

/// A value in another order of axes than its own is kept so if only dots use it, as factors.
void KernelEmitter::setTile(ValueId id, TileValue value) {
  if (!value.axes.empty() && !onlyFactor[id]) {
    std::vector<int64_t> extents, order(value.axes.begin(), value.axes.end());
    for (unsigned axis = 0; axis < value.layout->rank(); ++axis)
      extents.push_back(value.layout->extent(axis));
    const TileLayout &layout = context.layouts.of(graph.typeOf(id));
    CoordinateMap map = CoordinateMap::permute(extents, order);
    value = {&layout, value.dtype, exchange(context, lds, value, layout, map), value.isSplat};
  }
  tiles[id] = std::move(value);
}

void KernelEmitter::emitMemory(const Op &op) {
  const AtomicMode mode = isAtomic(op.opcode) ? graph.atomicMode(op) : AtomicMode();
  const BarrierKind barrier = order.barrierBefore(op);
  if (barrier == BarrierKind::Memory || mode.releases())
    emitWorkgroupBarrier(mode.releases() ? mode.scope : MemoryScope::Program);
  else if (barrier == BarrierKind::Lds)
    lds.publish();
  if (op.opcode == Opcode::Load)
    return emitLoad(op);
  if (op.opcode == Opcode::Store)
    return emitStore(op);
  const ViewValue &view = views[graph.viewOperand(op)];
  ElementIndices at;
  for (ValueId value : graph.indexOperands(op))
    at.indices.push_back(tile(value));
  if (ValueId mask = graph.maskOperand(op))
    at.mask = tile(mask);
  const TileLayout &layout = elementLayout(op, view, at);
  if (op.opcode == Opcode::Scatter)
    return scatterElements(context, view, at, layout, tile(graph.operand(op, 0)));
  TileValue value{&layout, view.dtype, {}, layout.rank() == 0};
  if (op.opcode == Opcode::Gather)
    value.registers = gatherElements(context, view, at, layout, padding(op, view.dtype));
  else
    value.registers = emitAtomics(op, mode, view, at, value);
  if (op.results.count)
    tiles[graph.result(op)] = std::move(value);
}

/// Memory as all threads of the workgroup see it.
void KernelEmitter::emitWorkgroupBarrier(MemoryScope released) {
  emitMemoryBarrier(context, released);
  lds.barrierPassed();
}

/// A value, an index or the mask may be the one that has a shape.
const TileLayout &KernelEmitter::elementLayout(const Op &op, const ViewValue &view,
                                               const ElementIndices &at) {
  if (op.results.count)
    return context.layouts.of(graph.typeOf(graph.result(op)));
  std::vector<TileValue> operands = at.indices;
  operands.push_back(at.mask);
  operands.push_back(tile(graph.writtenOperand(op)));
  for (const TileValue &operand : operands)
    if (operand.layout && operand.layout->rank() > 0)
      return *operand.layout;
  return context.layouts.of(Type::scalar(view.dtype));
}

/// What was read, where some op takes it. A thread orders its own accesses; barriers bring those of
/// the others to it.
std::vector<llvm::Value *> KernelEmitter::emitAtomics(const Op &op, const AtomicMode &mode,
                                                      const ViewValue &view,
                                                      const ElementIndices &at, TileValue value) {
  auto given = [&](bool there, size_t i) {
    return there ? tile(graph.operand(op, i)) : TileValue();
  };
  const size_t before = viewOperandAt(op.opcode);
  value.registers = atomicElements(context, op, view, at, *value.layout,
                                   given(before > 0, before - 1), given(before > 1, 0));
  if (op.results.count && order.isUsed(graph.result(op)))
    value.registers = fromOwners(context, lds, value);
  if (mode.acquires())
    emitWorkgroupBarrier();
  return value.registers;
}

namespace {

llvm::Function *declareKernel(const CodegenInput &input, const Target &target, llvm::Module &module,
                              uint32_t threads) {
  llvm::LLVMContext &llvmContext = module.getContext();
  std::vector<llvm::Type *> parameters;
  for (const KernargSlot &slot : input.slots)
    parameters.push_back(slot.kind == KernargSlot::Kind::Pointer
                             ? (llvm::Type *)llvm::PointerType::get(llvmContext, globalSpace)
                             : llvm::Type::getInt64Ty(llvmContext));
  auto *type = llvm::FunctionType::get(llvm::Type::getVoidTy(llvmContext), parameters, false);
  auto *function = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage,
                                          input.graph.kernel.name, module);
  target.describe(*function, threads);
  addCommonAttributes(*function);
  for (size_t i = 0; i < input.slots.size(); ++i) {
    function->addParamAttr(unsigned(i), llvm::Attribute::NoUndef);
    const KernargSlot &slot = input.slots[i];
    if (slot.kind == KernargSlot::Kind::Pointer && input.graph.kernel.args[slot.arg].distinct)
      function->addParamAttr(unsigned(i), llvm::Attribute::NoAlias);
  }
  return function;
}

} // namespace

Result<llvm::Function *> emitKernel(const CodegenInput &input, const Target &target,
                                    const LayoutAssignment &layouts, llvm::Module &module,
                                    KernelDebugInfo &debugInfo) {
  llvm::Function *function = declareKernel(input, target, module, layouts.threads);
  debugInfo.describe(*function);
  Builder ir(llvm::BasicBlock::Create(module.getContext(), "", function));
  EmitterOptions options = target.facts.emitter;
  options.contract = input.graph.kernel.contract;
  ElementEmitter emitter(ir, options);
  KernelContext context{input.graph, target, layouts, *function, ir, emitter};
  context.thread = target.thread(ir, layouts.threads);
  context.safeAddress = target.readableAddress(ir);
  TL_TRY(KernelEmitter(input, context, debugInfo).emit());
  return function;
}

LayoutAssignment layoutsFor(const CodegenInput &input, const Target &target) {
  const uint32_t wanted =
      input.request.threads != 0 ? input.request.threads : uint32_t(input.graph.kernel.threads);
  const MatrixFamily family = target.facts.matrix;
  auto matrix = [&](DType a, DType b) {
    return findMatrixInstruction(family, a, b) ? &resultFragment(family) : nullptr;
  };
  return assignLayouts(input.graph, {target.facts.waveSize, maxWorkgroupThreads, wanted, matrix});
}

Status emitModule(const CodegenInput &input, const Target &target, llvm::Module &module,
                  TargetCode &code) {
  const LayoutAssignment layouts = layoutsFor(input, target);
  code.threads = layouts.threads;
  code.waveSize = layouts.waveSize;
  KernelDebugInfo debugInfo(module, input);
  TL_TRY(emitKernel(input, target, layouts, module, debugInfo));
  debugInfo.finish();
  return {};
}

} // namespace tl::gpu
