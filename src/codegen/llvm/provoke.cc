#include "codegen/llvm/provoke.h"

#include "codegen/llvm/link.h"
#include "codegen/llvm/session.h"
#include "codegen/llvm/target_machine.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/Support/ErrorHandling.h"

namespace tl {
namespace {

// Stores f(load) on gfx942 and compiles it as a kernel would be.
Status compileOneStore(CompileSession &session,
                       llvm::function_ref<llvm::Value *(llvm::IRBuilder<> &, llvm::Value *)> f,
                       unsigned lanes, bool isDouble) {
  TL_ASSIGN(TargetSpec spec, parseTarget("amdgcn:gfx942"));
  TL_ASSIGN(auto machine, createTargetMachine(spec, 2));
  auto module = createModule(session, *machine, "provoke");
  llvm::IRBuilder<> ir(session.context());
  llvm::Type *pointer = ir.getPtrTy(1);
  auto *function =
      llvm::Function::Create(llvm::FunctionType::get(ir.getVoidTy(), {pointer, pointer}, false),
                             llvm::Function::ExternalLinkage, "provoke", *module);
  function->setCallingConv(llvm::CallingConv::AMDGPU_KERNEL);
  ir.SetInsertPoint(llvm::BasicBlock::Create(session.context(), "entry", function));
  llvm::Type *element = isDouble ? ir.getDoubleTy() : ir.getFloatTy();
  llvm::Type *type = lanes ? llvm::FixedVectorType::get(element, lanes) : element;
  ir.CreateStore(f(ir, ir.CreateLoad(type, function->getArg(0))), function->getArg(1));
  ir.CreateRetVoid();
  TL_TRY(optimizeModule(session, *module, *machine, 2));
  auto object = emitObject(session, *module, *machine);
  return object.ok() ? Status() : Status(object.takeError());
}

Status selectImpossible(CompileSession &session) {
  return compileOneStore(
      session,
      [](llvm::IRBuilder<> &ir, llvm::Value *x) {
        return ir.CreateFPTrunc(x, llvm::FixedVectorType::get(ir.getHalfTy(), 5));
      },
      5, false);
}

Status useMissingLibcall(CompileSession &session) {
  return compileOneStore(
      session,
      [](llvm::IRBuilder<> &ir, llvm::Value *x) {
        return ir.CreateUnaryIntrinsic(llvm::Intrinsic::exp, x);
      },
      0, true);
}

} // namespace

Status provokeFailure(Provocation which) {
  return runCompileSession([&](CompileSession &session) -> Status {
    switch (which) {
    case Provocation::FatalError:
      return selectImpossible(session);
    case Provocation::ErrorDiagnostic:
      return useMissingLibcall(session);
    case Provocation::OutOfMemory:
      llvm::report_bad_alloc_error("provoked");
    case Provocation::LinkerError: {
      // An ELF header whose section table lies far outside the file.
      Bytes broken = {0x7f, 'E', 'L', 'F', 2, 1, 1};
      broken.resize(64);
      broken[16] = 1;  // ET_REL
      broken[18] = 62; // EM_X86_64
      broken[42] = 1;  // e_shoff = 65536 << 8
      broken[58] = 64; // e_shentsize
      auto linked = linkUnchecked(session, broken);
      return linked.ok() ? Status() : Status(linked.takeError());
    }
    }
    return makeError(TL_E_INVALID_ARGUMENT, "unknown provocation %d", int(which));
  });
}

} // namespace tl
