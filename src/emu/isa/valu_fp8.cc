// Conversions between f32 and floats of 8 bits. CDNA3 and RDNA4 ISA, V_CVT_*_FP8 and V_CVT_*_BF8.
#include "emu/chips.h"
#include "emu/launch.h"
#include "emu/op_table.h"
#include "emu/packed.h"
#include "emu/small_float.h"

namespace tl::emu {
namespace {

using u8 = uint8_t;
using u16 = uint16_t;
using u32 = uint32_t;
using u64 = uint64_t;

bool isFnuz(const Wave &wave) { return wave.launch->chip->has(FnuzFloat8); }

// The byte that a conversion from 8 bits reads is SDWA's selection on gfx9, and an immediate, which
// lies where other instructions have clamp, on gfx12.
template <SmallFormat Fnuz, SmallFormat Ocp> void toFloat32(Wave &wave, const MicroOp &op) {
  MicroOp selected = op;
  if (wave.launch->chip->generation == Generation::Gfx12) {
    selected.src[0].select = Select(op.clamp & 3);
    selected.clamp = 0;
  }
  if (isFnuz(wave))
    valu<([](u32 a) { return decodeSmall(Fnuz, a & 0xff); })>(wave, selected);
  else
    valu<([](u32 a) { return decodeSmall(Ocp, a & 0xff); })>(wave, selected);
}

template <SmallFormat Format> u64 decodePair(u16 codes) {
  return std::bit_cast<u32>(decodeSmall(Format, codes & 0xff)) |
         u64(std::bit_cast<u32>(decodeSmall(Format, codes >> 8))) << 32;
}
template <SmallFormat Fnuz, SmallFormat Ocp> void toFloat32Pair(Wave &wave, const MicroOp &op) {
  MicroOp whole = op; // results are not clamped, and gfx12's op_sel shows again as an immediate
  whole.clamp = 0;
  if (isFnuz(wave))
    valu<([](u16 a) { return decodePair<Fnuz>(a); })>(wave, whole);
  else
    valu<([](u16 a) { return decodePair<Ocp>(a); })>(wave, whole);
}

template <SmallFormat Format> u16 encodePair(const Mode &m, float a, float b) {
  const bool saturates = m.bits & kModeClampsOverflow16;
  return u16(encodeSmall(Format, a, Rounding::NearestEven, saturates) |
             encodeSmall(Format, b, Rounding::NearestEven, saturates) << 8);
}
template <SmallFormat Fnuz, SmallFormat Ocp> void fromFloat32Pair(Wave &wave, const MicroOp &op) {
  MicroOp half = op;
  half.flags |= OpKeepsOther;
  if (isFnuz(wave))
    valu<([](const Mode &m, float a, float b) { return encodePair<Fnuz>(m, a, b); })>(wave, half);
  else
    valu<([](const Mode &m, float a, float b) { return encodePair<Ocp>(m, a, b); })>(wave, half);
}

template <SmallFormat Format> u16 encodeStochastic(const Mode &m, float a, u32 noise) {
  return u16(encodeSmall(Format, addNoise(a, noise, Format.mantissaBits), Rounding::TowardZero,
                         m.bits & kModeClampsOverflow16));
}
// One byte of the result is written: op_sel[3:2] on gfx9, an immediate on gfx12.
template <SmallFormat Fnuz, SmallFormat Ocp> void stochastic(Wave &wave, const MicroOp &op) {
  MicroOp byte = op;
  const unsigned number = wave.launch->chip->generation == Generation::Gfx12
                              ? op.clamp & 3u
                              : (op.src[2].modifiers & ModOpSel ? 1u : 0u) +
                                    (op.src[0].modifiers & ModOpSelHi ? 2u : 0u);
  byte.dst[0].select = Select(number);
  byte.flags |= OpKeepsOther;
  byte.clamp = 0;
  if (isFnuz(wave))
    valu<([](const Mode &m, float a, u32 b) { return encodeStochastic<Fnuz>(m, a, b); })>(wave,
                                                                                          byte);
  else
    valu<([](const Mode &m, float a, u32 b) { return encodeStochastic<Ocp>(m, a, b); })>(wave,
                                                                                         byte);
}

// Sums in the order of the document, each rounded; denormals of f32 are flushed.
float flushed(float a) { return std::fabs(a) < 0x1p-126f ? std::copysign(0.0f, a) : a; }
template <SmallFormat A, SmallFormat B> void dotOfBytes(Wave &wave, const MicroOp &op) {
  valu<([](u32 a, u32 b, float sum) {
    sum = flushed(sum);
    for (unsigned n = 0; n < 32; n += 8)
      sum = flushed(
          __builtin_fmaf(decodeSmall(A, a >> n & 0xff), decodeSmall(B, b >> n & 0xff), sum));
    return sum;
  })>(wave, op);
}

const OpRow kRows[] = {
    {"V_CVT_F32_FP8", toFloat32<kFp8Fnuz, kFp8>},
    {"V_CVT_F32_BF8", toFloat32<kBf8Fnuz, kBf8>},
    {"V_CVT_PK_F32_FP8", toFloat32Pair<kFp8Fnuz, kFp8>},
    {"V_CVT_PK_F32_BF8", toFloat32Pair<kBf8Fnuz, kBf8>},
    {"V_CVT_PK_FP8_F32", fromFloat32Pair<kFp8Fnuz, kFp8>},
    {"V_CVT_PK_BF8_F32", fromFloat32Pair<kBf8Fnuz, kBf8>},
    {"V_CVT_SR_FP8_F32", stochastic<kFp8Fnuz, kFp8>},
    {"V_CVT_SR_BF8_F32", stochastic<kBf8Fnuz, kBf8>},
    {"V_DOT4_F32_FP8_FP8", dotOfBytes<kFp8, kFp8>},
    {"V_DOT4_F32_FP8_BF8", dotOfBytes<kFp8, kBf8>},
    {"V_DOT4_F32_BF8_FP8", dotOfBytes<kBf8, kFp8>},
    {"V_DOT4_F32_BF8_BF8", dotOfBytes<kBf8, kBf8>},
    {"V_PRNG_B32", valu<([](u32 a) { return nextNoise(a); })>},
};

} // namespace

std::span<const OpRow> valuFp8Rows() { return kRows; }

} // namespace tl::emu
