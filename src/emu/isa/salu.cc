// SOP1, SOP2, SOPC and SOPK (CDNA3 ISA 12.1 to 12.5, RDNA3 ISA 16.1 to 16.4).
#include "emu/salu.h"
#include "emu/op_table.h"

#include <algorithm>

namespace tl::emu {
namespace {

using u32 = uint32_t;
using i32 = int32_t;
using u64 = uint64_t;
using i64 = int64_t;

i32 immediate16(u32 value) { return int16_t(value); }

template <class T> T reverseBits(T value) {
  T result = 0;
  for (unsigned i = 0; i < sizeof(T) * 8; ++i)
    result |= (value >> i & 1) << (sizeof(T) * 8 - 1 - i);
  return result;
}

// Quads (groups of four bits) to ones where any bit is set.
template <class T> T wholeQuads(T value) {
  constexpr T kLowest = T(0x1111111111111111);
  T any = (value | value >> 1 | value >> 2 | value >> 3) & kLowest;
  return any * 15;
}

template <class T> T quadMask(T value) {
  T result = 0;
  for (unsigned i = 0; i < sizeof(T) * 2; ++i)
    result |= T((value >> (4 * i) & 15) != 0) << i;
  return result;
}

// Position of the first bit that differs from the sign, from the top; -1 when none does.
template <class T> i32 signChange(T value) {
  using U = std::make_unsigned_t<T>;
  U bits = U(value < 0 ? ~value : value);
  return bits ? std::countl_zero(bits) : -1;
}

template <class T> T extractUnsigned(T value, u32 offset, u32 width) {
  constexpr u32 bits = sizeof(T) * 8;
  width = std::min(width, bits - offset);
  return width == 0 ? 0 : (value >> offset) & (~T(0) >> (bits - width));
}
template <class T> T extractSigned(T value, u32 offset, u32 width) {
  constexpr u32 bits = sizeof(T) * 8;
  width = std::min(width, bits - offset);
  if (width == 0)
    return 0;
  using S = std::make_signed_t<T>;
  return T(S(T(value << (bits - offset - width))) >> (bits - width));
}

// s_and_saveexec and its kin: the old EXEC is the result, SCC says whether the new one has lanes.
template <auto F> void saveExec64(Wave &w, const MicroOp &op) {
  u64 source = scalar64(w, op.src[0]), exec = w.scalarPair(SlotExec);
  setScalar64(w, op.dst[0], exec);
  exec = F(source, exec);
  w.setScalarPair(SlotExec, exec);
  w.scc = exec != 0;
}
template <auto F> void saveExec32(Wave &w, const MicroOp &op) {
  u32 source = scalar32(w, op.src[0]), exec = w.s[SlotExec];
  setScalar32(w, op.dst[0], exec);
  exec = u32(F(source, exec));
  w.s[SlotExec] = exec;
  w.scc = exec != 0;
}
// s_andn1_wrexec: the new EXEC is the result too.
template <auto F> void writeExec64(Wave &w, const MicroOp &op) {
  u64 exec = F(scalar64(w, op.src[0]), w.scalarPair(SlotExec));
  w.setScalarPair(SlotExec, exec);
  setScalar64(w, op.dst[0], exec);
  w.scc = exec != 0;
}
template <auto F> void writeExec32(Wave &w, const MicroOp &op) {
  u32 exec = u32(F(scalar32(w, op.src[0]), w.s[SlotExec]));
  w.s[SlotExec] = exec;
  setScalar32(w, op.dst[0], exec);
  w.scc = exec != 0;
}

constexpr auto kAnd = [](u64 s, u64 e) { return s & e; };
constexpr auto kOr = [](u64 s, u64 e) { return s | e; };
constexpr auto kXor = [](u64 s, u64 e) { return s ^ e; };
constexpr auto kNand = [](u64 s, u64 e) { return ~(s & e); };
constexpr auto kNor = [](u64 s, u64 e) { return ~(s | e); };
constexpr auto kXnor = [](u64 s, u64 e) { return ~(s ^ e); };
constexpr auto kAndNotExec = [](u64 s, u64 e) { return s & ~e; };
constexpr auto kAndNotSource = [](u64 s, u64 e) { return ~s & e; };
constexpr auto kOrNotExec = [](u64 s, u64 e) { return s | ~e; };
constexpr auto kOrNotSource = [](u64 s, u64 e) { return ~s | e; };

// s_movrel: M0 is added to the register's number.
template <class T, bool Source> void moveRelative(Wave &w, const MicroOp &op) {
  Operand from = op.src[0], to = op.dst[0];
  u32 &index = Source ? from.index : to.index;
  u64 moved = u64(index) + w.s[SlotM0];
  if (moved + sizeof(T) / 4 > SlotVcc)
    return w.fault(op, LaunchStatus::IllegalState, "m0 = %u moves past the scalar registers",
                   w.s[SlotM0]);
  index = u32(moved);
  if constexpr (sizeof(T) == 8)
    setScalar64(w, to, scalar64(w, from));
  else
    setScalar32(w, to, scalar32(w, from));
}

void conditionalMove32(Wave &w, const MicroOp &op) {
  if (w.scc)
    setScalar32(w, op.dst[0], scalar32(w, op.src[0]));
}
void conditionalMove64(Wave &w, const MicroOp &op) {
  if (w.scc)
    setScalar64(w, op.dst[0], scalar64(w, op.src[0]));
}
void conditionalMoveK(Wave &w, const MicroOp &op) {
  if (w.scc)
    setScalar32(w, op.dst[0], u32(immediate16(op.src[op.sources - 1].low)));
}

template <unsigned N> u32 shiftAdd(u32 a, u32 b, Scc &scc) {
  u64 sum = (u64(a) << N) + b;
  scc.value = sum >> 32 != 0;
  return u32(sum);
}

void bitSet(Wave &w, const MicroOp &op, bool value) {
  u32 bit = scalar32(w, op.src[0]) & 31;
  u32 word = w.s[op.dst[0].index];
  setScalar32(w, op.dst[0], value ? word | 1u << bit : word & ~(1u << bit));
}
void bitSet0(Wave &w, const MicroOp &op) { bitSet(w, op, false); }
void bitSet1(Wave &w, const MicroOp &op) { bitSet(w, op, true); }
void bitSetPair(Wave &w, const MicroOp &op, bool value) {
  u64 bit = u64(1) << (scalar32(w, op.src[0]) & 63), pair = w.scalarPair(op.dst[0].index);
  setScalar64(w, op.dst[0], value ? pair | bit : pair & ~bit);
}
void bitSet0Pair(Wave &w, const MicroOp &op) { bitSetPair(w, op, false); }
void bitSet1Pair(Wave &w, const MicroOp &op) { bitSetPair(w, op, true); }

const OpRow kRows[] = {
    // SOP1
    {"S_MOV_B32", salu<[](u32 a) { return a; }>},
    {"S_MOV_B64", salu<[](u64 a) { return a; }>},
    {"S_CMOV_B32", conditionalMove32},
    {"S_CMOV_B64", conditionalMove64},
    {"S_NOT_B32", salu<[](u32 a, Scc &scc) { return scc(~a); }>},
    {"S_NOT_B64", salu<[](u64 a, Scc &scc) { return scc(~a); }>},
    {"S_WQM_B32", salu<[](u32 a, Scc &scc) { return scc(wholeQuads(a)); }>},
    {"S_WQM_B64", salu<[](u64 a, Scc &scc) { return scc(wholeQuads(a)); }>},
    {"S_QUADMASK_B32", salu<[](u32 a, Scc &scc) { return scc(quadMask(a)); }>},
    {"S_QUADMASK_B64", salu<[](u64 a, Scc &scc) { return scc(quadMask(a)); }>},
    {"S_BREV_B32", salu<[](u32 a) { return reverseBits(a); }>},
    {"S_BREV_B64", salu<[](u64 a) { return reverseBits(a); }>},
    {"S_BCNT0_I32_B32", salu<[](u32 a, Scc &scc) { return scc(u32(std::popcount(~a))); }>},
    {"S_BCNT0_I32_B64", salu<[](u64 a, Scc &scc) { return scc(u32(std::popcount(~a))); }>},
    {"S_BCNT1_I32_B32", salu<[](u32 a, Scc &scc) { return scc(u32(std::popcount(a))); }>},
    {"S_BCNT1_I32_B64", salu<[](u64 a, Scc &scc) { return scc(u32(std::popcount(a))); }>},
    {"S_FF0_I32_B32", salu<[](u32 a) { return ~a ? std::countr_one(a) : -1; }>},
    {"S_FF0_I32_B64", salu<[](u64 a) { return ~a ? std::countr_one(a) : -1; }>},
    {"S_FF1_I32_B32", salu<[](u32 a) { return a ? std::countr_zero(a) : -1; }>},
    {"S_FF1_I32_B64", salu<[](u64 a) { return a ? std::countr_zero(a) : -1; }>},
    {"S_FLBIT_I32_B32", salu<[](u32 a) { return a ? std::countl_zero(a) : -1; }>},
    {"S_FLBIT_I32_B64", salu<[](u64 a) { return a ? std::countl_zero(a) : -1; }>},
    {"S_FLBIT_I32", salu<[](i32 a) { return signChange(a); }>},
    {"S_FLBIT_I32_I64", salu<[](i64 a) { return signChange(a); }>},
    {"S_SEXT_I32_I8", salu<[](u32 a) { return i32(int8_t(a)); }>},
    {"S_SEXT_I32_I16", salu<[](u32 a) { return i32(int16_t(a)); }>},
    {"S_BITSET0_B32", bitSet0},
    {"S_BITSET1_B32", bitSet1},
    {"S_BITSET0_B64", bitSet0Pair},
    {"S_BITSET1_B64", bitSet1Pair},
    {"S_BITREPLICATE_B64_B32", salu<([](u32 a) {
       u64 r = 0;
       for (unsigned i = 0; i < 32; ++i)
         r |= u64(a >> i & 1) * 3 << (2 * i);
       return r;
     })>},
    {"S_ABS_I32", salu<[](u32 a, Scc &scc) { return scc(i32(a) < 0 ? 0u - a : a); }>},
    {"S_AND_SAVEEXEC_B64", saveExec64<kAnd>},
    {"S_OR_SAVEEXEC_B64", saveExec64<kOr>},
    {"S_XOR_SAVEEXEC_B64", saveExec64<kXor>},
    {"S_NAND_SAVEEXEC_B64", saveExec64<kNand>},
    {"S_NOR_SAVEEXEC_B64", saveExec64<kNor>},
    {"S_XNOR_SAVEEXEC_B64", saveExec64<kXnor>},
    {"S_ANDN2_SAVEEXEC_B64", saveExec64<kAndNotExec>},
    {"S_ORN2_SAVEEXEC_B64", saveExec64<kOrNotExec>},
    {"S_ANDN1_SAVEEXEC_B64", saveExec64<kAndNotSource>},
    {"S_ORN1_SAVEEXEC_B64", saveExec64<kOrNotSource>},
    {"S_ANDN1_WREXEC_B64", writeExec64<kAndNotSource>},
    {"S_ANDN2_WREXEC_B64", writeExec64<kAndNotExec>},
    {"S_AND_SAVEEXEC_B32", saveExec32<kAnd>},
    {"S_OR_SAVEEXEC_B32", saveExec32<kOr>},
    {"S_XOR_SAVEEXEC_B32", saveExec32<kXor>},
    {"S_NAND_SAVEEXEC_B32", saveExec32<kNand>},
    {"S_NOR_SAVEEXEC_B32", saveExec32<kNor>},
    {"S_XNOR_SAVEEXEC_B32", saveExec32<kXnor>},
    {"S_ANDN2_SAVEEXEC_B32", saveExec32<kAndNotExec>},
    {"S_ORN2_SAVEEXEC_B32", saveExec32<kOrNotExec>},
    {"S_ANDN1_SAVEEXEC_B32", saveExec32<kAndNotSource>},
    {"S_ORN1_SAVEEXEC_B32", saveExec32<kOrNotSource>},
    {"S_ANDN1_WREXEC_B32", writeExec32<kAndNotSource>},
    {"S_ANDN2_WREXEC_B32", writeExec32<kAndNotExec>},
    {"S_MOVRELS_B32", moveRelative<u32, true>},
    {"S_MOVRELS_B64", moveRelative<u64, true>},
    {"S_MOVRELD_B32", moveRelative<u32, false>},
    {"S_MOVRELD_B64", moveRelative<u64, false>},
    // SOP2
    {"S_ADD_U32", salu<[](u32 a, u32 b, Scc &scc) {
       u32 r = a + b;
       scc.value = r < a;
       return r;
     }>},
    {"S_SUB_U32", salu<([](u32 a, u32 b, Scc &scc) {
       scc.value = b > a;
       return a - b;
     })>},
    {"S_ADD_I32", salu<([](u32 a, u32 b, Scc &scc) {
       u32 r = a + b;
       scc.value = (~(a ^ b) & (a ^ r)) >> 31;
       return r;
     })>},
    {"S_SUB_I32", salu<([](u32 a, u32 b, Scc &scc) {
       u32 r = a - b;
       scc.value = ((a ^ b) & (a ^ r)) >> 31;
       return r;
     })>},
    {"S_ADDC_U32", salu<([](u32 a, u32 b, Scc &scc) {
       u64 r = u64(a) + b + scc.value;
       scc.value = r >> 32 != 0;
       return u32(r);
     })>},
    {"S_SUBB_U32", salu<([](u32 a, u32 b, Scc &scc) {
       u32 borrow = scc.value;
       scc.value = u64(b) + borrow > a;
       return a - b - borrow;
     })>},
    {"S_ADD_U64", salu<[](u64 a, u64 b) { return a + b; }>},
    {"S_SUB_U64", salu<[](u64 a, u64 b) { return a - b; }>},
    {"S_MUL_U64", salu<[](u64 a, u64 b) { return a * b; }>},
    {"S_MIN_I32", salu<[](i32 a, i32 b, Scc &scc) {
       scc.value = a < b;
       return std::min(a, b);
     }>},
    {"S_MIN_U32", salu<[](u32 a, u32 b, Scc &scc) {
       scc.value = a < b;
       return std::min(a, b);
     }>},
    // SCC: whether the first operand is the result, also when they are equal.
    {"S_MAX_I32", salu<([](i32 a, i32 b, Scc &scc) {
       scc.value = a >= b;
       return std::max(a, b);
     })>},
    {"S_MAX_U32", salu<([](u32 a, u32 b, Scc &scc) {
       scc.value = a >= b;
       return std::max(a, b);
     })>},
    {"S_CSELECT_B32", salu<[](u32 a, u32 b, Scc &scc) { return scc.value ? a : b; }>},
    {"S_CSELECT_B64", salu<[](u64 a, u64 b, Scc &scc) { return scc.value ? a : b; }>},
    {"S_AND_B32", salu<[](u32 a, u32 b, Scc &scc) { return scc(a & b); }>},
    {"S_AND_B64", salu<[](u64 a, u64 b, Scc &scc) { return scc(a & b); }>},
    {"S_OR_B32", salu<[](u32 a, u32 b, Scc &scc) { return scc(a | b); }>},
    {"S_OR_B64", salu<[](u64 a, u64 b, Scc &scc) { return scc(a | b); }>},
    {"S_XOR_B32", salu<[](u32 a, u32 b, Scc &scc) { return scc(a ^ b); }>},
    {"S_XOR_B64", salu<[](u64 a, u64 b, Scc &scc) { return scc(a ^ b); }>},
    {"S_ANDN2_B32", salu<[](u32 a, u32 b, Scc &scc) { return scc(a & ~b); }>},
    {"S_ANDN2_B64", salu<[](u64 a, u64 b, Scc &scc) { return scc(a & ~b); }>},
    {"S_ORN2_B32", salu<[](u32 a, u32 b, Scc &scc) { return scc(a | ~b); }>},
    {"S_ORN2_B64", salu<[](u64 a, u64 b, Scc &scc) { return scc(a | ~b); }>},
    {"S_NAND_B32", salu<[](u32 a, u32 b, Scc &scc) { return scc(~(a & b)); }>},
    {"S_NAND_B64", salu<[](u64 a, u64 b, Scc &scc) { return scc(~(a & b)); }>},
    {"S_NOR_B32", salu<[](u32 a, u32 b, Scc &scc) { return scc(~(a | b)); }>},
    {"S_NOR_B64", salu<[](u64 a, u64 b, Scc &scc) { return scc(~(a | b)); }>},
    {"S_XNOR_B32", salu<[](u32 a, u32 b, Scc &scc) { return scc(~(a ^ b)); }>},
    {"S_XNOR_B64", salu<[](u64 a, u64 b, Scc &scc) { return scc(~(a ^ b)); }>},
    {"S_LSHL_B32", salu<[](u32 a, u32 b, Scc &scc) { return scc(a << (b & 31)); }>},
    {"S_LSHL_B64", salu<[](u64 a, u32 b, Scc &scc) { return scc(a << (b & 63)); }>},
    {"S_LSHR_B32", salu<([](u32 a, u32 b, Scc &scc) { return scc(a >> (b & 31)); })>},
    {"S_LSHR_B64", salu<([](u64 a, u32 b, Scc &scc) { return scc(a >> (b & 63)); })>},
    {"S_ASHR_I32", salu<([](i32 a, u32 b, Scc &scc) { return scc(a >> (b & 31)); })>},
    {"S_ASHR_I64", salu<([](i64 a, u32 b, Scc &scc) { return scc(a >> (b & 63)); })>},
    {"S_BFM_B32", salu<[](u32 a, u32 b) { return ((1u << (a & 31)) - 1) << (b & 31); }>},
    {"S_BFM_B64", salu<[](u32 a, u32 b) { return ((u64(1) << (a & 63)) - 1) << (b & 63); }>},
    {"S_MUL_I32", salu<[](u32 a, u32 b) { return a * b; }>},
    {"S_MUL_HI_U32", salu<([](u32 a, u32 b) { return u32(u64(a) * b >> 32); })>},
    {"S_MUL_HI_I32", salu<([](i32 a, i32 b) { return u32(u64(i64(a) * b) >> 32); })>},
    {"S_BFE_U32",
     salu<([](u32 a, u32 b, Scc &scc) { return scc(extractUnsigned(a, b & 31, b >> 16 & 127)); })>},
    {"S_BFE_I32",
     salu<([](u32 a, u32 b, Scc &scc) { return scc(extractSigned(a, b & 31, b >> 16 & 127)); })>},
    {"S_BFE_U64",
     salu<([](u64 a, u32 b, Scc &scc) { return scc(extractUnsigned(a, b & 63, b >> 16 & 127)); })>},
    {"S_BFE_I64",
     salu<([](u64 a, u32 b, Scc &scc) { return scc(extractSigned(a, b & 63, b >> 16 & 127)); })>},
    {"S_ABSDIFF_I32", salu<[](u32 a, u32 b, Scc &scc) {
       u32 r = a - b;
       return scc(i32(r) < 0 ? 0u - r : r);
     }>},
    {"S_LSHL1_ADD_U32", salu<([](u32 a, u32 b, Scc &scc) { return shiftAdd<1>(a, b, scc); })>},
    {"S_LSHL2_ADD_U32", salu<([](u32 a, u32 b, Scc &scc) { return shiftAdd<2>(a, b, scc); })>},
    {"S_LSHL3_ADD_U32", salu<([](u32 a, u32 b, Scc &scc) { return shiftAdd<3>(a, b, scc); })>},
    {"S_LSHL4_ADD_U32", salu<([](u32 a, u32 b, Scc &scc) { return shiftAdd<4>(a, b, scc); })>},
    {"S_PACK_LL_B32_B16", salu<[](u32 a, u32 b) { return (a & 0xffff) | b << 16; }>},
    {"S_PACK_LH_B32_B16", salu<[](u32 a, u32 b) { return (a & 0xffff) | (b & 0xffff0000); }>},
    {"S_PACK_HH_B32_B16", salu<([](u32 a, u32 b) { return a >> 16 | (b & 0xffff0000); })>},
    {"S_PACK_HL_B32_B16", salu<([](u32 a, u32 b) { return a >> 16 | b << 16; })>},
    // SOPC
    {"S_CMP_EQ_I32", salu<[](i32 a, i32 b, Scc &scc) { scc.value = a == b; }>},
    {"S_CMP_LG_I32", salu<[](i32 a, i32 b, Scc &scc) { scc.value = a != b; }>},
    {"S_CMP_GT_I32", salu<([](i32 a, i32 b, Scc &scc) { scc.value = a > b; })>},
    {"S_CMP_GE_I32", salu<([](i32 a, i32 b, Scc &scc) { scc.value = a >= b; })>},
    {"S_CMP_LT_I32", salu<[](i32 a, i32 b, Scc &scc) { scc.value = a < b; }>},
    {"S_CMP_LE_I32", salu<[](i32 a, i32 b, Scc &scc) { scc.value = a <= b; }>},
    {"S_CMP_EQ_U32", salu<[](u32 a, u32 b, Scc &scc) { scc.value = a == b; }>},
    {"S_CMP_LG_U32", salu<[](u32 a, u32 b, Scc &scc) { scc.value = a != b; }>},
    {"S_CMP_GT_U32", salu<([](u32 a, u32 b, Scc &scc) { scc.value = a > b; })>},
    {"S_CMP_GE_U32", salu<([](u32 a, u32 b, Scc &scc) { scc.value = a >= b; })>},
    {"S_CMP_LT_U32", salu<[](u32 a, u32 b, Scc &scc) { scc.value = a < b; }>},
    {"S_CMP_LE_U32", salu<[](u32 a, u32 b, Scc &scc) { scc.value = a <= b; }>},
    {"S_CMP_EQ_U64", salu<[](u64 a, u64 b, Scc &scc) { scc.value = a == b; }>},
    {"S_CMP_LG_U64", salu<[](u64 a, u64 b, Scc &scc) { scc.value = a != b; }>},
    {"S_BITCMP0_B32", salu<([](u32 a, u32 b, Scc &scc) { scc.value = !(a >> (b & 31) & 1); })>},
    {"S_BITCMP1_B32", salu<([](u32 a, u32 b, Scc &scc) { scc.value = a >> (b & 31) & 1; })>},
    {"S_BITCMP0_B64", salu<([](u64 a, u32 b, Scc &scc) { scc.value = !(a >> (b & 63) & 1); })>},
    {"S_BITCMP1_B64", salu<([](u64 a, u32 b, Scc &scc) { scc.value = a >> (b & 63) & 1; })>},
    // SOPK
    {"S_MOVK_I32", salu<[](u32 k) { return immediate16(k); }>},
    {"S_CMOVK_I32", conditionalMoveK},
    {"S_ADDK_I32", salu<([](u32 a, u32 k, Scc &scc) {
       u32 b = u32(immediate16(k)), r = a + b;
       scc.value = (~(a ^ b) & (a ^ r)) >> 31;
       return r;
     })>},
    {"S_MULK_I32", salu<[](u32 a, u32 k) { return a * u32(immediate16(k)); }>},
    {"S_CMPK_EQ_I32", salu<[](i32 a, u32 k, Scc &scc) { scc.value = a == immediate16(k); }>},
    {"S_CMPK_LG_I32", salu<[](i32 a, u32 k, Scc &scc) { scc.value = a != immediate16(k); }>},
    {"S_CMPK_GT_I32", salu<([](i32 a, u32 k, Scc &scc) { scc.value = a > immediate16(k); })>},
    {"S_CMPK_GE_I32", salu<([](i32 a, u32 k, Scc &scc) { scc.value = a >= immediate16(k); })>},
    {"S_CMPK_LT_I32", salu<[](i32 a, u32 k, Scc &scc) { scc.value = a < immediate16(k); }>},
    {"S_CMPK_LE_I32", salu<[](i32 a, u32 k, Scc &scc) { scc.value = a <= immediate16(k); }>},
    {"S_CMPK_EQ_U32", salu<[](u32 a, u32 k, Scc &scc) { scc.value = a == (k & 0xffff); }>},
    {"S_CMPK_LG_U32", salu<[](u32 a, u32 k, Scc &scc) { scc.value = a != (k & 0xffff); }>},
    {"S_CMPK_GT_U32", salu<([](u32 a, u32 k, Scc &scc) { scc.value = a > (k & 0xffff); })>},
    {"S_CMPK_GE_U32", salu<([](u32 a, u32 k, Scc &scc) { scc.value = a >= (k & 0xffff); })>},
    {"S_CMPK_LT_U32", salu<[](u32 a, u32 k, Scc &scc) { scc.value = a < (k & 0xffff); }>},
    {"S_CMPK_LE_U32", salu<[](u32 a, u32 k, Scc &scc) { scc.value = a <= (k & 0xffff); }>},
};

} // namespace

std::span<const OpRow> saluRows() { return kRows; }

} // namespace tl::emu
