// What one text, or one file of graphs, holds: kernels, and sequences that launch them.
#pragma once

#include "graph/graph.h"

namespace tl {

/// Kernels and sequences in the order of the text, each under a name of its own. The last one is
/// what the module stands for where one is wanted.
struct Module {
  std::vector<std::shared_ptr<const Graph>> members;

  /// The member of that name, or null.
  std::shared_ptr<const Graph> find(std::string_view name) const {
    for (const auto &member : members)
      if (member->kernel.name == name)
        return member;
    return nullptr;
  }
};

} // namespace tl
