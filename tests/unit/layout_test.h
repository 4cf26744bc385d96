// Shared by the layout tests: named cases, and what the matrix of shapes and thread counts is made
// of.
#pragma once

#include "layout/tile_layout.h"
#include "unit_test.h"

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace tl::test {

using Shape = std::vector<int64_t>;

/// The many equal checks of one case: reports the first that fails, and a case that checked
/// nothing.
class Expectations {
public:
  Expectations() = default;
  Expectations(const Expectations &) = delete;
  Expectations &operator=(const Expectations &) = delete;
  ~Expectations() {
    if (checks == 0)
      unit::fail(__FILE__, __LINE__, "nothing was checked");
  }

  /// `describe()` gives the text of a failure and runs only then.
  template <class Describe> void expect(bool holds, const Describe &describe) {
    ++checks;
    if (!holds && !failed)
      unit::fail("layout", 0, describe());
    failed |= !holds;
  }

private:
  unsigned long long checks = 0;
  bool failed = false;
};

inline std::string toText(const Shape &shape) {
  std::string text;
  for (int64_t extent : shape)
    text += (text.empty() ? "" : "x") + std::to_string(extent);
  return text.empty() ? "scalar" : text;
}

inline int64_t elementsOf(const Shape &shape) {
  int64_t elements = 1;
  for (int64_t extent : shape)
    elements *= extent;
  return elements;
}

/// A thread count with a wave size and a vector length.
struct Threads {
  uint32_t threads, waveSize, vectorElements;
};

inline std::string toText(const Shape &shape, const Threads &t) {
  return toText(shape) + " on " + std::to_string(t.threads) + " threads in waves of " +
         std::to_string(t.waveSize) + ", vectors of " + std::to_string(t.vectorElements);
}

inline TileLayout blocked(const Shape &shape, const Threads &t) {
  return TileLayout::blocked(shape, t.threads, t.waveSize, t.vectorElements);
}

/// Every extent of the matrix on every axis of ranks 0 to 3, as far as a tile may have that many
/// elements.
inline std::vector<Shape> matrixShapes() {
  const Shape extents = {1, 3, 7, 33, 80, 96, 129, 1000, 4097};
  std::vector<Shape> shapes = {{}};
  for (size_t begin = 0, rank = 1; rank <= 3; ++rank) {
    size_t end = shapes.size();
    for (; begin < end; ++begin)
      for (int64_t extent : extents) {
        Shape longer = shapes[begin];
        longer.push_back(extent);
        if (elementsOf(longer) <= int64_t(1) << 20)
          shapes.push_back(longer);
      }
  }
  return shapes;
}

/// Shapes that no rule about single axes gets right, and the ones kernels use most.
inline std::vector<Shape> namedShapes() {
  return {{33, 33, 33},    {7, 7, 7, 7}, {13, 77},     {3, 3, 3, 3, 3}, {128, 64},
          {1024},          {64, 1},      {1, 1, 1, 8}, {2, 5, 16},      {16, 1, 32},
          {5, 6, 7, 8, 9}, {1 << 20},    {1, 1 << 20}, {11, 13, 15},    {1024, 1024}};
}

} // namespace tl::test
