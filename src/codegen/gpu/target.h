// What differs between the GPUs of different vendors, as the code generator sees it: facts of the
// chip, and the few instructions that LLVM has no common name for.
#pragma once

#include "codegen/gpu/folder.h"
#include "codegen/llvm/emitter.h"
#include "codegen/targets.h"
#include "graph/graph.h"

#include "llvm/IR/IRBuilder.h"

namespace tl::gpu {

using Builder = llvm::IRBuilder<IdentityFolder>;

struct KernelContext;

/// LLVM address spaces of both vendors' targets.
inline constexpr unsigned globalSpace = 1, ldsSpace = 3;

class Target {
public:
  struct Facts {
    std::string_view name; // "gfx942", "sm_90"
    uint32_t waveSize = 0;
    uint32_t ldsBytes = 0; // shared memory that a program may have
    MatrixFamily matrix{};
    EmitterOptions emitter; // without what a kernel asks for
  };

  explicit Target(Facts facts) : facts(facts) {}
  virtual ~Target() = default;

  const Facts facts;

  /// Gives a kernel the calling convention and the attributes that it is launched with.
  virtual void describe(llvm::Function &kernel, uint32_t threads) const = 0;
  /// i32: this thread's number in its program.
  virtual llvm::Value *thread(Builder &ir, uint32_t threads) const = 0;
  /// i32: the program's number along an axis of the grid.
  virtual llvm::Value *program(Builder &ir, unsigned axis) const = 0;
  /// An address in global memory from which 16 bytes may be read by anyone, 16-byte aligned.
  virtual llvm::Value *readableAddress(Builder &ir) const = 0;

  /// The word (i32) that lane (own number ^ mask) holds. All lanes are active in this and the next
  /// two.
  virtual llvm::Value *wordXor(KernelContext &context, llvm::Value *word, uint32_t mask) const = 0;
  /// The word that lane `from` of the wave (i32, modulo its size) holds.
  virtual llvm::Value *wordFrom(KernelContext &context, llvm::Value *word,
                                llvm::Value *from) const = 0;
  /// A word that is equal in all lanes, told to LLVM as such where it makes a difference.
  virtual llvm::Value *uniformWord(Builder &ir, llvm::Value *word) const = 0;

  /// A value that was loaded, when it has come: a loop that carries it must not wait in every step
  /// for what it may be waiting for in the first one.
  virtual llvm::Value *arrived(Builder &ir, llvm::Value *loaded) const = 0;

  /// All threads of the program arrive; what each wrote is seen by all. See gpu/barrier.h.
  virtual void barrier(KernelContext &context, MemoryScope released, bool ldsOnly) const = 0;
  /// LLVM's name of a scope.
  virtual const char *syncScope(MemoryScope scope) const = 0;
};

} // namespace tl::gpu
