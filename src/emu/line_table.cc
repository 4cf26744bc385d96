#include "emu/line_table.h"

#include "emu/code_object.h"
#include "emu/dwarf_lines.h"
#include "emu/emulator.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>

namespace tl::emu {

namespace {

constexpr size_t kMostPathBytes = size_t(16) << 20;

std::vector<std::string> linesOf(std::string_view contents) {
  std::vector<std::string> lines;
  for (size_t at = 0; at < contents.size();) {
    size_t end = std::min(contents.find('\n', at), contents.size());
    size_t first = std::min(contents.find_first_not_of(" \t\r", at), end), last = end;
    while (last > first && std::strchr(" \t\r", contents[last - 1]))
      --last;
    lines.emplace_back(contents.substr(first, last - first));
    at = end + 1;
  }
  return lines;
}

} // namespace

std::string SourceLine::text() const {
  std::string place = file + ":" + std::to_string(line);
  return words.empty() ? place : place + " `" + words + "`";
}

std::unique_ptr<LineTable> LineTable::read(const CodeObject &object,
                                           const std::vector<LineMapping> &map) {
  DwarfSections sections = {object.section(".debug_line"), object.section(".debug_line_str"),
                            object.section(".debug_str")};
  auto table = std::make_unique<LineTable>();
  table->files.push_back({}); // of what has no file
  std::unordered_map<std::string, uint32_t> numbers;
  // Texts may share bytes, but not so that a small file says gigabytes: what is more is not kept.
  size_t pathsLeft = kMostPathBytes,
         wordsLeft =
             4 * (sections.lines.size() + sections.lineStrings.size() + sections.strings.size());
  auto file = [&](const std::string &path, std::string_view contents) -> uint32_t {
    if (auto known = numbers.find(path); known != numbers.end())
      return known->second;
    if (path.size() > pathsLeft)
      return 0;
    pathsLeft -= path.size();
    const bool kept = contents.size() <= wordsLeft;
    wordsLeft -= kept ? contents.size() : 0;
    table->files.push_back({path, kept ? linesOf(contents) : std::vector<std::string>()});
    return numbers[path] = uint32_t(table->files.size() - 1);
  };
  std::unordered_map<uint32_t, const LineMapping *> places;
  for (const LineMapping &mapping : map)
    places.emplace(mapping.line, &mapping);
  readDwarfLines(sections, file, [&](const DwarfRow &row) {
    // A row of line 0 belongs to what the compiler made up; the line before it is the better
    // answer, so it is left out unless it ends the sequence.
    if (!row.endsSequence && !row.line)
      return;
    Row added = {row.address, row.file, row.endsSequence ? 0 : row.line};
    if (auto place = places.find(added.line); place != places.end())
      added = {row.address, file(place->second->file, ""), place->second->sourceLine};
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
  if (!row.line)
    return {};
  const File &file = files[row.file];
  return {file.path, row.line, row.line <= file.lines.size() ? file.lines[row.line - 1] : ""};
}

} // namespace tl::emu
