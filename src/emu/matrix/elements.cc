#include "emu/matrix/elements.h"

#include "emu/small_float.h"

#include <immintrin.h>

#include <bit>

namespace tl::emu::matrix {
namespace {

constexpr FormatInfo kFormats[] = {
    {32, -126}, // F32
    {32, -126}, // Xf32
    {16, -14},  // F16
    {16, -126}, // Bf16
    {8, -7},    // Fp8Fnuz
    {8, -15},   // Bf8Fnuz
    {8, -6},    // Fp8
    {8, -14},   // Bf8
    {6, 0},     // Fp6
    {6, -2},    // Bf6
    {4, 0},     // Fp4
};

struct SmallTables {
  float value[7][256]; // by Format, from Fp8Fnuz on

  SmallTables() {
    constexpr SmallFormat formats[] = {kFp8Fnuz, kBf8Fnuz, kFp8, kBf8, kFp6, kBf6, kFp4};
    for (unsigned f = 0; f < 7; ++f)
      for (unsigned bits = 0; bits < 256; ++bits)
        value[f][bits] = decodeSmall(formats[f], bits);
  }
};

void decodeHalves(const uint32_t *raw, float *values, unsigned count) {
  for (unsigned i = 0; i < count; i += 8) {
    __m128i low = _mm_loadu_si128(reinterpret_cast<const __m128i *>(raw + i));
    __m128i high = _mm_loadu_si128(reinterpret_cast<const __m128i *>(raw + i + 4));
    _mm256_storeu_ps(values + i, _mm256_cvtph_ps(_mm_packus_epi32(low, high)));
  }
}

} // namespace

const FormatInfo &formatInfo(Format format) { return kFormats[unsigned(format)]; }

Format formatOf(Element element, bool fnuz, unsigned code) {
  constexpr Format mini[8] = {Format::Fp8, Format::Bf8, Format::Fp6, Format::Bf6,
                              Format::Fp4, Format::Fp8, Format::Fp8, Format::Fp8};
  switch (element) {
  case Element::Xf32:
    return Format::Xf32;
  case Element::F16:
    return Format::F16;
  case Element::Bf16:
    return Format::Bf16;
  case Element::Fp8:
    return fnuz ? Format::Fp8Fnuz : Format::Fp8;
  case Element::Bf8:
    return fnuz ? Format::Bf8Fnuz : Format::Bf8;
  case Element::Mini:
    return mini[code & 7];
  default:
    return Format::F32;
  }
}

void decodeFloats(Format format, const uint32_t *raw, float *values, unsigned count) {
  static const SmallTables tables;
  switch (format) {
  case Format::F32:
    for (unsigned i = 0; i < count; ++i)
      values[i] = std::bit_cast<float>(raw[i]);
    return;
  case Format::Xf32:
    for (unsigned i = 0; i < count; ++i) {
      // A NaN stays one whatever bits it has.
      uint32_t nan = (raw[i] & 0x7fffffff) > 0x7f800000 ? 0x400000 : 0;
      values[i] = std::bit_cast<float>((raw[i] & ~0x1fffu) | nan);
    }
    return;
  case Format::F16:
    return decodeHalves(raw, values, count);
  case Format::Bf16:
    for (unsigned i = 0; i < count; ++i)
      values[i] = std::bit_cast<float>(raw[i] << 16);
    return;
  default: {
    const float *table = tables.value[unsigned(format) - unsigned(Format::Fp8Fnuz)];
    for (unsigned i = 0; i < count; ++i)
      values[i] = table[raw[i] & 0xff];
  }
  }
}

void decodeIntegers(unsigned bits, bool isSigned, const uint32_t *raw, int32_t *values,
                    unsigned count) {
  const unsigned shift = 32 - bits;
  if (isSigned)
    for (unsigned i = 0; i < count; ++i)
      values[i] = int32_t(raw[i] << shift) >> shift;
  else
    for (unsigned i = 0; i < count; ++i)
      values[i] = int32_t(raw[i]);
}

} // namespace tl::emu::matrix
