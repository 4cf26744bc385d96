// From a graph to the linked image of a host kernel:
//   void k(const uint64_t *slots, int64_t first, int64_t last, void *arena)
// runs the programs first <= p < last, counted with the first axis of the grid fastest.
#include "codegen/codegen.h"

#include "codegen/host/emission.h"
#include "codegen/llvm/link.h"
#include "codegen/llvm/listings.h"
#include "codegen/llvm/session.h"
#include "codegen/llvm/target_machine.h"
#include "graph/interface.h"

#include "llvm/IR/Function.h"

#include <algorithm>

namespace tl {

namespace host {
namespace {

using llvm::Value;

unsigned vectorBitsOf(const TargetSpec &spec) {
  bool wide = spec.cpu == "x86-64-v4" || spec.features.find("avx512f") != std::string::npos;
  return wide ? 512 : 256;
}

llvm::Function *createFunction(llvm::Module &module, const std::string &symbol,
                               unsigned vectorBits) {
  llvm::LLVMContext &context = module.getContext();
  auto *pointer = llvm::PointerType::get(context, 0);
  auto *i64 = llvm::Type::getInt64Ty(context);
  auto *type =
      llvm::FunctionType::get(llvm::Type::getVoidTy(context), {pointer, i64, i64, pointer}, false);
  auto *function = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, symbol, module);
  addCommonAttributes(*function);
  function->addFnAttr("prefer-vector-width", std::to_string(vectorBits));
  function->setUWTableKind(llvm::UWTableKind::Async); // for debuggers and profilers
  function->getArg(0)->setName("slots");
  function->getArg(1)->setName("first");
  function->getArg(2)->setName("last");
  function->getArg(3)->setName("arena");
  return function;
}

Value *slot(Emission &e, size_t index, llvm::Type *type) {
  Value *address = e.ir.CreateConstInBoundsGEP1_64(e.ir.getInt64Ty(), e.function->getArg(0), index);
  return e.ir.CreateAlignedLoad(type, address, llvm::Align(8));
}

/// A scalar argument from its slot: integers are extended there, floats are their bits.
Value *scalarFromSlot(Emission &e, size_t index, DType dtype) {
  Value *bits =
      e.ir.CreateTrunc(slot(e, index, e.ir.getInt64Ty()), e.ir.getIntNTy(dtypeBits(dtype)));
  return e.ir.CreateBitCast(bits, e.elements.type(dtype));
}

/// Arguments and the grid, once for all programs.
void emitArguments(Emission &e) {
  const std::vector<KernargSlot> &slots = e.input.slots;
  for (ValueId v = 1; v < e.g.values.size(); ++v) {
    const tl::Value &value = e.g.values[v];
    if (value.kind != ValueKind::Argument && value.kind != ValueKind::ImplicitDim)
      continue;
    auto index = size_t(slotOfValue(e.g, slots, v));
    e.scalar[v] = value.type.isScalar() ? scalarFromSlot(e, index, value.type.dtype)
                                        : slot(e, index, e.ir.getPtrTy());
  }
  for (size_t i = 0; i < slots.size(); ++i)
    if (slots[i].kind == KernargSlot::Kind::Grid)
      e.programs[slots[i].axis] = slot(e, i, e.ir.getInt64Ty());
    else if (slots[i].kind == KernargSlot::Kind::Log)
      e.log[slots[i].axis] = slot(e, i, e.ir.getInt64Ty());
  emitArgumentViews(e);
  emitSharedViews(e);
}

/// The loop over programs. Their coordinates are divided out once and then counted on.
void emitPrograms(Emission &e) {
  llvm::IRBuilder<> &ir = e.ir;
  Value *first = e.function->getArg(1), *last = e.function->getArg(2);
  llvm::BasicBlock *start = e.newBlock("start"), *body = e.newBlock("program"),
                   *exit = e.newBlock("exit");
  ir.CreateCondBr(ir.CreateICmpSLT(first, last), start, exit);
  ir.SetInsertPoint(start);
  Value *x = ir.CreateURem(first, e.programs[0]), *row = ir.CreateUDiv(first, e.programs[0]);
  Value *y = ir.CreateURem(row, e.programs[1]), *z = ir.CreateUDiv(row, e.programs[1]);
  ir.CreateBr(body);

  ir.SetInsertPoint(body);
  llvm::PHINode *number = ir.CreatePHI(ir.getInt64Ty(), 2);
  number->addIncoming(first, start);
  std::array<llvm::PHINode *, 3> at;
  std::array<Value *, 3> from = {x, y, z};
  for (size_t i = 0; i < 3; ++i) {
    at[i] = ir.CreatePHI(ir.getInt64Ty(), 2);
    at[i]->addIncoming(from[i], start);
    e.program[i] = at[i];
  }
  e.programEnd = e.newBlock("end");
  emitBlock(e, e.g.kernel.body);
  ir.CreateBr(e.programEnd);

  ir.SetInsertPoint(e.programEnd);
  Value *carry = e.i64(1);
  std::array<Value *, 3> next;
  for (size_t i = 0; i < 3; ++i) {
    Value *sum = ir.CreateAdd(at[i], carry);
    Value *over = ir.CreateICmpEQ(sum, e.programs[i]);
    next[i] = i == 2 ? sum : ir.CreateSelect(over, e.i64(0), sum);
    carry = ir.CreateZExt(over, ir.getInt64Ty());
  }
  llvm::BasicBlock *latch = ir.GetInsertBlock();
  for (size_t i = 0; i < 3; ++i)
    at[i]->addIncoming(next[i], latch);
  Value *following = ir.CreateAdd(number, e.i64(1));
  number->addIncoming(following, latch);
  ir.CreateCondBr(ir.CreateICmpSLT(following, last), body, exit);
  ir.SetInsertPoint(exit);
  ir.CreateRetVoid();
}

/// Writes the whole function; gives the bytes of arena that it needs.
size_t emitKernel(const CodegenInput &input, llvm::Function *function, unsigned vectorBits,
                  const KernelDebugInfo &debug) {
  ValuePlan values = planValues(input.graph);
  BufferPlan buffers = planBuffers(input.graph, values, vectorBits);
  Emission e(input, values, buffers, vectorBits, function, debug);
  e.ir.SetInsertPoint(e.newBlock("entry"));
  e.at(0);
  e.arena = function->getArg(3);
  e.sink = e.ir.CreateAlloca(e.ir.getInt64Ty());
  e.ir.CreateStore(e.i64(0), e.sink);
  emitArguments(e);
  emitPrograms(e);
  return buffers.arenaBytes;
}

Status generate(CompileSession &session, const CodegenInput &input, TargetCode &code,
                BuildTiming &timing) {
  const Request &request = input.request;
  TL_ASSIGN(TargetSpec spec, parseTarget(request.target));
  TL_ASSIGN(auto machine, createTargetMachine(spec, request.optLevel));
  auto module = createModule(session, *machine, input.graph.kernel.name);
  code.target = request.target;
  code.symbol = "tl_host_" + input.graph.kernel.name;
  unsigned vectorBits = vectorBitsOf(spec);
  llvm::Function *function = createFunction(*module, code.symbol, vectorBits);
  KernelDebugInfo debug(*module, input);
  debug.describe(*function);
  size_t arena = emitKernel(input, function, vectorBits, debug);
  debug.finish();
  if (arena > UINT32_MAX)
    return makeError(TL_E_LIMIT, "a program needs %zu bytes of scratch, more than 2^32", arena);
  code.arenaBytes = uint32_t(arena);

  LlvmTimes times;
  TL_TRY(optimizeModule(session, *module, *machine, request.optLevel, &times));
  TL_TRY(addListings(session, *module, *machine, request.listings, code.listings));
  TL_ASSIGN(code.object, emitObject(session, *module, *machine, &times));
  TL_ASSIGN(code.code, linkHostImage(session, code.object, *machine, &timing.link));
  timing.llvmOpt += times.optimize;
  timing.llvmCodegen += times.codegen;
  return {};
}

} // namespace
} // namespace host

Result<TargetCode> generateHost(const CodegenInput &input, BuildTiming &timing) {
  TargetCode code;
  TL_TRY(runCompileSession(
      [&](CompileSession &session) { return host::generate(session, input, code, timing); }));
  return code;
}

} // namespace tl
