// Graphs: nodes with what they do and what they depend on, and their executable form.
#pragma once

#include "hipemu/stream.h"

namespace tl::hipemu {

class Runtime;

struct GraphNode {
  uint64_t id = 0; // unique in the process
  Graph *graph = nullptr;
  std::vector<GraphNode *> dependencies;
  std::shared_ptr<const Action> action;
  // What hipGraphKernelNodeGetParams lends out, valid until the parameters change.
  std::vector<void *> lentParams, lentExtra;
  std::vector<uint8_t> lentKernarg;
  size_t lentBytes = 0;
};

struct Graph {
  std::vector<std::unique_ptr<GraphNode>> nodes;
};

/// Nodes in an order that respects the dependencies. `chain` is the branch that runs a node: each
/// node of a branch depends on the one before, so that branches add no order of their own.
struct ExecNode {
  std::vector<uint64_t> ids; // of the graph's node, and of those that an update put in its place
  std::shared_ptr<const Action> action;
  std::vector<size_t> dependencies;
  size_t chain = 0;
};

struct GraphExec {
  std::vector<ExecNode> nodes;
  std::vector<size_t> leaves;
  int device = 0;
  std::vector<StreamPtr> branches; // of chains 1, 2, ...; chain 0 is the stream of the launch
  CommandPtr lastLaunch;
};

GraphNode *addNode(Runtime &runtime, Graph &graph, std::shared_ptr<const Action> action,
                   std::vector<GraphNode *> dependencies);
/// Takes a graph and its nodes out of the tables of live handles.
void forgetGraph(Runtime &runtime, Graph &graph);
/// Whether one node depends on another, or is it.
bool dependsOn(const GraphNode &node, const GraphNode &other);

} // namespace tl::hipemu
