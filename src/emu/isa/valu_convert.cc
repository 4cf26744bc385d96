// Conversions between f32, f64, integers and bytes. Narrower floats are in valu_half.cc and
// valu_fp8.cc.
#include "emu/float_ops.h"
#include "emu/op_table.h"

#include <algorithm>

namespace tl::emu {
namespace {

using u32 = uint32_t;
using i32 = int32_t;

u32 pack(u32 low, u32 high) { return (low & 0xffff) | high << 16; }

// Normalized: [-1, 1] or [0, 1] to the whole range of 16 bits.
u32 normalizedSigned(float a) {
  return u32(toInteger<i32>(
      __builtin_roundevenf(std::clamp(isNan(a) ? 0.0f : a, -1.0f, 1.0f) * 32767.0f)));
}
u32 normalizedUnsigned(float a) {
  return u32(
      toInteger<i32>(__builtin_roundevenf(std::clamp(isNan(a) ? 0.0f : a, 0.0f, 1.0f) * 65535.0f)));
}

constexpr Handler kFloorToInt = valu<([](float a) { return toInteger<i32>(__builtin_floorf(a)); })>;
constexpr Handler kNearestToInt =
    valu<([](float a) { return toInteger<i32>(__builtin_floorf(a + 0.5f)); })>;
constexpr Handler kPackNormSigned =
    valu<[](float a, float b) { return pack(normalizedSigned(a), normalizedSigned(b)); }>;
constexpr Handler kPackNormUnsigned =
    valu<[](float a, float b) { return pack(normalizedUnsigned(a), normalizedUnsigned(b)); }>;

const OpRow kRows[] = {
    {"V_CVT_F32_I32", valu<[](i32 a) { return float(a); }>, nullptr, OpMode32},
    {"V_CVT_F32_U32", valu<[](u32 a) { return float(a); }>, nullptr, OpMode32},
    {"V_CVT_I32_F32", valu<([](float a) { return toInteger<i32>(a); })>, nullptr, OpMode32},
    {"V_CVT_U32_F32", valu<([](float a) { return toInteger<u32>(a); })>, nullptr, OpMode32},
    {"V_CVT_FLR_I32_F32", kFloorToInt, nullptr, OpMode32},
    {"V_CVT_FLOOR_I32_F32", kFloorToInt, nullptr, OpMode32},
    {"V_CVT_RPI_I32_F32", kNearestToInt, nullptr, OpMode32},
    {"V_CVT_NEAREST_I32_F32", kNearestToInt, nullptr, OpMode32},
    {"V_CVT_F64_F32", valu<[](float a) { return double(a); }>, nullptr, OpMode64},
    {"V_CVT_F32_F64", valu<[](double a) { return float(a); }>, nullptr, OpMode32},
    {"V_CVT_F64_I32", valu<[](i32 a) { return double(a); }>, nullptr, OpMode64},
    {"V_CVT_F64_U32", valu<[](u32 a) { return double(a); }>, nullptr, OpMode64},
    {"V_CVT_I32_F64", valu<([](double a) { return toInteger<i32>(a); })>, nullptr, OpMode64},
    {"V_CVT_U32_F64", valu<([](double a) { return toInteger<u32>(a); })>, nullptr, OpMode64},
    {"V_CVT_F32_UBYTE0", valu<[](u32 a) { return float(a & 0xff); }>},
    {"V_CVT_F32_UBYTE1", valu<([](u32 a) { return float(a >> 8 & 0xff); })>},
    {"V_CVT_F32_UBYTE2", valu<([](u32 a) { return float(a >> 16 & 0xff); })>},
    {"V_CVT_F32_UBYTE3", valu<([](u32 a) { return float(a >> 24); })>},
    {"V_CVT_OFF_F32_I4", valu<([](u32 a) { return float(i32(a << 28) >> 28) * 0.0625f; })>},
    {"V_CVT_PK_U8_F32", valu<([](float a, u32 b, u32 c) {
       u32 shift = (b & 3) * 8;
       u32 value = std::min(toInteger<u32>(__builtin_roundevenf(a)), 255u);
       return (c & ~(0xffu << shift)) | value << shift;
     })>},
    {"V_CVT_PKNORM_I16_F32", kPackNormSigned},
    {"V_CVT_PK_NORM_I16_F32", kPackNormSigned},
    {"V_CVT_PKNORM_U16_F32", kPackNormUnsigned},
    {"V_CVT_PK_NORM_U16_F32", kPackNormUnsigned},
    {"V_CVT_PK_U16_U32",
     valu<[](u32 a, u32 b) { return pack(std::min(a, 0xffffu), std::min(b, 0xffffu)); }>},
    {"V_CVT_PK_I16_I32", valu<[](i32 a, i32 b) {
       return pack(u32(std::clamp(a, -32768, 32767)), u32(std::clamp(b, -32768, 32767)));
     }>},
    {"V_CVT_PK_I16_F32", valu<([](float a, float b) {
       return pack(u32(std::clamp(toInteger<i32>(a), -32768, 32767)),
                   u32(std::clamp(toInteger<i32>(b), -32768, 32767)));
     })>},
    {"V_CVT_PK_U16_F32", valu<([](float a, float b) {
       return pack(std::min(toInteger<u32>(a), 0xffffu), std::min(toInteger<u32>(b), 0xffffu));
     })>},
};

} // namespace

std::span<const OpRow> valuConvertRows() { return kRows; }

} // namespace tl::emu
