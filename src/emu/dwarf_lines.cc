#include "emu/dwarf_lines.h"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <vector>

namespace tl::emu {
namespace {

// Names and numbers as in the DWARF 5 standard, sections 6.2.4, 6.2.5, 7.5.6 and 7.22.
enum Form : uint64_t {
  FormData2 = 0x05,
  FormData4 = 0x06,
  FormData8 = 0x07,
  FormString = 0x08,
  FormBlock = 0x09,
  FormData1 = 0x0b,
  FormStrp = 0x0e,
  FormUdata = 0x0f,
  FormData16 = 0x1e,
  FormLineStrp = 0x1f,
};
enum Content : uint64_t { ContentPath = 1, ContentDirectory = 2, ContentSource = 0x2001 };
enum Standard : uint8_t {
  Extended = 0,
  Copy = 1,
  AdvancePc = 2,
  AdvanceLine = 3,
  SetFile = 4,
  ConstAddPc = 8,
  FixedAdvancePc = 9,
};
enum ExtendedOpcode : uint8_t { EndSequence = 1, SetAddress = 2 };

// Reads forward; past the end everything is 0 and `good` is false.
class Reader {
public:
  explicit Reader(std::span<const uint8_t> bytes) : bytes(bytes) {}
  bool good = true;

  bool atEnd() const { return at >= bytes.size(); }
  size_t left() const { return bytes.size() - at; }

  uint64_t fixed(size_t width) {
    uint64_t value = 0;
    if (width > left() || width > 8)
      return fail();
    std::memcpy(&value, bytes.data() + at, width);
    at += width;
    return value;
  }
  uint64_t offset() { return fixed(wide ? 8 : 4); }
  // LEB128; bits beyond 64 are dropped.
  uint64_t unsignedNumber() {
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      uint64_t byte = fixed(1);
      if (!good)
        return 0;
      if (shift < 64)
        value |= (byte & 127) << shift;
      if (!(byte & 128))
        return value;
    }
  }
  int64_t signedNumber() {
    uint64_t value = 0;
    for (unsigned shift = 0;;) {
      uint64_t byte = fixed(1);
      if (!good)
        return 0;
      if (shift < 64)
        value |= (byte & 127) << shift;
      shift += 7;
      if (byte & 128)
        continue;
      if (shift < 64 && (byte & 64))
        value |= ~uint64_t(0) << shift;
      return int64_t(value);
    }
  }
  std::string_view text() {
    auto *end = static_cast<const uint8_t *>(std::memchr(bytes.data() + at, 0, left()));
    if (!end) {
      fail();
      return "";
    }
    std::string_view value(reinterpret_cast<const char *>(bytes.data() + at),
                           size_t(end - bytes.data()) - at);
    at += value.size() + 1;
    return value;
  }
  Reader part(uint64_t count) {
    Reader inner(bytes.subspan(at, std::min<uint64_t>(count, left())));
    inner.wide = wide;
    if (count > left())
      fail();
    else
      at += count;
    return inner;
  }
  // The length that a unit begins with; 64-bit units say so.
  Reader unit() {
    wide = false;
    uint64_t length = fixed(4);
    if (length == 0xffffffff) {
      wide = true;
      length = fixed(8);
    }
    return part(length);
  }

private:
  uint64_t fail() {
    good = false;
    at = bytes.size();
    return 0;
  }

  std::span<const uint8_t> bytes;
  size_t at = 0;
  bool wide = false;
};

// A section of texts. Any number of them may share an end, so that ends are looked for once.
class Texts {
public:
  explicit Texts(std::span<const uint8_t> bytes) : bytes(bytes) {
    for (size_t i = 0; i < bytes.size(); ++i)
      if (!bytes[i])
        ends.push_back(i);
  }
  std::string_view at(uint64_t offset) const {
    auto end = std::lower_bound(ends.begin(), ends.end(), offset);
    if (end == ends.end())
      return "";
    return {reinterpret_cast<const char *>(bytes.data()) + offset, size_t(*end - offset)};
  }

private:
  std::span<const uint8_t> bytes;
  std::vector<uint64_t> ends;
};

// No path is longer (PATH_MAX): what is more is none.
constexpr size_t kLongestPath = 4096;

std::string join(std::string_view directory, std::string_view name) {
  const bool alone = directory.empty() || (!name.empty() && name[0] == '/');
  if (name.size() + (alone ? 0 : directory.size()) > kLongestPath)
    return "";
  return alone ? std::string(name) : std::string(directory) + "/" + std::string(name);
}

class Program {
public:
  Program(const Texts &lineTexts, const Texts &texts, Reader unit, const DwarfFileSink &file,
          const std::function<void(const DwarfRow &)> &row)
      : lineTexts(lineTexts), texts(texts), reader(unit), file(file), row(row) {}

  void read() {
    if (readHeader())
      run();
  }

private:
  struct Entry {
    std::string_view path, contents;
    uint64_t directory = 0;
  };

  bool readHeader() {
    version = unsigned(reader.fixed(2));
    if (version < 2 || version > 5)
      return false;
    if (version == 5) {
      if (reader.fixed(1) != 8) // bytes of an address
        return false;
      reader.fixed(1); // bytes of a segment selector
    }
    Reader header = reader.part(reader.offset());
    unit = unsigned(header.fixed(1)); // of advances: the shortest instruction's bytes
    if (version >= 4)
      header.fixed(1); // operations of an instruction
    header.fixed(1);   // whether rows are statements at first
    lineBase = int8_t(header.fixed(1));
    lineRange = uint8_t(header.fixed(1));
    opcodeBase = uint8_t(header.fixed(1));
    if (!lineRange || !opcodeBase || !reader.good)
      return false;
    for (unsigned opcode = 1; opcode < opcodeBase; ++opcode)
      operands.push_back(uint8_t(header.fixed(1)));
    return version == 5 ? readEntries(header) : readOldEntries(header);
  }

  bool readOldEntries(Reader &header) {
    directories = {""};
    for (std::string_view name = header.text(); !name.empty(); name = header.text())
      directories.push_back(name);
    files.push_back(0); // files are numbered from 1
    for (std::string_view name = header.text(); !name.empty(); name = header.text()) {
      uint64_t directory = header.unsignedNumber();
      header.unsignedNumber(); // time
      header.unsignedNumber(); // bytes
      addFile({name, "", directory});
    }
    return header.good;
  }

  bool readEntries(Reader &header) {
    std::vector<Entry> entries;
    if (!readTable(header, entries))
      return false;
    for (const Entry &entry : entries)
      directories.push_back(entry.path);
    if (!readTable(header, entries))
      return false;
    for (const Entry &entry : entries)
      addFile(entry);
    return true;
  }

  // Directories are relative to the first one, where the compiler ran.
  void addFile(const Entry &entry) {
    std::string directory;
    if (entry.directory < directories.size())
      directory = entry.directory ? join(directories[0], directories[entry.directory])
                                  : join("", directories[0]);
    files.push_back(file(join(directory, entry.path), entry.contents));
  }

  bool readTable(Reader &header, std::vector<Entry> &entries) {
    struct Field {
      uint64_t content, form;
    };
    std::vector<Field> fields(header.fixed(1));
    for (Field &field : fields)
      field = {header.unsignedNumber(), header.unsignedNumber()};
    uint64_t count = header.unsignedNumber();
    entries.clear();
    if (fields.empty())
      return header.good && count == 0;
    if (count > header.left())
      return false;
    for (uint64_t i = 0; i < count && header.good; ++i) {
      Entry entry;
      for (const Field &field : fields)
        if (!readField(header, field.content, field.form, entry))
          return false;
      entries.push_back(entry);
    }
    return header.good;
  }

  bool readField(Reader &header, uint64_t content, uint64_t form, Entry &entry) {
    std::string_view text;
    uint64_t number = 0;
    switch (form) {
    case FormString:
      text = header.text();
      break;
    case FormLineStrp:
      text = lineTexts.at(header.offset());
      break;
    case FormStrp:
      text = texts.at(header.offset());
      break;
    case FormUdata:
      number = header.unsignedNumber();
      break;
    case FormData1:
      number = header.fixed(1);
      break;
    case FormData2:
      number = header.fixed(2);
      break;
    case FormData4:
      number = header.fixed(4);
      break;
    case FormData8:
      number = header.fixed(8);
      break;
    case FormData16:
      header.part(16);
      break;
    case FormBlock:
      header.part(header.unsignedNumber());
      break;
    default:
      return false;
    }
    if (content == ContentPath)
      entry.path = text;
    else if (content == ContentDirectory)
      entry.directory = number;
    else if (content == ContentSource)
      entry.contents = text;
    return true;
  }

  void emit(bool ends) {
    row({address, fileNumber < files.size() ? files[fileNumber] : 0, line, ends});
  }

  void reset() { address = 0, fileNumber = 1, line = 1; }

  void extended() {
    Reader body = reader.part(reader.unsignedNumber());
    switch (body.fixed(1)) {
    case EndSequence:
      emit(true);
      reset();
      break;
    case SetAddress:
      address = body.fixed(std::min<size_t>(body.left(), 8));
      break;
    default:
      break;
    }
  }

  void special(uint8_t opcode) {
    unsigned adjusted = unsigned(opcode - opcodeBase);
    address += adjusted / lineRange * unit;
    line += uint32_t(lineBase + int(adjusted % lineRange));
  }

  void standard(uint8_t opcode) {
    switch (opcode) {
    case Copy:
      emit(false);
      break;
    case AdvancePc:
      address += reader.unsignedNumber() * unit;
      break;
    case AdvanceLine:
      line += uint32_t(reader.signedNumber());
      break;
    case SetFile:
      fileNumber = reader.unsignedNumber();
      break;
    case ConstAddPc:
      address += unsigned(255 - opcodeBase) / lineRange * unit;
      break;
    case FixedAdvancePc:
      address += reader.fixed(2);
      break;
    default:
      for (unsigned i = 0; i < operands[opcode - 1u]; ++i)
        reader.unsignedNumber();
    }
  }

  void run() {
    reset();
    while (!reader.atEnd()) {
      auto opcode = uint8_t(reader.fixed(1));
      if (opcode >= opcodeBase) {
        special(opcode);
        emit(false);
      } else if (opcode == Extended) {
        extended();
      } else {
        standard(opcode);
      }
    }
  }

  const Texts &lineTexts, &texts;
  Reader reader;
  const DwarfFileSink &file;
  const std::function<void(const DwarfRow &)> &row;
  std::vector<uint8_t> operands; // of standard opcodes, from 1
  std::vector<std::string_view> directories;
  std::vector<uint32_t> files; // as the sink numbers them
  unsigned version = 0, unit = 1;
  int8_t lineBase = 0;
  uint8_t lineRange = 1, opcodeBase = 1;
  uint64_t address = 0, fileNumber = 1;
  uint32_t line = 1;
};

} // namespace

void readDwarfLines(const DwarfSections &sections, const DwarfFileSink &file,
                    const std::function<void(const DwarfRow &)> &row) {
  const Texts lineTexts(sections.lineStrings), texts(sections.strings);
  Reader all(sections.lines);
  while (!all.atEnd()) {
    Reader unit = all.unit();
    if (!all.good)
      return;
    Program(lineTexts, texts, unit, file, row).read();
  }
}

} // namespace tl::emu
