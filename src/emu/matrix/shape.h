// What a matrix instruction multiplies, and where its elements lie in the registers of a wave.
//
// D = A * B + C for `blocks` independent products of size M x K by K x M (M = N in all of them). An
// operand's elements come in runs: M consecutive lanes hold the M rows of A (columns of B, of C and
// D) of one place in K (one row of C and D) of one block. A Place says where a run is.
#pragma once

#include <cstdint>

namespace tl::emu::matrix {

enum class Family : uint8_t {
  Mfma,
  Mixed,  // f8f6f4: formats of A and B are operands
  Smfmac, // MFMA with a 4:2 sparse A
  Wmma,
  Swmmac, // WMMA with a 4:2 sparse A
};

enum class Element : uint8_t { F64, F32, Xf32, F16, Bf16, Fp8, Bf8, Mini, I8, Iu8, Iu4, I32 };

struct Shape {
  const char *name;
  Family family;
  uint8_t size;   // M = N
  uint8_t blocks; // products
  uint8_t depth;  // K
  Element a, b, d;
  uint8_t pairTerms; // of CDNA2

  bool sparse() const { return family == Family::Smfmac || family == Family::Swmmac; }
  bool wmma() const { return family == Family::Wmma || family == Family::Swmmac; }
  /// Elements of A that are stored for each of its rows.
  unsigned storedTerms() const { return sparse() ? depth / 2 : depth; }
};

/// Lanes group * M and following; the element's lowest bit in that register.
struct Place {
  uint8_t reg, bit, group;
};

inline constexpr unsigned kMaxRuns = 128;

/// The runs of A or B: place[block * terms + term].
struct InputLayout {
  uint8_t terms, bits;
  Place place[kMaxRuns];
};

/// The runs of C and D: place[block * M + row].
struct OutputLayout {
  uint8_t bits;
  Place place[kMaxRuns];
};

/// Where the kept positions of a sparse A are: two bits for each stored element, in the lane that
/// holds it.
struct IndexLayout {
  uint8_t setBits; // of one of the sets that share a register
  Place place[kMaxRuns];
};

/// How a wave's lanes share the operands.
enum class Arrangement : uint8_t {
  Cdna,
  Rdna3Wave32, // every half or quarter of the wave holds all of A and B
  Rdna3Wave64,
  Rdna4Wave32,
  Rdna4Wave64,
};
inline constexpr unsigned kArrangements = 5;

struct Layouts {
  InputLayout a, b;
  OutputLayout d;
  IndexLayout index;
};

/// The places of a shape. `bitsA` and `bitsB` are widths of an element (Mixed: as its formats say).
void buildLayouts(const Shape &shape, Arrangement arrangement, unsigned bitsA, unsigned bitsB,
                  Layouts &layouts);

} // namespace tl::emu::matrix
