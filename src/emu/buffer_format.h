// Formats of buffer elements: what the formatted buffer instructions (buffer_load_format_x,
// tbuffer_store_format_xyzw, ...) read and write.
#pragma once

#include "emu/chips.h"

#include <optional>

namespace tl::emu {

/// As gfx9 numbers them.
enum class NumberFormat : uint8_t { Unorm, Snorm, Uscaled, Sscaled, Uint, Sint, Reserved, Float };

struct BufferFormat {
  uint8_t bits[4] = {}; // of X, Y, Z and W, from the lowest bit of the element on; 0: not there
  NumberFormat number = NumberFormat::Reserved;

  unsigned components() const {
    return !bits[0] ? 0 : !bits[1] ? 1 : !bits[2] ? 2 : !bits[3] ? 3 : 4;
  }
  unsigned bytes() const { return unsigned(bits[0] + bits[1] + bits[2] + bits[3]) / 8; }
  bool isInteger() const { return number == NumberFormat::Uint || number == NumberFormat::Sint; }
};

/// The format with an instruction's number; without components: the one of unbound resources.
/// None: no element has such a format.
std::optional<BufferFormat> bufferFormat(Generation generation, uint32_t code);
/// The number in a descriptor's fourth word.
uint32_t descriptorFormat(Generation generation, uint32_t word);

/// A component as a register of 32 or 16 bits holds it: a float, or an integer of UINT and SINT.
uint32_t loadedWord(const BufferFormat &format, unsigned bits, uint32_t code);
uint32_t loadedHalf(const BufferFormat &format, unsigned bits, uint32_t code);
/// The bits that a register's value is stored as.
uint32_t storedCode(const BufferFormat &format, unsigned bits, uint32_t word);
/// The same for the value of 16 bits in `half`.
uint32_t storedCodeOfHalf(const BufferFormat &format, unsigned bits, uint16_t half);
/// 1, or 1.0.
uint32_t formatOne(const BufferFormat &format, bool half);

} // namespace tl::emu
