// Scalar float instructions (RDNA4 ISA 16.1 to 16.4: the float rows of SOP1, SOP2 and SOPC). They
// follow MODE as the vector instructions do; f16 values are the low halves of their registers.
#include "emu/float_ops.h"
#include "emu/half_ops.h"
#include "emu/op_table.h"
#include "emu/salu.h"

namespace tl::emu {
namespace {

using u32 = uint32_t;
using i32 = int32_t;

/// An operation on halves: reads low halves, rounds by MODE, leaves the upper half 0.
template <auto F> void half1(Wave &w, const MicroOp &op) {
  const Mode mode{w.mode};
  setScalar32(w, op.dst[0], F(mode, Half{uint16_t(scalar32(w, op.src[0]))}).bits);
}
template <auto F> void half2(Wave &w, const MicroOp &op) {
  const Mode mode{w.mode};
  Half a{uint16_t(scalar32(w, op.src[0]))}, b{uint16_t(scalar32(w, op.src[1]))};
  setScalar32(w, op.dst[0], F(mode, a, b).bits);
}

// Products and sums of halves are exact in double.
constexpr auto kAdd16 = [](const Mode &m, Half a, Half b) {
  return roundToHalf(m, double(toFloat(m, a)) + double(toFloat(m, b)));
};
constexpr auto kSub16 = [](const Mode &m, Half a, Half b) {
  return roundToHalf(m, double(toFloat(m, a)) - double(toFloat(m, b)));
};
constexpr auto kMul16 = [](const Mode &m, Half a, Half b) {
  return roundToHalf(m, double(toFloat(m, a)) * double(toFloat(m, b)));
};
void multiplyAdd16(Wave &w, const MicroOp &op) {
  const Mode m{w.mode};
  auto operand = [&](unsigned i) {
    return double(toFloat(m, Half{uint16_t(scalar32(w, op.src[i]))}));
  };
  setScalar32(w, op.dst[0], roundToHalf(m, addToOdd(operand(0) * operand(1), operand(2))).bits);
}

/// The fourteen predicates of two floats: less, equal, greater, unordered.
enum Relation : u32 { Less = 1, Equal = 2, Greater = 4, Unordered = 8 };
template <u32 Relations> u32 related(float a, float b) {
  u32 found = a < b ? Less : a == b ? Equal : a > b ? Greater : Unordered;
  return (found & Relations) != 0;
}
template <u32 Relations> void compare32(Wave &w, const MicroOp &op) {
  w.scc = related<Relations>(std::bit_cast<float>(scalar32(w, op.src[0])),
                             std::bit_cast<float>(scalar32(w, op.src[1])));
}
template <u32 Relations> void compare16(Wave &w, const MicroOp &op) {
  const Mode m{w.mode};
  w.scc = related<Relations>(toFloat(m, Half{uint16_t(scalar32(w, op.src[0]))}),
                             toFloat(m, Half{uint16_t(scalar32(w, op.src[1]))}));
}

// The rounding of a float to an integer in float format, as a row of each width.
template <auto F>
constexpr auto kRounded16 =
    [](const Mode &m, Half a) { return roundToHalf(m, double(F(toFloat(m, a)))); };
constexpr auto kCeil = [](float a) { return __builtin_ceilf(a); };
constexpr auto kFloor = [](float a) { return __builtin_floorf(a); };
constexpr auto kTrunc = [](float a) { return __builtin_truncf(a); };
constexpr auto kNearest = [](float a) { return __builtin_roundevenf(a); };

constexpr auto kFma = [](float a, float b, float c) { return __builtin_fmaf(a, b, c); };

void toHalf(Wave &w, const MicroOp &op) {
  float value = std::bit_cast<float>(scalar32(w, op.src[0]));
  setScalar32(w, op.dst[0], roundToHalf(Mode{w.mode}, value).bits);
}
template <u32 Shift> void fromHalf(Wave &w, const MicroOp &op) {
  Half half{uint16_t(scalar32(w, op.src[0]) >> Shift)};
  setScalar32(w, op.dst[0], std::bit_cast<u32>(toFloat(Mode{w.mode}, half)));
}
void packTowardZero(Wave &w, const MicroOp &op) {
  auto half = [&](unsigned i) {
    float value = std::bit_cast<float>(scalar32(w, op.src[i]));
    return u32(roundToHalf(value, Rounding::TowardZero).bits);
  };
  setScalar32(w, op.dst[0], half(0) | half(1) << 16);
}

#define TL_COMPARISON(NAME, RELATIONS)                                                             \
  {"S_CMP_" NAME "_F32", compare32<(RELATIONS)>, nullptr, OpMode32}, {                             \
    "S_CMP_" NAME "_F16", compare16<(RELATIONS)>                                                   \
  }

const OpRow kRows[] = {
    {"S_ADD_F32", salu<[](float a, float b) { return a + b; }>, nullptr, OpMode32},
    {"S_SUB_F32", salu<[](float a, float b) { return a - b; }>, nullptr, OpMode32},
    {"S_MUL_F32", salu<[](float a, float b) { return a * b; }>, nullptr, OpMode32},
    {"S_MIN_F32", salu<[](float a, float b) { return minimumNumber(false, a, b); }>, nullptr,
     OpMode32},
    {"S_MAX_F32", salu<[](float a, float b) { return maximumNumber(false, a, b); }>, nullptr,
     OpMode32},
    {"S_MINIMUM_F32", salu<[](float a, float b) { return minimumNan(a, b); }>, nullptr, OpMode32},
    {"S_MAXIMUM_F32", salu<[](float a, float b) { return maximumNan(a, b); }>, nullptr, OpMode32},
    {"S_FMAC_F32", salu<kFma>, nullptr, OpMode32},
    {"S_FMAAK_F32", salu<kFma>, nullptr, OpMode32},
    {"S_FMAMK_F32", salu<kFma>, nullptr, OpMode32},
    {"S_CEIL_F32", salu<kCeil>, nullptr, OpMode32},
    {"S_FLOOR_F32", salu<kFloor>, nullptr, OpMode32},
    {"S_TRUNC_F32", salu<kTrunc>, nullptr, OpMode32},
    {"S_RNDNE_F32", salu<kNearest>, nullptr, OpMode32},
    {"S_CVT_F32_I32", salu<[](i32 a) { return float(a); }>, nullptr, OpMode32},
    {"S_CVT_F32_U32", salu<[](u32 a) { return float(a); }>, nullptr, OpMode32},
    {"S_CVT_I32_F32", salu<([](float a) { return toInteger<i32>(a); })>, nullptr, OpMode32},
    {"S_CVT_U32_F32", salu<([](float a) { return toInteger<u32>(a); })>, nullptr, OpMode32},
    {"S_CVT_F16_F32", toHalf},
    {"S_CVT_F32_F16", fromHalf<0>},
    {"S_CVT_HI_F32_F16", fromHalf<16>},
    {"S_CVT_PK_RTZ_F16_F32", packTowardZero},
    {"S_ADD_F16", half2<kAdd16>},
    {"S_SUB_F16", half2<kSub16>},
    {"S_MUL_F16", half2<kMul16>},
    {"S_MIN_F16", half2<[](const Mode &m, Half a, Half b) {
       return minimumNumber(false, flushedInput(m, a), flushedInput(m, b));
     }>},
    {"S_MAX_F16", half2<[](const Mode &m, Half a, Half b) {
       return maximumNumber(false, flushedInput(m, a), flushedInput(m, b));
     }>},
    {"S_MINIMUM_F16", half2<[](const Mode &m, Half a, Half b) {
       return minimumNan(flushedInput(m, a), flushedInput(m, b));
     }>},
    {"S_MAXIMUM_F16", half2<[](const Mode &m, Half a, Half b) {
       return maximumNan(flushedInput(m, a), flushedInput(m, b));
     }>},
    {"S_FMAC_F16", multiplyAdd16},
    {"S_CEIL_F16", half1<kRounded16<kCeil>>},
    {"S_FLOOR_F16", half1<kRounded16<kFloor>>},
    {"S_TRUNC_F16", half1<kRounded16<kTrunc>>},
    {"S_RNDNE_F16", half1<kRounded16<kNearest>>},
    TL_COMPARISON("LT", Less),
    TL_COMPARISON("EQ", Equal),
    TL_COMPARISON("LE", Less | Equal),
    TL_COMPARISON("GT", Greater),
    TL_COMPARISON("LG", Less | Greater),
    TL_COMPARISON("GE", Greater | Equal),
    TL_COMPARISON("O", Less | Equal | Greater),
    TL_COMPARISON("U", Unordered),
    TL_COMPARISON("NGE", Less | Unordered),
    TL_COMPARISON("NLG", Equal | Unordered),
    TL_COMPARISON("NGT", Less | Equal | Unordered),
    TL_COMPARISON("NLE", Greater | Unordered),
    TL_COMPARISON("NEQ", Less | Greater | Unordered),
    TL_COMPARISON("NLT", Equal | Greater | Unordered),
};

} // namespace

std::span<const OpRow> saluFloatRows() { return kRows; }

} // namespace tl::emu
