// The lines of a tile along one of its axes, as numbers of elements in row-major order.
#pragma once

#include "graph/types.h"

#include <cstddef>

namespace tl::interp {

/// The elements of `a` that one element of the result combines.
struct Line {
  size_t first, stride, count;
  size_t operator[](size_t k) const { return first + k * stride; }
};

/// The lines along an axis.
class Lines {
public:
  Lines(const Type &type, unsigned axis) : extent(size_t(type.dims[axis])) {
    for (unsigned i = axis + 1; i < type.rank; ++i)
      inner *= size_t(type.dims[i]);
    count = size_t(type.elements()) / extent;
  }
  Line operator[](size_t i) const {
    return {i / inner * inner * extent + i % inner, inner, extent};
  }
  size_t count;

private:
  size_t extent, inner = 1;
};

} // namespace tl::interp
