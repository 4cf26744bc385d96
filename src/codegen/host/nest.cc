#include "codegen/host/nest.h"

#include "llvm/IR/MDBuilder.h"

namespace tl::host {

namespace {

/// Loop metadata: not for the loop vectorizer, and the number of times to unroll.
llvm::MDNode *loopMetadata(llvm::LLVMContext &context, unsigned unroll) {
  auto flag = [&](const char *name, unsigned value) {
    llvm::Metadata *parts[] = {llvm::MDString::get(context, name),
                               llvm::ConstantAsMetadata::get(
                                   llvm::ConstantInt::get(llvm::Type::getInt32Ty(context), value))};
    return llvm::MDNode::get(context, parts);
  };
  llvm::SmallVector<llvm::Metadata *, 4> parts = {nullptr};
  parts.push_back(flag("llvm.loop.isvectorized", 1));
  if (unroll)
    parts.push_back(flag("llvm.loop.unroll.count", unroll));
  llvm::MDNode *node = llvm::MDNode::getDistinct(context, parts);
  node->replaceOperandWith(0, node);
  return node;
}

/// Emits at an anchor, if there is one, and comes back. Emission may split blocks: an anchor stays
/// the instruction it is, and without one there is nothing to come back to.
class AnchorScope {
public:
  AnchorScope(Emission &e, llvm::Instruction *anchor) : ir(e.ir) {
    if (!anchor)
      return;
    block = ir.GetInsertBlock();
    if (ir.GetInsertPoint() != block->end())
      next = &*ir.GetInsertPoint();
    location = ir.getCurrentDebugLocation();
    ir.SetInsertPoint(anchor);
  }
  AnchorScope(const AnchorScope &) = delete;
  AnchorScope &operator=(const AnchorScope &) = delete;
  ~AnchorScope() {
    if (!block)
      return;
    if (next)
      ir.SetInsertPoint(next);
    else
      ir.SetInsertPoint(block);
    ir.SetCurrentDebugLocation(location);
  }

private:
  llvm::IRBuilderBase &ir;
  llvm::BasicBlock *block = nullptr;
  llvm::Instruction *next = nullptr; // what the builder emits before; null at the block's end
  llvm::DebugLoc location;
};

bool isOne(llvm::Value *v) {
  auto *known = llvm::dyn_cast<llvm::ConstantInt>(v);
  return known && known->isOne();
}

} // namespace

Carried emitLoop(Emission &e, llvm::Value *low, llvm::Value *high, int64_t step,
                 llvm::ArrayRef<llvm::Value *> init, LoopBody body,
                 llvm::function_ref<void(llvm::Instruction *)> entered, unsigned unroll) {
  auto *knownLow = llvm::dyn_cast<llvm::ConstantInt>(low);
  auto *knownHigh = llvm::dyn_cast<llvm::ConstantInt>(high);
  if (knownLow && knownHigh) {
    if (knownLow->getSExtValue() >= knownHigh->getSExtValue())
      return Carried(init);
    if (knownLow->getSExtValue() + step >= knownHigh->getSExtValue())
      return body(low, init);
  }
  llvm::IRBuilder<> &ir = e.ir;
  llvm::BasicBlock *before = ir.GetInsertBlock();
  llvm::BasicBlock *header = e.newBlock("loop"), *inside = e.newBlock("body"),
                   *exit = e.newBlock("done");
  llvm::Instruction *branch = ir.CreateBr(header);
  ir.SetInsertPoint(header);
  llvm::PHINode *index = ir.CreatePHI(low->getType(), 2);
  index->addIncoming(low, before);
  Carried carried;
  for (llvm::Value *v : init) {
    llvm::PHINode *phi = ir.CreatePHI(v->getType(), 2);
    phi->addIncoming(v, before);
    carried.push_back(phi);
  }
  ir.CreateCondBr(ir.CreateICmpSLT(index, high), inside, exit);
  ir.SetInsertPoint(inside);
  if (entered)
    entered(branch);
  Carried next = body(index, carried);
  llvm::BasicBlock *latch = ir.GetInsertBlock();
  index->addIncoming(ir.CreateNSWAdd(index, llvm::ConstantInt::get(low->getType(), step)), latch);
  for (size_t i = 0; i < carried.size(); ++i)
    llvm::cast<llvm::PHINode>(carried[i])->addIncoming(next[i], latch);
  ir.CreateBr(header)->setMetadata(llvm::LLVMContext::MD_loop,
                                   loopMetadata(ir.getContext(), unroll));
  ir.SetInsertPoint(exit);
  return carried;
}

Carried Nest::loop(unsigned axis, llvm::Value *low, llvm::Value *high, int64_t step,
                   llvm::ArrayRef<llvm::Value *> init, LoopBody body, unsigned unroll) {
  unsigned level = unsigned(levels.size());
  llvm::SmallVector<unsigned, 8> anchored;
  auto entered = [&](llvm::Instruction *branch) {
    for (unsigned l = 0; l < level; ++l)
      if (!levels[l].anchor) {
        levels[l].anchor = branch;
        anchored.push_back(l);
      }
  };
  Coordinate outer = coordinates[axis];
  Carried last = emitLoop(
      e, low, high, step, init,
      [&](llvm::Value *index, llvm::ArrayRef<llvm::Value *> carried) {
        levels.emplace_back();
        coordinates[axis] = {index, level};
        Carried next = body(index, carried);
        levels.pop_back();
        return next;
      },
      entered, unroll);
  coordinates[axis] = outer;
  for (unsigned l : anchored)
    levels[l].anchor = nullptr;
  return last;
}

void Nest::loop(unsigned axis, llvm::Value *low, llvm::Value *high, int64_t step,
                llvm::function_ref<void()> body, unsigned unroll) {
  loop(
      axis, low, high, step, {},
      [&](llvm::Value *, llvm::ArrayRef<llvm::Value *>) {
        body();
        return Carried();
      },
      unroll);
}

void Nest::chunks(unsigned axis, llvm::Value *low, llvm::Value *high, unsigned lanes,
                  llvm::function_ref<void()> body, unsigned unroll) {
  if (lanes) {
    llvm::Value *whole = e.ir.CreateAnd(e.ir.CreateSub(high, low), e.i64(~int64_t(lanes - 1)));
    llvm::Value *middle = e.ir.CreateAdd(low, whole);
    vectorize(int(axis), lanes);
    loop(axis, low, middle, lanes, body, unroll);
    low = middle;
  }
  vectorize(-1, 0);
  loop(axis, low, high, 1, body);
}

void Nest::vectorize(int axis, unsigned lanes) {
  vectorAxis = lanes ? axis : -1;
  vectorLanes = lanes;
}

void Nest::forget(unsigned level) {
  for (unsigned l = level; l < levels.size(); ++l)
    levels[l].known.clear();
}

void Nest::moveTo(unsigned axis, llvm::Value *at) {
  coordinates[axis].at = at;
  forget(coordinates[axis].level);
}

llvm::Value *Nest::coordinate(unsigned axis) {
  return coordinates[axis].at ? coordinates[axis].at : e.i64(0);
}

unsigned Nest::levelOf(const AxisMap &map) const {
  unsigned level = 0;
  for (unsigned i = 0; i < map.rank; ++i)
    if (map.axis[i] >= 0)
      level = std::max(level, coordinates[size_t(map.axis[i])].level);
  return level;
}

bool Nest::varies(const AxisMap &map) const {
  for (unsigned i = 0; i < map.rank; ++i)
    if (map.axis[i] >= 0 && map.axis[i] == vectorAxis)
      return true;
  return false;
}

llvm::Value *Nest::evaluate(ValueId value, const AxisMap &map) {
  if (e.values.place[value] == Place::Scalar)
    return e.scalar[value];
  unsigned level = levelOf(map);
  Key key = {value, map};
  if (auto it = levels[level].known.find(key); it != levels[level].known.end())
    return it->second;
  llvm::Value *result;
  if (e.values.computedIn(value, root)) {
    result = compute(value, *e.g.definingOp(value), map);
  } else {
    AnchorScope scope(e, levels[level].anchor);
    if (e.g.definingOp(value))
      e.at(e.g.values[value].op);
    result = load(e.tile[value], map, e.typeOf(value).dtype);
  }
  return levels[level].known[key] = result;
}

void Nest::storeKept(const Expression &expression) {
  llvm::SmallVector<llvm::Value *, 8> elements; // all of them before anything is written
  for (const Leaf &leaf : expression.kept)
    elements.push_back(evaluate(leaf.value, leaf.map));
  for (size_t i = 0; i < elements.size(); ++i) {
    const Leaf &leaf = expression.kept[i];
    store(elements[i], e.tile[leaf.value], leaf.map, e.typeOf(leaf.value).dtype);
  }
}

llvm::Value *Nest::compute(ValueId value, const Op &op, const AxisMap &map) {
  DType dtype = e.typeOf(value).dtype;
  if (movesElements(op.opcode))
    return evaluate(e.g.operand(op, 0), operandMap(e.g, value, 0, map));
  switch (op.opcode) {
  case Opcode::Full:
    return e.scalar[e.g.operand(op, 0)];
  case Opcode::Iota:
    return computeIota(op, dtype, map);
  case Opcode::Gather:
    return computeGather(value, op, dtype, map);
  default:
    break;
  }
  llvm::SmallVector<llvm::Value *, 4> operands;
  for (size_t i = 0; i < op.operands.count; ++i)
    operands.push_back(evaluate(e.g.operand(op, i), operandMap(e.g, value, i, map)));
  AnchorScope scope(e, levels[levelOf(map)].anchor);
  e.at(e.g.values[value].op);
  return emitElementOp(e.elements, e.g, op, operands);
}

llvm::Value *Nest::computeIota(const Op &op, DType dtype, const AxisMap &map) {
  auto along = size_t(e.g.intAttr(op, AttrKey::Axis));
  int8_t axis = map.axis[along];
  if (axis < 0)
    return e.elements.constantInt(dtype, map.offset[along]);
  AnchorScope scope(e, levels[levelOf(map)].anchor);
  llvm::Value *at = laneCoordinates(unsigned(axis), dtype);
  unsigned lanes = at->getType()->isVectorTy() ? vectorLanes : 0;
  if (map.step[along] != 1)
    at = e.ir.CreateMul(at, e.elements.constantInt(dtype, map.step[along], lanes));
  if (map.offset[along] != 0)
    at = e.ir.CreateAdd(at, e.elements.constantInt(dtype, map.offset[along], lanes));
  return at;
}

llvm::Value *Nest::laneCoordinates(unsigned axis, DType dtype) {
  llvm::Value *at = e.ir.CreateTrunc(coordinate(axis), e.elements.type(dtype));
  if (int(axis) != vectorAxis)
    return at;
  llvm::SmallVector<llvm::Constant *, 64> steps;
  for (unsigned lane = 0; lane < vectorLanes; ++lane)
    steps.push_back(e.elements.constantInt(dtype, lane));
  return e.ir.CreateAdd(e.elements.splat(at, vectorLanes), llvm::ConstantVector::get(steps));
}

llvm::Value *Nest::computeGather(ValueId value, const Op &op, DType dtype, const AxisMap &map) {
  llvm::SmallVector<llvm::Value *, 8> index;
  auto list = e.g.indexOperands(op);
  bool vector = false;
  for (size_t i = 0; i < list.size(); ++i) {
    index.push_back(evaluate(list[i], operandMap(e.g, value, i + 1, map)));
    vector |= index.back()->getType()->isVectorTy();
  }
  llvm::Value *mask = nullptr;
  if (ValueId v = e.g.maskOperand(op)) {
    mask = evaluate(v, operandMap(e.g, value, op.operands.count - 1, map));
    vector |= mask->getType()->isVectorTy();
  }
  AnchorScope scope(e, levels[levelOf(map)].anchor);
  unsigned lanes = vector ? vectorLanes : 0;
  Pointwise where = emitPointwise(e, e.g.viewOperand(op), index, mask, lanes);
  return loadPointwise(e, where, lanes, e.pad(op, dtype));
}

llvm::Value *Nest::offset(const TileRef &tile, const AxisMap &map) {
  llvm::Value *sum = e.i64(0);
  auto add = [&](llvm::Value *term) {
    auto *zero = llvm::dyn_cast<llvm::ConstantInt>(sum);
    sum = zero && zero->isZero() ? term : e.ir.CreateAdd(sum, term);
  };
  for (unsigned i = 0; i < map.rank; ++i) {
    if (map.offset[i] != 0)
      add(e.ir.CreateMul(tile.stride[i], e.i64(map.offset[i])));
    if (map.axis[i] < 0 || !coordinates[size_t(map.axis[i])].at)
      continue;
    llvm::Value *at = coordinate(unsigned(map.axis[i])), *stride = stepOf(tile, map, i);
    add(isOne(stride) ? at : e.ir.CreateMul(at, stride));
  }
  return sum;
}

/// The distance in elements from one coordinate of the nest to the next along the tile's axis.
llvm::Value *Nest::stepOf(const TileRef &tile, const AxisMap &map, unsigned axis) const {
  return map.step[axis] == 1 ? tile.stride[axis]
                             : e.ir.CreateMul(tile.stride[axis], e.i64(map.step[axis]));
}

/// The distance between lanes in elements, null if all lanes are one element.
llvm::Value *Nest::laneStride(const TileRef &tile, const AxisMap &map) const {
  for (unsigned i = 0; i < map.rank; ++i)
    if (map.axis[i] >= 0 && map.axis[i] == vectorAxis)
      return stepOf(tile, map, i);
  return nullptr;
}

llvm::Value *Nest::load(const TileRef &tile, const AxisMap &map, DType dtype) {
  llvm::Value *address = e.element(tile.base, offset(tile, map), dtype);
  llvm::Value *stride = laneStride(tile, map);
  llvm::Align align(dtypeBytes(dtype));
  if (!stride || isOne(stride)) {
    llvm::Type *type = e.elements.memoryType(dtype, stride ? vectorLanes : 0);
    return e.elements.fromMemory(e.ir.CreateAlignedLoad(type, address, align), dtype);
  }
  if (auto *known = llvm::dyn_cast<llvm::ConstantInt>(stride); known && known->isMinusOne()) {
    llvm::Value *last = e.element(address, e.i64(1 - int64_t(vectorLanes)), dtype);
    llvm::Value *reversed =
        e.ir.CreateAlignedLoad(e.elements.memoryType(dtype, vectorLanes), last, align);
    return e.elements.fromMemory(e.ir.CreateVectorReverse(reversed), dtype);
  }
  llvm::Value *vector = llvm::PoisonValue::get(e.elements.memoryType(dtype, vectorLanes));
  for (unsigned lane = 0; lane < vectorLanes; ++lane) {
    llvm::Value *at = e.element(address, e.ir.CreateMul(stride, e.i64(lane)), dtype);
    llvm::Value *one = e.ir.CreateAlignedLoad(e.elements.memoryType(dtype), at, align);
    vector = e.ir.CreateInsertElement(vector, one, lane);
  }
  return e.elements.fromMemory(vector, dtype);
}

void Nest::prefetch(const TileRef &tile, const AxisMap &map, DType dtype, unsigned axis,
                    int64_t distance) {
  llvm::Value *sum = offset(tile, map);
  for (unsigned i = 0; i < map.rank; ++i)
    if (map.axis[i] == int8_t(axis))
      sum = e.ir.CreateAdd(sum, e.ir.CreateMul(stepOf(tile, map, i), e.i64(distance)));
  llvm::Value *address = e.element(tile.base, sum, dtype);
  e.ir.CreateIntrinsic(llvm::Intrinsic::prefetch, {address->getType()},
                       {address, e.ir.getInt32(0), e.ir.getInt32(3), e.ir.getInt32(1)});
}

void Nest::store(llvm::Value *value, const TileRef &tile, const AxisMap &map, DType dtype) {
  llvm::Value *address = e.element(tile.base, offset(tile, map), dtype);
  llvm::Value *stride = laneStride(tile, map);
  llvm::Align align(dtypeBytes(dtype));
  if (stride)
    value = e.elements.splat(value, vectorLanes);
  value = e.elements.toMemory(value, dtype);
  if (!stride || isOne(stride)) {
    e.ir.CreateAlignedStore(value, address, align);
    return;
  }
  for (unsigned lane = 0; lane < vectorLanes; ++lane) {
    llvm::Value *at = e.element(address, e.ir.CreateMul(stride, e.i64(lane)), dtype);
    e.ir.CreateAlignedStore(e.ir.CreateExtractElement(value, lane), at, align);
  }
}

} // namespace tl::host
