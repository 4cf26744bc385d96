#include "tlc_element.h"

#include <cmath>
#include <cstdint>
#include <cstring>

namespace tlc {

static constexpr ElementType types[] = {
    {TL_DTYPE_I1, "i1", "|b1", 1, false, false},   {TL_DTYPE_I8, "i8", "|i1", 1, false, true},
    {TL_DTYPE_U8, "u8", "|u1", 1, false, false},   {TL_DTYPE_I16, "i16", "<i2", 2, false, true},
    {TL_DTYPE_U16, "u16", "<u2", 2, false, false}, {TL_DTYPE_I32, "i32", "<i4", 4, false, true},
    {TL_DTYPE_U32, "u32", "<u4", 4, false, false}, {TL_DTYPE_I64, "i64", "<i8", 8, false, true},
    {TL_DTYPE_U64, "u64", "<u8", 8, false, false}, {TL_DTYPE_F16, "f16", "<f2", 2, true, true},
    {TL_DTYPE_BF16, "bf16", "<u2", 2, true, true}, {TL_DTYPE_F32, "f32", "<f4", 4, true, true},
    {TL_DTYPE_F64, "f64", "<f8", 8, true, true},
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
  }
  return 0;
}

} // namespace tlc
