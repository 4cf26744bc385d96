#include "emu/chips.h"

namespace tl::emu {

const std::vector<Chip> &allChips() {
  static const auto &chips = *new std::vector<Chip>{
  // never destroyed: see tables()
#define TL_CHIP(NAME, PRODUCT, MACHINE, WAVE, UNITS, LDS, LDSGRANULE, VECTORS, GRANULE, WAVES,     \
                SIMDS, BANKS, LINE, MEMORY, CLOCK, GENERATION, FEATURES)                           \
  Chip{{NAME, PRODUCT, MACHINE, WAVE, UNITS, LDS, 1024, VECTORS, WAVES, SIMDS, BANKS, LINE,        \
        uint64_t(MEMORY) << 30, CLOCK},                                                            \
       Generation::GENERATION,                                                                     \
       FEATURES,                                                                                   \
       LDSGRANULE,                                                                                 \
       GRANULE},
#include "emu/chips.def"
  };
  return chips;
}

const Chip *findChip(const std::string &name) {
  for (const Chip &chip : allChips())
    if (name == chip.info.name)
      return &chip;
  return nullptr;
}

const Chip *findChipOfMachine(uint32_t machine) {
  for (const Chip &chip : allChips())
    if (machine == chip.info.machine)
      return &chip;
  return nullptr;
}

} // namespace tl::emu
