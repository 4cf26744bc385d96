// Vector instructions on integers: arithmetic, bits, shifts, fields.
#include "emu/op_table.h"
#include "emu/valu.h"

#include <algorithm>
#include <limits>

namespace tl::emu {
namespace {

using u32 = uint32_t;
using i32 = int32_t;
using u64 = uint64_t;
using i64 = int64_t;

constexpr u32 low24(u32 a) { return a & 0xffffff; }
constexpr i32 signed24(u32 a) { return i32(a << 8) >> 8; }

template <class T> constexpr T saturate(i64 value) {
  return T(std::clamp<i64>(value, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
}

constexpr WithMask<u32> addCarry(u32 a, u32 b, u32 carry) {
  u64 sum = u64(a) + b + carry;
  return {u32(sum), sum >> 32 != 0};
}
constexpr WithMask<u32> subtractBorrow(u32 a, u32 b, u32 borrow) {
  return {a - b - borrow, u64(a) < u64(b) + borrow};
}
// With clamp the carry is still that of the whole sum.
constexpr WithMask<u32> addCarryClamped(u32 a, u32 b, u32 carry) {
  WithMask<u32> sum = addCarry(a, b, carry);
  return {sum.mask ? ~0u : sum.value, sum.mask};
}
constexpr WithMask<u32> subtractBorrowClamped(u32 a, u32 b, u32 borrow) {
  WithMask<u32> difference = subtractBorrow(a, b, borrow);
  return {difference.mask ? 0u : difference.value, difference.mask};
}

constexpr u32 byteOf(u32 word, unsigned n) { return word >> (8 * n) & 0xff; }
constexpr u32 distance(u32 a, u32 b) { return a > b ? a - b : b - a; }

template <bool Masked> constexpr u32 sumOfDistances(u32 a, u32 b) {
  u32 sum = 0;
  for (unsigned n = 0; n < 4; ++n)
    sum += Masked && byteOf(b, n) == 0 ? 0 : distance(byteOf(a, n), byteOf(b, n));
  return sum;
}
constexpr u32 sad8(u32 a, u32 b) { return sumOfDistances<false>(a, b); }
constexpr u32 maskedSad8(u32 a, u32 b) { return sumOfDistances<true>(a, b); }
constexpr u32 highSad8(u32 a, u32 b) { return sad8(a, b) << 16; }
constexpr u32 sad16(u32 a, u32 b) {
  return distance(a & 0xffff, b & 0xffff) + distance(a >> 16, b >> 16);
}
// Differences and what they are added to; saturated with clamp.
template <u32 (*F)(u32, u32)>
constexpr Handler kSumOf = valu<[](u32 a, u32 b, u32 c) { return F(a, b) + c; }>;
template <u32 (*F)(u32, u32)>
constexpr Handler kSaturatedSumOf =
    valu<([](u32 a, u32 b, u32 c) { return u32(std::min<u64>(u64(F(a, b)) + c, 0xffffffff)); })>;

// A byte selected out of {a, b}, a the upper word; constants and signs from 8 on.
constexpr u32 permuteByte(u32 a, u32 b, u32 select) {
  select &= 0xff;
  if (select >= 13)
    return 0xff;
  if (select == 12)
    return 0;
  if (select >= 8) {
    // Sign of bytes 1, 3 (of b), 5, 7 (of a).
    u32 word = select < 10 ? b : a;
    return word >> (select & 1 ? 31 : 15) & 1 ? 0xff : 0;
  }
  return select < 4 ? byteOf(b, select) : byteOf(a, select - 4);
}

constexpr i32 firstFromTop(u32 a) { return a ? i32(__builtin_clz(a)) : -1; }
constexpr i32 firstFromBottom(u32 a) { return a ? i32(__builtin_ctz(a)) : -1; }
constexpr i32 signChange(i32 a) { return firstFromTop(u32(a < 0 ? ~a : a)); }

template <class T> constexpr T median(T a, T b, T c) {
  return std::max(std::min(a, b), std::min(std::max(a, b), c));
}

constexpr u32 reverse(u32 a) {
  a = (a >> 1 & 0x55555555) | (a & 0x55555555) << 1;
  a = (a >> 2 & 0x33333333) | (a & 0x33333333) << 2;
  a = (a >> 4 & 0x0f0f0f0f) | (a & 0x0f0f0f0f) << 4;
  return __builtin_bswap32(a);
}

constexpr u32 extractField(u32 a, u32 offset, u32 width) {
  return (a >> (offset & 31)) & ((1u << (width & 31)) - 1);
}
constexpr i32 extractSignedField(u32 a, u32 offset, u32 width) {
  offset &= 31, width &= 31;
  u32 top = std::min(offset + width, 32u);
  u32 kept = top - offset;
  return kept == 0 ? 0 : i32(a << (32 - top)) >> (32 - kept);
}

constexpr Handler kAdd = valu<[](u32 a, u32 b) { return a + b; }>;
constexpr Handler kAddClamped = valu<[](u32 a, u32 b) { return a + b < a ? ~0u : a + b; }>;
constexpr Handler kSub = valu<[](u32 a, u32 b) { return a - b; }>;
constexpr Handler kSubClamped = valu<[](u32 a, u32 b) { return a < b ? 0 : a - b; }>;
constexpr Handler kSubrev = valu<[](u32 a, u32 b) { return b - a; }>;
constexpr Handler kSubrevClamped = valu<[](u32 a, u32 b) { return b < a ? 0 : b - a; }>;
constexpr Handler kAddI = valu<([](i32 a, i32 b) { return saturate<i32>(i64(a) + b); })>;
constexpr Handler kSubI = valu<([](i32 a, i32 b) { return saturate<i32>(i64(a) - b); })>;
constexpr Handler kAddCo = valu<[](u32 a, u32 b) { return addCarry(a, b, 0); }>;
constexpr Handler kAddCoClamped = valu<[](u32 a, u32 b) { return addCarryClamped(a, b, 0); }>;
constexpr Handler kSubCo = valu<[](u32 a, u32 b) { return subtractBorrow(a, b, 0); }>;
constexpr Handler kSubCoClamped = valu<[](u32 a, u32 b) { return subtractBorrowClamped(a, b, 0); }>;
constexpr Handler kSubrevCo = valu<[](u32 a, u32 b) { return subtractBorrow(b, a, 0); }>;
constexpr Handler kSubrevCoClamped =
    valu<[](u32 a, u32 b) { return subtractBorrowClamped(b, a, 0); }>;
constexpr Handler kAddCi = valu<[](u32 a, u32 b, Bit c) { return addCarry(a, b, c.ones & 1); }>;
constexpr Handler kAddCiClamped =
    valu<[](u32 a, u32 b, Bit c) { return addCarryClamped(a, b, c.ones & 1); }>;
constexpr Handler kSubCi =
    valu<[](u32 a, u32 b, Bit c) { return subtractBorrow(a, b, c.ones & 1); }>;
constexpr Handler kSubCiClamped =
    valu<[](u32 a, u32 b, Bit c) { return subtractBorrowClamped(a, b, c.ones & 1); }>;
constexpr Handler kSubrevCi =
    valu<[](u32 a, u32 b, Bit c) { return subtractBorrow(b, a, c.ones & 1); }>;
constexpr Handler kSubrevCiClamped =
    valu<[](u32 a, u32 b, Bit c) { return subtractBorrowClamped(b, a, c.ones & 1); }>;
constexpr Handler kMadU64 = valu<([](u32 a, u32 b, u64 c) {
  u64 product = u64(a) * b, sum = product + c;
  return WithMask<u64>{sum, sum < product};
})>;
constexpr Handler kMadU64Clamped = valu<([](u32 a, u32 b, u64 c) {
  u64 product = u64(a) * b, sum = product + c;
  return WithMask<u64>{sum < product ? ~u64(0) : sum, sum < product};
})>;
// The carry out of a signed multiply-add is the sign of the 65-bit sum.
constexpr Handler kMadI64 = valu<([](i32 a, i32 b, i64 c) {
  i64 product = i64(a) * b;
  u64 sum = u64(product) + u64(c);
  bool overflow = (~(u64(product) ^ u64(c)) & (u64(product) ^ sum)) >> 63;
  return WithMask<u64>{sum, (i64(sum) < 0) != overflow};
})>;
constexpr Handler kMadI64Clamped = valu<([](i32 a, i32 b, i64 c) {
  i64 product = i64(a) * b, sum;
  bool overflow = __builtin_add_overflow(product, c, &sum);
  i64 limit = c < 0 ? std::numeric_limits<i64>::min() : std::numeric_limits<i64>::max();
  return WithMask<u64>{u64(overflow ? limit : sum), (sum < 0) != overflow};
})>;
constexpr Handler kFirstFromTop = valu<[](u32 a) { return firstFromTop(a); }>;
constexpr Handler kFirstFromBottom = valu<[](u32 a) { return firstFromBottom(a); }>;
constexpr Handler kSignChange = valu<[](i32 a) { return signChange(a); }>;

const OpRow kRows[] = {
    // gfx9 has the carryless names without NC.
    {"V_ADD_U32", kAdd, kAddClamped},
    {"V_ADD_NC_U32", kAdd, kAddClamped},
    {"V_SUB_U32", kSub, kSubClamped},
    {"V_SUB_NC_U32", kSub, kSubClamped},
    {"V_SUBREV_U32", kSubrev, kSubrevClamped},
    {"V_SUBREV_NC_U32", kSubrev, kSubrevClamped},
    {"V_ADD_I32", kAdd, kAddI},
    {"V_ADD_NC_I32", kAdd, kAddI},
    {"V_SUB_I32", kSub, kSubI},
    {"V_SUB_NC_I32", kSub, kSubI},
    {"V_ADD_CO_U32", kAddCo, kAddCoClamped},
    {"V_SUB_CO_U32", kSubCo, kSubCoClamped},
    {"V_SUBREV_CO_U32", kSubrevCo, kSubrevCoClamped},
    {"V_ADDC_CO_U32", kAddCi, kAddCiClamped},
    {"V_ADD_CO_CI_U32", kAddCi, kAddCiClamped},
    {"V_SUBB_CO_U32", kSubCi, kSubCiClamped},
    {"V_SUB_CO_CI_U32", kSubCi, kSubCiClamped},
    {"V_SUBBREV_CO_U32", kSubrevCi, kSubrevCiClamped},
    {"V_SUBREV_CO_CI_U32", kSubrevCi, kSubrevCiClamped},
    {"V_ADD3_U32", valu<[](u32 a, u32 b, u32 c) { return a + b + c; }>},
    {"V_LSHL_ADD_U32", valu<[](u32 a, u32 b, u32 c) { return (a << (b & 31)) + c; }>},
    {"V_LSHL_ADD_U64", valu<[](u64 a, u32 b, u64 c) { return (a << (b & 7)) + c; }>},
    {"V_ADD_LSHL_U32", valu<[](u32 a, u32 b, u32 c) { return (a + b) << (c & 31); }>},
    {"V_LSHL_OR_B32", valu<[](u32 a, u32 b, u32 c) { return a << (b & 31) | c; }>},
    {"V_AND_OR_B32", valu<[](u32 a, u32 b, u32 c) { return (a & b) | c; }>},
    {"V_OR3_B32", valu<[](u32 a, u32 b, u32 c) { return a | b | c; }>},
    {"V_XOR3_B32", valu<[](u32 a, u32 b, u32 c) { return a ^ b ^ c; }>},
    {"V_XAD_U32", valu<[](u32 a, u32 b, u32 c) { return (a ^ b) + c; }>},
    {"V_MUL_LO_U32", valu<[](u32 a, u32 b) { return a * b; }>},
    {"V_MUL_HI_U32", valu<([](u32 a, u32 b) { return u32(u64(a) * b >> 32); })>},
    {"V_MUL_HI_I32", valu<([](i32 a, i32 b) { return u32(u64(i64(a) * b) >> 32); })>},
    {"V_MUL_U32_U24", valu<[](u32 a, u32 b) { return low24(a) * low24(b); }>},
    {"V_MUL_I32_I24", valu<[](u32 a, u32 b) { return u32(signed24(a)) * u32(signed24(b)); }>},
    {"V_MUL_HI_U32_U24", valu<([](u32 a, u32 b) { return u32(u64(low24(a)) * low24(b) >> 32); })>},
    {"V_MUL_HI_I32_I24",
     valu<([](u32 a, u32 b) { return u32(u64(i64(signed24(a)) * signed24(b)) >> 32); })>},
    {"V_MAD_U32_U24", valu<[](u32 a, u32 b, u32 c) { return low24(a) * low24(b) + c; }>,
     valu<([](u32 a, u32 b, u32 c) {
       u64 sum = u64(low24(a)) * low24(b) + c;
       return sum >> 32 ? ~0u : u32(sum);
     })>},
    {"V_MAD_I32_I24",
     valu<[](u32 a, u32 b, u32 c) { return u32(signed24(a)) * u32(signed24(b)) + c; }>,
     valu<([](u32 a, u32 b, i32 c) { return saturate<i32>(i64(signed24(a)) * signed24(b) + c); })>},
    {"V_MAD_U64_U32", kMadU64, kMadU64Clamped},
    {"V_MAD_CO_U64_U32", kMadU64, kMadU64Clamped},
    {"V_MAD_I64_I32", kMadI64, kMadI64Clamped},
    {"V_MAD_CO_I64_I32", kMadI64, kMadI64Clamped},
    // Bits and shifts
    {"V_AND_B32", valu<[](u32 a, u32 b) { return a & b; }>},
    {"V_OR_B32", valu<[](u32 a, u32 b) { return a | b; }>},
    {"V_XOR_B32", valu<[](u32 a, u32 b) { return a ^ b; }>},
    {"V_XNOR_B32", valu<[](u32 a, u32 b) { return ~(a ^ b); }>},
    {"V_NOT_B32", valu<[](u32 a) { return ~a; }>},
    {"V_LSHLREV_B32", valu<[](u32 a, u32 b) { return b << (a & 31); }>},
    {"V_LSHRREV_B32", valu<([](u32 a, u32 b) { return b >> (a & 31); })>},
    {"V_ASHRREV_I32", valu<([](u32 a, i32 b) { return b >> (a & 31); })>},
    {"V_LSHLREV_B64", valu<[](u32 a, u64 b) { return b << (a & 63); }>},
    {"V_LSHRREV_B64", valu<([](u32 a, u64 b) { return b >> (a & 63); })>},
    {"V_ASHRREV_I64", valu<([](u32 a, i64 b) { return b >> (a & 63); })>},
    {"V_BFE_U32", valu<[](u32 a, u32 b, u32 c) { return extractField(a, b, c); }>},
    {"V_BFE_I32", valu<[](u32 a, u32 b, u32 c) { return extractSignedField(a, b, c); }>},
    {"V_BFI_B32", valu<[](u32 a, u32 b, u32 c) { return (a & b) | (~a & c); }>},
    {"V_BFM_B32", valu<[](u32 a, u32 b) { return ((1u << (a & 31)) - 1) << (b & 31); }>},
    {"V_BFREV_B32", valu<[](u32 a) { return reverse(a); }>},
    {"V_BCNT_U32_B32", valu<[](u32 a, u32 b) { return u32(__builtin_popcount(a)) + b; }>},
    {"V_FFBH_U32", kFirstFromTop},
    {"V_CLZ_I32_U32", kFirstFromTop},
    {"V_FFBL_B32", kFirstFromBottom},
    {"V_CTZ_I32_B32", kFirstFromBottom},
    {"V_FFBH_I32", kSignChange},
    {"V_CLS_I32", kSignChange},
    {"V_ALIGNBIT_B32",
     valu<([](u32 a, u32 b, u32 c) { return u32((u64(a) << 32 | b) >> (c & 31)); })>},
    {"V_ALIGNBYTE_B32",
     valu<([](u32 a, u32 b, u32 c) { return u32((u64(a) << 32 | b) >> (8 * (c & 3))); })>},
    {"V_PERM_B32", valu<([](u32 a, u32 b, u32 c) {
       return permuteByte(a, b, c) | permuteByte(a, b, c >> 8) << 8 |
              permuteByte(a, b, c >> 16) << 16 | permuteByte(a, b, c >> 24) << 24;
     })>},
    // Minimum, maximum, median
    {"V_MIN_I32", valu<[](i32 a, i32 b) { return std::min(a, b); }>},
    {"V_MAX_I32", valu<[](i32 a, i32 b) { return std::max(a, b); }>},
    {"V_MIN_U32", valu<[](u32 a, u32 b) { return std::min(a, b); }>},
    {"V_MAX_U32", valu<[](u32 a, u32 b) { return std::max(a, b); }>},
    {"V_MIN3_I32", valu<[](i32 a, i32 b, i32 c) { return std::min(std::min(a, b), c); }>},
    {"V_MAX3_I32", valu<[](i32 a, i32 b, i32 c) { return std::max(std::max(a, b), c); }>},
    {"V_MED3_I32", valu<[](i32 a, i32 b, i32 c) { return median(a, b, c); }>},
    {"V_MIN3_U32", valu<[](u32 a, u32 b, u32 c) { return std::min(std::min(a, b), c); }>},
    {"V_MAX3_U32", valu<[](u32 a, u32 b, u32 c) { return std::max(std::max(a, b), c); }>},
    {"V_MED3_U32", valu<[](u32 a, u32 b, u32 c) { return median(a, b, c); }>},
    {"V_MAXMIN_I32", valu<[](i32 a, i32 b, i32 c) { return std::min(std::max(a, b), c); }>},
    {"V_MINMAX_I32", valu<[](i32 a, i32 b, i32 c) { return std::max(std::min(a, b), c); }>},
    {"V_MAXMIN_U32", valu<[](u32 a, u32 b, u32 c) { return std::min(std::max(a, b), c); }>},
    {"V_MINMAX_U32", valu<[](u32 a, u32 b, u32 c) { return std::max(std::min(a, b), c); }>},
    // Sums of absolute differences
    {"V_SAD_U8", kSumOf<sad8>, kSaturatedSumOf<sad8>},
    {"V_MSAD_U8", kSumOf<maskedSad8>, kSaturatedSumOf<maskedSad8>},
    {"V_SAD_HI_U8", kSumOf<highSad8>, kSaturatedSumOf<highSad8>},
    {"V_SAD_U16", kSumOf<sad16>, kSaturatedSumOf<sad16>},
    {"V_SAD_U32", kSumOf<distance>, kSaturatedSumOf<distance>},
    {"V_LERP_U8", valu<([](u32 a, u32 b, u32 c) {
       u32 result = 0;
       for (unsigned n = 0; n < 4; ++n)
         result |= ((byteOf(a, n) + byteOf(b, n) + (byteOf(c, n) & 1)) >> 1) << (8 * n);
       return result;
     })>},
};

} // namespace

std::span<const OpRow> valuIntegerRows() { return kRows; }

} // namespace tl::emu
