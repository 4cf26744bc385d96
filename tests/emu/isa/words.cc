// f32, f64 and integers of 32 and 64 bits.
#include "rows.h"

namespace isatest {
namespace {

using E = const Env &;

template <class T> Format formatOf() { return T::type().format; }
template <class T> T finish(E e, const Num &v) {
  return {e.finish(formatOf<T>(), v, e.round(formatOf<T>()))};
}
template <class T> T add(E e, T a, T b) { return finish<T>(e, e(a) + e(b)); }
template <class T> T sub(E e, T a, T b) { return finish<T>(e, e(a) - e(b)); }
template <class T> T subrev(E e, T a, T b) { return finish<T>(e, e(b) - e(a)); }
template <class T> T mul(E e, T a, T b) { return finish<T>(e, e(a) * e(b)); }
template <class T> T fma(E e, T a, T b, T c) { return finish<T>(e, e(a) * e(b) + e(c)); }

enum Family { ByMode, Number, Propagates };
template <class T, Family K> T chosenOf(E e, T a, T b, bool maximum) {
  const Format f = formatOf<T>();
  const Nan nan = K == Propagates            ? Nan::Wins
                  : K == Number || !e.ieee() ? Nan::Ignored
                                             : Nan::QuietsSignaling;
  return {chosen(f, e.flushed(f, a.bits, e.keepsInput(f)), e.flushed(f, b.bits, e.keepsInput(f)),
                 maximum, nan)};
}
template <class T, Family K> T least(E e, T a, T b) { return chosenOf<T, K>(e, a, b, false); }
template <class T, Family K> T greatest(E e, T a, T b) { return chosenOf<T, K>(e, a, b, true); }
template <Family K> F32 least3(E e, F32 a, F32 b, F32 c) {
  return least<F32, K>(e, least<F32, K>(e, a, b), c);
}
template <Family K> F32 greatest3(E e, F32 a, F32 b, F32 c) {
  return greatest<F32, K>(e, greatest<F32, K>(e, a, b), c);
}
template <Family K> F32 minMax(E e, F32 a, F32 b, F32 c) {
  return greatest<F32, K>(e, least<F32, K>(e, a, b), c);
}
template <Family K> F32 maxMin(E e, F32 a, F32 b, F32 c) {
  return least<F32, K>(e, greatest<F32, K>(e, a, b), c);
}
template <Family K> F32 median(E e, F32 a, F32 b, F32 c) {
  if (kF32.isNan(a.bits) || kF32.isNan(b.bits) || kF32.isNan(c.bits))
    return least3<K>(e, a, b, c);
  // By the document's comparisons, which take zeros for equal.
  const Num largest = e(greatest3<K>(e, a, b, c));
  return largest == e(a)   ? greatest<F32, K>(e, b, c)
         : largest == e(b) ? greatest<F32, K>(e, a, c)
                           : greatest<F32, K>(e, a, b);
}

template <class T, mpfr_rnd_t R> T whole(E e, T a) { return finish<T>(e, rounded(e(a), R)); }
template <class T> T fraction(E e, T a) {
  const Format f = formatOf<T>();
  if (e(a).isInf())
    return {f.infinity() | 1};
  T r = finish<T>(e, e(a) - floorOf(e(a)));
  const uint64_t one = uint64_t(f.bias()) << f.mantissa;
  return r.bits == one ? T{one - 1} : r.bits == f.sign() ? T{0} : r;
}
template <class T> T scaled(E e, T a, I32 b) {
  const Wide limited = std::clamp<Wide>(b.value, -5000, 5000);
  return finish<T>(e, timesPower(e(a), long(limited)));
}
template <class T> T mantissa(E e, T a) {
  const Num v = e(a);
  return v.isNan() || v.isInf() || v.isZero()
             ? T{e.flushed(formatOf<T>(), a.bits, e.keepsInput(formatOf<T>()))}
             : finish<T>(e, timesPower(v, -mpfr_get_exp(v.x)));
}
template <class T> I32 exponent(E e, T a) {
  const Num v = e(a);
  return {v.isNan() || v.isInf() || v.isZero() ? 0 : Wide(mpfr_get_exp(v.x))};
}
Wide saturated(const Num &v, Wide low, Wide high) {
  if (v.isNan())
    return 0;
  if (v.isInf() || std::fabs(v.toDouble()) > 1e15)
    return v.negative() ? low : high;
  return std::clamp(Wide(std::trunc(v.toDouble())), low, high);
}
template <class T> I32 toSigned(E, T a) {
  return {saturated(valueOf(formatOf<T>(), a.bits), INT32_MIN, INT32_MAX)};
}
template <class T> U32 toUnsigned(E, T a) {
  return {saturated(valueOf(formatOf<T>(), a.bits), 0, UINT32_MAX)};
}
F32 legacy(E e, F32 a, F32 b) {
  return e(a).isZero() || e(b).isZero() ? F32{0} : finish<F32>(e, e(a) * e(b));
}
Wide low24(Wide v) { return v & 0xffffff; }
Wide signed24(Wide v) { return (v & 0xffffff) - (v & 0x800000) * 2; }
int shift(Wide v, int bits) { return int(uint64_t(v) & unsigned(bits - 1)); }

} // namespace

UNIT_TEST(f32_and_f64_arithmetic) {
  runRows({
      row("v_add_f32", add<F32>),
      row("v_sub_f32", sub<F32>),
      row("v_subrev_f32", subrev<F32>),
      row("v_mul_f32", mul<F32>),
      row("v_fma_f32", fma<F32>),
      row("v_fmac_f32", fma<F32>, Accumulates),
      row("v_mul_legacy_f32|v_mul_dx9_zero_f32", legacy),
      row("v_add_f64", add<F64>),
      row("v_mul_f64", mul<F64>),
      row("v_fma_f64", fma<F64>),
      row("v_fmac_f64", fma<F64>, Accumulates),
      row("v_trunc_f32", whole<F32, MPFR_RNDZ>),
      row("v_ceil_f32", whole<F32, MPFR_RNDU>),
      row("v_floor_f32", whole<F32, MPFR_RNDD>),
      row("v_rndne_f32", whole<F32, MPFR_RNDN>),
      row("v_trunc_f64", whole<F64, MPFR_RNDZ>),
      row("v_ceil_f64", whole<F64, MPFR_RNDU>),
      row("v_floor_f64", whole<F64, MPFR_RNDD>),
      row("v_rndne_f64", whole<F64, MPFR_RNDN>),
      row("v_fract_f32", fraction<F32>, NoRoundModes),
      row("v_fract_f64", fraction<F64>, NoRoundModes),
      row("v_ldexp_f32", scaled<F32>),
      row("v_ldexp_f64", scaled<F64>),
      row("v_frexp_mant_f32", mantissa<F32>),
      row("v_frexp_mant_f64", mantissa<F64>),
      row("v_frexp_exp_i32_f32", exponent<F32>, NoClamp),
      row("v_frexp_exp_i32_f64", exponent<F64>, NoClamp),
  });
}

UNIT_TEST(f32_and_f64_selection) {
  runRows({
      row("v_min_f32", least<F32, ByMode>, Not12),
      row("v_max_f32", greatest<F32, ByMode>, Not12),
      row("v_min_f64", least<F64, ByMode>, Not12),
      row("v_max_f64", greatest<F64, ByMode>, Not12),
      row("v_min_num_f32", least<F32, Number>),
      row("v_max_num_f32", greatest<F32, Number>),
      row("v_min_num_f64", least<F64, Number>),
      row("v_max_num_f64", greatest<F64, Number>),
      row("v_minimum_f32", least<F32, Propagates>),
      row("v_maximum_f32", greatest<F32, Propagates>),
      row("v_minimum_f64", least<F64, Propagates>),
      row("v_maximum_f64", greatest<F64, Propagates>),
      row("v_min3_f32", least3<ByMode>, Not12),
      row("v_max3_f32", greatest3<ByMode>, Not12),
      row("v_med3_f32", median<ByMode>, Not12),
      row("v_minmax_f32", minMax<ByMode>, Not12),
      row("v_maxmin_f32", maxMin<ByMode>, Not12),
      row("v_min3_num_f32", least3<Number>),
      row("v_max3_num_f32", greatest3<Number>),
      row("v_med3_num_f32", median<Number>),
      row("v_minmax_num_f32", minMax<Number>),
      row("v_maxmin_num_f32", maxMin<Number>),
      row("v_minimum3_f32", least3<Propagates>),
      row("v_maximum3_f32", greatest3<Propagates>),
      row("v_minimummaximum_f32", minMax<Propagates>),
      row("v_maximumminimum_f32", maxMin<Propagates>),
  });
}

UNIT_TEST(conversions_of_words) {
  runRows({
      row(
          "v_cvt_f32_i32", +[](E e, I32 a) { return finish<F32>(e, Num(double(a.value))); }),
      row(
          "v_cvt_f32_u32", +[](E e, U32 a) { return finish<F32>(e, Num(double(a.value))); }),
      row(
          "v_cvt_f64_i32", +[](E e, I32 a) { return finish<F64>(e, Num(double(a.value))); }),
      row(
          "v_cvt_f64_u32", +[](E e, U32 a) { return finish<F64>(e, Num(double(a.value))); }),
      row("v_cvt_i32_f32", toSigned<F32>, NoClamp),
      row("v_cvt_u32_f32", toUnsigned<F32>, NoClamp),
      row("v_cvt_i32_f64", toSigned<F64>, NoClamp),
      row("v_cvt_u32_f64", toUnsigned<F64>, NoClamp),
      row(
          "v_cvt_f64_f32", +[](E, F32 a) { return F64{bitsOf(kF64, valueOf(kF32, a.bits))}; },
          NoFlushModes | NoOmod),
      row(
          "v_cvt_f32_f64", +[](E e, F64 a) { return finish<F32>(e, valueOf(kF64, a.bits)); },
          NoFlushModes | NoOmod),
      row(
          "v_cvt_flr_i32_f32|v_cvt_floor_i32_f32",
          +[](E, F32 a) {
            return I32{saturated(floorOf(valueOf(kF32, a.bits)), INT32_MIN, INT32_MAX)};
          },
          NoClamp | NoFlushModes),
      row(
          "v_cvt_rpi_i32_f32|v_cvt_nearest_i32_f32",
          +[](E, F32 a) {
            return I32{
                saturated(floorOf(valueOf(kF32, bitsOf(kF32, valueOf(kF32, a.bits) + Num(0.5)))),
                          INT32_MIN, INT32_MAX)};
          },
          NoClamp | NoFlushModes | NoRoundModes),
      row(
          "v_cvt_f32_ubyte0",
          +[](E, U32 a) { return F32{bitsOf(kF32, Num(double(a.value & 255)))}; }),
      row(
          "v_cvt_f32_ubyte3",
          +[](E, U32 a) { return F32{bitsOf(kF32, Num(double(a.value >> 24 & 255)))}; }),
  });
}

UNIT_TEST(integers_of_32_and_64_bits) {
  runRows({
      row(
          "v_add_u32|v_add_nc_u32", +[](E, U32 a, U32 b) { return U32{a + b}; }),
      row(
          "v_sub_u32|v_sub_nc_u32", +[](E, U32 a, U32 b) { return U32{a - b}; }),
      row(
          "v_subrev_u32|v_subrev_nc_u32", +[](E, U32 a, U32 b) { return U32{b - a}; }),
      row(
          "v_add_i32|v_add_nc_i32", +[](E, I32 a, I32 b) { return I32{a + b}; }),
      row(
          "v_sub_i32|v_sub_nc_i32", +[](E, I32 a, I32 b) { return I32{a - b}; }),
      row(
          "v_add3_u32", +[](E, U32 a, U32 b, U32 c) { return U32{a + b + c}; }, NoClamp),
      row(
          "v_mul_lo_u32", +[](E, U32 a, U32 b) { return U32{a * b}; }, NoClamp),
      row(
          "v_mul_hi_u32", +[](E, U32 a, U32 b) { return U32{a * b >> 32}; }, NoClamp),
      row(
          "v_mul_hi_i32", +[](E, I32 a, I32 b) { return I32{a * b >> 32}; }, NoClamp),
      row(
          "v_mul_u32_u24", +[](E, U32 a, U32 b) { return U32{low24(a) * low24(b)}; }, NoClamp),
      row(
          "v_mul_i32_i24", +[](E, I32 a, I32 b) { return I32{signed24(a) * signed24(b)}; },
          NoClamp),
      row(
          "v_mul_hi_i32_i24", +[](E, I32 a, I32 b) { return I32{signed24(a) * signed24(b) >> 32}; },
          NoClamp),
      row(
          "v_mad_u32_u24", +[](E, U32 a, U32 b, U32 c) { return U32{low24(a) * low24(b) + c}; }),
      row(
          "v_mad_i32_i24",
          +[](E, I32 a, I32 b, I32 c) { return I32{signed24(a) * signed24(b) + c}; }),
      row(
          "v_lshl_add_u32", +[](E, U32 a, U32 b, U32 c) { return U32{(a << shift(b, 32)) + c}; },
          NoClamp),
      row(
          "v_add_lshl_u32", +[](E, U32 a, U32 b, U32 c) { return U32{(a + b) << shift(c, 32)}; },
          NoClamp),
      row(
          "v_lshl_or_b32", +[](E, U32 a, U32 b, U32 c) { return U32{a << shift(b, 32) | c.value}; },
          NoClamp),
      row(
          "v_and_or_b32", +[](E, U32 a, U32 b, U32 c) { return U32{(a & b) | c.value}; }, NoClamp),
      row(
          "v_or3_b32", +[](E, U32 a, U32 b, U32 c) { return U32{a.value | b.value | c.value}; },
          NoClamp),
      row(
          "v_xad_u32", +[](E, U32 a, U32 b, U32 c) { return U32{(a ^ b) + c}; }, NoClamp),
      row(
          "v_lshlrev_b32", +[](E, U32 a, U32 b) { return U32{b.value << shift(a, 32)}; }, NoClamp),
      row(
          "v_lshrrev_b32", +[](E, U32 a, U32 b) { return U32{b.value >> shift(a, 32)}; }, NoClamp),
      row(
          "v_ashrrev_i32", +[](E, U32 a, I32 b) { return I32{b.value >> shift(a, 32)}; }, NoClamp),
      row(
          "v_lshlrev_b64", +[](E, U32 a, U64 b) { return U64{b.value << shift(a, 64)}; }, NoClamp),
      row(
          "v_lshrrev_b64", +[](E, U32 a, U64 b) { return U64{b.value >> shift(a, 64)}; }, NoClamp),
      row(
          "v_ashrrev_i64", +[](E, U32 a, I64 b) { return I64{b.value >> shift(a, 64)}; }, NoClamp),
      row(
          "v_bfe_u32",
          +[](E, U32 a, U32 b, U32 c) {
            return U32{(a >> shift(b, 32)) & ((Wide(1) << shift(c, 32)) - 1)};
          },
          NoClamp),
      row(
          "v_bfi_b32", +[](E, U32 a, U32 b, U32 c) { return U32{(a & b) | (~a.value & c)}; },
          NoClamp),
      row(
          "v_alignbit_b32",
          +[](E, U32 a, U32 b, U32 c) {
            return U32{(a << 32 | b.value) >> shift(c, 32) & 0xffffffff};
          },
          NoClamp),
      row(
          "v_cndmask_b32", +[](E, U32 a, U32 b, Mask m) { return m.set ? b : a; },
          MaskOperand | NoClamp),
  });
}

} // namespace isatest
