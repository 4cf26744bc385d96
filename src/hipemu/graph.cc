#include "hipemu/graph.h"

#include "hipemu/runtime.h"

#include <algorithm>

namespace tl::hipemu {

GraphNode *addNode(Runtime &runtime, Graph &graph, std::shared_ptr<const Action> action,
                   std::vector<GraphNode *> dependencies) {
  auto made = std::make_unique<GraphNode>();
  GraphNode *node = made.get();
  node->id = ++runtime.nextNode;
  node->graph = &graph;
  node->action = std::move(action);
  node->dependencies = std::move(dependencies);
  runtime.nodes.insert(node);
  graph.nodes.push_back(std::move(made));
  return node;
}

void forgetGraph(Runtime &runtime, Graph &graph) {
  for (const auto &node : graph.nodes)
    runtime.nodes.erase(node.get());
}

bool dependsOn(const GraphNode &node, const GraphNode &other) {
  std::unordered_set<const GraphNode *> seen{&node};
  std::vector<const GraphNode *> open{&node};
  while (!open.empty()) {
    const GraphNode *next = open.back();
    open.pop_back();
    if (next == &other)
      return true;
    for (const GraphNode *before : next->dependencies)
      if (seen.insert(before).second)
        open.push_back(before);
  }
  return false;
}

} // namespace tl::hipemu
