// Source lines of a code object's instructions, from its DWARF.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tl::emu {

struct CodeObject;
struct LineMapping;

struct SourceLine {
  std::string file;
  uint32_t line = 0; // 0: unknown
  std::string words; // of the line; empty when the code object does not hold the file
  /// "file:line", and the line itself where it is known: "file:line `%x = load %a[%i]`".
  std::string text() const;
};

class LineTable {
public:
  /// An empty table when there is no debug info, or it is damaged. `map` has other places for lines
  /// of the debug info; the first one for a line counts.
  static std::unique_ptr<LineTable> read(const CodeObject &object,
                                         const std::vector<LineMapping> &map = {});
  SourceLine find(uint64_t address) const;

private:
  struct Row {
    uint64_t address;
    uint32_t file, line; // line 0 ends a sequence
  };
  struct File {
    std::string path;
    std::vector<std::string> lines; // without spaces around them; none: not known
  };
  std::vector<Row> rows; // by address
  std::vector<File> files;
};

} // namespace tl::emu
