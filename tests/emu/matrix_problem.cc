#include "matrix_problem.h"

#include <algorithm>
#include <cmath>

namespace emutest {
namespace {

// The values of a random matrix: so few and small that all sums are exact.
std::vector<double> smallValues(Type type, Type result) {
  int most = result == Type::Bf16 ? 2 : type == Type::Fp4 || type == Type::Fp6 ? 3 : 8;
  int least = -most;
  if (type == Type::I8)
    least = -128, most = 127;
  else if (type == Type::U8)
    least = 0, most = 255;
  else if (type == Type::I4)
    least = -8, most = 7;
  else if (type == Type::U4)
    least = 0, most = 15;
  std::vector<double> values;
  for (int v = least; v <= most; ++v)
    values.push_back(v);
  return values;
}

void fill(Matrix &matrix, Type type, const std::vector<double> &values, std::mt19937 &random) {
  std::vector<uint64_t> codes;
  for (double value : values)
    codes.push_back(encodeElement(type, value));
  for (uint64_t &bits : matrix.bits)
    bits = codes[random() % codes.size()];
}

std::vector<double> accumulatorValues(Type type) {
  std::vector<double> values;
  for (int v = -50; v <= 50; ++v)
    values.push_back(type == Type::I32 ? v * 1000003 : v);
  return values;
}

// Two kept places of every four of a sparse A.
void sparsify(Problem &p, std::mt19937 &random) {
  static const unsigned pairs[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
  p.kept.assign(p.fact.size * p.fact.depth, 0);
  std::fill(p.index.words.begin(), p.index.words.end(), uint32_t(random()));
  for (unsigned i = 0; i < p.fact.size; ++i)
    for (unsigned k = 0; k < p.fact.depth; k += 4) {
      const unsigned *pair = pairs[random() % 6];
      p.kept[i * p.fact.depth + k + pair[0]] = p.kept[i * p.fact.depth + k + pair[1]] = 1;
      Spot spot = p.fact.layoutIndex.find(i, k, 0);
      spot.bit += p.set * p.fact.layoutIndex.setBits;
      p.index.put(spot, 4, pair[0] | pair[1] << 2);
    }
}

void putSparse(const Problem &p, RegisterSet &registers) {
  const unsigned width = p.fact.layoutA.width / 2;
  for (unsigned i = 0; i < p.fact.size; ++i)
    for (unsigned k = 0; k < p.fact.depth; k += 4) {
      Spot spot = p.fact.layoutA.find(i, k, 0);
      for (unsigned at = 0; at < 4; ++at)
        if (p.kept[i * p.fact.depth + k + at]) {
          registers.put(spot, width, p.a.at(0, i, k + at));
          spot.bit += width;
        }
    }
}

} // namespace

MatrixInput registersOf(const Problem &p) {
  MatrixInput input;
  input.a = RegisterSet(p.fact.layoutA.registers);
  input.b = RegisterSet(p.fact.layoutB.registers);
  input.c = RegisterSet(p.fact.layoutD.registers);
  input.d = RegisterSet(p.fact.layoutD.registers);
  if (p.fact.sparse)
    putSparse(p, input.a);
  else
    putMatrix(p.a, p.fact.layoutA, input.a);
  putMatrix(p.b, p.fact.layoutB, input.b);
  FactLayout layout = p.fact.layoutD;
  // What the instruction must leave alone.
  for (uint32_t &word : input.d.words)
    word = 0xa5a5a5a5;
  for (unsigned b = 0; b < p.c.blocks; ++b)
    for (unsigned i = 0; i < p.c.rows; ++i)
      for (unsigned j = 0; j < p.c.columns; ++j) {
        Spot spot = layout.find(i, j, b);
        spot.bit += p.shift;
        input.c.put(spot, layout.width, p.c.at(b, i, j));
        if (p.fact.sparse)
          input.d.put(spot, layout.width, p.c.at(b, i, j));
      }
  input.index = p.index;
  input.scaleA = p.scaleA;
  input.scaleB = p.scaleB;
  return input;
}

MatrixCode codeOf(const Problem &p) {
  MatrixCode code;
  code.mnemonic = p.fact.name;
  code.a = p.fact.layoutA.registers;
  code.b = p.fact.layoutB.registers;
  code.d = p.fact.layoutD.registers;
  code.index = p.fact.sparse;
  if (p.fact.a == Type::Iu8 || p.fact.a == Type::Iu4) {
    auto sign = [](Type type) { return type == Type::I8 || type == Type::I4 ? "1," : "0,"; };
    code.modifiers = std::string("neg_lo:[") + sign(p.typeA) + sign(p.typeB) + "0]";
  }
  return code;
}

Matrix product(const Problem &p) {
  auto decoded = [](const Matrix &matrix, Type type) {
    std::vector<double> values;
    for (uint64_t bits : matrix.bits)
      values.push_back(decodeElement(type, bits));
    return values;
  };
  const unsigned size = p.fact.size, depth = p.fact.depth;
  std::vector<double> a = decoded(p.a, p.typeA), b = decoded(p.b, p.typeB),
                      sums = decoded(p.c, p.fact.d);
  bool finite = true; // else 0 * b counts too
  for (double value : b)
    finite &= std::isfinite(value);
  for (unsigned block = 0; block < p.fact.blocks; ++block)
    for (unsigned i = 0; i < size; ++i)
      for (unsigned k = 0; k < depth; ++k) {
        double factor = a[(block * size + i) * depth + k];
        if ((p.fact.sparse && !p.kept[i * depth + k]) || (finite && factor == 0))
          continue;
        for (unsigned j = 0; j < size; ++j)
          sums[(block * size + i) * size + j] += factor * b[(block * depth + k) * size + j];
      }
  Matrix d(p.fact.blocks, size, size);
  for (size_t i = 0; i < sums.size(); ++i)
    d.bits[i] = std::isnan(sums[i]) ? ~uint64_t(0) : encodeElement(p.fact.d, sums[i]);
  return d;
}

bool same(Type type, uint64_t got, uint64_t want) {
  if (got == want)
    return true;
  if (isIntegerType(type))
    return false;
  uint64_t mask = bitsOf(type) == 64 ? ~uint64_t(0) : (uint64_t(1) << bitsOf(type)) - 1;
  bool wantsNan = want == ~uint64_t(0) || std::isnan(decodeElement(type, want & mask));
  return wantsNan && std::isnan(decodeElement(type, got & mask));
}

void compare(const MatrixSuite &suite, const Problem &p, const MatrixInput &input,
             const Matrix &want, const RegisterSet &got, const std::string &what) {
  FactLayout layout = p.fact.layoutD;
  RegisterSet expected = input.d;
  for (unsigned b = 0; b < want.blocks; ++b)
    for (unsigned i = 0; i < want.rows; ++i)
      for (unsigned j = 0; j < want.columns; ++j) {
        Spot spot = layout.find(i, j, b);
        spot.bit += p.shift;
        uint64_t bits = got.get(spot, layout.width);
        if (!same(p.fact.d, bits, want.at(b, i, j))) {
          char text[300];
          std::snprintf(text, sizeof(text),
                        "%s wave%u %s, %s: D[%u][%u] of block %u is %.9g (0x%llx), not %.9g",
                        suite.chip.c_str(), suite.waveSize, p.fact.name.c_str(), what.c_str(), i, j,
                        b, decodeElement(p.fact.d, bits), static_cast<unsigned long long>(bits),
                        decodeElement(p.fact.d, want.at(b, i, j)));
          unit::fail(__FILE__, __LINE__, text);
          return;
        }
        expected.put(spot, layout.width, bits);
      }
  for (size_t word = 0; word < got.words.size(); ++word)
    if (word % 64 < suite.waveSize && got.words[word] != expected.words[word]) {
      unit::fail(__FILE__, __LINE__,
                 suite.chip + " " + p.fact.name + ", " + what + ": register " +
                     std::to_string(word / 64) + " lane " + std::to_string(word % 64) +
                     " should not have changed");
      return;
    }
}

void addProblems(MatrixSuite &suite, const MatrixCode &code,
                 std::function<std::vector<Problem>()> make, std::string what,
                 std::function<Matrix(const Problem &)> want) {
  auto problems = std::make_shared<std::vector<Problem>>();
  suite.add(
      code,
      [=] {
        *problems = make();
        std::vector<MatrixInput> inputs;
        for (const Problem &p : *problems)
          inputs.push_back(registersOf(p));
        return inputs;
      },
      [=, &suite](const std::vector<MatrixInput> &inputs, const MatrixOutputs &outputs) {
        for (size_t i = 0; i < inputs.size() && !unit::state().failed; ++i)
          compare(suite, (*problems)[i], inputs[i], want((*problems)[i]), outputs[i],
                  what + " " + std::to_string(i));
        problems->clear();
      });
}

void refill(Problem &p, std::mt19937 &random) {
  fill(p.a, p.typeA, smallValues(p.typeA, p.fact.d), random);
  fill(p.b, p.typeB, smallValues(p.typeB, p.fact.d), random);
}

Problem randomProblem(const FactInstruction &fact, std::mt19937 &random, unsigned set) {
  Problem p(fact);
  p.set = set;
  auto sign = [&](Type type) {
    bool isSigned = random() & 1;
    return type == Type::Iu8   ? isSigned ? Type::I8 : Type::U8
           : type == Type::Iu4 ? isSigned ? Type::I4 : Type::U4
                               : type;
  };
  p.typeA = sign(fact.a);
  p.typeB = sign(fact.b);
  refill(p, random);
  fill(p.c, fact.d, accumulatorValues(fact.d), random);
  if (fact.sparse)
    sparsify(p, random);
  return p;
}

std::vector<FactInstruction> factsOf(const std::string &chip, unsigned waveSize,
                                     std::string &reason) {
  auto facts = readFacts(chip, waveSize, reason);
  if (chip != "gfx950" || facts.empty())
    return facts;
  // gfx950 has gfx942's instructions but for XF32, with the OCP's 8-bit formats.
  std::vector<FactInstruction> all;
  for (const FactInstruction &fact : facts)
    if (fact.name.find("f8f6f4") == std::string::npos)
      all.push_back(fact);
  for (FactInstruction fact : readFacts("gfx942", waveSize, reason)) {
    if (fact.a == Type::Xf32)
      continue;
    for (Type *type : {&fact.a, &fact.b})
      *type = *type == Type::Fp8 ? Type::Fp8Ocp : *type == Type::Bf8 ? Type::Bf8Ocp : *type;
    all.push_back(fact);
  }
  for (const FactInstruction &fact : wideSparseFacts())
    all.push_back(fact);
  for (const char *name : {"v_mfma_f32_16x16x128_f8f6f4", "v_mfma_f32_32x32x64_f8f6f4"})
    for (Type a : {Type::Fp8Ocp, Type::Bf8Ocp, Type::Fp6, Type::Bf6, Type::Fp4})
      for (Type b : {Type::Fp8Ocp, Type::Bf8Ocp, Type::Fp6, Type::Bf6, Type::Fp4})
        all.push_back(mixedFact(facts, name, a, b));
  return all;
}

} // namespace emutest
