// Blocks, loops and branches. Carried and yielded tiles are written into the buffers of those who
// receive them; where both are one buffer already nothing happens.
#include "codegen/host/emission.h"
#include "codegen/host/nest.h"

namespace tl::host {

namespace {

using llvm::Value;

bool isTileBuffer(const Emission &e, ValueId v) { return e.values.place[v] == Place::Buffer; }

/// What a region's yield gives to those who receive it: carried values, or an op's results.
std::span<const ValueId> yieldsOf(const Emission &e, BlockId region) {
  Opcode opcode = e.g.ops[e.g.block(region).parent].opcode;
  return e.g.operands(e.g.ops[e.g.block(region).ops.back()]).subspan(carriedYieldsAt(opcode));
}

/// Tiles that a region yields go to the buffers of `targets`, all at once.
void moveYields(Emission &e, BlockId region, std::span<const ValueId> targets) {
  OpId yield = e.g.block(region).ops.back();
  auto yields = yieldsOf(e, region);
  e.at(yield);
  auto temporary = [&](size_t i) {
    auto it = e.buffers.ofOp.find({yield, Scratch::Move, uint32_t(i)});
    return it == e.buffers.ofOp.end() ? noBuffer : it->second;
  };
  for (size_t i = 0; i < targets.size(); ++i)
    if (BufferId buffer = temporary(i); buffer != noBuffer)
      materialize(e, yields[i], e.bufferTile(buffer, e.typeOf(yields[i])), 0);
  for (size_t i = 0; i < targets.size(); ++i) {
    if (!isTileBuffer(e, targets[i]) || e.buffers.shared(yields[i], targets[i]))
      continue;
    const Type &type = e.typeOf(targets[i]);
    TileRef to = e.bufferTile(e.buffers.ofValue[targets[i]], type);
    if (BufferId buffer = temporary(i); buffer != noBuffer)
      copyTile(e, type, e.bufferTile(buffer, type), to);
    else
      materialize(e, yields[i], to, 0);
  }
}

/// ceildiv(high - low, step) as if integers were unbounded, 0 if there is nothing to do; i64.
Value *tripCount(Emission &e, Value *low, Value *high, Value *step) {
  llvm::IRBuilder<> &ir = e.ir;
  Value *zero = e.i64(0), *one = e.i64(1);
  Value *runs = ir.CreateAnd(ir.CreateICmpSLT(low, high), ir.CreateICmpSGT(step, zero));
  // high - low is exact as an unsigned number here; no division by zero elsewhere.
  Value *divisor = ir.CreateSelect(runs, step, one);
  Value *last = ir.CreateUDiv(ir.CreateSub(ir.CreateSub(high, low), one), divisor);
  return ir.CreateSelect(runs, ir.CreateAdd(last, one), zero);
}

/// A loop's carried values: in its region, and where they start.
struct CarriedValues {
  std::span<const ValueId> inside, init;
  std::vector<llvm::PHINode *> scalars; // of those that are none: null
};

CarriedValues startTiles(Emission &e, const Op &op) {
  CarriedValues carried;
  carried.inside =
      std::span(e.g.block(e.g.regions(op)[0]).args).subspan(carriedArgumentsAt(op.opcode));
  carried.init = e.g.operands(op).subspan(firstCarried(op.opcode));
  for (size_t i = 0; i < carried.inside.size(); ++i) {
    ValueId inside = carried.inside[i];
    if (!isTileBuffer(e, inside))
      continue;
    TileRef tile = e.bufferTile(e.buffers.ofValue[inside], e.typeOf(inside));
    if (!e.buffers.shared(carried.init[i], inside))
      materialize(e, carried.init[i], tile, 0);
    e.tile[inside] = e.tile[e.g.result(op, i)] = tile;
  }
  return carried;
}

/// At the loop's head, which is reached from `before`.
void startScalars(Emission &e, const Op &op, CarriedValues &carried, llvm::BasicBlock *before) {
  carried.scalars.assign(carried.inside.size(), nullptr);
  for (size_t i = 0; i < carried.inside.size(); ++i) {
    if (e.values.place[carried.inside[i]] != Place::Scalar)
      continue;
    Value *init = e.scalar[carried.init[i]];
    carried.scalars[i] = e.ir.CreatePHI(init->getType(), 2);
    carried.scalars[i]->addIncoming(init, before);
    e.scalar[carried.inside[i]] = e.scalar[e.g.result(op, i)] = carried.scalars[i];
  }
}

/// At the end of the loop's region.
void carryOn(Emission &e, BlockId region, const CarriedValues &carried) {
  moveYields(e, region, carried.inside);
  auto yields = yieldsOf(e, region);
  for (size_t i = 0; i < carried.inside.size(); ++i)
    if (carried.scalars[i])
      carried.scalars[i]->addIncoming(e.scalar[yields[i]], e.ir.GetInsertBlock());
}

void emitFor(Emission &e, OpId id) {
  const Op &op = e.g.ops[id];
  llvm::IRBuilder<> &ir = e.ir;
  BlockId region = e.g.regions(op)[0];
  ValueId index = e.g.block(region).args[0];
  Value *low = e.index(e.g.operand(op, 0)), *step = e.index(e.g.operand(op, 2));
  Value *trips = tripCount(e, low, e.index(e.g.operand(op, 1)), step);
  CarriedValues carried = startTiles(e, op);
  e.at(id);

  llvm::BasicBlock *before = ir.GetInsertBlock();
  llvm::BasicBlock *header = e.newBlock("for"), *inside = e.newBlock("for.body"),
                   *exit = e.newBlock("for.done");
  ir.CreateBr(header);
  ir.SetInsertPoint(header);
  llvm::PHINode *round = ir.CreatePHI(ir.getInt64Ty(), 2);
  llvm::PHINode *counter = ir.CreatePHI(ir.getInt64Ty(), 2);
  round->addIncoming(e.i64(0), before);
  counter->addIncoming(low, before);
  startScalars(e, op, carried, before);
  ir.CreateCondBr(ir.CreateICmpULT(round, trips), inside, exit);

  ir.SetInsertPoint(inside);
  bool narrow = e.typeOf(index).dtype == DType::I32;
  e.scalar[index] = narrow ? ir.CreateTrunc(counter, ir.getInt32Ty()) : counter;
  emitBlock(e, region);
  carryOn(e, region, carried);
  llvm::BasicBlock *latch = ir.GetInsertBlock();
  round->addIncoming(ir.CreateAdd(round, e.i64(1)), latch);
  counter->addIncoming(ir.CreateAdd(counter, step), latch);
  ir.CreateBr(header);
  ir.SetInsertPoint(exit);
}

void emitWhile(Emission &e, OpId id) {
  const Op &op = e.g.ops[id];
  llvm::IRBuilder<> &ir = e.ir;
  BlockId region = e.g.regions(op)[0];
  CarriedValues carried = startTiles(e, op);
  e.at(id);

  llvm::BasicBlock *before = ir.GetInsertBlock();
  llvm::BasicBlock *header = e.newBlock("while"), *inside = e.newBlock("while.body"),
                   *exit = e.newBlock("while.done");
  ir.CreateBr(header);
  ir.SetInsertPoint(header);
  llvm::PHINode *goesOn = ir.CreatePHI(ir.getInt1Ty(), 2);
  goesOn->addIncoming(e.scalar[e.g.operand(op, 0)], before);
  startScalars(e, op, carried, before);
  ir.CreateCondBr(goesOn, inside, exit);

  ir.SetInsertPoint(inside);
  emitBlock(e, region);
  carryOn(e, region, carried);
  ValueId again = e.g.operand(e.g.ops[e.g.block(region).ops.back()], 0);
  goesOn->addIncoming(e.scalar[again], ir.GetInsertBlock());
  ir.CreateBr(header);
  ir.SetInsertPoint(exit);
}

void emitExit(Emission &e, OpId id) {
  llvm::BasicBlock *after = e.newBlock("goes.on");
  e.ir.CreateCondBr(e.scalar[e.g.operand(e.g.ops[id], 0)], e.programEnd, after);
  e.ir.SetInsertPoint(after);
}

void emitIf(Emission &e, OpId id) {
  const Op &op = e.g.ops[id];
  llvm::IRBuilder<> &ir = e.ir;
  auto results = e.g.results(op);
  for (ValueId v : results)
    if (isTileBuffer(e, v))
      e.tile[v] = e.bufferTile(e.buffers.ofValue[v], e.typeOf(v));
  llvm::BasicBlock *branches[2] = {e.newBlock("then"), e.newBlock("else")};
  llvm::BasicBlock *merge = e.newBlock("endif");
  ir.CreateCondBr(e.scalar[e.g.operand(op, 0)], branches[0], branches[1]);
  std::vector<std::vector<Value *>> scalars(2, std::vector<Value *>(results.size()));
  for (unsigned i = 0; i < 2; ++i) {
    BlockId region = e.g.regions(op)[i];
    ir.SetInsertPoint(branches[i]);
    emitBlock(e, region);
    moveYields(e, region, results);
    for (size_t r = 0; r < results.size(); ++r)
      if (e.values.place[results[r]] == Place::Scalar)
        scalars[i][r] = e.scalar[yieldsOf(e, region)[r]];
    branches[i] = ir.GetInsertBlock();
    ir.CreateBr(merge);
  }
  ir.SetInsertPoint(merge);
  e.at(id);
  for (size_t r = 0; r < results.size(); ++r) {
    if (!scalars[0][r])
      continue;
    llvm::PHINode *phi = ir.CreatePHI(scalars[0][r]->getType(), 2);
    phi->addIncoming(scalars[0][r], branches[0]);
    phi->addIncoming(scalars[1][r], branches[1]);
    e.scalar[results[r]] = phi;
  }
}

/// The result of an op that gives tiles or scalars and does nothing else.
void emitValue(Emission &e, OpId id, ValueId v) {
  const Type &type = e.typeOf(v);
  if (type.rank == 0 && !type.isView())
    return emitScalarOp(e, v);
  Place place = e.values.place[v];
  if (place == Place::Buffer) {
    e.tile[v] = e.bufferTile(e.buffers.ofValue[v], type);
    if (e.values.root[v] == id) // else on the way in the loops of a later op
      materialize(e, v, e.tile[v], id);
  } else if (place == Place::Alias) {
    e.tile[v] = e.bufferTile(e.buffers.ofValue[v], type);
  }
}

void emitOp(Emission &e, OpId id) {
  if (isAtomic(e.g.ops[id].opcode))
    return emitAtomicOp(e, id);
  switch (e.g.ops[id].opcode) {
  case Opcode::MakeView:
    return emitMakeView(e, id);
  case Opcode::Load:
    return emitLoad(e, id);
  case Opcode::Store:
    return emitStore(e, id);
  case Opcode::Scatter:
    return emitScatter(e, id);
  case Opcode::Scan:
  case Opcode::ReverseScan:
  case Opcode::ScanWith:
  case Opcode::ReverseScanWith:
    return emitScan(e, id);
  case Opcode::Reduce:
  case Opcode::ArgMax:
  case Opcode::ArgMin:
  case Opcode::ReduceWith:
    return emitReduce(e, id);
  case Opcode::Dot:
    return emitDot(e, id);
  case Opcode::Take:
    return emitTake(e, id);
  case Opcode::For:
    return emitFor(e, id);
  case Opcode::While:
    return emitWhile(e, id);
  case Opcode::Exit:
    return emitExit(e, id);
  case Opcode::If:
    return emitIf(e, id);
  case Opcode::Yield: // what is yielded is moved by the op around it
    return;
  case Opcode::InsertSlice:
  case Opcode::Concat:
  case Opcode::Join:
    return emitPieces(e, id);
  default:
    for (ValueId v : e.g.results(e.g.ops[id]))
      emitValue(e, id, v);
  }
}

} // namespace

void emitBlock(Emission &e, BlockId block) {
  for (OpId id : e.g.block(block).ops) {
    e.at(id);
    emitOp(e, id);
  }
}

} // namespace tl::host
