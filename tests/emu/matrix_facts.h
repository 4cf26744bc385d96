// Matrix instructions as a table of published hardware facts describes them (one JSON file for each
// chip; the directory is TL_HARDWARE_FACTS or ../shared/data beside the source tree), and matrices
// in registers by those layouts. Shares nothing with the emulator.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace emutest {

/// Element types; Fp8 and Bf8 are the FNUZ formats, Iu8 and Iu4 signed or not as a modifier says.
enum class Type : uint8_t {
  None,
  F64,
  F32,
  Xf32,
  F16,
  Bf16,
  Fp8,
  Bf8,
  Fp8Ocp,
  Bf8Ocp,
  Fp6,
  Bf6,
  Fp4,
  I32,
  I8,
  U8,
  Iu8,
  I4,
  U4,
  Iu4,
};

/// One bit of a position: of the lane, the register or the bit offset; None: no position.
struct Token {
  enum Kind : uint8_t { None, Lane, Register, Bit } kind = None;
  uint8_t bit = 0;
};

struct Spot {
  unsigned lane = 0, reg = 0, bit = 0;
};

struct FactLayout {
  std::vector<Token> row, column, block, copies;
  unsigned width = 0, registers = 0, setBits = 0;
  bool sixBits = false; // f8f6f4: consecutive elements of 6 bits
  bool isB = false;     // of sixBits
  unsigned size = 0;    // of sixBits: rows

  Spot find(unsigned row, unsigned column, unsigned block) const;
};

struct FactInstruction {
  std::string name;
  unsigned size = 0, depth = 0, blocks = 1;
  Type a = Type::None, b = Type::None, d = Type::None;
  FactLayout layoutA, layoutB, layoutD, layoutIndex;
  bool sparse = false, broadcasts = false, patterns = false;
};

/// The instructions of a chip in waves of a size; empty with a reason when there are no facts.
std::vector<FactInstruction> readFacts(const std::string &chip, unsigned waveSize,
                                       std::string &reason);
/// gfx950's sparse instructions with twice the K, which the published tables leave out: by the
/// register mapping that AMD's Composable Kernel library declares for them (ck_tile: a lane holds
/// A's places of K in one run, B's in two, of the lower and the upper half of K).
std::vector<FactInstruction> wideSparseFacts();
/// gfx950's f8f6f4 for two formats.
FactInstruction mixedFact(const std::vector<FactInstruction> &facts, const std::string &name,
                          Type a, Type b);

/// Bits of an element; f64 has 64.
unsigned bitsOf(Type type);
bool isIntegerType(Type type);
/// The value of an element's bits, by the format's definition.
double decodeElement(Type type, uint64_t bits);
/// The bits of a value that the type holds exactly.
uint64_t encodeElement(Type type, double value);

/// Registers of all 64 lanes, one after the other.
struct RegisterSet {
  explicit RegisterSet(unsigned count = 0) : words(size_t(count) * 64) {}
  std::vector<uint32_t> words;
  void put(const Spot &spot, unsigned width, uint64_t bits);
  uint64_t get(const Spot &spot, unsigned width) const;
};

/// A matrix of element bits: [block][row][column].
struct Matrix {
  unsigned blocks, rows, columns;
  std::vector<uint64_t> bits;
  Matrix(unsigned blocks, unsigned rows, unsigned columns)
      : blocks(blocks), rows(rows), columns(columns), bits(size_t(blocks) * rows * columns) {}
  uint64_t &at(unsigned block, unsigned row, unsigned column) {
    return bits[(size_t(block) * rows + row) * columns + column];
  }
  uint64_t at(unsigned block, unsigned row, unsigned column) const {
    return bits[(size_t(block) * rows + row) * columns + column];
  }
};

void putMatrix(const Matrix &matrix, const FactLayout &layout, RegisterSet &registers);
Matrix getMatrix(const FactLayout &layout, unsigned blocks, unsigned rows, unsigned columns,
                 const RegisterSet &registers);

} // namespace emutest
