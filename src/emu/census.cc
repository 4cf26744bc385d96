#include "emu/census.h"

#include "emu/chips.h"
#include "emu/decode.h"
#include "emu/kernel_record.h"

#include <map>
#include <set>

namespace tl::emu {

Result<std::vector<CensusRow>> takeCensus(std::span<const uint8_t> file) {
  TL_ASSIGN(CodeObject object, readCodeObject(file));
  const Chip *chip = findChipOfMachine(object.machine);
  if (!chip)
    return makeError(TL_E_UNSUPPORTED, "code of a chip that is not emulated (machine 0x%x)",
                     object.machine);
  TL_ASSIGN(auto kernels, readKernels(object, *chip));
  std::set<uint32_t> waveSizes;
  for (const KernelRecord &kernel : kernels)
    waveSizes.insert(kernel.info.waveSize);
  if (waveSizes.empty())
    waveSizes.insert(chip->info.waveSize);
  std::map<std::string, CensusRow> rows;
  for (uint32_t waveSize : waveSizes) {
    TL_ASSIGN(auto program, decode(object, *chip, waveSize));
    for (const MicroOp &op : program->ops) {
      if (!op.opcode)
        continue; // padding
      std::string name = mnemonic(op.opcode);
      auto [row, isNew] = rows.emplace(name, CensusRow{chip->info.name, name, 0, op.row != kNoRow});
      ++row->second.count;
      row->second.implemented &= op.row != kNoRow;
    }
  }
  std::vector<CensusRow> result;
  for (auto &[name, row] : rows)
    result.push_back(std::move(row));
  return result;
}

} // namespace tl::emu
