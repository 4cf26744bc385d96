// Program order of global memory within a workgroup: a barrier stands between two accesses of one
// program when threads could otherwise see them in the wrong order. Between programs the graph
// promises no order.
#pragma once

#include "codegen/gpu/access_layout.h"

namespace tl::gpu {

/// What a barrier orders besides the threads: LDS alone, or all memory.
enum class BarrierKind { None, Lds, Memory };

class MemoryOrder {
public:
  MemoryOrder(KernelContext &context, AccessLayouts &layouts);

  /// Before the code of an op that reads or writes memory: the barrier that must be emitted first
  /// (what it orders counts as ordered then). Notes the access.
  BarrierKind barrierBefore(const Op &op);
  /// Some other barrier has passed.
  void passed(BarrierKind kind);
  /// Whether some op takes this value.
  bool isUsed(ValueId value) const { return used[value]; }

  /// An access since the last memory barrier, on some way to this point.
  struct Access {
    const Op *op = nullptr;
    /// It may be from an earlier iteration of a loop around this point: equal values name other
    /// numbers then.
    bool otherIteration = false;
  };
  using Pending = std::vector<Access>;
  const Pending &state() const { return pending; }
  void setState(Pending state) { pending = std::move(state); }
  /// Joins the state of another way to this point.
  void join(const Pending &other);
  /// At the head of a loop: accesses of its body may have happened.
  void enterLoop(BlockId body);

private:
  KernelContext &context;
  AccessLayouts &layouts;
  std::vector<bool> used; // by ValueId: an operand of some op
  Pending pending;

  bool mayConflict(const Access &earlier, const Op &later);
  bool commute(const Op &earlier, const Op &later) const;
  bool sameElementsInSameThreads(const Op &earlier, const Op &later);
  void add(const Access &access);
};

} // namespace tl::gpu
