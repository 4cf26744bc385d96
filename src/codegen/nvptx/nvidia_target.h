// NVIDIA GPUs for the shared code generator.
#pragma once

#include "codegen/gpu/target.h"

namespace tl::nvptx {

class NvidiaTarget final : public gpu::Target {
public:
  explicit NvidiaTarget(const NvidiaChip &chip);

  void describe(llvm::Function &kernel, uint32_t threads) const override;
  llvm::Value *thread(gpu::Builder &ir, uint32_t threads) const override;
  llvm::Value *program(gpu::Builder &ir, unsigned axis) const override;
  llvm::Value *readableAddress(gpu::Builder &ir) const override;
  llvm::Value *wordXor(gpu::KernelContext &context, llvm::Value *word,
                       uint32_t mask) const override;
  llvm::Value *wordFrom(gpu::KernelContext &context, llvm::Value *word,
                        llvm::Value *from) const override;
  llvm::Value *uniformWord(gpu::Builder &ir, llvm::Value *word) const override;
  llvm::Value *arrived(gpu::Builder &ir, llvm::Value *loaded) const override;
  void barrier(gpu::KernelContext &context, MemoryScope released, bool ldsOnly) const override;
  const char *syncScope(MemoryScope scope) const override;
};

} // namespace tl::nvptx
