#include "tlc_element.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace tlc {

static constexpr ElementType types[] = {
    {TL_DTYPE_I1, "i1", "|b1", 1, false, false},
    {TL_DTYPE_I8, "i8", "|i1", 1, false, true},
    {TL_DTYPE_U8, "u8", "|u1", 1, false, false},
    {TL_DTYPE_I16, "i16", "<i2", 2, false, true},
    {TL_DTYPE_U16, "u16", "<u2", 2, false, false},
    {TL_DTYPE_I32, "i32", "<i4", 4, false, true},
    {TL_DTYPE_U32, "u32", "<u4", 4, false, false},
    {TL_DTYPE_I64, "i64", "<i8", 8, false, true},
    {TL_DTYPE_U64, "u64", "<u8", 8, false, false},
    {TL_DTYPE_F16, "f16", "<f2", 2, true, true},
    {TL_DTYPE_BF16, "bf16", "<u2", 2, true, true},
    {TL_DTYPE_F32, "f32", "<f4", 4, true, true},
    {TL_DTYPE_F64, "f64", "<f8", 8, true, true},
    {TL_DTYPE_F8E4M3FN, "f8e4m3fn", "|u1", 1, true, true},
    {TL_DTYPE_F8E5M2, "f8e5m2", "|u1", 1, true, true},
    {TL_DTYPE_F8E4M3FNUZ, "f8e4m3fnuz", "|u1", 1, true, true},
    {TL_DTYPE_F8E5M2FNUZ, "f8e5m2fnuz", "|u1", 1, true, true},
    {TL_DTYPE_F8E8M0FNU, "f8e8m0fnu", "|u1", 1, true, false},
};

const ElementType *elementType(tl_dtype dtype) {
  for (const ElementType &type : types)
    if (type.dtype == dtype)
      return &type;
  return nullptr;
}

template <class T> static void put(void *at, T value) { std::memcpy(at, &value, sizeof value); }
template <class T> static T get(const void *at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

/// Example input only: a float in between may round a second time.
static uint16_t bfloatBits(double value) {
  uint32_t bits;
  float f = float(value);
  std::memcpy(&bits, &f, 4);
  if (std::isnan(f))
    return uint16_t(bits >> 16 | 0x40);
  return uint16_t((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/// A float of 8 bits by the definition of its format.
static double narrowNumber(tl_dtype dtype, uint8_t bits) {
  if (dtype == TL_DTYPE_F8E8M0FNU)
    return bits == 255 ? NAN : std::ldexp(1.0, bits - 127);
  bool e4 = dtype == TL_DTYPE_F8E4M3FN || dtype == TL_DTYPE_F8E4M3FNUZ;
  bool oneNan = dtype == TL_DTYPE_F8E4M3FNUZ || dtype == TL_DTYPE_F8E5M2FNUZ;
  int fractionBits = e4 ? 3 : 2, bias = (e4 ? 7 : 15) + oneNan;
  int magnitude = bits & 127, exponent = magnitude >> fractionBits;
  int fraction = magnitude & ((1 << fractionBits) - 1);
  if (oneNan ? bits == 128 : magnitude > (e4 ? 126 : 124))
    return NAN;
  if (dtype == TL_DTYPE_F8E5M2 && magnitude == 124)
    return bits & 128 ? -INFINITY : INFINITY;
  double value = std::ldexp(fraction + (exponent ? 1 << fractionBits : 0),
                            std::max(exponent, 1) - bias - fractionBits);
  return bits & 128 ? -value : value;
}

/// The nearest number, of two the even one; beyond the largest, that. Example input only.
static uint8_t narrowBits(tl_dtype dtype, double value) {
  int best = 0, codes = dtype == TL_DTYPE_F8E8M0FNU ? 255 : 128;
  double distance = INFINITY;
  for (int bits = 0; bits < codes && !std::isnan(value); ++bits) {
    double d = std::fabs(narrowNumber(dtype, uint8_t(bits)) - std::fabs(value));
    if (d < distance || (d == distance && bits % 2 == 0)) {
      best = bits;
      distance = d;
    }
  }
  if (codes == 255)
    return uint8_t(std::isnan(value) || value < 0 ? 255 : best);
  if (std::isnan(value))
    return dtype == TL_DTYPE_F8E4M3FN || dtype == TL_DTYPE_F8E5M2 ? 127 : 128;
  return uint8_t(best | (std::signbit(value) && best ? 128 : 0));
}

void storeInteger(tl_dtype dtype, void *at, int64_t value) {
  switch (dtype) {
  case TL_DTYPE_I1:
    return put<uint8_t>(at, value != 0);
  case TL_DTYPE_I8:
  case TL_DTYPE_U8:
    return put<uint8_t>(at, uint8_t(value));
  case TL_DTYPE_I16:
  case TL_DTYPE_U16:
    return put<uint16_t>(at, uint16_t(value));
  case TL_DTYPE_I32:
  case TL_DTYPE_U32:
    return put<uint32_t>(at, uint32_t(value));
  case TL_DTYPE_I64:
  case TL_DTYPE_U64:
    return put<uint64_t>(at, uint64_t(value));
  default:
    return storeNumber(dtype, at, double(value));
  }
}

void storeNumber(tl_dtype dtype, void *at, double value) {
  switch (dtype) {
  case TL_DTYPE_F16:
    return put<_Float16>(at, _Float16(value));
  case TL_DTYPE_BF16:
    return put<uint16_t>(at, bfloatBits(value));
  case TL_DTYPE_F32:
    return put<float>(at, float(value));
  case TL_DTYPE_F64:
    return put<double>(at, value);
  case TL_DTYPE_F8E4M3FN:
  case TL_DTYPE_F8E5M2:
  case TL_DTYPE_F8E4M3FNUZ:
  case TL_DTYPE_F8E5M2FNUZ:
  case TL_DTYPE_F8E8M0FNU:
    return put<uint8_t>(at, narrowBits(dtype, value));
  default:
    return storeInteger(dtype, at, int64_t(value));
  }
}

double loadNumber(tl_dtype dtype, const void *at) {
  switch (dtype) {
  case TL_DTYPE_I1:
  case TL_DTYPE_U8:
    return get<uint8_t>(at);
  case TL_DTYPE_I8:
    return get<int8_t>(at);
  case TL_DTYPE_I16:
    return get<int16_t>(at);
  case TL_DTYPE_U16:
    return get<uint16_t>(at);
  case TL_DTYPE_I32:
    return get<int32_t>(at);
  case TL_DTYPE_U32:
    return get<uint32_t>(at);
  case TL_DTYPE_I64:
    return double(get<int64_t>(at));
  case TL_DTYPE_U64:
    return double(get<uint64_t>(at));
  case TL_DTYPE_F16:
    return double(get<_Float16>(at));
  case TL_DTYPE_BF16: {
    uint32_t bits = uint32_t(get<uint16_t>(at)) << 16;
    return double(get<float>(&bits));
  }
  case TL_DTYPE_F32:
    return double(get<float>(at));
  case TL_DTYPE_F64:
    return get<double>(at);
  case TL_DTYPE_F8E4M3FN:
  case TL_DTYPE_F8E5M2:
  case TL_DTYPE_F8E4M3FNUZ:
  case TL_DTYPE_F8E5M2FNUZ:
  case TL_DTYPE_F8E8M0FNU:
    return narrowNumber(dtype, get<uint8_t>(at));
  }
  return 0;
}

} // namespace tlc
