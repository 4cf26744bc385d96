// Vector instructions that read or write single lanes, or count them.
#include "emu/op_table.h"
#include "emu/valu.h"

namespace tl::emu {
namespace {

using u32 = uint32_t;
using u64 = uint64_t;

void readFirstLane(Wave &w, const MicroOp &op) {
  // Without active lanes lane 0 is read.
  u64 exec = w.exec();
  unsigned lane = exec ? unsigned(__builtin_ctzll(exec)) : 0;
  if (op.src[0].kind == Operand::Vector)
    setScalar32(w, op.dst[0], w.line(op.src[0].index)[lane]);
  else
    setScalar32(w, op.dst[0], scalar32(w, op.src[0]));
}

// Both ignore EXEC; the lane's number wraps.
void readLane(Wave &w, const MicroOp &op) {
  unsigned lane = scalar32(w, op.src[1]) & (w.lanes - 1);
  setScalar32(w, op.dst[0], w.line(op.src[0].index)[lane]);
}
void writeLane(Wave &w, const MicroOp &op) {
  unsigned lane = scalar32(w, op.src[1]) & (w.lanes - 1);
  w.line(op.dst[0].index)[lane] = scalar32(w, op.src[0]);
}

// Lanes below a lane that a mask has, in its low or high half.
template <bool High> void countBelow(Wave &w, const MicroOp &op) {
  const u32 *mask = fetch<u32>(w, op, 0).low, *sum = fetch<u32>(w, op, 1).low;
  u32 *result = w.temporary[8];
  for (unsigned l = 0; l < w.lanes; ++l) {
    u64 below = (u64(1) << l) - 1;
    result[l] = sum[l] + u32(__builtin_popcount(mask[l] & u32(High ? below >> 32 : below)));
  }
  blendLine(w, w.line(op.dst[0].index), result, w.exec());
}

const OpRow kRows[] = {
    {"V_READFIRSTLANE_B32", readFirstLane},   {"V_READLANE_B32", readLane},
    {"V_WRITELANE_B32", writeLane},           {"V_MBCNT_LO_U32_B32", countBelow<false>},
    {"V_MBCNT_HI_U32_B32", countBelow<true>},
};

} // namespace

std::span<const OpRow> valuLaneRows() { return kRows; }

} // namespace tl::emu
