#include "codegen/llvm/atomic_op.h"

#include "support/dtype.h"

#include <array>
#include <functional>

namespace tl {

namespace {

using llvm::AtomicRMWInst;
using llvm::Value;
constexpr auto relaxed = llvm::AtomicOrdering::Monotonic;

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
           llvm::SyncScope::ID scope)
      : ir(ir), elements(elements), dtype(dtype), address(address), scope(scope),
        align(dtypeBytes(dtype)), bits(ir.getIntNTy(dtypeBytes(dtype) * 8)) {}

  Value *toBits(Value *value) { return ir.CreateBitCast(elements.toMemory(value, dtype), bits); }
  Value *fromBits(Value *value) {
    return elements.fromMemory(ir.CreateBitCast(value, elements.memoryType(dtype)), dtype);
  }

  Value *modify(AtomicRMWInst::BinOp operation, Value *value) {
    return ir.CreateAtomicRMW(operation, address, value, align, relaxed, scope);
  }
  /// {what was read, whether it was written}
  Value *compareAndSwap(Value *expected, Value *value) {
    return ir.CreateAtomicCmpXchg(address, expected, value, align, relaxed, relaxed, scope);
  }

  /// Replaces what is there by what `next` makes of it.
  Value *loop(const std::function<Value *(Value *)> &next) {
    llvm::LoadInst *first = ir.CreateAlignedLoad(bits, address, align);
    first->setAtomic(relaxed, scope);
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
  llvm::SyncScope::ID scope;
  llvm::Align align;
  llvm::Type *bits;
};

} // namespace

Value *emitAtomic(llvm::IRBuilderBase &ir, ElementEmitter &elements, Opcode opcode, DType dtype,
                  Value *address, Value *value, Value *expected, llvm::SyncScope::ID scope) {
  Exchange memory(ir, elements, dtype, address, scope);
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
