// Integers of 32 and 64 bits, continued: carries, bits, sums of differences, packing conversions,
// and the float instructions that drop exactness on purpose.
#include "rows.h"

#include <bit>

namespace isatest {
namespace {

using E = const Env &;

// Carries. The value is exact, so that clamp is runRow's.
template <int Sign> WithBit<U32> carried(Wide a, Wide b, bool carry) {
  const Wide sum = a + Sign * (b + carry);
  return {{sum}, sum < 0 || sum > Wide(0xffffffff)};
}
WithBit<U32> add(E, U32 a, U32 b) { return carried<1>(a, b, false); }
WithBit<U32> subtract(E, U32 a, U32 b) { return carried<-1>(a, b, false); }
WithBit<U32> subtractReversed(E, U32 a, U32 b) { return carried<-1>(b, a, false); }
WithBit<U32> addCarry(E, U32 a, U32 b, Mask c) { return carried<1>(a, b, c.set); }
WithBit<U32> subtractBorrow(E, U32 a, U32 b, Mask c) { return carried<-1>(a, b, c.set); }
WithBit<U32> subtractBorrowReversed(E, U32 a, U32 b, Mask c) { return carried<-1>(b, a, c.set); }
WithBit<U64> multiplyAdd(E, U32 a, U32 b, U64 c) {
  const Wide sum = a * b + c;
  return {{sum}, sum >> 64 != 0};
}
// The 65th bit of the sum of two numbers whose sign is extended.
WithBit<I64> multiplyAddSigned(E, I32 a, I32 b, I64 c) {
  const Wide sum = a * b + c;
  return {{sum}, (sum >> 64 & 1) != 0};
}

template <bool FromTop> I32 position(E, U32 a) {
  for (int i = 0; i < 32; ++i)
    if (a.value >> (FromTop ? 31 - i : i) & 1)
      return {i};
  return {-1};
}
I32 signEnds(E, I32 a) {
  for (int i = 1; i < 32; ++i)
    if ((a.value >> (31 - i) & 1) != (a.value < 0))
      return {i};
  return {-1};
}

Wide byteOf(Wide word, int n) { return word >> (8 * n) & 255; }
Wide distance(Wide a, Wide b) { return a < b ? b - a : a - b; }
template <bool Masked> Wide byteDistances(Wide a, Wide b) {
  Wide sum = 0;
  for (int n = 0; n < 4; ++n)
    sum += Masked && !byteOf(b, n) ? Wide(0) : distance(byteOf(a, n), byteOf(b, n));
  return sum;
}

// A byte of {a, b}: 0 to 7; 8 to 11: a sign; 12: 0; above: 0xff.
U32 permuted(E, U32 a, U32 b, U32 selectors) {
  const Wide all = a << 32 | b.value;
  Wide result = 0;
  for (int n = 0; n < 4; ++n) {
    const int select = int(byteOf(selectors, n));
    const Wide byte = select < 8     ? byteOf(all, select)
                      : select < 12  ? (all >> (16 * (select - 8) + 15) & 1) * 255
                      : select == 12 ? Wide(0)
                                     : Wide(255);
    result |= byte << (8 * n);
  }
  return {result};
}

template <class T> T median(T a, T b, T c) {
  return {a.value + b.value + c.value - std::min({a.value, b.value, c.value}) -
          std::max({a.value, b.value, c.value})};
}

Wide saturated(const Num &v, Wide low, Wide high) {
  if (v.isNan())
    return 0;
  if (v.isInf() || std::fabs(v.toDouble()) > 1e15)
    return v.negative() ? low : high;
  return std::clamp(Wide(std::trunc(v.toDouble())), low, high);
}
Wide pack(Wide low, Wide high) { return (low & 0xffff) | (high & 0xffff) << 16; }
// The product is one of f32 before it is rounded to an integer.
template <bool Signed> Wide normalized(F32 a) {
  const double d = valueOf(kF32, a.bits).toDouble();
  const double bounded = std::isnan(d) ? 0 : std::clamp(d, Signed ? -1.0 : 0.0, 1.0);
  const Num product = valueOf(kF32, bitsOf(kF32, Num(bounded) * Num(Signed ? 32767 : 65535)));
  return Wide(rounded(product, MPFR_RNDN).toDouble());
}
template <bool Signed> U32 packNormalized(E, F32 a, F32 b) {
  return {pack(normalized<Signed>(a), normalized<Signed>(b))};
}
template <int Low, int High> U32 packTruncated(E, F32 a, F32 b) {
  return {pack(saturated(valueOf(kF32, a.bits), Low, High),
               saturated(valueOf(kF32, b.bits), Low, High))};
}
template <int N> F32 byteAsFloat(E, U32 a) { return {bitsOf(kF32, Num(double(byteOf(a, N))))}; }

// Zero times anything is zero.
F32 legacyFma(E e, F32 a, F32 b, F32 c) {
  return e(a).isZero() || e(b).isZero() ? F32{bitsOf(kF32, e(c))} : e.f32(e(a) * e(b) + e(c));
}
// Rounded twice; denormals are flushed whatever MODE says.
F32 multiplyThenAdd(E e, F32 a, F32 b, F32 c) {
  auto in = [](F32 v) { return valueOf(kF32, Env::flushed(kF32, v.bits, false)); };
  auto out = [&](const Num &v) {
    return Env::flushed(kF32, bitsOf(kF32, v, e.round(kF32)), false);
  };
  return {out(valueOf(kF32, out(in(a)*in(b))) + in(c))};
}

} // namespace

UNIT_TEST(carries) {
  runRows({
      row("v_add_co_u32", add, ScalarResult),
      row("v_sub_co_u32", subtract, ScalarResult),
      row("v_subrev_co_u32", subtractReversed, ScalarResult),
      row("v_addc_co_u32|v_add_co_ci_u32", addCarry, ScalarResult | MaskOperand),
      row("v_subb_co_u32|v_sub_co_ci_u32", subtractBorrow, ScalarResult | MaskOperand),
      row("v_subbrev_co_u32|v_subrev_co_ci_u32", subtractBorrowReversed,
          ScalarResult | MaskOperand),
      row("v_mad_u64_u32|v_mad_co_u64_u32", multiplyAdd, ScalarResult),
      row("v_mad_i64_i32|v_mad_co_i64_i32", multiplyAddSigned, ScalarResult),
  });
}

UNIT_TEST(bits_of_words) {
  runRows({
      row(
          "v_and_b32", +[](E, U32 a, U32 b) { return U32{a.value & b.value}; }, NoClamp),
      row(
          "v_or_b32", +[](E, U32 a, U32 b) { return U32{a.value | b.value}; }, NoClamp),
      row(
          "v_xor_b32", +[](E, U32 a, U32 b) { return U32{a.value ^ b.value}; }, NoClamp),
      row(
          "v_xnor_b32", +[](E, U32 a, U32 b) { return U32{~(a.value ^ b.value)}; }, NoClamp),
      row(
          "v_xor3_b32", +[](E, U32 a, U32 b, U32 c) { return U32{a.value ^ b.value ^ c.value}; },
          NoClamp),
      row(
          "v_not_b32", +[](E, U32 a) { return U32{~a.value}; }, NoClamp),
      row(
          "v_bfm_b32",
          +[](E, U32 a, U32 b) {
            return U32{((Wide(1) << int(a.value % 32)) - 1) << int(b.value % 32)};
          },
          NoClamp),
      row(
          "v_bfe_i32",
          +[](E, I32 a, U32 b, U32 c) {
            const int offset = int(b.value % 32), width = int(c.value % 32);
            const Wide field = (a.value >> offset) & ((Wide(1) << width) - 1);
            return I32{width && field >> (width - 1) & 1 ? field - (Wide(1) << width) : field};
          },
          NoClamp),
      row(
          "v_bfrev_b32",
          +[](E, U32 a) {
            Wide result = 0;
            for (int i = 0; i < 32; ++i)
              result |= (a.value >> i & 1) << (31 - i);
            return U32{result};
          },
          NoClamp),
      row(
          "v_bcnt_u32_b32",
          +[](E, U32 a, U32 b) { return U32{std::popcount(uint32_t(a.value)) + b.value}; },
          NoClamp),
      row("v_ffbh_u32|v_clz_i32_u32", position<true>, NoClamp),
      row("v_ffbl_b32|v_ctz_i32_b32", position<false>, NoClamp),
      row("v_ffbh_i32|v_cls_i32", signEnds, NoClamp),
      row(
          "v_alignbyte_b32",
          +[](E, U32 a, U32 b, U32 c) {
            return U32{(a << 32 | b.value) >> int(8 * (c.value % 4)) & 0xffffffff};
          },
          NoClamp),
      row("v_perm_b32", permuted, NoClamp),
      row(
          "v_mul_lo_i32", +[](E, I32 a, I32 b) { return I32{a * b}; }, NoClamp),
      row(
          "v_mul_hi_u32_u24",
          +[](E, U32 a, U32 b) { return U32{(a & 0xffffff) * (b & 0xffffff) >> 32}; }, NoClamp),
      row(
          "v_lshl_add_u64",
          +[](E, U64 a, U32 b, U64 c) {
            return U64{Wide(uint64_t(a.value) << int(b.value & 7)) + c.value};
          },
          NoClamp),
  });
}

UNIT_TEST(order_of_words) {
  runRows({
      row(
          "v_min_i32", +[](E, I32 a, I32 b) { return a.value < b.value ? a : b; }, NoClamp),
      row(
          "v_max_i32", +[](E, I32 a, I32 b) { return a.value < b.value ? b : a; }, NoClamp),
      row(
          "v_min_u32", +[](E, U32 a, U32 b) { return a.value < b.value ? a : b; }, NoClamp),
      row(
          "v_max_u32", +[](E, U32 a, U32 b) { return a.value < b.value ? b : a; }, NoClamp),
      row(
          "v_min3_i32",
          +[](E, I32 a, I32 b, I32 c) { return I32{std::min({a.value, b.value, c.value})}; },
          NoClamp),
      row(
          "v_max3_i32",
          +[](E, I32 a, I32 b, I32 c) { return I32{std::max({a.value, b.value, c.value})}; },
          NoClamp),
      row(
          "v_min3_u32",
          +[](E, U32 a, U32 b, U32 c) { return U32{std::min({a.value, b.value, c.value})}; },
          NoClamp),
      row(
          "v_max3_u32",
          +[](E, U32 a, U32 b, U32 c) { return U32{std::max({a.value, b.value, c.value})}; },
          NoClamp),
      row(
          "v_med3_i32", +[](E, I32 a, I32 b, I32 c) { return median(a, b, c); }, NoClamp),
      row(
          "v_med3_u32", +[](E, U32 a, U32 b, U32 c) { return median(a, b, c); }, NoClamp),
      row(
          "v_maxmin_i32",
          +[](E, I32 a, I32 b, I32 c) {
            return I32{std::min(std::max(a.value, b.value), c.value)};
          },
          NoClamp),
      row(
          "v_minmax_i32",
          +[](E, I32 a, I32 b, I32 c) {
            return I32{std::max(std::min(a.value, b.value), c.value)};
          },
          NoClamp),
      row(
          "v_maxmin_u32",
          +[](E, U32 a, U32 b, U32 c) {
            return U32{std::min(std::max(a.value, b.value), c.value)};
          },
          NoClamp),
      row(
          "v_minmax_u32",
          +[](E, U32 a, U32 b, U32 c) {
            return U32{std::max(std::min(a.value, b.value), c.value)};
          },
          NoClamp),
  });
}

UNIT_TEST(sums_of_differences) {
  runRows({
      row(
          "v_sad_u8",
          +[](E, U32 a, U32 b, U32 c) { return U32{byteDistances<false>(a, b) + c.value}; }),
      row(
          "v_msad_u8",
          +[](E, U32 a, U32 b, U32 c) { return U32{byteDistances<true>(a, b) + c.value}; }),
      row(
          "v_sad_hi_u8", +[](E, U32 a, U32 b,
                             U32 c) { return U32{byteDistances<false>(a, b) * 65536 + c.value}; }),
      row(
          "v_sad_u16",
          +[](E, U32 a, U32 b, U32 c) {
            return U32{distance(a.value & 0xffff, b.value & 0xffff) +
                       distance(a.value >> 16, b.value >> 16) + c.value};
          }),
      row(
          "v_sad_u32", +[](E, U32 a, U32 b, U32 c) { return U32{distance(a, b) + c.value}; }),
      row(
          "v_lerp_u8",
          +[](E, U32 a, U32 b, U32 c) {
            Wide result = 0;
            for (int n = 0; n < 4; ++n)
              result |= (byteOf(a, n) + byteOf(b, n) + (byteOf(c, n) & 1)) / 2 << (8 * n);
            return U32{result};
          },
          NoClamp),
  });
}

UNIT_TEST(conversions_that_pack) {
  runRows({
      row("v_cvt_f32_ubyte1", byteAsFloat<1>),
      row("v_cvt_f32_ubyte2", byteAsFloat<2>),
      row(
          "v_cvt_off_f32_i4",
          +[](E, U32 a) {
            const int four = int(a.value & 15);
            return F32{bitsOf(kF32, Num((four < 8 ? four : four - 16) / 16.0))};
          }),
      row("v_cvt_pknorm_i16_f32|v_cvt_pk_norm_i16_f32", packNormalized<true>, NoClamp),
      row("v_cvt_pknorm_u16_f32|v_cvt_pk_norm_u16_f32", packNormalized<false>, NoClamp),
      row("v_cvt_pk_i16_f32", packTruncated<-32768, 32767>, NoClamp),
      row("v_cvt_pk_u16_f32", packTruncated<0, 65535>, NoClamp),
      row(
          "v_cvt_pk_i16_i32",
          +[](E, I32 a, I32 b) {
            return U32{
                pack(std::clamp<Wide>(a, -32768, 32767), std::clamp<Wide>(b, -32768, 32767))};
          },
          NoClamp),
      row(
          "v_cvt_pk_u16_u32",
          +[](E, U32 a, U32 b) {
            return U32{pack(std::min<Wide>(a, 65535), std::min<Wide>(b, 65535))};
          },
          NoClamp),
      row(
          "v_cvt_pk_u8_f32",
          +[](E, F32 a, U32 b, U32 c) {
            const int shift = int(b.value % 4) * 8;
            const Wide byte = saturated(rounded(valueOf(kF32, a.bits), MPFR_RNDN), 0, 255);
            return U32{(c.value & ~(Wide(255) << shift)) | byte << shift};
          },
          NoClamp | NoRoundModes),
  });
}

UNIT_TEST(products_of_older_rules) {
  runRows({
      row("v_fma_dx9_zero_f32", legacyFma),
      row("v_fmac_dx9_zero_f32", legacyFma, Accumulates),
      row("v_mad_f32", multiplyThenAdd),
      row("v_mac_f32", multiplyThenAdd, Accumulates),
  });
}

UNIT_TEST(words_with_literals) {
  for (const char *name : {"v_fmamk_f32", "v_fmaak_f32"})
    runWithLiteral(name, kF32, 0x3fc00000, [](E e, uint64_t a, uint64_t b, uint64_t c) {
      return e.f32(e(F32{a}) * e(F32{b}) + e(F32{c})).bits;
    });
  for (const char *name : {"v_madmk_f32", "v_madak_f32"})
    runWithLiteral(name, kF32, 0x3fc00000, [](E e, uint64_t a, uint64_t b, uint64_t c) {
      return multiplyThenAdd(e, {a}, {b}, {c}).bits;
    });
}

} // namespace isatest
