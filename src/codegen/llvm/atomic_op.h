// One atomic operation on one element in memory, for all targets.
#pragma once

#include "codegen/llvm/emitter.h"

namespace tl {

/// How an atomic operation is ordered, and for whom, in LLVM's terms.
struct AtomicAccess {
  llvm::AtomicOrdering order;
  llvm::SyncScope::ID scope;
};
llvm::AtomicOrdering atomicOrdering(MemoryOrdering order);

/// An opcode of the rule Atomic. `value` not of AtomicLoad, `expected` of AtomicCas only. All
/// values are scalars in registers, `address` is aligned to the element. Gives what was read; of
/// AtomicStore 0.
///
/// Integers take LLVM's instructions, which a back end turns into loops of its own where it lacks a
/// width. Sums and extremes of floats are loops around a compare-and-swap, so that they round and
/// order as `add`, `min` and `max` do everywhere, and are right in any kind of memory (AMD's
/// floating-point atomics do nothing in fine-grained memory, and flush denormals on some chips).
llvm::Value *emitAtomic(llvm::IRBuilderBase &ir, ElementEmitter &elements, Opcode opcode,
                        DType dtype, llvm::Value *address, llvm::Value *value,
                        llvm::Value *expected, const AtomicAccess &access);

} // namespace tl
