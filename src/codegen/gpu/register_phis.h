// Registers that come from one of several blocks.
#pragma once

#include "codegen/gpu/context.h"

namespace tl::gpu {

/// The phis of a list of registers. Narrow ones go side by side, up to 16 bytes, as they are loaded
/// and stored: LLVM would hold each of them in a register of 32 bits, and take what was loaded
/// apart only to put it together again.
class RegisterPhis {
public:
  /// Phis at the start of the block that code goes to now, for registers of the types of `like`.
  RegisterPhis(Builder &ir, std::span<llvm::Value *const> like);
  /// The registers as they come from `from`, which may have ended already; `last` may do something
  /// to each value there.
  void addIncoming(std::span<llvm::Value *const> registers, llvm::BasicBlock *from,
                   llvm::function_ref<llvm::Value *(llvm::Value *)> last = nullptr);
  /// The registers in this block. To be called once.
  std::vector<llvm::Value *> take();

private:
  struct Group {
    size_t first, count;
    llvm::PHINode *phi;
  };

  Builder &ir;
  std::vector<Group> groups;
};

} // namespace tl::gpu
