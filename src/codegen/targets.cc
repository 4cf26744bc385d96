#include "codegen/targets.h"

#include <algorithm>

namespace tl {

static constexpr AmdChip chips[] = {
#define TL_AMD_CHIP(NAME, WAVE, LDS, LDS_POOL, LDS_GRANULE, VGPRS, VGPR_GRANULE, ACC, WAVES,       \
                    SGPRS, ROW_XMASK, PACKED_F32, MATRIX)                                          \
  {                                                                                                \
      #NAME,                                                                                       \
      WAVE,                                                                                        \
      LDS,                                                                                         \
      LDS_POOL,                                                                                    \
      LDS_GRANULE,                                                                                 \
      VGPRS,                                                                                       \
      VGPR_GRANULE,                                                                                \
      AccRegisters::ACC,                                                                           \
      WAVES,                                                                                       \
      SGPRS,                                                                                       \
      ROW_XMASK,                                                                                   \
      PACKED_F32,                                                                                  \
      MatrixFamily::MATRIX},
#include "codegen/targets.def"
};

static constexpr NvidiaChip nvidiaRows[] = {
#define TL_NVIDIA_CHIP(NAME, SHARED) {#NAME, SHARED},
#include "codegen/targets.def"
};

template <class Row> static const Row *findRow(std::span<const Row> rows, std::string_view name) {
  auto found =
      std::find_if(rows.begin(), rows.end(), [&](const Row &row) { return row.name == name; });
  return found == rows.end() ? nullptr : &*found;
}

std::span<const AmdChip> amdChips() { return chips; }
const AmdChip *findAmdChip(std::string_view name) { return findRow(amdChips(), name); }

std::span<const NvidiaChip> nvidiaChips() { return nvidiaRows; }
const NvidiaChip *findNvidiaChip(std::string_view name) { return findRow(nvidiaChips(), name); }

static uint32_t roundUp(uint32_t value, uint32_t granule) {
  return (value + granule - 1) / granule * granule;
}

uint32_t occupancyWaves(const AmdChip &chip, const ResourceUse &use, uint32_t threads) {
  uint32_t waves = chip.maxWaves;
  // Metadata counts both kinds together where the file is unified.
  uint32_t vgprs = chip.acc == AccRegisters::Separate ? std::max(use.vgprs, use.agprs) : use.vgprs;
  if (vgprs != 0)
    waves = std::min(waves, chip.vgprs / roundUp(vgprs, chip.vgprGranule));
  if (chip.sgprs != 0 && use.sgprs != 0)
    waves = std::min(waves, chip.sgprs / roundUp(use.sgprs, 16));
  if (use.ldsBytes != 0) {
    uint32_t groups = chip.ldsPoolBytes / roundUp(use.ldsBytes, chip.ldsGranule);
    uint32_t wavesPerGroup = (threads + chip.waveSize - 1) / chip.waveSize;
    waves = std::min(waves, groups * wavesPerGroup / simdsPerLdsPool);
  }
  return std::max(waves, 1u);
}

} // namespace tl
