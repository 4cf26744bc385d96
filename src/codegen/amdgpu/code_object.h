// What a code object says about its kernel: the metadata that the HIP runtime reads too.
#pragma once

#include "artifact/artifact.h"

#include <span>
#include <string_view>

namespace tl::amdgpu {

/// Registers, spills, LDS and scratch of the kernel `name`, and the bytes of its argument block.
struct KernelMetadata {
  ResourceUse use; // without occupancyWaves
  uint32_t kernargBytes = 0;
  uint32_t waveSize = 0;
};

/// Reads the AMDGPU note (MessagePack) of a code object of ours; TL_E_INTERNAL if it has none for
/// this kernel.
Result<KernelMetadata> readKernelMetadata(std::span<const uint8_t> codeObject,
                                          std::string_view name);

} // namespace tl::amdgpu
