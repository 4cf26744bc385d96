#include "codegen/gpu/tile_access.h"

#include "codegen/gpu/register_phis.h"
#include "layout/register_conversion.h"

#include <algorithm>

namespace tl::gpu {

namespace {

/// Distances below this fit the offset field of a global memory instruction on every chip.
constexpr int64_t maxImmediate = 2048;
/// Registers up to which the masked versions are straight code, one access for each.
constexpr uint32_t maxMaskedRegisters = 8;
/// LDS that a masked version takes at one time.
constexpr uint32_t stagingBytes = 16384;
/// Elements that a thread loads at one time in a masked version's loop, to have several in flight.
constexpr int64_t loadsInFlight = 4;

/// One access, load or store: its uniform facts, made where the object is created.
class TileAccess {
public:
  TileAccess(KernelContext &context, Lds &lds, const TilePosition &position,
             const TileLayout &layout);

  std::vector<llvm::Value *> load(llvm::Value *pad);
  void store(std::span<llvm::Value *const> registers);

private:
  /// Registers that one instruction moves.
  struct Group {
    uint32_t first = 0, count = 1;
  };
  /// The tile's visible coordinates along an axis: low <= coordinate < low + span.
  struct Window {
    llvm::Value *low = nullptr, *span = nullptr; // i32
  };
  using Registers = std::vector<llvm::Value *>;

  KernelContext &context;
  Builder &ir;
  Lds &lds;
  const TileLayout &layout;
  DType dtype;
  uint32_t bytes;
  std::vector<llvm::Value *> offsets, extents, strides; // i64 by tile axis; strides in bytes
  llvm::Value *origin = nullptr;                        // the tile's first element
  llvm::Value *visible = nullptr; // in bounds along the axes that are not the tile's, or null
  RegisterRun run;                // of the fast version
  Conjunctions conjunctions;

  llvm::Value *isInBounds();
  llvm::Value *fitsFastAddresses();
  std::vector<Group> fastGroups(const TileBounds &bounds) const;
  llvm::Value *fastThreadOffset();
  llvm::Value *fastAddress(uint32_t registerIndex, llvm::Value *threadOffset);
  Registers loadFast(llvm::Value *pad);
  void storeFast(Registers registers);

  std::vector<Window> visibleWindows();
  llvm::Value *maskedThreadAddress();
  llvm::Value *registerOffset(uint32_t registerIndex);
  llvm::Value *insideWindows(TileBounds &bounds, uint32_t registerIndex,
                             std::span<const Window> windows,
                             std::map<std::pair<unsigned, llvm::Value *>, llvm::Value *> &tests);
  Registers loadMasked(llvm::Value *pad);
  void storeMasked(Registers registers);

  /// A part of the tile that stands in LDS in row-major order.
  struct Part {
    int64_t begin = 0, end = 0; // row-major indices
    LdsPlace place;
    std::optional<LdsWindow> window;
  };
  /// One element of a part: where it is in LDS and in memory, and whether it may be touched.
  struct StagedElement {
    llvm::Value *isInPart = nullptr; // null: always
    llvm::Value *isInside = nullptr;
    llvm::Value *ldsOffset = nullptr; // i32
    llvm::Value *address = nullptr;
  };
  std::vector<Part> parts() const;
  StagedElement stagedElement(const Part &part, llvm::Value *step, std::span<const Window> windows);
  void forElements(const Part &part, std::span<const Window> windows, int64_t unroll,
                   const std::function<void(std::span<const StagedElement>)> &body);
  Registers loadStaged(llvm::Value *pad);
  void storeStaged(Registers registers);

  void eitherWay(llvm::Value *condition, const std::function<void()> &yes,
                 const std::function<void()> &no);
};

TileAccess::TileAccess(KernelContext &context, Lds &lds, const TilePosition &position,
                       const TileLayout &layout)
    : context(context), ir(context.ir), lds(lds), layout(layout), dtype(position.view.dtype),
      bytes(dtypeBytes(dtype)), run(registerRun(layout)) {
  const ViewValue &view = position.view;
  std::span<llvm::Value *const> indices = position.indices;
  std::span<const unsigned> viewAxes = position.viewAxes;
  for (unsigned axis : viewAxes) {
    offsets.push_back(indices[axis]);
    extents.push_back(view.extents[axis]);
    strides.push_back(ir.CreateMul(view.strides[axis], context.i64(bytes)));
  }
  llvm::Value *distance = context.i64(0);
  for (unsigned axis = 0; axis < indices.size(); ++axis) {
    distance = ir.CreateAdd(distance, ir.CreateMul(indices[axis], view.strides[axis]));
    if (std::find(viewAxes.begin(), viewAxes.end(), axis) != viewAxes.end())
      continue;
    llvm::Value *notNegative = ir.CreateICmpSGE(indices[axis], context.i64(0));
    llvm::Value *below = ir.CreateICmpSLT(indices[axis], view.extents[axis]);
    visible = conjunctions.both(context, visible, ir.CreateAnd(notNegative, below));
  }
  origin = byteOffset(context, view.base, ir.CreateMul(distance, context.i64(bytes)));
  run.length = std::min(run.length, 16 / bytes);
  // Axes are in the order of memory. Results of matrix instructions have runs along the outer one.
  for (unsigned axis = run.axis + 1; axis < layout.rank(); ++axis)
    if (layout.extent(axis) > 1)
      run.length = 1;
  // A stride that is known not to be 1 rules vectors out; one that is not known is tested at run
  // time.
  auto *stride = run.length > 1 ? llvm::dyn_cast<llvm::ConstantInt>(strides[run.axis]) : nullptr;
  if (stride && stride->getSExtValue() != int64_t(bytes))
    run.length = 1;
}

/// i1, or null for always: every element of the tile is in bounds. Exact for all i64.
llvm::Value *TileAccess::isInBounds() {
  llvm::Value *all = visible;
  for (unsigned axis = 0; axis < layout.rank(); ++axis) {
    llvm::Value *size = context.i64(layout.extent(axis));
    llvm::Value *low = ir.CreateICmpSGE(offsets[axis], context.i64(0));
    llvm::Value *large = ir.CreateICmpSGE(extents[axis], size);
    llvm::Value *high = ir.CreateICmpSLE(offsets[axis], ir.CreateSub(extents[axis], size));
    all = conjunctions.both(context, all, ir.CreateAnd(ir.CreateAnd(low, large), high));
  }
  return all;
}

/// i1, or null for always: distances between elements fit an unsigned 32-bit offset, and vectors
/// are contiguous and aligned.
llvm::Value *TileAccess::fitsFastAddresses() {
  llvm::Value *all = nullptr;
  uint32_t vectorBytes = run.length * bytes;
  llvm::Value *misalignment = context.i64(0);
  if (vectorBytes > bytes)
    misalignment = ir.CreatePtrToInt(origin, ir.getInt64Ty());
  for (unsigned axis = 0; axis < layout.rank(); ++axis) {
    int64_t steps = layout.extent(axis) - 1;
    if (steps == 0)
      continue;
    if (run.length > 1 && axis == run.axis) {
      all = conjunctions.both(context, all, ir.CreateICmpEQ(strides[axis], context.i64(bytes)));
      continue;
    }
    // Up to five axes stay below 2^32 together.
    all = conjunctions.both(
        context, all, ir.CreateICmpULE(strides[axis], context.i64((int64_t(1) << 29) / steps)));
    misalignment = ir.CreateOr(misalignment, strides[axis]);
  }
  if (vectorBytes > bytes) {
    llvm::Value *low =
        ir.CreateAnd(ir.CreateTrunc(misalignment, ir.getInt32Ty()), context.i32(vectorBytes - 1));
    all = conjunctions.both(context, all, ir.CreateICmpEQ(low, context.i32(0)));
  }
  return all;
}

std::vector<TileAccess::Group> TileAccess::fastGroups(const TileBounds &bounds) const {
  std::vector<Group> groups;
  for (uint32_t i = 0; i < layout.numRegisters();) {
    if (bounds.coverage(i) == Coverage::Outside) {
      ++i;
      continue;
    }
    uint32_t count = run.length;
    // All of a vector's elements lie inside the tile, or none, in every thread.
    auto staysTogether = [&] {
      if (layout.extent(run.axis) % count == 0)
        return true;
      for (uint32_t j = i; j < i + count; ++j)
        if (bounds.coverage(j, run.axis) != Coverage::Inside)
          return false;
      return true;
    };
    while (count > 1 && (i % count != 0 || !staysTogether()))
      count /= 2;
    groups.push_back({i, count});
    i += count;
  }
  return groups;
}

/// i64, zero-extended from 32 bits so that it can be an instruction's offset register.
llvm::Value *TileAccess::fastThreadOffset() {
  llvm::Value *offset = context.i32(0);
  for (unsigned axis = 0; axis < layout.rank(); ++axis) {
    bool isVectorAxis = run.length > 1 && axis == run.axis;
    llvm::Value *stride =
        isVectorAxis ? context.i32(bytes) : ir.CreateTrunc(strides[axis], ir.getInt32Ty());
    offset = ir.CreateAdd(offset, ir.CreateMul(threadCoordinate(context, layout, axis), stride));
  }
  return ir.CreateZExt(offset, ir.getInt64Ty());
}

llvm::Value *TileAccess::fastAddress(uint32_t registerIndex, llvm::Value *threadOffset) {
  TileCoordinates coordinates = layout.registerCoordinates(registerIndex);
  llvm::Value *uniformPart = context.i64(0);
  int64_t immediate = 0;
  for (unsigned axis = 0; axis < layout.rank(); ++axis) {
    bool isVectorAxis = run.length > 1 && axis == run.axis;
    llvm::Value *stride = isVectorAxis ? context.i64(bytes) : strides[axis];
    auto *literal = llvm::dyn_cast<llvm::ConstantInt>(stride);
    int64_t distance = literal ? coordinates[axis] * literal->getSExtValue() : maxImmediate;
    if (immediate + distance < maxImmediate)
      immediate += distance;
    else
      uniformPart = ir.CreateAdd(uniformPart, ir.CreateMul(stride, context.i64(coordinates[axis])));
  }
  llvm::Value *address =
      byteOffset(context, byteOffset(context, origin, uniformPart), threadOffset);
  return byteOffset(context, address, context.i64(immediate));
}

TileAccess::Registers TileAccess::loadFast(llvm::Value *pad) {
  TileBounds bounds(context, layout);
  llvm::Value *threadOffset = fastThreadOffset();
  Registers registers(layout.numRegisters(), pad);
  for (const Group &group : fastGroups(bounds)) {
    llvm::Value *address = fastAddress(group.first, threadOffset);
    if (llvm::Value *inside = bounds.inside(group.first))
      address = ir.CreateSelect(inside, address, safeAddress(context, origin));
    loadElements(context, address, dtype, group.count * bytes,
                 std::span(registers).subspan(group.first, group.count));
  }
  return registers;
}

void TileAccess::storeFast(Registers registers) {
  TileBounds bounds(context, layout);
  llvm::Value *threadOffset = fastThreadOffset();
  llvm::Value *owner = ownerTest(context, layout);
  // Groups under one condition share a branch.
  std::vector<std::pair<llvm::Value *, std::vector<Group>>> byCondition;
  for (const Group &group : fastGroups(bounds)) {
    llvm::Value *condition = conjunctions.both(context, owner, bounds.inside(group.first));
    auto same = std::find_if(byCondition.begin(), byCondition.end(),
                             [&](const auto &entry) { return entry.first == condition; });
    if (same == byCondition.end())
      same = byCondition.insert(byCondition.end(), {condition, {}});
    same->second.push_back(group);
  }
  for (const auto &[condition, groups] : byCondition)
    emitIf(context, condition, [&, &groups = groups] {
      for (const Group &group : groups)
        storeElements(context, fastAddress(group.first, threadOffset), dtype,
                      std::span(registers).subspan(group.first, group.count), group.count * bytes);
    });
}

/// The coordinates of the tile that are in bounds. Exact for all i64: with e the view's extent, o
/// the tile's offset and n its size, low = min(max(-o, 0), n) and high = min(max(e - o, 0), n) as
/// unbounded integers.
std::vector<TileAccess::Window> TileAccess::visibleWindows() {
  std::vector<Window> windows;
  llvm::Value *zero = context.i64(0);
  for (unsigned axis = 0; axis < layout.rank(); ++axis) {
    llvm::Value *offset = offsets[axis], *extent = extents[axis],
                *size = context.i64(layout.extent(axis));
    llvm::Value *beyond = ir.CreateICmpSLE(offset, ir.CreateNeg(size));
    llvm::Value *before = ir.CreateSelect(beyond, size, ir.CreateNeg(offset));
    llvm::Value *low = ir.CreateSelect(ir.CreateICmpSGE(offset, zero), zero, before);
    // e > o: the difference fits 64 bits unsigned.
    llvm::Value *remaining = ir.CreateSub(extent, offset);
    llvm::Value *clamped = ir.CreateSelect(ir.CreateICmpULT(remaining, size), remaining, size);
    llvm::Value *high = ir.CreateSelect(ir.CreateICmpSGT(extent, offset), clamped, zero);
    llvm::Value *span = ir.CreateSelect(ir.CreateICmpUGT(high, low), ir.CreateSub(high, low), zero);
    if (axis == 0 && visible)
      span = ir.CreateSelect(visible, span, zero);
    windows.push_back(
        {ir.CreateTrunc(low, ir.getInt32Ty()), ir.CreateTrunc(span, ir.getInt32Ty())});
  }
  return windows;
}

llvm::Value *TileAccess::maskedThreadAddress() {
  llvm::Value *offset = context.i64(0);
  for (unsigned axis = 0; axis < layout.rank(); ++axis) {
    llvm::Value *coordinate =
        ir.CreateZExt(threadCoordinate(context, layout, axis), ir.getInt64Ty());
    offset = ir.CreateAdd(offset, ir.CreateMul(coordinate, strides[axis]));
  }
  return byteOffset(context, origin, offset);
}

llvm::Value *TileAccess::registerOffset(uint32_t registerIndex) {
  TileCoordinates coordinates = layout.registerCoordinates(registerIndex);
  llvm::Value *offset = context.i64(0);
  for (unsigned axis = 0; axis < layout.rank(); ++axis)
    offset = ir.CreateAdd(offset, ir.CreateMul(strides[axis], context.i64(coordinates[axis])));
  return offset;
}

/// i1: this thread's element is in bounds (and not padding). `tests` holds those made so far.
llvm::Value *
TileAccess::insideWindows(TileBounds &bounds, uint32_t registerIndex,
                          std::span<const Window> windows,
                          std::map<std::pair<unsigned, llvm::Value *>, llvm::Value *> &tests) {
  llvm::Value *all = nullptr;
  for (unsigned axis = 0; axis < layout.rank(); ++axis) {
    llvm::Value *coordinate = bounds.coordinate(registerIndex, axis);
    llvm::Value *&test = tests[{axis, coordinate}];
    if (!test)
      test = ir.CreateICmpULT(ir.CreateSub(coordinate, windows[axis].low), windows[axis].span);
    all = conjunctions.both(context, all, test);
  }
  return all;
}

TileAccess::Registers TileAccess::loadMasked(llvm::Value *pad) {
  TileBounds bounds(context, layout);
  std::vector<Window> windows = visibleWindows();
  std::map<std::pair<unsigned, llvm::Value *>, llvm::Value *> tests;
  llvm::Value *threadAddress = maskedThreadAddress();
  Registers registers(layout.numRegisters(), pad);
  for (uint32_t i = 0; i < layout.numRegisters(); ++i) {
    if (bounds.coverage(i) == Coverage::Outside)
      continue;
    llvm::Value *inside = insideWindows(bounds, i, windows, tests);
    llvm::Value *address = byteOffset(context, threadAddress, registerOffset(i));
    address = ir.CreateSelect(inside, address, safeAddress(context, origin));
    loadElements(context, address, dtype, bytes, std::span(registers).subspan(i, 1));
    registers[i] = ir.CreateSelect(inside, registers[i], pad);
  }
  return registers;
}

void TileAccess::storeMasked(Registers registers) {
  TileBounds bounds(context, layout);
  std::vector<Window> windows = visibleWindows();
  std::map<std::pair<unsigned, llvm::Value *>, llvm::Value *> tests;
  llvm::Value *threadAddress = maskedThreadAddress();
  llvm::Value *owner = ownerTest(context, layout);
  std::vector<llvm::Value *> conditions;
  for (uint32_t i = 0; i < layout.numRegisters(); ++i)
    conditions.push_back(
        bounds.coverage(i) == Coverage::Outside
            ? ir.getFalse()
            : conjunctions.both(context, owner, insideWindows(bounds, i, windows, tests)));
  for (uint32_t i = 0; i < layout.numRegisters(); ++i)
    emitIf(context, conditions[i], [&] {
      llvm::Value *address = byteOffset(context, threadAddress, registerOffset(i));
      storeElements(context, address, dtype, std::span(registers).subspan(i, 1), bytes);
    });
}

std::vector<TileAccess::Part> TileAccess::parts() const {
  std::vector<int64_t> shape;
  int64_t total = 1;
  for (unsigned axis = 0; axis < layout.rank(); ++axis) {
    shape.push_back(layout.extent(axis));
    total *= shape.back();
  }
  std::vector<int64_t> strides = CoordinateMap::reshape(shape).strides;
  int64_t size = std::min<int64_t>(total, lds.room(stagingBytes) / bytes);
  std::vector<Part> result;
  for (int64_t begin = 0; begin < total; begin += size) {
    Part part{begin, std::min(begin + size, total), {0, strides, begin}, {}};
    if (size < total)
      part.window = {strides, part.begin, part.end, 16};
    result.push_back(std::move(part));
  }
  return result;
}

/// The element that this thread has in a step of the loop over a part.
TileAccess::StagedElement TileAccess::stagedElement(const Part &part, llvm::Value *step,
                                                    std::span<const Window> windows) {
  StagedElement element;
  int64_t count = part.end - part.begin;
  llvm::Value *index =
      ir.CreateAdd(ir.CreateMul(step, context.i32(context.threads())), context.thread);
  if (count % context.threads() != 0)
    element.isInPart = ir.CreateICmpULT(index, context.i32(count));
  element.isInside = element.isInPart;
  element.ldsOffset =
      ir.CreateAdd(ir.CreateMul(index, context.i32(bytes)), context.i32(part.place.region));
  llvm::Value *rest = ir.CreateAdd(index, context.i32(part.begin)), *distance = context.i64(0);
  for (unsigned axis = layout.rank(); axis-- > 0;) {
    llvm::Value *extent = context.i32(layout.extent(axis));
    llvm::Value *coordinate = axis == 0 ? rest : ir.CreateURem(rest, extent);
    rest = axis == 0 ? rest : ir.CreateUDiv(rest, extent);
    llvm::Value *test =
        ir.CreateICmpULT(ir.CreateSub(coordinate, windows[axis].low), windows[axis].span);
    element.isInside = element.isInside ? ir.CreateAnd(element.isInside, test) : test;
    distance = ir.CreateAdd(
        distance, ir.CreateMul(ir.CreateZExt(coordinate, ir.getInt64Ty()), strides[axis]));
  }
  element.address = byteOffset(context, origin, distance);
  return element;
}

/// A rolled loop over the elements of a part, neighbours in neighbouring threads.
void TileAccess::forElements(const Part &part, std::span<const Window> windows, int64_t unroll,
                             const std::function<void(std::span<const StagedElement>)> &body) {
  int64_t steps = (part.end - part.begin + context.threads() - 1) / context.threads();
  while (steps % unroll != 0)
    unroll /= 2;
  llvm::LLVMContext &llvmContext = ir.getContext();
  llvm::BasicBlock *before = ir.GetInsertBlock();
  auto *loop = llvm::BasicBlock::Create(llvmContext, "", &context.function);
  auto *after = llvm::BasicBlock::Create(llvmContext, "", &context.function);
  ir.CreateBr(loop);
  ir.SetInsertPoint(loop);
  llvm::PHINode *step = ir.CreatePHI(ir.getInt32Ty(), 2);
  step->addIncoming(context.i32(0), before);
  std::vector<StagedElement> elements;
  for (int64_t i = 0; i < unroll; ++i)
    elements.push_back(stagedElement(part, ir.CreateAdd(step, context.i32(i)), windows));
  body(elements);
  llvm::Value *next = ir.CreateAdd(step, context.i32(unroll));
  step->addIncoming(next, ir.GetInsertBlock());
  keepRolled(context, ir.CreateCondBr(ir.CreateICmpULT(next, context.i32(steps)), loop, after));
  ir.SetInsertPoint(after);
}

TileAccess::Registers TileAccess::loadStaged(llvm::Value *pad) {
  std::vector<Window> windows = visibleWindows();
  Registers registers(layout.numRegisters(), pad);
  for (Part &part : parts()) {
    part.place.region = lds.open(uint32_t(part.end - part.begin) * bytes);
    forElements(part, windows, loadsInFlight, [&](std::span<const StagedElement> elements) {
      Registers values(elements.size());
      for (size_t i = 0; i < elements.size(); ++i) {
        llvm::Value *address = ir.CreateSelect(elements[i].isInside, elements[i].address,
                                               safeAddress(context, origin));
        loadElements(context, address, dtype, bytes, std::span(values).subspan(i, 1));
      }
      for (size_t i = 0; i < elements.size(); ++i)
        values[i] = ir.CreateSelect(elements[i].isInside, values[i], pad);
      for (size_t i = 0; i < elements.size(); ++i)
        emitIf(context, elements[i].isInPart, [&] {
          storeElements(context, lds.address(elements[i].ldsOffset), dtype,
                        std::span(values).subspan(i, 1), bytes);
        });
    });
    lds.publish();
    readTile(context, lds, layout, registers, dtype, part.place, part.window);
    lds.close();
  }
  return registers;
}

void TileAccess::storeStaged(Registers registers) {
  std::vector<Window> windows = visibleWindows();
  for (Part &part : parts()) {
    part.place.region = lds.open(uint32_t(part.end - part.begin) * bytes);
    writeTile(context, lds, layout, registers, dtype, part.place, part.window);
    lds.publish();
    forElements(part, windows, 1, [&](std::span<const StagedElement> elements) {
      Registers values(elements.size());
      for (size_t i = 0; i < elements.size(); ++i) {
        // Beyond the part an element has no place of its own there.
        llvm::Value *offset = elements[i].ldsOffset;
        if (elements[i].isInPart)
          offset = ir.CreateSelect(elements[i].isInPart, offset, context.i32(part.place.region));
        loadElements(context, lds.address(offset), dtype, bytes, std::span(values).subspan(i, 1));
      }
      for (size_t i = 0; i < elements.size(); ++i)
        emitIf(context, elements[i].isInside, [&] {
          storeElements(context, elements[i].address, dtype, std::span(values).subspan(i, 1),
                        bytes);
        });
    });
    lds.close();
  }
}

/// Emits two ways and leaves the insertion point where they join; only one of them when the
/// condition is known.
void TileAccess::eitherWay(llvm::Value *condition, const std::function<void()> &yes,
                           const std::function<void()> &no) {
  auto *constant = llvm::dyn_cast_or_null<llvm::ConstantInt>(condition);
  if (!condition || constant)
    return !condition || constant->isOne() ? yes() : no();
  llvm::LLVMContext &llvmContext = ir.getContext();
  auto *yesBlock = llvm::BasicBlock::Create(llvmContext, "", &context.function);
  auto *noBlock = llvm::BasicBlock::Create(llvmContext, "", &context.function);
  auto *join = llvm::BasicBlock::Create(llvmContext, "", &context.function);
  ir.CreateCondBr(condition, yesBlock, noBlock);
  Lds::Pending before = lds.state(), after;
  for (auto [block, emit] : {std::pair(yesBlock, &yes), std::pair(noBlock, &no)}) {
    ir.SetInsertPoint(block);
    lds.setState(before);
    (*emit)();
    after.insert(after.end(), lds.state().begin(), lds.state().end());
    ir.CreateBr(join);
  }
  lds.setState(std::move(after));
  ir.SetInsertPoint(join);
}

std::vector<llvm::Value *> TileAccess::load(llvm::Value *pad) {
  Registers fast, masked;
  llvm::BasicBlock *fastEnd = nullptr, *maskedEnd = nullptr;
  auto loadScalar = [&] {
    fast.resize(1);
    loadElements(context, origin, dtype, bytes, fast);
    fastEnd = ir.GetInsertBlock();
  };
  auto loadInBounds = [&] {
    fast = loadFast(pad);
    fastEnd = ir.GetInsertBlock();
  };
  auto loadAny = [&] {
    masked = layout.rank() == 0 ? Registers{pad}
             : isStaged(layout) ? loadStaged(pad)
                                : loadMasked(pad);
    maskedEnd = ir.GetInsertBlock();
  };
  if (layout.rank() == 0)
    eitherWay(visible, loadScalar, loadAny);
  else
    eitherWay(conjunctions.both(context, isInBounds(), fitsFastAddresses()), loadInBounds, loadAny);
  if (!fastEnd || !maskedEnd)
    return fastEnd ? fast : masked;
  RegisterPhis phis(ir, fast);
  phis.addIncoming(fast, fastEnd);
  phis.addIncoming(masked, maskedEnd);
  return phis.take();
}

void TileAccess::store(std::span<llvm::Value *const> values) {
  Registers registers(values.begin(), values.end());
  if (layout.rank() == 0) {
    llvm::Value *owner = ownerTest(context, layout);
    emitIf(context, conjunctions.both(context, visible, owner),
           [&] { storeElements(context, origin, dtype, registers, bytes); });
    return;
  }
  eitherWay(
      conjunctions.both(context, isInBounds(), fitsFastAddresses()), [&] { storeFast(registers); },
      [&] { isStaged(layout) ? storeStaged(registers) : storeMasked(registers); });
}

} // namespace

bool isStaged(const TileLayout &layout) { return layout.numRegisters() > maxMaskedRegisters; }

std::vector<llvm::Value *> loadTile(KernelContext &context, Lds &lds, const TilePosition &position,
                                    const TileLayout &layout, llvm::Value *pad) {
  return TileAccess(context, lds, position, layout).load(pad);
}

void storeTile(KernelContext &context, Lds &lds, const TilePosition &position,
               const TileLayout &layout, std::span<llvm::Value *const> registers) {
  TileAccess(context, lds, position, layout).store(registers);
}

} // namespace tl::gpu
