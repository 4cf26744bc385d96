#include "codegen/nvptx/shared_memory.h"

#include "codegen/gpu/target.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"

namespace tl::nvptx {

uint64_t gatherSharedMemory(llvm::Module &module) {
  llvm::SmallVector<llvm::GlobalVariable *> variables;
  for (llvm::GlobalVariable &variable : module.globals())
    if (variable.getAddressSpace() == gpu::ldsSpace)
      variables.push_back(&variable);
  if (variables.empty())
    return 0;
  llvm::Type *byte = llvm::Type::getInt8Ty(module.getContext());
  auto *block = new llvm::GlobalVariable(module, llvm::ArrayType::get(byte, 0), false,
                                         llvm::GlobalValue::ExternalLinkage, nullptr, "tl$shared",
                                         nullptr, llvm::GlobalValue::NotThreadLocal, gpu::ldsSpace);
  block->setAlignment(llvm::Align(16));
  uint64_t end = 0;
  for (llvm::GlobalVariable *variable : variables) {
    llvm::Constant *offset =
        llvm::ConstantInt::get(llvm::Type::getInt32Ty(module.getContext()), end);
    variable->replaceAllUsesWith(llvm::ConstantExpr::getGetElementPtr(byte, block, offset));
    end += llvm::alignTo(module.getDataLayout().getTypeAllocSize(variable->getValueType()), 16);
    variable->eraseFromParent();
  }
  return end;
}

} // namespace tl::nvptx
