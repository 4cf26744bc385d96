// gfx950's conversions between f32, f16, bf16 and the elements of OCP's Microscaling Formats, with
// a scale whose exponent alone counts (CDNA4 ISA, V_CVT_SCALEF32_*).
#include "emu/op_table.h"
#include "emu/packed.h"
#include "emu/small_float.h"

namespace tl::emu {
namespace {

using u16 = uint16_t;
using u32 = uint32_t;
using u64 = uint64_t;

constexpr unsigned kMost = 32; // elements of an instruction

// 2^(exponent - 127); the largest exponent means NaN.
double scaleOf(u32 bits) {
  const int exponent = int(bits >> 23 & 0xff);
  return exponent == 255 ? std::numeric_limits<double>::quiet_NaN()
                         : std::bit_cast<double>(u64(exponent - 127 + 1023) << 52);
}

// The registers of a source, one line each; scalars and constants are spread over the lanes.
struct Registers {
  const u32 *lines[kMost];
};
Registers registersOf(Wave &wave, const MicroOp &op, unsigned source, unsigned count) {
  Registers result;
  if (op.src[source].kind == Operand::Vector)
    for (unsigned n = 0; n < count; ++n)
      result.lines[n] = wave.line(op.src[source].index + n);
  else {
    const Lines lines =
        count > 1 ? fetchWhole<u64>(wave, op, source) : fetchWhole<u32>(wave, op, source);
    for (unsigned n = 0; n < count; ++n)
      result.lines[n] = n ? lines.high : lines.low;
  }
  return result;
}

struct SourceF32 {
  static constexpr unsigned perRegister = 1;
  static float read(const u32 *const *lines, unsigned lane, unsigned n) {
    return std::bit_cast<float>(lines[n][lane]);
  }
};
template <class T> struct SourceOf16 {
  static constexpr unsigned perRegister = 2;
  static float read(const u32 *const *lines, unsigned lane, unsigned n) {
    return toFloat(T{u16(lines[n / 2][lane] >> (n % 2 * 16))});
  }
};
using SourceF16 = SourceOf16<Half>;
using SourceBf16 = SourceOf16<Bfloat>;

// What is written: `Bits` bits at the place that op_sel chooses, or whole registers.
void storeCodes(Wave &wave, const MicroOp &op, const u32 (*words)[kLineLanes], unsigned bits) {
  if (bits > 16) {
    for (unsigned n = 0; n < bits / 32; ++n)
      blendLine(wave, wave.line(op.dst[0].index + n), words[n], wave.exec());
    return;
  }
  MicroOp part = op;
  const bool low = op.src[2].modifiers & ModOpSel, high = op.src[0].modifiers & ModOpSelHi;
  part.dst[0].select =
      bits == 16 ? (high ? Select::Word1 : Select::Word0) : Select((low ? 1 : 0) + (high ? 2 : 0));
  part.flags |= OpKeepsOther;
  mergeResult(wave, part, words[0], LaneKind::Half, wave.exec());
}

// Elements / scale. Two: elements are in two sources (f32), as neighbours.
template <SmallFormat Format, class Source, unsigned Count, bool Stochastic, bool Two = false>
void encode(Wave &wave, const MicroOp &op) {
  constexpr unsigned kBits = unsigned(Format.bits()), kTotal = kBits * Count;
  constexpr unsigned kRegisters = std::max(1u, Count / (Two ? 2 : 1) / Source::perRegister);
  const Registers in = registersOf(wave, op, 0, kRegisters);
  const Registers second = Two ? registersOf(wave, op, 1, kRegisters) : in;
  const u32 *noise = Stochastic ? fetchWhole<u32>(wave, op, 1).low : nullptr;
  const u32 *scales = fetchWhole<u32>(wave, op, Stochastic || Two ? 2 : 1).low;
  // One element of 16 bits may be the upper one.
  const unsigned first = Count == 1 && Source::perRegister == 2 && isSelected(op, 0) ? 1 : 0;
  const bool saturates = wave.mode & kModeClampsOverflow16;
  u32 words[std::max(1u, kTotal / 32)][kLineLanes];
  for (unsigned l = 0; l < kLineLanes; ++l) {
    const double scale = scaleOf(scales[l]);
    u32 random = Stochastic ? noise[l] : 0;
    u64 pending = 0;
    unsigned filled = 0, word = 0;
    for (unsigned n = 0; n < Count; ++n) {
      float value = Two ? Source::read((n % 2 ? second : in).lines, l, n / 2)
                        : Source::read(in.lines, l, n + first);
      double scaled = double(value) / scale;
      if (Stochastic) {
        scaled = double(addNoise(float(scaled), random, Format.mantissaBits));
        random = nextNoise(random);
      }
      pending |=
          u64(encodeSmall(Format, scaled, Stochastic ? Rounding::TowardZero : Rounding::NearestEven,
                          saturates))
          << filled;
      filled += kBits;
      if (filled >= 32) {
        words[word++][l] = u32(pending);
        pending >>= 32;
        filled -= 32;
      }
    }
    if (kTotal < 32)
      words[0][l] = u32(pending);
  }
  storeCodes(wave, op, words, kTotal);
}

struct TargetF32 {
  static constexpr unsigned perRegister = 1;
  static u32 round(const Mode &, double value) { return std::bit_cast<u32>(float(value)); }
};
struct TargetF16 {
  static constexpr unsigned perRegister = 2;
  static u32 round(const Mode &m, double value) { return roundToHalf(m, value).bits; }
};
struct TargetBf16 {
  static constexpr unsigned perRegister = 2;
  static u32 round(const Mode &, double value) {
    return roundToBfloat(value, Rounding::NearestEven).bits;
  }
};

// Elements * scale. Few elements are in a byte or half of the source that op_sel chooses.
template <SmallFormat Format, class Target, unsigned Count>
void decode(Wave &wave, const MicroOp &op) {
  constexpr unsigned kBits = unsigned(Format.bits()), kTotal = kBits * Count;
  const Registers in = registersOf(wave, op, 0, kTotal > 16 ? kTotal / 32 : 1);
  const u32 *scales = fetchWhole<u32>(wave, op, 1).low;
  const unsigned chosen = (isSelected(op, 0) ? 1 : 0) + (isSelected(op, 1) ? 2 : 0);
  const unsigned shift = kTotal == 16 ? 16 * (chosen & 1) : kTotal == 8 ? 8 * chosen : 0;
  const Mode mode{wave.mode};
  u32 words[kMost][kLineLanes];
  for (unsigned l = 0; l < kLineLanes; ++l) {
    const double scale = scaleOf(scales[l]);
    for (unsigned n = 0; n < Count; ++n) {
      const unsigned at = shift + n * kBits;
      u64 bits = in.lines[at / 32][l];
      if (at % 32 + kBits > 32)
        bits |= u64(in.lines[at / 32 + 1][l]) << 32;
      const u32 code = u32(bits >> (at % 32)) & ((1u << kBits) - 1);
      const u32 value = Target::round(mode, double(decodeSmall(Format, code)) * scale);
      u32 &word = words[n / Target::perRegister][l];
      word = n % Target::perRegister ? word | value << 16 : value;
    }
  }
  if (Count == 1 && Target::perRegister == 2)
    return storeCodes(wave, op, words, 16);
  for (unsigned n = 0; n < Count / Target::perRegister; ++n)
    blendLine(wave, wave.line(op.dst[0].index + n), words[n], wave.exec());
}

#define TL_SCALED_BYTE(NAME, FORMAT)                                                               \
  {"V_CVT_SCALEF32_PK_" NAME "_F32", encode<FORMAT, SourceF32, 2, false, true>},                   \
      {"V_CVT_SCALEF32_PK_" NAME "_F16", encode<FORMAT, SourceF16, 2, false>},                     \
      {"V_CVT_SCALEF32_PK_" NAME "_BF16", encode<FORMAT, SourceBf16, 2, false>},                   \
      {"V_CVT_SCALEF32_SR_" NAME "_F32", encode<FORMAT, SourceF32, 1, true>},                      \
      {"V_CVT_SCALEF32_SR_" NAME "_F16", encode<FORMAT, SourceF16, 1, true>},                      \
      {"V_CVT_SCALEF32_SR_" NAME "_BF16", encode<FORMAT, SourceBf16, 1, true>},                    \
      {"V_CVT_SCALEF32_F32_" NAME, decode<FORMAT, TargetF32, 1>},                                  \
      {"V_CVT_SCALEF32_F16_" NAME, decode<FORMAT, TargetF16, 1>},                                  \
      {"V_CVT_SCALEF32_PK_F32_" NAME, decode<FORMAT, TargetF32, 2>},                               \
      {"V_CVT_SCALEF32_PK_F16_" NAME, decode<FORMAT, TargetF16, 2>}, {                             \
    "V_CVT_SCALEF32_PK_BF16_" NAME, decode<FORMAT, TargetBf16, 2>                                  \
  }
#define TL_SCALED_SIX(NAME, FORMAT)                                                                \
  {"V_CVT_SCALEF32_2XPK16_" NAME "_F32", encode<FORMAT, SourceF32, 32, false, true>},              \
      {"V_CVT_SCALEF32_PK32_" NAME "_F16", encode<FORMAT, SourceF16, 32, false>},                  \
      {"V_CVT_SCALEF32_PK32_" NAME "_BF16", encode<FORMAT, SourceBf16, 32, false>},                \
      {"V_CVT_SCALEF32_SR_PK32_" NAME "_F32", encode<FORMAT, SourceF32, 32, true>},                \
      {"V_CVT_SCALEF32_SR_PK32_" NAME "_F16", encode<FORMAT, SourceF16, 32, true>},                \
      {"V_CVT_SCALEF32_SR_PK32_" NAME "_BF16", encode<FORMAT, SourceBf16, 32, true>},              \
      {"V_CVT_SCALEF32_PK32_F32_" NAME, decode<FORMAT, TargetF32, 32>},                            \
      {"V_CVT_SCALEF32_PK32_F16_" NAME, decode<FORMAT, TargetF16, 32>}, {                          \
    "V_CVT_SCALEF32_PK32_BF16_" NAME, decode<FORMAT, TargetBf16, 32>                               \
  }

const OpRow kRows[] = {
    TL_SCALED_BYTE("FP8", kFp8),
    TL_SCALED_BYTE("BF8", kBf8),
    TL_SCALED_SIX("FP6", kFp6),
    TL_SCALED_SIX("BF6", kBf6),
    {"V_CVT_SCALEF32_PK_FP4_F32", encode<kFp4, SourceF32, 2, false, true>},
    {"V_CVT_SCALEF32_PK_FP4_F16", encode<kFp4, SourceF16, 2, false>},
    {"V_CVT_SCALEF32_PK_FP4_BF16", encode<kFp4, SourceBf16, 2, false>},
    {"V_CVT_SCALEF32_SR_PK_FP4_F32", encode<kFp4, SourceF32, 2, true>},
    {"V_CVT_SCALEF32_SR_PK_FP4_F16", encode<kFp4, SourceF16, 2, true>},
    {"V_CVT_SCALEF32_SR_PK_FP4_BF16", encode<kFp4, SourceBf16, 2, true>},
    {"V_CVT_SCALEF32_PK_F32_FP4", decode<kFp4, TargetF32, 2>},
    {"V_CVT_SCALEF32_PK_F16_FP4", decode<kFp4, TargetF16, 2>},
    {"V_CVT_SCALEF32_PK_BF16_FP4", decode<kFp4, TargetBf16, 2>},
};

} // namespace

std::span<const OpRow> valuScaleRows() { return kRows; }

} // namespace tl::emu
