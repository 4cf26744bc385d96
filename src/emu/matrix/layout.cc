#include "emu/matrix/shape.h"

#include <algorithm>

namespace tl::emu::matrix {
namespace {

Place at(unsigned element, unsigned bits, unsigned group) {
  unsigned bit = element * bits;
  return {uint8_t(bit / 32), uint8_t(bit % 32), uint8_t(group)};
}

// CDNA: the lanes are filled row by row, then block by block, then along K; each lane holds
// consecutive places of K (CDNA3 ISA 7.1.4). Eight registers (CDNA4) hold four of the lower half of
// K, then four of the upper half.
Place cdnaInput(const Shape &shape, unsigned terms, unsigned bits, unsigned block, unsigned term) {
  constexpr unsigned kRunBits = 128;
  const unsigned perLane = terms * shape.size * shape.blocks / 64;
  const bool halves = perLane * bits == 2 * kRunBits;
  const unsigned run = halves ? kRunBits / bits : perLane, groups = terms / perLane;
  return at(term % run + run * (term / (run * groups)), bits,
            block + shape.blocks * (term / run % groups));
}

// RDNA4: as many places of K as fit two registers (four, for the B of a sparse A) in the lower half
// of 32 lanes, as many in the upper half, and so on. In waves of 64 the upper 32 lanes hold what
// would be the upper half of the registers (RDNA4 ISA 7.12.2).
Place rdna4Input(unsigned terms, unsigned bits, unsigned runBits, bool wave64, unsigned term) {
  unsigned perLane = terms / 2, run = std::min(perLane, runBits / bits);
  unsigned half = term / run % 2, element = term % run + run * (term / (2 * run));
  Place place = at(element, bits, half);
  unsigned registers = perLane * bits / 32;
  if (wave64 && registers > 1) {
    place.group = uint8_t(half + 2 * (place.reg / (registers / 2)));
    place.reg = uint8_t(place.reg % (registers / 2));
  }
  return place;
}

void buildInput(const Shape &shape, Arrangement arrangement, unsigned terms, unsigned bits,
                unsigned runBits, InputLayout &layout) {
  layout.terms = uint8_t(terms);
  layout.bits = uint8_t(bits);
  for (unsigned block = 0; block < shape.blocks; ++block)
    for (unsigned term = 0; term < terms; ++term) {
      Place place = {};
      switch (arrangement) {
      case Arrangement::Cdna:
        place = cdnaInput(shape, terms, bits, block, term);
        break;
      case Arrangement::Rdna3Wave32:
      case Arrangement::Rdna3Wave64:
        place = at(term, bits, 0);
        break;
      case Arrangement::Rdna4Wave32:
      case Arrangement::Rdna4Wave64:
        place = rdna4Input(terms, bits, runBits, arrangement == Arrangement::Rdna4Wave64, term);
      }
      layout.place[block * terms + term] = place;
    }
}

// CDNA, 32 bits: four consecutive rows in four registers, the next four rows in the next group of
// lanes; f64 rows are dealt out one by one, blocks first.
Place cdnaOutput(const Shape &shape, unsigned block, unsigned row) {
  unsigned groups = 64 / shape.size;
  if (shape.d == Element::F64) {
    unsigned slot = block + shape.blocks * row;
    return {uint8_t(2 * (slot / groups)), 0, uint8_t(slot % groups)};
  }
  unsigned slot = row / 4 + shape.size / 4 * block;
  return {uint8_t(row % 4 + 4 * (slot / groups)), 0, uint8_t(slot % groups)};
}

Place output(const Shape &shape, Arrangement arrangement, unsigned bits, unsigned block,
             unsigned row) {
  switch (arrangement) {
  case Arrangement::Cdna:
    return cdnaOutput(shape, block, row);
  case Arrangement::Rdna3Wave32: // rows are dealt out to the groups of 16 lanes
    return {uint8_t(row / 2), 0, uint8_t(row % 2)};
  case Arrangement::Rdna3Wave64:
    return {uint8_t(row / 4), 0, uint8_t(row % 4)};
  case Arrangement::Rdna4Wave32: // the upper half of the lanes holds the upper half of the rows
    return at(row % 8, bits, row / 8);
  case Arrangement::Rdna4Wave64:
    return at(row % 4, bits, row / 8 + 2 * (row / 4 % 2));
  }
  return {};
}

// The stored elements of a lane come in pairs; their positions are in that lane, in order.
void buildIndex(const Shape &shape, const InputLayout &a, IndexLayout &layout) {
  unsigned largest = 0;
  for (unsigned term = 0; term < shape.storedTerms(); ++term) {
    Place place = a.place[term];
    unsigned element = (32u * place.reg + place.bit) / a.bits;
    largest = std::max(largest, element);
    layout.place[term] = {0, uint8_t(2 * element), place.group};
  }
  layout.setBits = uint8_t(2 * (largest + 1));
}

} // namespace

void buildLayouts(const Shape &shape, Arrangement arrangement, unsigned bitsA, unsigned bitsB,
                  Layouts &layouts) {
  buildInput(shape, arrangement, shape.storedTerms(), bitsA, 64, layouts.a);
  buildInput(shape, arrangement, shape.depth, bitsB, shape.sparse() ? 128 : 64, layouts.b);
  layouts.d.bits = shape.d == Element::F64                               ? 64
                   : shape.d == Element::F16 || shape.d == Element::Bf16 ? 16
                                                                         : 32;
  for (unsigned block = 0; block < shape.blocks; ++block)
    for (unsigned row = 0; row < shape.size; ++row)
      layouts.d.place[block * shape.size + row] =
          output(shape, arrangement, layouts.d.bits, block, row);
  if (shape.sparse())
    buildIndex(shape, layouts.a, layouts.index);
}

} // namespace tl::emu::matrix
