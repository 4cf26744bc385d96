#include "codegen/gpu/memory_order.h"

#include "codegen/gpu/tile_access.h"

#include <algorithm>

namespace tl::gpu {

namespace {

bool writes(const Op &op) { return writesMemory(op.opcode); }
bool isAccess(const Op &op) {
  return writes(op) || isAtomic(op.opcode) || opInfo(op.opcode).effect == Effect::Read;
}

/// Different elements of the view within its bounds have different addresses.
bool isInjective(const Graph &graph, ValueId view) {
  for (unsigned axis = 0; axis < graph.typeOf(view).rank; ++axis)
    if (graph.viewStride(view, axis))
      return false;
  return true;
}

} // namespace

/// Both touch, for each element, the same address from the same thread (or from copies in the same
/// wave, which run in program order).
bool MemoryOrder::sameElementsInSameThreads(const Op &earlier, const Op &later) {
  const Graph &graph = context.graph;
  auto isTileAccess = [](const Op &op) {
    return op.opcode == Opcode::Load || op.opcode == Opcode::Store;
  };
  if (!isTileAccess(earlier) || !isTileAccess(later))
    return false;
  auto tileType = [&](const Op &op) -> const Type & {
    return graph.typeOf(op.opcode == Opcode::Load ? graph.result(op) : graph.operand(op, 0));
  };
  ValueId view = graph.viewOperand(earlier);
  if (view != graph.viewOperand(later) || !isInjective(graph, view))
    return false;
  auto equal = [](auto a, auto b) { return std::equal(a.begin(), a.end(), b.begin(), b.end()); };
  if (!equal(graph.indexOperands(earlier), graph.indexOperands(later)) ||
      !tileType(earlier).sameShape(tileType(later)) ||
      graph.tileAxes(earlier) != graph.tileAxes(later))
    return false;
  const TileLayout &layout = *layouts.of(earlier).layout; // equal for both
  if (isStaged(layout))
    return false;
  bool bothWrite = writes(earlier) && writes(later); // only owners write
  return bothWrite || layout.freeWaveMask() == 0;
}

/// Atomic operations of one kind that give nothing may run in any order.
bool MemoryOrder::commute(const Op &earlier, const Op &later) const {
  auto givesNothing = [&](const Op &op) { return !used[context.graph.result(op)]; };
  return isAtomic(later.opcode) && earlier.opcode == later.opcode && combiningOp(later.opcode) &&
         givesNothing(earlier) && givesNothing(later);
}

bool MemoryOrder::mayConflict(const Access &earlier, const Op &later) {
  const Graph &graph = context.graph;
  if ((!writes(*earlier.op) && !writes(later)) || commute(*earlier.op, later))
    return false;
  if (areApart(graph, graph.viewOperand(*earlier.op), graph.viewOperand(later)))
    return false;
  // Threads without an element of a load read the first one of shared memory.
  return earlier.otherIteration || isShared(graph, graph.viewOperand(later)) ||
         !sameElementsInSameThreads(*earlier.op, later);
}

void MemoryOrder::add(const Access &access) {
  for (Access &known : pending)
    if (known.op == access.op) {
      known.otherIteration |= access.otherIteration;
      return;
    }
  pending.push_back(access);
}

MemoryOrder::MemoryOrder(KernelContext &context, AccessLayouts &layouts)
    : context(context), layouts(layouts), used(context.graph.values.size(), false) {
  for (const Op &op : context.graph.ops)
    for (ValueId value : context.graph.operands(op))
      used[value] = true;
}

BarrierKind MemoryOrder::barrierBefore(const Op &op) {
  bool conflict = std::any_of(pending.begin(), pending.end(),
                              [&](const Access &access) { return mayConflict(access, op); });
  // Views in conflict are both of shared memory or neither is.
  bool shared = isShared(context.graph, context.graph.viewOperand(op));
  if (conflict)
    passed(shared ? BarrierKind::Lds : BarrierKind::Memory);
  add({&op, false});
  return !conflict ? BarrierKind::None : shared ? BarrierKind::Lds : BarrierKind::Memory;
}

void MemoryOrder::passed(BarrierKind kind) {
  if (kind == BarrierKind::Memory)
    pending.clear();
  if (kind == BarrierKind::Lds)
    std::erase_if(pending, [&](const Access &access) {
      return isShared(context.graph, context.graph.viewOperand(*access.op));
    });
}

void MemoryOrder::join(const Pending &other) {
  for (const Access &access : other)
    add(access);
}

void MemoryOrder::enterLoop(BlockId body) {
  for (OpId id : context.graph.block(body).ops) {
    const Op &op = context.graph.ops[id];
    if (isAccess(op))
      add({&op, true});
    for (BlockId region : context.graph.regions(op))
      enterLoop(region);
  }
}

} // namespace tl::gpu
