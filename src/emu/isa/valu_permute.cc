// Vector instructions that move values between lanes, and a few on several registers.
#include "emu/float_ops.h"
#include "emu/op_table.h"
#include "emu/packed.h"

#include <algorithm>
#include <utility>

namespace tl::emu {
namespace {

using u16 = uint16_t;
using u32 = uint32_t;
using u64 = uint64_t;

// Writes what `lanes` choose: a lane's source, or none where that is inactive. op_sel[0] fetches
// from inactive lanes too, op_sel[1] gives 0 for them (RDNA3 ISA, V_PERMLANE16_B32).
template <class SourceOf> void permute(Wave &wave, const MicroOp &op, SourceOf sourceOf) {
  const u64 exec = wave.exec();
  const bool fetchInactive = op.src[0].modifiers & ModOpSel, zero = op.src[1].modifiers & ModOpSel;
  const u32 *from = fetchWhole<u32>(wave, op, 0).low;
  u32 *result = wave.temporary[8];
  u64 valid = 0;
  for (unsigned l = 0; l < wave.lanes; ++l) {
    const unsigned source = sourceOf(l);
    const bool active = fetchInactive || (exec >> source & 1);
    result[l] = active ? from[source] : 0;
    valid |= u64(active || zero) << l;
  }
  blendLine(wave, wave.line(op.dst[0].index), result, exec & valid);
}

// Each row of 16 lanes, or its neighbour, is read through a selector for its 16 lanes.
template <unsigned OtherRow> void permuteRow(Wave &wave, const MicroOp &op) {
  const u64 selectors = scalar32(wave, op.src[1]) | u64(scalar32(wave, op.src[2])) << 32;
  permute(wave, op, [=](unsigned lane) {
    return ((lane & ~15u) ^ OtherRow) | unsigned(selectors >> (4 * (lane & 15)) & 15);
  });
}
template <unsigned OtherRow> void permuteRowByLanes(Wave &wave, const MicroOp &op) {
  const u32 *selectors = fetchWhole<u32>(wave, op, 1).low;
  permute(wave, op,
          [=](unsigned lane) { return ((lane & ~15u) ^ OtherRow) | (selectors[lane] & 15); });
}

// The halves of a wave of 64 lanes change places, whatever EXEC says of the sources.
void exchangeHalves(Wave &wave, const MicroOp &op) {
  if (wave.lanes != 64)
    return;
  const u32 *from = fetchWhole<u32>(wave, op, 0).low;
  u32 *result = wave.temporary[8];
  for (unsigned l = 0; l < 64; ++l)
    result[l] = from[l ^ 32];
  blendLine(wave, wave.line(op.dst[0].index), result, wave.exec());
}

// Blocks of Width lanes: the odd ones of the first register change places with the even ones of the
// second (CDNA4 ISA, V_PERMLANE16_SWAP_B32).
template <unsigned Width> void exchangeBlocks(Wave &wave, const MicroOp &op) {
  u32 *a = wave.line(op.dst[0].index), *b = wave.line(op.dst[1].index);
  const u64 exec = wave.exec();
  for (unsigned l = 0; l < wave.lanes; ++l)
    if (!(l & Width) && (exec >> l & 1) && (exec >> (l + Width) & 1))
      std::swap(b[l], a[l + Width]);
}

// M0 holds what is added to the numbers of source and result, 10 bits each.
template <bool Exchanges> void moveRelative(Wave &wave, const MicroOp &op) {
  const u32 offsets = wave.s[SlotM0], lines = wave.launchVectorLines;
  const u64 from = u64(op.src[0].index) + (offsets & 0x3ff),
            to = u64(op.dst[0].index) + (offsets >> 16 & 0x3ff);
  if (from >= lines || to >= lines || op.src[0].kind != Operand::Vector)
    return wave.fault(op, LaunchStatus::IllegalState, "m0 = 0x%x moves past the vector registers",
                      offsets);
  u32 *source = wave.line(u32(from)), *target = wave.line(u32(to));
  for (u64 lanes = wave.exec(); lanes; lanes &= lanes - 1) {
    const int l = __builtin_ctzll(lanes);
    const u32 old = target[l];
    target[l] = source[l];
    if (Exchanges)
      source[l] = old;
  }
}

// Sums of absolute differences of four bytes with four windows of eight.
constexpr u32 byteOf(u64 value, unsigned n) { return u32(value >> (8 * n) & 0xff); }
template <bool Masked> constexpr u32 distanceOfWindow(u64 window, u32 reference, unsigned at) {
  u32 sum = 0;
  for (unsigned n = 0; n < 4; ++n) {
    const u32 a = byteOf(window, at + n), b = byteOf(reference, n);
    sum += Masked && b == 0 ? 0 : a > b ? a - b : b - a;
  }
  return sum;
}
template <bool Masked> constexpr u64 distances16(u64 window, u32 reference, u64 sums) {
  u64 result = 0;
  for (unsigned n = 0; n < 4; ++n)
    result |= u64(u16((sums >> (16 * n)) + distanceOfWindow<Masked>(window, reference, n)))
              << (16 * n);
  return result;
}
void distances32(Wave &wave, const MicroOp &op) {
  const Lines window = fetchWhole<u64>(wave, op, 0);
  const u32 *reference = fetchWhole<u32>(wave, op, 1).low;
  u32 results[4][kLineLanes];
  for (unsigned n = 0; n < 4; ++n)
    for (unsigned l = 0; l < kLineLanes; ++l)
      results[n][l] =
          distanceOfWindow<true>(window.low[l] | u64(window.high[l]) << 32, reference[l], n) +
          (op.src[2].kind == Operand::Vector     ? wave.line(op.src[2].index + n)[l]
           : op.src[2].kind == Operand::Constant ? (n ? 0 : op.src[2].low)
                                                 : wave.s[op.src[2].index + n]);
  for (unsigned n = 0; n < 4; ++n)
    blendLine(wave, wave.line(op.dst[0].index + n), results[n], wave.exec());
}

// A byte of the result is replaced.
void packByte(Wave &wave, const MicroOp &op) {
  const u32 *value = fetch<float>(wave, op, 0).low, *number = fetchWhole<u32>(wave, op, 1).low;
  u32 *file = wave.line(op.dst[0].index), *result = wave.temporary[8];
  for (unsigned l = 0; l < kLineLanes; ++l) {
    const unsigned shift = 8 * (number[l] & 3);
    const u32 byte =
        std::min(toInteger<u32>(__builtin_roundevenf(std::bit_cast<float>(value[l]))), 255u);
    result[l] = (file[l] & ~(0xffu << shift)) | byte << shift;
  }
  blendLine(wave, file, result, wave.exec());
}

const OpRow kRows[] = {
    {"V_PERMLANE16_B32", permuteRow<0>},
    {"V_PERMLANEX16_B32", permuteRow<16>},
    {"V_PERMLANE16_VAR_B32", permuteRowByLanes<0>},
    {"V_PERMLANEX16_VAR_B32", permuteRowByLanes<16>},
    {"V_PERMLANE64_B32", exchangeHalves},
    {"V_PERMLANE16_SWAP_B32", exchangeBlocks<16>},
    {"V_PERMLANE32_SWAP_B32", exchangeBlocks<32>},
    {"V_MOVRELSD_2_B32", moveRelative<false>},
    {"V_SWAPREL_B32", moveRelative<true>},
    {"V_QSAD_PK_U16_U8", valu<([](u64 a, u32 b, u64 c) { return distances16<false>(a, b, c); })>},
    {"V_MQSAD_PK_U16_U8", valu<([](u64 a, u32 b, u64 c) { return distances16<true>(a, b, c); })>},
    {"V_MQSAD_U32_U8", distances32},
    {"V_CVT_PKACCUM_U8_F32", packByte},
};

} // namespace

std::span<const OpRow> valuPermuteRows() { return kRows; }

} // namespace tl::emu
