// Facts of chips, expanded from targets.def.
#pragma once

#include "artifact/artifact.h"

#include <span>
#include <string_view>

namespace tl {

/// Accumulation registers: none, a register file of their own, or part of the vector registers.
enum class AccRegisters : uint8_t { None, Separate, Unified };

/// Chips with the same matrix instructions.
enum class MatrixFamily : uint8_t { None, Cdna3, Cdna4, Rdna3, Rdna4, Sm80 };

/// One row of targets.def.
struct AmdChip {
  std::string_view name;
  uint32_t waveSize;
  uint32_t ldsBytes;
  uint32_t ldsPoolBytes;
  uint32_t ldsGranule;
  uint32_t vgprs;
  uint32_t vgprGranule;
  AccRegisters acc;
  uint32_t maxWaves;
  uint32_t sgprs;
  bool rowXmask;
  bool packedF32;
  MatrixFamily matrix;
};

/// One NVIDIA row of targets.def.
struct NvidiaChip {
  std::string_view name;
  uint32_t sharedBytes;
};

/// Threads of a workgroup, at most, on every chip.
inline constexpr uint32_t maxWorkgroupThreads = 1024;
/// SIMDs that share one pool of LDS, on every chip.
inline constexpr uint32_t simdsPerLdsPool = 4;

/// All rows.
std::span<const AmdChip> amdChips();
/// The row of "gfx942", or null.
const AmdChip *findAmdChip(std::string_view name);

/// All rows of NVIDIA GPUs, older ones first.
std::span<const NvidiaChip> nvidiaChips();
/// The row of "sm_90", or null.
const NvidiaChip *findNvidiaChip(std::string_view name);

/// Waves that a SIMD of the chip can hold of a kernel with these registers and LDS in workgroups of
/// `threads`: what limits is the registers, the LDS pool, or the chip. At least 1 (a kernel that
/// runs at all).
uint32_t occupancyWaves(const AmdChip &chip, const ResourceUse &use, uint32_t threads);

} // namespace tl
