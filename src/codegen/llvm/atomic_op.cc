#include "codegen/llvm/atomic_op.h"

#include "support/dtype.h"

#include <array>
#include <functional>

namespace tl {

namespace {

using llvm::AtomicRMWInst;
using llvm::Value;

AtomicRMWInst::BinOp instruction(Opcode opcode, bool isSigned) {
  switch (opcode) {
  case Opcode::AtomicAdd:
    return AtomicRMWInst::Add;
  case Opcode::AtomicMin:
    return isSigned ? AtomicRMWInst::Min : AtomicRMWInst::UMin;
  case Opcode::AtomicMax:
    return isSigned ? AtomicRMWInst::Max : AtomicRMWInst::UMax;
  case Opcode::AtomicAnd:
    return AtomicRMWInst::And;
  case Opcode::AtomicOr:
    return AtomicRMWInst::Or;
  case Opcode::AtomicXor:
    return AtomicRMWInst::Xor;
  default:
    return AtomicRMWInst::Xchg;
  }
}

/// Elements as the integers of their bits, which is what memory exchanges.
class Exchange {
public:
  Exchange(llvm::IRBuilderBase &ir, ElementEmitter &elements, DType dtype, Value *address,
           const AtomicAccess &access)
      : ir(ir), elements(elements), dtype(dtype), address(address), access(access),
        align(dtypeBytes(dtype)), bits(ir.getIntNTy(dtypeBytes(dtype) * 8)) {}

  Value *toBits(Value *value) { return ir.CreateBitCast(elements.toMemory(value, dtype), bits); }
  Value *fromBits(Value *value) {
    return elements.fromMemory(ir.CreateBitCast(value, elements.memoryType(dtype)), dtype);
  }

  Value *modify(AtomicRMWInst::BinOp operation, Value *value) {
    return ir.CreateAtomicRMW(operation, address, value, align, access.order, access.scope);
  }
  /// {what was read, whether it was written}
  Value *compareAndSwap(Value *expected, Value *value) {
    // One that fails writes nothing that it could release.
    return ir.CreateAtomicCmpXchg(
        address, expected, value, align, access.order,
        llvm::AtomicCmpXchgInst::getStrongestFailureOrdering(access.order), access.scope);
  }
  Value *load(llvm::AtomicOrdering order) {
    llvm::LoadInst *read = ir.CreateAlignedLoad(bits, address, align);
    read->setAtomic(order, access.scope);
    return read;
  }
  void store(Value *value) {
    ir.CreateAlignedStore(value, address, align)->setAtomic(access.order, access.scope);
  }

  /// Replaces what is there by what `next` makes of it.
  Value *loop(const std::function<Value *(Value *)> &next) {
    Value *first = load(llvm::AtomicOrdering::Monotonic);
    llvm::BasicBlock *before = ir.GetInsertBlock();
    llvm::Function *function = before->getParent();
    auto *again = llvm::BasicBlock::Create(ir.getContext(), "", function);
    auto *done = llvm::BasicBlock::Create(ir.getContext(), "", function);
    ir.CreateBr(again);
    ir.SetInsertPoint(again);
    llvm::PHINode *old = ir.CreatePHI(bits, 2);
    old->addIncoming(first, before);
    Value *swapped = compareAndSwap(old, toBits(next(fromBits(old))));
    old->addIncoming(ir.CreateExtractValue(swapped, 0), ir.GetInsertBlock());
    ir.CreateCondBr(ir.CreateExtractValue(swapped, 1), done, again);
    ir.SetInsertPoint(done);
    return old;
  }

private:
  llvm::IRBuilderBase &ir;
  ElementEmitter &elements;
  DType dtype;
  Value *address;
  AtomicAccess access;
  llvm::Align align;
  llvm::Type *bits;
};

} // namespace

llvm::AtomicOrdering atomicOrdering(MemoryOrdering order) {
  switch (order) {
  case MemoryOrdering::Acquire:
    return llvm::AtomicOrdering::Acquire;
  case MemoryOrdering::Release:
    return llvm::AtomicOrdering::Release;
  case MemoryOrdering::AcqRel:
    return llvm::AtomicOrdering::AcquireRelease;
  case MemoryOrdering::SeqCst:
    return llvm::AtomicOrdering::SequentiallyConsistent;
  case MemoryOrdering::Relaxed:
    break;
  }
  return llvm::AtomicOrdering::Monotonic;
}

Value *emitAtomic(llvm::IRBuilderBase &ir, ElementEmitter &elements, Opcode opcode, DType dtype,
                  Value *address, Value *value, Value *expected, const AtomicAccess &access) {
  Exchange memory(ir, elements, dtype, address, access);
  if (opcode == Opcode::AtomicLoad)
    return memory.fromBits(memory.load(access.order));
  if (opcode == Opcode::AtomicStore) {
    memory.store(memory.toBits(value));
    return elements.zero(dtype);
  }
  if (opcode == Opcode::AtomicCas) {
    Value *swapped = memory.compareAndSwap(memory.toBits(expected), memory.toBits(value));
    return memory.fromBits(ir.CreateExtractValue(swapped, 0));
  }
  if (opcode == Opcode::AtomicExchange || !isFloat(dtype)) {
    AtomicRMWInst::BinOp operation = instruction(opcode, !isUnsigned(dtype));
    return memory.fromBits(memory.modify(operation, memory.toBits(value)));
  }
  return memory.fromBits(memory.loop([&](Value *old) {
    std::array<Value *, 2> pair = {old, value};
    return elements.emit(*combiningOp(opcode), pair, dtype, dtype);
  }));
}

} // namespace tl
