#include "codegen/llvm/host_runtime.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/TargetParser/Triple.h"

#include <array>

namespace tl {
namespace {

using llvm::Value;

// One routine under construction. All three take (pointer, pointer or int, size) and return their
// first argument.
class Routine {
public:
  Routine(llvm::Module &module, llvm::StringRef name, bool disjoint) : ir(module.getContext()) {
    llvm::Type *pointer = ir.getPtrTy();
    llvm::Type *second = name == "memset" ? ir.getInt32Ty() : pointer;
    auto *type = llvm::FunctionType::get(pointer, {pointer, second, ir.getInt64Ty()}, false);
    function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, module);
    function->setVisibility(llvm::GlobalValue::HiddenVisibility);
    addCommonAttributes(*function);
    // Or the loop below would become a call to the routine itself.
    function->addFnAttr("no-builtins");
    if (disjoint)
      for (unsigned i : {0u, 1u})
        function->addParamAttr(i, llvm::Attribute::NoAlias);
    destination = function->getArg(0);
    source = function->getArg(1);
    size = function->getArg(2);
    ir.SetInsertPoint(block("entry"));
  }

  llvm::BasicBlock *block(const char *name) {
    return llvm::BasicBlock::Create(ir.getContext(), name, function);
  }

  // Loops i over 0 .. size - 1, or down again, then goes to `exit`.
  void loop(bool downwards, llvm::BasicBlock *exit, llvm::function_ref<void(Value *index)> body) {
    llvm::BasicBlock *before = ir.GetInsertBlock(), *inside = block("loop");
    ir.CreateCondBr(ir.CreateICmpEQ(size, ir.getInt64(0)), exit, inside);
    ir.SetInsertPoint(inside);
    llvm::PHINode *count = ir.CreatePHI(ir.getInt64Ty(), 2);
    count->addIncoming(ir.getInt64(0), before);
    Value *next = ir.CreateAdd(count, ir.getInt64(1));
    body(downwards ? ir.CreateSub(size, next) : count);
    count->addIncoming(next, ir.GetInsertBlock());
    ir.CreateCondBr(ir.CreateICmpEQ(next, size), exit, inside);
  }

  void copyByte(Value *index) {
    Value *byte = ir.CreateLoad(ir.getInt8Ty(), ir.CreatePtrAdd(source, index));
    ir.CreateStore(byte, ir.CreatePtrAdd(destination, index));
  }

  void finish(llvm::BasicBlock *exit) {
    ir.SetInsertPoint(exit);
    ir.CreateRet(destination);
  }

  llvm::IRBuilder<> ir;
  llvm::Function *function;
  Value *destination, *source, *size;
};

void buildMemcpy(llvm::Module &module) {
  Routine r(module, "memcpy", true);
  llvm::BasicBlock *exit = r.block("exit");
  r.loop(false, exit, [&](Value *index) { r.copyByte(index); });
  r.finish(exit);
}

void buildMemset(llvm::Module &module) {
  Routine r(module, "memset", false);
  llvm::BasicBlock *exit = r.block("exit");
  Value *byte = r.ir.CreateTrunc(r.source, r.ir.getInt8Ty());
  r.loop(false, exit,
         [&](Value *index) { r.ir.CreateStore(byte, r.ir.CreatePtrAdd(r.destination, index)); });
  r.finish(exit);
}

void buildMemmove(llvm::Module &module) {
  Routine r(module, "memmove", false);
  llvm::BasicBlock *exit = r.block("exit"), *up = r.block("up"), *down = r.block("down");
  llvm::Type *word = r.ir.getInt64Ty();
  Value *distance =
      r.ir.CreateSub(r.ir.CreatePtrToInt(r.destination, word), r.ir.CreatePtrToInt(r.source, word));
  // Upwards unless the destination starts inside the source.
  r.ir.CreateCondBr(r.ir.CreateICmpUGE(distance, r.size), up, down);
  r.ir.SetInsertPoint(up);
  r.loop(false, exit, [&](Value *index) { r.copyByte(index); });
  r.ir.SetInsertPoint(down);
  r.loop(true, exit, [&](Value *index) { r.copyByte(index); });
  r.finish(exit);
}

struct Row {
  const char *name;
  void (*build)(llvm::Module &);
};
constexpr std::array<Row, 3> routines = {
    {{"memcpy", buildMemcpy}, {"memmove", buildMemmove}, {"memset", buildMemset}}};

} // namespace

Result<Bytes> hostRuntimeObject(CompileSession &session, const std::vector<std::string> &names,
                                llvm::TargetMachine &machine) {
  std::unique_ptr<llvm::Module> module = createModule(session, machine, "runtime");
  for (const std::string &name : names) {
    auto row = llvm::find_if(routines, [&](const Row &r) { return name == r.name; });
    if (row == routines.end())
      return internalError("host code uses '%s', which is defined nowhere", name.c_str());
    row->build(*module);
  }
  TL_TRY(optimizeModule(session, *module, machine, 2));
  return emitObject(session, *module, machine);
}

} // namespace tl
