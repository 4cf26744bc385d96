// Loops, branches and ends of programs. All conditions are scalars, the same in all threads.
#include "codegen/gpu/kernel_emitter.h"

namespace tl::gpu {

/// A value of a loop's start that may still be on its way when the loop begins.
static bool mayBeLoaded(Opcode opcode) { return opcode == Opcode::Load || opcode == Opcode::If; }

/// A value that comes from one of two blocks.
TileValue KernelEmitter::join(const TileValue &a, llvm::BasicBlock *fromA, const TileValue &b,
                              llvm::BasicBlock *fromB) {
  RegisterPhis phis(ir, a.registers);
  phis.addIncoming(a.registers, fromA);
  phis.addIncoming(b.registers, fromB);
  return {a.layout, a.dtype, phis.take(), a.isSplat && b.isSplat};
}

Status KernelEmitter::emitIfOp(const Op &op) {
  llvm::LLVMContext &llvmContext = ir.getContext();
  auto *after = llvm::BasicBlock::Create(llvmContext, "", &context.function);
  std::array<llvm::BasicBlock *, 2> starts, ends{};
  for (llvm::BasicBlock *&start : starts)
    start = llvm::BasicBlock::Create(llvmContext, "", &context.function, after);
  ir.CreateCondBr(scalar(graph.operand(op, 0)), starts[0], starts[1]);
  Lds::Pending ldsBefore = lds.state();
  MemoryOrder::Pending orderBefore = order.state();
  std::array<Yields, 2> values;
  Lds::Pending ldsThen;
  MemoryOrder::Pending orderThen;
  for (size_t i = 0; i < 2; ++i) {
    lds.setState(ldsBefore);
    order.setState(orderBefore);
    ir.SetInsertPoint(starts[i]);
    TL_TRY(emitBlock(graph.regions(op)[i]));
    values[i] = std::move(yields);
    ends[i] = ir.GetInsertBlock();
    ir.CreateBr(after);
    if (i == 0) {
      ldsThen = lds.state();
      orderThen = order.state();
    }
  }
  lds.join(ldsThen);
  order.join(orderThen);
  ir.SetInsertPoint(after);
  for (size_t i = 0; i < values[0].size(); ++i)
    tiles[graph.results(op)[i]] = join(values[0][i], ends[0], values[1][i], ends[1]);
  return {};
}

/// A loop begins here: a branch to its body or past it is to follow.
KernelEmitter::LoopBody KernelEmitter::enterLoop() {
  LoopBody loop;
  loop.before = ir.GetInsertBlock();
  loop.body = llvm::BasicBlock::Create(ir.getContext(), "", &context.function);
  loop.after = llvm::BasicBlock::Create(ir.getContext(), "", &context.function);
  loop.ldsBefore = lds.state();
  loop.orderBefore = order.state();
  return loop;
}

/// The carried values are what comes from before the loop, or from the body's own end.
void KernelEmitter::startBody(const Op &op, LoopBody &loop) {
  lds.assumeAllPending();
  order.enterLoop(graph.regions(op)[0]);
  ir.SetInsertPoint(loop.body);
  loop.init = graph.operands(op).subspan(firstCarried(op.opcode));
  loop.carried =
      std::span(graph.block(graph.regions(op)[0]).args).subspan(carriedArgumentsAt(op.opcode));
  for (size_t i = 0; i < loop.init.size(); ++i) {
    const TileValue &init = tile(loop.init[i]);
    RegisterPhis &phis = loop.phis.emplace_back(ir, init.registers);
    const Value &source = graph.values[loop.init[i]];
    if (source.kind == ValueKind::OpResult && mayBeLoaded(graph.ops[source.op].opcode))
      phis.addIncoming(init.registers, loop.before,
                       [&](llvm::Value *loaded) { return context.target.arrived(ir, loaded); });
    else
      phis.addIncoming(init.registers, loop.before);
    tiles[loop.carried[i]] = {init.layout, init.dtype, phis.take(), init.layout->rank() == 0};
  }
}

/// Ends the body with what its region yields: it runs again while `more`.
void KernelEmitter::finishLoop(const Op &op, LoopBody &loop, const Yields &last,
                               llvm::Value *more) {
  llvm::BasicBlock *end = ir.GetInsertBlock();
  for (size_t i = 0; i < last.size(); ++i)
    loop.phis[i].addIncoming(last[i].registers, end);
  keepRolled(context, ir.CreateCondBr(more, loop.body, loop.after));
  lds.join(loop.ldsBefore);
  order.join(loop.orderBefore);
  ir.SetInsertPoint(loop.after);
  for (size_t i = 0; i < last.size(); ++i)
    tiles[graph.results(op)[i]] = join(tile(loop.init[i]), loop.before, last[i], end);
}

/// The number of iterations is never computed: the distance to `hi` counts down, as an unsigned
/// number, so that neither it nor the counter can overflow.
Status KernelEmitter::emitFor(const Op &op) {
  std::span<const ValueId> operands = graph.operands(op);
  BlockId region = graph.regions(op)[0];
  llvm::Value *low = scalar(operands[0]), *high = scalar(operands[1]), *step = scalar(operands[2]);
  llvm::Value *zero = llvm::ConstantInt::get(low->getType(), 0);
  llvm::Value *enters = ir.CreateAnd(ir.CreateICmpSLT(low, high), ir.CreateICmpSGT(step, zero));
  llvm::Value *distance = ir.CreateSub(high, low);
  LoopBody loop = enterLoop();
  ir.CreateCondBr(enters, loop.body, loop.after);
  startBody(op, loop);
  auto phi = [&](llvm::Value *first) {
    auto *node = llvm::PHINode::Create(first->getType(), 2, "", loop.body->begin());
    node->addIncoming(first, loop.before);
    return node;
  };
  llvm::PHINode *counter = phi(low), *remaining = phi(distance);
  setScalar(graph.block(region).args[0], counter);
  TL_TRY(emitBlock(region));
  Yields last = std::move(yields);
  llvm::BasicBlock *end = ir.GetInsertBlock();
  llvm::Value *more = ir.CreateICmpUGT(remaining, step);
  counter->addIncoming(ir.CreateAdd(counter, step), end);
  remaining->addIncoming(ir.CreateSub(remaining, step), end);
  finishLoop(op, loop, last, more);
  return {};
}

Status KernelEmitter::emitWhile(const Op &op) {
  LoopBody loop = enterLoop();
  ir.CreateCondBr(scalar(graph.operand(op, 0)), loop.body, loop.after);
  startBody(op, loop);
  TL_TRY(emitBlock(graph.regions(op)[0]));
  Yields last = std::move(yields);
  llvm::Value *more = last[0].registers[0];
  last.erase(last.begin());
  finishLoop(op, loop, last, more);
  return {};
}

/// All threads of the workgroup end, since the condition is one value.
void KernelEmitter::emitExit(const Op &op) {
  auto *end = llvm::BasicBlock::Create(ir.getContext(), "", &context.function);
  auto *after = llvm::BasicBlock::Create(ir.getContext(), "", &context.function);
  ir.CreateCondBr(scalar(graph.operand(op, 0)), end, after);
  ir.SetInsertPoint(end);
  ir.CreateRetVoid();
  ir.SetInsertPoint(after);
}

} // namespace tl::gpu
