#include "emu/buffer_format.h"

#include "emu/small_float.h"

#include <algorithm>
#include <cmath>

namespace tl::emu {
namespace {

using N = NumberFormat;

// gfx9's data formats by number (CDNA3 ISA 9.1.6 "Buffer resource descriptor"). Names have the
// highest bits first: 10_11_11 has X in the lowest 11 bits.
constexpr uint8_t kDataFormats[][4] = {
    {},
    {8},
    {16},
    {8, 8},
    {32},
    {16, 16},
    {11, 11, 10},
    {10, 11, 11},
    {2, 10, 10, 10},
    {10, 10, 10, 2},
    {8, 8, 8, 8},
    {32, 32},
    {16, 16, 16, 16},
    {32, 32, 32},
    {32, 32, 32, 32},
};
enum DataFormat : uint8_t {
  D8 = 1,
  D16,
  D8_8,
  D32,
  D16_16,
  D10_11_11,
  D11_11_10,
  D10_10_10_2,
  D2_10_10_10,
  D8_8_8_8,
  D32_32,
  D16_16_16_16,
  D32_32_32,
  D32_32_32_32,
};

// RDNA's formats run through these in order, from 1 on (RDNA3 ISA "Buffer Image format",
// RDNA4 ISA 9.6): all of one data format have the number formats of its set, in gfx9's order.
constexpr uint8_t bit(N number) { return uint8_t(1u << unsigned(number)); }
constexpr uint8_t kNormalized = bit(N::Unorm) | bit(N::Snorm),
                  kIntegers = bit(N::Uint) | bit(N::Sint),
                  kSix = kNormalized | bit(N::Uscaled) | bit(N::Sscaled) | kIntegers,
                  kSeven = kSix | bit(N::Float), kWords = kIntegers | bit(N::Float);
struct Run {
  uint8_t data, numbers;
};
constexpr Run kRuns[] = {
    {D8, kSix},
    {D16, kSeven},
    {D8_8, kSix},
    {D32, kWords},
    {D16_16, kSeven},
    {D10_11_11, bit(N::Float)},
    {D11_11_10, bit(N::Float)},
    {D10_10_10_2, kNormalized | kIntegers},
    {D2_10_10_10, kSix},
    {D8_8_8_8, kSix},
    {D32_32, kWords},
    {D16_16_16_16, kSeven},
    {D32_32_32, kWords},
    {D32_32_32_32, kWords},
};

BufferFormat make(unsigned data, N number) {
  BufferFormat format;
  std::copy_n(kDataFormats[data], 4, format.bits);
  format.number = number;
  return format;
}

bool exists(const BufferFormat &format) {
  const unsigned width = format.bits[0];
  if (format.number == N::Reserved)
    return false;
  if (format.number == N::Float)
    return width == 32 || width == 16 || format.components() == 3;
  return width < 32 || format.isInteger();
}

constexpr SmallFormat kF16{5, 10, 15, SmallFormat::Ieee}, kF11{5, 6, 15, SmallFormat::Ieee},
    kF10{5, 5, 15, SmallFormat::Ieee};
const SmallFormat &floatOf(unsigned bits) { return bits == 16 ? kF16 : bits == 11 ? kF11 : kF10; }

int64_t extended(unsigned bits, uint32_t code) {
  return int64_t(uint64_t(code) << (64 - bits)) >> (64 - bits);
}
double largest(unsigned bits) { return double((uint64_t(1) << bits) - 1); }

// What the component's bits mean: exact but for NORM, whose quotient is rounded once more by all
// who want it shorter.
double valueOf(const BufferFormat &format, unsigned bits, uint32_t code) {
  switch (format.number) {
  case N::Unorm:
    return code / largest(bits);
  case N::Snorm:
    return std::max(-1.0, double(extended(bits, code)) / largest(bits - 1));
  case N::Uscaled:
  case N::Uint:
    return code;
  case N::Sscaled:
  case N::Sint:
    return double(extended(bits, code));
  default:
    return bits == 32 ? std::bit_cast<float>(code) : decodeSmall(floatOf(bits), code);
  }
}

uint32_t floatCode(unsigned bits, float value) {
  if (bits == 32)
    return std::bit_cast<uint32_t>(value);
  // Formats without a sign have no negative numbers.
  if (bits < 16)
    value = isNan(value) ? std::fabs(value) : std::max(value, 0.0f);
  // Cut off, as the ISA documents say of D16.
  return encodeSmall(floatOf(bits), value, Rounding::TowardZero, !std::isinf(value)) &
         ((1u << bits) - 1);
}

uint32_t rounded(double low, double high, double scale, float value) {
  if (isNan(value))
    return 0;
  return uint32_t(int64_t(std::nearbyint(std::clamp(double(value), low, high) * scale)));
}

uint32_t integerCode(const BufferFormat &format, unsigned bits, int64_t value) {
  if (format.number == N::Uint)
    return uint32_t(std::clamp<int64_t>(value, 0, int64_t(largest(bits))));
  const int64_t limit = int64_t(1) << (bits - 1);
  return uint32_t(std::clamp(value, -limit, limit - 1)) & uint32_t(largest(bits));
}

uint32_t realCode(const BufferFormat &format, unsigned bits, float value) {
  const double most = largest(bits), half = largest(bits - 1);
  switch (format.number) {
  case N::Unorm:
    return rounded(0, 1, most, value);
  case N::Snorm:
    return rounded(-1, 1, half, value) & uint32_t(most);
  case N::Uscaled:
    return rounded(0, most, 1, value);
  case N::Sscaled:
    return rounded(-half - 1, half, 1, value) & uint32_t(most);
  default:
    return floatCode(bits, value);
  }
}

} // namespace

std::optional<BufferFormat> bufferFormat(Generation generation, uint32_t code) {
  if (generation == Generation::Gfx9) {
    const uint32_t data = code & 15, number = code >> 4 & 7;
    if (data == 0)
      return BufferFormat();
    if (data >= std::size(kDataFormats))
      return {};
    const BufferFormat format = make(data, N(number));
    return exists(format) ? std::optional(format) : std::nullopt;
  }
  if (code == 0)
    return BufferFormat();
  uint32_t left = code - 1;
  for (const Run &run : kRuns)
    for (unsigned number = 0; number < 8; ++number)
      if (run.numbers >> number & 1 && left-- == 0)
        return make(run.data, N(number));
  return {};
}

uint32_t descriptorFormat(Generation generation, uint32_t word) {
  if (generation == Generation::Gfx9)
    return (word >> 15 & 15) | (word >> 12 & 7) << 4;
  return word >> 12 & 63;
}

uint32_t loadedWord(const BufferFormat &format, unsigned bits, uint32_t code) {
  if (format.number == N::Sint)
    return uint32_t(extended(bits, code));
  if (format.number == N::Uint || bits == 32)
    return code;
  return std::bit_cast<uint32_t>(float(valueOf(format, bits, code)));
}

uint32_t loadedHalf(const BufferFormat &format, unsigned bits, uint32_t code) {
  if (format.number == N::Uint)
    return std::min(code, 0xffffu);
  if (format.number == N::Sint)
    return uint16_t(std::clamp<int64_t>(extended(bits, code), INT16_MIN, INT16_MAX));
  if (format.number == N::Float && bits == 16)
    return code;
  return roundToHalf(valueOf(format, bits, code),
                     bits == 32 ? Rounding::TowardZero : Rounding::NearestEven)
      .bits;
}

uint32_t storedCode(const BufferFormat &format, unsigned bits, uint32_t word) {
  if (bits == 32)
    return word;
  if (format.isInteger())
    return integerCode(format, bits,
                       format.number == N::Uint ? int64_t(word) : int64_t(int32_t(word)));
  return realCode(format, bits, std::bit_cast<float>(word));
}

uint32_t storedCodeOfHalf(const BufferFormat &format, unsigned bits, uint16_t half) {
  if (format.number == N::Float && bits == 16)
    return half;
  if (format.number == N::Uint)
    return integerCode(format, bits, half);
  if (format.number == N::Sint)
    return integerCode(format, bits, int16_t(half));
  return realCode(format, bits, toFloat(Half{half}));
}

uint32_t formatOne(const BufferFormat &format, bool half) {
  return format.isInteger() ? 1 : half ? 0x3c00 : 0x3f800000;
}

} // namespace tl::emu
