// Random LLVM IR for comparing machines: the same function of one thread, once as an AMDGPU kernel
// and once as a function of the host. Whatever it computes is defined by the language reference:
// no undefined behaviour, no poison, no bits of NaNs, every float operation rounded once.
#pragma once

#include "llvm/IR/Module.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tl::test {

/// Bytes of the input and output buffers that belong to one thread.
inline constexpr unsigned kInputBytes = 256, kOutputBytes = 2048;
/// The end of an output slot is memory for dynamic stores and atomics; LDS of a thread likewise.
inline constexpr unsigned kScratchBytes = 128, kLdsBytes = 64;

enum class SlotType : uint8_t { I8, I16, I32, I64, F16, F32, F64 };
unsigned slotBytes(SlotType type);

/// One value that a thread stores.
struct OutputSlot {
  SlotType type;
  unsigned offset; // in the thread's part of the output
};

struct RandomKernel {
  llvm::Function *function;
  std::vector<OutputSlot> slots;
};

enum class Machine : uint8_t { Amdgpu, Host };

struct RandomOptions {
  uint64_t seed;
  unsigned threads; // of a workgroup, for LDS
  unsigned steps = 60;
};

/// Adds the function "kernel" to a module whose target is set. Amdgpu: a kernel with the arguments
///   (ptr in, ptr out, i32 a, i64 b, float f, i32 n),
/// of which threads below n work. Host: the same arguments, then i32 thread, i32 workgroup,
/// ptr lds. Equal options give equal computations.
RandomKernel makeRandomKernel(llvm::Module &module, Machine machine, const RandomOptions &options);

} // namespace tl::test
