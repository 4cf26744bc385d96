#include "layout/linear_map.h"

#include <array>
#include <bit>
#include <cassert>
#include <utility>

namespace tl {

namespace {

/// An echelon form of a map's columns: vectors with distinct leading bits that span the image, each
/// with the input that produces it.
class Echelon {
public:
  explicit Echelon(const LinearMap &map) {
    for (unsigned i = 0; i < map.inBits(); ++i) {
      auto [remainder, input] = reduce(map.column(i));
      if (remainder == 0)
        continue;
      unsigned leading = leadingBit(remainder);
      vectors[leading] = remainder;
      inputs[leading] = input ^ (uint64_t(1) << i);
      ++rank;
    }
  }

  /// Cancels leading bits of `output` as far as the vectors allow. Returns what remains (zero
  /// exactly for outputs in the image) and the input whose image is the part that was cancelled.
  std::pair<uint64_t, uint64_t> reduce(uint64_t output) const {
    uint64_t input = 0;
    while (output != 0 && vectors[leadingBit(output)] != 0) {
      unsigned leading = leadingBit(output);
      output ^= vectors[leading];
      input ^= inputs[leading];
    }
    return {output, input};
  }

  unsigned rank = 0;

private:
  static unsigned leadingBit(uint64_t value) { return unsigned(std::bit_width(value)) - 1; }

  std::array<uint64_t, 64> vectors{}; // indexed by leading bit; 0 = none
  std::array<uint64_t, 64> inputs{};
};

} // namespace

LinearMap::LinearMap(unsigned outBits, std::vector<uint64_t> columns)
    : outputBits(outBits), columns(std::move(columns)) {
  assert(outBits <= 64 && inBits() <= 64);
  for ([[maybe_unused]] uint64_t column : this->columns)
    assert(unsigned(std::bit_width(column)) <= outBits);
}

LinearMap LinearMap::identity(unsigned bits) {
  std::vector<uint64_t> columns(bits);
  for (unsigned i = 0; i < bits; ++i)
    columns[i] = uint64_t(1) << i;
  return {bits, std::move(columns)};
}

uint64_t LinearMap::apply(uint64_t input) const {
  assert(unsigned(std::bit_width(input)) <= inBits());
  uint64_t output = 0;
  for (; input != 0; input &= input - 1)
    output ^= columns[unsigned(std::countr_zero(input))];
  return output;
}

unsigned LinearMap::rank() const { return Echelon(*this).rank; }

LinearMap LinearMap::after(const LinearMap &first) const {
  assert(first.outBits() == inBits());
  std::vector<uint64_t> composed(first.inBits());
  for (unsigned i = 0; i < first.inBits(); ++i)
    composed[i] = apply(first.column(i));
  return {outputBits, std::move(composed)};
}

std::optional<LinearMap> LinearMap::rightInverse() const {
  Echelon echelon(*this);
  if (echelon.rank != outputBits)
    return std::nullopt;
  std::vector<uint64_t> preimages(outputBits);
  for (unsigned i = 0; i < outputBits; ++i)
    preimages[i] = echelon.reduce(uint64_t(1) << i).second;
  return LinearMap(inBits(), std::move(preimages));
}

std::string LinearMap::toString() const {
  std::string text;
  for (unsigned row = 0; row < outputBits; ++row) {
    for (uint64_t column : columns)
      text += (column >> row & 1) != 0 ? '1' : '.';
    text += '\n';
  }
  return text;
}

} // namespace tl
