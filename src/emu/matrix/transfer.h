// Elements of matrices between the registers of a wave and arrays.
#pragma once

#include "emu/matrix/shape.h"
#include "emu/wave.h"

namespace tl::emu::matrix {

/// Of A and B: what changes on the way.
struct Fetch {
  uint8_t broadcast = 0; // cbsz: log2 of how many blocks share one block's A
  uint8_t shared = 0;    // abid: which of them
  uint8_t pattern = 0;   // blgp: which lanes are read instead
  uint16_t flipLow = 0;  // sign bits that neg_lo and neg_hi change in each half of a register
  uint16_t flipHigh = 0;
};

/// Raw elements as [term][block * size + row].
void fetchInput(Wave &wave, const Operand &operand, const Shape &shape, const InputLayout &layout,
                const Fetch &fetch, uint32_t *elements);
/// The same for registers that hold one f64 each pair.
void fetchDoubles(Wave &wave, const Operand &operand, const Shape &shape, const InputLayout &layout,
                  double *elements);
/// For each stored element of a sparse A, which of its four places of K it has: [term][row], as a
/// term of B.
void fetchSelection(Wave &wave, const Operand &operand, const Shape &shape,
                    const IndexLayout &layout, unsigned set, uint8_t *selection);

/// C as [row][block * size + column]; `shift` moves 16-bit elements to the upper halves.
void loadWords(Wave &wave, const Operand &operand, const Shape &shape, const OutputLayout &layout,
               unsigned shift, uint32_t *words);
void loadDoubles(Wave &wave, const Operand &operand, const Shape &shape, const OutputLayout &layout,
                 double *values);
void storeWords(Wave &wave, const Operand &operand, const Shape &shape, const OutputLayout &layout,
                unsigned shift, const uint32_t *words);
void storeDoubles(Wave &wave, const Operand &operand, const Shape &shape,
                  const OutputLayout &layout, const double *values);

} // namespace tl::emu::matrix
