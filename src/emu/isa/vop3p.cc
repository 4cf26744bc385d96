// Packed instructions (VOP3P), mixed precision and dot products.
//
// A source's modifiers (CDNA3 ISA 6.6 "Packed math", RDNA3 ISA 7.3): op_sel and op_sel_hi choose
// the part that the low and the high result read, neg_lo and neg_hi negate it. Mixed instructions
// read op_sel_hi as "is f16", op_sel as its half, neg_hi as absolute value.
#include "emu/chips.h"
#include "emu/half_ops.h"
#include "emu/launch.h"
#include "emu/op_table.h"
#include "emu/packed.h"

#include <algorithm>

namespace tl::emu {
namespace {

using u16 = uint16_t;
using i16 = int16_t;
using u32 = uint32_t;
using i32 = int32_t;
using u64 = uint64_t;
using i64 = int64_t;

// What the two results read of a source.
struct Parts {
  Lines lines;
  unsigned lowShift = 0, highShift = 16;         // of halves
  bool lowFromHigh = false, highFromHigh = true; // of words
  u32 lowFlip = 0, highFlip = 0;
};

template <class T> Parts partsOf(Wave &wave, const MicroOp &op, unsigned source) {
  constexpr bool isFloat = std::is_same_v<T, Half> || std::is_same_v<T, float>;
  constexpr u32 sign = sizeof(T) == 2 ? 0x8000 : 0x80000000;
  Parts parts;
  if constexpr (sizeof(T) == 2)
    parts.lines = fetchWhole<u32>(wave, op, source);
  else
    parts.lines = fetchWhole<u64>(wave, op, source);
  // VOP2's packed instruction has no modifiers.
  if (!(op.flags & OpPacked))
    return parts;
  const unsigned modifiers = op.src[source].modifiers;
  parts.lowFromHigh = modifiers & ModOpSel;
  parts.highFromHigh = modifiers & ModOpSelHi;
  parts.lowShift = parts.lowFromHigh ? 16 : 0;
  parts.highShift = parts.highFromHigh ? 16 : 0;
  if (isFloat) {
    parts.lowFlip = modifiers & ModNeg ? sign : 0;
    parts.highFlip = modifiers & ModAbs ? sign : 0;
  }
  return parts;
}

template <class T> struct SignatureOf16;
template <class L, class R, class... A> struct SignatureOf16<R (L::*)(const Mode &, A...) const> {
  using Type = R;
  static constexpr size_t sources = sizeof...(A);
};

Half clampedHalf(const Mode &m, Half a) {
  if (isNan(a))
    return m.dx10Clamp() ? Half{0} : a;
  float value = toFloat(a);
  return value > 0 ? value < 1 ? a : Half{0x3c00} : Half{0};
}

// An operation on the halves of registers: (Mode, T...) → T.
template <auto F> struct PackedHalves {
  using Signature = SignatureOf16<decltype(&decltype(F)::operator())>;
  using T = typename Signature::Type;

  template <size_t... I>
  static void apply(Wave &wave, const MicroOp &op, std::index_sequence<I...>) {
    const Mode mode{wave.mode};
    const Parts in[] = {partsOf<T>(wave, op, I)...};
    u32 *result = wave.temporary[8];
    const bool clamps = std::is_same_v<T, Half> && op.clamp;
    for (unsigned l = 0; l < wave.lanes; ++l) {
      T low =
          F(mode, std::bit_cast<T>(u16((in[I].lines.low[l] >> in[I].lowShift) ^ in[I].lowFlip))...);
      T high = F(
          mode, std::bit_cast<T>(u16((in[I].lines.low[l] >> in[I].highShift) ^ in[I].highFlip))...);
      if constexpr (std::is_same_v<T, Half>)
        if (clamps)
          low = clampedHalf(mode, low), high = clampedHalf(mode, high);
      result[l] = u32(std::bit_cast<u16>(low)) | u32(std::bit_cast<u16>(high)) << 16;
    }
    blendLine(wave, wave.line(op.dst[0].index), result, lanesToWrite(wave, op));
  }
  static void run(Wave &wave, const MicroOp &op) {
    apply(wave, op, std::make_index_sequence<Signature::sources>());
  }
};
template <auto F> constexpr Handler packed = &PackedHalves<F>::run;

// The same with whole registers: pairs of f32.
template <auto F> struct PackedWords {
  using Signature = SignatureOf16<decltype(&decltype(F)::operator())>;

  template <size_t... I>
  static void apply(Wave &wave, const MicroOp &op, std::index_sequence<I...>) {
    const Mode mode{wave.mode};
    const Parts in[] = {partsOf<float>(wave, op, I)...};
    const u32 *first[] = {(in[I].lowFromHigh ? in[I].lines.high : in[I].lines.low)...};
    const u32 *second[] = {(in[I].highFromHigh ? in[I].lines.high : in[I].lines.low)...};
    u32 *low = wave.temporary[8], *high = wave.temporary[9];
    for (unsigned l = 0; l < kLineLanes; ++l) {
      low[l] = std::bit_cast<u32>(F(mode, std::bit_cast<float>(first[I][l] ^ in[I].lowFlip)...));
      high[l] = std::bit_cast<u32>(F(mode, std::bit_cast<float>(second[I][l] ^ in[I].highFlip)...));
    }
    if (op.clamp) {
      MicroOp clamped = op;
      clamped.omod = 0;
      finishFloat(wave, clamped, low);
      finishFloat(wave, clamped, high);
    }
    const u64 mask = lanesToWrite(wave, op);
    blendLine(wave, wave.line(op.dst[0].index), low, mask);
    blendLine(wave, wave.line(op.dst[0].index + 1), high, mask);
  }
  static void run(Wave &wave, const MicroOp &op) {
    apply(wave, op, std::make_index_sequence<Signature::sources>());
  }
};
template <auto F> constexpr Handler packed32 = &PackedWords<F>::run;

void packedMove(Wave &wave, const MicroOp &op) {
  // op_sel[0] chooses the word of the first source, op_sel[1] that of the second.
  const Lines a = fetchWhole<u64>(wave, op, 0), b = fetchWhole<u64>(wave, op, 1);
  u32 *low = wave.temporary[8], *high = wave.temporary[9];
  std::memcpy(low, isSelected(op, 0) ? a.high : a.low, kLineLanes * 4);
  std::memcpy(high, isSelected(op, 1) ? b.high : b.low, kLineLanes * 4);
  const u64 mask = lanesToWrite(wave, op);
  blendLine(wave, wave.line(op.dst[0].index), low, mask);
  blendLine(wave, wave.line(op.dst[0].index + 1), high, mask);
}

// Mixed precision. Inline constants arrive as those of f16; where the source is f32, so is the
// constant.
u32 inlineConstantAsFloat(u32 value) {
  static constexpr u32 kConstants[][2] = {
      {0x3800, 0x3f000000}, {0xb800, 0xbf000000}, {0x3c00, 0x3f800000},
      {0xbc00, 0xbf800000}, {0x4000, 0x40000000}, {0xc000, 0xc0000000},
      {0x4400, 0x40800000}, {0xc400, 0xc0800000}, {0x3118, 0x3e22f983},
  };
  for (auto &constant : kConstants)
    if ((value & 0xffff) == constant[0])
      return constant[1];
  return value;
}

// Lines of f32.
const u32 *mixedSource(Wave &wave, const MicroOp &op, unsigned source) {
  const Operand &operand = op.src[source];
  const Mode mode{wave.mode};
  const u32 *in = fetchWhole<u32>(wave, op, source).low;
  u32 *out = wave.temporary[2 * source + 1];
  const bool isHalf = operand.modifiers & ModOpSelHi, isAbsolute = operand.modifiers & ModAbs;
  const u32 flip = operand.modifiers & ModNeg ? 0x80000000 : 0;
  // A literal makes the instruction longer.
  const bool isInline = operand.kind == Operand::Constant && (op.bytes == 8 || op.flags & OpDpp);
  const unsigned shift = operand.modifiers & ModOpSel ? 16 : 0;
  for (unsigned l = 0; l < wave.lanes; ++l) {
    u32 bits = isHalf     ? std::bit_cast<u32>(toFloat(mode, Half{u16(in[l] >> shift)}))
               : isInline ? inlineConstantAsFloat(in[l])
                          : in[l];
    out[l] = (isAbsolute ? bits & 0x7fffffff : bits) ^ flip;
  }
  for (unsigned l = wave.lanes; l < kLineLanes; ++l)
    out[l] = 0;
  return out;
}

// The sum as f32, clamped if that is where the instruction clamps.
u32 *mixedSum(Wave &wave, const MicroOp &op) {
  const u32 *a = mixedSource(wave, op, 0), *b = mixedSource(wave, op, 1),
            *c = mixedSource(wave, op, 2);
  u32 *result = wave.temporary[8];
  for (unsigned l = 0; l < kLineLanes; ++l)
    result[l] = std::bit_cast<u32>(__builtin_fmaf(
        std::bit_cast<float>(a[l]), std::bit_cast<float>(b[l]), std::bit_cast<float>(c[l])));
  return result;
}
void mixed(Wave &wave, const MicroOp &op) {
  u32 *result = mixedSum(wave, op);
  if (op.clamp)
    finishFloat(wave, op, result);
  blendLine(wave, wave.line(op.dst[0].index), result, lanesToWrite(wave, op));
}
template <Select Where> void mixedToHalf(Wave &wave, const MicroOp &op) {
  const Mode mode{wave.mode};
  u32 *result = mixedSum(wave, op);
  for (unsigned l = 0; l < wave.lanes; ++l) {
    Half value = roundToHalf(mode, std::bit_cast<float>(result[l]));
    result[l] = (op.clamp ? clampedHalf(mode, value) : value).bits;
  }
  MicroOp half = op;
  half.dst[0].select = Where;
  half.flags |= OpKeepsOther;
  mergeResult(wave, half, result, LaneKind::Half, lanesToWrite(wave, op));
}

// Dot products. Those of floats flush denormals of f32 and round to nearest after each product,
// whatever MODE says; which summand is first differs between documents (CDNA4 and RDNA3 ISA,
// V_DOT2_F32_BF16: the third source last; RDNA4 ISA and all of V_DOT2_F32_F16: first).
float flushed(float a) { return std::fabs(a) < 0x1p-126f ? std::copysign(0.0f, a) : a; }
float product(float a, float b, float sum) { return flushed(__builtin_fmaf(a, b, sum)); }

// Is the third source added last?
bool addsSumLast(const Wave &wave) { return wave.launch->chip->generation != Generation::Gfx12; }

float dotOfPairs(float a0, float a1, float b0, float b1, float c, bool sumLast) {
  if (sumLast)
    return flushed(product(a1, b1, flushed(a0 * b0)) + flushed(c));
  return product(a1, b1, product(a0, b0, flushed(c)));
}

template <class T, bool MaySumLast> void dot2Float(Wave &wave, const MicroOp &op) {
  const bool sumLast = MaySumLast && addsSumLast(wave);
  const Parts a = partsOf<Half>(wave, op, 0), b = partsOf<Half>(wave, op, 1);
  // The sum is a whole register.
  const u32 *sum = fetchWhole<u32>(wave, op, 2).low;
  const u32 flip = op.src[2].modifiers & ModNeg ? 0x80000000 : 0;
  u32 *result = wave.temporary[8];
  auto part = [](u32 word, unsigned shift, u32 negate) {
    return toFloat(T{u16((word >> shift) ^ negate)});
  };
  for (unsigned l = 0; l < kLineLanes; ++l)
    result[l] = std::bit_cast<u32>(dotOfPairs(
        part(a.lines.low[l], a.lowShift, a.lowFlip), part(a.lines.low[l], a.highShift, a.highFlip),
        part(b.lines.low[l], b.lowShift, b.lowFlip), part(b.lines.low[l], b.highShift, b.highFlip),
        std::bit_cast<float>(sum[l] ^ flip), sumLast));
  if (op.clamp)
    finishFloat(wave, op, result);
  blendLine(wave, wave.line(op.dst[0].index), result, lanesToWrite(wave, op));
}

// f16 and bf16 results, each step rounded to them (RDNA3 ISA, V_DOT2_F16_F16 and V_DOT2_BF16_BF16:
// op_sel[2] and op_sel[3] choose the halves of the sum and the result).
Half roundStep(const Mode &m, double value, Half) { return roundToHalf(m, value); }
Bfloat roundStep(const Mode &, double value, Bfloat) {
  Bfloat result = roundToBfloat(value, Rounding::NearestEven);
  return {u16(result.bits & 0x7f80 ? result.bits : result.bits & 0x8000)};
}
template <class T> T dotOfHalves(const Mode &m, u32 a, u32 b, T c, bool sumLast) {
  auto low = [](u32 word) { return double(toFloat(T{u16(word)})); };
  auto high = [](u32 word) { return double(toFloat(T{u16(word >> 16)})); };
  if (sumLast) {
    T sum = roundStep(m, low(a) * low(b), T{});
    sum = roundStep(m, addToOdd(high(a) * high(b), toFloat(sum)), T{});
    return roundStep(m, double(toFloat(sum)) + toFloat(c), T{});
  }
  T sum = roundStep(m, addToOdd(low(a) * low(b), toFloat(c)), T{});
  return roundStep(m, addToOdd(high(a) * high(b), toFloat(sum)), T{});
}
template <class T> void dot2Narrow(Wave &wave, const MicroOp &op) {
  if (addsSumLast(wave))
    valu<([](const Mode &m, u32 a, u32 b, T c) { return dotOfHalves(m, a, b, c, true); })>(wave,
                                                                                           op);
  else
    valu<([](const Mode &m, u32 a, u32 b, T c) { return dotOfHalves(m, a, b, c, false); })>(wave,
                                                                                            op);
}

// Integers: parts of Bits bits. The sum is exact and then cut off or clamped.
template <unsigned Bits> i64 dotOfParts(u32 a, u32 b, bool signedA, bool signedB) {
  i64 sum = 0;
  for (unsigned n = 0; n < 32; n += Bits) {
    const u32 x = a << (32 - Bits - n), y = b << (32 - Bits - n);
    sum += (signedA ? i64(i32(x) >> (32 - Bits)) : i64(x >> (32 - Bits))) *
           (signedB ? i64(i32(y) >> (32 - Bits)) : i64(y >> (32 - Bits)));
  }
  return sum;
}
template <unsigned Bits>
constexpr Handler kDotSigned =
    valu<([](u32 a, u32 b, i32 c) { return u32(dotOfParts<Bits>(a, b, true, true)) + u32(c); })>;
template <unsigned Bits>
constexpr Handler kDotSignedClamped = valu<([](u32 a, u32 b, i32 c) {
  return i32(std::clamp<i64>(dotOfParts<Bits>(a, b, true, true) + c, INT32_MIN, INT32_MAX));
})>;
template <unsigned Bits>
constexpr Handler kDotUnsigned =
    valu<([](u32 a, u32 b, u32 c) { return u32(dotOfParts<Bits>(a, b, false, false)) + c; })>;
template <unsigned Bits>
constexpr Handler kDotUnsignedClamped = valu<([](u32 a, u32 b, u32 c) {
  return u32(std::min<i64>(dotOfParts<Bits>(a, b, false, false) + c, 0xffffffff));
})>;

// neg_lo says that a source is signed.
template <unsigned Bits, bool Clamped> void dotMixedSigns(Wave &wave, const MicroOp &op) {
  const bool signedA = op.src[0].modifiers & ModNeg, signedB = op.src[1].modifiers & ModNeg;
  const u32 *a = fetchWhole<u32>(wave, op, 0).low, *b = fetchWhole<u32>(wave, op, 1).low,
            *c = fetchWhole<u32>(wave, op, 2).low;
  u32 *result = wave.temporary[8];
  for (unsigned l = 0; l < wave.lanes; ++l) {
    const i64 sum = dotOfParts<Bits>(a[l], b[l], signedA, signedB) + i32(c[l]);
    result[l] = u32(Clamped ? std::clamp<i64>(sum, INT32_MIN, INT32_MAX) : sum);
  }
  blendLine(wave, wave.line(op.dst[0].index), result, lanesToWrite(wave, op));
}

template <class I> I saturated(i64 value) {
  return I(std::clamp<i64>(value, std::numeric_limits<I>::min(), std::numeric_limits<I>::max()));
}

using M = const Mode &;
Half flushedFirst(M m, Half a) { return flushedInput(m, a); }
template <bool Ieee> Half least(M m, Half a, Half b) {
  return minimumNumber(Ieee && m.ieee(), flushedFirst(m, a), flushedFirst(m, b));
}
template <bool Ieee> Half greatest(M m, Half a, Half b) {
  return maximumNumber(Ieee && m.ieee(), flushedFirst(m, a), flushedFirst(m, b));
}
Half minimum(M m, Half a, Half b) { return minimumNan(flushedFirst(m, a), flushedFirst(m, b)); }
Half maximum(M m, Half a, Half b) { return maximumNan(flushedFirst(m, a), flushedFirst(m, b)); }

constexpr Handler kPackedFma = packed<[](M m, Half a, Half b, Half c) {
  return roundToHalf(m, addToOdd(double(toFloat(m, a)) * toFloat(m, b), toFloat(m, c)));
}>;
// VOP2's packed instruction adds to its result, which LLVM does not list as a source.
void packedFmac(Wave &wave, const MicroOp &op) {
  MicroOp withSum = op;
  withSum.src[2] = op.dst[0];
  // e64 has op_sel's defaults in the listed sources' modifiers only.
  withSum.src[2].modifiers = ModOpSelHi;
  kPackedFma(wave, withSum);
}
constexpr Handler kMadU = packed<[](M, u16 a, u16 b, u16 c) { return u16(u32(a) * b + c); }>;

const OpRow kRows[] = {
    {"V_PK_ADD_F16", packed<[](M m, Half a, Half b) {
       return roundToHalf(m, double(toFloat(m, a)) + toFloat(m, b));
     }>},
    {"V_PK_MUL_F16", packed<[](M m, Half a, Half b) {
       return roundToHalf(m, double(toFloat(m, a)) * toFloat(m, b));
     }>},
    {"V_PK_FMA_F16", kPackedFma},
    {"V_PK_FMAC_F16", packedFmac},
    {"V_PK_MIN_F16", packed<[](M m, Half a, Half b) { return least<true>(m, a, b); }>},
    {"V_PK_MAX_F16", packed<[](M m, Half a, Half b) { return greatest<true>(m, a, b); }>},
    {"V_PK_MIN_NUM_F16", packed<[](M m, Half a, Half b) { return least<false>(m, a, b); }>},
    {"V_PK_MAX_NUM_F16", packed<[](M m, Half a, Half b) { return greatest<false>(m, a, b); }>},
    {"V_PK_MINIMUM_F16", packed<[](M m, Half a, Half b) { return minimum(m, a, b); }>},
    {"V_PK_MAXIMUM_F16", packed<[](M m, Half a, Half b) { return maximum(m, a, b); }>},
    {"V_PK_MINIMUM3_F16",
     packed<[](M m, Half a, Half b, Half c) { return minimum(m, minimum(m, a, b), c); }>},
    {"V_PK_MAXIMUM3_F16",
     packed<[](M m, Half a, Half b, Half c) { return maximum(m, maximum(m, a, b), c); }>},
    {"V_PK_ADD_U16", packed<[](M, u16 a, u16 b) { return u16(a + b); }>,
     packed<[](M, u16 a, u16 b) { return saturated<u16>(a + b); }>},
    {"V_PK_SUB_U16", packed<[](M, u16 a, u16 b) { return u16(a - b); }>,
     packed<[](M, u16 a, u16 b) { return saturated<u16>(a - b); }>},
    {"V_PK_ADD_I16", packed<[](M, i16 a, i16 b) { return i16(a + b); }>,
     packed<[](M, i16 a, i16 b) { return saturated<i16>(a + b); }>},
    {"V_PK_SUB_I16", packed<[](M, i16 a, i16 b) { return i16(a - b); }>,
     packed<[](M, i16 a, i16 b) { return saturated<i16>(a - b); }>},
    {"V_PK_MAD_U16", kMadU,
     packed<[](M, u16 a, u16 b, u16 c) { return saturated<u16>(i64(a) * b + c); }>},
    {"V_PK_MAD_I16", kMadU,
     packed<[](M, i16 a, i16 b, i16 c) { return saturated<i16>(i64(a) * b + c); }>},
    {"V_PK_MUL_LO_U16", packed<[](M, u16 a, u16 b) { return u16(u32(a) * b); }>},
    {"V_PK_LSHLREV_B16", packed<[](M, u16 a, u16 b) { return u16(b << (a & 15)); }>},
    {"V_PK_LSHRREV_B16", packed<([](M, u16 a, u16 b) { return u16(b >> (a & 15)); })>},
    {"V_PK_ASHRREV_I16", packed<([](M, i16 a, i16 b) { return i16(b >> (a & 15)); })>},
    {"V_PK_MIN_U16", packed<[](M, u16 a, u16 b) { return std::min(a, b); }>},
    {"V_PK_MAX_U16", packed<[](M, u16 a, u16 b) { return std::max(a, b); }>},
    {"V_PK_MIN_I16", packed<[](M, i16 a, i16 b) { return std::min(a, b); }>},
    {"V_PK_MAX_I16", packed<[](M, i16 a, i16 b) { return std::max(a, b); }>},
    {"V_PK_ADD_F32", packed32<[](M, float a, float b) { return a + b; }>, nullptr, OpMode32},
    {"V_PK_MUL_F32", packed32<[](M, float a, float b) { return a * b; }>, nullptr, OpMode32},
    {"V_PK_FMA_F32", packed32<[](M, float a, float b, float c) { return __builtin_fmaf(a, b, c); }>,
     nullptr, OpMode32},
    {"V_PK_MOV_B32", packedMove},
    {"V_FMA_MIX_F32", mixed, nullptr, OpMode32},
    {"V_FMA_MIXLO_F16", mixedToHalf<Select::Word0>, nullptr, OpMode32},
    {"V_FMA_MIXHI_F16", mixedToHalf<Select::Word1>, nullptr, OpMode32},
    {"V_DOT2_F32_F16", dot2Float<Half, false>},
    {"V_DOT2C_F32_F16", dot2Float<Half, false>},
    {"V_DOT2ACC_F32_F16", dot2Float<Half, false>},
    {"V_DOT2_F32_BF16", dot2Float<Bfloat, true>},
    {"V_DOT2C_F32_BF16", dot2Float<Bfloat, false>},
    {"V_DOT2_F16_F16", dot2Narrow<Half>},
    {"V_DOT2_BF16_BF16", dot2Narrow<Bfloat>},
    {"V_DOT2_I32_I16", kDotSigned<16>, kDotSignedClamped<16>},
    {"V_DOT2C_I32_I16", kDotSigned<16>, kDotSignedClamped<16>},
    {"V_DOT2_U32_U16", kDotUnsigned<16>, kDotUnsignedClamped<16>},
    {"V_DOT4_I32_I8", kDotSigned<8>, kDotSignedClamped<8>},
    {"V_DOT4C_I32_I8", kDotSigned<8>, kDotSignedClamped<8>},
    {"V_DOT4_U32_U8", kDotUnsigned<8>, kDotUnsignedClamped<8>},
    {"V_DOT8_I32_I4", kDotSigned<4>, kDotSignedClamped<4>},
    {"V_DOT8C_I32_I4", kDotSigned<4>, kDotSignedClamped<4>},
    {"V_DOT8_U32_U4", kDotUnsigned<4>, kDotUnsignedClamped<4>},
    {"V_DOT4_I32_IU8", dotMixedSigns<8, false>, dotMixedSigns<8, true>},
    {"V_DOT8_I32_IU4", dotMixedSigns<4, false>, dotMixedSigns<4, true>},
};

} // namespace

std::span<const OpRow> vop3pRows() { return kRows; }

} // namespace tl::emu
