// LDS instructions (CDNA3 ISA 11 "Data Share Operations", RDNA3 ISA 12).
#include "emu/atomic_ops.h"
#include "emu/checks/checks.h"
#include "emu/checks/definedness.h"
#include "emu/lane_memory.h"
#include "emu/op_table.h"
#include "emu/transposed_load.h"
#include "emu/workgroup.h"

namespace tl::emu {
namespace {

using u32 = uint32_t;
using i32 = int32_t;
using u64 = uint64_t;
using i64 = int64_t;

u32 offsetOf(const MicroOp &op) { return u32(op.imm[0]) & 0xffff; }

template <unsigned Words> void read(Wave &w, const MicroOp &op) {
  LaneMemory memory;
  if (resolveLds(w, op, Words * 4, Access::Read, offsetOf(op), memory))
    loadWords<Words>(w, memory, op.dst[0].index);
}
template <class T, Into Place = Into::Word> void readNarrow(Wave &w, const MicroOp &op) {
  LaneMemory memory;
  if (resolveLds(w, op, sizeof(T), Access::Read, offsetOf(op), memory))
    loadPart<T, Place>(w, memory, op.dst[0].index);
}
// CDNA4: a matrix of words * 4 / size rows goes to the lanes of a group column by column.
template <unsigned Words, unsigned Bits> void readTransposed(Wave &w, const MicroOp &op) {
  constexpr Exchange kExchange{Words, Bits, 16, 1};
  LaneMemory memory;
  if (!resolveLds(w, op, Words * 4, Access::Read, offsetOf(op), memory))
    return;
  loadTransposed(w, memory, kExchange, op.dst[0].index);
  if (w.checks)
    exchangeUndefined(w, op, kExchange.group);
}
template <unsigned Words> void write(Wave &w, const MicroOp &op) {
  LaneMemory memory;
  if (resolveLds(w, op, Words * 4, Access::Write, offsetOf(op), memory))
    storeWords<Words>(w, memory, op.src[1].index);
}
template <class T, bool High = false> void writeNarrow(Wave &w, const MicroOp &op) {
  LaneMemory memory;
  if (resolveLds(w, op, sizeof(T), Access::Write, offsetOf(op), memory))
    storePart<T, High>(w, memory, op.src[1].index);
}

// Two accesses; their offsets count elements, or 64 elements in the ST64 forms.
template <unsigned Words, unsigned Step> void readTwo(Wave &w, const MicroOp &op) {
  LaneMemory first, second;
  if (!resolveLds(w, op, Words * 4, Access::Read, (u32(op.imm[0]) & 255) * Words * 4 * Step,
                  first) ||
      !resolveLds(w, op, Words * 4, Access::Read, (u32(op.imm[1]) & 255) * Words * 4 * Step,
                  second))
    return;
  loadWords<Words>(w, first, op.dst[0].index);
  loadWords<Words>(w, second, op.dst[0].index + Words);
}
template <unsigned Words, unsigned Step> void writeTwo(Wave &w, const MicroOp &op) {
  LaneMemory first, second;
  if (resolveLds(w, op, Words * 4, Access::Write, (u32(op.imm[0]) & 255) * Words * 4 * Step, first))
    storeWords<Words>(w, first, op.src[1].index);
  if (resolveLds(w, op, Words * 4, Access::Write, (u32(op.imm[1]) & 255) * Words * 4 * Step,
                 second))
    storeWords<Words>(w, second, op.src[2].index);
}
template <class T, unsigned Step> void exchangeTwo(Wave &w, const MicroOp &op) {
  LaneMemory first, second;
  constexpr u32 kBytes = sizeof(T);
  if (resolveLds(w, op, kBytes, Access::Atomic, (u32(op.imm[0]) & 255) * kBytes * Step, first))
    atomicLanes<T, kSwap>(w, op, first, op.src[1].index, op.src[1].index);
  MicroOp behind = op;
  behind.dst[0].index += kBytes / 4;
  if (resolveLds(w, op, kBytes, Access::Atomic, (u32(op.imm[1]) & 255) * kBytes * Step, second))
    atomicLanes<T, kSwap>(w, behind, second, op.src[2].index, op.src[2].index);
}

template <class T, auto F> void atomic(Wave &w, const MicroOp &op) {
  LaneMemory memory;
  u32 second = op.src[2].kind == Operand::Vector ? op.src[2].index : op.src[1].index;
  if (resolveLds(w, op, sizeof(T), Access::Atomic, offsetOf(op), memory))
    atomicLanes<T, F>(w, op, memory, op.src[1].index, second);
}

constexpr auto kWrap = [](u32 old, u32 data, u32 second) {
  return old >= data ? old - data : old + second;
};

// The lane's own place: M0's offset and the instruction's, no address register.
template <bool Read> void ownPlace(Wave &w, const MicroOp &op) {
  u32 *places = w.line(w.launchVectorLines);
  for (unsigned l = 0; l < kLineLanes; ++l)
    places[l] = (w.s[SlotM0] & 0xffff) + l * 4;
  MicroOp lane = op;
  u32 data = op.src[0].index;
  lane.src[0].kind = Operand::Vector;
  lane.src[0].index = w.launchVectorLines;
  lane.src[1].index = data;
  Read ? read<1>(w, lane) : write<1>(w, lane);
}

// A counter that the whole wave moves by its active lanes; all get the old value.
template <bool Append> void count(Wave &w, const MicroOp &op) {
  u64 exec = w.exec(), at = u64(w.s[SlotM0] & 0xffff) + offsetOf(op);
  if (!exec)
    return;
  const bool inside = at + 4 <= w.group->ldsBytes;
  if (w.launch->checked) {
    LaneMemory memory;
    const u64 one = exec & -exec;
    (inside ? memory.lanes : memory.outside) = one;
    memory.pointer[__builtin_ctzll(one)] = w.group->lds.data() + (inside ? at : 0);
    checkLds(w, op, memory, 4, Access::Atomic);
  }
  u32 old = 0;
  if (inside) {
    std::memcpy(&old, w.group->lds.data() + at, 4);
    u32 lanes = u32(__builtin_popcountll(exec)), next = Append ? old + lanes : old - lanes;
    std::memcpy(w.group->lds.data() + at, &next, 4);
  }
  forLanes(exec, [&](unsigned l) { w.line(op.dst[0].index)[l] = old; });
}

// Lanes exchange values without memory. Backward: each lane names the lane that it reads; inactive
// ones give zero. In waves of 64 of RDNA all lanes are reached, as on CDNA.
void permuteBackward(Wave &w, const MicroOp &op) {
  u32 result[kLineLanes], *to = w.line(op.dst[0].index);
  const u32 *index = w.line(op.src[0].index), *data = w.line(op.src[1].index);
  u64 exec = w.exec();
  forLanes(exec, [&](unsigned l) {
    u32 from = (index[l] + offsetOf(op)) / 4 & (w.lanes - 1);
    result[l] = exec >> from & 1 ? data[from] : 0;
  });
  forLanes(exec, [&](unsigned l) { to[l] = result[l]; });
}
// As above, but inactive lanes are read.
void permuteBackwardAll(Wave &w, const MicroOp &op) {
  u32 result[kLineLanes], *to = w.line(op.dst[0].index);
  const u32 *index = w.line(op.src[0].index), *data = w.line(op.src[1].index);
  forLanes(w.exec(),
           [&](unsigned l) { result[l] = data[(index[l] + offsetOf(op)) / 4 & (w.lanes - 1)]; });
  forLanes(w.exec(), [&](unsigned l) { to[l] = result[l]; });
}
// Forward: each lane names the lane that gets its value; the highest lane wins, others get zero.
void permuteForward(Wave &w, const MicroOp &op) {
  u32 result[kLineLanes] = {}, *to = w.line(op.dst[0].index);
  const u32 *index = w.line(op.src[0].index), *data = w.line(op.src[1].index);
  forLanes(w.exec(),
           [&](unsigned l) { result[(index[l] + offsetOf(op)) / 4 & (w.lanes - 1)] = data[l]; });
  forLanes(w.exec(), [&](unsigned l) { to[l] = result[l]; });
}

// "DS_SWIZZLE_B32" of the ISA documents: quads when bit 15 is set, rotations when the upper three
// bits are (CDNA3: 110), else and, or, xor masks on the lane's five bits.
unsigned swizzledLane(u32 offset, unsigned lane) {
  unsigned half = lane & 32, at = lane & 31;
  if ((offset & 0xe000) == 0xc000) {
    unsigned by = offset >> 5 & 31, mask = offset & 31;
    bool right = offset >> 10 & 1;
    unsigned moved = right ? at - by : at + by;
    return half | (at & mask) | (moved & 31 & ~mask);
  }
  if (offset & 0x8000)
    return half | (at & ~3u) | (offset >> (2 * (at & 3)) & 3);
  unsigned andMask = offset & 31, orMask = offset >> 5 & 31, xorMask = offset >> 10 & 31;
  return half | (((at & andMask) | orMask) ^ xorMask);
}
void swizzle(Wave &w, const MicroOp &op) {
  u32 result[kLineLanes], *to = w.line(op.dst[0].index);
  const u32 *data = w.line(op.src[0].index);
  u64 exec = w.exec();
  forLanes(exec, [&](unsigned l) {
    unsigned from = swizzledLane(offsetOf(op), l);
    result[l] = exec >> from & 1 ? data[from] : 0;
  });
  forLanes(exec, [&](unsigned l) { to[l] = result[l]; });
}

void nothing(Wave &, const MicroOp &) {}

const OpRow kRows[] = {
    {"DS_READ_B32", read<1>},
    {"DS_READ_B64", read<2>},
    {"DS_READ_B96", read<3>},
    {"DS_READ_B128", read<4>},
    {"DS_READ_B64_TR_B4", readTransposed<2, 4>},
    {"DS_READ_B64_TR_B8", readTransposed<2, 8>},
    {"DS_READ_B64_TR_B16", readTransposed<2, 16>},
    {"DS_READ_B96_TR_B6", readTransposed<3, 6>},
    {"DS_READ_U8", readNarrow<uint8_t>},
    {"DS_READ_I8", readNarrow<int8_t>},
    {"DS_READ_U16", readNarrow<uint16_t>},
    {"DS_READ_I16", readNarrow<int16_t>},
    {"DS_READ_U8_D16", readNarrow<uint8_t, Into::Low>},
    {"DS_READ_U8_D16_HI", readNarrow<uint8_t, Into::High>},
    {"DS_READ_I8_D16", readNarrow<int8_t, Into::Low>},
    {"DS_READ_I8_D16_HI", readNarrow<int8_t, Into::High>},
    {"DS_READ_U16_D16", readNarrow<uint16_t, Into::Low>},
    {"DS_READ_U16_D16_HI", readNarrow<uint16_t, Into::High>},
    {"DS_READ2_B32", readTwo<1, 1>},
    {"DS_READ2ST64_B32", readTwo<1, 64>},
    {"DS_READ2_B64", readTwo<2, 1>},
    {"DS_READ2ST64_B64", readTwo<2, 64>},
    {"DS_WRITE_B8", writeNarrow<uint8_t>},
    {"DS_WRITE_B8_D16_HI", writeNarrow<uint8_t, true>},
    {"DS_WRITE_B16", writeNarrow<uint16_t>},
    {"DS_WRITE_B16_D16_HI", writeNarrow<uint16_t, true>},
    {"DS_WRITE_B32", write<1>},
    {"DS_WRITE_B64", write<2>},
    {"DS_WRITE_B96", write<3>},
    {"DS_WRITE_B128", write<4>},
    {"DS_WRITE2_B32", writeTwo<1, 1>},
    {"DS_WRITE2ST64_B32", writeTwo<1, 64>},
    {"DS_WRITE2_B64", writeTwo<2, 1>},
    {"DS_WRITE2ST64_B64", writeTwo<2, 64>},
    {"DS_READ_ADDTID_B32", ownPlace<true>},
    {"DS_WRITE_ADDTID_B32", ownPlace<false>},
#define TL_LDS_INTEGERS(BITS, U, I)                                                                \
  {"DS_ADD_U" BITS, atomic<U, kAddOp>}, {"DS_SUB_U" BITS, atomic<U, kSubOp>},                      \
      {"DS_RSUB_U" BITS, atomic<U, kReverseSubOp>}, {"DS_INC_U" BITS, atomic<U, kIncrement>},      \
      {"DS_DEC_U" BITS, atomic<U, kDecrement>}, {"DS_MIN_I" BITS, atomic<I, kMinOp>},              \
      {"DS_MAX_I" BITS, atomic<I, kMaxOp>}, {"DS_MIN_U" BITS, atomic<U, kMinOp>},                  \
      {"DS_MAX_U" BITS, atomic<U, kMaxOp>}, {"DS_AND_B" BITS, atomic<U, kAndOp>},                  \
      {"DS_OR_B" BITS, atomic<U, kOrOp>}, {"DS_XOR_B" BITS, atomic<U, kXorOp>},                    \
      {"DS_MSKOR_B" BITS, atomic<U, kMask>}, {"DS_WRXCHG_B" BITS, atomic<U, kSwap>},               \
      {"DS_CMPST_B" BITS, atomic<U, kCompareFirst>},                                               \
      {"DS_CMPSTORE_B" BITS, atomic<U, kCompareStore>}, {"DS_WRXCHG2_B" BITS, exchangeTwo<U, 1>},  \
  {                                                                                                \
    "DS_WRXCHG2ST64_B" BITS, exchangeTwo<U, 64>                                                    \
  }
#define TL_LDS_FLOATS(BITS, T)                                                                     \
  {"DS_ADD_F" BITS, atomic<T, kAddOp>}, {"DS_MIN_F" BITS, atomic<T, kFloatMin>},                   \
      {"DS_MAX_F" BITS, atomic<T, kFloatMax>}, {"DS_CMPST_F" BITS, atomic<T, kCompareFirst>}, {    \
    "DS_CMPSTORE_F" BITS, atomic<T, kCompareStore>                                                 \
  }
    TL_LDS_INTEGERS("32", u32, i32),
    TL_LDS_INTEGERS("64", u64, i64),
    TL_LDS_FLOATS("32", float),
    TL_LDS_FLOATS("64", double),
    {"DS_PK_ADD_F16", atomic<u32, kAddHalves>},
    {"DS_PK_ADD_BF16", atomic<u32, kAddBfloats>},
    {"DS_WRAP_B32", atomic<u32, kWrap>},
    {"DS_SUB_CLAMP_U32", atomic<u32, kSubClamp>},
    {"DS_COND_SUB_U32", atomic<u32, kSubCondition>},
    {"DS_APPEND", count<true>},
    {"DS_CONSUME", count<false>},
    {"DS_BPERMUTE_B32", permuteBackward},
    {"DS_BPERMUTE_FI_B32", permuteBackwardAll},
    {"DS_PERMUTE_B32", permuteForward},
    {"DS_SWIZZLE_B32", swizzle},
    {"DS_NOP", nothing},
};

} // namespace

std::span<const OpRow> ldsRows() { return kRows; }

} // namespace tl::emu
