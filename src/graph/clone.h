// Copying a graph through the builder, op by op: the shared walk of instantiation and of passes
// that rewrite.
#pragma once

#include "graph/builder.h"

#include <functional>

namespace tl {

/// Copies ops of one graph into a builder. Values are mapped as they are copied; a hook may replace
/// an op.
class GraphCloner {
public:
  GraphCloner(const Graph &from, GraphBuilder &to)
      : from(from), to(to), map(from.values.size(), 0) {}

  /// May emit something else for an op without regions: returns true when it did (and has set the
  /// map).
  std::function<bool(OpId)> replace;
  /// The same for an op with regions.
  std::function<bool(OpId)> replaceRegions;

  /// Replace parameters in Dims attributes by their numbers.
  bool literalDims = false;

  /// Name, contraction, threads and arguments (not parameters).
  void copyArguments();
  /// All ops of the body or head, regions included.
  void copyBlock(BlockId block);
  /// One op, regions included.
  void copyOp(OpId id);
  ValueId mapped(ValueId v) const { return map[v]; }
  void setMapped(ValueId v, ValueId to) { map[v] = to; }

private:
  const Graph &from;
  GraphBuilder &to;
  std::vector<ValueId> map;

  std::vector<ValueId> mappedOperands(const Op &op) const;
  std::vector<Attr> mappedAttrs(const Op &op) const;
};

} // namespace tl
