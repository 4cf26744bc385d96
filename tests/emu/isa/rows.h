// A row per instruction: what it gives for one lane, from reference.h and integers. runRow executes
// it on every chip that has it: with random and special values, partial EXEC, and each kind of
// modifier, whose effects are computed here once for all instructions.
#pragma once

#include "machine.h"
#include "reference.h"

#include <array>
#include <functional>

namespace isatest {

using Wide = __int128;

struct Type {
  unsigned bits;
  bool isFloat, isSigned, isMask;
  Format format;
  unsigned registers() const { return bits == 64 ? 2 : 1; }
  uint64_t mask() const { return bits == 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1; }
};

template <unsigned Bits, class F> struct FloatValue {
  uint64_t bits;
  static Type type() { return {Bits, true, false, false, F::format()}; }
};
struct HalfFormat {
  static Format format() { return kF16; }
};
struct BfloatFormat {
  static Format format() { return kBf16; }
};
struct SingleFormat {
  static Format format() { return kF32; }
};
struct DoubleFormat {
  static Format format() { return kF64; }
};
using F16 = FloatValue<16, HalfFormat>;
using BF16 = FloatValue<16, BfloatFormat>;
using F32 = FloatValue<32, SingleFormat>;
using F64 = FloatValue<64, DoubleFormat>;

/// As a source its value, as a result the exact one, cut off or saturated by runRow.
template <unsigned Bits, bool Signed> struct Integer {
  Wide value;
  operator Wide() const { return value; }
  static Type type() { return {Bits, false, Signed, false, kF32}; }
};
using U16 = Integer<16, false>;
using I16 = Integer<16, true>;
using U32 = Integer<32, false>;
using I32 = Integer<32, true>;
using U64 = Integer<64, false>;
using I64 = Integer<64, true>;
/// A lane's bit of VCC.
struct Mask {
  bool set;
  static Type type() { return {1, false, false, true, kF32}; }
};
template <class T> struct WithBit {
  T value;
  bool bit;
};

/// MODE, as the functions of rows see it.
struct Env {
  uint32_t mode;
  bool isGfx9, isGfx12;
  std::string chip;

  bool ieee() const { return mode >> 9 & 1; }
  bool keepsInput(Format f) const { return mode >> (f.bits() == 32 ? 4 : 6) & 1; }
  bool keepsOutput(Format f) const { return mode >> (f.bits() == 32 ? 5 : 7) & 1; }
  mpfr_rnd_t round(Format f) const { return direction(f.bits() == 32 ? mode : mode >> 2); }

  template <unsigned B, class F> Num operator()(FloatValue<B, F> a) const {
    return valueOf(F::format(), flushed(F::format(), a.bits, keepsInput(F::format())));
  }
  static uint64_t flushed(Format f, uint64_t bits, bool keeps) {
    return !keeps && f.isDenormal(bits) ? bits & f.sign() : bits;
  }
  /// Rounds by MODE; flushes as it says.
  uint64_t finish(Format f, const Num &value, mpfr_rnd_t round) const {
    uint64_t bits = bitsOf(f, value, round);
    if (f.bits() == 16 && f.mantissa == 10 && mode >> 23 & 1 && !value.isInf() &&
        (bits & 0x7fff) == 0x7c00)
      bits -= 1; // FP16_OVFL
    return flushed(f, bits, keepsOutput(f));
  }
  /// Narrowed whatever it is: a NaN keeps its sign.
  Wide narrowed(Format f, uint64_t single, mpfr_rnd_t round) const {
    if (kF32.isNan(single))
      return Wide((single >> 31) << (f.bits() - 1) | bitsOf(f, valueOf(kF32, single)));
    return Wide(f.mantissa == 10 ? finish(f, valueOf(kF32, single), round)
                                 : bitsOf(f, valueOf(kF32, single), round));
  }
  F16 f16(const Num &value) const { return {finish(kF16, value, round(kF16))}; }
  F16 f16(const Num &value, mpfr_rnd_t round) const { return {finish(kF16, value, round)}; }
  F32 f32(const Num &value) const { return {finish(kF32, value, round(kF32))}; }
  F64 f64(const Num &value) const { return {finish(kF64, value, round(kF64))}; }
};

struct Outcome {
  uint64_t bits = 0; // of floats
  Wide exact = 0;    // of integers
  bool bit = false;
};

enum RowFlag : unsigned {
  Keeps9 = 1,        // a 16-bit result leaves the other half alone on gfx9 too
  MaskOperand = 2,   // the mask is written: v_cndmask
  ScalarResult = 4,  // a second, scalar result is written: v_div_scale
  Accumulates = 8,   // the last source is the old result and not written
  NoFlushModes = 16, // not run under other denormal modes
  NoRoundModes = 32,
  NoClamp = 64,
  NoOmod = 128,
  NoSigns = 256,
  Not12 = 512, // gfx12 and gfx11: the name is an alias of another instruction
  Not11 = 1024,
};

struct Row {
  std::string names; // "v_add_u16|v_add_nc_u16"
  std::vector<Type> sources;
  Type result;
  bool hasBit = false;
  std::function<Outcome(const Env &, const uint64_t *)> function;
  unsigned flags = 0;
};

namespace detail {
template <class T> T argument(uint64_t bits) {
  const Type type = T::type();
  if constexpr (std::is_same_v<T, Mask>)
    return {bits != 0};
  else if constexpr (requires(T t) { t.value; }) {
    Wide value = Wide(bits);
    if (type.isSigned && bits >> (type.bits - 1) & 1)
      value -= Wide(1) << type.bits;
    return {value};
  } else
    return {bits};
}
template <class R> Outcome outcome(const R &r) {
  if constexpr (requires { r.bit; }) {
    Outcome result = outcome(r.value);
    result.bit = r.bit;
    return result;
  } else if constexpr (requires { r.value; })
    return {0, r.value, false};
  else
    return {r.bits, 0, false};
}
template <class R> struct ResultOf {
  using Type = R;
  static constexpr bool hasBit = false;
};
template <class T> struct ResultOf<WithBit<T>> {
  using Type = T;
  static constexpr bool hasBit = true;
};
template <class R, class... A, size_t... I>
Row makeRow(const char *names, R (*f)(const Env &, A...), unsigned flags,
            std::index_sequence<I...>) {
  Row row;
  row.names = names;
  row.sources = {A::type()...};
  row.result = ResultOf<R>::Type::type();
  row.hasBit = ResultOf<R>::hasBit;
  row.function = [f](const Env &e, const uint64_t *in) {
    return outcome(f(e, argument<A>(in[I])...));
  };
  row.flags = flags;
  return row;
}
} // namespace detail

template <class R, class... A>
Row row(const char *names, R (*f)(const Env &, A...), unsigned flags = 0) {
  return detail::makeRow(names, f, flags, std::index_sequence_for<A...>());
}

/// The bits of a result without clamp, and with it.
uint64_t plainResult(const Type &type, const Outcome &outcome);
uint64_t clampedResult(const Type &type, const Env &e, const Outcome &outcome);

/// Instructions with a literal, as second source or, in those named "ak", as third: the formula of
/// their three sources, on all chips that have one.
void runWithLiteral(const std::string &name, Format format, uint32_t literal,
                    uint64_t (*formula)(const Env &, uint64_t, uint64_t, uint64_t));

/// "v_add_u16|v_add_nc_u16", one by one.
std::vector<std::string> namesOf(const std::string &names);

/// Executes a row on all chips that have it; fails when none has.
void runRow(const Row &row);
inline void runRows(const std::vector<Row> &rows) {
  for (const Row &one : rows)
    runRow(one);
}

} // namespace isatest
