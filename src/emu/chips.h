// The chips that are emulated: rows of chips.def. What differs between them is a feature here, so
// that no instruction asks for a chip's name.
#pragma once

#include "emu/emulator.h"

namespace tl::emu {

/// Fixes encodings that have nothing to do with a chip's abilities: counters of s_waitcnt, hardware
/// registers, the buffer descriptor.
enum class Generation : uint8_t { Gfx9, Gfx11, Gfx12 };

enum ChipFeature : uint32_t {
  KernargPreload = 1,     // the descriptor may ask for kernel arguments in SGPRs
  ArchitectedScratch = 2, // scratch instructions know their base; no SGPRs set it up
  BothWaveSizes = 4,      // waves of 32 or 64, as the descriptor says
  Preserve16 = 8,         // a 16-bit result leaves the other half of its register alone
  ArchitectedIds = 16,    // workgroup ids in TTMP registers
  NoIeeeMode = 32,        // MODE has no DX10_CLAMP and IEEE bits: both behave as set
  FnuzFloat8 = 64,        // floats of 8 bits have the encoding without negative zero and infinity
  RepeatedMatrixInputs = 128, // WMMA wants A and B in each group of 16 lanes
  FlushedMatrixInputs = 256,  // MFMA of 16-bit floats flushes denormals
  PlainAtomicStores = 512,    // atomic stores are instructions like any other store
};

struct Chip {
  ChipInfo info;
  Generation generation;
  uint32_t features;
  uint32_t ldsGranule;
  uint32_t vectorGranule; // in waves of the default size
  bool has(ChipFeature feature) const { return features & feature; }
};

/// NULL when the chip is unknown.
const Chip *findChip(const std::string &name);
/// NULL when no chip has this EF_AMDGPU_MACH.
const Chip *findChipOfMachine(uint32_t machine);
const std::vector<Chip> &allChips();

} // namespace tl::emu
