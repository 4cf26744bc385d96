// A tile as the interpreter holds it: the reference values, and for each element how far another
// correct implementation may be away from them.
#pragma once

#include "graph/types.h"

#include <cstdint>
#include <vector>

namespace tl::interp {

/// Marks of an element, or-ed.
enum Mark : uint8_t {
  /// Another implementation may have any value here: a decision lay inside an error bound.
  Undecided = 1,
  /// A NaN that arithmetic made: any NaN is right. (A NaN that was copied keeps its bits.)
  AnyNan = 2,
};

/// What is known of one element besides its value. The bound is 0 where the value is not finite.
struct Doubt {
  /// Another implementation's value is within this distance; 0 = it has the same bits.
  double bound = 0;
  /// Floats, when contraction is allowed: the value is a product, and this is its distance from the
  /// unrounded product, which an addition may use instead (infinity: only rounding overflowed).
  double product = 0;
  uint8_t marks = 0;
};

/// Elements in row-major order. The vectors of doubts are empty while no element has that doubt.
struct TileValue {
  Type type;
  std::vector<int64_t> ints; // integers and i1
  std::vector<double> floats;
  std::vector<double> bounds, products;
  std::vector<uint8_t> marks;

  size_t size() const { return size_t(type.elements()); }
  bool isFloat() const { return tl::isFloat(type.dtype); }
  /// Becomes a tile of that type without doubts; the values are to be written.
  void reset(const Type &newType);
  bool anyDoubt() const { return !bounds.empty() || !products.empty() || !marks.empty(); }

  Doubt doubt(size_t i) const {
    return {bounds.empty() ? 0 : bounds[i], products.empty() ? 0 : products[i],
            marks.empty() ? uint8_t(0) : marks[i]};
  }
  void setDoubt(size_t i, const Doubt &doubt);
  bool undecided(size_t i) const { return !marks.empty() && (marks[i] & Undecided); }
  double bound(size_t i) const { return bounds.empty() ? 0 : bounds[i]; }

  /// Element i becomes element j of `from` (same element type), doubts included.
  void copyElement(size_t i, const TileValue &from, size_t j);
};

/// Elementwise operands: element i, where a tile of rank 0 stands for equal elements.
inline size_t elementOf(const TileValue &tile, size_t i) { return tile.type.rank == 0 ? 0 : i; }

} // namespace tl::interp
