// Packed, mixed and dot instructions: every combination of selections and signs.
#include "rows.h"

namespace isatest {
namespace {

using E = const Env &;

struct Selection {
  unsigned low = 0, high = 7, negateLow = 0, negateHigh = 0; // a bit per source
  bool clamp = false;
  uint32_t mode = 0;
  std::string text(size_t sources) const {
    auto list = [&](unsigned bits) {
      std::string result = "[";
      for (size_t i = 0; i < sources; ++i)
        result += std::string(i ? "," : "") + (bits >> i & 1 ? "1" : "0");
      return result + "]";
    };
    std::string result;
    const unsigned all = (1u << sources) - 1;
    if (low & all)
      result += " op_sel:" + list(low);
    if ((high & all) != all)
      result += " op_sel_hi:" + list(high);
    if (negateLow & all)
      result += " neg_lo:" + list(negateLow);
    if (negateHigh & all)
      result += " neg_hi:" + list(negateHigh);
    return result + (clamp ? " clamp" : "");
  }
};

std::vector<Selection> selections(bool isFloat, bool clamps) {
  std::vector<Selection> all(1);
  for (unsigned n = 1; n < 8; ++n) {
    all.push_back({n, 7, 0, 0, false, 0});
    all.push_back({0, 7 - n, 0, 0, false, 0});
    all.push_back({n, 7 - n, 0, 0, false, 0});
    if (isFloat)
      all.push_back({0, 7, n, 7 - n, false, 0});
  }
  if (clamps)
    all.push_back({0, 7, 0, 0, true, 0});
  if (isFloat) {
    for (uint32_t mode : {0x5u, 0xau, 0xfu, 0x50u, 0xa0u, 0x200u, 0x800000u})
      all.push_back({0, 7, 0, 0, false, mode});
    if (clamps)
      all.push_back({0, 7, 0, 0, true, 0x100});
  }
  return all;
}

std::string range(unsigned line, bool pair) {
  return pair ? "v[" + std::to_string(line) + ":" + std::to_string(line + 1) + "]"
              : "v" + std::to_string(line);
}

// A row whose types are those of one half.
void runPacked(const Row &row) {
  bool ran = false;
  const bool pairs = row.result.bits == 32;
  const size_t sources = row.sources.size();
  for (const std::string &chip : kChips) {
    if (row.flags & Not12 && !isGfx9(chip) && chip != "gfx1100")
      continue;
    Machine machine(chip);
    const Env plain{0, isGfx9(chip), false, chip};
    Words words(uint32_t(row.names.size() * 7 + chip.size()));
    for (const Selection &selection : selections(row.result.isFloat, !(row.flags & NoClamp))) {
      std::string text = row.names + " " + range(40, pairs);
      for (size_t i = 0; i < sources; ++i)
        text += ", " + range(8 + 8 * unsigned(i), pairs);
      text += selection.text(sources);
      if (!machine.load(text))
        break;
      ran = true;
      Env e = plain;
      e.mode = machine.wave.mode = (ModeDefault | ModeDx10Clamp | ModeIeee) ^ selection.mode;
      uint64_t in[3][64], old[64];
      const uint64_t exec = words.mask() & machine.wave.laneMask;
      machine.setExec(exec);
      for (unsigned l = 0; l < machine.lanes(); ++l) {
        for (size_t i = 0; i < sources; ++i) {
          const unsigned bits = pairs ? 32 : 16, line = 8 + 8 * unsigned(i);
          in[i][l] = words.next(bits) | words.next(bits) << bits;
          machine.v(line, l) = uint32_t(in[i][l]);
          if (pairs)
            machine.v(line + 1, l) = uint32_t(in[i][l] >> 32);
        }
        machine.v(40, l) = uint32_t(words.mask()), machine.v(41, l) = uint32_t(words.mask());
        old[l] = machine.v(40, l) | uint64_t(machine.v(41, l)) << 32;
      }
      if (!machine.run()) {
        unit::fail(__FILE__, __LINE__, chip + " " + text + ": not implemented");
        break;
      }
      for (unsigned l = 0; l < machine.lanes(); ++l) {
        uint64_t got = machine.v(40, l) | uint64_t(machine.v(41, l)) << 32;
        bool same = exec >> l & 1 || got == old[l];
        for (unsigned half = 0; half < 2 && exec >> l & 1; ++half) {
          const unsigned bits = row.result.bits;
          uint64_t arguments[3];
          for (size_t i = 0; i < sources; ++i) {
            const bool upper = (half ? selection.high : selection.low) >> i & 1;
            const bool negate = (half ? selection.negateHigh : selection.negateLow) >> i & 1;
            arguments[i] = (in[i][l] >> (upper ? bits : 0)) & row.result.mask();
            if (negate)
              arguments[i] ^= row.result.format.sign();
          }
          const Outcome outcome = row.function(e, arguments);
          const uint64_t expected = selection.clamp ? clampedResult(row.result, e, outcome)
                                                    : plainResult(row.result, outcome);
          const uint64_t part = got >> (half ? bits : 0) & row.result.mask();
          same &=
              row.result.isFloat ? sameFloat(row.result.format, part, expected) : part == expected;
        }
        if (!same) {
          char line[200];
          std::snprintf(line, sizeof(line), "%s %s mode^%x lane %u: %llx %llx %llx gives %llx",
                        chip.c_str(), text.c_str(), selection.mode, l,
                        static_cast<unsigned long long>(in[0][l]),
                        static_cast<unsigned long long>(in[1][l]),
                        static_cast<unsigned long long>(sources > 2 ? in[2][l] : 0),
                        static_cast<unsigned long long>(got));
          unit::fail(__FILE__, __LINE__, line);
          break;
        }
      }
    }
  }
  if (!ran)
    unit::fail(__FILE__, __LINE__, row.names + ": no chip has it");
}
void runPackedRows(const std::vector<Row> &rows) {
  for (const Row &one : rows)
    runPacked(one);
}

template <bool Maximum, int Kind> F16 selected(E e, F16 a, F16 b) {
  const Nan nan = Kind == 2                ? Nan::Wins
                  : Kind == 1 || !e.ieee() ? Nan::Ignored
                                           : Nan::QuietsSignaling;
  return {chosen(kF16, e.flushed(kF16, a.bits, e.keepsInput(kF16)),
                 e.flushed(kF16, b.bits, e.keepsInput(kF16)), Maximum, nan)};
}
template <bool Maximum> F16 selected3(E e, F16 a, F16 b, F16 c) {
  return selected<Maximum, 2>(e, selected<Maximum, 2>(e, a, b), c);
}

} // namespace

UNIT_TEST(packed_halves) {
  runPackedRows({
      row(
          "v_pk_add_f16", +[](E e, F16 a, F16 b) { return e.f16(e(a) + e(b)); }),
      row(
          "v_pk_mul_f16", +[](E e, F16 a, F16 b) { return e.f16(e(a) * e(b)); }),
      row(
          "v_pk_fma_f16", +[](E e, F16 a, F16 b, F16 c) { return e.f16(e(a) * e(b) + e(c)); }),
      row("v_pk_min_f16", selected<false, 0>, Not12),
      row("v_pk_max_f16", selected<true, 0>, Not12),
      row("v_pk_min_num_f16", selected<false, 1>),
      row("v_pk_max_num_f16", selected<true, 1>),
      row("v_pk_minimum_f16", selected<false, 2>),
      row("v_pk_maximum_f16", selected<true, 2>),
      row("v_pk_minimum3_f16", selected3<false>),
      row("v_pk_maximum3_f16", selected3<true>),
      row(
          "v_pk_add_u16", +[](E, U16 a, U16 b) { return U16{a + b}; }),
      row(
          "v_pk_sub_u16", +[](E, U16 a, U16 b) { return U16{a - b}; }),
      row(
          "v_pk_add_i16", +[](E, I16 a, I16 b) { return I16{a + b}; }),
      row(
          "v_pk_sub_i16", +[](E, I16 a, I16 b) { return I16{a - b}; }),
      row(
          "v_pk_mad_u16", +[](E, U16 a, U16 b, U16 c) { return U16{a * b + c}; }),
      row(
          "v_pk_mad_i16", +[](E, I16 a, I16 b, I16 c) { return I16{a * b + c}; }),
      row(
          "v_pk_mul_lo_u16", +[](E, U16 a, U16 b) { return U16{a * b}; }, NoClamp),
      row(
          "v_pk_min_u16", +[](E, U16 a, U16 b) { return a.value < b.value ? a : b; }, NoClamp),
      row(
          "v_pk_max_u16", +[](E, U16 a, U16 b) { return a.value < b.value ? b : a; }, NoClamp),
      row(
          "v_pk_min_i16", +[](E, I16 a, I16 b) { return a.value < b.value ? a : b; }, NoClamp),
      row(
          "v_pk_max_i16", +[](E, I16 a, I16 b) { return a.value < b.value ? b : a; }, NoClamp),
      row(
          "v_pk_lshlrev_b16", +[](E, U16 a, U16 b) { return U16{b.value << int(a.value & 15)}; },
          NoClamp),
      row(
          "v_pk_lshrrev_b16", +[](E, U16 a, U16 b) { return U16{b.value >> int(a.value & 15)}; },
          NoClamp),
      row(
          "v_pk_ashrrev_i16", +[](E, I16 a, I16 b) { return I16{b.value >> int(a.value & 15)}; },
          NoClamp),
  });
}

UNIT_TEST(packed_accumulation) {
  for (const std::string &chip : kChips) {
    Machine machine(chip);
    REQUIRE(machine.load("v_pk_fmac_f16 v40, v8, v16"));
    Words words(5);
    machine.fill(words, {8, 16, 40}, 16);
    const std::vector<uint32_t> old(&machine.v(40, 0), &machine.v(40, 0) + machine.lanes());
    REQUIRE(machine.run());
    for (unsigned l = 0; l < machine.lanes(); ++l)
      for (unsigned shift : {0u, 16u}) {
        auto part = [&](uint32_t word) { return valueOf(kF16, word >> shift & 0xffff); };
        const uint64_t expected =
            bitsOf(kF16, part(machine.v(8, l)) * part(machine.v(16, l)) + part(old[l]));
        CHECK(sameFloat(kF16, machine.v(40, l) >> shift & 0xffff, expected));
      }
  }
}

UNIT_TEST(packed_words) {
  runPackedRows({
      row(
          "v_pk_add_f32", +[](E e, F32 a, F32 b) { return e.f32(e(a) + e(b)); }),
      row(
          "v_pk_mul_f32", +[](E e, F32 a, F32 b) { return e.f32(e(a) * e(b)); }),
      row(
          "v_pk_fma_f32", +[](E e, F32 a, F32 b, F32 c) { return e.f32(e(a) * e(b) + e(c)); }),
  });
  for (unsigned n = 0; n < 4; ++n) {
    Machine machine("gfx90a");
    REQUIRE(machine.load("v_pk_mov_b32 v[40:41], v[8:9], v[16:17] op_sel:[" +
                         std::to_string(n & 1) + "," + std::to_string(n >> 1) + "]"));
    for (unsigned line : {8u, 9u, 16u, 17u})
      machine.v(line, 3) = line;
    REQUIRE(machine.run());
    CHECK_EQ(machine.v(40, 3), 8 + (n & 1));
    CHECK_EQ(machine.v(41, 3), 16 + (n >> 1));
  }
}

UNIT_TEST(mixed_precision) {
  // For each source: f32, the low half, the high half; plain, negated, absolute, both.
  for (const std::string &chip : kChips)
    for (unsigned kind = 0; kind < 27; ++kind)
      for (const char *name : {"v_fma_mix_f32", "v_fma_mixlo_f16", "v_fma_mixhi_f16"}) {
        Machine machine(chip);
        Words words(kind);
        unsigned kinds[3] = {kind % 3, kind / 3 % 3, kind / 9}, signs[3];
        std::string text = std::string(name) + " v40", low, high;
        for (unsigned i = 0; i < 3; ++i) {
          signs[i] = words.random() % 4;
          const std::string source = "v" + std::to_string(8 + 8 * i);
          text += std::string(", ") + (signs[i] & 1 ? "-" : "") +
                  (signs[i] & 2 ? "|" + source + "|" : source);
          low += std::string(i ? "," : "") + (kinds[i] == 2 ? "1" : "0");
          high += std::string(i ? "," : "") + (kinds[i] ? "1" : "0");
        }
        const bool clamp = kind % 5 == 4;
        text += " op_sel:[" + low + "] op_sel_hi:[" + high + "]" + (clamp ? " clamp" : "");
        REQUIRE(machine.load(text));
        const uint64_t exec = words.mask() & machine.wave.laneMask;
        machine.setExec(exec);
        uint32_t old[64];
        for (unsigned l = 0; l < machine.lanes(); ++l) {
          for (unsigned i = 0; i < 3; ++i)
            machine.v(8 + 8 * i, l) =
                uint32_t(kinds[i] ? words.next(16) | words.next(16) << 16 : words.next(32));
          old[l] = machine.v(40, l) = uint32_t(words.mask());
        }
        REQUIRE(machine.run());
        for (unsigned l = 0; l < machine.lanes(); ++l) {
          Num values[3];
          for (unsigned i = 0; i < 3; ++i) {
            const uint32_t word = machine.v(8 + 8 * i, l);
            values[i] = kinds[i] ? valueOf(kF16, word >> (kinds[i] == 2 ? 16 : 0) & 0xffff)
                                 : valueOf(kF32, word);
            if (signs[i] & 2 && values[i].negative())
              values[i] = -values[i];
            if (signs[i] & 1)
              values[i] = -values[i];
          }
          uint64_t sum = bitsOf(kF32, values[0] * values[1] + values[2]);
          const bool wide = name[9] == '_', upper = name[9] == 'h';
          const Format f = wide ? kF32 : kF16;
          if (!wide)
            sum = bitsOf(kF16, valueOf(kF32, sum));
          if (clamp)
            sum = f.isNan(sum) || sum & f.sign() ? 0
                                                 : std::min(sum, uint64_t(f.bias()) << f.mantissa);
          uint32_t got = machine.v(40, l);
          if (!(exec >> l & 1)) {
            CHECK_EQ(got, old[l]);
            continue;
          }
          if (!wide) {
            const unsigned other = upper ? 0 : 16;
            CHECK_EQ(got >> other & 0xffff, old[l] >> other & 0xffff);
            got = got >> (upper ? 16 : 0) & 0xffff;
          }
          CHECK(sameFloat(f, got, sum));
        }
      }
}

UNIT_TEST(mixed_precision_of_constants) {
  for (const char *chip : {"gfx942", "gfx1100"}) {
    Machine machine(chip);
    REQUIRE(machine.load("v_fma_mix_f32 v40, v8, 2.0, 1.0\n"
                         "v_fma_mix_f32 v41, v8, 2.0, 1.0 op_sel_hi:[0,1,1]\n"
                         "v_fma_mix_f32 v42, v8, -0.5, s20"));
    machine.v(8, 0) = 0x40400000; // 3
    machine.wave.s[20] = 0x3f800000;
    REQUIRE(machine.run());
    CHECK_EQ(machine.v(40, 0), 0x40e00000u);
    CHECK_EQ(machine.v(41, 0), 0x40e00000u);
    CHECK_EQ(machine.v(42, 0), 0xbf000000u);
  }
}

namespace {
template <unsigned Bits, bool SignedA, bool SignedB> Wide dot(Wide a, Wide b) {
  Wide sum = 0;
  for (unsigned n = 0; n < 32; n += Bits) {
    auto part = [&](Wide v, bool isSigned) {
      Wide p = v >> n & ((1 << Bits) - 1);
      return isSigned && p >> (Bits - 1) ? p - (Wide(1) << Bits) : p;
    };
    sum += part(a, SignedA) * part(b, SignedB);
  }
  return sum;
}
template <unsigned Bits> I32 signedDot(E, U32 a, U32 b, I32 c) {
  return {dot<Bits, true, true>(a, b) + c.value};
}
template <unsigned Bits> U32 unsignedDot(E, U32 a, U32 b, U32 c) {
  return {dot<Bits, false, false>(a, b) + c.value};
}
F32 flush(uint64_t bits) { return {Env::flushed(kF32, bits, false)}; }
// The third source last on gfx9's and gfx11's bf16, else first.
template <class T, bool MayBeLast> F32 floatDot(E e, U32 a, U32 b, F32 c) {
  auto part = [](Wide v, int n) { return valueOf(T::type().format, uint64_t(v >> n) & 0xffff); };
  auto step = [](const Num &v) { return valueOf(kF32, flush(bitsOf(kF32, v)).bits); };
  const Num sum = valueOf(kF32, flush(c.bits).bits), p0 = part(a, 0) * part(b, 0),
            p1 = part(a, 16) * part(b, 16);
  if (MayBeLast && !e.isGfx12)
    return flush(bitsOf(kF32, step(step(p0) + p1) + sum));
  return flush(bitsOf(kF32, step(p0 + sum) + p1));
}
template <class T> T narrowDot(E e, U32 a, U32 b, T c) {
  const Format f = T::type().format;
  auto part = [&](Wide v, int n) { return valueOf(f, uint64_t(v >> n) & 0xffff); };
  auto step = [&](const Num &v) {
    return f.mantissa == 10 ? valueOf(f, e.f16(v).bits)
                            : valueOf(f, Env::flushed(f, bitsOf(f, v), false));
  };
  const Num p0 = part(a, 0) * part(b, 0), p1 = part(a, 16) * part(b, 16), sum = valueOf(f, c.bits);
  Num result = e.isGfx12 ? step(step(p0 + sum) + p1) : step(step(step(p0) + p1) + sum);
  return {bitsOf(f, result)};
}
} // namespace

UNIT_TEST(dot_products_of_integers) {
  runRows({
      row("v_dot2_i32_i16", signedDot<16>),
      row("v_dot2c_i32_i16", signedDot<16>, Accumulates),
      row("v_dot2_u32_u16", unsignedDot<16>),
      row("v_dot4_i32_i8", signedDot<8>, Not12 | Not11),
      row("v_dot4c_i32_i8", signedDot<8>, Accumulates),
      row("v_dot4_u32_u8", unsignedDot<8>),
      row("v_dot8_i32_i4", signedDot<4>, Not12 | Not11),
      row("v_dot8c_i32_i4", signedDot<4>, Accumulates),
      row("v_dot8_u32_u4", unsignedDot<4>),
  });
  // neg_lo makes a source signed.
  for (const char *chip : {"gfx1100", "gfx1201"})
    for (unsigned n = 0; n < 16; ++n) {
      const bool four = n & 4, clamp = n & 8;
      Machine machine(chip);
      REQUIRE(machine.load(std::string(four ? "v_dot8_i32_iu4" : "v_dot4_i32_iu8") +
                           " v40, v8, v16, v24 neg_lo:[" + (n & 1 ? "1," : "0,") +
                           (n & 2 ? "1,0]" : "0,0]") + (clamp ? " clamp" : "")));
      Words words(n);
      machine.fill(words, {8u, 16u, 24u}, 32);
      REQUIRE(machine.run());
      for (unsigned l = 0; l < 32; ++l) {
        const Wide a = machine.v(8, l), b = machine.v(16, l);
        Wide sum = four ? (n % 4 == 0   ? dot<4, false, false>(a, b)
                           : n % 4 == 1 ? dot<4, true, false>(a, b)
                           : n % 4 == 2 ? dot<4, false, true>(a, b)
                                        : dot<4, true, true>(a, b))
                        : (n % 4 == 0   ? dot<8, false, false>(a, b)
                           : n % 4 == 1 ? dot<8, true, false>(a, b)
                           : n % 4 == 2 ? dot<8, false, true>(a, b)
                                        : dot<8, true, true>(a, b));
        sum += int32_t(machine.v(24, l));
        if (clamp)
          sum = std::clamp<Wide>(sum, INT32_MIN, INT32_MAX);
        CHECK_EQ(machine.v(40, l), uint32_t(uint64_t(sum)));
      }
    }
}

UNIT_TEST(dot_products_of_floats) {
  const unsigned flags = NoRoundModes | NoFlushModes | NoOmod | NoSigns;
  runRows({
      row("v_dot2_f32_f16", floatDot<F16, false>, flags),
      row("v_dot2c_f32_f16", floatDot<F16, false>, flags | Accumulates | NoClamp),
      row("v_dot2_f32_bf16", floatDot<BF16, true>, flags),
      row("v_dot2c_f32_bf16", floatDot<BF16, false>, flags | Accumulates | NoClamp),
      row("v_dot2_f16_f16", narrowDot<F16>, flags),
      row("v_dot2_bf16_bf16", narrowDot<BF16>, flags),
  });
}

} // namespace isatest
