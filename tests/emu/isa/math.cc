// Approximated functions, the steps of division, and the rest of valu_math.cc.
#include "rows.h"

namespace isatest {
namespace {

using E = const Env &;
using Function = Num (*)(const Num &);

Num one() { return Num(1); }
Num reciprocal(const Num &a) { return one() / a; }
Num reciprocalRoot(const Num &a) {
  if (a.isZero())
    return one() / a; // with the zero's sign
  return approximate(mpfr_rec_sqrt, a);
}
Num root(const Num &a) { return approximate(mpfr_sqrt, a); }
Num power(const Num &a) {
  // Beyond all formats: MPFR need not work for it.
  if (!a.isNan() && !a.isInf() && std::fabs(a.toDouble()) > 5000)
    return a.negative() ? timesPower(one(), -5000) : timesPower(one(), 5000);
  return approximate(mpfr_exp2, a);
}
Num logarithm(const Num &a) { return approximate(mpfr_log2, a); }
int sineOfTurns(mpfr_ptr r, mpfr_srcptr a, mpfr_rnd_t round) { return mpfr_sinu(r, a, 1, round); }
int cosineOfTurns(mpfr_ptr r, mpfr_srcptr a, mpfr_rnd_t round) { return mpfr_cosu(r, a, 1, round); }
bool isOut(const Num &a) { return !a.isNan() && !a.isInf() && std::fabs(a.toDouble()) > 256; }
Num sine(const Num &a) {
  if (isOut(a)) {
    Num zero(0);
    return a.negative() ? -zero : zero;
  }
  return approximate(sineOfTurns, a);
}
Num cosine(const Num &a) { return isOut(a) ? one() : approximate(cosineOfTurns, a); }

// f32: denormals are flushed whatever MODE says.
template <Function F> F32 single(E, F32 a) {
  const Num value = F(valueOf(kF32, Env::flushed(kF32, a.bits, false)));
  return {Env::flushed(kF32, bitsOf(kF32, value), false)};
}
template <Function F> F16 half(E e, F16 a) { return e.f16(F(e(a)), MPFR_RNDN); }
template <Function F> F64 whole(E, F64 a) { return {bitsOf(kF64, F(valueOf(kF64, a.bits)))}; }

template <class T, Format (*F)()> T fixup(E, T q, T d, T n) {
  const Format f = F();
  const uint64_t sign = (d.bits ^ n.bits) & f.sign(), nan = f.infinity() | 1;
  if (f.isNan(n.bits) || f.isNan(d.bits))
    return {nan};
  const Num dv = valueOf(f, d.bits), nv = valueOf(f, n.bits);
  if ((dv.isZero() && nv.isZero()) || (dv.isInf() && nv.isInf()))
    return {nan};
  if (dv.isZero() || nv.isInf())
    return {sign | f.infinity()};
  auto exponent = [&](uint64_t v) { return int(v >> f.mantissa & ((1 << f.exponent) - 1)); };
  const int limit = f.bits() == 32 ? -150 : -1075;
  if (dv.isInf() || nv.isZero() || exponent(n.bits) - exponent(d.bits) < limit)
    return {sign};
  if (f.isNan(q.bits))
    return {sign | f.infinity()};
  return {sign | (q.bits & (f.sign() - 1))};
}
Format formatOfSingle() { return kF32; }
Format formatOfDouble() { return kF64; }

template <class T, Format (*F)()> T lastStep(E e, T a, T b, T c, Mask scaled) {
  const Format f = F();
  Num sum = e(a) * e(b) + e(c);
  if (scaled.set) {
    const uint64_t exponent = c.bits >> f.mantissa & ((uint64_t(1) << f.exponent) - 1);
    const long power = f.bits() == 32 ? 64 : 128;
    sum = timesPower(sum, exponent > uint64_t(f.bias()) ? power : -power);
  }
  return {e.finish(f, sum, e.round(f))};
}

int cubeAxis(const Num &x, const Num &y, const Num &z) {
  auto size = [](const Num &n) { return n.negative() ? -n : n; };
  const Num ax = size(x), ay = size(y), az = size(z);
  if (!(az < ax) && !(az < ay))
    return 2;
  return !(ay < ax) ? 1 : 0;
}

} // namespace

UNIT_TEST(approximated_functions_are_rounded_right) {
  const unsigned flags = NoRoundModes;
  runRows({
      row("v_rcp_f32|v_rcp_iflag_f32", single<reciprocal>, flags),
      row("v_rsq_f32", single<reciprocalRoot>, flags),
      row("v_sqrt_f32", single<root>, flags),
      row("v_exp_f32", single<power>, flags),
      row("v_exp_legacy_f32", single<power>, flags),
      row("v_log_f32", single<logarithm>, flags),
      row("v_log_legacy_f32", single<logarithm>, flags),
      row("v_sin_f32", single<sine>, flags),
      row("v_cos_f32", single<cosine>, flags),
      row("v_rcp_f16", half<reciprocal>, flags),
      row("v_rsq_f16", half<reciprocalRoot>, flags),
      row("v_sqrt_f16", half<root>, flags),
      row("v_exp_f16", half<power>, flags),
      row("v_log_f16", half<logarithm>, flags),
      row("v_sin_f16", half<sine>, flags),
      row("v_cos_f16", half<cosine>, flags),
      row("v_rcp_f64", whole<reciprocal>, flags | NoFlushModes),
      row("v_rsq_f64", whole<reciprocalRoot>, flags | NoFlushModes),
      row("v_sqrt_f64", whole<root>, flags | NoFlushModes),
  });
}

UNIT_TEST(all_halves_of_approximated_functions) {
  struct {
    const char *name;
    Function function;
  } functions[] = {{"v_rcp_f16", reciprocal}, {"v_rsq_f16", reciprocalRoot}, {"v_sqrt_f16", root},
                   {"v_exp_f16", power},      {"v_log_f16", logarithm},      {"v_sin_f16", sine},
                   {"v_cos_f16", cosine}};
  Machine machine("gfx942");
  for (auto &f : functions) {
    REQUIRE(machine.load(std::string(f.name) + " v40, v8"));
    int wrong = 0;
    for (uint32_t first = 0; first < 0x10000; first += 64) {
      for (uint32_t l = 0; l < 64; ++l)
        machine.v(8, l) = first + l;
      REQUIRE(machine.run());
      for (uint32_t l = 0; l < 64; ++l) {
        const uint64_t expected = bitsOf(kF16, f.function(valueOf(kF16, first + l)));
        const uint32_t got = machine.v(40, l);
        wrong += !sameFloat(kF16, got, expected);
      }
    }
    CHECK_EQ(std::string(f.name) + " " + std::to_string(wrong), std::string(f.name) + " 0");
  }
}

UNIT_TEST(scalar_functions) {
  struct {
    const char *name;
    Function function;
  } functions[] = {{"v_s_rcp", reciprocal},
                   {"v_s_rsq", reciprocalRoot},
                   {"v_s_sqrt", root},
                   {"v_s_exp", power},
                   {"v_s_log", logarithm}};
  Machine machine("gfx1201");
  Words words(3);
  for (auto &f : functions)
    for (unsigned bits : {32u, 16u}) {
      const Format format = bits == 32 ? kF32 : kF16;
      for (const char *source : {"s8", "-s8", "|s8|"}) {
        REQUIRE(
            machine.load(std::string(f.name) + (bits == 32 ? "_f32" : "_f16") + " s9, " + source));
        for (int n = 0; n < 40; ++n) {
          uint64_t value = words.next(bits);
          machine.wave.s[8] = uint32_t(value) | (bits == 16 ? 0xabcd0000 : 0);
          machine.wave.s[9] = 0xffffffff;
          machine.setExec(n % 2 ? 0 : 0xf0); // it does not matter
          REQUIRE(machine.run());
          if (source[0] == '|')
            value &= format.sign() - 1;
          if (source[0] == '-')
            value ^= format.sign();
          uint64_t expected =
              bitsOf(format, f.function(valueOf(format, Env::flushed(format, value, bits == 16))));
          expected = Env::flushed(format, expected, bits == 16);
          const uint32_t got = machine.wave.s[9];
          CHECK(sameFloat(format, got, expected));
        }
      }
    }
}

UNIT_TEST(perturbation_moves_what_is_not_exact) {
  for (unsigned units : {1u, 3u}) {
    Machine machine("gfx942");
    machine.options.perturbation = units;
    REQUIRE(machine.load("v_exp_f32 v40, v8\nv_rcp_f32 v41, v9\nv_exp_f16 v42, v10\n"
                         "v_rsq_f64 v[44:45], v[12:13]"));
    int moved = 0, tooFar = 0, exactMoved = 0;
    unsigned reached = 0;
    for (unsigned l = 0; l < 64; ++l) {
      const double value = 0.01 + l * 0.137;
      machine.v(8, l) = uint32_t(bitsOf(kF32, Num(value)));
      machine.v(9, l) = uint32_t(bitsOf(kF32, Num(std::ldexp(1.0, int(l) - 32))));
      machine.v(10, l) = uint32_t(bitsOf(kF16, Num(value)));
      const uint64_t wide = bitsOf(kF64, Num(value));
      machine.v(12, l) = uint32_t(wide), machine.v(13, l) = uint32_t(wide >> 32);
    }
    REQUIRE(machine.run());
    std::vector<uint32_t> first;
    for (unsigned l = 0; l < 64; ++l) {
      auto distance = [&](Format f, uint64_t input, uint64_t got, Function function) {
        return std::llabs(int64_t(got) - int64_t(bitsOf(f, function(valueOf(f, input)))));
      };
      const auto e32 = distance(kF32, machine.v(8, l), machine.v(40, l), power),
                 e16 = distance(kF16, machine.v(10, l), machine.v(42, l), power),
                 e64 =
                     distance(kF64, machine.v(12, l) | uint64_t(machine.v(13, l)) << 32,
                              machine.v(44, l) | uint64_t(machine.v(45, l)) << 32, reciprocalRoot);
      moved += e32 != 0;
      reached = std::max(reached, unsigned(e32));
      tooFar += e32 > units || e16 > units || e64 > (int64_t(units) << 29);
      exactMoved += distance(kF32, machine.v(9, l), machine.v(41, l), reciprocal) != 0;
      first.push_back(machine.v(40, l));
    }
    CHECK(moved > 20);
    CHECK_EQ(reached, units);
    CHECK_EQ(tooFar, 0);
    CHECK_EQ(exactMoved, 0);
    // Equal arguments, equal results; another seed, others.
    REQUIRE(machine.run());
    int same = 0;
    for (unsigned l = 0; l < 64; ++l)
      same += machine.v(40, l) == first[l];
    CHECK_EQ(same, 64);
    machine.options.seed = 12345;
    REQUIRE(machine.run());
    same = 0;
    for (unsigned l = 0; l < 64; ++l)
      same += machine.v(40, l) == first[l];
    CHECK(same < 60);
  }
}

namespace {

struct Approximated {
  const char *name; // of the vector instruction; V_S_... are the same functions
  Format format;
  Function function;
};
const Approximated kApproximated[] = {
    {"rcp_f32", kF32, reciprocal},     {"rcp_iflag_f32", kF32, reciprocal},
    {"rsq_f32", kF32, reciprocalRoot}, {"sqrt_f32", kF32, root},
    {"exp_f32", kF32, power},          {"exp_legacy_f32", kF32, power},
    {"log_f32", kF32, logarithm},      {"log_legacy_f32", kF32, logarithm},
    {"sin_f32", kF32, sine},           {"cos_f32", kF32, cosine},
    {"rcp_f16", kF16, reciprocal},     {"rsq_f16", kF16, reciprocalRoot},
    {"sqrt_f16", kF16, root},          {"exp_f16", kF16, power},
    {"log_f16", kF16, logarithm},      {"sin_f16", kF16, sine},
    {"cos_f16", kF16, cosine},         {"rcp_f64", kF64, reciprocal},
    {"rsq_f64", kF64, reciprocalRoot}, {"sqrt_f64", kF64, root},
};

// How far results are from the rounded ones, in units of noise.
struct Distances {
  int moved = 0, count = 0;
  int64_t most = 0;
  void add(const Approximated &a, uint64_t input, uint64_t got) {
    const int64_t unit = a.format.bits() == 64 ? int64_t(1) << 29 : 1;
    const int64_t distance =
        std::llabs(int64_t(got) - int64_t(bitsOf(a.format, a.function(valueOf(a.format, input)))));
    moved += distance != 0, ++count;
    most = std::max(most, (distance + unit - 1) / unit);
  }
  bool good(unsigned units) const { return most <= units && moved > count / 4; }
};

// Neither whole numbers nor simple fractions: no result is exact.
uint64_t inexact(Format f, unsigned n) { return bitsOf(f, Num(0.2613 + n * 0.01737)); }

// The ways to write it: what follows the name, and by how much the result is shifted.
struct Form {
  std::string suffix, operands;
  unsigned shift = 0;
};
std::vector<Form> formsOf(Format f) {
  if (f.bits() == 64)
    return {{"", "v[40:41], v[8:9]"}, {"_e64", "v[40:41], |v[8:9]|"}};
  std::vector<Form> forms = {
      {"", "v40, v8"},
      {"_e64", "v40, |v8|"},
      {"_dpp", "v40, v8 quad_perm:[0,1,2,3] row_mask:0xf bank_mask:0xf"},
      {"_sdwa", "v40, v8 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:DWORD"}};
  if (f.bits() == 16) {
    forms.push_back({"", "v40.h, v8.l", 16});
    forms.push_back({"_sdwa", "v40, v8 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:WORD_0", 16});
  }
  return forms;
}

bool perturbs(const Approximated &a, const Form &form, const std::string &chip, unsigned units) {
  Machine machine(chip);
  machine.options.perturbation = units;
  const std::string text = std::string("v_") + a.name + form.suffix + " " + form.operands;
  if (!machine.load(text))
    return false;
  for (unsigned l = 0; l < machine.lanes(); ++l) {
    const uint64_t input = inexact(a.format, l);
    machine.v(8, l) = uint32_t(input), machine.v(9, l) = uint32_t(input >> 32);
  }
  if (!machine.run())
    return false;
  Distances distances;
  for (unsigned l = 0; l < machine.lanes(); ++l) {
    uint64_t got = machine.v(40, l) >> form.shift;
    if (a.format.bits() == 64)
      got |= uint64_t(machine.v(41, l)) << 32;
    else if (a.format.bits() == 16)
      got &= 0xffff;
    distances.add(a, inexact(a.format, l), got);
  }
  if (!distances.good(units))
    unit::fail(__FILE__, __LINE__,
               chip + " " + text + ": " + std::to_string(distances.moved) + " of " +
                   std::to_string(distances.count) + " moved, by up to " +
                   std::to_string(distances.most));
  return true;
}

} // namespace

UNIT_TEST(perturbation_reaches_every_form) {
  for (const Approximated &a : kApproximated) {
    bool ran = false;
    for (const std::string &chip : kChips)
      for (const Form &form : formsOf(a.format))
        for (unsigned units : {1u, 4u})
          ran |= perturbs(a, form, chip, units);
    if (!ran)
      unit::fail(__FILE__, __LINE__, std::string(a.name) + ": no chip has it");
  }
}

UNIT_TEST(perturbation_reaches_scalar_functions) {
  int functions = 0;
  for (const Approximated &a : kApproximated) {
    Machine machine("gfx1201");
    machine.options.perturbation = 1;
    if (!machine.load(std::string("v_s_") + a.name + " s9, s8"))
      continue;
    ++functions;
    Distances distances;
    for (unsigned n = 0; n < 32; ++n) {
      const uint64_t input = inexact(a.format, n);
      machine.wave.s[8] = uint32_t(input);
      REQUIRE(machine.run());
      distances.add(a, input, machine.wave.s[9]);
    }
    CHECK(distances.good(1));
  }
  CHECK_EQ(functions, 10); // five, in f32 and f16
}

UNIT_TEST(steps_of_division) {
  runRows({
      row("v_div_fixup_f32", fixup<F32, formatOfSingle>, NoFlushModes | NoOmod),
      row("v_div_fixup_f64", fixup<F64, formatOfDouble>, NoFlushModes | NoOmod),
      row("v_div_fmas_f32", lastStep<F32, formatOfSingle>),
      row("v_div_fmas_f64", lastStep<F64, formatOfDouble>),
  });
}

namespace {
// The compiler's sequence; %s is the place for a discarded mask.
const char *const kDivide32 = "v_div_scale_f32 v40, %s, v16, v16, v8\n"
                              "v_rcp_f32 v41, v40\n"
                              "v_fma_f32 v42, -v40, v41, 1.0\n"
                              "v_fma_f32 v41, v42, v41, v41\n"
                              "v_div_scale_f32 v43, %v, v8, v16, v8\n"
                              "v_mul_f32 v44, v43, v41\n"
                              "v_fma_f32 v45, -v40, v44, v43\n"
                              "v_fma_f32 v44, v45, v41, v44\n"
                              "v_fma_f32 v45, -v40, v44, v43\n"
                              "v_div_fmas_f32 v44, v45, v41, v44\n"
                              "v_div_fixup_f32 v48, v44, v16, v8";
const char *const kDivide64 = "v_div_scale_f64 v[40:41], %s, v[16:17], v[16:17], v[8:9]\n"
                              "v_rcp_f64 v[42:43], v[40:41]\n"
                              "v_fma_f64 v[44:45], -v[40:41], v[42:43], 1.0\n"
                              "v_fma_f64 v[42:43], v[44:45], v[42:43], v[42:43]\n"
                              "v_fma_f64 v[44:45], -v[40:41], v[42:43], 1.0\n"
                              "v_fma_f64 v[42:43], v[44:45], v[42:43], v[42:43]\n"
                              "v_div_scale_f64 v[46:47], %v, v[8:9], v[16:17], v[8:9]\n"
                              "v_mul_f64 v[50:51], v[46:47], v[42:43]\n"
                              "v_fma_f64 v[52:53], -v[40:41], v[50:51], v[46:47]\n"
                              "v_div_fmas_f64 v[50:51], v[52:53], v[42:43], v[50:51]\n"
                              "v_div_fixup_f64 v[48:49], v[50:51], v[16:17], v[8:9]";
std::string withMasks(std::string text, bool wave64) {
  for (size_t at; (at = text.find('%')) != std::string::npos;)
    text.replace(at, 2,
                 text[at + 1] == 'v' ? (wave64 ? "vcc" : "vcc_lo") : (wave64 ? "s[20:21]" : "s20"));
  return text;
}
} // namespace

UNIT_TEST(division_is_rounded_right) {
  for (const char *chip : {"gfx942", "gfx1100"})
    for (unsigned bits : {32u, 64u})
      for (unsigned units : {0u, 1u}) {
        // Also when the reciprocal is off: the iteration must absorb it.
        Machine machine(chip);
        machine.options.perturbation = units;
        const Format f = bits == 32 ? kF32 : kF64;
        REQUIRE(machine.load(withMasks(bits == 32 ? kDivide32 : kDivide64, machine.lanes() == 64)));
        Words words(bits + units);
        int wrong = 0;
        std::string example;
        for (int round = 0; round < 200; ++round) {
          uint64_t n[64], d[64];
          for (unsigned l = 0; l < machine.lanes(); ++l) {
            for (auto [line, values] : {std::pair(8u, n), std::pair(16u, d)}) {
              values[l] = words.next(bits);
              // Denormals and the ends of the range more often than chance has them.
              const uint32_t kind = uint32_t(words.random() % 8);
              if (kind == 0)
                values[l] &= ~f.infinity();
              else if (kind == 1)
                values[l] = (values[l] & ~f.infinity()) |
                            (f.infinity() - (uint64_t(words.random() % 70 + 1) << f.mantissa));
              else if (kind == 2)
                values[l] =
                    (values[l] & ~f.infinity()) | (uint64_t(words.random() % 70 + 1) << f.mantissa);
              machine.v(line, l) = uint32_t(values[l]);
              if (bits == 64)
                machine.v(line + 1, l) = uint32_t(values[l] >> 32);
            }
          }
          REQUIRE(machine.run());
          for (unsigned l = 0; l < machine.lanes(); ++l) {
            const uint64_t expected = bitsOf(f, valueOf(f, n[l]) / valueOf(f, d[l]));
            uint64_t got = machine.v(48, l);
            if (bits == 64)
              got |= uint64_t(machine.v(49, l)) << 32;
            // The iteration itself is not right for these divisors (Markstein's exception).
            const uint64_t ones = (uint64_t(1) << f.mantissa) - 1;
            if ((d[l] & ones) == ones)
              continue;
            if (!sameFloat(f, got, expected) && !wrong++) {
              char text[200];
              std::snprintf(
                  text, sizeof(text), "%s %llx / %llx gives %llx, not %llx", chip,
                  static_cast<unsigned long long>(n[l]), static_cast<unsigned long long>(d[l]),
                  static_cast<unsigned long long>(got), static_cast<unsigned long long>(expected));
              example = text;
            }
          }
        }
        CHECK_EQ(std::to_string(wrong) + " " + example, "0 ");
      }
}

UNIT_TEST(segments_of_two_over_pi) {
  // 1201 bits behind the point.
  Num pi;
  mpfr_const_pi(pi.x, MPFR_RNDN);
  Num bits;
  mpfr_ui_div(bits.x, 2, pi.x, MPFR_RNDN);
  bits = timesPower(rounded(timesPower(bits, 1201), MPFR_RNDZ), -1201);
  Machine machine("gfx942");
  REQUIRE(machine.load("v_trig_preop_f64 v[40:41], v[8:9], v16"));
  Words words(11);
  for (int round = 0; round < 20; ++round) {
    uint64_t a[64];
    for (unsigned l = 0; l < 64; ++l) {
      a[l] = words.next(64);
      machine.v(8, l) = uint32_t(a[l]), machine.v(9, l) = uint32_t(a[l] >> 32);
      machine.v(16, l) = round < 10 ? l % 24 : uint32_t(words.mask());
    }
    REQUIRE(machine.run());
    for (unsigned l = 0; l < 64; ++l) {
      const long exponent = long(a[l] >> 52 & 0x7ff);
      long shift = long(machine.v(16, l) & 31) * 53;
      if (exponent > 1077)
        shift += exponent - 1077;
      // The fraction of 2/pi * 2^shift has the segment as its first 53 bits.
      Num moved = timesPower(bits, shift);
      moved = rounded(timesPower(moved - floorOf(moved), 53), MPFR_RNDZ);
      const uint64_t expected =
          bitsOf(kF64, timesPower(moved, -53 - shift + (exponent >= 1968 ? 128 : 0)));
      CHECK((machine.v(40, l) | uint64_t(machine.v(41, l)) << 32) == expected);
    }
  }
}

UNIT_TEST(faces_of_a_cube) {
  const unsigned flags = NoRoundModes | NoFlushModes | NoClamp | NoOmod;
  runRows({
      row(
          "v_cubeid_f32",
          +[](E, F32 x, F32 y, F32 z) {
            const Num v[] = {valueOf(kF32, x.bits), valueOf(kF32, y.bits), valueOf(kF32, z.bits)};
            if (v[0].isNan() || v[1].isNan() || v[2].isNan()) // comparisons as the document's
              return F32{bitsOf(kF32, Num([&] {
                                  auto ge = [](const Num &a, const Num &b) {
                                    return mpfr_cmpabs(a.x, b.x) >= 0 && !a.isNan() && !b.isNan();
                                  };
                                  auto below = [](const Num &a) {
                                    return !a.isNan() && a < Num(0);
                                  };
                                  if (ge(v[2], v[0]) && ge(v[2], v[1]))
                                    return below(v[2]) ? 5.0 : 4.0;
                                  if (ge(v[1], v[0]))
                                    return below(v[1]) ? 3.0 : 2.0;
                                  return below(v[0]) ? 1.0 : 0.0;
                                }()))};
            const int axis = cubeAxis(v[0], v[1], v[2]);
            return F32{bitsOf(kF32, Num(2 * axis + (v[axis] < Num(0) ? 1 : 0)))};
          },
          flags),
  });
  // The coordinates, at directions of which the face is plain.
  Machine machine("gfx1100");
  REQUIRE(machine.load("v_cubesc_f32 v40, v8, v16, v24\nv_cubetc_f32 v41, v8, v16, v24\n"
                       "v_cubema_f32 v42, v8, v16, v24"));
  const float directions[6][3] = {{5, 1, 2},  {-5, 1, 2}, {1, 5, 2},
                                  {1, -5, 2}, {1, 2, 5},  {1, 2, -5}};
  const float expected[6][3] = {{-2, -1, 10}, {2, -1, -10}, {1, 2, 10},
                                {1, -2, -10}, {1, -2, 10},  {-1, -2, -10}};
  for (unsigned l = 0; l < 6; ++l)
    for (unsigned n = 0; n < 3; ++n)
      machine.v(8 + 8 * n, l) = uint32_t(bitsOf(kF32, Num(directions[l][n])));
  REQUIRE(machine.run());
  for (unsigned l = 0; l < 6; ++l)
    for (unsigned n = 0; n < 3; ++n)
      CHECK_EQ(machine.v(40 + n, l), uint32_t(bitsOf(kF32, Num(expected[l][n]))));
}

UNIT_TEST(legacy_products) {
  runRows({
      row(
          "v_mullit_f32",
          +[](E e, F32 a, F32 b, F32 c) {
            const Num bv = e(b), cv = e(c);
            const uint64_t largest = 0xff7fffff;
            if (bv.isNan() || cv.isNan() || (bv.isInf() && bv.negative()) || b.bits == largest ||
                !(Num(0) < cv))
              return F32{largest};
            return e.f32(e(a) * bv);
          }),
      row(
          "v_mad_legacy_f32",
          +[](E e, F32 a, F32 b, F32 c) {
            auto in = [](F32 v) { return valueOf(kF32, Env::flushed(kF32, v.bits, false)); };
            auto out = [&](const Num &v) {
              return Env::flushed(kF32, bitsOf(kF32, v, e.round(kF32)), false);
            };
            const Num av = in(a), bv = in(b), cv = in(c);
            if (av.isZero() || bv.isZero())
              return F32{Env::flushed(kF32, c.bits, false)};
            return F32{out(valueOf(kF32, out(av * bv)) + cv)};
          }),
  });
}

} // namespace isatest
