// Floats of 8, 6 and 4 bits: all codes decoded by formula, encoding by search for the nearest one.
#include "rows.h"

namespace isatest {
namespace {

struct Code {
  const char *name;
  int exponent, mantissa, bias;
  enum { Fnuz, NanOnly, Ieee, Finite } kind;
  int bits() const { return 1 + exponent + mantissa; }
};
const Code kFp8Codes{"fp8", 4, 3, 7, Code::NanOnly}, kBf8Codes{"bf8", 5, 2, 15, Code::Ieee},
    kFp8FnuzCodes{"fp8", 4, 3, 8, Code::Fnuz}, kBf8FnuzCodes{"bf8", 5, 2, 16, Code::Fnuz},
    kFp6Codes{"fp6", 2, 3, 1, Code::Finite}, kBf6Codes{"bf6", 3, 2, 3, Code::Finite},
    kFp4Codes{"fp4", 2, 1, 1, Code::Finite};

double decoded(const Code &c, unsigned code) {
  const unsigned sign = code >> (c.bits() - 1) & 1,
                 e = code >> c.mantissa & ((1u << c.exponent) - 1),
                 m = code & ((1u << c.mantissa) - 1), top = (1u << c.exponent) - 1,
                 all = (1u << c.mantissa) - 1;
  if (c.kind == Code::Fnuz && sign && !e && !m)
    return NAN;
  if (c.kind == Code::NanOnly && e == top && m == all)
    return NAN;
  if (c.kind == Code::Ieee && e == top)
    return m ? NAN : sign ? -INFINITY : INFINITY;
  const double value = e ? std::ldexp(1 + double(m) / (1u << c.mantissa), int(e) - c.bias)
                         : std::ldexp(double(m) / (1u << c.mantissa), 1 - c.bias);
  return sign ? -value : value;
}

unsigned largest(const Code &c) {
  unsigned best = 0;
  for (unsigned code = 0; code < 1u << (c.bits() - 1); ++code)
    if (std::isfinite(decoded(c, code)))
      best = code;
  return best;
}

// What a value becomes: the nearest code, ties to even; `cut`: towards zero.
unsigned encoded(const Code &c, double value, bool saturates, bool cut = false) {
  const unsigned sign = std::signbit(value) ? 1u << (c.bits() - 1) : 0, most = largest(c);
  const unsigned nan = c.kind == Code::Fnuz     ? 1u << (c.bits() - 1)
                       : c.kind == Code::Finite ? sign | most
                                                : sign | ((1u << (c.bits() - 1)) - 1);
  if (std::isnan(value))
    return nan;
  const double size = std::fabs(value), top = decoded(c, most);
  // Numbers are rounded as if the format went on above its largest.
  const double step = top - decoded(c, most - 1);
  const bool over =
      std::isinf(size) ||
      (cut ? size >= top + step : size > top + step / 2 || (size == top + step / 2 && most & 1));
  if (over) {
    if (saturates || c.kind == Code::Finite)
      return sign | most;
    return c.kind == Code::Ieee ? sign | (most + 1) : nan;
  }
  unsigned best = 0;
  for (unsigned code = 0; code <= most; ++code) {
    const double candidate = decoded(c, code);
    if (cut) {
      if (candidate <= size)
        best = code;
      continue;
    }
    const double distance = std::fabs(candidate - size), old = std::fabs(decoded(c, best) - size);
    if (distance < old || (distance == old && !(code & 1)))
      best = code;
  }
  return c.kind == Code::Fnuz && !best ? 0 : sign | best;
}

uint32_t single(double value) { return uint32_t(bitsOf(kF32, Num(value))); }
double number(uint32_t bits) { return valueOf(kF32, bits).toDouble(); }
bool sameSingle(uint32_t a, uint32_t b) { return sameFloat(kF32, a, b); }

const char *const kFloat8Chips[] = {"gfx942", "gfx950", "gfx1201"};
Code codesOf(const std::string &chip, bool bf8) {
  return chip == "gfx942" ? (bf8 ? kBf8FnuzCodes : kFp8FnuzCodes) : bf8 ? kBf8Codes : kFp8Codes;
}
bool isGfx12(const std::string &chip) { return chip.compare(0, 5, "gfx12") == 0; }

// Values near codes, between them, and out of range.
uint32_t interesting(Words &words, const Code &c) {
  const unsigned code = words.random() % (1u << c.bits());
  const double value = decoded(c, code);
  switch (words.random() % 6) {
  case 0:
    return uint32_t(words.next(32));
  case 1: // a tie
    if (std::isfinite(value) && code + 1 < 1u << c.bits() && std::isfinite(decoded(c, code + 1)))
      return single((value + decoded(c, code + 1)) / 2);
    return single(value);
  case 2:
    return single(decoded(c, largest(c)) * (1 + int(words.random() % 33) / 128.0));
  case 3:
    return single(value);
  default:
    return single(value * (1 + (int(words.random() % 2001) - 1000) / 4000.0));
  }
}

// The random word's upper bits are added to the mantissa below what stays.
double withNoise(const Code &c, double value, uint32_t noise) {
  const uint32_t bits = single(value);
  if (!std::isfinite(number(bits)))
    return value;
  const uint32_t sum =
      std::min((bits & 0x7fffffff) + (noise >> (32 - (23 - c.mantissa))), 0x7f7fffffu);
  return number(sum | (bits & 0x80000000));
}

} // namespace

UNIT_TEST(float8_decoding) {
  for (const std::string chip : kFloat8Chips)
    for (bool bf8 : {false, true}) {
      const Code c = codesOf(chip, bf8);
      const std::string format = c.name;
      for (unsigned part = 0; part < 4; ++part) {
        Machine machine(chip);
        const std::string select = isGfx12(chip) ? " byte_sel:" + std::to_string(part)
                                                 : " src0_sel:BYTE_" + std::to_string(part);
        const std::string form = isGfx12(chip) ? "_e64" : "_sdwa";
        REQUIRE(machine.load("v_cvt_f32_" + format + form + " v40, v8" +
                             (isGfx12(chip) && !part ? "" : select)));
        for (unsigned first = 0; first < 256; first += machine.lanes()) {
          for (unsigned l = 0; l < machine.lanes(); ++l)
            machine.v(8, l) = (0x5a5a5a5a & ~(0xffu << (8 * part))) | (first + l) << (8 * part);
          REQUIRE(machine.run());
          for (unsigned l = 0; l < machine.lanes(); ++l)
            CHECK(sameSingle(machine.v(40, l), single(decoded(c, first + l))));
        }
      }
      for (bool upper : {false, true}) {
        Machine machine(chip);
        REQUIRE(machine.load(
            isGfx12(chip)
                ? "v_cvt_pk_f32_" + format + "_e64 v[40:41], v8" + (upper ? " op_sel:[1,0]" : "")
                : "v_cvt_pk_f32_" + format +
                      "_sdwa v[40:41], v8 src0_sel:" + (upper ? "WORD_1" : "WORD_0")));
        for (unsigned l = 0; l < machine.lanes(); ++l)
          machine.v(8, l) = ((l * 3) | (255 - l) << 8) << (upper ? 16 : 0);
        REQUIRE(machine.run());
        for (unsigned l = 0; l < machine.lanes(); ++l) {
          CHECK(sameSingle(machine.v(40, l), single(decoded(c, l * 3))));
          CHECK(sameSingle(machine.v(41, l), single(decoded(c, 255 - l))));
        }
      }
    }
}

UNIT_TEST(float8_encoding) {
  for (const std::string chip : kFloat8Chips)
    for (bool bf8 : {false, true})
      for (bool upper : {false, true})
        for (bool saturates : {false, true}) {
          const Code c = codesOf(chip, bf8);
          Machine machine(chip);
          REQUIRE(machine.load(std::string("v_cvt_pk_") + c.name + "_f32 v40, v8, -v16" +
                               (upper ? " op_sel:[0,0,1]" : "")));
          machine.wave.mode |= saturates ? 1u << 23 : 0;
          Words words(17 + bf8);
          for (int round = 0; round < 20; ++round) {
            const uint64_t exec = words.mask() & machine.wave.laneMask;
            machine.setExec(exec);
            for (unsigned l = 0; l < machine.lanes(); ++l) {
              machine.v(8, l) = interesting(words, c), machine.v(16, l) = interesting(words, c);
              machine.v(40, l) = 0x12345678;
            }
            REQUIRE(machine.run());
            for (unsigned l = 0; l < machine.lanes(); ++l) {
              const uint32_t codes = encoded(c, number(machine.v(8, l)), saturates) |
                                     encoded(c, -number(machine.v(16, l)), saturates) << 8;
              uint32_t expected = upper ? 0x5678 | codes << 16 : 0x12340000 | codes;
              if (!(exec >> l & 1))
                expected = 0x12345678;
              // The sign of a NaN is not specified.
              const uint32_t ignored = [&] {
                uint32_t mask = 0;
                for (unsigned n = 0; n < 2; ++n)
                  if (std::isnan(number(machine.v(8 + 8 * n, l))) && c.kind != Code::Fnuz)
                    mask |= 0x80u << (8 * n + (upper ? 16 : 0));
                return mask;
              }();
              CHECK_EQ(machine.v(40, l) | ignored, expected | ignored);
            }
          }
        }
}

UNIT_TEST(float8_stochastic_rounding) {
  for (const std::string chip : kFloat8Chips)
    for (bool bf8 : {false, true})
      for (unsigned byte = 0; byte < 4; ++byte) {
        const Code c = codesOf(chip, bf8);
        Machine machine(chip);
        std::string select;
        if (byte)
          select = isGfx12(chip) ? " byte_sel:" + std::to_string(byte)
                                 : std::string(" op_sel:[0,0,") + (byte & 1 ? "1" : "0") +
                                       (byte & 2 ? ",1]" : ",0]");
        REQUIRE(machine.load(std::string("v_cvt_sr_") + c.name + "_f32 v40, v8, v16" + select));
        Words words(byte);
        for (unsigned l = 0; l < machine.lanes(); ++l) {
          machine.v(8, l) = interesting(words, c);
          machine.v(16, l) = uint32_t(words.mask());
          machine.v(40, l) = 0x89abcdef;
        }
        REQUIRE(machine.run());
        for (unsigned l = 0; l < machine.lanes(); ++l) {
          const double value = number(machine.v(8, l));
          const unsigned shift = 8 * byte, got = machine.v(40, l) >> shift & 0xff;
          CHECK_EQ(machine.v(40, l) & ~(0xffu << shift), 0x89abcdefu & ~(0xffu << shift));
          const unsigned expected = encoded(c, withNoise(c, value, machine.v(16, l)), false, true);
          CHECK(got == expected ||
                (std::isnan(decoded(c, got)) && std::isnan(decoded(c, expected))));
        }
      }
}

UNIT_TEST(stochastic_rounding_to_16_bits) {
  Machine machine("gfx950");
  REQUIRE(
      machine.load("v_cvt_sr_f16_f32 v40, v8, v16\nv_cvt_sr_bf16_f32 v41, v8, v16 op_sel:[0,0,1]\n"
                   "v_prng_b32 v42, v16"));
  Words words(9);
  for (unsigned l = 0; l < 64; ++l) {
    machine.v(8, l) = uint32_t(words.next(32)), machine.v(16, l) = uint32_t(words.mask());
    machine.v(40, l) = machine.v(41, l) = 0x55556666;
  }
  REQUIRE(machine.run());
  for (unsigned l = 0; l < 64; ++l) {
    const uint32_t bits = machine.v(8, l), noise = machine.v(16, l);
    auto expected = [&](Format f) {
      if (kF32.isNan(bits) || (bits & 0x7fffffff) == 0x7f800000)
        return bitsOf(f, valueOf(kF32, bits));
      const uint32_t sum =
          std::min((bits & 0x7fffffff) + (noise >> (9 + f.mantissa)), 0x7f7fffffu) |
          (bits & 0x80000000);
      return bitsOf(f, valueOf(kF32, sum), MPFR_RNDZ);
    };
    auto same = [](Format f, uint64_t a, uint64_t b) { return sameFloat(f, a, b); };
    CHECK(same(kF16, machine.v(40, l) & 0xffff, expected(kF16)));
    CHECK(same(kBf16, machine.v(41, l) >> 16, expected(kBf16)));
    CHECK_EQ(machine.v(40, l) >> 16, 0x5555u);
    CHECK_EQ(machine.v(41, l) & 0xffff, 0x6666u);
    CHECK_EQ(machine.v(42, l), uint32_t(noise * 2) ^ (noise & 0x80000000 ? 197u : 0u));
  }
}

UNIT_TEST(dots_of_float8) {
  Words words(21);
  for (unsigned n = 0; n < 4; ++n) {
    const Code a = n & 1 ? kBf8Codes : kFp8Codes, b = n & 2 ? kBf8Codes : kFp8Codes;
    Machine machine("gfx1201");
    REQUIRE(
        machine.load(std::string("v_dot4_f32_") + a.name + "_" + b.name + " v40, v8, v16, v24"));
    machine.fill(words, {8u, 16u, 24u}, 32);
    REQUIRE(machine.run());
    for (unsigned l = 0; l < 32; ++l) {
      uint64_t sum = Env::flushed(kF32, machine.v(24, l), false);
      for (unsigned i = 0; i < 32; i += 8)
        sum = Env::flushed(kF32,
                           bitsOf(kF32, Num(decoded(a, machine.v(8, l) >> i & 0xff)) *
                                                Num(decoded(b, machine.v(16, l) >> i & 0xff)) +
                                            valueOf(kF32, sum)),
                           false);
      CHECK(sameSingle(machine.v(40, l), uint32_t(sum)));
    }
  }
}

namespace {

// gfx950's scaled conversions, by name: which registers hold how many elements of what.
struct Scaled {
  std::string name;
  Code code;
  Format wide; // f32, f16, bf16
  unsigned count;
  bool encodes, stochastic, interleaved;
};

std::vector<Scaled> scaledConversions() {
  std::vector<Scaled> all;
  const std::pair<const char *, Format> wides[] = {{"f32", kF32}, {"f16", kF16}, {"bf16", kBf16}};
  for (auto &[wide, f] : wides) {
    for (const Code &c : {kFp8Codes, kBf8Codes}) {
      all.push_back(
          {std::string("pk_") + c.name + "_" + wide, c, f, 2, true, false, f.bits() == 32});
      all.push_back({std::string("sr_") + c.name + "_" + wide, c, f, 1, true, true, false});
      all.push_back({std::string("pk_") + wide + "_" + c.name, c, f, 2, false, false, false});
      if (f.mantissa != 7)
        all.push_back({std::string(wide) + "_" + c.name, c, f, 1, false, false, false});
    }
    for (const Code &c : {kFp6Codes, kBf6Codes}) {
      all.push_back({(f.bits() == 32 ? "2xpk16_" : "pk32_") + std::string(c.name) + "_" + wide, c,
                     f, 32, true, false, f.bits() == 32});
      all.push_back({std::string("sr_pk32_") + c.name + "_" + wide, c, f, 32, true, true, false});
      all.push_back({std::string("pk32_") + wide + "_" + c.name, c, f, 32, false, false, false});
    }
    all.push_back({std::string("pk_fp4_") + wide, kFp4Codes, f, 2, true, false, f.bits() == 32});
    all.push_back({std::string("sr_pk_fp4_") + wide, kFp4Codes, f, 2, true, true, false});
    all.push_back({std::string("pk_") + wide + "_fp4", kFp4Codes, f, 2, false, false, false});
  }
  return all;
}

std::string registers(unsigned first, unsigned count) {
  return count == 1 ? "v" + std::to_string(first)
                    : "v[" + std::to_string(first) + ":" + std::to_string(first + count - 1) + "]";
}

} // namespace

UNIT_TEST(scaled_conversions) {
  // Sources at v0 and v32, scale v64, random word v65, result at v70.
  for (const Scaled &s : scaledConversions()) {
    const unsigned perRegister = 32 / unsigned(s.wide.bits()), codeBits = unsigned(s.code.bits());
    const unsigned wideRegisters = std::max(1u, s.count / (s.interleaved ? 2 : 1) / perRegister);
    const unsigned codeRegisters = std::max(1u, s.count * codeBits / 32);
    const unsigned resultRegisters =
        s.encodes ? codeRegisters : std::max(1u, s.count / perRegister);
    std::string text = "v_cvt_scalef32_" + s.name + " " + registers(70, resultRegisters) + ", " +
                       registers(0, s.encodes ? wideRegisters : codeRegisters);
    if (s.interleaved)
      text += ", " + registers(32, wideRegisters);
    if (s.stochastic)
      text += ", v65";
    text += ", v64";
    Machine machine("gfx950");
    std::string error;
    if (!machine.load(text, &error)) {
      unit::fail(__FILE__, __LINE__, text + ": " + error);
      continue;
    }
    Words words(uint32_t(s.name.size()));
    for (unsigned l = 0; l < 64; ++l) {
      for (unsigned line = 0; line < 64; ++line)
        machine.v(line, l) =
            s.encodes ? (s.wide.bits() == 32 ? interesting(words, s.code)
                                             : uint32_t(words.next(16) | words.next(16) << 16))
                      : uint32_t(words.mask());
      machine.v(64, l) = (127 + words.random() % 9 - 4) << 23 | (words.random() & 0x7fffff);
      machine.v(65, l) = uint32_t(words.mask());
      for (unsigned line = 70; line < 110; ++line)
        machine.v(line, l) = 0x01234567;
    }
    REQUIRE(machine.run());
    int wrong = 0;
    for (unsigned l = 0; l < 64; ++l) {
      const double scale = std::ldexp(1.0, int(machine.v(64, l) >> 23) - 127);
      uint32_t noise = machine.v(65, l);
      for (unsigned n = 0; n < s.count; ++n) {
        auto codeAt = [&](unsigned base) {
          const unsigned at = n * codeBits;
          uint64_t bits = machine.v(base + at / 32, l);
          if (at % 32 + codeBits > 32)
            bits |= uint64_t(machine.v(base + at / 32 + 1, l)) << 32;
          return unsigned(bits >> (at % 32)) & ((1u << codeBits) - 1);
        };
        auto wideAt = [&](unsigned base, unsigned i) {
          return uint64_t(machine.v(base + i / perRegister, l)) >>
                     (i % perRegister * unsigned(s.wide.bits())) &
                 ((uint64_t(1) << s.wide.bits()) - 1);
        };
        if (s.encodes) {
          const uint64_t bits = s.interleaved ? wideAt(n % 2 ? 32 : 0, n / 2) : wideAt(0, n);
          double value = valueOf(s.wide, bits).toDouble() / scale;
          if (s.stochastic)
            value = withNoise(s.code, value, noise);
          noise = noise * 2 ^ (noise >> 31 ? 197 : 0);
          const unsigned got = codeAt(70), expected = encoded(s.code, value, false, s.stochastic);
          const bool bothNan = std::isnan(value) &&
                               (std::isnan(decoded(s.code, got)) || s.code.kind == Code::Finite);
          wrong += got != expected && !bothNan;
        } else {
          const uint64_t got = wideAt(70, n),
                         expected = bitsOf(s.wide, Num(decoded(s.code, codeAt(0))) * Num(scale));
          wrong += !sameFloat(s.wide, got, expected);
        }
      }
      // What the result does not fill stays.
      const unsigned filled = s.encodes ? s.count * codeBits : s.count * unsigned(s.wide.bits());
      if (filled < 32)
        wrong += machine.v(70, l) >> filled != 0x01234567u >> filled;
    }
    CHECK_EQ(s.name + " " + std::to_string(wrong), s.name + " 0");
  }
}

UNIT_TEST(scaled_conversions_choose_bytes) {
  Machine machine("gfx950");
  for (unsigned byte = 0; byte < 4; ++byte) {
    const std::string low = byte & 1 ? "1" : "0", high = byte & 2 ? "1" : "0";
    REQUIRE(machine.load("v_cvt_scalef32_pk_fp4_f32 v70, v0, v1, v64 op_sel:[0,0," + low + "," +
                         high + "]\nv_cvt_scalef32_sr_fp8_f32 v71, v0, v65, v64 op_sel:[0,0," +
                         low + "," + high + "]\nv_cvt_scalef32_f32_fp8 v72, v2, v64 op_sel:[" +
                         low + "," + high + "]"));
    machine.v(0, 0) = single(1.5), machine.v(1, 0) = single(-4);
    machine.v(2, 0) = 0x38b840c0; // 1, -1, 2, -2 from the top
    machine.v(64, 0) = single(1), machine.v(65, 0) = 0;
    machine.v(70, 0) = machine.v(71, 0) = 0;
    REQUIRE(machine.run());
    CHECK_EQ(machine.v(70, 0), 0xe3u << (8 * byte)); // -4, 1.5
    CHECK_EQ(machine.v(71, 0), 0x3cu << (8 * byte));
    const double values[] = {-2, 2, -1, 1};
    CHECK_EQ(machine.v(72, 0), single(values[byte]));
  }
}

} // namespace isatest
