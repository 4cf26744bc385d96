#include "codegen/gpu/access_layout.h"

#include <algorithm>
#include <numeric>

namespace tl::gpu {

bool AccessLayouts::isUnitStride(ValueId view, unsigned axis) const {
  std::optional<ViewDim> stride = graph.viewStride(view, axis);
  if (!stride)
    return axis + 1 == graph.typeOf(view).rank;
  if (stride->kind == ViewDim::Kind::Literal)
    return stride->literal == 1;
  return graph.constantInt(stride->value) == 1;
}

AccessLayout AccessLayouts::make(const Op &op) {
  const Type &tile =
      graph.typeOf(op.opcode == Opcode::Load ? graph.result(op) : graph.operand(op, 0));
  ValueId view = graph.viewOperand(op);
  std::vector<unsigned> viewAxes = graph.tileAxes(op);
  AccessLayout access;
  access.tileAxes.resize(tile.rank);
  access.layoutAxes.resize(tile.rank);
  std::iota(access.tileAxes.begin(), access.tileAxes.end(), 0u);
  std::sort(access.tileAxes.begin(), access.tileAxes.end(), [&](unsigned a, unsigned b) {
    return std::pair(isUnitStride(view, viewAxes[a]), viewAxes[a]) <
           std::pair(isUnitStride(view, viewAxes[b]), viewAxes[b]);
  });
  access.isTileOrder = std::is_sorted(access.tileAxes.begin(), access.tileAxes.end());
  std::vector<int64_t> extents;
  for (unsigned i = 0; i < tile.rank; ++i) {
    access.viewAxes.push_back(viewAxes[access.tileAxes[i]]);
    access.layoutAxes[access.tileAxes[i]] = i;
    extents.push_back(tile.dims[access.tileAxes[i]]);
  }
  if (access.isTileOrder) {
    access.layout = &layouts.of(tile);
    return access;
  }
  uint32_t vector = 16 / dtypeBytes(tile.dtype);
  auto entry = reordered.find({extents, vector});
  if (entry == reordered.end())
    entry = reordered
                .emplace(std::pair(extents, vector),
                         TileLayout::blocked(extents, layouts.threads, layouts.waveSize, vector))
                .first;
  access.layout = &entry->second;
  return access;
}

const AccessLayout &AccessLayouts::of(const Op &op) {
  auto entry = known.find(&op);
  if (entry == known.end())
    entry = known.emplace(&op, make(op)).first;
  return entry->second;
}

} // namespace tl::gpu
