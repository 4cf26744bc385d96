// What a code object says of its kernels: the descriptor (64 bytes beside the code) and the
// metadata, checked against each other.
#pragma once

#include "emu/code_object.h"
#include "emu/emulator.h"

namespace tl::emu {

struct Chip;

/// The hardware's descriptor. Bits as in LLVM's "User Guide for AMDGPU Backend", Kernel Descriptor.
struct KernelDescriptor {
  uint32_t ldsBytes, privateBytes, kernargBytes;
  uint32_t reserved0;
  int64_t entryOffset;
  uint32_t reserved1[5];
  uint32_t resource3, resource1, resource2;
  uint16_t properties, preload;
  uint32_t reserved2;

  enum Property : uint16_t {
    PrivateSegmentBuffer = 1,
    DispatchPointer = 2,
    QueuePointer = 4,
    KernargPointer = 8,
    DispatchId = 16,
    FlatScratchInit = 32,
    PrivateSegmentSize = 64,
    Wave32 = 1 << 10,
    DynamicStack = 1 << 11,
  };
  bool has(Property property) const { return properties & property; }
  bool enablePrivate() const { return resource2 & 1; }
  uint32_t userSgprs() const { return resource2 >> 1 & 31; }
  bool enableWorkgroupId(unsigned axis) const { return resource2 >> (7 + axis) & 1; }
  bool enableWorkgroupInfo() const { return resource2 >> 10 & 1; }
  uint32_t threadIdDimensions() const { return (resource2 >> 11 & 3) + 1; }
  uint32_t preloadDwords() const { return preload & 127; }
  uint32_t preloadOffsetDwords() const { return preload >> 7; }
};
static_assert(sizeof(KernelDescriptor) == 64);

struct KernelRecord {
  KernelInfo info;
  std::string shownName; // in messages: see demangle.h
  KernelDescriptor descriptor;
  uint64_t descriptorAddress; // in the code object
  uint64_t entryAddress;
  bool dynamicStack;
};

/// All kernels, or why the code object is refused (TL_E_CORRUPT).
Result<std::vector<KernelRecord>> readKernels(const CodeObject &object, const Chip &chip);

} // namespace tl::emu
