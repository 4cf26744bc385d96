// Moves and selections of whole registers.
#include "emu/op_table.h"
#include "emu/valu.h"

#include <utility>

namespace tl::emu {
namespace {

using u32 = uint32_t;
using u64 = uint64_t;

void nothing(Wave &, const MicroOp &) {}

void swapRegisters(Wave &w, const MicroOp &op) {
  u32 *a = w.line(op.dst[0].index), *b = w.line(op.dst[1].index);
  for (u64 lanes = w.exec(); lanes; lanes &= lanes - 1)
    std::swap(a[__builtin_ctzll(lanes)], b[__builtin_ctzll(lanes)]);
}

// v_movrel: M0 is added to the number of the source, the result, or both.
template <bool Source, bool Result> void moveRelative(Wave &w, const MicroOp &op) {
  u32 offset = w.s[SlotM0], lines = w.launchVectorLines;
  u64 from = Source ? u64(op.src[0].index) + offset : 0; // else it may be a constant
  u64 to = u64(op.dst[0].index) + (Result ? offset : 0);
  if (from >= lines || to >= lines || (Source && op.src[0].kind != Operand::Vector))
    return w.fault(op, LaunchStatus::IllegalState, "m0 = %u moves past the vector registers",
                   offset);
  MicroOp moved = op;
  if (Source)
    moved.src[0].index = u32(from);
  moved.dst[0].index = u32(to);
  valu<[](u32 a) { return a; }>(w, moved);
}

const OpRow kRows[] = {
    {"V_NOP", nothing},
    {"V_PIPEFLUSH", nothing},
    {"V_CLREXCP", nothing},
    {"V_MOV_B32", valu<[](u32 a) { return a; }>},
    {"V_MOV_B64", valu<[](u64 a) { return a; }>},
    {"V_CNDMASK_B32", valu<[](u32 a, u32 b, Bit c) { return (a & ~c.ones) | (b & c.ones); }>},
    {"V_SWAP_B32", swapRegisters},
    {"V_MOVRELS_B32", moveRelative<true, false>},
    {"V_MOVRELD_B32", moveRelative<false, true>},
    {"V_MOVRELSD_B32", moveRelative<true, true>},
};

} // namespace

std::span<const OpRow> valuMoveRows() { return kRows; }

} // namespace tl::emu
