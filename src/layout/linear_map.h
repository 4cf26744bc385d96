// LinearMap: a matrix over F2, the arithmetic below every layout. Indices are bit vectors, addition
// is XOR, so a layout is a list of columns: where each input bit moves the output. Composing and
// inverting such maps answers what element a thread holds and which thread holds an element (arXiv
// 2505.23819).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tl {

/// A linear map from `inBits` to `outBits` bits, both at most 64. Column i is the image of input
/// bit i.
class LinearMap {
public:
  /// The map of no bits to no bits.
  LinearMap() = default;
  /// The map with these columns; bits of a column at or above `outBits` must be zero.
  LinearMap(unsigned outBits, std::vector<uint64_t> columns);
  /// The map that changes nothing.
  static LinearMap identity(unsigned bits);

  unsigned inBits() const { return unsigned(columns.size()); }
  unsigned outBits() const { return outputBits; }
  /// The image of input bit `bit`.
  uint64_t column(unsigned bit) const { return columns[bit]; }

  /// The XOR of the columns that `input` selects.
  uint64_t apply(uint64_t input) const;
  /// The number of linearly independent columns.
  unsigned rank() const;
  /// Different inputs have different images.
  bool isInjective() const { return rank() == inBits(); }
  /// Every output is the image of some input.
  bool isSurjective() const { return rank() == outBits(); }

  /// The map that applies `first` and then this one.
  LinearMap after(const LinearMap &first) const;
  /// For a surjective map, the map R with apply(R.apply(y)) == y for every y; else nothing. Of
  /// several preimages it gives one that uses the lowest independent input bits and leaves the
  /// others zero, and for a bijection it is the inverse.
  std::optional<LinearMap> rightInverse() const;

  /// The matrix in text: one line per output bit, one character per input bit, lowest bits first.
  std::string toString() const;

  bool operator==(const LinearMap &) const = default;

private:
  unsigned outputBits = 0;
  std::vector<uint64_t> columns;
};

} // namespace tl
