// Formatted buffer accesses: every format that the assembler has a name for, by what the name says.
// The names' widths run from the highest bits down; components are counted from the lowest.
#include "rows.h"

namespace isatest {
namespace {

constexpr unsigned kBytes = 4096;
// Unsigned floats of packed formats: a sign bit that no element has.
constexpr Format kF11{6, 5}, kF10{5, 5};

struct ElementFormat {
  std::string name; // "2_10_10_10_SNORM"
  std::vector<unsigned> bits;
  std::string number;

  explicit ElementFormat(const std::string &name) : name(name) {
    size_t at = 0;
    while (name[at] >= '0' && name[at] <= '9') {
      bits.insert(bits.begin(), unsigned(std::atoi(name.c_str() + at)));
      at = name.find('_', at) + 1;
    }
    number = name.substr(at);
  }
  unsigned bytes() const {
    unsigned sum = 0;
    for (unsigned width : bits)
      sum += width;
    return sum / 8;
  }
  bool isInteger() const { return number == "UINT" || number == "SINT"; }
};

// RDNA3's and RDNA4's formats, from 1 on (ISA documents, "Buffer image formats").
const char *const kUnified[] = {"8_UNORM",
                                "8_SNORM",
                                "8_USCALED",
                                "8_SSCALED",
                                "8_UINT",
                                "8_SINT",
                                "16_UNORM",
                                "16_SNORM",
                                "16_USCALED",
                                "16_SSCALED",
                                "16_UINT",
                                "16_SINT",
                                "16_FLOAT",
                                "8_8_UNORM",
                                "8_8_SNORM",
                                "8_8_USCALED",
                                "8_8_SSCALED",
                                "8_8_UINT",
                                "8_8_SINT",
                                "32_UINT",
                                "32_SINT",
                                "32_FLOAT",
                                "16_16_UNORM",
                                "16_16_SNORM",
                                "16_16_USCALED",
                                "16_16_SSCALED",
                                "16_16_UINT",
                                "16_16_SINT",
                                "16_16_FLOAT",
                                "10_11_11_FLOAT",
                                "11_11_10_FLOAT",
                                "10_10_10_2_UNORM",
                                "10_10_10_2_SNORM",
                                "10_10_10_2_UINT",
                                "10_10_10_2_SINT",
                                "2_10_10_10_UNORM",
                                "2_10_10_10_SNORM",
                                "2_10_10_10_USCALED",
                                "2_10_10_10_SSCALED",
                                "2_10_10_10_UINT",
                                "2_10_10_10_SINT",
                                "8_8_8_8_UNORM",
                                "8_8_8_8_SNORM",
                                "8_8_8_8_USCALED",
                                "8_8_8_8_SSCALED",
                                "8_8_8_8_UINT",
                                "8_8_8_8_SINT",
                                "32_32_UINT",
                                "32_32_SINT",
                                "32_32_FLOAT",
                                "16_16_16_16_UNORM",
                                "16_16_16_16_SNORM",
                                "16_16_16_16_USCALED",
                                "16_16_16_16_SSCALED",
                                "16_16_16_16_UINT",
                                "16_16_16_16_SINT",
                                "16_16_16_16_FLOAT",
                                "32_32_32_UINT",
                                "32_32_32_SINT",
                                "32_32_32_FLOAT",
                                "32_32_32_32_UINT",
                                "32_32_32_32_SINT",
                                "32_32_32_32_FLOAT"};
// gfx9's data formats, from 1 on, and number formats, from 0 on.
const char *const kData[] = {"8",        "16",          "8_8",        "32",         "16_16",
                             "10_11_11", "11_11_10",    "10_10_10_2", "2_10_10_10", "8_8_8_8",
                             "32_32",    "16_16_16_16", "32_32_32",   "32_32_32_32"};
const char *const kNumbers[] = {"UNORM", "SNORM", "USCALED", "SSCALED",
                                "UINT",  "SINT",  "",        "FLOAT"};

/// The assembler's name of a format.
std::string nameOf(const ElementFormat &format, const std::string &chip) {
  if (!isGfx9(chip))
    return "format:[BUF_FMT_" + format.name + "]";
  const std::string data = format.name.substr(0, format.name.size() - format.number.size() - 1);
  return "format:[BUF_DATA_FORMAT_" + data + ",BUF_NUM_FORMAT_" + format.number + "]";
}
/// Its bits in a descriptor's last word.
uint32_t descriptorBits(const ElementFormat &format, const std::string &chip) {
  uint32_t bits = 0;
  if (isGfx9(chip)) {
    for (unsigned d = 0; d < std::size(kData); ++d)
      for (unsigned n = 0; n < std::size(kNumbers); ++n)
        if (format.name == std::string(kData[d]) + "_" + kNumbers[n])
          bits = (d + 1) << 15 | n << 12;
    return bits;
  }
  for (unsigned i = 0; i < std::size(kUnified); ++i)
    if (format.name == kUnified[i])
      bits = (i + 1) << 12;
  return bits | 3u << 28; // raw range check
}

int64_t signedCode(unsigned width, uint64_t code) {
  return int64_t(code << (64 - width)) >> (64 - width);
}
const Format &floatOf(unsigned width) {
  return width == 32 ? kF32 : width == 16 ? kF16 : width == 11 ? kF11 : kF10;
}
Num power(unsigned exponent) { return timesPower(Num(1), long(exponent)); }

/// What a component means.
Num meaning(const ElementFormat &f, unsigned width, uint64_t code) {
  const Num plain = Num(double(code)), extended = Num(double(signedCode(width, code)));
  if (f.number == "UNORM")
    return plain / (power(width) - Num(1));
  if (f.number == "SNORM") {
    const Num value = extended / (power(width - 1) - Num(1));
    return value < Num(-1) ? Num(-1) : value;
  }
  if (f.number == "USCALED" || f.number == "UINT")
    return plain;
  return f.number == "FLOAT" ? valueOf(floatOf(width), code) : extended;
}

/// A register's bits for it; `half`: 16 of them.
uint32_t loaded(const ElementFormat &f, unsigned width, uint64_t code, bool half) {
  if (f.isInteger()) {
    const bool isSigned = f.number == "SINT";
    int64_t value = isSigned ? signedCode(width, code) : int64_t(code);
    if (half)
      value =
          isSigned ? std::clamp<int64_t>(value, -32768, 32767) : std::min<int64_t>(value, 65535);
    return half ? uint16_t(value) : uint32_t(value);
  }
  const bool cut = f.number == "FLOAT" && width == 32;
  return uint32_t(bitsOf(half ? kF16 : kF32, meaning(f, width, code), cut ? MPFR_RNDZ : MPFR_RNDN));
}

/// The bits that a value is stored as: clamped to what there is, to the nearest, even on ties;
/// floats are cut off.
uint64_t stored(const ElementFormat &f, unsigned width, uint32_t bits, bool half) {
  const uint64_t mask = width == 32 ? 0xffffffff : (1u << width) - 1;
  if (f.isInteger()) {
    if (f.number == "UINT")
      return std::min<uint64_t>(bits, mask);
    const int64_t value = half ? int16_t(bits) : int32_t(bits), limit = int64_t(1) << (width - 1);
    return uint64_t(std::clamp(value, -limit, limit - 1)) & mask;
  }
  Num value = valueOf(half ? kF16 : kF32, bits);
  if (f.number == "FLOAT") {
    if (width < 16 && !value.isNan() && value.negative())
      return 0;
    return bitsOf(floatOf(width), value, MPFR_RNDZ) & mask;
  }
  if (value.isNan())
    return 0;
  const bool isSigned = f.number[0] == 'S', norm = f.number.back() == 'M';
  const Num top = power(isSigned ? width - 1 : width) - Num(1);
  const Num high = norm ? Num(1) : top, low = !isSigned ? Num(0)
                                              : norm    ? Num(-1)
                                                        : -power(width - 1);
  value = value < low ? low : high < value ? high : value;
  return uint64_t(int64_t(rounded(norm ? value * top : value, MPFR_RNDN).toDouble())) & mask;
}

struct Case {
  std::string chip, opcode; // without "buffer_" or "tbuffer_"
  unsigned count;           // components of the instruction
  bool half, upper, typed;
};

const char *const kComponents[] = {"x", "xy", "xyz", "xyzw"};

std::string tuple(unsigned first, unsigned count) {
  return count == 1 ? "v" + std::to_string(first)
                    : "v[" + std::to_string(first) + ":" + std::to_string(first + count - 1) + "]";
}

// A lane's element is at 16 times its number; every fourth lane is out of range.
class Buffer {
public:
  Buffer(const Case &c, const ElementFormat &format, uint32_t selectors)
      : machine(c.chip, 0, kBytes), c(c), format(format) {
    for (unsigned i = 0; i < 4; ++i)
      select[i] = c.typed ? (i < format.bits.size() ? 4 + i : 0) : selectors >> (3 * i) & 7;
  }
  bool start(bool store, Words &words) {
    const unsigned registers = c.half ? (c.count + 1) / 2 : c.count;
    // RDNA puts d16 in front.
    std::string name = store ? "store_" : "load_";
    const std::string d16 = c.upper ? "d16_hi_" : c.half ? "d16_" : "";
    name += isGfx9(c.chip) ? "format_" + d16 : d16 + "format_";
    text = (c.typed ? "tbuffer_" : "buffer_") + name + kComponents[c.count - 1] + " " +
           tuple(40, registers) + ", v8, s[20:23], " + (c.chip == "gfx1201" ? "null" : "0") +
           (c.typed ? " " + nameOf(format, c.chip) : std::string()) + " offen";
    if (!machine.load(text))
      return false;
    Wave &wave = machine.wave;
    wave.setScalarPair(20, machine.memoryAddress());
    wave.s[22] = kBytes;
    wave.s[23] =
        c.typed ? descriptorBits(ElementFormat("8_UINT"), c.chip) : descriptorBits(format, c.chip);
    for (unsigned i = 0; i < 4 && !c.typed; ++i)
      wave.s[23] |= select[i] << (3 * i);
    for (uint8_t &byte : contents)
      byte = uint8_t(words.random());
    // Numbers that floats are made of.
    for (unsigned i = 0; i + 4 <= kBytes; i += 4) {
      const uint32_t word = uint32_t(words.next(32));
      if (words.random() & 1)
        std::memcpy(&contents[i], &word, 4);
    }
    std::memcpy(machine.memory(), contents.data(), kBytes);
    for (unsigned l = 0; l < machine.lanes(); ++l) {
      machine.v(8, l) = outside(l) ? kBytes - format.bytes() + 1 : 16 * l;
      for (unsigned line = 40; line < 44; ++line)
        machine.v(line, l) = valueFor(words);
    }
    return true;
  }
  bool outside(unsigned lane) const { return lane % 4 == 3 && format.bytes() > 1; }
  void fail(const char *what, unsigned lane) const {
    unit::fail(__FILE__, __LINE__,
               c.chip + " " + text + ", " + format.name + ": lane " + std::to_string(lane) + " " +
                   what);
  }

  Machine machine;
  const Case &c;
  const ElementFormat &format;
  unsigned select[4];
  std::vector<uint8_t> contents = std::vector<uint8_t>(kBytes);
  std::string text;

private:
  uint32_t valueFor(Words &words) {
    if (c.half)
      return uint32_t(words.next(16) | words.next(16) << 16);
    return format.isInteger() && words.random() & 1 ? words.random() % 300 - 40
                                                    : uint32_t(words.next(32));
  }
};

uint64_t codeAt(const ElementFormat &f, const uint8_t *bytes, unsigned component) {
  unsigned at = 0;
  for (unsigned i = 0; i < component; ++i)
    at += f.bits[i];
  uint64_t code = 0;
  for (unsigned i = 0; i < f.bits[component]; ++i, ++at)
    code |= uint64_t(bytes[at / 8] >> at % 8 & 1) << i;
  return code;
}

// False: the chip has no such instruction.
bool runLoad(const Case &c, const ElementFormat &format, Words &words) {
  uint32_t selectors = 0;
  for (unsigned i = 0; i < 4; ++i)
    selectors |= (words.random() % 5 ? 4 + words.random() % 4 : words.random() % 2) << (3 * i);
  Buffer buffer(c, format, selectors);
  if (!buffer.start(false, words))
    return false;
  std::vector<uint32_t> before(4 * 64);
  for (unsigned l = 0; l < buffer.machine.lanes(); ++l)
    for (unsigned i = 0; i < 4; ++i)
      before[4 * l + i] = buffer.machine.v(40 + i, l);
  if (!buffer.machine.run()) {
    buffer.fail("is not run", 0);
    return true;
  }
  for (unsigned l = 0; l < buffer.machine.lanes(); ++l)
    for (unsigned i = 0; i < c.count; ++i) {
      const unsigned from = buffer.select[i];
      uint32_t expected = 0;
      if (from == 1)
        expected = format.isInteger() ? 1 : uint32_t(bitsOf(c.half ? kF16 : kF32, Num(1)));
      else if (from >= 4 && from - 4 < format.bits.size() && !buffer.outside(l))
        expected = loaded(format, format.bits[from - 4],
                          codeAt(format, &buffer.contents[16 * l], from - 4), c.half);
      const uint32_t got = buffer.machine.v(40 + (c.half ? i / 2 : i), l);
      const bool high = c.upper || (c.half && i % 2);
      const uint32_t part = !c.half ? got : high ? got >> 16 : got & 0xffff;
      const bool same =
          format.isInteger() ? part == expected : sameFloat(c.half ? kF16 : kF32, part, expected);
      if (!same) {
        buffer.fail("loads something else", l);
        return true;
      }
      // One component of 16 bits leaves the other half alone.
      if (c.half && c.count == 1 &&
          (c.upper ? (got ^ before[4 * l]) & 0xffff : (got ^ before[4 * l]) >> 16)) {
        buffer.fail("changes the other half", l);
        return true;
      }
    }
  return true;
}

bool runStore(const Case &c, const ElementFormat &format, Words &words) {
  // Stores go where loads come from: the same order, the first and third exchanged, or constants.
  static const uint32_t orders[] = {07654, 07456, 07604};
  uint32_t selectors = orders[words.random() % (format.bits.size() > 2 ? 3 : 1)];
  Buffer buffer(c, format, selectors);
  if (!buffer.start(true, words))
    return false;
  if (!buffer.machine.run()) {
    buffer.fail("is not run", 0);
    return true;
  }
  const uint8_t *memory = buffer.machine.memory();
  for (unsigned l = 0; l < buffer.machine.lanes(); ++l) {
    for (unsigned i = 0; i < format.bits.size() && !buffer.outside(l); ++i) {
      // Shaders that give fewer components give the first one again.
      const unsigned wanted = buffer.select[i] - 4, source = wanted < c.count ? wanted : 0;
      uint32_t value = buffer.machine.v(40 + (c.half ? source / 2 : source), l);
      if (c.half)
        value = c.upper || source % 2 ? value >> 16 : value & 0xffff;
      const unsigned width = format.bits[i];
      const uint64_t expected = buffer.select[i] < 4 ? 0 : stored(format, width, value, c.half);
      const uint64_t got = codeAt(format, memory + 16 * l, i);
      const bool isFloat = format.number == "FLOAT";
      if (isFloat ? !sameFloat(floatOf(width), got, expected) : got != expected) {
        buffer.fail("stores something else", l);
        return true;
      }
    }
    const unsigned written = buffer.outside(l) ? 0 : format.bytes();
    if (std::memcmp(memory + 16 * l + written, &buffer.contents[16 * l + written], 16 - written)) {
      buffer.fail("stores elsewhere", l);
      return true;
    }
  }
  return true;
}

std::vector<std::string> formatsOf(const std::string &chip) {
  std::vector<std::string> names(std::begin(kUnified), std::end(kUnified));
  if (isGfx9(chip))
    for (const char *data : {"10_11_11", "11_11_10", "10_10_10_2"})
      for (const char *number : {"UNORM", "SNORM", "USCALED", "SSCALED", "UINT", "SINT"}) {
        const std::string name = std::string(data) + "_" + number;
        if (std::find(names.begin(), names.end(), name) == names.end())
          names.push_back(name);
      }
  return names;
}

void runFormats(bool store) {
  Words words(store ? 71 : 72);
  for (const std::string &chip : kChips)
    for (const std::string &name : formatsOf(chip)) {
      const ElementFormat format(name);
      for (bool typed : {true, false})
        for (unsigned kind = 0; kind < 9; ++kind) {
          const Case c = {chip, "", kind == 8 ? 1 : kind % 4 + 1, kind >= 4, kind == 8, typed};
          const bool ran = store ? runStore(c, format, words) : runLoad(c, format, words);
          // All have all of them, but that MTBUF has none for the upper half.
          if (ran != !(typed && kind == 8))
            unit::fail(__FILE__, __LINE__, chip + " " + name + ": which instructions there are");
        }
    }
}

} // namespace

UNIT_TEST(formatted_loads) { runFormats(false); }
UNIT_TEST(formatted_stores) { runFormats(true); }

UNIT_TEST(formats_that_are_none) {
  // Nothing is bound: loads give zero, or one where the descriptor says so; stores do nothing.
  for (const std::string &chip : kChips) {
    Machine machine(chip, 0, kBytes);
    const std::string end =
        std::string("s[20:23], ") + (chip == "gfx1201" ? "null" : "0") + " offen";
    REQUIRE(machine.load("buffer_load_format_xyzw v[40:43], v8, " + end +
                         "\nbuffer_store_format_xyzw v[40:43], v8, " + end));
    machine.wave.setScalarPair(20, machine.memoryAddress());
    machine.wave.s[22] = kBytes, machine.wave.s[23] = 04 | 05 << 3 | 06 << 6;
    for (unsigned l = 0; l < machine.lanes(); ++l) {
      machine.v(8, l) = 16 * l;
      for (unsigned i = 40; i < 44; ++i)
        machine.v(i, l) = 9;
    }
    std::memset(machine.memory(), 0x55, kBytes);
    CHECK(machine.run());
    for (unsigned i = 40; i < 44; ++i)
      CHECK_EQ(machine.v(i, 1), 0u);
    CHECK_EQ(unsigned(machine.memory()[16]), 0x55u);
    // What no document lists, and a store that does not say which way components go.
    Machine strange(chip, 0, kBytes);
    REQUIRE(strange.load("buffer_load_format_x v40, v8, " + end));
    strange.wave.setScalarPair(20, strange.memoryAddress());
    strange.wave.s[22] = kBytes;
    strange.wave.s[23] = isGfx9(chip) ? 04 | 4 << 15 : 0; // 32_UNORM
    if (isGfx9(chip)) {
      CHECK(!strange.run());
      CHECK(strange.fault().status == LaunchStatus::Unimplemented);
      CHECK(strange.fault().message.find("buffer format 4") != std::string::npos);
    }
    Machine rotated(chip, 0, kBytes);
    REQUIRE(rotated.load("buffer_store_format_xyz v[40:42], v8, " + end));
    rotated.wave.setScalarPair(20, rotated.memoryAddress());
    rotated.wave.s[22] = kBytes;
    rotated.wave.s[23] =
        descriptorBits(ElementFormat("32_32_32_FLOAT"), chip) | 05 | 06 << 3 | 04 << 6;
    CHECK(!rotated.run());
    CHECK(rotated.fault().status == LaunchStatus::Unimplemented);
  }
}

} // namespace isatest
