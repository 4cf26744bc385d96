// Doubts about elements in memory, by address: what a stored tile's doubts become, and what a later
// load of the same bytes gets back. Memory that is not in it is exact. Keyed by address because
// arguments and views may overlap.
#pragma once

#include "interp/tile_value.h"

#include <array>
#include <memory>
#include <unordered_map>

namespace tl::interp {

class ErrorMap {
public:
  /// No doubts anywhere yet.
  bool empty() const { return pages.empty(); }
  /// An element of `type` was written at `address`.
  void store(uint64_t address, DType type, const Doubt &doubt);
  /// What is in doubt about an element of `type` at `address`; bytes that were written as other
  /// elements and are not exact are undecided.
  Doubt load(uint64_t address, DType type) const;

private:
  static constexpr uint64_t pageBytes = 4096;
  /// For each byte what it belongs to: 0 = an exact element; else the element's type and marks, and
  /// whether it is the element's first byte.
  struct Cell {
    uint8_t type = 0;
    uint8_t marks = 0;
    bool first = false;
    bool product = false;
    bool operator==(const Cell &) const = default;
  };
  struct Page {
    std::array<Cell, pageBytes> cells;
    std::array<double, pageBytes / 2> bounds = {}; // of the float that starts in these two bytes
  };
  std::unordered_map<uint64_t, std::unique_ptr<Page>> pages;
  mutable uint64_t lastNumber = UINT64_MAX; // the page found last
  mutable Page *last = nullptr;

  Page *find(uint64_t number) const;
  Page &findOrAdd(uint64_t number);
  Cell cellAt(uint64_t address) const;
};

} // namespace tl::interp
