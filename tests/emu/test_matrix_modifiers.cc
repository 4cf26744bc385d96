// What modifiers of matrix instructions do, by the rules of the published layout tables, and what
// is read and written when registers overlap or EXEC is not full.
#include "matrix_problem.h"

#include <algorithm>
#include <cmath>

using namespace emutest;

namespace {

// A chip's suite, or the case is skipped.
#define SUITE(CHIP, WAVE)                                                                          \
  std::string reason;                                                                              \
  auto facts = factsOf(CHIP, WAVE, reason);                                                        \
  if (facts.empty())                                                                               \
    SKIP(reason);                                                                                  \
  MatrixSuite suite(CHIP, WAVE)

std::vector<Problem> several(const FactInstruction &fact, unsigned seed,
                             std::function<void(Problem &)> change, unsigned set = 0) {
  std::mt19937 random(seed);
  std::vector<Problem> problems;
  Problem first = randomProblem(fact, random, set);
  for (int i = 0; i < 4; ++i) {
    Problem p = randomProblem(fact, random, set);
    p.typeA = first.typeA;
    p.typeB = first.typeB;
    refill(p, random);
    change(p);
    problems.push_back(std::move(p));
  }
  return problems;
}

// Adds four problems; `effect` turns a problem into the one that the modifiers make of it.
void addModified(
    MatrixSuite &suite, const FactInstruction &fact, const std::string &modifiers,
    std::function<void(Problem &)> effect, unsigned set = 0,
    std::function<void(Problem &)> prepare = [](Problem &) {}) {
  auto problems = several(fact, 7, prepare, set);
  MatrixCode code = codeOf(problems[0]);
  code.modifiers = modifiers.empty() ? code.modifiers : modifiers;
  addProblems(
      suite, code, [=] { return problems; }, modifiers,
      [=](const Problem &p) {
        Problem changed = p;
        effect(changed);
        return product(changed);
      });
}

// cbsz and abid: block n of A is read from block (n >> cbsz << cbsz) + abid.
void broadcastA(Problem &p, unsigned cbsz, unsigned abid) {
  Matrix from = p.a;
  for (unsigned b = 0; b < p.a.blocks; ++b)
    for (unsigned i = 0; i < p.a.rows; ++i)
      for (unsigned k = 0; k < p.a.columns; ++k)
        p.a.at(b, i, k) = from.at((b >> cbsz << cbsz) + abid, i, k);
}

// blgp: the lane that is read in place of lane L.
unsigned patternLane(unsigned blgp, unsigned lane) {
  const unsigned lanes[8] = {lane,      lane % 32,      32 + lane % 32, (lane + 16) % 64,
                             lane % 16, 16 + lane % 16, 32 + lane % 16, 48 + lane % 16};
  return lanes[blgp];
}
void patternB(Problem &p, unsigned blgp) {
  RegisterSet registers(p.fact.layoutB.registers);
  putMatrix(p.b, p.fact.layoutB, registers);
  for (unsigned b = 0; b < p.b.blocks; ++b)
    for (unsigned k = 0; k < p.b.rows; ++k)
      for (unsigned j = 0; j < p.b.columns; ++j) {
        Spot spot = p.fact.layoutB.find(k, j, b);
        spot.lane = patternLane(blgp, spot.lane);
        p.b.at(b, k, j) = registers.get(spot, p.fact.layoutB.width);
      }
}

void flipSigns(Matrix &matrix, unsigned bits) {
  for (uint64_t &value : matrix.bits)
    value ^= uint64_t(1) << (bits - 1);
}

// neg_lo and neg_hi of 16-bit inputs: by the half of a register that an element is in.
void flipHalves(Matrix &matrix, const FactLayout &layout, bool low, bool high) {
  for (unsigned r = 0; r < matrix.rows; ++r)
    for (unsigned c = 0; c < matrix.columns; ++c) {
      if (layout.find(r, c, 0).bit ? high : low)
        matrix.at(0, r, c) ^= 0x8000;
    }
}

const FactInstruction *find(const std::vector<FactInstruction> &facts, const std::string &name) {
  for (const FactInstruction &fact : facts)
    if (fact.name == name)
      return &fact;
  unit::fail(__FILE__, __LINE__, "no facts on " + name);
  return nullptr;
}

void broadcastsAndPatterns(const char *chip) {
  SUITE(chip, 64);
  int broadcasts = 0, patterns = 0;
  for (const FactInstruction &fact : facts) {
    if (fact.broadcasts && !fact.sparse)
      for (unsigned cbsz = 1; 1u << cbsz <= fact.blocks; ++cbsz)
        for (unsigned abid = 0; abid < 1u << cbsz; ++abid, ++broadcasts)
          addModified(suite, fact, "cbsz:" + std::to_string(cbsz) + " abid:" + std::to_string(abid),
                      [=](Problem &p) { broadcastA(p, cbsz, abid); });
    if (fact.patterns && fact.a != Type::F64)
      for (unsigned blgp = 1; blgp < 8; ++blgp, ++patterns)
        addModified(suite, fact, "blgp:" + std::to_string(blgp),
                    [=](Problem &p) { patternB(p, blgp); });
  }
  suite.run();
  CHECK(broadcasts > 50);
  CHECK(patterns > 50);
}

} // namespace

UNIT_TEST(cbsz_abid_and_blgp_on_cdna2) { broadcastsAndPatterns("gfx90a"); }
UNIT_TEST(cbsz_abid_and_blgp_on_cdna3) { broadcastsAndPatterns("gfx942"); }

UNIT_TEST(blgp_negates_f64) {
  SUITE("gfx942", 64);
  for (const FactInstruction &fact : facts)
    if (fact.a == Type::F64)
      for (unsigned bits = 1; bits < 8; ++bits)
        addModified(suite, fact,
                    std::string("neg:[") + (bits & 1 ? "1," : "0,") + (bits & 2 ? "1," : "0,") +
                        (bits & 4 ? "1]" : "0]"),
                    [=](Problem &p) {
                      if (bits & 1)
                        flipSigns(p.a, 64);
                      if (bits & 2)
                        flipSigns(p.b, 64);
                      if (bits & 4)
                        flipSigns(p.c, 64);
                    });
  suite.run();
}

// abid (cbsz 0) or index_key chooses one of several sets of positions; with cbsz it is the first.
UNIT_TEST(sparse_index_sets_on_cdna) {
  for (const char *chip : {"gfx942", "gfx950"}) {
    SUITE(chip, 64);
    int sets = 0;
    for (const FactInstruction &fact : facts) {
      const unsigned count = fact.sparse ? 32 / fact.layoutIndex.setBits : 0;
      for (unsigned set = 0; set < count; ++set, ++sets) {
        addModified(suite, fact, "abid:" + std::to_string(set), [](Problem &) {}, set);
        if (set)
          addModified(suite, fact, "cbsz:1 abid:" + std::to_string(set), [](Problem &) {}, 0);
      }
      if (count == 1) // all of the register
        addModified(suite, fact, "abid:1", [](Problem &) {}, 0);
    }
    suite.run();
    CHECK(sets > 30);
  }
}

UNIT_TEST(sparse_index_sets_on_rdna) {
  for (unsigned waveSize : {32u, 64u}) {
    SUITE("gfx1201", waveSize);
    int sets = 0;
    for (const FactInstruction &fact : facts)
      for (unsigned set = 1; fact.sparse && set < 32 / fact.layoutIndex.setBits; ++set, ++sets) {
        std::mt19937 random(7);
        std::string signs = codeOf(randomProblem(fact, random, set)).modifiers;
        addModified(
            suite, fact, "index_key:" + std::to_string(set) + " " + signs, [](Problem &) {}, set);
      }
    suite.run();
    CHECK(sets > 5);
  }
}

UNIT_TEST(constants_as_c) {
  struct Constant {
    const char *text;
    double value;
  };
  for (const char *chip : {"gfx90a", "gfx942", "gfx1100", "gfx1201"}) {
    const bool rdna = chip[3] == '1';
    SUITE(chip, rdna ? 32 : 64);
    for (const FactInstruction &fact : facts) {
      if (fact.sparse)
        continue;
      for (Constant constant : {Constant{"0", 0}, {"1.0", 1}, {"-4.0", -4}}) {
        if (isIntegerType(fact.d) && constant.value != 0)
          continue;
        auto problems = several(fact, 3, [=](Problem &p) {
          for (uint64_t &bits : p.c.bits)
            bits = encodeElement(p.fact.d, constant.value);
        });
        MatrixCode code = codeOf(problems[0]);
        code.constant = constant.text;
        addProblems(suite, code, [=] { return problems; }, constant.text);
      }
      if (isIntegerType(fact.d)) {
        auto problems = several(fact, 3, [](Problem &p) {
          for (uint64_t &bits : p.c.bits)
            bits = encodeElement(p.fact.d, -7);
        });
        MatrixCode code = codeOf(problems[0]);
        code.constant = "-7";
        addProblems(suite, code, [=] { return problems; }, "-7");
      }
    }
    suite.run();
  }
}

// All sources are read before the result is written: D may be C, and may hold A.
UNIT_TEST(results_may_overlap_sources) {
  for (const char *chip : {"gfx942", "gfx1100"}) {
    const bool rdna = chip[3] == '1';
    SUITE(chip, rdna ? 32 : 64);
    for (const FactInstruction &fact : facts) {
      if (fact.sparse || (rdna && fact.d != Type::F32) || fact.a == Type::F64)
        continue;
      std::mt19937 random(5);
      Problem p = randomProblem(fact, random);
      MatrixCode code = codeOf(p);
      code.tied = true;
      suite.add(
          code,
          [=] {
            MatrixInput input = registersOf(p);
            input.d = input.c;
            return std::vector<MatrixInput>{input};
          },
          [=, &suite](const std::vector<MatrixInput> &inputs, const MatrixOutputs &outputs) {
            compare(suite, p, inputs[0], product(p), outputs[0], "D is C");
          });
      code.tied = false;
      code.overlaps = true;
      addProblems(suite, code, [=] { return std::vector<Problem>{p}; }, "D holds A");
    }
    suite.run();
  }
}

UNIT_TEST(matrices_in_accumulation_registers) {
  for (const char *chip : {"gfx90a", "gfx942"}) {
    SUITE(chip, 64);
    for (const FactInstruction &fact : facts) {
      auto problems = several(fact, 9, [](Problem &) {});
      MatrixCode code = codeOf(problems[0]);
      code.agprs = true;
      addProblems(suite, code, [=] { return problems; }, "AGPRs");
    }
    suite.run();
  }
}

// MFMA ignores EXEC; WMMA must find all of it, and is reported otherwise.
UNIT_TEST(exec_is_ignored_by_mfma) {
  SUITE("gfx942", 64);
  for (const FactInstruction &fact : facts) {
    auto problems = several(fact, 11, [](Problem &) {});
    MatrixCode code = codeOf(problems[0]);
    code.exec = 0x10f0;
    addProblems(suite, code, [=] { return problems; }, "EXEC");
  }
  suite.run();
  CHECK_EQ(suite.report(), "");
}

UNIT_TEST(partial_exec_at_wmma_is_reported) {
  for (const char *chip : {"gfx1100", "gfx1201"}) {
    SUITE(chip, 32);
    const FactInstruction *fact = find(facts, "v_wmma_f32_16x16x16_f16");
    REQUIRE(fact);
    auto problems = several(*fact, 11, [](Problem &) {});
    MatrixCode code = codeOf(problems[0]);
    code.exec = 0x7fffffff;
    addProblems(suite, code, [=] { return problems; }, "EXEC");
    suite.run();
    CHECK(suite.report().rfind("wmma-partial-exec: ", 0) == 0);
  }
}

// RDNA3 wants A and B in each group of 16 lanes.
UNIT_TEST(unequal_halves_at_wmma_are_reported) {
  for (unsigned waveSize : {32u, 64u})
    for (bool matrixA : {true, false}) {
      SUITE("gfx1100", waveSize);
      for (const FactInstruction &fact : facts) {
        std::mt19937 random(1);
        Problem p = randomProblem(fact, random);
        suite.add(
            codeOf(p),
            [=] {
              MatrixInput input = registersOf(p);
              (matrixA ? input.a : input.b).words[64 + 16 + 5] ^= 4; // lane 21 of the second
              return std::vector<MatrixInput>{input};
            },
            [](const std::vector<MatrixInput> &, const MatrixOutputs &) {});
        break;
      }
      suite.run();
      std::string report = suite.report();
      CHECK(report.rfind("wmma-unequal-halves: ", 0) == 0);
      CHECK(report.find(matrixA ? "matrix A differs" : "matrix B differs") != std::string::npos);
    }
}

UNIT_TEST(neg_and_abs_at_wmma) {
  for (const char *chip : {"gfx1100", "gfx1201"})
    for (unsigned waveSize : {32u, 64u}) {
      SUITE(chip, waveSize);
      for (const FactInstruction &fact : facts) {
        if (fact.a != Type::F16 && fact.a != Type::Bf16)
          continue;
        for (unsigned bits = 1; bits < 64; ++bits) {
          if (fact.sparse && bits & 0x24)
            continue; // no neg of C
          auto list = [&](unsigned first) {
            std::string text = "[";
            for (unsigned i = 0; i < 3; ++i)
              text += std::string(i ? "," : "") + (bits >> (first + i) & 1 ? "1" : "0");
            return text + "]";
          };
          addModified(suite, fact, "neg_lo:" + list(0) + " neg_hi:" + list(3), [=](Problem &p) {
            // A pair of a sparse A lies in one register: its first element is the low half.
            if (p.fact.sparse) {
              for (unsigned i = 0; i < p.fact.size; ++i)
                for (unsigned k = 0, kept = 0; k < p.fact.depth; ++k)
                  if (p.kept[i * p.fact.depth + k] && (kept++ % 2 ? bits & 8 : bits & 1))
                    p.a.at(0, i, k) ^= 0x8000;
            } else {
              flipHalves(p.a, p.fact.layoutA, bits & 1, bits & 8);
            }
            flipHalves(p.b, p.fact.layoutB, bits & 2, bits & 16);
            unsigned width = bitsOf(p.fact.d);
            for (uint64_t &value : p.c.bits) {
              if (bits & 32)
                value &= ~(uint64_t(1) << (width - 1));
              if (bits & 4)
                value ^= uint64_t(1) << (width - 1);
            }
          });
        }
      }
      suite.run();
    }
}

// op_sel of RDNA3's 16-bit results: the upper halves of C and D; the lower ones stay.
UNIT_TEST(op_sel_at_wmma) {
  for (unsigned waveSize : {32u, 64u}) {
    SUITE("gfx1100", waveSize);
    for (const FactInstruction &fact : facts)
      if (fact.d == Type::F16 || fact.d == Type::Bf16)
        addModified(
            suite, fact, "op_sel:[0,0,1]", [](Problem &) {}, 0, [](Problem &p) { p.shift = 16; });
    suite.run();
  }
}

// clamp saturates sums of integers; without it they wrap around.
UNIT_TEST(clamp_at_wmma) {
  for (const char *chip : {"gfx1100", "gfx1201"}) {
    SUITE(chip, 32);
    for (const FactInstruction &fact : facts) {
      if (!isIntegerType(fact.d))
        continue;
      for (bool clamp : {false, true}) {
        auto problems = several(fact, 13, [](Problem &p) {
          for (size_t i = 0; i < p.c.bits.size(); ++i)
            p.c.bits[i] = i % 2 ? 0x7fffffff - i % 50 : 0x80000000 + i % 50;
        });
        MatrixCode code = codeOf(problems[0]);
        if (clamp)
          code.modifiers += " clamp";
        addProblems(
            suite, code, [=] { return problems; }, clamp ? "clamp" : "no clamp",
            [=](const Problem &p) {
              Matrix d(1, p.fact.size, p.fact.size);
              for (unsigned i = 0; i < p.fact.size; ++i)
                for (unsigned j = 0; j < p.fact.size; ++j) {
                  int64_t sum = int32_t(p.c.at(0, i, j));
                  for (unsigned k = 0; k < p.fact.depth; ++k)
                    if (!p.fact.sparse || p.kept[i * p.fact.depth + k])
                      sum += int64_t(decodeElement(p.typeA, p.a.at(0, i, k)) *
                                     decodeElement(p.typeB, p.b.at(0, k, j)));
                  if (clamp)
                    sum = std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX);
                  d.at(0, i, j) = uint32_t(sum);
                }
              return d;
            });
      }
    }
    suite.run();
  }
}

// Scales are powers of two for each 32 places of K, in a byte that op_sel and op_sel_hi choose.
UNIT_TEST(scales_of_f8f6f4) {
  SUITE("gfx950", 64);
  for (const FactInstruction &fact : facts) {
    if (fact.name.find("f8f6f4") == std::string::npos || fact.a == Type::Fp6)
      continue;
    for (unsigned bytes : {0u, 6u, 11u}) {
      const unsigned byteA = bytes & 3, byteB = bytes >> 2;
      FactInstruction scaled = fact;
      scaled.name.replace(0, 6, "v_mfma_scale");
      auto number = [](Type type) {
        return std::to_string(unsigned(type) - unsigned(Type::Fp8Ocp));
      };
      auto bit = [](unsigned value, unsigned at) { return value >> at & 1 ? "1" : "0"; };
      std::string modifiers = std::string("op_sel:[") + bit(byteA, 0) + "," + bit(byteB, 0) +
                              ",0] op_sel_hi:[" + bit(byteA, 1) + "," + bit(byteB, 1) +
                              ",0] cbsz:" + number(fact.a) + " blgp:" + number(fact.b);
      auto problems = several(scaled, 17, [](Problem &p) {
        std::mt19937 random(19);
        for (unsigned lane = 0; lane < 64; ++lane) {
          for (RegisterSet *scale : {&p.scaleA, &p.scaleB}) {
            scale->words[lane] = 0;
            for (unsigned byte = 0; byte < 4; ++byte)
              scale->words[lane] |= (125 + random() % 4) << 8 * byte; // 1/4 to 2
          }
        }
      });
      MatrixCode code = codeOf(problems[0]);
      code.modifiers = modifiers;
      code.scales = true;
      addProblems(
          suite, code, [=] { return problems; }, modifiers,
          [=](const Problem &p) {
            Matrix d(1, p.fact.size, p.fact.size);
            auto scale = [&](const RegisterSet &scales, unsigned row, unsigned k, unsigned byte) {
              uint32_t word = scales.words[row + p.fact.size * (k / 32)];
              return std::ldexp(1.0, int(word >> 8 * byte & 255) - 127);
            };
            for (unsigned i = 0; i < p.fact.size; ++i)
              for (unsigned j = 0; j < p.fact.size; ++j) {
                double sum = decodeElement(p.fact.d, p.c.at(0, i, j));
                for (unsigned k = 0; k < p.fact.depth; ++k)
                  sum += decodeElement(p.typeA, p.a.at(0, i, k)) * scale(p.scaleA, i, k, byteA) *
                         decodeElement(p.typeB, p.b.at(0, k, j)) * scale(p.scaleB, j, k, byteB);
                d.at(0, i, j) = encodeElement(p.fact.d, sum);
              }
            return d;
          });
    }
  }
  auto names = suite.run();
  CHECK_EQ(std::count(names.begin(), names.end(), "v_mfma_scale_f32_16x16x128_f8f6f4"), 1);
  CHECK_EQ(std::count(names.begin(), names.end(), "v_mfma_scale_f32_32x32x64_f8f6f4"), 1);
}

UNIT_TEST_MAIN
