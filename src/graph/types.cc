#include "graph/types.h"

#include "support/result.h"

#include <cassert>

namespace tl {

Type Type::tile(DType dtype, std::span<const int64_t> dims) {
  assert(dims.size() <= maxTileRank);
  Type t{TypeKind::Tile, dtype, uint8_t(dims.size()), {}};
  for (size_t i = 0; i < dims.size(); ++i)
    t.dims[i] = int32_t(dims[i]);
  return t;
}

int64_t Type::elements() const {
  int64_t n = 1;
  for (int32_t d : extents())
    n *= d;
  return n;
}

std::string Type::text() const {
  std::string d = dtype == DType::None ? "?" : std::string(dtypeText(dtype));
  switch (kind) {
  case TypeKind::None:
    return "none";
  case TypeKind::View:
    return "view<" + d + ", " + std::to_string(rank) + ">";
  case TypeKind::Pointer:
    return "ptr<" + d + ">";
  case TypeKind::Tile:
    break;
  }
  if (rank == 0)
    return d;
  std::string s = "tile<";
  for (int32_t e : extents())
    s += std::to_string(e) + "x";
  return s + d + ">";
}

} // namespace tl
