#include "emu/op_table.h"

#include <unordered_map>
#include <vector>

namespace tl::emu {
namespace {

struct OpTable {
  std::vector<OpRow> rows;
  std::unordered_map<std::string_view, uint16_t> byName;

  OpTable() {
    for (auto family : {saluRows(),        saluFloatRows(),   branchRows(),      smemRows(),
                        valuMoveRows(),    valuIntegerRows(), valuFloatRows(),   valuConvertRows(),
                        valuCompareRows(), valuLaneRows(),    valuHalfRows(),    valuMathRows(),
                        valuFp8Rows(),     valuScaleRows(),   valuPermuteRows(), vopdRows(),
                        vop3pRows(),       matrixRows(),      vmemRows(),        vmemFormatRows(),
                        ldsRows()})
      for (const OpRow &row : family) {
        byName.emplace(row.name, uint16_t(rows.size()));
        rows.push_back(row);
      }
  }
};

const OpTable &table() {
  static const OpTable &opTable = *new OpTable; // never destroyed: see tables()
  return opTable;
}

bool isDigit(char c) { return c >= '0' && c <= '9'; }

// LLVM's names carry what makes them unique as words in small letters at their end (e32, vi, gfx11,
// t16, twoaddr, vcd).
std::string_view withoutTail(std::string_view name) {
  for (;;) {
    size_t word = name.rfind('_');
    if (word == std::string_view::npos || word + 1 >= name.size() ||
        !(name[word + 1] >= 'a' && name[word + 1] <= 'z'))
      return name;
    name = name.substr(0, word);
  }
}

bool dropSuffix(std::string &name, std::string_view suffix) {
  if (name.size() <= suffix.size() ||
      name.compare(name.size() - suffix.size(), suffix.size(), suffix) != 0)
    return false;
  name.resize(name.size() - suffix.size());
  return true;
}

// GLOBAL_, FLAT_, SCRATCH_ and BUFFER_ instructions do the same with data; where it lies is the
// decoder's business. Their rows are named FLAT_.
void normalizeMemory(std::string &name) {
  for (std::string_view prefix : {"GLOBAL_", "SCRATCH_", "BUFFER_"})
    if (name.rfind(prefix, 0) == 0 && (name.rfind("LOAD_", prefix.size()) == prefix.size() ||
                                       name.rfind("STORE_", prefix.size()) == prefix.size() ||
                                       name.rfind("ATOMIC_", prefix.size()) == prefix.size()))
      name = "FLAT_" + name.substr(prefix.size());
  if (name.rfind("FLAT_", 0) != 0 && name.rfind("TBUFFER_", 0) != 0)
    return;
  for (bool again = true; again;) {
    again = false;
    for (std::string_view suffix : {"_SADDR", "_RTN", "_ST", "_SVS", "_VE", "_OFFEN", "_IDXEN",
                                    "_BOTHEN", "_OFFSET", "_VBUFFER", "_LDS", "_w32", "_w64"})
      again |= dropSuffix(name, suffix);
  }
  if (name.rfind("FLAT_LOAD_LDS_", 0) == 0)
    name = "FLAT_LOAD_" + name.substr(14);
}

} // namespace

uint16_t findOp(std::string_view name) {
  auto found = table().byName.find(name);
  return found == table().byName.end() ? kNoRow : found->second;
}

const OpRow &opRow(uint16_t row) { return table().rows[row]; }

size_t opRowCount() { return table().rows.size(); }

std::string normalizeName(std::string_view name) {
  // Some names say the instruction twice: V_FMA_F16V_FMA_F16_gfx9_t16_e64_gfx11.
  for (size_t at = name.find("V_", 1); at != std::string_view::npos; at = name.find("V_", at + 1))
    if (isDigit(name[at - 1])) {
      name = name.substr(0, at);
      break;
    }
  std::string result(withoutTail(name));
  if (result.rfind("S_", 0) == 0 &&
      (result.find("LOAD_") != std::string::npos || result.find("STORE_") != std::string::npos ||
       result.find("ATOMIC_") != std::string::npos ||
       result.find("PREFETCH_") != std::string::npos)) {
    for (bool again = true; again;)
      again =
          dropSuffix(result, "_IMM") || dropSuffix(result, "_SGPR") || dropSuffix(result, "_RTN");
  }
  // Whether an LDS atomic returns shows in its results.
  size_t returns = result.rfind("DS_", 0) == 0 ? result.find("_RTN") : std::string::npos;
  if (returns != std::string::npos)
    result.erase(returns, 4);
  normalizeMemory(result);
  return result;
}

} // namespace tl::emu
