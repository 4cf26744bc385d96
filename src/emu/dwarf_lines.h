// The line number programs of a .debug_line section, DWARF 2 to 5. Input is not trusted: reading
// ends quietly at the first thing that is not right, and keeps what it had.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace tl::emu {

struct DwarfSections {
  std::span<const uint8_t> lines, lineStrings, strings; // .debug_line, .debug_line_str, .debug_str
};

using DwarfFileSink = std::function<uint32_t(const std::string &path, std::string_view contents)>;

struct DwarfRow {
  uint64_t address;
  uint32_t file; // as given to the sink of files
  uint32_t line;
  bool endsSequence;
};

/// Calls `file` for each file of a program, with its contents where the line table holds them (what
/// LLVM's user guide for AMDGPU calls "embedded source"), which gives its number, and `row` for
/// each row.
void readDwarfLines(const DwarfSections &sections, const DwarfFileSink &file,
                    const std::function<void(const DwarfRow &)> &row);

} // namespace tl::emu
