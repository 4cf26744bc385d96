// f16, bf16 and integers of 16 bits.
#include "rows.h"

namespace isatest {
namespace {

using E = const Env &;

F16 selected(E e, F16 a, F16 b, bool maximum, Nan nan) {
  return {chosen(kF16, e.flushed(kF16, a.bits, e.keepsInput(kF16)),
                 e.flushed(kF16, b.bits, e.keepsInput(kF16)), maximum, nan)};
}
Nan byMode(E e) { return e.ieee() ? Nan::QuietsSignaling : Nan::Ignored; }
Nan never(E) { return Nan::Ignored; }
Nan always(E) { return Nan::Wins; }

template <Nan (*P)(E)> F16 least(E e, F16 a, F16 b) { return selected(e, a, b, false, P(e)); }
template <Nan (*P)(E)> F16 greatest(E e, F16 a, F16 b) { return selected(e, a, b, true, P(e)); }
template <Nan (*P)(E)> F16 least3(E e, F16 a, F16 b, F16 c) {
  return least<P>(e, least<P>(e, a, b), c);
}
template <Nan (*P)(E)> F16 greatest3(E e, F16 a, F16 b, F16 c) {
  return greatest<P>(e, greatest<P>(e, a, b), c);
}
template <Nan (*P)(E)> F16 minMax(E e, F16 a, F16 b, F16 c) {
  return greatest<P>(e, least<P>(e, a, b), c);
}
template <Nan (*P)(E)> F16 maxMin(E e, F16 a, F16 b, F16 c) {
  return least<P>(e, greatest<P>(e, a, b), c);
}
// The middle one of three numbers; with a NaN the least by the documents.
template <Nan (*P)(E)> F16 median(E e, F16 a, F16 b, F16 c) {
  if (kF16.isNan(a.bits) || kF16.isNan(b.bits) || kF16.isNan(c.bits))
    return least3<P>(e, a, b, c);
  // By the document's comparisons, which take zeros for equal.
  const Num largest = e(greatest3<P>(e, a, b, c));
  return largest == e(a)   ? greatest<P>(e, b, c)
         : largest == e(b) ? greatest<P>(e, a, c)
                           : greatest<P>(e, a, b);
}

F16 fma(E e, F16 a, F16 b, F16 c) { return e.f16(e(a) * e(b) + e(c)); }
F16 mad(E e, F16 a, F16 b, F16 c) { return e.f16(valueOf(kF16, e.f16(e(a) * e(b)).bits) + e(c)); }
Wide saturated(const Num &value, Wide low, Wide high) {
  if (value.isNan())
    return 0;
  if (value.isInf() || std::fabs(value.toDouble()) > 1e9)
    return value.negative() ? low : high;
  return std::clamp(Wide(std::trunc(value.toDouble())), low, high);
}
Num norm(const Num &value, double low, double scale) {
  if (value.isNan())
    return Num(0);
  double d = value.toDouble();
  d = d < low ? low : d > 1 ? 1 : d;
  return rounded(Num(d) * Num(scale), MPFR_RNDN);
}
template <bool Signed> Wide normalized(F16 a) {
  const Num value = valueOf(kF16, a.bits);
  return Wide(norm(value, Signed ? -1 : 0, Signed ? 32767 : 65535).toDouble());
}
template <bool Signed> U32 packNormalized(E, F16 a, F16 b) {
  return {(normalized<Signed>(a) & 0xffff) | (normalized<Signed>(b) & 0xffff) << 16};
}
U32 packTowardZero(E e, F32 a, F32 b) {
  return {e.narrowed(kF16, a.bits, MPFR_RNDZ) | e.narrowed(kF16, b.bits, MPFR_RNDZ) << 16};
}
F16 divisionFixup(E, F16 q, F16 d, F16 n) {
  const uint64_t sign = (d.bits ^ n.bits) & 0x8000;
  if (kF16.isNan(n.bits) || kF16.isNan(d.bits))
    return {0x7e00};
  const Num dv = valueOf(kF16, d.bits), nv = valueOf(kF16, n.bits);
  if ((dv.isZero() && nv.isZero()) || (dv.isInf() && nv.isInf()))
    return {0xfe00};
  if (dv.isZero() || nv.isInf())
    return {sign | 0x7c00};
  if (dv.isInf() || nv.isZero())
    return {sign};
  return {sign | (q.bits & 0x7fff)};
}

} // namespace

UNIT_TEST(f16_arithmetic) {
  runRows({
      row(
          "v_add_f16", +[](E e, F16 a, F16 b) { return e.f16(e(a) + e(b)); }),
      row(
          "v_sub_f16", +[](E e, F16 a, F16 b) { return e.f16(e(a) - e(b)); }),
      row(
          "v_subrev_f16", +[](E e, F16 a, F16 b) { return e.f16(e(b) - e(a)); }),
      row(
          "v_mul_f16", +[](E e, F16 a, F16 b) { return e.f16(e(a) * e(b)); }),
      row("v_fma_f16", fma, Keeps9),
      row("v_fma_legacy_f16", fma),
      row("v_fmac_f16", fma, Accumulates),
      row("v_mad_f16", mad, Keeps9),
      row("v_mad_legacy_f16", mad),
      row("v_mac_f16", mad, Accumulates),
      row(
          "v_trunc_f16", +[](E e, F16 a) { return e.f16(rounded(e(a), MPFR_RNDZ)); }),
      row(
          "v_ceil_f16", +[](E e, F16 a) { return e.f16(rounded(e(a), MPFR_RNDU)); }),
      row(
          "v_floor_f16", +[](E e, F16 a) { return e.f16(rounded(e(a), MPFR_RNDD)); }),
      row(
          "v_rndne_f16", +[](E e, F16 a) { return e.f16(rounded(e(a), MPFR_RNDN)); }),
      row(
          "v_fract_f16",
          +[](E e, F16 a) {
            if (e(a).isInf())
              return F16{0x7e00};
            F16 f = e.f16(e(a) - floorOf(e(a)));
            return f.bits == 0x3c00 ? F16{0x3bff} : f.bits == 0x8000 ? F16{0} : f;
          }),
      row(
          "v_ldexp_f16", +[](E e, F16 a, I16 b) { return e.f16(timesPower(e(a), long(b.value))); }),
      row(
          "v_frexp_mant_f16",
          +[](E e, F16 a) {
            Num v = e(a);
            return v.isNan() || v.isInf() || v.isZero()
                       ? F16{e.flushed(kF16, a.bits, e.keepsInput(kF16))}
                       : e.f16(timesPower(v, -mpfr_get_exp(v.x)));
          }),
      row(
          "v_frexp_exp_i16_f16",
          +[](E e, F16 a) {
            Num v = e(a);
            return I16{v.isNan() || v.isInf() || v.isZero() ? 0 : Wide(mpfr_get_exp(v.x))};
          },
          NoClamp),
      row("v_div_fixup_f16", divisionFixup, Keeps9),
      row("v_div_fixup_legacy_f16", divisionFixup),
  });
}

// 255 is also the number that stands for a literal among source operands.
UNIT_TEST(f16_with_literals) {
  for (uint32_t literal : {0x3e66u, 255u}) {
    for (const char *name : {"v_fmamk_f16", "v_fmaak_f16"})
      runWithLiteral(name, kF16, literal, [](E e, uint64_t a, uint64_t b, uint64_t c) {
        return fma(e, {a}, {b}, {c}).bits;
      });
    for (const char *name : {"v_madmk_f16", "v_madak_f16"})
      runWithLiteral(name, kF16, literal, [](E e, uint64_t a, uint64_t b, uint64_t c) {
        return mad(e, {a}, {b}, {c}).bits;
      });
  }
}

UNIT_TEST(f16_selection) {
  runRows({
      row("v_min_f16", least<byMode>, Not12),
      row("v_max_f16", greatest<byMode>, Not12),
      row("v_min3_f16", least3<byMode>, Keeps9 | Not12),
      row("v_max3_f16", greatest3<byMode>, Keeps9 | Not12),
      row("v_med3_f16", median<byMode>, Keeps9 | Not12),
      row("v_minmax_f16", minMax<byMode>, Not12),
      row("v_maxmin_f16", maxMin<byMode>, Not12),
      row("v_min_num_f16", least<never>),
      row("v_max_num_f16", greatest<never>),
      row("v_min3_num_f16", least3<never>),
      row("v_max3_num_f16", greatest3<never>),
      row("v_med3_num_f16", median<never>),
      row("v_minmax_num_f16", minMax<never>),
      row("v_maxmin_num_f16", maxMin<never>),
      row("v_minimum_f16", least<always>),
      row("v_maximum_f16", greatest<always>),
      row("v_minimum3_f16", least3<always>),
      row("v_maximum3_f16", greatest3<always>),
      row("v_minimummaximum_f16", minMax<always>),
      row("v_maximumminimum_f16", maxMin<always>),
  });
}

UNIT_TEST(f16_conversions) {
  runRows({
      row(
          "v_cvt_f16_f32", +[](E e, F32 a) { return e.f16(valueOf(kF32, a.bits)); }),
      row(
          "v_cvt_f32_f16", +[](E e, F16 a) { return F32{bitsOf(kF32, e(a))}; }),
      row(
          "v_cvt_f32_bf16", +[](E, BF16 a) { return F32{bitsOf(kF32, valueOf(kBf16, a.bits))}; }),
      row(
          "v_cvt_f16_u16", +[](E e, U16 a) { return e.f16(Num(double(a.value))); }),
      row(
          "v_cvt_f16_i16", +[](E e, I16 a) { return e.f16(Num(double(a.value))); }),
      row(
          "v_cvt_u16_f16",
          +[](E, F16 a) { return U16{saturated(valueOf(kF16, a.bits), 0, 65535)}; }, NoClamp),
      row(
          "v_cvt_i16_f16",
          +[](E, F16 a) { return I16{saturated(valueOf(kF16, a.bits), -32768, 32767)}; }, NoClamp),
      row(
          "v_cvt_i32_i16", +[](E, I16 a) { return I32{a.value}; }),
      row(
          "v_cvt_u32_u16", +[](E, U16 a) { return U32{a.value}; }),
      row(
          "v_cvt_norm_i16_f16", +[](E, F16 a) { return I16{normalized<true>(a)}; }, NoClamp),
      row(
          "v_cvt_norm_u16_f16", +[](E, F16 a) { return U16{normalized<false>(a)}; }, NoClamp),
      row("v_cvt_pknorm_i16_f16|v_cvt_pk_norm_i16_f16", packNormalized<true>, NoClamp),
      row("v_cvt_pknorm_u16_f16|v_cvt_pk_norm_u16_f16", packNormalized<false>, NoClamp),
      row("v_cvt_pkrtz_f16_f32|v_cvt_pk_rtz_f16_f32", packTowardZero, NoClamp),
      row(
          "v_cvt_pk_f16_f32",
          +[](E e, F32 a, F32 b) {
            return U32{e.narrowed(kF16, a.bits, MPFR_RNDN) | e.narrowed(kF16, b.bits, MPFR_RNDN)
                                                                 << 16};
          },
          NoClamp),
      row(
          "v_cvt_pk_bf16_f32",
          +[](E e, F32 a, F32 b) {
            return U32{e.narrowed(kBf16, a.bits, MPFR_RNDN) | e.narrowed(kBf16, b.bits, MPFR_RNDN)
                                                                  << 16};
          },
          NoClamp),
      row(
          "v_pack_b32_f16",
          +[](E, F16 a, F16 b) { return U32{Wide(a.bits) | Wide(b.bits) << 16}; }),
      row(
          "v_sat_pk_u8_i16",
          +[](E, U32 a) {
            auto byte = [](Wide v) { return v & 0x8000 ? Wide(0) : std::min<Wide>(v, 255); };
            return U16{byte(a.value & 0xffff) | byte(a.value >> 16) << 8};
          }),
      row(
          "v_ashr_pk_i8_i32",
          +[](E, I32 a, I32 b, U32 c) {
            auto part = [&](Wide v) {
              return std::clamp<Wide>(v >> int(c.value & 31), -128, 127) & 0xff;
            };
            return U16{part(a.value) | part(b.value) << 8};
          },
          Keeps9),
      row(
          "v_ashr_pk_u8_i32",
          +[](E, I32 a, I32 b, U32 c) {
            auto part = [&](Wide v) { return std::clamp<Wide>(v >> int(c.value & 31), 0, 255); };
            return U16{part(a.value) | part(b.value) << 8};
          },
          Keeps9),
  });
}

UNIT_TEST(integers_of_16_bits) {
  runRows({
      row(
          "v_add_u16|v_add_nc_u16", +[](E, U16 a, U16 b) { return U16{a + b}; }),
      row(
          "v_add_i16|v_add_nc_i16", +[](E, I16 a, I16 b) { return I16{a + b}; }, Keeps9),
      row(
          "v_sub_u16|v_sub_nc_u16", +[](E, U16 a, U16 b) { return U16{a - b}; }),
      row(
          "v_sub_i16|v_sub_nc_i16", +[](E, I16 a, I16 b) { return I16{a - b}; }, Keeps9),
      row(
          "v_subrev_u16", +[](E, U16 a, U16 b) { return U16{b - a}; }),
      row(
          "v_mul_lo_u16", +[](E, U16 a, U16 b) { return U16{a * b}; }, NoClamp),
      row(
          "v_mad_u16", +[](E, U16 a, U16 b, U16 c) { return U16{a * b + c}; }, Keeps9),
      row(
          "v_mad_legacy_u16", +[](E, U16 a, U16 b, U16 c) { return U16{a * b + c}; }),
      row(
          "v_mad_i16", +[](E, I16 a, I16 b, I16 c) { return I16{a * b + c}; }, Keeps9),
      row(
          "v_mad_legacy_i16", +[](E, I16 a, I16 b, I16 c) { return I16{a * b + c}; }),
      row(
          "v_mad_u32_u16", +[](E, U16 a, U16 b, U32 c) { return U32{a * b + c}; }),
      row(
          "v_mad_i32_i16", +[](E, I16 a, I16 b, I32 c) { return I32{a * b + c}; }),
      row(
          "v_min_u16", +[](E, U16 a, U16 b) { return a.value < b.value ? a : b; }, NoClamp),
      row(
          "v_max_u16", +[](E, U16 a, U16 b) { return a.value < b.value ? b : a; }, NoClamp),
      row(
          "v_min_i16", +[](E, I16 a, I16 b) { return a.value < b.value ? a : b; }, NoClamp),
      row(
          "v_max_i16", +[](E, I16 a, I16 b) { return a.value < b.value ? b : a; }, NoClamp),
      row(
          "v_min3_u16",
          +[](E, U16 a, U16 b, U16 c) { return U16{std::min({a.value, b.value, c.value})}; },
          Keeps9),
      row(
          "v_max3_u16",
          +[](E, U16 a, U16 b, U16 c) { return U16{std::max({a.value, b.value, c.value})}; },
          Keeps9),
      row(
          "v_med3_u16",
          +[](E, U16 a, U16 b, U16 c) {
            return U16{a.value + b.value + c.value - std::min({a.value, b.value, c.value}) -
                       std::max({a.value, b.value, c.value})};
          },
          Keeps9),
      row(
          "v_min3_i16",
          +[](E, I16 a, I16 b, I16 c) { return I16{std::min({a.value, b.value, c.value})}; },
          Keeps9),
      row(
          "v_max3_i16",
          +[](E, I16 a, I16 b, I16 c) { return I16{std::max({a.value, b.value, c.value})}; },
          Keeps9),
      row(
          "v_med3_i16",
          +[](E, I16 a, I16 b, I16 c) {
            return I16{a.value + b.value + c.value - std::min({a.value, b.value, c.value}) -
                       std::max({a.value, b.value, c.value})};
          },
          Keeps9),
      row(
          "v_lshlrev_b16", +[](E, U16 a, U16 b) { return U16{b.value << int(a.value & 15)}; },
          NoClamp),
      row(
          "v_lshrrev_b16", +[](E, U16 a, U16 b) { return U16{b.value >> int(a.value & 15)}; },
          NoClamp),
      row(
          "v_ashrrev_i16", +[](E, U16 a, I16 b) { return I16{b.value >> int(a.value & 15)}; },
          NoClamp),
      row(
          "v_and_b16", +[](E, U16 a, U16 b) { return U16{a.value & b.value}; }),
      row(
          "v_or_b16", +[](E, U16 a, U16 b) { return U16{a.value | b.value}; }),
      row(
          "v_xor_b16", +[](E, U16 a, U16 b) { return U16{a.value ^ b.value}; }),
      row(
          "v_not_b16", +[](E, U16 a) { return U16{~a.value}; }, NoClamp),
      row(
          "v_mov_b16", +[](E, U16 a) { return a; }),
      row(
          "v_cndmask_b16", +[](E, U16 a, U16 b, Mask m) { return m.set ? b : a; }, MaskOperand),
  });
}

} // namespace isatest
