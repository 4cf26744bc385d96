// The layout in which a tile meets memory: its axes in the order of memory, so that neighbouring
// threads touch neighbouring elements, whatever order the tile has its axes in.
#pragma once

#include "codegen/gpu/context.h"

namespace tl::gpu {

struct AccessLayout {
  const TileLayout *layout = nullptr;
  std::vector<unsigned> viewAxes;   // the view's axis of each axis of the layout
  std::vector<unsigned> tileAxes;   // the tile's axis of each axis of the layout
  std::vector<unsigned> layoutAxes; // the layout's axis of each axis of the tile
  /// The layout is the tile's own.
  bool isTileOrder = true;
};

/// Layouts of Loads and Stores.
class AccessLayouts {
public:
  explicit AccessLayouts(const Graph &graph, const LayoutAssignment &layouts)
      : graph(graph), layouts(layouts) {}
  /// For a Load or Store of the graph. The axis whose stride is known to be 1 comes last, others as
  /// in the view.
  const AccessLayout &of(const Op &op);

private:
  const Graph &graph;
  const LayoutAssignment &layouts;
  std::map<const Op *, AccessLayout> known;
  std::map<std::pair<std::vector<int64_t>, uint32_t>, TileLayout> reordered; // by extents, vector

  bool isUnitStride(ValueId view, unsigned axis) const;
  AccessLayout make(const Op &op);
};

} // namespace tl::gpu
