// Code objects whose headers and tables say what cannot be, in ways that random damage hardly ever
// finds: sizes that nobody knows, sections that share bytes, small files that stand for gigabytes.
#include "emu_test.h"

#include "emu/code_object.h"
#include "emu/elf_format.h"
#include "emu/line_table.h"

#include <sys/mman.h>

using namespace emutest;
using namespace tl::emu::elf;

namespace {

constexpr size_t kPage = 4096;

std::vector<uint8_t> goodObject() { return kernelFile("vector_add", "gfx942", 1); }

/// A copy that ends where nothing is mapped any more.
class AtTheEnd {
public:
  explicit AtTheEnd(const std::vector<uint8_t> &image)
      : bytes((image.size() / kPage + 2) * kPage),
        start(static_cast<uint8_t *>(
            mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {
    mprotect(start + bytes - kPage, kPage, PROT_NONE);
    data = start + bytes - kPage - image.size();
    std::copy(image.begin(), image.end(), data);
  }
  ~AtTheEnd() { munmap(start, bytes); }
  AtTheEnd(const AtTheEnd &) = delete;

private:
  size_t bytes;
  uint8_t *start;

public:
  uint8_t *data;
};

LoadResult loadOfUnknownSize(Machine &machine, const std::vector<uint8_t> &image) {
  AtTheEnd copy(image);
  return machine.emulator->load(copy.data, SIZE_MAX, 0);
}

/// An ELF file whose section headers are changed.
class Elf {
public:
  explicit Elf(std::vector<uint8_t> image) : image(std::move(image)) {}

  Header header() const { return get<Header>(0); }
  Section section(unsigned i) const { return get<Section>(offset(i)); }
  void set(unsigned i, const Section &section) {
    std::memcpy(image.data() + offset(i), &section, sizeof section);
  }
  /// The first section of a type with these flags.
  unsigned find(uint32_t type, uint64_t flags = 0) const {
    unsigned i = 0;
    while (i < header().sectionCount &&
           (section(i).type != type || (section(i).flags & flags) != flags))
      ++i;
    return i;
  }
  /// Bytes at the end of the file.
  uint64_t append(const std::vector<uint8_t> &bytes) {
    image.resize((image.size() + 7) / 8 * 8);
    image.insert(image.end(), bytes.begin(), bytes.end());
    return image.size() - bytes.size();
  }

  std::vector<uint8_t> image;

private:
  template <class T> T get(uint64_t at) const {
    T value;
    std::memcpy(&value, image.data() + at, sizeof value);
    return value;
  }
  uint64_t offset(unsigned i) const { return header().sectionOffset + i * sizeof(Section); }
};

void refuses(const std::vector<uint8_t> &image, const std::string &words) {
  Machine machine("gfx942");
  LoadStatus status = machine.load(image);
  CHECK(status == LoadStatus::NotAnImage);
  if (machine.message.find(words) == std::string::npos)
    unit::fail(__FILE__, __LINE__, "'" + machine.message + "' does not say '" + words + "'");
}

const char *const kVariables = R"(
  .amdgcn_target "amdgcn-amd-amdhsa--gfx942"
  .text
  s_endpgm
  .data
  .globl table, fixed
  .type table,@object
table:
  .fill 64, 1, 7
  .size table, %SIZE%
  .type fixed,@object
  fixed = 0x10000000000
  .amdgpu_metadata
---
amdhsa.kernels: []
amdhsa.version: [1, 2]
...
  .end_amdgpu_metadata
)";

std::vector<uint8_t> variables(const std::string &size) {
  std::string text = kVariables;
  text.replace(text.find("%SIZE%"), 6, size);
  return assemble(text, "gfx942");
}

} // namespace

UNIT_TEST(an_image_of_unknown_size_ends_where_memory_does) {
  Machine machine("gfx942");
  const std::vector<uint8_t> good = goodObject();
  CHECK(loadOfUnknownSize(machine, good).status == LoadStatus::Ok);
  for (size_t size = 1; size < good.size(); size += 64)
    if (loadOfUnknownSize(machine, {good.begin(), good.begin() + ptrdiff_t(size)}).status ==
        LoadStatus::Ok)
      return unit::fail(__FILE__, __LINE__, "loaded " + std::to_string(size) + " bytes");
  // Each of the numbers that say where headers and sections are, as far away as it goes.
  for (size_t at = 32; at < sizeof(Header); ++at) {
    std::vector<uint8_t> image = good;
    image[at] = 0xff;
    loadOfUnknownSize(machine, image);
  }
  for (unsigned i = 0; i < Elf(good).header().sectionCount; ++i) {
    Elf elf(good);
    Section section = elf.section(i);
    section.offset = 100 << 20;
    section.bytes = 100 << 20;
    section.type = kSectionProgramBits;
    elf.set(i, section);
    CHECK(loadOfUnknownSize(machine, elf.image).message.find("lies outside") != std::string::npos);
  }
  CHECK(machine.emulator->load(reinterpret_cast<void *>(kPage / 2), SIZE_MAX, 0).status ==
        LoadStatus::NotAnImage);
}

UNIT_TEST(a_bundle_of_unknown_size_ends_where_memory_does) {
  Machine machine("gfx942");
  const std::string id = "hipv4-amdgcn-amd-amdhsa--gfx942";
  for (uint64_t lie : {uint64_t(kPage), uint64_t(1) << 30, uint64_t(1) << 40, UINT64_MAX})
    for (unsigned field = 0; field < 4; ++field) {
      std::vector<uint8_t> image = goodObject();
      uint64_t numbers[] = {1, 24 + 32 + id.size(), image.size(), id.size()};
      numbers[field] = lie;
      std::string head = "__CLANG_OFFLOAD_BUNDLE__";
      head.append(reinterpret_cast<char *>(numbers), sizeof numbers);
      head += id;
      image.insert(image.begin(), head.begin(), head.end());
      LoadResult result = loadOfUnknownSize(machine, image);
      CHECK(result.status == LoadStatus::Ok || !result.message.empty());
    }
  for (uint64_t whole : {uint64_t(64), uint64_t(kPage), uint64_t(1) << 31, UINT64_MAX}) {
    std::vector<uint8_t> image = {'C', 'C', 'O', 'B', 3, 0, 1, 0};
    image.resize(64);
    std::memcpy(&image[8], &whole, 8);
    image[16] = 255;
    CHECK(loadOfUnknownSize(machine, image).status == LoadStatus::NotAnImage);
  }
}

// 2 GB are not taken before there is anything of them.
UNIT_TEST(a_bundle_that_says_it_is_large) {
  for (uint8_t method : {0, 1}) {
    std::vector<uint8_t> image = {'C', 'C', 'O', 'B', 3, 0, method, 0, 64};
    image.resize(64);
    const uint64_t plain = uint64_t(1) << 31;
    std::memcpy(&image[16], &plain, 8);
    refuses(image, "its compressed data");
  }
}

UNIT_TEST(sections_may_not_share_bytes) {
  Elf elf(goodObject());
  const unsigned code = elf.find(kSectionProgramBits, kSectionExecutable),
                 symbols = elf.find(kSectionSymbols);
  // Symbols that lie in the code, or code that lies in the symbols.
  for (auto [from, to] : {std::pair(code, symbols), std::pair(symbols, code)}) {
    Elf changed = elf;
    Section section = elf.section(to);
    section.offset = elf.section(from).offset;
    changed.set(to, section);
    refuses(changed.image, "sections overlap");
  }
  // Another section that stands for the same code.
  Section twin = elf.section(symbols);
  twin.type = kSectionProgramBits;
  twin.flags = kSectionExecutable;
  twin.address = elf.section(code).address;
  twin.bytes = 4;
  elf.set(symbols, twin);
  refuses(elf.image, "sections of code overlap");
}

UNIT_TEST(segments_may_not_share_addresses) {
  std::vector<uint8_t> image = goodObject();
  Header header;
  std::memcpy(&header, image.data(), sizeof header);
  uint64_t first = 0;
  for (unsigned i = 0, found = 0; i < header.programCount; ++i) {
    Program program;
    uint8_t *place = image.data() + header.programOffset + i * sizeof program;
    std::memcpy(&program, place, sizeof program);
    if (program.type != kLoad)
      continue;
    if (++found == 1)
      first = program.address;
    program.address = first;
    std::memcpy(place, &program, sizeof program);
  }
  refuses(image, "segments overlap");
}

// Names may share their ends: 5,000 symbols of the same 200,000 letters would be a gigabyte.
UNIT_TEST(symbols_with_more_names_than_bytes) {
  Elf elf(goodObject());
  const unsigned table = elf.find(kSectionSymbols);
  Section symbols = elf.section(table), names = elf.section(symbols.link);
  names.bytes = 200000;
  names.offset = elf.append(std::vector<uint8_t>(names.bytes, 'a'));
  symbols.bytes = 5000 * sizeof(Symbol);
  symbols.offset = elf.append(std::vector<uint8_t>(symbols.bytes));
  elf.set(symbols.link, names);
  elf.set(table, symbols);
  refuses(elf.image, "the names of its symbols");
}

UNIT_TEST(variables_that_are_not_in_the_code_object) {
  Machine machine("gfx942");
  REQUIRE(machine.load(variables("64")) == LoadStatus::Ok);
  uint64_t bytes = 0;
  const uint64_t table = machine.module->findGlobal("table", &bytes);
  CHECK(table && bytes == 64);
  CHECK_EQ(machine.download<uint8_t>(table, 64)[63], uint8_t(7));
  // A constant of the linker is no memory.
  CHECK(!machine.module->findGlobal("fixed", &bytes));
  for (const char *size : {"0x100000", "0x10000000000", "0xffffffffffffffff"})
    refuses(variables(size), "the variable table lies outside");
}

// 3,000 files, each with a path of its own and the same 100,000 lines.
UNIT_TEST(line_tables_with_more_words_than_bytes) {
  constexpr unsigned files = 3000, lines = 100000;
  std::vector<uint8_t> table;
  auto number = [&](uint64_t value, unsigned width) {
    for (unsigned i = 0; i < width; ++i)
      table.push_back(uint8_t(value >> 8 * i));
  };
  auto bytes = [&](std::initializer_list<uint8_t> all) { table.insert(table.end(), all); };
  number(0, 4); // the unit's size, below
  number(5, 2);
  bytes({8, 0});
  number(0, 4); // the header's size, below
  bytes({1, 1, 1, 251, 14, 10, 0, 1, 1, 1, 1, 0, 0, 0, 1});
  bytes({1, 1, 8, 1, 'd', 0}); // one directory, its path in place
  bytes({2, 1, 8, 0x81, 0x40, 0x1f, 0x80 | files % 128, files / 128}); // path, words elsewhere
  for (unsigned i = 0; i < files; ++i) {
    bytes({uint8_t('a' + i / 676), uint8_t('a' + i / 26 % 26), uint8_t('a' + i % 26), 0});
    number(0, 4);
  }
  const size_t header = table.size();
  bytes({0, 9, 2});
  number(0, 8);
  for (unsigned i = 0; i < files; ++i) // file i, a row, the next instruction
    bytes({4, uint8_t(0x80 | i % 128), uint8_t(i / 128), 1, 2, 4});
  bytes({0, 1, 1});
  auto patch = [&](size_t at, size_t value) {
    for (unsigned i = 0; i < 4; ++i)
      table[at + i] = uint8_t(value >> 8 * i);
  };
  patch(0, table.size() - 4);
  patch(8, header - 12);
  tl::emu::CodeObject object;
  object.image = table;
  object.otherSections = {{".debug_line", 0, table.size()},
                          {".debug_line_str", table.size(), 2 * lines + 1}};
  for (unsigned i = 0; i < lines; ++i)
    object.image.insert(object.image.end(), {'x', '\n'});
  object.image.push_back(0);
  auto read = tl::emu::LineTable::read(object);
  CHECK_EQ(read->find(0).text(), "d/aaa:1 `x`");
  // The place is known in any case, the words only as far as honest tables need it.
  CHECK_EQ(read->find(4 * (files - 1)).text(), "d/elj:1");
}

UNIT_TEST_MAIN
