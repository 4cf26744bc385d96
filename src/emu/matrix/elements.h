// Input elements of matrix instructions: their bits to f32, which holds every value of theirs.
#pragma once

#include "emu/matrix/shape.h"

namespace tl::emu::matrix {

enum class Format : uint8_t {
  F32,
  Xf32, // f32 of which 10 bits of the fraction count
  F16,
  Bf16,
  Fp8Fnuz, // from here on those of small_float.h
  Bf8Fnuz,
  Fp8,
  Bf8,
  Fp6,
  Bf6,
  Fp4,
};

struct FormatInfo {
  uint8_t bits;
  int16_t minExponent; // of normal numbers
};
const FormatInfo &formatInfo(Format format);

/// The format of a floating-point element; `fnuz`: of a chip with FnuzFloat8; `code`: cbsz or blgp
/// of f8f6f4. Codes that the ISA leaves undefined count as 0.
Format formatOf(Element element, bool fnuz, unsigned code);

/// Elements in the low bits of `raw`, whose other bits are zero.
void decodeFloats(Format format, const uint32_t *raw, float *values, unsigned count);
void decodeIntegers(unsigned bits, bool isSigned, const uint32_t *raw, int32_t *values,
                    unsigned count);

} // namespace tl::emu::matrix
