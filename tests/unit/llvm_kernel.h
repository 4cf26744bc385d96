// Compiles IR for the host with the library's own pipeline and loads the image, for tests that run
// emitted code; and compiles the same IR for the AMD chips.
#pragma once

#include "codegen/llvm/link.h"
#include "codegen/llvm/session.h"
#include "codegen/llvm/target_machine.h"

#include "unit/unit_test.h"

#include "llvm/IR/IRBuilder.h"

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <functional>
#include <string>
#include <unistd.h>

namespace unit {

/// Fills a module with functions.
using Fill = std::function<void(llvm::Module &module, tl::TargetFamily family)>;

/// A loaded host image.
class Image {
public:
  Image() = default;
  Image(const Image &) = delete;
  ~Image() {
    if (handle)
      dlclose(handle);
  }
  /// The error's message, or nothing.
  std::string build(const Fill &fill, const char *target = "host:x86-64-v3", int optLevel = 2) {
    tl::Status status = tl::runCompileSession([&](tl::CompileSession &session) -> tl::Status {
      TL_ASSIGN(tl::TargetSpec spec, tl::parseTarget(target));
      TL_ASSIGN(auto machine, tl::createTargetMachine(spec, optLevel));
      auto module = tl::createModule(session, *machine, "test");
      fill(*module, spec.family);
      TL_TRY(tl::optimizeModule(session, *module, *machine, optLevel));
      TL_ASSIGN(tl::Bytes object, tl::emitObject(session, *module, *machine));
      if (spec.family == tl::TargetFamily::Amdgcn) {
        TL_ASSIGN(bytes, tl::linkCodeObject(session, object));
      } else {
        TL_ASSIGN(bytes, tl::linkHostImage(session, object, *machine));
      }
      return {};
    });
    if (!status.ok())
      return status.error().message;
    return tl::TargetFamily::Host == tl::parseTarget(target)->family ? load() : "";
  }
  /// Of an AMD target.
  const tl::Bytes &codeObject() const { return bytes; }
  template <class F> F *find(const char *name) {
    return reinterpret_cast<F *>(dlsym(handle, name));
  }

private:
  std::string load() {
    char path[] = "/tmp/tl-image-XXXXXX";
    int fd = mkstemp(path);
    if (fd < 0 || write(fd, bytes.data(), bytes.size()) != ssize_t(bytes.size()))
      return "cannot write a temporary file";
    close(fd);
    handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    std::string message = handle ? "" : dlerror();
    unlink(path);
    return message;
  }
  tl::Bytes bytes;
  void *handle = nullptr;
};

/// void name(const In *..., Out *, i64 count) over blocks of `lanes` elements (0: one scalar each):
/// loads from each input, calls `body`, stores its value. On amdgcn the function is a kernel.
inline void addLoop(llvm::Module &module, tl::TargetFamily family, const std::string &name,
                    const std::vector<llvm::Type *> &inputs, unsigned lanes,
                    const std::function<llvm::Value *(llvm::IRBuilder<> &,
                                                      const std::vector<llvm::Value *> &)> &body) {
  bool device = family == tl::TargetFamily::Amdgcn;
  llvm::IRBuilder<> ir(module.getContext());
  llvm::Type *pointer = ir.getPtrTy(device ? 1 : 0);
  std::vector<llvm::Type *> parameters(inputs.size() + 1, pointer);
  parameters.push_back(ir.getInt64Ty());
  auto *type = llvm::FunctionType::get(ir.getVoidTy(), parameters, false);
  auto *function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, module);
  tl::addCommonAttributes(*function);
  if (device)
    function->setCallingConv(llvm::CallingConv::AMDGPU_KERNEL);
  auto *entry = llvm::BasicBlock::Create(ir.getContext(), "entry", function);
  auto *loop = llvm::BasicBlock::Create(ir.getContext(), "loop", function);
  auto *exit = llvm::BasicBlock::Create(ir.getContext(), "exit", function);
  ir.SetInsertPoint(entry);
  ir.CreateBr(loop);
  ir.SetInsertPoint(loop);
  llvm::PHINode *index = ir.CreatePHI(ir.getInt64Ty(), 2);
  index->addIncoming(ir.getInt64(0), entry);
  std::vector<llvm::Value *> values;
  for (size_t i = 0; i < inputs.size(); ++i) {
    llvm::Type *block = lanes ? llvm::FixedVectorType::get(inputs[i], lanes) : inputs[i];
    values.push_back(ir.CreateAlignedLoad(
        block, ir.CreateGEP(inputs[i], function->getArg(i), index), llvm::Align(1)));
  }
  llvm::Value *result = body(ir, values);
  ir.CreateAlignedStore(
      result,
      ir.CreateGEP(result->getType()->getScalarType(), function->getArg(inputs.size()), index),
      llvm::Align(1));
  llvm::Value *next = ir.CreateAdd(index, ir.getInt64(lanes ? lanes : 1));
  index->addIncoming(next, ir.GetInsertBlock());
  ir.CreateCondBr(ir.CreateICmpSLT(next, function->getArg(inputs.size() + 1)), loop, exit);
  ir.SetInsertPoint(exit);
  ir.CreateRetVoid();
}

} // namespace unit

/// Leaves the test, with the message, if Image::build gave one.
#define REQUIRE_BUILT(MESSAGE)                                                                     \
  do {                                                                                             \
    if (std::string message = (MESSAGE); !message.empty()) {                                       \
      unit::fail(__FILE__, __LINE__, message);                                                     \
      return;                                                                                      \
    }                                                                                              \
  } while (0)
