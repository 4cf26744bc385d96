// Sources and results of vector instructions that are more than whole registers.
#include "emu/chips.h"
#include "emu/dpp.h"
#include "emu/half_ops.h"
#include "emu/launch.h"
#include "emu/valu.h"

#include <immintrin.h>

#include <cmath>

namespace tl::emu {

uint32_t specialScalar(const Wave &wave, uint32_t slot) {
  switch (slot) {
  case SlotScc:
    return wave.scc;
  case SlotVccZero:
    return wave.vcc() == 0;
  case SlotExecZero:
    return wave.exec() == 0;
  }
  return 0;
}

const uint32_t *maskLineFor(Wave &wave, uint64_t mask) {
  if (wave.maskLineOf == mask)
    return wave.maskLine;
  wave.maskLineOf = mask;
  for (unsigned l = 0; l < 32; ++l)
    wave.maskLine[l] = -(uint32_t(mask) >> l & 1);
  for (unsigned l = 0; l < 32; ++l)
    wave.maskLine[32 + l] = -(uint32_t(mask >> 32) >> l & 1);
  return wave.maskLine;
}

uint64_t bitsOfLine(const uint32_t *line, unsigned lanes) {
  uint64_t bits = 0;
  for (unsigned l = 0; l < lanes; l += 8) {
    __m256 words = _mm256_loadu_ps(reinterpret_cast<const float *>(line + l));
    bits |= uint64_t(uint32_t(_mm256_movemask_ps(words))) << l;
  }
  return bits;
}

void blendLine(Wave &wave, uint32_t *to, const uint32_t *from, uint64_t mask) {
  const uint32_t *ones = maskLineFor(wave, mask);
  for (unsigned l = 0; l < kLineLanes; ++l)
    to[l] = (from[l] & ones[l]) | (to[l] & ~ones[l]);
}

namespace {

void splat(uint32_t *line, uint32_t value) {
  for (unsigned l = 0; l < kLineLanes; ++l)
    line[l] = value;
}

uint32_t selectPart(uint32_t word, Select select, bool extend) {
  unsigned part = unsigned(select);
  if (select == Select::Dword)
    return word;
  if (part < 4) {
    uint32_t byte = word >> (8 * part) & 0xff;
    return extend ? uint32_t(int32_t(int8_t(byte))) : byte;
  }
  uint32_t half = select == Select::Word1 ? word >> 16 : word & 0xffff;
  return extend ? uint32_t(int32_t(int16_t(half))) : half;
}

} // namespace

Lines fetchSlow(Wave &wave, const MicroOp &op, unsigned source, LaneKind kind) {
  const Operand &operand = op.src[source];
  uint32_t *low = wave.temporary[2 * source], *high = wave.temporary[2 * source + 1];
  if (kind == LaneKind::Bit) {
    uint64_t mask = laneBits(wave, operand);
    for (unsigned l = 0; l < kLineLanes; ++l)
      low[l] = -uint32_t(mask >> l & 1);
    return {low, nullptr};
  }
  if (operand.kind == Operand::Vector) {
    std::memcpy(low, wave.line(operand.index), kLineLanes * 4);
    if (kind == LaneKind::Pair)
      std::memcpy(high, wave.line(operand.index + 1), kLineLanes * 4);
  } else if (operand.kind == Operand::Constant) {
    std::memcpy(low, operand.constant->low, kLineLanes * 4);
    if (kind == LaneKind::Pair)
      std::memcpy(high, operand.constant->high, kLineLanes * 4);
  } else {
    splat(low, scalar32(wave, operand));
    if (kind == LaneKind::Pair)
      splat(high, operand.kind == Operand::Scalar ? wave.s[operand.index + 1] : 0);
  }
  if (op.flags & OpDpp && source == 0) {
    permuteDpp(wave, op, low);
    if (kind == LaneKind::Pair)
      permuteDpp(wave, op, high);
  }
  if (operand.select != Select::Dword)
    for (unsigned l = 0; l < kLineLanes; ++l)
      low[l] = selectPart(low[l], operand.select, operand.modifiers & ModSext);
  uint32_t sign = kind == LaneKind::Half ? 0x8000 : 0x80000000;
  uint32_t *top = kind == LaneKind::Pair ? high : low;
  uint32_t clear = operand.modifiers & ModAbs ? ~sign : ~0u;
  uint32_t flip = operand.modifiers & ModNeg ? sign : 0;
  if (operand.modifiers & (ModAbs | ModNeg))
    for (unsigned l = 0; l < kLineLanes; ++l)
      top[l] = (top[l] & clear) ^ flip;
  return {low, high};
}

namespace {

// Output modifiers are ignored where MODE keeps denormals or says IEEE (CDNA3 ISA 6.2.4 "Output
// modifiers"; gfx12's MODE does not say it). Where they count, -0 becomes +0 first.
unsigned activeOutputModifier(const Wave &wave, const MicroOp &op, uint32_t keepsDenormals) {
  const bool ieee = wave.mode & ModeIeee && !wave.launch->chip->has(NoIeeeMode);
  return wave.mode & keepsDenormals || ieee ? 0 : op.omod;
}
template <class T> T outputScale(unsigned modifier) {
  return modifier == 1 ? T(2) : modifier == 2 ? T(4) : T(0.5);
}
template <class T> T outputModified(T value, T scale) {
  value = value == 0 ? T(0) : value * scale;
  return std::fabs(value) < std::numeric_limits<T>::min() ? std::copysign(T(0), value) : value;
}
template <class T> T clamped(T value, bool dx10) {
  const bool nan = value != value;
  return value > 0 ? (value < 1 ? value : T(1)) : nan && !dx10 ? value : T(0);
}

} // namespace

void finishFloat(Wave &wave, const MicroOp &op, uint32_t *low) {
  const unsigned modifier = activeOutputModifier(wave, op, 1 << 5);
  const float scale = outputScale<float>(modifier);
  const bool dx10 = wave.mode & ModeDx10Clamp;
  for (unsigned l = 0; l < kLineLanes; ++l) {
    float value = std::bit_cast<float>(low[l]);
    if (modifier)
      value = outputModified(value, scale);
    if (op.clamp)
      value = clamped(value, dx10);
    low[l] = std::bit_cast<uint32_t>(value);
  }
}

void finishDouble(Wave &wave, const MicroOp &op, uint32_t *low, uint32_t *high) {
  const unsigned modifier = activeOutputModifier(wave, op, 1 << 7);
  const double scale = outputScale<double>(modifier);
  const bool dx10 = wave.mode & ModeDx10Clamp;
  for (unsigned l = 0; l < kLineLanes; ++l) {
    double value = loadLane<double>({low, high}, l);
    if (modifier)
      value = outputModified(value, scale);
    if (op.clamp)
      value = clamped(value, dx10);
    storeLane(low, high, l, value);
  }
}

void finishHalf(Wave &wave, const MicroOp &op, uint32_t *low) {
  const unsigned modifier = activeOutputModifier(wave, op, 1 << 7);
  const float scale = outputScale<float>(modifier);
  const Mode mode{wave.mode};
  for (unsigned l = 0; l < kLineLanes; ++l) {
    Half value{uint16_t(low[l])};
    if (modifier)
      value = roundToHalf(mode, toFloat(value) == 0 ? 0.0f : toFloat(value) * scale);
    if (op.clamp)
      value = roundToHalf(mode, clamped(toFloat(value), mode.dx10Clamp()));
    low[l] = value.bits;
  }
}

void mergeResult(Wave &wave, const MicroOp &op, const uint32_t *result, LaneKind kind,
                 uint64_t mask) {
  uint32_t *file = wave.line(op.dst[0].index);
  Select select = op.dst[0].select;
  bool keep = op.flags & OpKeepsOther, extend = false;
  if (op.flags & OpSdwa) {
    select = Select(op.outputSelect);
    keep = op.outputUnused == 2;
    extend = op.outputUnused == 1;
    // The upper half that a 16-bit result does not have is zero.
    if (select == Select::Dword)
      keep = false;
  } else if (kind == LaneKind::Half && select == Select::Dword) {
    select = Select::Word0;
  }
  unsigned part = unsigned(select);
  unsigned shift = part < 4 ? 8 * part : select == Select::Word1 ? 16 : 0;
  uint32_t width = part < 4 ? 0xffu : select == Select::Dword ? ~0u : 0xffffu;
  for (unsigned l = 0; l < wave.lanes; ++l) {
    if (!(mask >> l & 1))
      continue;
    uint32_t value = (result[l] & width) << shift;
    if (keep)
      value |= file[l] & ~(width << shift);
    else if (extend && (result[l] & width) > width / 2)
      value |= ~(width << shift) & ~((1u << shift) - 1);
    file[l] = value;
  }
}

void writeBits(Wave &wave, const MicroOp &op, unsigned result, const uint32_t *line,
               uint64_t mask) {
  uint64_t bits = bitsOfLine(line, wave.lanes) & mask;
  if (op.dst[result].kind == Operand::Scalar)
    setLaneBits(wave, op.dst[result], bits);
  if (op.flags & OpWritesExec)
    setLaneBits(wave, Operand{Operand::Scalar, 0, 1, Select::Dword, {SlotExec}, nullptr}, bits);
}

uint64_t writeMask(Wave &wave, const MicroOp &op) { return wave.exec() & dppWriteMask(wave, op); }

} // namespace tl::emu
