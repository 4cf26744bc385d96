#include "codegen/gpu/lds.h"

#include "codegen/gpu/barrier.h"

#include <algorithm>
#include <cassert>

namespace tl::gpu {

// Below this an operation gets fresh room rather than a barrier before it.
static constexpr uint32_t freshBytes = 8192;

static uint32_t align16(uint32_t bytes) { return (bytes + 15) / 16 * 16; }

Lds::Lds(KernelContext &context) : context(context), arena(makeLdsVariable(context, 0, "arena")) {}

uint32_t Lds::open(uint32_t bytes) {
  assert(current.end == 0 && bytes <= context.ldsBytes);
  auto isFree = [&](uint32_t begin) {
    return std::none_of(pending.begin(), pending.end(), [&](const Range &range) {
      return begin < range.end && range.begin < begin + bytes;
    });
  };
  uint32_t begin = 0;
  if (!isFree(begin)) {
    for (const Range &range : pending)
      begin = std::max(begin, align16(range.end));
    if (begin + bytes > std::max(arenaBytes, freshBytes) || begin + bytes > context.ldsBytes) {
      emitLdsBarrier(context);
      pending.clear();
      begin = 0;
    }
  }
  current = {begin, begin + std::max(bytes, 1u)};
  arenaBytes = std::max(arenaBytes, align16(current.end));
  return begin;
}

void Lds::publish() {
  emitLdsBarrier(context);
  pending.clear();
}

void Lds::close() {
  pending.push_back(current);
  current = {0, 0};
}

llvm::Value *Lds::address(llvm::Value *bytes) { return byteOffset(context, arena, bytes); }

void Lds::finish() {
  if (arenaBytes != 0)
    arena->replaceAllUsesWith(makeLdsVariable(context, arenaBytes, "lds"));
  assert(arena->use_empty());
  arena->eraseFromParent();
}

bool LdsGap::fits(const TileLayout &layout, unsigned axis, unsigned shift) {
  const int64_t below = (int64_t(1) << shift) - 1;
  int64_t ofThreads = 0;
  for (const ThreadField &field : layout.threadFields(axis))
    ofThreads |= ((int64_t(1) << field.width) - 1) << field.coordinateShift;
  for (uint32_t i = 0; i < layout.numRegisters(); ++i)
    if (layout.registerCoordinates(i)[axis] & ofThreads & below)
      return false;
  return true;
}

namespace {

/// Registers that one LDS instruction moves.
struct Group {
  uint32_t first = 0;
  uint32_t count = 1;
  int64_t index = 0; // of the first, less the thread's part
};

/// The shared part of reading and writing: addresses, groups and predicates.
class Mover {
public:
  Mover(KernelContext &context, Lds &lds, const TileLayout &layout, DType dtype,
        const LdsPlace &place, const std::optional<LdsWindow> &window,
        const std::optional<TileBox> &box)
      : context(context), lds(lds), layout(layout), dtype(dtype), place(place), window(window),
        box(box), bytes(ldsBytes(dtype)), bounds(context, layout), run(registerRun(layout)),
        sum(threadSum(context, layout, place.strides)) {
    if (place.extra)
      sum.value = context.ir.CreateAdd(sum.value, place.extra);
    alignment = std::min(sum.alignment, place.extra ? place.extraAlignment : sum.alignment);
    if (const LdsGap &gap = place.gap; gap.elements != 0) {
      llvm::Value *steps =
          context.ir.CreateLShr(threadCoordinate(context, layout, gap.axis), gap.shift);
      sum.value =
          context.ir.CreateAdd(sum.value, context.ir.CreateMul(steps, context.i32(gap.elements)));
      alignment = std::min(alignment, uint32_t(gap.elements));
    }
    threadBytes = context.ir.CreateMul(sum.value, context.i32(bytes));
    if (window)
      weights = threadSum(context, layout, window->weights);
  }

  std::vector<Group> groups() const {
    std::vector<Group> result;
    for (uint32_t i = 0; i < layout.numRegisters();) {
      if (bounds.coverage(i) == Coverage::Outside || misses(i) || missesBox(i)) {
        ++i;
        continue;
      }
      Group group{i, width(i), registerIndex(i)};
      result.push_back(group);
      i += group.count;
    }
    return result;
  }

  /// Whether this thread's elements of the group take part; null if they do in all threads.
  llvm::Value *takesPart(const Group &group) {
    llvm::Value *inside =
        conjunctions.both(context, bounds.inside(group.first), insideWindow(group.first));
    return box ? conjunctions.both(context, inside, bounds.inside(group.first, *box)) : inside;
  }

  uint32_t accessAlignment(const Group &group) const {
    uint64_t terms =
        uint64_t(alignment) * bytes | uint64_t(group.index) * bytes | place.region | 16;
    return uint32_t(terms & (0 - terms));
  }

  /// The address of a group; where `condition` is false, that of the region's start.
  llvm::Value *address(const Group &group, llvm::Value *condition) {
    llvm::Value *offset =
        context.ir.CreateAdd(threadBytes, context.i32(int64_t(place.region) + group.index * bytes));
    if (condition)
      offset = context.ir.CreateSelect(condition, offset, context.i32(place.region));
    return lds.address(offset);
  }

private:
  KernelContext &context;
  Lds &lds;
  const TileLayout &layout;
  DType dtype;
  const LdsPlace &place;
  const std::optional<LdsWindow> &window;
  const std::optional<TileBox> &box;
  uint32_t bytes;
  TileBounds bounds;
  RegisterRun run;
  ThreadSum sum, weights;
  uint32_t alignment = 1;
  llvm::Value *threadBytes = nullptr;
  std::map<int64_t, llvm::Value *> windowTests; // by the register's part of the position
  Conjunctions conjunctions;

  /// Where a register stands, less the thread's part.
  int64_t registerIndex(uint32_t i) const {
    const LdsGap &gap = place.gap;
    int64_t index = registerSum(layout, i, place.strides) - place.origin;
    if (gap.elements != 0)
      index += (layout.registerCoordinates(i)[gap.axis] >> gap.shift) * gap.elements;
    return index;
  }

  /// No thread's element of the register lies in the window.
  bool misses(uint32_t registerIndex) const {
    if (!window)
      return false;
    int64_t lowest = registerSum(layout, registerIndex, window->weights);
    return lowest + weights.smallest >= window->high || lowest + weights.largest < window->low;
  }

  bool missesBox(uint32_t registerIndex) const {
    return box && bounds.coverage(registerIndex, *box) == Coverage::Outside;
  }

  llvm::Value *insideWindow(uint32_t registerIndex) {
    if (!window)
      return nullptr;
    int64_t lowest = registerSum(layout, registerIndex, window->weights);
    if (lowest + weights.smallest >= window->low && lowest + weights.largest < window->high)
      return nullptr;
    llvm::Value *&test = windowTests[lowest];
    if (!test) {
      llvm::Value *position =
          context.ir.CreateAdd(weights.value, context.i32(lowest - window->low));
      test = context.ir.CreateICmpULT(position, context.i32(window->high - window->low));
    }
    return test;
  }

  /// The most registers from this one on that one access can move: consecutive and aligned in LDS,
  /// together inside or outside the tile and the window.
  uint32_t width(uint32_t first) const {
    if (place.strides.empty() || place.strides[run.axis] != 1)
      return 1;
    uint32_t count = std::min(run.length, 16 / bytes);
    if (window)
      count = std::min(count, window->alignment);
    const int64_t index = registerIndex(first);
    for (; count > 1; count /= 2) {
      bool aligned = first % count == 0 && alignment % count == 0 && index % count == 0 &&
                     place.region % (count * bytes) == 0;
      if (aligned && staysTogether(first, count))
        return count;
    }
    return 1;
  }

  /// In every thread, all of the registers lie inside the tile and the box or none does.
  bool staysTogether(uint32_t first, uint32_t count) const {
    if (box && (box->low[run.axis] % count != 0 || (box->high[run.axis] % count != 0 &&
                                                    box->high[run.axis] < layout.extent(run.axis))))
      return false;
    if (layout.extent(run.axis) % count == 0)
      return true;
    for (uint32_t i = first; i < first + count; ++i)
      if (bounds.coverage(i, run.axis) != Coverage::Inside)
        return false;
    return true;
  }
};

} // namespace

void writeTile(KernelContext &context, Lds &lds, const TileLayout &layout,
               std::span<llvm::Value *const> registers, DType dtype, const LdsPlace &place,
               const std::optional<LdsWindow> &window, uint32_t distinguished) {
  std::optional<TileBox> everything;
  Mover mover(context, lds, layout, dtype, place, window, everything);
  llvm::Value *owner = ownerTest(context, layout, distinguished);
  Conjunctions conjunctions;
  // Groups under one condition share a branch.
  std::vector<std::pair<llvm::Value *, std::vector<Group>>> byCondition;
  for (const Group &group : mover.groups()) {
    llvm::Value *condition = conjunctions.both(context, owner, mover.takesPart(group));
    auto same = std::find_if(byCondition.begin(), byCondition.end(),
                             [&](const auto &entry) { return entry.first == condition; });
    if (same == byCondition.end())
      same = byCondition.insert(byCondition.end(), {condition, {}});
    same->second.push_back(group);
  }
  for (const auto &[condition, groups] : byCondition)
    emitIf(context, condition, [&, &groups = groups] {
      for (const Group &group : groups)
        storeElements(context, mover.address(group, nullptr), dtype,
                      registers.subspan(group.first, group.count), mover.accessAlignment(group));
    });
}

void readTile(KernelContext &context, Lds &lds, const TileLayout &layout,
              std::span<llvm::Value *> registers, DType dtype, const LdsPlace &place,
              const std::optional<LdsWindow> &window, const std::optional<TileBox> &box) {
  Mover mover(context, lds, layout, dtype, place, window, box);
  std::map<std::pair<int64_t, llvm::Value *>, Group> known; // by index and condition: read already
  for (const Group &group : mover.groups()) {
    llvm::Value *condition = mover.takesPart(group);
    auto [entry, isNew] = known.try_emplace({group.index, condition}, group);
    // Within a box the others keep what they had, which may differ.
    if (!box && !isNew && entry->second.count >= group.count) {
      for (uint32_t i = 0; i < group.count; ++i)
        registers[group.first + i] = registers[entry->second.first + i];
      continue;
    }
    std::vector<llvm::Value *> elements(group.count);
    loadElements(context, mover.address(group, condition), dtype, mover.accessAlignment(group),
                 elements);
    for (uint32_t i = 0; i < group.count; ++i) {
      llvm::Value *&target = registers[group.first + i];
      target = (window || box) && condition
                   ? context.ir.CreateSelect(condition, elements[i], target)
                   : elements[i];
    }
  }
}

} // namespace tl::gpu
