// Threads of a program and the layout of every tile: one default layout per tile shape, so that
// elementwise ops never move data.
#pragma once

#include "graph/graph.h"
#include "layout/tile_layout.h"

#include <functional>
#include <map>
#include <vector>

namespace tl {

/// What a chip offers and a request asks for.
struct ThreadLimits {
  uint32_t waveSize = 64;
  uint32_t maxThreads = 1024;
  uint32_t wanted = 0; // 0 = chosen from the tiles
  /// How the chip's matrix instruction for a dot of these element types holds its result, or null.
  std::function<const ResultFragment *(DType a, DType b)> matrix = {};
};

/// The threads that run one program together and the layout of each tile shape of the graph.
struct LayoutAssignment {
  uint32_t threads = 0;
  uint32_t waveSize = 0;
  std::map<std::vector<int64_t>, TileLayout> layouts; // by extents
  /// Those that are laid out as results of a matrix instruction.
  std::map<std::vector<int64_t>, const ResultFragment *> fragments;

  /// The layout of a tile type that occurs in the graph.
  const TileLayout &of(const Type &tile) const;
  /// The same by extents.
  const TileLayout &of(std::span<const int64_t> extents) const;
  /// How a tile is laid out that holds results of matrix instructions, or null.
  const ResultFragment *fragmentOf(const Type &tile) const;
};

/// Needs: an instantiated graph. Gives: a power of two of threads, at least one wave: `wanted`
/// rounded down if given, else so that each thread holds one 16-byte vector of the largest tile, up
/// to 256 threads, and more only where a thread would hold over 64 elements. Each shape's layout
/// has vectors of 16 bytes of the narrowest type that is loaded or stored with that shape; those of
/// accumulators are laid out as the results of matrix instructions where the chip has one.
LayoutAssignment assignLayouts(const Graph &graph, const ThreadLimits &limits);

} // namespace tl
