#include "passes/rewrite.h"

namespace tl {

Result<Graph> rewriteGraph(const Graph &graph, const RewriteHook &hook,
                           const RewriteHook &ofRegions) {
  GraphBuilder builder;
  GraphCloner cloner(graph, builder);
  cloner.replace = [&](OpId id) { return hook(cloner, builder, id); };
  if (ofRegions)
    cloner.replaceRegions = [&](OpId id) { return ofRegions(cloner, builder, id); };
  cloner.copyArguments();
  builder.buildHead(true);
  cloner.copyBlock(graph.kernel.head);
  std::vector<ValueId> grid;
  for (ValueId v : graph.kernel.grid)
    grid.push_back(cloner.mapped(v));
  builder.setHeadGrid(grid);
  builder.buildHead(false);
  cloner.copyBlock(graph.kernel.body);
  return std::move(builder).finish();
}

} // namespace tl
