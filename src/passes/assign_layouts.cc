#include "passes/assign_layouts.h"

#include <algorithm>
#include <bit>
#include <cassert>

namespace tl {

namespace {

constexpr uint32_t vectorBytes = 16;
constexpr uint32_t usualThreads = 256;
constexpr int64_t comfortableElements = 64; // per thread, of one tile

/// What the choice depends on, by shape: the narrowest element in memory, 0 if never in memory.
using Shapes = std::map<std::vector<int64_t>, uint32_t>;

std::vector<int64_t> extentsOf(const Type &type) {
  return {type.extents().begin(), type.extents().end()};
}

Shapes collectShapes(const Graph &graph) {
  Shapes shapes;
  shapes[{}]; // scalars
  for (const Value &value : graph.values)
    if (value.type.isTile())
      shapes[extentsOf(value.type)];
  for (const Op &op : graph.ops) {
    if (op.opcode != Opcode::Load && op.opcode != Opcode::Store)
      continue;
    const Type &type =
        graph.typeOf(op.opcode == Opcode::Load ? graph.result(op) : graph.operand(op, 0));
    uint32_t &narrowest = shapes[extentsOf(type)];
    uint32_t bytes = dtypeBytes(type.dtype);
    narrowest = narrowest == 0 ? bytes : std::min(narrowest, bytes);
  }
  return shapes;
}

uint32_t vectorElements(uint32_t narrowestBytes) {
  return vectorBytes / (narrowestBytes == 0 ? 4 : narrowestBytes);
}

int64_t product(std::span<const int64_t> extents) {
  int64_t total = 1;
  for (int64_t extent : extents)
    total *= extent;
  return total;
}

uint32_t chooseThreads(const Shapes &shapes, const ThreadLimits &limits) {
  if (limits.wanted != 0)
    return std::clamp(std::bit_floor(limits.wanted), limits.waveSize, limits.maxThreads);
  uint32_t threads = limits.waveSize;
  for (const auto &[extents, narrowest] : shapes) {
    uint64_t elements = std::bit_ceil(uint64_t(product(extents)));
    uint64_t vector = std::clamp(vectorElements(narrowest), 4u, 8u);
    uint64_t busy = std::min<uint64_t>(elements / vector, usualThreads);
    while (busy < limits.maxThreads && elements / std::max<uint64_t>(busy, 1) > comfortableElements)
      busy = std::max<uint64_t>(busy, 1) * 2;
    threads = std::max(threads, uint32_t(busy));
  }
  return std::min(threads, limits.maxThreads);
}

} // namespace

const TileLayout &LayoutAssignment::of(std::span<const int64_t> extents) const {
  auto found = layouts.find({extents.begin(), extents.end()});
  assert(found != layouts.end());
  return found->second;
}

const TileLayout &LayoutAssignment::of(const Type &tile) const { return of(extentsOf(tile)); }

const ResultFragment *LayoutAssignment::fragmentOf(const Type &tile) const {
  auto found = fragments.find(extentsOf(tile));
  return found == fragments.end() ? nullptr : found->second;
}

/// Accumulators of dots that a matrix instruction can do. A dot with a side below half of its is
/// left to the threads: most of its blocks would be padding.
static void findFragments(const Graph &graph, const ThreadLimits &limits,
                          LayoutAssignment &assignment) {
  constexpr int32_t leastExtent = 8;
  for (const Op &op : graph.ops) {
    if (op.opcode != Opcode::Dot || !limits.matrix)
      continue;
    const Type &a = graph.typeOf(graph.operand(op, 0)), &b = graph.typeOf(graph.operand(op, 1));
    const ResultFragment *fragment = limits.matrix(a.dtype, b.dtype);
    if (fragment && std::min({a.dims[0], a.dims[1], b.dims[1]}) >= leastExtent)
      assignment.fragments[extentsOf(graph.typeOf(graph.result(op)))] = fragment;
  }
}

LayoutAssignment assignLayouts(const Graph &graph, const ThreadLimits &limits) {
  Shapes shapes = collectShapes(graph);
  LayoutAssignment assignment;
  assignment.waveSize = limits.waveSize;
  assignment.threads = chooseThreads(shapes, limits);
  findFragments(graph, limits, assignment);
  for (const auto &[extents, narrowest] : shapes) {
    auto fragment = assignment.fragments.find(extents);
    assignment.layouts.emplace(
        extents,
        fragment != assignment.fragments.end()
            ? TileLayout::ofResults(extents, assignment.threads, limits.waveSize, *fragment->second)
            : TileLayout::blocked(extents, assignment.threads, limits.waveSize,
                                  vectorElements(narrowest)));
  }
  return assignment;
}

} // namespace tl
