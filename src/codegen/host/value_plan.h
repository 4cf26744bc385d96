// Where each value of the graph lives: scalars in registers, tiles in the arena, in the view they
// were loaded from, or nowhere because they are computed where they are needed.
#pragma once

#include "codegen/host/axis_map.h"

namespace tl::host {

enum class Place : uint8_t {
  None,    // views and pointers; tiles that nothing needs
  Scalar,  // rank 0: a register
  Inline,  // computed element by element inside the loops of those who need it
  Buffer,  // computed at its op into a buffer of the arena
  InPlace, // a load: read where it stands in memory, or from an arena copy when that is not
           // possible
  Alias,   // a reshape: other extents of its operand's buffer
};

/// A set of loops that computes a value: the op that stands there and, where an op has several such
/// sets, which one.
struct Site {
  OpId op = 0;
  uint32_t part = 0;
  auto operator<=>(const Site &) const = default;
};

/// Ops are numbered in program order, regions inside their op; a loop or If has a number for its
/// end.
struct ValuePlan {
  std::vector<Place> place;    // by ValueId
  std::vector<uint32_t> begin; // by OpId
  std::vector<uint32_t> end;   // by OpId: after the regions; else as begin
  std::vector<OpId> order;     // ops of the body and its regions by number of their begin
  std::vector<OpId> root; // by ValueId, of a Buffer computed element by element: the op in whose
                          // loops that happens, its own op or a later one; else 0

  /// True if the loops of `root` compute `v` and do not read it from memory.
  bool computedIn(ValueId v, OpId root_) const {
    return place[v] == Place::Inline || (place[v] == Place::Buffer && root[v] && root[v] == root_);
  }

  /// The last moment at which `user` needs a value of block `home`: its own number, or the end of
  /// the outermost loop between the two, which comes around again.
  uint32_t lastNeed(const Graph &graph, OpId user, BlockId home) const;
};

/// Decides by these rules. A tile is kept (Buffer) when it is a result of a reduction, a dot, a
/// loop or a branch, or put together from several tiles, when it is yielded or reshaped, when
/// several sites need it and computing it again costs more than keeping it, or when it would make
/// one expression too large. A load stays in place unless a store comes between it and a site that
/// needs it. All else is Inline.
ValuePlan planValues(const Graph &graph);

/// The axis of a load's or store's tile along which elements are adjacent in memory, -1 if none is
/// known to be. `certain` is false where that has to be checked at run time.
struct UnitAxis {
  int axis = -1;
  bool certain = false;
};
UnitAxis unitAxis(const Graph &graph, const Op &op);

/// The sites where the operands of an op that has no place of its own are computed.
Site siteOf(const Graph &graph, OpId op, size_t operand);

} // namespace tl::host
