// Vector instructions on numbers of 16 bits: f16, bf16 and integers. What each writes - a half of a
// register, or all of it with zeros - is in valu.h.
#include "emu/op_table.h"
#include "emu/small_float.h"

#include <algorithm>

namespace tl::emu {
namespace {

using u16 = uint16_t;
using i16 = int16_t;
using u32 = uint32_t;
using i32 = int32_t;

// An operation on the values, rounded once.
template <auto F>
constexpr Handler unary =
    valu<([](const Mode &m, Half a) { return roundToHalf(m, F(double(toFloat(m, a)))); })>;
template <auto F>
constexpr Handler binary = valu<([](const Mode &m, Half a, Half b) {
  return roundToHalf(m, F(double(toFloat(m, a)), double(toFloat(m, b))));
})>;
constexpr Handler kFma = valu<([](const Mode &m, Half a, Half b, Half c) {
  return roundToHalf(m, addToOdd(double(toFloat(m, a)) * toFloat(m, b), toFloat(m, c)));
})>;
// v_mad rounds the product too.
constexpr Handler kMad = valu<([](const Mode &m, Half a, Half b, Half c) {
  Half product = roundToHalf(m, double(toFloat(m, a)) * toFloat(m, b));
  return roundToHalf(m, double(toFloat(product)) + toFloat(m, c));
})>;

// Selections of a source: those before gfx12 quiet a signaling NaN when MODE says IEEE; gfx12's
// "num" ones never do.
struct ByMode {
  static bool ieee(const Mode &m) { return m.ieee(); }
};
struct Never {
  static bool ieee(const Mode &) { return false; }
};
template <class P> Half least(const Mode &m, Half a, Half b) {
  return minimumNumber(P::ieee(m), flushedInput(m, a), flushedInput(m, b));
}
template <class P> Half greatest(const Mode &m, Half a, Half b) {
  return maximumNumber(P::ieee(m), flushedInput(m, a), flushedInput(m, b));
}
template <class P> Half median(const Mode &m, Half a, Half b, Half c) {
  a = flushedInput(m, a), b = flushedInput(m, b), c = flushedInput(m, c);
  if (isNan(a) || isNan(b) || isNan(c))
    return least<P>(m, least<P>(m, a, b), c);
  float largest = toFloat(greatest<P>(m, greatest<P>(m, a, b), c));
  return largest == toFloat(a)   ? greatest<P>(m, b, c)
         : largest == toFloat(b) ? greatest<P>(m, a, c)
                                 : greatest<P>(m, a, b);
}
template <class P>
constexpr Handler kMin = valu<([](const Mode &m, Half a, Half b) { return least<P>(m, a, b); })>;
template <class P>
constexpr Handler kMax = valu<([](const Mode &m, Half a, Half b) { return greatest<P>(m, a, b); })>;
template <class P>
constexpr Handler kMin3 =
    valu<([](const Mode &m, Half a, Half b, Half c) { return least<P>(m, least<P>(m, a, b), c); })>;
template <class P>
constexpr Handler kMax3 = valu<(
    [](const Mode &m, Half a, Half b, Half c) { return greatest<P>(m, greatest<P>(m, a, b), c); })>;
template <class P>
constexpr Handler kMinMax = valu<(
    [](const Mode &m, Half a, Half b, Half c) { return greatest<P>(m, least<P>(m, a, b), c); })>;
template <class P>
constexpr Handler kMaxMin = valu<(
    [](const Mode &m, Half a, Half b, Half c) { return least<P>(m, greatest<P>(m, a, b), c); })>;
template <class P>
constexpr Handler kMed3 =
    valu<([](const Mode &m, Half a, Half b, Half c) { return median<P>(m, a, b, c); })>;

Half flushedMinimum(const Mode &m, Half a, Half b) {
  return minimumNan(flushedInput(m, a), flushedInput(m, b));
}
Half flushedMaximum(const Mode &m, Half a, Half b) {
  return maximumNan(flushedInput(m, a), flushedInput(m, b));
}

Half fraction(const Mode &m, Half a) {
  double value = toFloat(m, a);
  Half f = roundToHalf(m, value - std::floor(value));
  // Below one also where the difference rounds to it.
  return f.bits == 0x3c00 ? Half{0x3bff} : f;
}
Half scaled(const Mode &m, Half a, i16 exponent) {
  // Beyond 64 every number is out of range already.
  return roundToHalf(m, std::ldexp(double(toFloat(m, a)), std::clamp<int>(exponent, -64, 64)));
}
Half mantissa(const Mode &m, Half a) {
  float value = toFloat(m, a);
  int exponent;
  return isNan(value) || std::isinf(value) ? a : roundToHalf(m, std::frexp(value, &exponent));
}
i16 exponentOf(const Mode &m, Half a) {
  float value = toFloat(m, a);
  int exponent = 0;
  if (!isNan(value) && !std::isinf(value))
    std::frexp(value, &exponent);
  return i16(exponent);
}

// Division's last step: specials and the sign; the quotient is right already.
Half divisionFixup(Half quotient, Half denominator, Half numerator) {
  float d = toFloat(denominator), n = toFloat(numerator);
  u16 sign = (denominator.bits ^ numerator.bits) & 0x8000;
  if (isNan(n))
    return quiet(numerator);
  if (isNan(d))
    return quiet(denominator);
  if ((d == 0 && n == 0) || (std::isinf(d) && std::isinf(n)))
    return {0xfe00};
  if (d == 0 || std::isinf(n))
    return {u16(sign | 0x7c00)};
  if (std::isinf(d) || n == 0)
    return {sign};
  return {u16(sign | (quotient.bits & 0x7fff))};
}

template <class I> I saturated(i32 value) {
  return I(std::clamp<i32>(value, std::numeric_limits<I>::min(), std::numeric_limits<I>::max()));
}
template <class I> I halfToInteger(Half a) { return saturated<I>(toInteger<i32>(toFloat(a))); }

u32 pack(u32 low, u32 high) { return (low & 0xffff) | high << 16; }
u16 signedNorm(Half a) {
  float value = toFloat(a);
  return u16(
      i32(__builtin_roundevenf(std::clamp(isNan(value) ? 0.0f : value, -1.0f, 1.0f) * 32767.0f)));
}
u16 unsignedNorm(Half a) {
  float value = toFloat(a);
  return u16(
      i32(__builtin_roundevenf(std::clamp(isNan(value) ? 0.0f : value, 0.0f, 1.0f) * 65535.0f)));
}

u16 towardZero(const Mode &m, float a) {
  return roundToHalf(a, Rounding::TowardZero, m.bits & kModeKeepsOutput16,
                     m.bits & kModeClampsOverflow16)
      .bits;
}
u16 nearest(const Mode &m, float a) {
  return roundToHalf(a, Rounding::NearestEven, m.bits & kModeKeepsOutput16,
                     m.bits & kModeClampsOverflow16)
      .bits;
}

constexpr Handler kSignedPackNorm =
    valu<([](Half a, Half b) { return pack(signedNorm(a), signedNorm(b)); })>;
constexpr Handler kUnsignedPackNorm =
    valu<([](Half a, Half b) { return pack(unsignedNorm(a), unsignedNorm(b)); })>;
constexpr Handler kPackTowardZero = valu<(
    [](const Mode &m, float a, float b) { return pack(towardZero(m, a), towardZero(m, b)); })>;
constexpr Handler kDivFixup = valu<([](Half a, Half b, Half c) { return divisionFixup(a, b, c); })>;

// Any operation of three bits, by its truth table: bit 4a + 2b + c. LLVM's only immediate, the
// table, is where other instructions have clamp.
template <class T> void bitOperation(Wave &wave, const MicroOp &op) {
  constexpr bool isHalf = sizeof(T) == 2;
  const u32 table = op.clamp;
  const u32 *a = fetch<T>(wave, op, 0).low, *b = fetch<T>(wave, op, 1).low,
            *c = fetch<T>(wave, op, 2).low;
  u32 *result = wave.temporary[8];
  for (unsigned l = 0; l < wave.lanes; ++l) {
    u32 value = 0;
    for (unsigned n = 0; n < 8; ++n)
      if (table >> n & 1)
        value |= (n & 4 ? a[l] : ~a[l]) & (n & 2 ? b[l] : ~b[l]) & (n & 1 ? c[l] : ~c[l]);
    result[l] = value;
  }
  if (isHalf)
    mergeResult(wave, op, result, LaneKind::Half, wave.exec());
  else
    blendLine(wave, wave.line(op.dst[0].index), result, wave.exec());
}

void swapHalves(Wave &wave, const MicroOp &op) {
  const unsigned shifts[2] = {op.dst[0].select == Select::Word1 ? 16u : 0u,
                              op.dst[1].select == Select::Word1 ? 16u : 0u};
  u32 *a = wave.line(op.dst[0].index), *b = wave.line(op.dst[1].index);
  for (uint64_t lanes = wave.exec(); lanes; lanes &= lanes - 1) {
    unsigned l = unsigned(__builtin_ctzll(lanes));
    u32 x = a[l] >> shifts[0] & 0xffff, y = b[l] >> shifts[1] & 0xffff;
    a[l] = (a[l] & ~(0xffffu << shifts[0])) | y << shifts[0];
    b[l] = (b[l] & ~(0xffffu << shifts[1])) | x << shifts[1];
  }
}

template <class T> u16 saturatedShift(i32 value, i32 high, i32 low) {
  i32 bounded = std::clamp(value, low, high);
  return u16(T(bounded)) & 0xff;
}

constexpr Handler kAdd = valu<([](u16 a, u16 b) { return u16(a + b); })>;
constexpr Handler kAddClamped = valu<([](u16 a, u16 b) { return saturated<u16>(a + b); })>;
constexpr Handler kAddSignedClamped = valu<([](i16 a, i16 b) { return saturated<i16>(a + b); })>;
constexpr Handler kSub = valu<([](u16 a, u16 b) { return u16(a - b); })>;
constexpr Handler kSubClamped = valu<([](u16 a, u16 b) { return saturated<u16>(a - b); })>;
constexpr Handler kSubSignedClamped = valu<([](i16 a, i16 b) { return saturated<i16>(a - b); })>;
constexpr Handler kMadU = valu<([](u16 a, u16 b, u16 c) { return u16(u32(a) * b + c); })>;
constexpr Handler kMadUClamped = valu<(
    [](u16 a, u16 b, u16 c) { return u16(std::min<uint64_t>(uint64_t(a) * b + c, 0xffff)); })>;
constexpr Handler kMadIClamped =
    valu<([](i16 a, i16 b, i16 c) { return saturated<i16>(i32(a) * b + c); })>;

const OpRow kRows[] = {
    // f16
    {"V_ADD_F16", binary<[](double a, double b) { return a + b; }>},
    {"V_SUB_F16", binary<[](double a, double b) { return a - b; }>},
    {"V_SUBREV_F16", binary<[](double a, double b) { return b - a; }>},
    {"V_MUL_F16", binary<[](double a, double b) { return a * b; }>},
    {"V_FMA_F16", kFma},
    {"V_FMA_LEGACY_F16", kFma},
    {"V_FMAC_F16", kFma},
    {"V_FMAMK_F16", kFma},
    {"V_FMAAK_F16", kFma},
    {"V_MAD_F16", kMad},
    {"V_MAD_LEGACY_F16", kMad},
    {"V_MAC_F16", kMad},
    {"V_MADMK_F16", kMad},
    {"V_MADAK_F16", kMad},
    {"V_MIN_F16", kMin<ByMode>},
    {"V_MAX_F16", kMax<ByMode>},
    {"V_MIN3_F16", kMin3<ByMode>},
    {"V_MAX3_F16", kMax3<ByMode>},
    {"V_MED3_F16", kMed3<ByMode>},
    {"V_MINMAX_F16", kMinMax<ByMode>},
    {"V_MAXMIN_F16", kMaxMin<ByMode>},
    {"V_MIN_NUM_F16", kMin<Never>},
    {"V_MAX_NUM_F16", kMax<Never>},
    {"V_MIN3_NUM_F16", kMin3<Never>},
    {"V_MAX3_NUM_F16", kMax3<Never>},
    {"V_MED3_NUM_F16", kMed3<Never>},
    {"V_MINMAX_NUM_F16", kMinMax<Never>},
    {"V_MAXMIN_NUM_F16", kMaxMin<Never>},
    {"V_MINIMUM_F16",
     valu<([](const Mode &m, Half a, Half b) { return flushedMinimum(m, a, b); })>},
    {"V_MAXIMUM_F16",
     valu<([](const Mode &m, Half a, Half b) { return flushedMaximum(m, a, b); })>},
    {"V_MINIMUM3_F16", valu<([](const Mode &m, Half a, Half b, Half c) {
       return flushedMinimum(m, flushedMinimum(m, a, b), c);
     })>},
    {"V_MAXIMUM3_F16", valu<([](const Mode &m, Half a, Half b, Half c) {
       return flushedMaximum(m, flushedMaximum(m, a, b), c);
     })>},
    {"V_MINIMUMMAXIMUM_F16", valu<([](const Mode &m, Half a, Half b, Half c) {
       return flushedMaximum(m, flushedMinimum(m, a, b), c);
     })>},
    {"V_MAXIMUMMINIMUM_F16", valu<([](const Mode &m, Half a, Half b, Half c) {
       return flushedMinimum(m, flushedMaximum(m, a, b), c);
     })>},
    {"V_TRUNC_F16", unary<[](double a) { return __builtin_trunc(a); }>},
    {"V_CEIL_F16", unary<[](double a) { return __builtin_ceil(a); }>},
    {"V_FLOOR_F16", unary<[](double a) { return __builtin_floor(a); }>},
    {"V_RNDNE_F16", unary<[](double a) { return __builtin_roundeven(a); }>},
    {"V_FRACT_F16", valu<([](const Mode &m, Half a) { return fraction(m, a); })>},
    {"V_LDEXP_F16", valu<([](const Mode &m, Half a, i16 b) { return scaled(m, a, b); })>},
    {"V_FREXP_MANT_F16", valu<([](const Mode &m, Half a) { return mantissa(m, a); })>},
    {"V_FREXP_EXP_I16_F16", valu<([](const Mode &m, Half a) { return exponentOf(m, a); })>},
    {"V_DIV_FIXUP_F16", kDivFixup},
    {"V_DIV_FIXUP_LEGACY_F16", kDivFixup},
    // Conversions
    {"V_CVT_F16_F32", valu<([](const Mode &m, float a) { return roundToHalf(m, a); })>},
    {"V_CVT_F32_F16", valu<([](const Mode &m, Half a) { return toFloat(m, a); })>},
    {"V_CVT_F32_BF16", valu<([](Bfloat a) { return toFloat(a); })>},
    {"V_CVT_F16_U16", valu<([](const Mode &m, u16 a) { return roundToHalf(m, a); })>},
    {"V_CVT_F16_I16", valu<([](const Mode &m, i16 a) { return roundToHalf(m, a); })>},
    {"V_CVT_U16_F16", valu<([](Half a) { return halfToInteger<u16>(a); })>},
    {"V_CVT_I16_F16", valu<([](Half a) { return halfToInteger<i16>(a); })>},
    {"V_CVT_I32_I16", valu<([](i16 a) { return i32(a); })>},
    {"V_CVT_U32_U16", valu<([](u16 a) { return u32(a); })>},
    {"V_CVT_NORM_I16_F16", valu<([](Half a) { return signedNorm(a); })>},
    {"V_CVT_NORM_U16_F16", valu<([](Half a) { return unsignedNorm(a); })>},
    {"V_CVT_PKNORM_I16_F16", kSignedPackNorm},
    {"V_CVT_PK_NORM_I16_F16", kSignedPackNorm},
    {"V_CVT_PKNORM_U16_F16", kUnsignedPackNorm},
    {"V_CVT_PK_NORM_U16_F16", kUnsignedPackNorm},
    {"V_CVT_PKRTZ_F16_F32", kPackTowardZero},
    {"V_CVT_PK_RTZ_F16_F32", kPackTowardZero},
    {"V_CVT_PK_F16_F32",
     valu<([](const Mode &m, float a, float b) { return pack(nearest(m, a), nearest(m, b)); })>},
    {"V_CVT_PK_BF16_F32", valu<([](float a, float b) {
       return pack(roundToBfloat(a, Rounding::NearestEven).bits,
                   roundToBfloat(b, Rounding::NearestEven).bits);
     })>},
    {"V_CVT_SR_F16_F32", valu<([](const Mode &m, float a, u32 noise) {
       return towardZero(m, addNoise(a, noise, 10));
     })>},
    {"V_CVT_SR_BF16_F32", valu<([](float a, u32 noise) {
       return roundToBfloat(addNoise(a, noise, 7), Rounding::TowardZero);
     })>},
    {"V_PACK_B32_F16", valu<([](Half a, Half b) { return pack(a.bits, b.bits); })>},
    {"V_SAT_PK_U8_I16", valu<([](u32 a) {
       return u16(std::clamp<i32>(i16(a), 0, 255) | std::clamp<i32>(i16(a >> 16), 0, 255) << 8);
     })>},
    {"V_ASHR_PK_I8_I32", valu<([](i32 a, i32 b, u32 c) {
       return u16(saturatedShift<int8_t>(a >> (c & 31), 127, -128) |
                  saturatedShift<int8_t>(b >> (c & 31), 127, -128) << 8);
     })>},
    {"V_ASHR_PK_U8_I32", valu<([](i32 a, i32 b, u32 c) {
       return u16(saturatedShift<uint8_t>(a >> (c & 31), 255, 0) |
                  saturatedShift<uint8_t>(b >> (c & 31), 255, 0) << 8);
     })>},
    // Integers
    {"V_ADD_U16", kAdd, kAddClamped},
    {"V_ADD_NC_U16", kAdd, kAddClamped},
    {"V_ADD_I16", kAdd, kAddSignedClamped},
    {"V_ADD_NC_I16", kAdd, kAddSignedClamped},
    {"V_SUB_U16", kSub, kSubClamped},
    {"V_SUB_NC_U16", kSub, kSubClamped},
    {"V_SUB_I16", kSub, kSubSignedClamped},
    {"V_SUB_NC_I16", kSub, kSubSignedClamped},
    {"V_SUBREV_U16", valu<([](u16 a, u16 b) { return u16(b - a); })>,
     valu<([](u16 a, u16 b) { return saturated<u16>(b - a); })>},
    {"V_MUL_LO_U16", valu<([](u16 a, u16 b) { return u16(u32(a) * b); })>},
    {"V_MAD_U16", kMadU, kMadUClamped},
    {"V_MAD_LEGACY_U16", kMadU, kMadUClamped},
    {"V_MAD_I16", kMadU, kMadIClamped},
    {"V_MAD_LEGACY_I16", kMadU, kMadIClamped},
    {"V_MAD_U32_U16", valu<([](u16 a, u16 b, u32 c) { return u32(a) * b + c; })>,
     valu<([](u16 a, u16 b, u32 c) {
       return u32(std::min<uint64_t>(uint64_t(a) * b + c, 0xffffffff));
     })>},
    {"V_MAD_I32_I16", valu<([](i16 a, i16 b, i32 c) { return u32(i32(a) * b) + u32(c); })>,
     valu<([](i16 a, i16 b, i32 c) {
       return i32(std::clamp<int64_t>(int64_t(a) * b + c, INT32_MIN, INT32_MAX));
     })>},
    {"V_MIN_U16", valu<([](u16 a, u16 b) { return std::min(a, b); })>},
    {"V_MAX_U16", valu<([](u16 a, u16 b) { return std::max(a, b); })>},
    {"V_MIN_I16", valu<([](i16 a, i16 b) { return std::min(a, b); })>},
    {"V_MAX_I16", valu<([](i16 a, i16 b) { return std::max(a, b); })>},
    {"V_MIN3_U16", valu<([](u16 a, u16 b, u16 c) { return std::min({a, b, c}); })>},
    {"V_MAX3_U16", valu<([](u16 a, u16 b, u16 c) { return std::max({a, b, c}); })>},
    {"V_MIN3_I16", valu<([](i16 a, i16 b, i16 c) { return std::min({a, b, c}); })>},
    {"V_MAX3_I16", valu<([](i16 a, i16 b, i16 c) { return std::max({a, b, c}); })>},
    {"V_MED3_U16", valu<([](u16 a, u16 b, u16 c) {
       return std::max(std::min(a, b), std::min(std::max(a, b), c));
     })>},
    {"V_MED3_I16", valu<([](i16 a, i16 b, i16 c) {
       return std::max(std::min(a, b), std::min(std::max(a, b), c));
     })>},
    {"V_LSHLREV_B16", valu<([](u16 a, u16 b) { return u16(b << (a & 15)); })>},
    {"V_LSHRREV_B16", valu<([](u16 a, u16 b) { return u16(b >> (a & 15)); })>},
    {"V_ASHRREV_I16", valu<([](u16 a, i16 b) { return i16(b >> (a & 15)); })>},
    {"V_AND_B16", valu<([](u16 a, u16 b) { return u16(a & b); })>},
    {"V_OR_B16", valu<([](u16 a, u16 b) { return u16(a | b); })>},
    {"V_XOR_B16", valu<([](u16 a, u16 b) { return u16(a ^ b); })>},
    {"V_NOT_B16", valu<([](u16 a) { return u16(~a); })>},
    {"V_MOV_B16", valu<([](u16 a) { return a; })>},
    {"V_CNDMASK_B16", valu<([](u16 a, u16 b, Bit c) { return c ? b : a; })>},
    {"V_SWAP_B16", swapHalves},
    {"V_BITOP3_B16", bitOperation<u16>},
    {"V_BITOP3_B32", bitOperation<u32>},
};

} // namespace

std::span<const OpRow> valuHalfRows() { return kRows; }

} // namespace tl::emu
