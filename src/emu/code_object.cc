#include "emu/code_object.h"

#include "emu/elf_format.h"
#include "emu/mapped_bytes.h"
#include "emu/offload_bundle.h"

#include <algorithm>
#include <cstring>

namespace tl::emu {
namespace {

using namespace elf;

// A code object of half a gigabyte is a damaged one.
constexpr uint64_t kMostBytes = uint64_t(1) << 29;
constexpr uint32_t kMostSections = 4096;
constexpr uint64_t kLongestName = 256; // of a section

ErrorPtr damaged(const char *what) {
  return makeError(TL_E_CORRUPT, "the code object is damaged: %s", what);
}

class ElfReader {
public:
  ElfReader(std::span<const uint8_t> file) : file(file) {}

  Result<CodeObject> read() {
    TL_TRY(readHeader());
    TL_TRY(readSegments());
    TL_TRY(readSections());
    object.image.assign(file.begin(), file.end());
    return std::move(object);
  }

private:
  template <class T> bool get(uint64_t offset, T &out) const {
    if (offset > file.size() || sizeof(T) > file.size() - offset)
      return false;
    std::memcpy(&out, file.data() + offset, sizeof(T));
    return true;
  }
  bool inside(uint64_t offset, uint64_t bytes) const {
    return offset <= file.size() && bytes <= file.size() - offset;
  }

  Status readHeader() {
    if (!get(0, header))
      return damaged("it is shorter than an ELF header");
    if (std::memcmp(header.ident, "\177ELF\2\1\1", 7) != 0)
      return makeError(TL_E_CORRUPT, "no 64-bit little-endian ELF file");
    if (header.machine != kMachineAmdgpu || header.ident[7] != kAbiHsa)
      return makeError(TL_E_CORRUPT, "an ELF file, but no code object of an AMD GPU (machine %u)",
                       header.machine);
    // EI_ABIVERSION 2, 3, 4 are code object versions 4, 5, 6.
    if (header.ident[8] < 2 || header.ident[8] > 4)
      return makeError(TL_E_CORRUPT, "code object ABI version %u; 2, 3 and 4 are known",
                       header.ident[8]);
    object.version = header.ident[8] + 2u;
    object.machine = header.flags & 0xff;
    object.xnack = header.flags >> 8 & 3;
    object.sramEcc = header.flags >> 10 & 3;
    return {};
  }

  Status readSegments() {
    if (header.programBytes != sizeof(Program) || header.programCount > kMostSections)
      return damaged("its program headers");
    for (unsigned i = 0; i < header.programCount; ++i) {
      Program p;
      if (!get(header.programOffset + i * sizeof(Program), p))
        return damaged("a program header lies outside");
      if (p.type != kLoad)
        continue;
      if (!inside(p.offset, p.fileBytes) || p.fileBytes > p.memoryBytes ||
          p.memoryBytes > kMostBytes || p.address > kMostBytes)
        return damaged("a segment lies outside");
      object.segments.push_back({p.address, p.offset, p.fileBytes, p.memoryBytes,
                                 (p.flags & kExecutable) != 0, (p.flags & kWritable) != 0});
      object.memoryBytes = std::max(object.memoryBytes, p.address + p.memoryBytes);
    }
    if (object.segments.empty())
      return damaged("it has no segments");
    std::sort(object.segments.begin(), object.segments.end(), byAddress);
    return overlap(object.segments) ? damaged("segments overlap") : Status();
  }

  Status readSections() {
    if (header.sectionCount && header.sectionBytes != sizeof(Section))
      return damaged("its section headers");
    if (header.sectionCount > kMostSections)
      return damaged("too many sections");
    std::vector<Section> sections(header.sectionCount);
    for (unsigned i = 0; i < header.sectionCount; ++i) {
      if (!get(header.sectionOffset + i * sizeof(Section), sections[i]))
        return damaged("a section header lies outside");
      if (sections[i].type != kSectionNoBits && !inside(sections[i].offset, sections[i].bytes))
        return damaged("a section lies outside");
    }
    if (overlap(sections))
      return damaged("sections overlap");
    for (const Section &section : sections) {
      if (section.type == kSectionDynamicSymbols)
        TL_TRY(readSymbols(section, sections));
      else if (section.type == kSectionNote)
        readNotes(section);
      else if (section.type == kSectionRela && (section.flags & kSectionAllocated))
        readRelocations(section);
      if ((section.flags & kSectionExecutable) && section.type != kSectionNoBits)
        noteCode(section);
    }
    // Local symbols (device functions) name places in reports.
    for (const Section &section : sections)
      if (section.type == kSectionSymbols)
        TL_TRY(readSymbols(section, sections));
    noteOtherSections(sections);
    std::sort(object.code.begin(), object.code.end(), byAddress);
    return overlap(object.code) ? damaged("sections of code overlap") : Status();
  }

  static bool byAddress(const CodeSegment &a, const CodeSegment &b) {
    return a.address < b.address;
  }

  /// Of what is in order. What overlaps would be read, or decoded, again and again.
  static bool overlap(const std::vector<CodeSegment> &segments) {
    for (size_t i = 1; i < segments.size(); ++i)
      if (segments[i].address < segments[i - 1].address + segments[i - 1].memoryBytes)
        return true;
    return false;
  }

  static bool overlap(std::vector<Section> sections) {
    std::erase_if(sections, [](const Section &section) {
      return section.type == kSectionNone || section.type == kSectionNoBits || !section.bytes;
    });
    std::sort(sections.begin(), sections.end(),
              [](const Section &a, const Section &b) { return a.offset < b.offset; });
    for (size_t i = 1; i < sections.size(); ++i)
      if (sections[i].offset < sections[i - 1].offset + sections[i - 1].bytes)
        return true;
    return false;
  }

  void noteOtherSections(const std::vector<Section> &sections) {
    if (header.nameSection >= sections.size())
      return;
    const Section &names = sections[header.nameSection];
    for (const Section &section : sections) {
      if (section.type != kSectionProgramBits ||
          section.flags & (kSectionAllocated | kSectionCompressed) ||
          names.type == kSectionNoBits || section.name >= names.bytes)
        continue;
      auto *text = reinterpret_cast<const char *>(file.data()) + names.offset + section.name;
      const uint64_t most = std::min(names.bytes - section.name, kLongestName);
      object.otherSections.push_back(
          {std::string(text, strnlen(text, most)), section.offset, section.bytes});
    }
  }

  void noteCode(const Section &section) {
    for (const CodeSegment &segment : object.segments)
      if (segment.executable && section.address >= segment.address &&
          section.address - segment.address <= segment.fileBytes &&
          section.bytes <= segment.fileBytes - (section.address - segment.address))
        object.code.push_back({section.address, segment.offset + section.address - segment.address,
                               section.bytes, section.bytes, true, false});
  }

  Status readSymbols(const Section &section, const std::vector<Section> &sections) {
    if (section.link >= sections.size())
      return damaged("a symbol table without names");
    const Section &names = sections[section.link];
    if (names.type == kSectionNoBits || section.bytes / sizeof(Symbol) > 1u << 20)
      return damaged("a symbol table");
    for (uint64_t i = 0; i < section.bytes / sizeof(Symbol); ++i) {
      Symbol symbol;
      get(section.offset + i * sizeof(Symbol), symbol);
      if (symbol.name >= std::max<uint64_t>(names.bytes, 1))
        return damaged("a symbol's name lies outside");
      auto *text = reinterpret_cast<const char *>(file.data()) + names.offset + symbol.name;
      size_t length = names.bytes ? strnlen(text, names.bytes - symbol.name) : 0;
      // Names may share their ends, but not so that a small file says gigabytes.
      if (length > namesLeft)
        return damaged("the names of its symbols are longer than itself");
      namesLeft -= length;
      // Constants and LDS, which have no section, are no variables.
      const bool placed = symbol.section && symbol.section < kFirstReservedSection;
      const bool variable = placed && (symbol.info & 15) == kTypeObject;
      if (variable &&
          (symbol.value > object.memoryBytes || symbol.bytes > object.memoryBytes - symbol.value))
        return makeError(TL_E_CORRUPT,
                         "the code object is damaged: the variable %.200s lies outside",
                         std::string(text, length).c_str());
      // The first table is the dynamic one: relocations count from its start.
      object.symbols.push_back({std::string(text, length), symbol.value, symbol.bytes, variable,
                                symbol.info >> 4 != 0, symbol.section != 0});
    }
    return {};
  }

  void readRelocations(const Section &section) {
    for (uint64_t i = 0; i < section.bytes / sizeof(RelocationAddend); ++i) {
      RelocationAddend r;
      get(section.offset + i * sizeof(r), r);
      object.relocations.push_back({r.offset, uint32_t(r.info), uint32_t(r.info >> 32), r.addend});
    }
  }

  void readNotes(const Section &section) {
    uint64_t at = section.offset, end = section.offset + section.bytes;
    struct {
      uint32_t nameBytes, bytes, type;
    } note;
    while (at + 12 <= end && get(at, note)) {
      uint64_t name = at + 12, data = name + ((uint64_t(note.nameBytes) + 3) & ~uint64_t(3));
      if (data > end || note.bytes > end - data)
        return;
      if (note.type == kMetadataNote && note.nameBytes == 7 &&
          std::memcmp(file.data() + name, "AMDGPU", 7) == 0)
        object.metadata.assign(file.begin() + data, file.begin() + data + note.bytes);
      at = data + ((uint64_t(note.bytes) + 3) & ~uint64_t(3));
    }
  }

  std::span<const uint8_t> file;
  uint64_t namesLeft = 4 * uint64_t(file.size()); // bytes of symbols' names
  Header header;
  CodeObject object;
};

// The end of an ELF file whose size nobody knows, by its own headers; no farther than `image`, all
// that can be read behind its start.
size_t elfExtent(std::span<const uint8_t> image) {
  Header header;
  if (image.size() < sizeof(header))
    return image.size();
  std::memcpy(&header, image.data(), sizeof(header));
  uint64_t end = sizeof(Header);
  auto reach = [&](uint64_t offset, uint64_t bytes) {
    if (offset <= kMostBytes && bytes <= kMostBytes)
      end = std::max(end, offset + bytes);
  };
  reach(header.sectionOffset, uint64_t(header.sectionCount) * sizeof(Section));
  reach(header.programOffset, uint64_t(header.programCount) * sizeof(Program));
  for (unsigned i = 0; i < header.sectionCount && i < kMostSections; ++i) {
    Section section;
    const uint64_t at = header.sectionOffset + i * sizeof(Section);
    if (at > image.size() || sizeof(section) > image.size() - at)
      break;
    std::memcpy(&section, image.data() + at, sizeof(section));
    if (section.type != kSectionNoBits)
      reach(section.offset, section.bytes);
  }
  return size_t(std::min<uint64_t>(end, image.size()));
}

} // namespace

std::span<const uint8_t> CodeObject::contents(uint64_t address, uint64_t bytes) const {
  for (const CodeSegment &s : segments)
    if (address >= s.address && address - s.address <= s.fileBytes &&
        bytes <= s.fileBytes - (address - s.address) && bytes &&
        s.offset + (address - s.address) + bytes <= image.size())
      return {image.data() + s.offset + (address - s.address), size_t(bytes)};
  return {};
}

std::span<const uint8_t> CodeObject::section(const std::string &name) const {
  for (const CodeSection &section : otherSections)
    if (section.name == name)
      return std::span(image).subspan(section.offset, section.bytes);
  return {};
}

const CodeSymbol *CodeObject::findSymbol(const std::string &name) const {
  for (const CodeSymbol &symbol : symbols)
    if (symbol.defined && symbol.name == name)
      return &symbol;
  return nullptr;
}

Result<CodeObject> readCodeObject(std::span<const uint8_t> file) { return ElfReader(file).read(); }

Result<CodeObject> readCodeObject(const void *image, size_t bytes, const std::string &chip,
                                  uint32_t machine) {
  auto *data = static_cast<const uint8_t *>(image);
  if (!image || bytes == 0)
    return makeError(TL_E_CORRUPT, "an empty image");
  const bool sizeKnown = bytes != SIZE_MAX;
  if (!sizeKnown)
    bytes = mappedBytes(data);
  Bytes unbundled;
  if (bytes >= 4 && std::memcmp(data, "\177ELF", 4) == 0) {
    if (!sizeKnown)
      bytes = elfExtent({data, bytes});
  } else {
    TL_ASSIGN(unbundled, readOffloadBundle(data, bytes, sizeKnown, chip));
    data = unbundled.data();
    bytes = unbundled.size();
  }
  TL_ASSIGN(CodeObject object, readCodeObject(std::span(data, bytes)));
  if (object.machine != machine)
    return makeError(TL_E_UNSUPPORTED, "a code object of another chip (machine 0x%x) than %s",
                     object.machine, chip.c_str());
  return object;
}

} // namespace tl::emu
