// Scalar integer instructions (SOP1, SOP2, SOPC, SOPK): a formula of the ISA documents for each, on
// random and special values. SCC by the documents' "SCC = ..." lines.
#include "rows.h"

namespace isatest {
namespace {

// What an instruction reads and changes.
struct State {
  uint64_t a, b, d; // sources; the result, before that what its register held
  bool scc;
  uint64_t exec;
  unsigned bits; // of the result

  uint64_t mask() const { return bits == 64 ? ~uint64_t(0) : 0xffffffff; }
  void set(uint64_t value) { d = value & mask(); }
  /// The result, and whether it is not zero.
  void test(uint64_t value) { set(value), scc = d != 0; }
};

struct ScalarRow {
  const char *names;
  unsigned result, first, second; // bits of each; 0: none, 16: an immediate
  void (*formula)(State &);
  bool masks = false; // operates on EXEC: B64 in waves of 64 lanes, B32 in those of 32
};

Wide asSigned(uint64_t value, unsigned bits) {
  return Wide(value) - (value >> (bits - 1) & 1 ? Wide(1) << bits : 0);
}
Wide s32(uint64_t value) { return asSigned(value, 32); }
Wide s16(uint64_t value) { return asSigned(value, 16); }
bool fits32(Wide value) { return value >= INT32_MIN && value <= INT32_MAX; }

// Counting and searching, bit by bit.
template <unsigned Bits> unsigned count(uint64_t value, bool ones) {
  unsigned n = 0;
  for (unsigned i = 0; i < Bits; ++i)
    n += (value >> i & 1) == ones;
  return n;
}
template <unsigned Bits> int fromBottom(uint64_t value, bool wanted) {
  for (unsigned i = 0; i < Bits; ++i)
    if ((value >> i & 1) == wanted)
      return int(i);
  return -1;
}
template <unsigned Bits> int fromTop(uint64_t value) {
  for (unsigned i = 0; i < Bits; ++i)
    if (value >> (Bits - 1 - i) & 1)
      return int(i);
  return -1;
}
// The first bit from the top that is not the sign.
template <unsigned Bits> int signEnds(uint64_t value) {
  for (unsigned i = 1; i < Bits; ++i)
    if ((value >> (Bits - 1 - i) & 1) != (value >> (Bits - 1) & 1))
      return int(i);
  return -1;
}
template <unsigned Bits> uint64_t quads(uint64_t value, bool whole) {
  uint64_t result = 0;
  for (unsigned i = 0; i < Bits / 4; ++i)
    if (value >> (4 * i) & 15)
      result |= whole ? uint64_t(15) << (4 * i) : uint64_t(1) << i;
  return result;
}
template <unsigned Bits> uint64_t reversed(uint64_t value) {
  uint64_t result = 0;
  for (unsigned i = 0; i < Bits; ++i)
    result |= (value >> i & 1) << (Bits - 1 - i);
  return result;
}
// Bits [offset, offset + width) of an unsigned or signed number.
template <unsigned Bits, bool Signed> uint64_t field(uint64_t value, uint64_t control) {
  const unsigned offset = unsigned(control) & (Bits - 1), width = control >> 16 & 127;
  uint64_t result = 0;
  for (unsigned i = 0; i < width && i < Bits; ++i) {
    const bool inside = offset + i < Bits;
    if (inside)
      result |= (value >> (offset + i) & 1) << i;
  }
  const unsigned taken = std::min(width, Bits - offset);
  if (Signed && taken && result >> (taken - 1) & 1)
    for (unsigned i = taken; i < Bits; ++i)
      result |= uint64_t(1) << i;
  return result;
}
template <bool Set> void oneBit(State &s) {
  const uint64_t bit = uint64_t(1) << (s.a & (s.bits - 1));
  s.set(Set ? s.d | bit : s.d & ~bit);
}
template <unsigned N> void shiftAdd(State &s) {
  const Wide sum = (Wide(s.a) << N) + Wide(s.b);
  s.set(uint64_t(sum)), s.scc = sum > Wide(0xffffffff);
}
void addConstant(State &s) {
  const Wide sum = s32(s.d) + s16(s.b);
  s.set(uint64_t(sum)), s.scc = !fits32(sum);
}

// EXEC and a source: the old EXEC is the result, or the new one.
template <uint64_t (*F)(uint64_t, uint64_t), bool GivesNew> void execRow(State &s) {
  const uint64_t old = s.exec;
  s.exec = F(s.a, s.exec) & s.mask();
  s.d = GivesNew ? s.exec : old;
  s.scc = s.exec != 0;
}
uint64_t andOf(uint64_t a, uint64_t b) { return a & b; }
uint64_t orOf(uint64_t a, uint64_t b) { return a | b; }
uint64_t xorOf(uint64_t a, uint64_t b) { return a ^ b; }
uint64_t nandOf(uint64_t a, uint64_t b) { return ~(a & b); }
uint64_t norOf(uint64_t a, uint64_t b) { return ~(a | b); }
uint64_t xnorOf(uint64_t a, uint64_t b) { return ~(a ^ b); }
uint64_t andNotExec(uint64_t a, uint64_t exec) { return a & ~exec; }
uint64_t notAndExec(uint64_t a, uint64_t exec) { return ~a & exec; }
uint64_t orNotExec(uint64_t a, uint64_t exec) { return a | ~exec; }
uint64_t notOrExec(uint64_t a, uint64_t exec) { return ~a | exec; }

const ScalarRow kMoves[] = {
    {"s_mov_b32", 32, 32, 0, [](State &s) { s.d = s.a; }},
    {"s_mov_b64", 64, 64, 0, [](State &s) { s.d = s.a; }},
    {"s_cmov_b32", 32, 32, 0, [](State &s) { s.d = s.scc ? s.a : s.d; }},
    {"s_cmov_b64", 64, 64, 0, [](State &s) { s.d = s.scc ? s.a : s.d; }},
    {"s_cselect_b32", 32, 32, 32, [](State &s) { s.d = s.scc ? s.a : s.b; }},
    {"s_cselect_b64", 64, 64, 64, [](State &s) { s.d = s.scc ? s.a : s.b; }},
    {"s_movk_i32", 32, 0, 16, [](State &s) { s.set(uint64_t(s16(s.b))); }},
    {"s_cmovk_i32", 32, 0, 16, [](State &s) { s.scc ? s.set(uint64_t(s16(s.b))) : void(); }},
    {"s_sext_i32_i8", 32, 32, 0, [](State &s) { s.set(uint64_t(asSigned(s.a & 255, 8))); }},
    {"s_sext_i32_i16", 32, 32, 0, [](State &s) { s.set(uint64_t(s16(s.a & 0xffff))); }},
    {"s_pack_ll_b32_b16", 32, 32, 32, [](State &s) { s.d = s.a % 65536 + s.b % 65536 * 65536; }},
    {"s_pack_lh_b32_b16", 32, 32, 32, [](State &s) { s.d = s.a % 65536 + s.b / 65536 * 65536; }},
    {"s_pack_hh_b32_b16", 32, 32, 32, [](State &s) { s.d = s.a / 65536 + s.b / 65536 * 65536; }},
    {"s_pack_hl_b32_b16", 32, 32, 32, [](State &s) { s.d = s.a / 65536 + s.b % 65536 * 65536; }},
};

const ScalarRow kBits[] = {
    {"s_not_b32", 32, 32, 0, [](State &s) { s.test(~s.a); }},
    {"s_not_b64", 64, 64, 0, [](State &s) { s.test(~s.a); }},
    {"s_and_b32", 32, 32, 32, [](State &s) { s.test(s.a & s.b); }},
    {"s_and_b64", 64, 64, 64, [](State &s) { s.test(s.a & s.b); }},
    {"s_or_b32", 32, 32, 32, [](State &s) { s.test(s.a | s.b); }},
    {"s_or_b64", 64, 64, 64, [](State &s) { s.test(s.a | s.b); }},
    {"s_xor_b32", 32, 32, 32, [](State &s) { s.test(s.a ^ s.b); }},
    {"s_xor_b64", 64, 64, 64, [](State &s) { s.test(s.a ^ s.b); }},
    {"s_andn2_b32|s_and_not1_b32", 32, 32, 32, [](State &s) { s.test(s.a & ~s.b); }},
    {"s_andn2_b64|s_and_not1_b64", 64, 64, 64, [](State &s) { s.test(s.a & ~s.b); }},
    {"s_orn2_b32|s_or_not1_b32", 32, 32, 32, [](State &s) { s.test(s.a | ~s.b); }},
    {"s_orn2_b64|s_or_not1_b64", 64, 64, 64, [](State &s) { s.test(s.a | ~s.b); }},
    {"s_nand_b32", 32, 32, 32, [](State &s) { s.test(~(s.a & s.b)); }},
    {"s_nand_b64", 64, 64, 64, [](State &s) { s.test(~(s.a & s.b)); }},
    {"s_nor_b32", 32, 32, 32, [](State &s) { s.test(~(s.a | s.b)); }},
    {"s_nor_b64", 64, 64, 64, [](State &s) { s.test(~(s.a | s.b)); }},
    {"s_xnor_b32", 32, 32, 32, [](State &s) { s.test(~(s.a ^ s.b)); }},
    {"s_xnor_b64", 64, 64, 64, [](State &s) { s.test(~(s.a ^ s.b)); }},
    {"s_wqm_b32", 32, 32, 0, [](State &s) { s.test(quads<32>(s.a, true)); }},
    {"s_wqm_b64", 64, 64, 0, [](State &s) { s.test(quads<64>(s.a, true)); }},
    {"s_quadmask_b32", 32, 32, 0, [](State &s) { s.test(quads<32>(s.a, false)); }},
    {"s_quadmask_b64", 64, 64, 0, [](State &s) { s.test(quads<64>(s.a, false)); }},
    {"s_brev_b32", 32, 32, 0, [](State &s) { s.d = reversed<32>(s.a); }},
    {"s_brev_b64", 64, 64, 0, [](State &s) { s.d = reversed<64>(s.a); }},
    {"s_bitset0_b32", 32, 32, 0, oneBit<false>},
    {"s_bitset1_b32", 32, 32, 0, oneBit<true>},
    {"s_bitset0_b64", 64, 32, 0, oneBit<false>},
    {"s_bitset1_b64", 64, 32, 0, oneBit<true>},
    {"s_bitreplicate_b64_b32", 64, 32, 0,
     [](State &s) {
       s.d = 0;
       for (unsigned i = 0; i < 64; ++i)
         s.d |= (s.a >> i / 2 & 1) << i;
     }},
    {"s_bcnt0_i32_b32", 32, 32, 0, [](State &s) { s.test(count<32>(s.a, false)); }},
    {"s_bcnt0_i32_b64", 32, 64, 0, [](State &s) { s.test(count<64>(s.a, false)); }},
    {"s_bcnt1_i32_b32", 32, 32, 0, [](State &s) { s.test(count<32>(s.a, true)); }},
    {"s_bcnt1_i32_b64", 32, 64, 0, [](State &s) { s.test(count<64>(s.a, true)); }},
    {"s_ff0_i32_b32", 32, 32, 0, [](State &s) { s.set(uint64_t(fromBottom<32>(s.a, false))); }},
    {"s_ff0_i32_b64", 32, 64, 0, [](State &s) { s.set(uint64_t(fromBottom<64>(s.a, false))); }},
    {"s_ff1_i32_b32|s_ctz_i32_b32", 32, 32, 0,
     [](State &s) { s.set(uint64_t(fromBottom<32>(s.a, true))); }},
    {"s_ff1_i32_b64|s_ctz_i32_b64", 32, 64, 0,
     [](State &s) { s.set(uint64_t(fromBottom<64>(s.a, true))); }},
    {"s_flbit_i32_b32|s_clz_i32_u32", 32, 32, 0,
     [](State &s) { s.set(uint64_t(fromTop<32>(s.a))); }},
    {"s_flbit_i32_b64|s_clz_i32_u64", 32, 64, 0,
     [](State &s) { s.set(uint64_t(fromTop<64>(s.a))); }},
    {"s_flbit_i32|s_cls_i32", 32, 32, 0, [](State &s) { s.set(uint64_t(signEnds<32>(s.a))); }},
    {"s_flbit_i32_i64|s_cls_i32_i64", 32, 64, 0,
     [](State &s) { s.set(uint64_t(signEnds<64>(s.a))); }},
    {"s_lshl_b32", 32, 32, 32, [](State &s) { s.test(s.a << s.b % 32); }},
    {"s_lshl_b64", 64, 64, 32, [](State &s) { s.test(s.a << s.b % 64); }},
    {"s_lshr_b32", 32, 32, 32, [](State &s) { s.test(s.a >> s.b % 32); }},
    {"s_lshr_b64", 64, 64, 32, [](State &s) { s.test(s.a >> s.b % 64); }},
    {"s_ashr_i32", 32, 32, 32, [](State &s) { s.test(uint64_t(s32(s.a) >> int(s.b % 32))); }},
    {"s_ashr_i64", 64, 64, 32,
     [](State &s) { s.test(uint64_t(asSigned(s.a, 64) >> int(s.b % 64))); }},
    {"s_bfm_b32", 32, 32, 32, [](State &s) { s.set(((1u << s.a % 32) - 1) << s.b % 32); }},
    {"s_bfm_b64", 64, 32, 32, [](State &s) { s.set(((uint64_t(1) << s.a % 64) - 1) << s.b % 64); }},
    {"s_bfe_u32", 32, 32, 32, [](State &s) { s.test(field<32, false>(s.a, s.b)); }},
    {"s_bfe_i32", 32, 32, 32, [](State &s) { s.test(field<32, true>(s.a, s.b)); }},
    {"s_bfe_u64", 64, 64, 32, [](State &s) { s.test(field<64, false>(s.a, s.b)); }},
    {"s_bfe_i64", 64, 64, 32, [](State &s) { s.test(field<64, true>(s.a, s.b)); }},
};

const ScalarRow kArithmetic[] = {
    {"s_add_u32|s_add_co_u32", 32, 32, 32,
     [](State &s) { s.set(s.a + s.b), s.scc = s.a + s.b > 0xffffffff; }},
    {"s_sub_u32|s_sub_co_u32", 32, 32, 32, [](State &s) { s.set(s.a - s.b), s.scc = s.a < s.b; }},
    {"s_add_i32|s_add_co_i32", 32, 32, 32,
     [](State &s) { s.set(s.a + s.b), s.scc = !fits32(s32(s.a) + s32(s.b)); }},
    {"s_sub_i32|s_sub_co_i32", 32, 32, 32,
     [](State &s) { s.set(s.a - s.b), s.scc = !fits32(s32(s.a) - s32(s.b)); }},
    {"s_addc_u32|s_add_co_ci_u32", 32, 32, 32,
     [](State &s) {
       const uint64_t sum = s.a + s.b + s.scc;
       s.set(sum), s.scc = sum > 0xffffffff;
     }},
    {"s_subb_u32|s_sub_co_ci_u32", 32, 32, 32,
     [](State &s) {
       const Wide difference = Wide(s.a) - Wide(s.b) - s.scc;
       s.set(uint64_t(difference)), s.scc = difference < 0;
     }},
    {"s_add_u64|s_add_nc_u64", 64, 64, 64, [](State &s) { s.set(s.a + s.b); }},
    {"s_sub_u64|s_sub_nc_u64", 64, 64, 64, [](State &s) { s.set(s.a - s.b); }},
    {"s_mul_u64", 64, 64, 64, [](State &s) { s.set(s.a * s.b); }},
    {"s_mul_i32", 32, 32, 32, [](State &s) { s.set(s.a * s.b); }},
    {"s_mul_hi_u32", 32, 32, 32, [](State &s) { s.set(s.a * s.b >> 32); }},
    {"s_mul_hi_i32", 32, 32, 32, [](State &s) { s.set(uint64_t(s32(s.a) * s32(s.b) >> 32)); }},
    {"s_abs_i32", 32, 32, 0,
     [](State &s) { s.test(uint64_t(s32(s.a) < 0 ? -s32(s.a) : s32(s.a))); }},
    // The document takes the absolute value of the 32-bit difference.
    {"s_absdiff_i32", 32, 32, 32,
     [](State &s) {
       const Wide difference = s32((s.a - s.b) & 0xffffffff);
       s.test(uint64_t(difference < 0 ? -difference : difference));
     }},
    {"s_min_i32", 32, 32, 32,
     [](State &s) { s.scc = s32(s.a) < s32(s.b), s.d = s.scc ? s.a : s.b; }},
    {"s_min_u32", 32, 32, 32, [](State &s) { s.scc = s.a < s.b, s.d = s.scc ? s.a : s.b; }},
    {"s_max_i32", 32, 32, 32,
     [](State &s) { s.scc = s32(s.a) >= s32(s.b), s.d = s.scc ? s.a : s.b; }},
    {"s_max_u32", 32, 32, 32, [](State &s) { s.scc = s.a >= s.b, s.d = s.scc ? s.a : s.b; }},
    {"s_lshl1_add_u32", 32, 32, 32, shiftAdd<1>},
    {"s_lshl2_add_u32", 32, 32, 32, shiftAdd<2>},
    {"s_lshl3_add_u32", 32, 32, 32, shiftAdd<3>},
    {"s_lshl4_add_u32", 32, 32, 32, shiftAdd<4>},
    {"s_addk_i32|s_addk_co_i32", 32, 0, 16, addConstant},
    {"s_mulk_i32", 32, 0, 16, [](State &s) { s.set(uint64_t(s32(s.d) * s16(s.b))); }},
};

const ScalarRow kComparisons[] = {
    {"s_cmp_eq_i32", 0, 32, 32, [](State &s) { s.scc = s.a == s.b; }},
    {"s_cmp_lg_i32", 0, 32, 32, [](State &s) { s.scc = s.a != s.b; }},
    {"s_cmp_gt_i32", 0, 32, 32, [](State &s) { s.scc = s32(s.a) > s32(s.b); }},
    {"s_cmp_ge_i32", 0, 32, 32, [](State &s) { s.scc = s32(s.a) >= s32(s.b); }},
    {"s_cmp_lt_i32", 0, 32, 32, [](State &s) { s.scc = s32(s.a) < s32(s.b); }},
    {"s_cmp_le_i32", 0, 32, 32, [](State &s) { s.scc = s32(s.a) <= s32(s.b); }},
    {"s_cmp_eq_u32", 0, 32, 32, [](State &s) { s.scc = s.a == s.b; }},
    {"s_cmp_lg_u32", 0, 32, 32, [](State &s) { s.scc = s.a != s.b; }},
    {"s_cmp_gt_u32", 0, 32, 32, [](State &s) { s.scc = s.a > s.b; }},
    {"s_cmp_ge_u32", 0, 32, 32, [](State &s) { s.scc = s.a >= s.b; }},
    {"s_cmp_lt_u32", 0, 32, 32, [](State &s) { s.scc = s.a < s.b; }},
    {"s_cmp_le_u32", 0, 32, 32, [](State &s) { s.scc = s.a <= s.b; }},
    {"s_cmp_eq_u64", 0, 64, 64, [](State &s) { s.scc = s.a == s.b; }},
    {"s_cmp_lg_u64", 0, 64, 64, [](State &s) { s.scc = s.a != s.b; }},
    {"s_bitcmp0_b32", 0, 32, 32, [](State &s) { s.scc = !(s.a >> s.b % 32 & 1); }},
    {"s_bitcmp1_b32", 0, 32, 32, [](State &s) { s.scc = s.a >> s.b % 32 & 1; }},
    {"s_bitcmp0_b64", 0, 64, 32, [](State &s) { s.scc = !(s.a >> s.b % 64 & 1); }},
    {"s_bitcmp1_b64", 0, 64, 32, [](State &s) { s.scc = s.a >> s.b % 64 & 1; }},
    {"s_cmpk_eq_i32", 0, 32, 16, [](State &s) { s.scc = s32(s.a) == s16(s.b); }},
    {"s_cmpk_lg_i32", 0, 32, 16, [](State &s) { s.scc = s32(s.a) != s16(s.b); }},
    {"s_cmpk_gt_i32", 0, 32, 16, [](State &s) { s.scc = s32(s.a) > s16(s.b); }},
    {"s_cmpk_ge_i32", 0, 32, 16, [](State &s) { s.scc = s32(s.a) >= s16(s.b); }},
    {"s_cmpk_lt_i32", 0, 32, 16, [](State &s) { s.scc = s32(s.a) < s16(s.b); }},
    {"s_cmpk_le_i32", 0, 32, 16, [](State &s) { s.scc = s32(s.a) <= s16(s.b); }},
    {"s_cmpk_eq_u32", 0, 32, 16, [](State &s) { s.scc = s.a == s.b; }},
    {"s_cmpk_lg_u32", 0, 32, 16, [](State &s) { s.scc = s.a != s.b; }},
    {"s_cmpk_gt_u32", 0, 32, 16, [](State &s) { s.scc = s.a > s.b; }},
    {"s_cmpk_ge_u32", 0, 32, 16, [](State &s) { s.scc = s.a >= s.b; }},
    {"s_cmpk_lt_u32", 0, 32, 16, [](State &s) { s.scc = s.a < s.b; }},
    {"s_cmpk_le_u32", 0, 32, 16, [](State &s) { s.scc = s.a <= s.b; }},
};

// RDNA calls andn1 and andn2 by which source is negated: and_not0, and_not1.
const ScalarRow kExec[] = {
#define TL_EXEC(NAMES32, NAMES64, F, GIVES_NEW)                                                    \
  {NAMES32, 32, 32, 0, execRow<F, GIVES_NEW>, true}, {                                             \
    NAMES64, 64, 64, 0, execRow<F, GIVES_NEW>, true                                                \
  }
    TL_EXEC("s_and_saveexec_b32", "s_and_saveexec_b64", andOf, false),
    TL_EXEC("s_or_saveexec_b32", "s_or_saveexec_b64", orOf, false),
    TL_EXEC("s_xor_saveexec_b32", "s_xor_saveexec_b64", xorOf, false),
    TL_EXEC("s_nand_saveexec_b32", "s_nand_saveexec_b64", nandOf, false),
    TL_EXEC("s_nor_saveexec_b32", "s_nor_saveexec_b64", norOf, false),
    TL_EXEC("s_xnor_saveexec_b32", "s_xnor_saveexec_b64", xnorOf, false),
    TL_EXEC("s_and_not1_saveexec_b32", "s_andn2_saveexec_b64|s_and_not1_saveexec_b64", andNotExec,
            false),
    TL_EXEC("s_or_not1_saveexec_b32", "s_orn2_saveexec_b64|s_or_not1_saveexec_b64", orNotExec,
            false),
    TL_EXEC("s_and_not0_saveexec_b32", "s_andn1_saveexec_b64|s_and_not0_saveexec_b64", notAndExec,
            false),
    TL_EXEC("s_or_not0_saveexec_b32", "s_orn1_saveexec_b64|s_or_not0_saveexec_b64", notOrExec,
            false),
    TL_EXEC("s_and_not0_wrexec_b32", "s_andn1_wrexec_b64|s_and_not0_wrexec_b64", notAndExec, true),
    TL_EXEC("s_and_not1_wrexec_b32", "s_andn2_wrexec_b64|s_and_not1_wrexec_b64", andNotExec, true),
#undef TL_EXEC
};

// A value of a size: often one at which something changes.
uint64_t value(Words &words, unsigned bits) {
  static const uint64_t edges[] = {0,
                                   1,
                                   2,
                                   31,
                                   32,
                                   63,
                                   64,
                                   0x7fff,
                                   0x8000,
                                   0xffff,
                                   0x7fffffff,
                                   0x80000000,
                                   0x80000001,
                                   0xfffffffe,
                                   0xffffffff,
                                   0x100000000,
                                   0x7fffffffffffffff,
                                   0x8000000000000000,
                                   0xffffffffffffffff,
                                   0x00200004,
                                   0x00400010,
                                   0x007f0000};
  const uint64_t mask = bits == 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1;
  switch (words.random() % 3) {
  case 0:
    return edges[words.random() % std::size(edges)] & mask;
  case 1:
    return words.random() % 70 & mask;
  default:
    return words.mask() & mask;
  }
}

std::string registers(unsigned first, unsigned bits) {
  return bits == 64 ? "s[" + std::to_string(first) + ":" + std::to_string(first + 1) + "]"
                    : "s" + std::to_string(first);
}

// One instruction with one constant. False: the chip has none.
bool runOnce(const ScalarRow &row, const std::string &name, const std::string &chip, Words &words) {
  const unsigned lanes = !row.masks || isGfx9(chip) ? 0 : row.result;
  Machine machine(chip, lanes);
  const uint64_t constant = value(words, 16);
  std::string text = name, separator = " ";
  auto add = [&](const std::string &operand) { text += separator + operand, separator = ", "; };
  if (row.result)
    add(registers(40, row.result));
  if (row.first)
    add(registers(20, row.first));
  if (row.second)
    add(row.second == 16 ? std::to_string(constant) : registers(24, row.second));
  if (!machine.load(text))
    return false;
  for (int n = 0; n < 40; ++n) {
    State s{value(words, row.first ? row.first : 32),
            row.second == 16 ? constant : value(words, row.second ? row.second : 32),
            value(words, row.result == 64 ? 64 : 32),
            bool(words.random() & 1),
            machine.wave.laneMask,
            row.result};
    if (n % 4 == 3 && row.first == row.second) // equal ones
      s.b = s.a;
    if (row.masks)
      s.exec &= words.mask();
    machine.wave.setScalarPair(20, s.a);
    machine.wave.setScalarPair(24, s.b);
    machine.wave.setScalarPair(40, s.d);
    machine.wave.scc = s.scc;
    machine.setExec(s.exec);
    const State before = s;
    if (!machine.run()) {
      unit::fail(__FILE__, __LINE__, chip + " " + text + ": not run");
      return true;
    }
    row.formula(s);
    const uint64_t got = machine.wave.scalarPair(40) & s.mask();
    if ((row.result && got != s.d) || bool(machine.wave.scc) != s.scc ||
        machine.wave.exec() != s.exec) {
      char line[200];
      std::snprintf(line, sizeof(line), "%s %s: %llx %llx (%llx, scc %d) gives %llx scc %u",
                    chip.c_str(), text.c_str(), static_cast<unsigned long long>(s.a),
                    static_cast<unsigned long long>(s.b), static_cast<unsigned long long>(before.d),
                    before.scc, static_cast<unsigned long long>(got), machine.wave.scc);
      unit::fail(__FILE__, __LINE__, line);
      return true;
    }
  }
  return true;
}

void runScalarRows(std::span<const ScalarRow> rows) {
  Words words(5);
  for (const ScalarRow &row : rows)
    for (const std::string &name : namesOf(row.names)) {
      bool ran = false;
      for (const std::string &chip : kChips)
        for (int n = 0; n < (row.second == 16 ? 6 : 1); ++n)
          ran |= runOnce(row, name, chip, words);
      if (!ran)
        unit::fail(__FILE__, __LINE__, name + ": no chip has it");
    }
}

} // namespace

UNIT_TEST(scalar_moves) { runScalarRows(kMoves); }
UNIT_TEST(scalar_bits) { runScalarRows(kBits); }
UNIT_TEST(scalar_arithmetic) { runScalarRows(kArithmetic); }
UNIT_TEST(scalar_comparisons) { runScalarRows(kComparisons); }
UNIT_TEST(scalar_masks) { runScalarRows(kExec); }

} // namespace isatest
