// Formatted buffer instructions (CDNA3 ISA 9.1.5, RDNA4 ISA 9.3): elements are converted between
// their format in memory and floats or integers in registers. The format and which component goes
// where come from the descriptor (MUBUF), or the format from the instruction (MTBUF).
#include "emu/buffer_format.h"
#include "emu/lane_memory.h"
#include "emu/op_table.h"
#include "emu/workgroup.h"

namespace tl::emu {
namespace {

/// Where components lie in registers: one in each, two in each, or one in the upper half.
enum class Packing : uint8_t { Words, Halves, UpperHalf };

/// Of a descriptor: DST_SEL.
enum Selector : uint8_t { SelectZero = 0, SelectOne = 1, SelectX = 4 };

struct Element {
  BufferFormat format;
  uint8_t select[4];
};

bool findElement(Wave &w, const MicroOp &op, bool typed, Element &element) {
  const Generation generation = w.launch->chip->generation;
  const uint32_t word = w.s[op.src[2].index + 3];
  const uint32_t code = typed ? uint32_t(op.imm[1]) : descriptorFormat(generation, word);
  const auto format = bufferFormat(generation, code);
  if (!format) {
    w.fault(op, LaunchStatus::Unimplemented, "buffer format %u, which documents do not list", code);
    return false;
  }
  element.format = *format;
  for (unsigned i = 0; i < 4; ++i)
    element.select[i] = !typed                     ? uint8_t(word >> (3 * i) & 7)
                        : i < format->components() ? uint8_t(SelectX + i)
                                                   : uint8_t(SelectZero);
  if (op.flags & OpToLds) {
    w.fault(op, LaunchStatus::Unimplemented, "a formatted load into LDS");
    return false;
  }
  return true;
}

/// The bits of a component of an element.
uint32_t componentBits(const BufferFormat &format, const uint32_t *words, unsigned component) {
  unsigned at = 0;
  for (unsigned i = 0; i < component; ++i)
    at += format.bits[i];
  const unsigned bits = format.bits[component];
  return words[at / 32] >> at % 32 & (bits == 32 ? ~0u : (1u << bits) - 1);
}

void putRegister(Wave &w, const MicroOp &op, Packing packing, unsigned component, unsigned lane,
                 uint32_t value) {
  if (packing == Packing::Words) {
    w.line(op.dst[0].index + component)[lane] = value;
    return;
  }
  uint32_t &word = w.line(op.dst[0].index + component / 2)[lane];
  const bool upper = packing == Packing::UpperHalf || component % 2;
  word = upper ? (word & 0xffff) | value << 16 : (word & 0xffff0000) | value;
}

template <unsigned Count, Packing How, bool Typed> void loadFormat(Wave &w, const MicroOp &op) {
  Element element;
  if (!findElement(w, op, Typed, element))
    return;
  const BufferFormat &format = element.format;
  LaneMemory memory;
  if (!format.components()) // nothing is bound
    memory.outside = w.exec();
  else if (!resolveLanes(w, op, format.bytes(), Access::Read, memory))
    return;
  constexpr bool kHalf = How != Packing::Words;
  auto put = [&](unsigned lane, const uint32_t *words) {
    for (unsigned i = 0; i < Count; ++i) {
      const unsigned from = element.select[i] - SelectX;
      uint32_t value = 0;
      if (element.select[i] == SelectOne)
        value = formatOne(format, kHalf);
      else if (words && element.select[i] >= SelectX && from < format.components())
        value = (kHalf ? loadedHalf : loadedWord)(format, format.bits[from],
                                                  componentBits(format, words, from));
      putRegister(w, op, How, i, lane, value);
    }
  };
  forLanes(memory.lanes, [&](unsigned l) {
    uint32_t words[4] = {};
    std::memcpy(words, memory.pointer[l], format.bytes());
    put(l, words);
  });
  // Out of range everything is zero, but for components that are always one.
  forLanes(memory.outside, [&](unsigned l) { put(l, nullptr); });
}

/// Whether a store may choose components so: documents say what a selector means for loads, and
/// nothing of whether stores go the same way or back.
bool selectsBothWays(const Element &element) {
  const unsigned count = element.format.components();
  for (unsigned i = 0; i < count; ++i) {
    const unsigned from = element.select[i] - SelectX;
    if (element.select[i] >= SelectX && (from >= count || element.select[from] != SelectX + i))
      return false;
  }
  return true;
}

template <unsigned Count, Packing How, bool Typed> void storeFormat(Wave &w, const MicroOp &op) {
  Element element;
  if (!findElement(w, op, Typed, element))
    return;
  const BufferFormat &format = element.format;
  if (!format.components())
    return;
  if (!selectsBothWays(element))
    return w.fault(op, LaunchStatus::Unimplemented,
                   "a formatted store whose resource selects components in another order");
  LaneMemory memory;
  if (!resolveLanes(w, op, format.bytes(), Access::Write, memory))
    return;
  auto codeOf = [&](unsigned component, unsigned bits, unsigned lane) {
    // Missing components are the first one again.
    const unsigned source = component < Count ? component : 0;
    if (How == Packing::Words)
      return storedCode(format, bits, w.line(op.src[1].index + source)[lane]);
    const uint32_t word = w.line(op.src[1].index + source / 2)[lane];
    const bool upper = How == Packing::UpperHalf || source % 2;
    return storedCodeOfHalf(format, bits, uint16_t(upper ? word >> 16 : word));
  };
  forLanes(memory.lanes, [&](unsigned l) {
    uint32_t words[4] = {};
    for (unsigned i = 0, at = 0; i < format.components(); at += format.bits[i], ++i)
      if (element.select[i] >= SelectX) // constants are stored as zero
        words[at / 32] |= codeOf(element.select[i] - SelectX, format.bits[i], l) << at % 32;
    std::memcpy(memory.pointer[l], words, format.bytes());
  });
}

#define TL_FORMATS(PREFIX, TYPED, NAME, COUNT, HOW)                                                \
  {PREFIX "LOAD_FORMAT_" NAME, loadFormat<COUNT, Packing::HOW, TYPED>, nullptr, OpWholeElement}, { \
    PREFIX "STORE_FORMAT_" NAME, storeFormat<COUNT, Packing::HOW, TYPED>, nullptr, OpWholeElement  \
  }
#define TL_ALL_FORMATS(PREFIX, TYPED)                                                              \
  TL_FORMATS(PREFIX, TYPED, "X", 1, Words), TL_FORMATS(PREFIX, TYPED, "XY", 2, Words),             \
      TL_FORMATS(PREFIX, TYPED, "XYZ", 3, Words), TL_FORMATS(PREFIX, TYPED, "XYZW", 4, Words),     \
      TL_FORMATS(PREFIX, TYPED, "D16_X", 1, Halves),                                               \
      TL_FORMATS(PREFIX, TYPED, "D16_XY", 2, Halves),                                              \
      TL_FORMATS(PREFIX, TYPED, "D16_XYZ", 3, Halves),                                             \
      TL_FORMATS(PREFIX, TYPED, "D16_XYZW", 4, Halves)

const OpRow kRows[] = {
    TL_ALL_FORMATS("FLAT_", false),
    TL_ALL_FORMATS("TBUFFER_", true),
    TL_FORMATS("FLAT_", false, "D16_HI_X", 1, UpperHalf),
};

} // namespace

std::span<const OpRow> vmemFormatRows() { return kRows; }

} // namespace tl::emu
