// Source lines of a code object's instructions, from its DWARF.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tl::emu {

struct CodeObject;

struct SourceLine {
  std::string file;
  uint32_t line = 0; // 0: unknown
};

class LineTable {
public:
  /// An empty table when there is no debug info, or it is damaged.
  static std::unique_ptr<LineTable> read(const CodeObject &object);
  SourceLine find(uint64_t address) const;

private:
  struct Row {
    uint64_t address;
    uint32_t file, line; // line 0 ends a sequence
  };
  std::vector<Row> rows; // by address
  std::vector<std::string> files;
};

} // namespace tl::emu
