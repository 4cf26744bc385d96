// Matrix instructions: every row of the emulator's table, with elements placed by published layout
// tables and results from plain loops.
// test-timeout: 1500
#include "matrix_problem.h"

#include "emu/op_table.h"

#include <algorithm>
#include <cmath>
#include <set>

using namespace emutest;

namespace {

std::set<std::string> executed; // mnemonics, by all cases so far
bool complete = true;           // no case was skipped

// One element of A (or B) after the other is not zero, and the other matrix is random.
std::vector<Problem> oneHot(const Problem &base, bool hotA, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Problem> problems;
  const Matrix &shape = hotA ? base.a : base.b;
  for (unsigned b = 0; b < shape.blocks; ++b)
    for (unsigned r = 0; r < shape.rows; ++r)
      for (unsigned c = 0; c < shape.columns; ++c) {
        if (hotA && base.fact.sparse && !base.kept[r * shape.columns + c])
          continue;
        Problem p = base;
        Matrix &hot = hotA ? p.a : p.b;
        const Type type = hotA ? p.typeA : p.typeB;
        std::fill(hot.bits.begin(), hot.bits.end(), encodeElement(type, 0));
        hot.at(b, r, c) = encodeElement(type, random() % 2 ? 1 : 2);
        problems.push_back(std::move(p));
      }
  return problems;
}

// A is the identity as far as it is square.
void makeIdentity(Problem &p) {
  for (unsigned b = 0; b < p.a.blocks; ++b)
    for (unsigned i = 0; i < p.a.rows; ++i)
      for (unsigned k = 0; k < p.a.columns; ++k)
        p.a.at(b, i, k) = encodeElement(p.typeA, i == k);
}

// Some infinities and NaNs, where the types have them.
void addSpecials(Problem &p, std::mt19937 &random) {
  auto special = [&](Matrix &matrix, Type type) {
    static const double values[] = {INFINITY, -INFINITY, NAN};
    for (int i = 0; i < 3; ++i) {
      double value = values[random() % 3];
      uint64_t bits = ~uint64_t(0);
      if (std::isnan(value) && bitsOf(type) > 6)
        bits =
            type == Type::Fp8 || type == Type::Bf8 ? 0x80 : (uint64_t(1) << (bitsOf(type) - 1)) - 1;
      else if (std::isinf(value))
        bits = encodeElement(type, value);
      if (bits != ~uint64_t(0))
        matrix.bits[random() % matrix.bits.size()] = bits;
    }
  };
  special(p.a, p.typeA);
  special(p.b, p.typeB);
  special(p.c, p.fact.d);
}

std::vector<Problem> randomProblems(const Problem &like, unsigned seed,
                                    std::function<void(Problem &, std::mt19937 &)> change) {
  std::mt19937 random(seed);
  std::vector<Problem> problems;
  for (int i = 0; i < 8; ++i) {
    Problem p = randomProblem(like.fact, random);
    p.typeA = like.typeA;
    p.typeB = like.typeB;
    refill(p, random);
    change(p, random);
    problems.push_back(std::move(p));
  }
  return problems;
}

void addInstruction(MatrixSuite &suite, const FactInstruction &fact, unsigned seed) {
  std::mt19937 random(seed);
  Problem first = randomProblem(fact, random);
  MatrixCode code = codeOf(first);
  const bool mixed = fact.name.find("f8f6f4") != std::string::npos;
  if (mixed) {
    auto number = [](Type type) { // the codes run like the types
      return std::to_string(unsigned(type) - unsigned(Type::Fp8Ocp));
    };
    code.modifiers = std::string("cbsz:") + number(fact.a) + " blgp:" + number(fact.b);
  }
  // Each format of f8f6f4 once on either side: where the other one is the first.
  if (!mixed || fact.b == Type::Fp8Ocp)
    addProblems(suite, code, [=] { return oneHot(first, true, seed); }, "one-hot A");
  if (!mixed || fact.a == Type::Fp8Ocp)
    addProblems(suite, code, [=] { return oneHot(first, false, seed); }, "one-hot B");
  addProblems(
      suite, code, [=] { return randomProblems(first, seed, [](Problem &, std::mt19937 &) {}); },
      "integers");
  addProblems(
      suite, code,
      [=] {
        return randomProblems(first, seed, [](Problem &p, std::mt19937 &) { makeIdentity(p); });
      },
      "identity");
  if (!isIntegerType(fact.d))
    addProblems(suite, code, [=] { return randomProblems(first, seed, addSpecials); }, "specials");
}

void runChip(const char *chip, unsigned waveSize, Options::Accumulation accumulation) {
  std::string reason;
  auto facts = factsOf(chip, waveSize, reason);
  if (facts.empty()) {
    complete = false;
    SKIP(reason);
  }
  Options options;
  options.threads = 2;
  options.accumulation = accumulation;
  MatrixSuite suite(chip, waveSize, options);
  for (size_t i = 0; i < facts.size(); ++i)
    addInstruction(suite, facts[i], unsigned(i) + 1);
  for (const std::string &name : suite.run())
    executed.insert(name);
  CHECK_EQ(suite.report(), "");
}

constexpr auto kCdna = Options::Accumulation::Cdna, kOrdered = Options::Accumulation::Ordered;

} // namespace

UNIT_TEST(gfx90a) { runChip("gfx90a", 64, kCdna); }
UNIT_TEST(gfx942) { runChip("gfx942", 64, kCdna); }
UNIT_TEST(gfx942_ordered) { runChip("gfx942", 64, kOrdered); }
UNIT_TEST(gfx950) { runChip("gfx950", 64, kCdna); }
UNIT_TEST(gfx1100_wave32) { runChip("gfx1100", 32, kCdna); }
UNIT_TEST(gfx1100_wave64) { runChip("gfx1100", 64, kCdna); }
UNIT_TEST(gfx1201_wave32) { runChip("gfx1201", 32, kCdna); }
UNIT_TEST(gfx1201_wave64) { runChip("gfx1201", 64, kCdna); }

// Rows that nothing above has executed, printed. Scaled products are in test_matrix_modifiers.cc.
UNIT_TEST(zz_every_row_was_executed) {
  if (!complete || executed.size() < 60)
    SKIP("not all chips were run");
  std::string missing;
  for (const OpRow &row : matrixRows()) {
    std::string name = row.name;
    for (char &c : name)
      c = char(std::tolower(c));
    if (!executed.count(name) && name.rfind("v_accvgpr", 0) && name.rfind("v_mfma_scale", 0))
      missing += name + " ";
  }
  std::printf("not executed: %s\n", missing.empty() ? "none" : missing.c_str());
  CHECK_EQ(missing, "");
}

UNIT_TEST_MAIN
