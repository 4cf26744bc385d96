#include "differential/generator.h"

#include "graph/canonical.h"
#include "interp/possible.h"

#include <algorithm>
#include <cassert>

namespace tl::test {

Attr intAttr(AttrKey key, int64_t value) {
  Attr a;
  a.key = key;
  a.i = value;
  return a;
}

Attr listAttr(AttrKey key, Dims list) {
  Attr a;
  a.key = key;
  a.list = std::move(list);
  return a;
}

Generator::Generator(uint64_t seed) : seed(seed), random(seed) {}

void Generator::chooseShapes() {
  static const std::vector<int64_t> extents = {1,  2,  3,  4,  5,  7,  8,  9,   13,  16,  17, 24,
                                               31, 32, 33, 48, 63, 64, 65, 100, 128, 129, 257};
  int64_t limit = random.chance(4) ? 20000 : random.chance(30) ? 3000 : 600;
  auto shape = [&](unsigned rank) {
    Dims dims;
    int64_t left = limit;
    for (unsigned i = 0; i < rank; ++i) {
      // Leave something for the axes that follow.
      int64_t most = std::max<int64_t>(1, i + 1 == rank ? left : left / (int64_t(1) << (rank - i)));
      int64_t extent;
      do
        extent = random.pick(extents);
      while (extent > most);
      if (i > 0 && dims[i - 1] <= most &&
          random.chance(15)) // square: permuted, the type is the same
        extent = dims[i - 1];
      dims.push_back(extent);
      left /= extent;
    }
    random.shuffle(dims);
    return dims;
  };
  shapes = {{{}},
            {shape(1), shape(1), shape(2), shape(2)},
            {shape(3), shape(3 + unsigned(random.below(3)))}};
}

int64_t product(const Dims &dims) {
  int64_t n = 1;
  for (int64_t d : dims)
    n *= d;
  return n;
}

Dims Generator::shapeOf(uint8_t ranks) { return random.pick(shapes[ranks]); }

Dims Generator::dimsOf(const Type &type) { return {type.extents().begin(), type.extents().end()}; }

void Generator::chooseGrid() {
  std::vector<ValueId> values;
  unsigned axes = 1 + unsigned(random.below(3));
  for (unsigned axis = 0; axis < axes; ++axis) {
    grid[axis] = random.chance(40) ? 1 : random.between(1, axis == 0 ? 4 : 2);
    if (random.chance(50)) {
      values.push_back(index(grid[axis]));
      continue;
    }
    // ceildiv of an argument by a constant.
    int64_t block = random.between(1, 9);
    int64_t n = grid[axis] * block - int64_t(random.below(size_t(block)));
    values.push_back(b.op(Opcode::CeilDiv, {addScalar(DType::I64, uint64_t(n)), index(block)}));
  }
  b.setGrid(values);
  programs = grid[0] * grid[1] * grid[2];
  auto axisOp = [&](Opcode opcode, int axis) {
    return emit(opcode, {}, {intAttr(AttrKey::Axis, axis)});
  };
  pid = axisOp(Opcode::ProgramId, 0);
  for (int axis = 1; axis < 3; ++axis)
    if (grid[axis] > 1) {
      // pid + axis number * programs of the axes before
      ValueId before = axisOp(Opcode::NumPrograms, 0);
      if (axis == 2)
        before = emit(Opcode::Mul, {before, axisOp(Opcode::NumPrograms, 1)});
      ValueId part = emit(Opcode::Mul, {axisOp(Opcode::ProgramId, axis), before});
      pid = emit(Opcode::Add, {pid, part});
    }
  if (Entry *entry = entryOf(pid))
    entry->used = true;
}

Generator::Entry *Generator::entryOf(ValueId v) {
  auto it = whereInPool.find(v);
  return it == whereInPool.end() ? nullptr : &pool[it->second];
}

bool Generator::isOpen(ValueId v) {
  Entry *entry = entryOf(v);
  return entry && entry->open;
}

ValueId Generator::remember(ValueId v, Opcode opcode, const std::vector<ValueId> &operands) {
  if (v == 0 || !typeOf(v).isTile())
    return v;
  Entry entry;
  entry.value = v;
  bool fromProduct = false;
  for (ValueId operand : operands)
    if (Entry *from = entryOf(operand)) {
      entry.open |= from->open;
      fromProduct |= from->product;
    }
  bool isFloatType = isFloat(typeOf(v).dtype);
  entry.open |= interp::isApproximated(opcode);
  switch (opcode) {
  case Opcode::Dot:
  case Opcode::Scan:
  case Opcode::ReverseScan:
  case Opcode::Reduce:
  case Opcode::ReduceWith:
  case Opcode::ScanWith:
  case Opcode::ReverseScanWith:
    entry.open |= isFloatType;
    break;
  case Opcode::Mul:
    entry.product = isFloatType;
    break;
  case Opcode::Add:
  case Opcode::Sub:
    entry.open |= fromProduct && b.current().kernel.contract;
    break;
  default:
    entry.product = fromProduct && isFloatType;
    break;
  }
  whereInPool[v] = pool.size();
  pool.push_back(entry);
  return v;
}

ValueId Generator::emit(Opcode opcode, std::vector<ValueId> operands, std::vector<Attr> attrs) {
  ValueId v = b.op(opcode, operands, attrs);
  for (ValueId operand : operands)
    if (Entry *entry = entryOf(operand))
      entry->used = true;
  for (ValueId result : b.resultsOf(v))
    remember(result, opcode, operands);
  return v;
}

void Generator::emitFeature(const Feature &f) {
  Dims dims = shapeOf(f.ranks);
  switch (opInfo(f.opcode).rule) {
  case Rule::ProgramIndex:
    emit(f.opcode, {}, {intAttr(AttrKey::Axis, int64_t(random.below(3)))});
    break;
  case Rule::Const:
    randomConstant(f.dtype);
    break;
  case Rule::Elementwise:
  case Rule::Compare:
  case Rule::Classify:
  case Rule::Bitcast:
  case Rule::Select:
  case Rule::Cast:
    emitElementwise(f, dims);
    break;
  case Rule::Full:
  case Rule::Iota:
  case Rule::Broadcast:
  case Rule::Reshape:
  case Rule::Permute:
  case Rule::ExpandDims:
  case Rule::Slice:
  case Rule::InsertSlice:
  case Rule::Flip:
  case Rule::Concat:
  case Rule::Join:
  case Rule::Split:
    emitShape(f, dims);
    break;
  case Rule::Take:
  case Rule::Sort:
  case Rule::TopK:
  case Rule::Histogram:
    emitOrder(f, dims);
    break;
  case Rule::Reduce:
  case Rule::ArgReduce:
  case Rule::Scan:
    emitReduce(f, dims);
    break;
  case Rule::ReduceWith:
  case Rule::ScanWith:
    emitCombine(f, dims);
    break;
  case Rule::Dot:
    emitDot(f);
    break;
  case Rule::MakeView: {
    Dims extents;
    ValueId view = madeView(f.dtype, f.ranks == 1 ? 1 + unsigned(random.below(2)) : 3, &extents);
    Dims loaded;
    for (size_t axis = random.below(extents.size() + 1); axis < extents.size(); ++axis)
      loaded.push_back(random.between(1, extents[axis] + 2));
    loadFrom(view, extents, loaded, chooseAxes(loaded.size(), extents.size()));
    break;
  }
  case Rule::Address:
    emitAddress(f.dtype, f.ranks == 1 ? 1 + unsigned(random.below(2)) : 3);
    break;
  case Rule::ByteOffset:
    emitByteOffset(f.dtype);
    break;
  case Rule::Extent: {
    Dims extents;
    ValueId view = madeView(DType::F32, 2, &extents);
    emit(Opcode::Extent, {view}, {intAttr(AttrKey::Axis, int64_t(random.below(2)))});
    break;
  }
  case Rule::Load:
    loadInput(f.dtype, dims);
    break;
  case Rule::Store:
    store(tile(f.dtype, dims));
    break;
  case Rule::Gather:
    emitGather(f.dtype, dims);
    break;
  case Rule::Scatter:
    emitScatter(f.dtype, dims);
    break;
  case Rule::Atomic:
    emitAtomic(f.opcode, f.dtype, dims);
    break;
  case Rule::For:
    emitFor(f.dtype, dims);
    break;
  case Rule::While:
    emitWhile(f.dtype, dims);
    break;
  case Rule::If:
    emitIf(f.dtype, dims);
    break;
  case Rule::Exit:
    emitExit();
    break;
  case Rule::Pointer:
  case Rule::Print:
  case Rule::Assert:
  case Rule::LaunchLog:
  case Rule::Temporary:
  case Rule::Dispatch:
  case Rule::Yield:
  case Rule::Random:
  case Rule::RandomInt:
  case Rule::CastStochastic:
  case Rule::Unpack:
  case Rule::Pack:
  case Rule::Im2col:
  case Rule::AllocShared:
  case Rule::Copy:
  case Rule::Wait:
  case Rule::Barrier:
    break;
  }
}

/// Stores what nothing has used: a wrong value must not go unseen.
void Generator::finishBlock(size_t firstEntry) {
  for (size_t i = firstEntry; i < pool.size(); ++i)
    if (!pool[i].used)
      store(pool[i].value);
}

Result<Case> Generator::run() {
  made.seed = seed;
  b.setKernel("random");
  made.traits.contract = random.chance(50);
  b.setContract(made.traits.contract);
  chooseShapes();
  chooseGrid();

  // The same shuffled list for every seed: consecutive cases take consecutive parts of it.
  std::vector<Feature> features = allFeatures();
  Random(0).shuffle(features);
  std::vector<Feature> mine;
  size_t featuresPerCase = (features.size() * 5 + casesOfAWholeRun - 1) / casesOfAWholeRun;
  for (size_t i = 0; i < featuresPerCase; ++i)
    mine.push_back(features[(seed * featuresPerCase + i) % features.size()]);
  for (const Feature &f : mine) {
    // Now and then something goes into a region, with others around it.
    if (depth == 0 && random.chance(8))
      random.chance(50) ? emitFor(f.dtype, shapeOf(f.ranks)) : emitIf(f.dtype, shapeOf(f.ranks));
    emitFeature(f);
    if (!b.ok())
      break;
  }
  finishBlock(0);
  if (b.ok())
    emitMore();
  TL_ASSIGN(Graph graph, std::move(b).finish());
  TL_ASSIGN(made.graph, instantiate(graph, {}));
  return std::move(made);
}

Result<Case> generateCase(uint64_t seed) { return Generator(seed).run(); }

} // namespace tl::test
