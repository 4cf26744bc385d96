#include "emu/matrix/transfer.h"

#include <immintrin.h>

#include <algorithm>
#include <bit>

namespace tl::emu::matrix {
namespace {

// blgp (CDNA3 ISA 7.1.5): the lane that is read in place of a lane of B.
unsigned patternLane(unsigned pattern, unsigned lane) {
  switch (pattern) {
  case 1:
    return lane % 32;
  case 2:
    return 32 + lane % 32;
  case 3:
    return (lane + 16) % 64;
  case 4:
  case 5:
  case 6:
  case 7:
    return 16 * (pattern - 4) + lane % 16;
  }
  return lane;
}

struct Run {
  const uint32_t *low, *next; // the register, and the one that an element may reach into
};

// Runs of a constant length are loops that the compiler can vectorize.
template <unsigned Size>
void copyRun(const Run &run, unsigned bit, unsigned bits, uint32_t flip, uint32_t *to) {
  const uint32_t mask = bits == 32 ? ~0u : (1u << bits) - 1;
  if (bit + bits > 32) {
    for (unsigned i = 0; i < Size; ++i)
      to[i] = (run.low[i] >> bit | run.next[i] << (32 - bit)) & mask;
    return;
  }
  for (unsigned i = 0; i < Size; ++i)
    to[i] = (run.low[i] >> bit & mask) ^ flip;
}

template <unsigned Size>
void storeRun(const uint32_t *from, unsigned bit, unsigned bits, uint32_t *to) {
  const uint32_t mask = bits == 32 ? ~0u : ((1u << bits) - 1) << bit;
  for (unsigned i = 0; i < Size; ++i)
    to[i] = (to[i] & ~mask) | (from[i] << bit & mask);
}

template <class F> void forSize(unsigned size, F &&body) {
  if (size == 4)
    body(std::integral_constant<unsigned, 4>());
  else if (size == 16)
    body(std::integral_constant<unsigned, 16>());
  else
    body(std::integral_constant<unsigned, 32>());
}

// Constants of a type that LLVM writes as f64 (RDNA3's C) are those of the operand's own type.
uint32_t constantWord(const Operand &operand, Element element) {
  uint32_t low = operand.constant->low[0], high = operand.constant->high[0];
  if (high == 0 || high == ~0u)
    return low;
  float value = float(std::bit_cast<double>(uint64_t(low) | uint64_t(high) << 32));
  if (element == Element::F16)
    return _cvtss_sh(value, _MM_FROUND_TO_NEAREST_INT);
  uint32_t bits = std::bit_cast<uint32_t>(value);
  return element == Element::Bf16 ? bits >> 16 : bits;
}

} // namespace

void fetchInput(Wave &wave, const Operand &operand, const Shape &shape, const InputLayout &layout,
                const Fetch &fetch, uint32_t *elements) {
  const uint32_t *lines = wave.line(operand.index);
  uint32_t permuted[2 * kLineLanes];
  if (fetch.pattern) {
    // Instructions with blgp have at most two registers of B.
    for (unsigned r = 0; r < std::min<unsigned>(operand.registers, 2); ++r)
      for (unsigned lane = 0; lane < kLineLanes; ++lane)
        permuted[r * kLineLanes + lane] = lines[r * kLineLanes + patternLane(fetch.pattern, lane)];
    lines = permuted;
  }
  const unsigned columns = unsigned(shape.size) * shape.blocks;
  forSize(shape.size, [&](auto size) {
    for (unsigned block = 0; block < shape.blocks; ++block) {
      unsigned from = (block >> fetch.broadcast << fetch.broadcast) + fetch.shared;
      const Place *places = layout.place + from % shape.blocks * layout.terms;
      for (unsigned term = 0; term < layout.terms; ++term) {
        const Place &place = places[term];
        const uint32_t *low = lines + place.reg * kLineLanes + place.group * shape.size;
        copyRun<size>({low, low + kLineLanes}, place.bit, layout.bits,
                      place.bit ? fetch.flipHigh : fetch.flipLow,
                      elements + term * columns + block * shape.size);
      }
    }
  });
}

void fetchDoubles(Wave &wave, const Operand &operand, const Shape &shape, const InputLayout &layout,
                  double *elements) {
  const unsigned columns = unsigned(shape.size) * shape.blocks;
  for (unsigned block = 0; block < shape.blocks; ++block)
    for (unsigned term = 0; term < layout.terms; ++term) {
      const Place &place = layout.place[block * layout.terms + term];
      const uint32_t *low = wave.line(operand.index + place.reg) + place.group * shape.size;
      double *to = elements + term * columns + block * shape.size;
      for (unsigned row = 0; row < shape.size; ++row)
        to[row] = std::bit_cast<double>(low[row] | uint64_t(low[row + kLineLanes]) << 32);
    }
}

void fetchSelection(Wave &wave, const Operand &operand, const Shape &shape,
                    const IndexLayout &layout, unsigned set, uint8_t *selection) {
  const uint32_t *line = wave.line(operand.index);
  for (unsigned term = 0; term < shape.storedTerms(); ++term) {
    const Place &place = layout.place[term];
    const unsigned bit = place.bit + set * layout.setBits;
    for (unsigned row = 0; row < shape.size; ++row)
      selection[term * shape.size + row] =
          uint8_t(term / 2 * 4 + (line[place.group * shape.size + row] >> bit % 32 & 3));
  }
}

void loadWords(Wave &wave, const Operand &operand, const Shape &shape, const OutputLayout &layout,
               unsigned shift, uint32_t *words) {
  const unsigned columns = unsigned(shape.size) * shape.blocks;
  if (operand.kind != Operand::Vector) {
    uint32_t word = operand.kind == Operand::Constant ? constantWord(operand, shape.d)
                                                      : scalar32(wave, operand);
    std::fill_n(words, shape.size * columns, layout.bits == 16 ? word & 0xffff : word);
    return;
  }
  forSize(shape.size, [&](auto size) {
    for (unsigned block = 0; block < shape.blocks; ++block)
      for (unsigned row = 0; row < shape.size; ++row) {
        const Place &place = layout.place[block * shape.size + row];
        const uint32_t *low = wave.line(operand.index + place.reg) + place.group * shape.size;
        copyRun<size>({low, low}, place.bit + shift, layout.bits, 0,
                      words + row * columns + block * shape.size);
      }
  });
}

void loadDoubles(Wave &wave, const Operand &operand, const Shape &shape, const OutputLayout &layout,
                 double *values) {
  const unsigned columns = unsigned(shape.size) * shape.blocks;
  if (operand.kind != Operand::Vector) {
    std::fill_n(values, shape.size * columns, std::bit_cast<double>(scalar64(wave, operand)));
    return;
  }
  for (unsigned block = 0; block < shape.blocks; ++block)
    for (unsigned row = 0; row < shape.size; ++row) {
      const Place &place = layout.place[block * shape.size + row];
      const uint32_t *low = wave.line(operand.index + place.reg) + place.group * shape.size;
      for (unsigned column = 0; column < shape.size; ++column)
        values[row * columns + block * shape.size + column] =
            std::bit_cast<double>(low[column] | uint64_t(low[column + kLineLanes]) << 32);
    }
}

void storeWords(Wave &wave, const Operand &operand, const Shape &shape, const OutputLayout &layout,
                unsigned shift, const uint32_t *words) {
  const unsigned columns = unsigned(shape.size) * shape.blocks;
  forSize(shape.size, [&](auto size) {
    for (unsigned block = 0; block < shape.blocks; ++block)
      for (unsigned row = 0; row < shape.size; ++row) {
        const Place &place = layout.place[block * shape.size + row];
        storeRun<size>(words + row * columns + block * shape.size, place.bit + shift, layout.bits,
                       wave.line(operand.index + place.reg) + place.group * shape.size);
      }
  });
}

void storeDoubles(Wave &wave, const Operand &operand, const Shape &shape,
                  const OutputLayout &layout, const double *values) {
  const unsigned columns = unsigned(shape.size) * shape.blocks;
  for (unsigned block = 0; block < shape.blocks; ++block)
    for (unsigned row = 0; row < shape.size; ++row) {
      const Place &place = layout.place[block * shape.size + row];
      uint32_t *low = wave.line(operand.index + place.reg) + place.group * shape.size;
      for (unsigned column = 0; column < shape.size; ++column) {
        uint64_t bits =
            std::bit_cast<uint64_t>(values[row * columns + block * shape.size + column]);
        low[column] = uint32_t(bits);
        low[column + kLineLanes] = uint32_t(bits >> 32);
      }
    }
}

} // namespace tl::emu::matrix
