// Line tables as the emulator reads them, against llvm-dwarfdump: DWARF 4 and 5, every row.
#include "emu_test.h"

#include "emu/code_object.h"
#include "emu/dwarf_lines.h"

#include <cstdio>

using namespace emutest;

namespace {

using Rows = std::vector<std::string>;

std::string rowText(uint64_t address, uint64_t line, const std::string &file, bool ends) {
  char text[64];
  std::snprintf(text, sizeof text, "%llx %llu %d ", (unsigned long long)address,
                (unsigned long long)line, ends);
  return text + file.substr(file.rfind('/') + 1);
}

Rows ours(const std::string &path) {
  Rows rows;
  std::vector<uint8_t> image = readFile(path);
  auto object = readCodeObject(image);
  if (!object)
    return rows;
  std::vector<std::string> files;
  auto file = [&](const std::string &name, std::string_view) {
    files.push_back(name);
    return uint32_t(files.size() - 1);
  };
  DwarfSections sections = {object->section(".debug_line"), object->section(".debug_line_str"),
                            object->section(".debug_str")};
  readDwarfLines(sections, file, [&](const DwarfRow &row) {
    rows.push_back(rowText(row.address, row.line, files[row.file], row.endsSequence));
  });
  return rows;
}

// "file_names[  1]:" and "name: "x"" lines, then rows "0x... line column file isa ...".
Rows theirs(const std::string &path) {
  Rows rows;
  std::string tool = std::filesystem::canonical(TL_CLANG).parent_path() / "llvm-dwarfdump";
  FILE *pipe = popen((tool + " --debug-line " + path).c_str(), "r");
  char line[4096], name[4096];
  std::vector<std::string> files(1);
  unsigned index = 0, number, column, file;
  unsigned long long address;
  while (std::fgets(line, sizeof line, pipe)) {
    if (std::strncmp(line, "debug_line[", 11) == 0)
      files.assign(1, "");
    else if (std::sscanf(line, "file_names[ %u]", &index) == 1)
      files.resize(index + 1);
    else if (std::sscanf(line, " name: \"%4000[^\"]", name) == 1)
      files[index] = name;
    else if (std::sscanf(line, "0x%llx %u %u %u", &address, &number, &column, &file) == 4)
      rows.push_back(rowText(address, number, file < files.size() ? files[file] : "",
                             std::strstr(line, "end_sequence")));
  }
  pclose(pipe);
  return rows;
}

void compare(const std::string &path) {
  Rows mine = ours(path), reference = theirs(path);
  CHECK(reference.size() > 10);
  CHECK_EQ(mine.size(), reference.size());
  for (size_t i = 0; i < std::min(mine.size(), reference.size()); ++i)
    if (mine[i] != reference[i])
      return unit::fail(__FILE__, __LINE__, path + ": " + mine[i] + " and " + reference[i]);
}

} // namespace

UNIT_TEST(dwarf_5_of_all_kernels) {
  for (const auto &entry : std::filesystem::directory_iterator(TL_EMU_KERNELS))
    if (entry.path().string().find("_O") != std::string::npos)
      compare(entry.path());
}

UNIT_TEST(older_versions) {
  for (const char *version : {"2", "3", "4"})
    for (const char *chip : {"gfx942", "gfx1100"}) {
      std::string path = std::string(TL_EMU_KERNELS) + "/lines_" + std::to_string(getpid()) + ".co";
      std::string command = std::string(TL_CLANG) +
                            " -x cl -cl-std=CL2.0 -target amdgcn-amd-amdhsa -mcpu=" + chip +
                            " -nogpulib -O1 -gdwarf-" + version +
                            " " TL_EMU_SOURCES "/kernels/programs.cl -o " + path;
      REQUIRE(std::system(command.c_str()) == 0);
      compare(path);
      std::filesystem::remove(path);
    }
}

UNIT_TEST_MAIN
