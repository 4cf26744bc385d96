// One product in registers, by published layouts, and its result by plain loops.
#pragma once

#include "matrix_kernel.h"

#include <random>

namespace emutest {

/// A product with all that the reference needs.
struct Problem {
  FactInstruction fact;
  Type typeA, typeB;         // with iu8 and iu4 made signed or unsigned
  Matrix a, b, c, d;         // d: what D holds before
  std::vector<uint8_t> kept; // of a sparse A, by [row][k]
  RegisterSet index, scaleA, scaleB;
  unsigned shift = 0, set = 0;

  explicit Problem(const FactInstruction &fact)
      : fact(fact), typeA(fact.a), typeB(fact.b), a(fact.blocks, fact.size, fact.depth),
        b(fact.blocks, fact.depth, fact.size), c(fact.blocks, fact.size, fact.size),
        d(fact.blocks, fact.size, fact.size), index(1), scaleA(1), scaleB(1) {}
};

/// The registers that a problem lies in.
MatrixInput registersOf(const Problem &problem);
/// Its instruction, without modifiers but those that say which integers are signed.
MatrixCode codeOf(const Problem &problem);
/// D by plain loops: exact sums, or infinities and NaNs, which come in any order. NaN: all ones.
Matrix product(const Problem &problem);
/// Whether bits of a type are equal, any NaN being any other.
bool same(Type type, uint64_t got, uint64_t want);
/// Compares D and what must not have changed; `what` names the test.
void compare(const MatrixSuite &suite, const Problem &problem, const MatrixInput &input,
             const Matrix &want, const RegisterSet &got, const std::string &what);

/// Small integers in all matrices; `set` is the set of a sparse index.
Problem randomProblem(const FactInstruction &fact, std::mt19937 &random, unsigned set = 0);
/// Gives A and B new values.
void refill(Problem &problem, std::mt19937 &random);

/// Adds problems that share a kernel; `want` is product by default.
void addProblems(MatrixSuite &suite, const MatrixCode &code,
                 std::function<std::vector<Problem>()> make, std::string what,
                 std::function<Matrix(const Problem &)> want = product);

/// A chip's instructions; those that gfx950 takes over from gfx942 too.
std::vector<FactInstruction> factsOf(const std::string &chip, unsigned waveSize,
                                     std::string &reason);

} // namespace emutest
