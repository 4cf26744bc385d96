#include "emu/line_table.h"

#include "emu/code_object.h"

#include <llvm/DebugInfo/DWARF/DWARFContext.h>
#include <llvm/Object/ObjectFile.h>

#include <algorithm>
#include <unordered_map>

namespace tl::emu {

std::unique_ptr<LineTable> LineTable::read(const CodeObject &object) {
  using namespace llvm;
  auto table = std::make_unique<LineTable>();
  StringRef bytes(reinterpret_cast<const char *>(object.image.data()), object.image.size());
  auto file = object::ObjectFile::createELFObjectFile(MemoryBufferRef(bytes, "code object"), false);
  if (!file) {
    consumeError(file.takeError());
    return table;
  }
  auto quiet = [](llvm::Error error) { consumeError(std::move(error)); };
  auto context = DWARFContext::create(**file, DWARFContext::ProcessDebugRelocations::Ignore,
                                      nullptr, "", quiet, quiet);
  std::unordered_map<std::string, uint32_t> numbers;
  for (const auto &unit : context->compile_units()) {
    auto *lines = context->getLineTableForUnit(unit.get());
    if (!lines)
      continue;
    const char *directory = unit->getCompilationDir();
    std::unordered_map<uint64_t, uint32_t> ofUnit;
    for (const auto &row : lines->Rows) {
      auto [known, isNew] = ofUnit.emplace(row.File, 0);
      if (isNew) {
        std::string name;
        lines->getFileNameByIndex(row.File, directory ? directory : "",
                                  DILineInfoSpecifier::FileLineInfoKind::AbsoluteFilePath, name);
        auto [number, fresh] = numbers.emplace(name, uint32_t(table->files.size()));
        if (fresh)
          table->files.push_back(name);
        known->second = number->second;
      }
      // A row of line 0 belongs to what the compiler made up; the line before it is the better
      // answer, so it is left out unless it ends the sequence.
      if (row.EndSequence || row.Line)
        table->rows.push_back(
            {row.Address.Address, known->second, row.EndSequence ? 0 : uint32_t(row.Line)});
    }
  }
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
