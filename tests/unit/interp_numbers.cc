// The interpreter's arithmetic against mathematics: exact integers (__int128) and 113-bit floats,
// in which sums, products and midpoints of up to 53-bit values have no or the right rounding.
#include "graph/fold_int.h"
#include "interp/elementwise.h"
#include "interp/numbers.h"
#include "unit/interp_integers.h"
#include "unit/unit_test.h"

#include <bit>
#include <cmath>
#include <random>

using namespace tl;
using namespace tl::interp;
using namespace tl::test;

namespace {

using Quad = __float128;

constexpr double inf = INFINITY;
const DType floatTypes[] = {DType::F16, DType::BF16, DType::F32, DType::F64};
const DType narrowTypes[] = {DType::F16, DType::BF16, DType::F32};

/// The neighbours of a value of a float type; beyond the largest comes the value that rounding
/// would give without a limit.
Quad above(DType type, double v) {
  uint64_t bits = encodeFloat(type, std::fabs(v));
  if (v == 0)
    return smallest(type);
  if (v > 0)
    return v == largest(type) ? Quad(v) + Quad(ulp(type, v)) : Quad(decodeFloat(type, bits + 1));
  return -Quad(decodeFloat(type, bits - 1));
}
Quad below(DType type, double v) { return -above(type, -v); }

int signOf(Quad x) { return x < 0 ? -1 : x > 0; }

/// Whether `r` is the value nearest to an exact number, ties to even, given the sign of the number
/// minus any x that is halfway between neighbours.
template <class Side> bool nearest(DType type, double r, Side exactMinus) {
  if (std::isinf(r)) {
    Quad limit = (Quad(largest(type)) + Quad(largest(type)) + Quad(ulp(type, largest(type)))) / 2;
    return r > 0 ? exactMinus(limit) >= 0 : exactMinus(-limit) <= 0;
  }
  bool even = (encodeFloat(type, r) & 1) == 0;
  int low = exactMinus((below(type, r) + Quad(r)) / 2),
      high = exactMinus((above(type, r) + Quad(r)) / 2);
  return even ? low >= 0 && high <= 0 : low > 0 && high < 0;
}

/// Random bits, with exponents near each other half of the time.
class Values {
public:
  explicit Values(uint64_t seed) : random(seed) {}
  double any(DType type) {
    for (;;) {
      double v = decodeFloat(type, random() >> (64 - dtypeBits(type)));
      if (std::isfinite(v))
        return v;
    }
  }
  double near(DType type, double other) {
    if (random() % 2 || other == 0)
      return any(type);
    double factor = 1 + double(random() >> 11) * 0x1p-53;
    double v = roundTo(type, std::ldexp(factor, std::ilogb(other) + int(random() % 64) - 32));
    return std::isfinite(v) ? (random() % 2 ? v : -v) : any(type);
  }

private:
  std::mt19937_64 random;
};

} // namespace

UNIT_TEST(bits_round_trip) {
  for (DType type : {DType::F16, DType::BF16})
    for (uint64_t bits = 0; bits < 65536; ++bits)
      REQUIRE(encodeFloat(type, decodeFloat(type, bits)) == bits);
  std::mt19937_64 random(1);
  for (int i = 0; i < 1000000; ++i) {
    uint32_t bits = uint32_t(random());
    float hardware = std::bit_cast<float>(bits);
    double ours = decodeFloat(DType::F32, bits);
    REQUIRE(encodeFloat(DType::F32, ours) == bits);
    REQUIRE(std::isnan(hardware) ? std::isnan(ours) : double(hardware) == ours);
  }
  // A NaN whose payload is lost stays a NaN.
  double payload = std::bit_cast<double>(uint64_t(0x7ff0000000000001));
  CHECK(std::isnan(decodeFloat(DType::F16, encodeFloat(DType::F16, payload))));
  CHECK_EQ(decodeFloat(DType::F16, 0x3c00), 1.0);
  CHECK_EQ(decodeFloat(DType::F16, 0x7bff), 65504.0);
  CHECK_EQ(decodeFloat(DType::F16, 0x8001), -0x1p-24);
  CHECK_EQ(decodeFloat(DType::BF16, 0x3f80), 1.0);
  CHECK_EQ(decodeFloat(DType::BF16, 0x0001), 0x1p-133);
}

UNIT_TEST(rounding_is_to_nearest_even) {
  for (DType type : {DType::F16, DType::BF16})
    for (uint64_t bits = 0; bits < 65536; ++bits) {
      double v = decodeFloat(type, bits);
      if (!std::isfinite(v) || v == largest(type))
        continue;
      REQUIRE(roundTo(type, v) == v);
      double next = double(above(type, v)), middle = (v + next) / 2;
      double even = encodeFloat(type, v) & 1 ? next : v;
      REQUIRE(roundTo(type, middle) == even);
      REQUIRE(roundTo(type, std::nextafter(middle, inf)) == next);
      REQUIRE(roundTo(type, std::nextafter(middle, -inf)) == v);
      long double wide = middle;
      REQUIRE(roundTo(type, std::nextafter(wide, (long double)inf)) == next);
      REQUIRE(roundTo(type, std::nextafter(wide, -(long double)inf)) == v);
    }
  for (DType type : narrowTypes) {
    double most = largest(type), half = ulp(type, most) / 2;
    CHECK_EQ(roundTo(type, most + half), inf);
    CHECK_EQ(roundTo(type, -most - half), -inf);
    CHECK_EQ(roundTo(type, std::nextafter(most + half, 0.0)), most);
    CHECK_EQ(roundTo(type, 1e300), inf);
    CHECK(std::signbit(roundTo(type, -smallest(type) / 2)));
    CHECK_EQ(roundTo(type, smallest(type) / 2), 0.0);
    CHECK_EQ(roundTo(type, std::nextafter(smallest(type) / 2, 1.0)), smallest(type));
    CHECK(std::isnan(roundTo(type, NAN)));
  }
}

UNIT_TEST(float_operations_are_rounded_once) {
  Values values(2);
  for (DType type : floatTypes)
    for (int i = 0; i < 300000; ++i) {
      double a = values.any(type), b = values.near(type, a);
      double sum = evaluateFloat(Opcode::Add, type, a, b, 0);
      // Which of a and b is nearer to x decides nothing: no rounding changes the sign.
      auto sumMinus = [&](Quad x) {
        return signOf(std::fabs(a) > std::fabs(b) ? (Quad(a) - x) + Quad(b)
                                                  : (Quad(b) - x) + Quad(a));
      };
      REQUIRE(nearest(type, sum, sumMinus));
      REQUIRE(evaluateFloat(Opcode::Sub, type, a, -b, 0) == sum);
      REQUIRE(nearest(type, evaluateFloat(Opcode::Mul, type, a, b, 0),
                      [&](Quad x) { return signOf(Quad(a) * Quad(b) - x); }));
      if (b != 0)
        REQUIRE(nearest(type, evaluateFloat(Opcode::Div, type, a, b, 0),
                        [&](Quad x) { return signOf(Quad(a) - x * Quad(b)) * (b < 0 ? -1 : 1); }));
      double root = evaluateFloat(Opcode::Sqrt, type, std::fabs(a), 0, 0);
      REQUIRE(nearest(type, root,
                      [&](Quad x) { return x < 0 ? 1 : signOf(Quad(std::fabs(a)) - x * x); }));
    }
}

UNIT_TEST(fma_is_rounded_once) {
  Values values(3);
  for (DType type : floatTypes)
    for (int i = 0; i < 300000; ++i) {
      double a = values.any(type), b = values.near(type, 1.0);
      double c = values.near(type, std::isfinite(a * b) ? a * b : 1.0);
      auto minus = [&](Quad x) { return signOf((Quad(a) * Quad(b) - x) + Quad(c)); };
      REQUIRE(nearest(type, fusedMultiplyAdd(type, a, b, c), minus));
      if (type == DType::F32)
        REQUIRE(fusedMultiplyAdd(type, a, b, c) == double(std::fmaf(float(a), float(b), float(c))));
    }
  // Ties that a first rounding to double makes: the product is halfway, c far below decides.
  double half = 1 + 0x1p-12;
  CHECK_EQ(fusedMultiplyAdd(DType::F32, half, half, 0x1p-100), 1 + 0x1p-11 + 0x1p-23);
  CHECK_EQ(fusedMultiplyAdd(DType::F32, half, half, -0x1p-100), 1 + 0x1p-11);
  CHECK_EQ(fusedMultiplyAdd(DType::F16, 1 + 0x1p-6, 1 + 0x1p-5, -0x1p-24),
           roundTo(DType::F16, (1 + 0x1p-6) * (1 + 0x1p-5) - 0x1p-24));
  CHECK_EQ(fusedMultiplyAdd(DType::F16, 256, 255.875, 1), 65504.0);
  CHECK_EQ(fusedMultiplyAdd(DType::F32, 1e30, 1e30, -inf), -inf);
  CHECK(std::isnan(fusedMultiplyAdd(DType::F32, inf, 0, 1)));
}

UNIT_TEST(half_arithmetic_in_exact_integers) {
  // f16 in units of 2^-24: every sum is an integer below 2^42, every product one below 2^82 in
  // units of 2^-48.
  auto roundUnits = [](Wide units, int unit) {
    Quad exact = Quad(units) * Quad(std::ldexp(1.0, unit));
    double r = double(exact); // at most 11 bits are kept below; only used as a guess
    double guess = roundTo(DType::F16, r);
    for (double candidate :
         {guess, double(above(DType::F16, guess)), double(below(DType::F16, guess))})
      if (std::fabs(candidate) <= 65504 &&
          nearest(DType::F16, candidate, [&](Quad x) { return signOf(exact - x); }))
        return candidate;
    return units > 0 ? inf : -inf;
  };
  std::mt19937_64 random(4);
  auto units = [](double v) { return Wide(v * 0x1p24); };
  for (int i = 0; i < 300000; ++i) {
    double a = decodeFloat(DType::F16, random() & 0xffff),
           b = decodeFloat(DType::F16, random() & 0xffff),
           c = decodeFloat(DType::F16, random() & 0xffff);
    if (!std::isfinite(a) || !std::isfinite(b) || !std::isfinite(c))
      continue;
    REQUIRE(evaluateFloat(Opcode::Add, DType::F16, a, b, 0) ==
            roundUnits(units(a) + units(b), -24));
    REQUIRE(evaluateFloat(Opcode::Mul, DType::F16, a, b, 0) ==
            roundUnits(units(a) * units(b), -48));
    REQUIRE(fusedMultiplyAdd(DType::F16, a, b, c) ==
            roundUnits(units(a) * units(b) + (units(c) << 24), -48));
  }
}

UNIT_TEST(half_operations_through_float_give_the_same) {
  // What targets do, and what numbers.h claims about it.
  std::mt19937_64 random(5);
  for (DType type : {DType::F16, DType::BF16})
    for (int i = 0; i < 1000000; ++i) {
      double a = decodeFloat(type, random() & 0xffff), b = decodeFloat(type, random() & 0xffff);
      float x = float(a), y = float(b);
      auto same = [&](Opcode opcode, float viaFloat) {
        double r = evaluateFloat(opcode, type, a, b, 0), f = roundTo(type, double(viaFloat));
        return std::isnan(r) ? std::isnan(f) : encodeFloat(type, r) == encodeFloat(type, f);
      };
      REQUIRE(same(Opcode::Add, x + y));
      REQUIRE(same(Opcode::Sub, x - y));
      REQUIRE(same(Opcode::Mul, x * y));
      REQUIRE(same(Opcode::Div, x / y));
      REQUIRE(same(Opcode::Sqrt, std::sqrt(x)));
    }
}

UNIT_TEST(integers_to_floats_once) {
  std::mt19937_64 random(6);
  for (DType type : floatTypes)
    for (int i = 0; i < 100000; ++i) {
      int64_t v = int64_t(random() >> (random() % 64));
      if (i % 3 == 0) // long runs of zeros below a tie
        v = int64_t((uint64_t(1) << 62) + (uint64_t(1) << (random() % 62)) + random() % 3 - 1);
      REQUIRE(nearest(type, roundInteger(type, v, DType::I64),
                      [&](Quad x) { return signOf(Quad(v) - x); }));
      REQUIRE(nearest(type, roundInteger(type, -v, DType::I64),
                      [&](Quad x) { return signOf(-Quad(v) - x); }));
      uint64_t u = random();
      REQUIRE(nearest(type, roundInteger(type, int64_t(u), DType::U64),
                      [&](Quad x) { return signOf(Quad(u) - x); }));
    }
  // Through double this would be a tie: 2^62 + 2^38 + 1 (f32 keeps 24 bits).
  CHECK_EQ(roundInteger(DType::F32, (int64_t(1) << 62) + (int64_t(1) << 38) + 1, DType::I64),
           0x1p62 + 0x1p39);
}

UNIT_TEST(floats_to_integers_saturate) {
  for (DType type : integerTypes) {
    unsigned bits = dtypeBits(type);
    Wide most = isUnsigned(type) ? (Wide(1) << bits) - 1 : (Wide(1) << (bits - 1)) - 1;
    Wide least = isUnsigned(type) ? 0 : -(Wide(1) << (bits - 1));
    auto expect = [&](double v) {
      Wide t = v != v ? 0 : v >= 0x1p100 ? most : v <= -0x1p100 ? least : Wide(v);
      t = t > most ? most : t < least ? least : t;
      return wrapInteger(int64_t(t), type);
    };
    std::vector<double> corners = {0,    -0.0,  0.5,   -0.5,   0.999, -0.999, 1,  -1,
                                   1e10, -1e10, 1e300, -1e300, inf,   -inf,   NAN};
    for (double edge : {std::ldexp(1.0, int(bits)), std::ldexp(1.0, int(bits) - 1)})
      for (double v : {edge, std::nextafter(edge, 0), std::nextafter(edge, inf), edge - 1, edge + 1,
                       edge - 0.5})
        corners.insert(corners.end(), {v, -v});
    for (double v : corners)
      CHECK_EQ(truncateTo(type, v), expect(v));
  }
  CHECK_EQ(truncateTo(DType::I8, 127.9), 127);
  CHECK_EQ(truncateTo(DType::I8, -129.0), -128);
  CHECK_EQ(truncateTo(DType::U8, -1.0), 0);
  CHECK_EQ(truncateTo(DType::I32, NAN), 0);
}

UNIT_TEST(integer_operations_in_unbounded_integers) {
  const Opcode opcodes[] = {Opcode::Add, Opcode::Sub,      Opcode::Mul,      Opcode::Div,
                            Opcode::Rem, Opcode::FloorDiv, Opcode::FloorMod, Opcode::CeilDiv,
                            Opcode::Min, Opcode::Max,      Opcode::Neg,      Opcode::Abs,
                            Opcode::Not, Opcode::Shl,      Opcode::Shr};
  std::mt19937_64 random(7);
  for (DType type : integerTypes) {
    std::vector<int64_t> list;
    unsigned bits = dtypeBits(type);
    if (bits == 8) {
      for (int64_t v = 0; v < 256; ++v)
        list.push_back(wrapInteger(v, type));
    } else {
      for (int64_t v : {0, 1, 2, 3, 5, 7, 10, 16, 31, 32, 33, 63, 64, 65, 100})
        for (int64_t base :
             {int64_t(0), int64_t(1) << (bits - 1), int64_t(-1) >> 1, int64_t(1) << (bits / 2)})
          list.insert(list.end(), {wrapInteger(int64_t(uint64_t(base) + uint64_t(v)), type),
                                   wrapInteger(int64_t(uint64_t(base) - uint64_t(v)), type)});
      for (int i = 0; i < 60; ++i)
        list.push_back(wrapInteger(int64_t(random()) >> (random() % 64), type));
    }
    for (int64_t a : list)
      for (int64_t b : list) {
        Wide x = valueOf(a, type), y = valueOf(b, type);
        for (Opcode opcode : opcodes) {
          const int64_t operands[] = {a, b};
          Wide expected = wrapped(meaning(opcode, x, y, type), type);
          Wide got = valueOf(
              *foldInteger(opcode, std::span(operands, opInfo(opcode).operands.size()), type),
              type);
          if (got != expected) {
            unit::fail(__FILE__, __LINE__,
                       std::string(opInfo(opcode).text) + " of " + std::string(dtypeText(type)) +
                           ": " + std::to_string(a) + ", " + std::to_string(b));
            return;
          }
        }
        REQUIRE(compareIntegers(Pred::Lt, a, b, type) == (x < y));
        REQUIRE(compareIntegers(Pred::Le, a, b, type) == (x <= y));
        REQUIRE(compareIntegers(Pred::Gt, a, b, type) == (x > y));
        REQUIRE(compareIntegers(Pred::Ge, a, b, type) == (x >= y));
        REQUIRE(compareIntegers(Pred::Eq, a, b, type) == (x == y));
        REQUIRE(compareIntegers(Pred::Ne, a, b, type) == (x != y));
      }
  }
}

UNIT_TEST(integers_wrap) {
  std::mt19937_64 random(8);
  for (DType type : integerTypes)
    for (int i = 0; i < 100000; ++i) {
      int64_t v = int64_t(random());
      REQUIRE(valueOf(wrapInteger(v, type), type) == wrapped(v, type));
    }
}

UNIT_TEST(min_and_max_of_floats) {
  for (DType type : floatTypes) {
    auto both = [&](double a, double b, double least, double most) {
      for (auto [x, y] : {std::pair(a, b), std::pair(b, a)}) {
        double lo = evaluateFloat(Opcode::Min, type, x, y, 0),
               hi = evaluateFloat(Opcode::Max, type, x, y, 0);
        CHECK(std::bit_cast<uint64_t>(lo) == std::bit_cast<uint64_t>(least));
        CHECK(std::bit_cast<uint64_t>(hi) == std::bit_cast<uint64_t>(most));
      }
    };
    both(1, 2, 1, 2);
    both(-0.0, 0.0, -0.0, 0.0);
    both(-inf, inf, -inf, inf);
    both(-1, -inf, -inf, -1);
    for (double v : {1.0, inf, -inf, 0.0, double(NAN)}) {
      CHECK(std::isnan(evaluateFloat(Opcode::Min, type, v, NAN, 0)));
      CHECK(std::isnan(evaluateFloat(Opcode::Max, type, NAN, v, 0)));
    }
  }
}

UNIT_TEST_MAIN
