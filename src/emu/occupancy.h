// How many workgroups and waves a compute unit holds at once, and what limits them.
#pragma once

#include "emu/chips.h"

namespace tl::emu {

struct Occupancy {
  uint32_t groups = 0;       // on a compute unit; 0: not one fits
  uint32_t wavesOfGroup = 0; // of a workgroup
  double waves = 0;          // on each SIMD, on average
  uint32_t mostWaves = 0;    // of the chip, on each SIMD
  uint32_t byRegisters = 0;  // waves on each SIMD that the registers allow
  uint32_t byLds = 0;        // workgroups that LDS allows; 0 without LDS
};

Occupancy occupancyOf(const Chip &chip, const KernelInfo &info, uint32_t threads,
                      uint32_t dynamicLds);

} // namespace tl::emu
