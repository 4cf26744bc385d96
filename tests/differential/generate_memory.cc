#include "differential/generator.h"

#include <algorithm>

namespace tl::test {

std::vector<unsigned> Generator::chooseAxes(size_t tileRank, size_t viewRank) {
  std::vector<unsigned> axes(viewRank);
  for (size_t i = 0; i < viewRank; ++i)
    axes[i] = unsigned(i);
  if (random.chance(35))
    random.shuffle(axes);
  else
    std::rotate(axes.begin(), axes.end() - long(tileRank), axes.end());
  axes.resize(tileRank);
  return axes;
}

static Attr axesAttr(const std::vector<unsigned> &axes) {
  return listAttr(AttrKey::Axes, {axes.begin(), axes.end()});
}

/// Mostly inside [0, extent).
ValueId Generator::anyIndex(int64_t extent) {
  size_t choice = random.below(100);
  if (choice < 78)
    return constant(indexType(), random.between(0, std::max<int64_t>(extent - 1, 0)));
  if (choice < 84)
    return constant(indexType(), random.between(-2, extent + 1));
  if (choice < 88)
    return pid;
  if (choice < 94 && !counters.empty())
    return random.pick(counters);
  if (choice < 95) {
    int64_t end = random.chance(50) ? INT64_MIN : INT64_MAX - 2;
    return constant(DType::I64, end + int64_t(random.below(3)));
  }
  if (choice < 97)
    return addScalar(DType::I64, uint64_t(random.between(-1, extent)));
  return loadedNumber(indexType(), Fill::Counts);
}

/// One number of a list in memory.
ValueId Generator::loadedNumber(DType dtype, Fill fill) {
  ValueId list = addFreshView(dtype, {5}, {}, fill);
  ValueId v =
      emit(Opcode::Load, {list, index(random.between(0, 4))}, {listAttr(AttrKey::Dims, {})});
  if (Entry *entry = entryOf(v))
    entry->used = true;
  return v;
}

ValueId Generator::loadFrom(ValueId view, const Dims &extents, const Dims &dims,
                            const std::vector<unsigned> &axes) {
  std::vector<ValueId> operands = {view};
  for (int64_t extent : extents)
    operands.push_back(anyIndex(extent));
  // Where the tile covers an axis it mostly starts at its beginning.
  for (unsigned axis : axes)
    if (random.chance(92))
      operands[1 + axis] = constant(indexType(), random.chance(70) ? 0 : random.between(-2, 2));
  std::vector<Attr> attrs = {listAttr(AttrKey::Dims, dims), axesAttr(axes)};
  if (random.chance(50)) {
    attrs.push_back(randomNumber(AttrKey::Pad, typeOf(view).dtype));
    made.traits.padding = true;
  }
  return emit(Opcode::Load, operands, attrs);
}

ValueId Generator::loadInput(DType dtype, const Dims &dims) {
  std::vector<size_t> known;
  for (size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i].dtype == dtype && inputs[i].extents.size() >= dims.size())
      known.push_back(i);
  if (known.empty() || random.chance(60)) {
    size_t rank = std::max<size_t>(1, dims.size() + (random.chance(30) ? random.below(3) : 0));
    std::vector<unsigned> axes = chooseAxes(dims.size(), rank);
    Dims extents(rank);
    for (int64_t &extent : extents)
      extent = random.between(1, 3);
    for (size_t i = 0; i < dims.size(); ++i)
      extents[axes[i]] = random.chance(50) ? dims[i]
                                           : std::max<int64_t>(random.chance(3) ? 0 : 1,
                                                               dims[i] + random.between(-3, 3));
    Input input{0, dtype, extents, 0, false};
    input.view = addFreshView(dtype, extents, inputStrides(extents), randomFill());
    input.buffer = made.args.back().buffer;
    inputs.push_back(input);
    return loadFrom(input.view, extents, dims, axes);
  }
  const Input &input = inputs[random.pick(known)];
  ValueId v =
      loadFrom(input.view, input.extents, dims, chooseAxes(dims.size(), input.extents.size()));
  if (Entry *entry = entryOf(v))
    entry->open |= input.stored;
  return v;
}

Generator::OwnView &Generator::ownView(DType dtype, const Dims &dims) {
  for (OwnView &view : own)
    if (view.dtype == dtype && view.extents.size() == dims.size() + 1 && random.chance(80))
      return view;
  OwnView view{0, dtype, {programs}};
  for (int64_t d : dims)
    view.extents.push_back(
        std::max<int64_t>(1, d + (random.chance(30) ? random.between(-2, 2) : 0)));
  view.view = addFreshView(dtype, view.extents, outputStrides(view.extents), randomFill(),
                           random.chance(30));
  own.push_back(view);
  made.traits.inPlace = true;
  return own.back();
}

/// In the program's row, mostly at its beginning, and within loops now and then further on in each
/// round.
std::vector<ValueId> Generator::placeInOwn(size_t rank) {
  std::vector<ValueId> at = {pid};
  for (size_t i = 0; i < rank; ++i)
    at.push_back(!counters.empty() && random.chance(20)
                     ? random.pick(counters)
                     : constant(indexType(), random.chance(70) ? 0 : random.between(-2, 2)));
  return at;
}

/// Within a loop: loads from the program's row and stores to the same place, which moves on with
/// the rounds; what one round stores other elements of the next one are. Which round comes first
/// shows in what is stored.
void Generator::stepOverOwn() {
  Dims dims = shapeOf(1);
  DType dtype = random.chance(50) ? DType::I32 : DType::F32;
  OwnView row = ownView(dtype, dims);
  std::vector<ValueId> at = placeInOwn(dims.size()), from = {row.view};
  at[1 + random.below(dims.size())] = random.pick(counters);
  from.insert(from.end(), at.begin(), at.end());
  ValueId v = emit(Opcode::Load, from, {listAttr(AttrKey::Dims, dims)});
  entryOf(v)->open = true;
  std::vector<ValueId> to = {emit(Opcode::Sub, {tile(dtype, dims), v})};
  entryOf(to[0])->used = true;
  to.insert(to.end(), from.begin(), from.end());
  emit(Opcode::Store, to);
}

ValueId Generator::loadOwn(const OwnView &from, const Dims &dims) {
  std::vector<ValueId> operands = {from.view};
  for (ValueId index : placeInOwn(dims.size()))
    operands.push_back(index);
  ValueId v = emit(Opcode::Load, operands, {listAttr(AttrKey::Dims, dims)});
  if (Entry *entry = entryOf(v))
    entry->open = true; // anything may have been stored there
  return v;
}

void Generator::store(ValueId v) {
  Dims dims = dimsOf(typeOf(v));
  DType dtype = typeOf(v).dtype;
  size_t choice = random.below(100);
  if (choice < 12)
    return storeOwn(v, ownView(dtype, dims));
  if (choice < 24 && programs == 1 && storeOverlapping(v))
    return;
  if (choice < 45 && !dims.empty())
    return storeBlock(v);
  if (choice < 52)
    return storeThroughAddress(v);
  storeRow(v);
}

/// To a row of a new argument: axes for the program, maybe for a loop's counter, and the tile's, in
/// some order.
void Generator::storeRow(ValueId v) {
  Dims dims = dimsOf(typeOf(v)), extents = {programs};
  std::vector<ValueId> where = {pid};
  if (!counters.empty() && random.chance(60)) {
    extents.push_back(random.between(1, 6));
    where.push_back(counters.back());
  }
  size_t before = extents.size();
  for (int64_t d : dims) {
    extents.push_back(std::max<int64_t>(1, d + (random.chance(35) ? random.between(-2, 2) : 0)));
    where.push_back(constant(indexType(), random.chance(80) ? 0 : random.between(-2, 2)));
  }
  std::vector<unsigned> order(extents.size()), axes(dims.size());
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = unsigned(i);
  if (random.chance(25))
    random.shuffle(order); // part i becomes axis order[i]
  Dims placed(extents.size());
  std::vector<ValueId> operands(2 + extents.size());
  for (size_t i = 0; i < extents.size(); ++i) {
    placed[order[i]] = extents[i];
    operands[2 + order[i]] = where[i];
    if (i >= before)
      axes[i - before] = order[i];
  }
  operands[0] = v;
  operands[1] = addFreshView(typeOf(v).dtype, placed, outputStrides(placed), Fill::Ordinary,
                             random.chance(30));
  emit(Opcode::Store, operands, {axesAttr(axes)});
}

/// Side by side along the first axis, the last program's part cut off.
void Generator::storeBlock(ValueId v) {
  Dims dims = dimsOf(typeOf(v)), extents = dims;
  extents[0] = std::max<int64_t>(
      1, programs * dims[0] - (random.chance(50) ? int64_t(random.below(size_t(dims[0]))) : 0));
  ValueId first = emit(Opcode::Mul, {pid, index(dims[0])});
  ValueId view = addFreshView(typeOf(v).dtype, extents, outputStrides(extents), Fill::Ordinary,
                              random.chance(30));
  std::vector<ValueId> operands = {v, view, first};
  for (size_t i = 1; i < dims.size(); ++i)
    operands.push_back(constant(indexType(), 0));
  emit(Opcode::Store, operands);
}

void Generator::storeOwn(ValueId v, const OwnView &to) {
  std::vector<ValueId> operands = {v, to.view};
  for (ValueId index : placeInOwn(to.extents.size() - 1))
    operands.push_back(index);
  emit(Opcode::Store, operands);
}

/// Over memory that another argument shows. For a single program only.
bool Generator::storeOverlapping(ValueId v) {
  DType dtype = typeOf(v).dtype;
  Dims dims = dimsOf(typeOf(v));
  size_t bytes = size_t(product(dims)) * dtypeBytes(dtype);
  std::vector<size_t> fits;
  for (size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i].dtype == dtype && made.buffers[size_t(inputs[i].buffer)].size() >= bytes)
      fits.push_back(i);
  if (fits.empty())
    return false;
  int buffer = inputs[random.pick(fits)].buffer;
  size_t room = (made.buffers[size_t(buffer)].size() - bytes) / dtypeBytes(dtype);
  size_t offset = (random.chance(30) ? 0 : random.below(room + 1)) * dtypeBytes(dtype);
  Dims extents = dims.empty() ? Dims{1} : dims;
  std::vector<ValueId> operands = {v, addView(dtype, extents, {}, buffer, offset)};
  for (size_t i = 0; i < extents.size(); ++i)
    operands.push_back(constant(indexType(), 0));
  emit(Opcode::Store, operands);
  for (Input &input : inputs)
    input.stored |= input.buffer == buffer;
  made.traits.overlap = true;
  return true;
}

ValueId Generator::emitGather(DType dtype, const Dims &dims) {
  Dims extents(1 + random.below(3));
  for (int64_t &extent : extents)
    extent = random.between(1, 12);
  std::vector<ValueId> operands = {
      addFreshView(dtype, extents, inputStrides(extents), randomFill())};
  size_t whole = random.below(extents.size()); // this index has the shape, others may be scalars
  for (size_t i = 0; i < extents.size(); ++i)
    operands.push_back(boundedIndices(i == whole || random.chance(60) ? dims : Dims{}, extents[i]));
  if (random.chance(50))
    operands.push_back(tileOrScalar(DType::I1, dims, Want::Decided));
  std::vector<Attr> attrs;
  if (random.chance(50))
    attrs.push_back(randomNumber(AttrKey::Pad, dtype));
  return emit(Opcode::Gather, operands, attrs);
}

/// To a row of a new argument, every element to a place of its own.
void Generator::emitScatter(DType dtype, const Dims &dims) {
  int64_t n = product(dims);
  DType type = indexType();
  ValueId at;
  if (!dims.empty() && random.chance(50)) {
    ValueId list = addFreshView(type, {n}, {}, Fill::Permutation);
    at = emit(Opcode::Load, {list, index(0)}, {listAttr(AttrKey::Dims, {n})});
    at = emit(Opcode::Reshape, {at}, {listAttr(AttrKey::Dims, dims)});
  } else {
    at = linearIndices(dims, type);
  }
  if (random.chance(40))
    at = emit(Opcode::Add, {at, constant(type, random.between(-3, 3))});
  Dims extents = {programs, std::max<int64_t>(1, n + random.between(-3, 3))};
  ValueId value = tileOrScalar(dtype, dims);
  ValueId view =
      addFreshView(dtype, extents, outputStrides(extents), Fill::Ordinary, random.chance(30));
  std::vector<ValueId> operands = {value, view, asIndex(pid, indexType()), at};
  if (random.chance(50))
    operands.push_back(tileOrScalar(DType::I1, dims, Want::Decided));
  emit(Opcode::Scatter, operands);
}

/// An order that the operation takes, and a scope.
std::vector<Attr> Generator::atomicMode(Opcode opcode) {
  std::vector<Attr> attrs;
  auto order = MemoryOrdering(random.between(1, 5));
  AtomicMode mode{order, MemoryScope(random.between(1, 3))};
  if (opcode == Opcode::AtomicLoad && order != MemoryOrdering::SeqCst && mode.releases())
    mode.order = MemoryOrdering::Acquire;
  if (opcode == Opcode::AtomicStore && order != MemoryOrdering::SeqCst && mode.acquires())
    mode.order = MemoryOrdering::Release;
  if (random.chance(50))
    attrs.push_back(intAttr(AttrKey::Order, int64_t(mode.order)));
  if (random.chance(50))
    attrs.push_back(intAttr(AttrKey::Scope, int64_t(mode.scope)));
  return attrs;
}

/// What nobody writes.
void Generator::emitAtomicLoad(DType dtype, const Dims &dims) {
  Dims extents = {random.between(1, 3), random.between(1, 7)};
  std::vector<ValueId> operands = {addFreshView(dtype, extents, {}, randomFill()),
                                   boundedIndices(random.chance(50) ? dims : Dims{}, extents[0]),
                                   boundedIndices(dims, extents[1])};
  if (random.chance(50))
    operands.push_back(tileOrScalar(DType::I1, dims, Want::Decided));
  emit(Opcode::AtomicLoad, operands, atomicMode(Opcode::AtomicLoad));
}

/// Programs and elements meet at a few addresses, unless the outcome depends on the order: each
/// element has a place of its own then. What was there is known only then, and to the interpreter
/// only where no other program could have come between.
void Generator::emitAtomic(Opcode opcode, DType dtype, const Dims &dims) {
  if (opcode == Opcode::AtomicLoad)
    return emitAtomicLoad(dtype, dims);
  const bool compares = opcode == Opcode::AtomicCas;
  const bool ordered =
      compares || opcode == Opcode::AtomicExchange || opcode == Opcode::AtomicStore;
  std::vector<ValueId> operands;
  for (int i = 0; i <= int(compares); ++i)
    operands.push_back(tileOrScalar(dtype, dims));
  Dims extents = {programs, product(dims)};
  if (!ordered)
    extents = {random.between(1, 3), random.between(1, 7)};
  operands.push_back(
      addFreshView(dtype, extents, outputStrides(extents), Fill::Ordinary, random.chance(30)));
  if (ordered) {
    operands.push_back(asIndex(pid, indexType()));
    operands.push_back(linearIndices(dims, indexType()));
  } else {
    operands.push_back(boundedIndices(random.chance(50) ? dims : Dims{}, extents[0]));
    operands.push_back(boundedIndices(dims, extents[1]));
  }
  if (random.chance(50))
    operands.push_back(tileOrScalar(DType::I1, dims, Want::Decided));
  ValueId before = b.op(opcode, operands, atomicMode(opcode));
  for (ValueId operand : operands)
    if (Entry *entry = entryOf(operand))
      entry->used = true;
  if (ordered && programs == 1 && remember(before, opcode, operands))
    pool.back().open |= isFloat(dtype); // in a loop it may be anything that was stored
}

/// A view of a pointer argument, some of its extents from memory.
ValueId Generator::madeView(DType dtype, unsigned rank, Dims *extents) {
  int64_t count = 1;
  std::vector<ValueId> sizes, strides;
  extents->assign(rank, 0);
  for (unsigned axis = rank; axis-- > 0;) {
    bool loaded = random.chance(50);
    int64_t most = loaded ? 6 : random.between(1, 9);
    DType type = indexType();
    sizes.insert(sizes.begin(), loaded ? loadedNumber(type, Fill::Counts) : constant(type, most));
    strides.insert(strides.begin(), constant(indexType(), count));
    (*extents)[axis] = most;
    count *= most;
    made.traits.memoryBounds |= loaded;
  }
  std::vector<ValueId> operands = {
      addPointer(dtype, addBuffer(dtype, size_t(count), randomFill()))};
  operands.insert(operands.end(), sizes.begin(), sizes.end());
  operands.insert(operands.end(), strides.begin(), strides.end());
  return emit(Opcode::MakeView, operands);
}

/// A view from an address within a view, of the elements that follow.
void Generator::emitAddress(DType dtype, unsigned rank) {
  Dims extents(rank), at(rank);
  std::vector<ValueId> operands(1);
  int64_t offset = 0;
  for (unsigned axis = 0; axis < rank; ++axis) {
    extents[axis] = random.between(1, 9);
    at[axis] = random.between(0, extents[axis] - 1);
    offset = offset * extents[axis] + at[axis];
    operands.push_back(constant(indexType(), at[axis]));
  }
  operands[0] = addFreshView(dtype, extents, {}, randomFill());
  ValueId pointer = emit(Opcode::Address, operands);
  int64_t left = product(extents) - offset, count = random.between(1, left);
  ValueId view =
      emit(Opcode::MakeView, {pointer, constant(indexType(), count), constant(indexType(), 1)});
  loadFrom(view, {count}, {random.between(1, count + 2)}, {0});
}

/// A view of the elements that follow some bytes in memory.
void Generator::emitByteOffset(DType dtype) {
  int64_t size = dtypeBytes(dtype), count = random.between(1, 40), skipped = random.between(0, 9);
  ValueId base = addPointer(dtype, addBuffer(dtype, size_t(count + skipped), randomFill()));
  Attr type;
  type.key = AttrKey::DType;
  type.i = int64_t(dtype);
  ValueId pointer = emit(Opcode::ByteOffset, {base, constant(indexType(), skipped * size)}, {type});
  ValueId view =
      emit(Opcode::MakeView, {pointer, constant(indexType(), count), constant(indexType(), 1)});
  loadFrom(view, {count}, {random.between(1, count + 2)}, {0});
}

/// Through a view made at the address of the program's row.
void Generator::storeThroughAddress(ValueId v) {
  Dims dims = dimsOf(typeOf(v));
  if (dims.empty())
    dims = {1};
  DType dtype = typeOf(v).dtype;
  ValueId rows = addFreshView(dtype, {programs, product(dims)}, {}, Fill::Ordinary);
  ValueId pointer = emit(Opcode::Address, {rows, pid, constant(indexType(), 0)});
  std::vector<ValueId> view = {pointer}, strides, operands = {v, 0};
  int64_t stride = 1;
  for (size_t axis = dims.size(); axis-- > 0;) {
    strides.insert(strides.begin(), constant(indexType(), stride));
    stride *= dims[axis];
  }
  for (int64_t d : dims) {
    view.push_back(constant(indexType(), d));
    operands.push_back(constant(indexType(), 0));
  }
  view.insert(view.end(), strides.begin(), strides.end());
  operands[1] = emit(Opcode::MakeView, view);
  emit(Opcode::Store, operands);
}

} // namespace tl::test
