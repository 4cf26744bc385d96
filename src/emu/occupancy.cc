#include "emu/occupancy.h"

#include <algorithm>

namespace tl::emu {

Occupancy occupancyOf(const Chip &chip, const KernelInfo &info, uint32_t threads,
                      uint32_t dynamicLds) {
  Occupancy result;
  const uint64_t lds = uint64_t(info.ldsBytes) + dynamicLds;
  result.mostWaves = chip.info.maxWavesPerSimd;
  if (threads == 0 || threads > info.maxThreads || lds > chip.info.ldsBytes)
    return result;
  // A wave of 64 on a chip whose registers are counted for waves of 32 takes two of each.
  const uint32_t file = chip.info.vectorRegisters * chip.info.waveSize / info.waveSize,
                 granule = std::max(1u, chip.vectorGranule * chip.info.waveSize / info.waveSize),
                 registers = (std::max(info.vgprs, 1u) + granule - 1) / granule * granule;
  result.byRegisters = std::min(result.mostWaves, file / registers);
  result.wavesOfGroup = (threads + info.waveSize - 1) / info.waveSize;
  result.groups = result.byRegisters * chip.info.simdsPerUnit / result.wavesOfGroup;
  if (lds) {
    uint64_t taken = (lds + chip.ldsGranule - 1) / chip.ldsGranule * chip.ldsGranule;
    result.byLds = uint32_t(chip.info.ldsBytes / taken);
    result.groups = std::min(result.groups, result.byLds);
  }
  result.waves = double(result.groups) * result.wavesOfGroup / chip.info.simdsPerUnit;
  return result;
}

} // namespace tl::emu
