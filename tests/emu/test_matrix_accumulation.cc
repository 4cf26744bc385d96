// In which order and with which roundings matrix instructions add up: values where the readings
// differ. Expected results are published ones, or those of a plain evaluation of the published
// algorithms (arXiv 2511.10909) in long double, whose 64 bits hold every intermediate value here.
#include "matrix_problem.h"

#include <cmath>

using namespace emutest;

namespace {

using Accumulation = Options::Accumulation;

// The exponent of a number as its format's field says it: denormals have the smallest normal one's.
int fieldExponent(double value, int smallest) {
  return value == 0 ? smallest : std::max(std::ilogb(value), smallest);
}

int smallestExponent(Type type) {
  switch (type) {
  case Type::F16:
    return -14;
  case Type::Fp8:
    return -7;
  case Type::Bf8:
    return -15;
  default:
    return -126; // f32, xf32, bf16
  }
}

long double roundDown(long double value, int exponent) {
  return std::ldexp(std::floor(std::ldexp(value, -exponent)), exponent);
}
long double truncate(long double value, int exponent) {
  return std::ldexp(std::trunc(std::ldexp(value, -exponent)), exponent);
}

// A sum of truncated products, and the exponent that they were aligned to; -999 without products.
struct PartSum {
  long double sum = 0;
  int exponent = -999;
};

PartSum truncatedSum(const std::vector<double> &a, const std::vector<double> &b,
                     const std::vector<int> &exponents, size_t first, size_t step) {
  PartSum part;
  for (size_t k = first; k < a.size(); k += step)
    if (a[k] * b[k] != 0)
      part.exponent = std::max(part.exponent, exponents[k]);
  for (size_t k = first; k < a.size(); k += step)
    part.sum += truncate(static_cast<long double>(a[k]) * b[k], part.exponent - 24);
  return part;
}

float addDown(PartSum part, float c, bool dropsSmall) {
  int own = fieldExponent(c, -126), top = std::max(part.exponent, own);
  long double sum = part.exponent == -999 ? 0 : roundDown(part.sum, top - 32);
  if (!dropsSmall || own >= top - 25)
    sum += roundDown(c, top - 24);
  if (sum == 0)
    return 0;
  return float(roundDown(sum, std::max(std::ilogb(sum), -126) - 31));
}

// One accumulator of CDNA3: groups of `group` terms; `halves`: even and odd ones apart.
float fused(const std::vector<double> &a, const std::vector<double> &b, Type typeA, Type typeB,
            float c, size_t group, bool halves) {
  for (size_t first = 0; first < a.size(); first += group) {
    size_t end = std::min(first + group, a.size());
    std::vector<double> x(a.begin() + long(first), a.begin() + long(end)),
        y(b.begin() + long(first), b.begin() + long(end));
    std::vector<int> exponents;
    for (size_t k = 0; k < x.size(); ++k)
      exponents.push_back(fieldExponent(x[k], smallestExponent(typeA)) +
                          fieldExponent(y[k], smallestExponent(typeB)));
    PartSum part = truncatedSum(x, y, exponents, 0, halves ? 2 : 1);
    if (halves) {
      PartSum odd = truncatedSum(x, y, exponents, 1, 2);
      int top = std::max(part.exponent, odd.exponent);
      part.sum = top == -999 ? 0 : roundDown(part.sum, top - 24) + roundDown(odd.sum, top - 24);
      part.exponent = top;
    }
    c = addDown(part, c, halves);
  }
  return c;
}

// CDNA2: pairs of products, denormals flushed.
float flush(float value) { return std::fabs(value) < 0x1p-126f ? value * 0.0f : value; }
float paired(std::vector<double> a, std::vector<double> b, Type type, float c, size_t group) {
  for (std::vector<double> *values : {&a, &b})
    for (double &value : *values)
      if (std::fabs(value) < std::ldexp(1.0, smallestExponent(type)))
        value = 0;
  auto product = [&](size_t k) { return flush(float(a[k] * b[k])); };
  c = std::fabs(c) < 0x1p-126f ? 0.0f : c;
  for (size_t k = 0; k < a.size(); k += group) {
    float sum = flush(product(k) + product(k + 1));
    if (group == 4)
      sum = flush(sum + flush(product(k + 2) + product(k + 3)));
    c = flush(c + sum);
  }
  return c;
}

float sequential(const std::vector<double> &a, const std::vector<double> &b, float c) {
  for (size_t k = 0; k < a.size(); ++k)
    c = std::fmaf(float(a[k]), float(b[k]), c);
  return c;
}

// The sum of one accumulator by a model.
using Accumulate = std::function<float(const std::vector<double> &, const std::vector<double> &,
                                       Type, Type, float)>;

Matrix accumulated(const Problem &p, const Accumulate &model) {
  Matrix d(p.fact.blocks, p.fact.size, p.fact.size);
  for (unsigned block = 0; block < p.fact.blocks; ++block)
    for (unsigned i = 0; i < p.fact.size; ++i)
      for (unsigned j = 0; j < p.fact.size; ++j) {
        std::vector<double> a, b;
        for (unsigned k = 0; k < p.fact.depth; ++k) {
          a.push_back(decodeElement(p.typeA, p.a.at(block, i, k)));
          b.push_back(decodeElement(p.typeB, p.b.at(block, k, j)));
          if (p.typeA == Type::Xf32) {
            // 10 bits of the fraction count.
            a[k] = decodeElement(Type::F32, p.a.at(block, i, k) & ~uint64_t(0x1fff));
            b[k] = decodeElement(Type::F32, p.b.at(block, k, j) & ~uint64_t(0x1fff));
          }
        }
        float c = float(decodeElement(Type::F32, p.c.at(block, i, j)));
        d.at(block, i, j) = encodeElement(Type::F32, model(a, b, p.typeA, p.typeB, c));
      }
  return d;
}

Accumulate fusedModel(size_t group, bool halves) {
  return [=](const std::vector<double> &a, const std::vector<double> &b, Type x, Type y, float c) {
    return fused(a, b, x, y, c, group, halves);
  };
}
Accumulate pairedModel(size_t group) {
  return [=](const std::vector<double> &a, const std::vector<double> &b, Type x, Type, float c) {
    return paired(a, b, x, c, group);
  };
}
float sequentialModel(const std::vector<double> &a, const std::vector<double> &b, Type, Type,
                      float c) {
  return sequential(a, b, c);
}

// Random bits of a type whose exponents lie about one, or anywhere; no infinities and NaNs.
uint64_t randomBits(Type type, std::mt19937 &random, bool anywhere) {
  if (bitsOf(type) <= 8 || (type == Type::F16 && anywhere)) {
    for (;;) {
      uint64_t bits = random() & ((1u << bitsOf(type)) - 1);
      if (std::isfinite(decodeElement(type, bits)))
        return bits;
    }
  }
  unsigned fractionBits = type == Type::F16 ? 10 : type == Type::Bf16 ? 7 : 23;
  int bias = type == Type::F16 ? 15 : 127;
  // Products of bf16 may be denormal, but not overflow.
  int exponent = anywhere ? -126 + int(random() % 180) : int(random() % 12) - 6;
  uint64_t sign = random() & 1, fraction = random() & ((1u << fractionBits) - 1);
  return sign << (bitsOf(type) - 1) | uint64_t(exponent + bias) << fractionBits | fraction;
}

std::vector<Problem> randomBitProblems(const FactInstruction &fact, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Problem> problems;
  for (int i = 0; i < 6; ++i) {
    Problem p(fact);
    bool anywhere = i % 3 == 2;
    for (uint64_t &bits : p.a.bits)
      bits = random() % 8 ? randomBits(p.typeA, random, anywhere) : 0;
    for (uint64_t &bits : p.b.bits)
      bits = randomBits(p.typeB, random, anywhere);
    for (uint64_t &bits : p.c.bits)
      bits = i % 3 == 1 ? 0 : randomBits(Type::F32, random, anywhere);
    problems.push_back(std::move(p));
  }
  return problems;
}

// Compares one instruction with a model on random bits; the model must differ from `other` there.
void addModel(MatrixSuite &suite, const FactInstruction &fact, const Accumulate &model,
              const Accumulate &other) {
  auto problems = randomBitProblems(fact, 23);
  int different = 0;
  for (const Problem &p : problems) {
    Matrix x = accumulated(p, model), y = accumulated(p, other);
    for (size_t i = 0; i < x.bits.size(); ++i)
      different += x.bits[i] != y.bits[i];
  }
  if (!different)
    unit::fail(__FILE__, __LINE__, fact.name + ": the models do not differ");
  Problem first = problems[0];
  addProblems(
      suite, codeOf(first), [=] { return problems; }, "model",
      [=](const Problem &p) { return accumulated(p, model); });
}

Options withMode(Accumulation accumulation) {
  Options options;
  options.accumulation = accumulation;
  return options;
}

// -2^13 * 2^10 - 0.5 - 0.25 - 0.125 + 2^23, of which table 8 of the paper gives the results.
void published(const char *chip, const char *name, Accumulation accumulation, float want) {
  std::string reason;
  auto facts = factsOf(chip, 64, reason);
  if (facts.empty())
    SKIP(reason);
  MatrixSuite suite(chip, 64, withMode(accumulation));
  for (const FactInstruction &fact : facts) {
    if (fact.name != name)
      continue;
    Problem p(fact);
    const double a[4] = {-0x1p13, -0.5, -0.25, -0.125}, b[4] = {0x1p10, 1, 1, 1};
    for (unsigned block = 0; block < fact.blocks; ++block)
      for (unsigned i = 0; i < fact.size; ++i)
        for (unsigned k = 0; k < fact.depth; ++k) {
          p.a.at(block, i, k) = encodeElement(p.typeA, k < 4 ? a[k] : 0);
          p.b.at(block, k, i) = encodeElement(p.typeB, k < 4 ? b[k] : 0);
        }
    for (uint64_t &bits : p.c.bits)
      bits = encodeElement(Type::F32, 0x1p23);
    addProblems(
        suite, codeOf(p), [=] { return std::vector<Problem>{p}; }, "published example",
        [=](const Problem &) {
          Matrix d(fact.blocks, fact.size, fact.size);
          for (uint64_t &bits : d.bits)
            bits = encodeElement(Type::F32, want);
          return d;
        });
  }
  CHECK(!suite.run().empty());
}

constexpr Accumulation kCdna = Accumulation::Cdna, kOrdered = Accumulation::Ordered;

} // namespace

UNIT_TEST(published_example_on_cdna2) {
  published("gfx90a", "v_mfma_f32_16x16x8bf16", kCdna, -0.375f);
  published("gfx90a", "v_mfma_f32_16x16x16bf16_1k", kCdna, 0);
  published("gfx90a", "v_mfma_f32_16x16x16f16", kCdna, 0);
  published("gfx90a", "v_mfma_f32_32x32x8f16", kCdna, 0);
}

UNIT_TEST(published_example_on_cdna3) {
  published("gfx942", "v_mfma_f32_16x16x16_f16", kCdna, -0.5f);
  published("gfx942", "v_mfma_f32_32x32x8_bf16", kCdna, -0.5f);
  published("gfx942", "v_mfma_f32_32x32x4_2b_f16", kCdna, -0.5f);
  published("gfx942", "v_mfma_f32_4x4x4_16b_f16", kCdna, -0.5f);
  published("gfx942", "v_mfma_f32_32x32x16_bf8_bf8", kCdna, -1);
  published("gfx942", "v_mfma_f32_16x16x4_f32", kCdna, -0.875f);
  published("gfx942", "v_mfma_f32_16x16x32_bf8_bf8", kCdna, -1);
}

UNIT_TEST(published_example_in_order) {
  published("gfx90a", "v_mfma_f32_16x16x16f16", kOrdered, -0.875f);
  published("gfx942", "v_mfma_f32_16x16x16_f16", kOrdered, -0.875f);
  published("gfx942", "v_mfma_f32_4x4x4_16b_bf16", kOrdered, -0.875f);
  published("gfx942", "v_mfma_f32_32x32x16_bf8_bf8", kOrdered, -0.875f);
}

UNIT_TEST(random_bits_on_cdna2) {
  std::string reason;
  auto facts = factsOf("gfx90a", 64, reason);
  if (facts.empty())
    SKIP(reason);
  MatrixSuite suite("gfx90a", 64, withMode(kCdna));
  for (const FactInstruction &fact : facts)
    if (fact.a == Type::F16 || fact.a == Type::Bf16) {
      bool pairs = fact.a == Type::Bf16 && fact.name.find("_1k") == std::string::npos;
      addModel(suite, fact, pairedModel(pairs ? 2 : 4), sequentialModel);
    }
  suite.run();
}

UNIT_TEST(random_bits_on_cdna3) {
  std::string reason;
  auto facts = factsOf("gfx942", 64, reason);
  if (facts.empty())
    SKIP(reason);
  MatrixSuite suite("gfx942", 64, withMode(kCdna));
  for (const FactInstruction &fact : facts) {
    if (fact.sparse)
      continue;
    if (fact.a == Type::F16 || fact.a == Type::Bf16)
      addModel(suite, fact, fusedModel(8, false), sequentialModel);
    else if (fact.a == Type::Xf32)
      addModel(suite, fact, fusedModel(4, false), sequentialModel);
    else if (fact.a == Type::Fp8 || fact.a == Type::Bf8)
      addModel(suite, fact, fusedModel(16, true), sequentialModel);
    else if (fact.a == Type::F32 && fact.depth > 1)
      addModel(suite, fact, sequentialModel, fusedModel(4, false));
  }
  suite.run();
}

UNIT_TEST(random_bits_in_order) {
  std::string reason;
  auto facts = factsOf("gfx942", 64, reason);
  if (facts.empty())
    SKIP(reason);
  MatrixSuite suite("gfx942", 64, withMode(kOrdered));
  for (const FactInstruction &fact : facts)
    if (!fact.sparse && fact.d == Type::F32 && fact.depth > 2)
      addModel(suite, fact, sequentialModel, fusedModel(8, false));
  suite.run();
}

// A product of 2^128 or more is an infinity, also where the sum would not be.
UNIT_TEST(huge_products_are_infinite_on_cdna3) {
  std::string reason;
  auto facts = factsOf("gfx942", 64, reason);
  if (facts.empty())
    SKIP(reason);
  MatrixSuite suite("gfx942", 64, withMode(kCdna));
  for (const FactInstruction &fact : facts) {
    if (fact.a != Type::Bf16 || fact.sparse)
      continue;
    Problem p(fact);
    Matrix want(fact.blocks, fact.size, fact.size);
    const uint64_t huge = encodeElement(Type::Bf16, 0x1p100),
                   large = encodeElement(Type::Bf16, 0x1p50),
                   negative = encodeElement(Type::Bf16, -0x1p50);
    for (unsigned block = 0; block < fact.blocks; ++block)
      for (unsigned i = 0; i < fact.size; ++i) {
        // Rows have the first, the second, both or none of two huge products.
        p.a.at(block, i, 0) = i & 1 ? huge : 0;
        p.a.at(block, i, 1) = i & 2 ? huge : 0;
        p.b.at(block, 0, i) = large;
        p.b.at(block, 1, i) = i & 1 ? negative : large;
        for (unsigned j = 0; j < fact.size; ++j) {
          double sum = 5;
          if (i & 1)
            sum += INFINITY;
          if (i & 2)
            sum += j & 1 ? -INFINITY : INFINITY;
          p.c.at(block, i, j) = encodeElement(Type::F32, 5);
          want.at(block, i, j) = std::isnan(sum) ? ~uint64_t(0) : encodeElement(Type::F32, sum);
        }
      }
    addProblems(
        suite, codeOf(p), [=] { return std::vector<Problem>{p}; }, "huge products",
        [=](const Problem &) { return want; });
  }
  CHECK(!suite.run().empty());
}

// The RNE of a 16-bit result, after a sum in f32.
UNIT_TEST(results_of_16_bits_are_rounded_once) {
  for (const char *chip : {"gfx1100", "gfx1201"}) {
    std::string reason;
    auto facts = factsOf(chip, 32, reason);
    if (facts.empty())
      SKIP(reason);
    MatrixSuite suite(chip, 32, Options());
    for (const FactInstruction &fact : facts) {
      if (fact.sparse || (fact.d != Type::F16 && fact.d != Type::Bf16))
        continue;
      // One is added with an ulp of the result in quarters: 1 + 1/4 .. 1 + 7/4 ulp.
      const double ulp = fact.d == Type::F16 ? 0x1p-10 : 0x1p-7;
      Problem p(fact);
      for (unsigned i = 0; i < fact.size; ++i) {
        p.b.at(0, 0, i) = encodeElement(p.typeB, 1);
        p.a.at(0, i, 0) = encodeElement(p.typeA, (i % 8) * ulp / 4);
      }
      for (uint64_t &bits : p.c.bits)
        bits = encodeElement(fact.d, 1);
      addProblems(
          suite, codeOf(p), [=] { return std::vector<Problem>{p}; }, "rounding",
          [=](const Problem &) {
            static const int up[8] = {0, 0, 0, 1, 1, 1, 2, 2}; // to the nearest, ties to even
            Matrix d(1, fact.size, fact.size);
            for (unsigned i = 0; i < fact.size; ++i)
              for (unsigned j = 0; j < fact.size; ++j)
                d.at(0, i, j) = encodeElement(fact.d, 1 + up[i % 8] * ulp);
            return d;
          });
    }
    suite.run();
  }
}

UNIT_TEST_MAIN
