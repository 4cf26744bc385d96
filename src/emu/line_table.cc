#include "emu/line_table.h"

#include "emu/code_object.h"
#include "emu/dwarf_lines.h"
#include "emu/emulator.h"

#include <algorithm>
#include <unordered_map>

namespace tl::emu {

std::string SourceLine::text() const { return file + ":" + std::to_string(line); }

std::unique_ptr<LineTable> LineTable::read(const CodeObject &object,
                                           const std::vector<LineMapping> &map) {
  auto table = std::make_unique<LineTable>();
  table->files.push_back(""); // of what has no file
  std::unordered_map<std::string, uint32_t> numbers;
  auto file = [&](const std::string &path) {
    auto [number, isNew] = numbers.emplace(path, uint32_t(table->files.size()));
    if (isNew)
      table->files.push_back(path);
    return number->second;
  };
  std::unordered_map<uint32_t, const LineMapping *> places;
  for (const LineMapping &mapping : map)
    places.emplace(mapping.line, &mapping);
  DwarfSections sections = {object.section(".debug_line"), object.section(".debug_line_str"),
                            object.section(".debug_str")};
  readDwarfLines(sections, file, [&](const DwarfRow &row) {
    // A row of line 0 belongs to what the compiler made up; the line before it is the better
    // answer, so it is left out unless it ends the sequence.
    if (!row.endsSequence && !row.line)
      return;
    Row added = {row.address, row.file, row.endsSequence ? 0 : row.line};
    if (auto place = places.find(added.line); place != places.end())
      added = {row.address, file(place->second->file), place->second->sourceLine};
    table->rows.push_back(added);
  });
  std::stable_sort(table->rows.begin(), table->rows.end(),
                   [](const Row &a, const Row &b) { return a.address < b.address; });
  return table;
}

SourceLine LineTable::find(uint64_t address) const {
  auto next = std::upper_bound(rows.begin(), rows.end(), address,
                               [](uint64_t at, const Row &row) { return at < row.address; });
  if (next == rows.begin())
    return {};
  const Row &row = *std::prev(next);
  return row.line ? SourceLine{files[row.file], row.line} : SourceLine{};
}

} // namespace tl::emu
