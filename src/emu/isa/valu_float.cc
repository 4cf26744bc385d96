// Vector instructions on f32 and f64: those that IEEE 754 defines exactly.
#include "emu/float_ops.h"
#include "emu/op_table.h"

#include <algorithm>

namespace tl::emu {
namespace {

using u32 = uint32_t;
using i32 = int32_t;

// D3D9's product: zero times anything is zero.
float legacyMultiply(float a, float b) { return a == 0.0f || b == 0.0f ? 0.0f : a * b; }

// The median by the ISA's rule: with a NaN the minimum of all, else of what the largest leaves.
float median(bool ieee, float a, float b, float c) {
  a = asHostSees(a), b = asHostSees(b), c = asHostSees(c);
  if (isNan(a) || isNan(b) || isNan(c))
    return minimumNumber(ieee, minimumNumber(ieee, a, b), c);
  float largest = maximumNumber(ieee, maximumNumber(ieee, a, b), c);
  if (largest == a)
    return maximumNumber(ieee, b, c);
  if (largest == b)
    return maximumNumber(ieee, a, c);
  return maximumNumber(ieee, a, b);
}

// a - floor(a), kept below one.
template <class T> T fraction(T a, T below) {
  T f = a - std::floor(a);
  return isNan(f) ? f : f < below ? f : below;
}

template <class T> T scaleByPower(T a, i32 exponent) { return std::ldexp(a, exponent); }

template <class T> T mantissa(T a) {
  a = asHostSees(a);
  if (isNan(a) || std::isinf(a))
    return a;
  int exponent;
  return std::frexp(a, &exponent);
}
template <class T> i32 exponentOf(T a) {
  if (isNan(a) || std::isinf(a))
    return 0;
  int exponent;
  std::frexp(a, &exponent);
  return a == 0 ? 0 : exponent;
}

constexpr Handler kFma32 = valu<[](float a, float b, float c) { return __builtin_fmaf(a, b, c); }>;
constexpr Handler kFma64 =
    valu<[](double a, double b, double c) { return __builtin_fma(a, b, c); }>;
// The literal is the middle operand: v_fmamk d, a, k, c.
constexpr Handler kMin32 =
    valu<[](const Mode &m, float a, float b) { return minimumNumber(m.ieee(), a, b); }>;
constexpr Handler kMax32 =
    valu<[](const Mode &m, float a, float b) { return maximumNumber(m.ieee(), a, b); }>;
constexpr Handler kMin64 =
    valu<[](const Mode &m, double a, double b) { return minimumNumber(m.ieee(), a, b); }>;
constexpr Handler kMax64 =
    valu<[](const Mode &m, double a, double b) { return maximumNumber(m.ieee(), a, b); }>;
constexpr Handler kMin3 = valu<[](const Mode &m, float a, float b, float c) {
  return minimumNumber(m.ieee(), minimumNumber(m.ieee(), a, b), c);
}>;
constexpr Handler kMax3 = valu<[](const Mode &m, float a, float b, float c) {
  return maximumNumber(m.ieee(), maximumNumber(m.ieee(), a, b), c);
}>;
constexpr Handler kMinMax = valu<[](const Mode &m, float a, float b, float c) {
  return maximumNumber(m.ieee(), minimumNumber(m.ieee(), a, b), c);
}>;
constexpr Handler kMaxMin = valu<[](const Mode &m, float a, float b, float c) {
  return minimumNumber(m.ieee(), maximumNumber(m.ieee(), a, b), c);
}>;
constexpr Handler kMed3 =
    valu<[](const Mode &m, float a, float b, float c) { return median(m.ieee(), a, b, c); }>;
// gfx12's "num" instructions take a number over any NaN, whatever MODE says (RDNA4 ISA,
// V_MIN_NUM_F32).
constexpr Handler kMinNum32 = valu<[](float a, float b) { return minimumNumber(false, a, b); }>;
constexpr Handler kMaxNum32 = valu<[](float a, float b) { return maximumNumber(false, a, b); }>;
constexpr Handler kMinNum64 = valu<[](double a, double b) { return minimumNumber(false, a, b); }>;
constexpr Handler kMaxNum64 = valu<[](double a, double b) { return maximumNumber(false, a, b); }>;
constexpr Handler kMin3Num = valu<[](float a, float b, float c) {
  return minimumNumber(false, minimumNumber(false, a, b), c);
}>;
constexpr Handler kMax3Num = valu<[](float a, float b, float c) {
  return maximumNumber(false, maximumNumber(false, a, b), c);
}>;
constexpr Handler kMinMaxNum = valu<[](float a, float b, float c) {
  return maximumNumber(false, minimumNumber(false, a, b), c);
}>;
constexpr Handler kMaxMinNum = valu<[](float a, float b, float c) {
  return minimumNumber(false, maximumNumber(false, a, b), c);
}>;
constexpr Handler kMed3Num = valu<[](float a, float b, float c) { return median(false, a, b, c); }>;
constexpr Handler kLegacyMultiply = valu<[](float a, float b) { return legacyMultiply(a, b); }>;
constexpr Handler kLegacyFma = valu<[](float a, float b, float c) {
  return a == 0.0f || b == 0.0f ? asHostSees(c) : __builtin_fmaf(a, b, c);
}>;
// v_mad and v_mac round twice and flush denormals whatever MODE says.
constexpr float kSmallest = 0x1p-126f;
float flushed(float a) { return std::fabs(a) < kSmallest ? std::copysign(0.0f, a) : a; }
constexpr Handler kMad = valu<[](float a, float b, float c) {
  return flushed(flushed(flushed(a) * flushed(b)) + flushed(c));
}>;

const OpRow kRows[] = {
    {"V_ADD_F32", valu<[](float a, float b) { return a + b; }>, nullptr, OpMode32},
    {"V_SUB_F32", valu<[](float a, float b) { return a - b; }>, nullptr, OpMode32},
    {"V_SUBREV_F32", valu<[](float a, float b) { return b - a; }>, nullptr, OpMode32},
    {"V_MUL_F32", valu<[](float a, float b) { return a * b; }>, nullptr, OpMode32},
    {"V_MUL_LEGACY_F32", kLegacyMultiply, nullptr, OpMode32},
    {"V_MUL_DX9_ZERO_F32", kLegacyMultiply, nullptr, OpMode32},
    {"V_FMA_F32", kFma32, nullptr, OpMode32},
    {"V_FMAC_F32", kFma32, nullptr, OpMode32},
    {"V_FMAMK_F32", kFma32, nullptr, OpMode32},
    {"V_FMAAK_F32", kFma32, nullptr, OpMode32},
    {"V_FMA_DX9_ZERO_F32", kLegacyFma, nullptr, OpMode32},
    {"V_FMAC_DX9_ZERO_F32", kLegacyFma, nullptr, OpMode32},
    {"V_MAD_F32", kMad, nullptr, OpMode32},
    {"V_MAC_F32", kMad, nullptr, OpMode32},
    {"V_MADMK_F32", kMad, nullptr, OpMode32},
    {"V_MADAK_F32", kMad, nullptr, OpMode32},
    {"V_MIN_F32", kMin32, nullptr, OpMode32},
    {"V_MIN_NUM_F32", kMinNum32, nullptr, OpMode32},
    {"V_MAX_F32", kMax32, nullptr, OpMode32},
    {"V_MAX_NUM_F32", kMaxNum32, nullptr, OpMode32},
    {"V_MIN3_F32", kMin3, nullptr, OpMode32},
    {"V_MIN3_NUM_F32", kMin3Num, nullptr, OpMode32},
    {"V_MAX3_F32", kMax3, nullptr, OpMode32},
    {"V_MAX3_NUM_F32", kMax3Num, nullptr, OpMode32},
    {"V_MED3_F32", kMed3, nullptr, OpMode32},
    {"V_MED3_NUM_F32", kMed3Num, nullptr, OpMode32},
    {"V_MINMAX_F32", kMinMax, nullptr, OpMode32},
    {"V_MINMAX_NUM_F32", kMinMaxNum, nullptr, OpMode32},
    {"V_MAXMIN_F32", kMaxMin, nullptr, OpMode32},
    {"V_MAXMIN_NUM_F32", kMaxMinNum, nullptr, OpMode32},
    {"V_MINIMUM_F32", valu<[](float a, float b) { return minimumNan(a, b); }>, nullptr, OpMode32},
    {"V_MAXIMUM_F32", valu<[](float a, float b) { return maximumNan(a, b); }>, nullptr, OpMode32},
    {"V_MINIMUM3_F32",
     valu<[](float a, float b, float c) { return minimumNan(minimumNan(a, b), c); }>, nullptr,
     OpMode32},
    {"V_MAXIMUM3_F32",
     valu<[](float a, float b, float c) { return maximumNan(maximumNan(a, b), c); }>, nullptr,
     OpMode32},
    {"V_MINIMUMMAXIMUM_F32",
     valu<[](float a, float b, float c) { return maximumNan(minimumNan(a, b), c); }>, nullptr,
     OpMode32},
    {"V_MAXIMUMMINIMUM_F32",
     valu<[](float a, float b, float c) { return minimumNan(maximumNan(a, b), c); }>, nullptr,
     OpMode32},
    {"V_TRUNC_F32", valu<[](float a) { return __builtin_truncf(a); }>, nullptr, OpMode32},
    {"V_CEIL_F32", valu<[](float a) { return __builtin_ceilf(a); }>, nullptr, OpMode32},
    {"V_FLOOR_F32", valu<[](float a) { return __builtin_floorf(a); }>, nullptr, OpMode32},
    {"V_RNDNE_F32", valu<[](float a) { return __builtin_roundevenf(a); }>, nullptr, OpMode32},
    {"V_FRACT_F32", valu<[](float a) { return fraction(a, 0x1.fffffep-1f); }>, nullptr, OpMode32},
    {"V_LDEXP_F32", valu<[](float a, i32 b) { return scaleByPower(a, b); }>, nullptr, OpMode32},
    {"V_FREXP_MANT_F32", valu<[](float a) { return mantissa(a); }>, nullptr, OpMode32},
    {"V_FREXP_EXP_I32_F32", valu<[](float a) { return exponentOf(a); }>, nullptr, OpMode32},
    // f64
    {"V_ADD_F64", valu<[](double a, double b) { return a + b; }>, nullptr, OpMode64},
    {"V_MUL_F64", valu<[](double a, double b) { return a * b; }>, nullptr, OpMode64},
    {"V_FMA_F64", kFma64, nullptr, OpMode64},
    {"V_FMAC_F64", kFma64, nullptr, OpMode64},
    {"V_MIN_F64", kMin64, nullptr, OpMode64},
    {"V_MIN_NUM_F64", kMinNum64, nullptr, OpMode64},
    {"V_MAX_F64", kMax64, nullptr, OpMode64},
    {"V_MAX_NUM_F64", kMaxNum64, nullptr, OpMode64},
    {"V_MINIMUM_F64", valu<[](double a, double b) { return minimumNan(a, b); }>, nullptr, OpMode64},
    {"V_MAXIMUM_F64", valu<[](double a, double b) { return maximumNan(a, b); }>, nullptr, OpMode64},
    {"V_TRUNC_F64", valu<[](double a) { return __builtin_trunc(a); }>, nullptr, OpMode64},
    {"V_CEIL_F64", valu<[](double a) { return __builtin_ceil(a); }>, nullptr, OpMode64},
    {"V_FLOOR_F64", valu<[](double a) { return __builtin_floor(a); }>, nullptr, OpMode64},
    {"V_RNDNE_F64", valu<[](double a) { return __builtin_roundeven(a); }>, nullptr, OpMode64},
    {"V_FRACT_F64", valu<[](double a) { return fraction(a, 0x1.fffffffffffffp-1); }>, nullptr,
     OpMode64},
    {"V_LDEXP_F64", valu<[](double a, i32 b) { return scaleByPower(a, b); }>, nullptr, OpMode64},
    {"V_FREXP_MANT_F64", valu<[](double a) { return mantissa(a); }>, nullptr, OpMode64},
    {"V_FREXP_EXP_I32_F64", valu<[](double a) { return exponentOf(a); }>, nullptr, OpMode64},
};

} // namespace

std::span<const OpRow> valuFloatRows() { return kRows; }

} // namespace tl::emu
