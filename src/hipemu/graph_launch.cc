// From a graph to its executable form, and launching that: its nodes become commands of the stream
// and, where the graph branches, of streams of its own.

#include "hipemu/calls.h"
#include "hipemu/capture.h"
#include "hipemu/graph.h"
#include "hipemu/runtime.h"

#include <algorithm>

namespace tl::hipemu {

namespace {

constexpr size_t kNone = SIZE_MAX;

/// The graph's nodes in an order that respects the dependencies; empty when they form a circle.
std::vector<GraphNode *> sortNodes(const Graph &graph) {
  std::unordered_map<const GraphNode *, size_t> missing;
  std::unordered_map<const GraphNode *, std::vector<GraphNode *>> followers;
  std::vector<GraphNode *> sorted;
  for (const auto &node : graph.nodes) {
    missing[node.get()] = node->dependencies.size();
    for (GraphNode *before : node->dependencies)
      followers[before].push_back(node.get());
    if (node->dependencies.empty())
      sorted.push_back(node.get());
  }
  for (size_t i = 0; i < sorted.size(); ++i)
    for (GraphNode *next : followers[sorted[i]])
      if (--missing[next] == 0)
        sorted.push_back(next);
  return sorted.size() == graph.nodes.size() ? sorted : std::vector<GraphNode *>();
}

/// Gives each node a chain: that of a dependency that is the last of its chain, else a new one.
size_t assignChains(std::vector<ExecNode> &nodes) {
  std::vector<size_t> last; // of each chain
  for (size_t i = 0; i < nodes.size(); ++i) {
    size_t chosen = kNone;
    for (size_t chain = 0; chain < last.size() && chosen == kNone; ++chain)
      if (std::find(nodes[i].dependencies.begin(), nodes[i].dependencies.end(), last[chain]) !=
          nodes[i].dependencies.end())
        chosen = chain;
    if (chosen == kNone) {
      chosen = last.size();
      last.push_back(i);
    }
    nodes[i].chain = chosen;
    last[chosen] = i;
  }
  return last.size();
}

int instantiate(Runtime &runtime, Graph &graph, GraphExec &exec) {
  std::vector<GraphNode *> sorted = sortNodes(graph);
  if (sorted.size() != graph.nodes.size())
    return hipErrorInvalidValue;
  std::unordered_map<const GraphNode *, size_t> place;
  std::vector<bool> followed(sorted.size());
  for (size_t i = 0; i < sorted.size(); ++i) {
    place[sorted[i]] = i;
    ExecNode node;
    node.ids = {sorted[i]->id};
    node.action = sorted[i]->action;
    for (const GraphNode *before : sorted[i]->dependencies) {
      node.dependencies.push_back(place[before]);
      followed[place[before]] = true;
    }
    exec.nodes.push_back(std::move(node));
  }
  for (size_t i = 0; i < followed.size(); ++i)
    if (!followed[i])
      exec.leaves.push_back(i);
  exec.device = Thread::current().device;
  const size_t chains = assignChains(exec.nodes);
  for (size_t chain = 1; chain < chains; ++chain)
    exec.branches.push_back(
        runtime.makeStream(StreamKind::Graph, exec.device, hipStreamNonBlocking, 0));
  return hipSuccess;
}

int instantiateHandle(hipGraphExec_t *exec, hipGraph_t graph) {
  Runtime &runtime = Runtime::get();
  Lock lock(runtime.mutex);
  if (!exec || !runtime.graphs.count(graph))
    return hipErrorInvalidValue;
  auto made = std::make_shared<GraphExec>();
  *exec = nullptr;
  if (int code = instantiate(runtime, *graph, *made))
    return code;
  *exec = made.get();
  runtime.execs.emplace(*exec, std::move(made));
  return hipSuccess;
}

void launch(Runtime &runtime, GraphExec &exec, Stream &stream) {
  // Launches of one executable graph come one after the other, in whichever streams.
  std::vector<CommandPtr> before;
  if (exec.lastLaunch)
    before.push_back(exec.lastLaunch);
  CommandPtr begin = runtime.enqueue(stream, nullptr, before);
  std::vector<CommandPtr> commands;
  for (const ExecNode &node : exec.nodes) {
    std::vector<CommandPtr> waits{begin};
    for (size_t dependency : node.dependencies)
      waits.push_back(commands[dependency]);
    Stream &where = node.chain ? *exec.branches[node.chain - 1] : stream;
    const bool works =
        node.action->type != NodeType::Empty && node.action->type != NodeType::MemAlloc;
    commands.push_back(runtime.enqueue(where, works ? node.action : nullptr, waits));
  }
  std::vector<CommandPtr> ends;
  for (size_t leaf : exec.leaves)
    ends.push_back(commands[leaf]);
  exec.lastLaunch = runtime.enqueue(stream, nullptr, ends);
}

/// A launch of a graph while its stream captures: its nodes become part of the other graph.
void captureGraph(Runtime &runtime, const GraphExec &exec, Stream &stream) {
  Graph &graph = *stream.capture->graph;
  std::vector<GraphNode *> tail = stream.captureTail, nodes, leaves;
  for (const ExecNode &node : exec.nodes) {
    std::vector<GraphNode *> dependencies;
    for (size_t dependency : node.dependencies)
      dependencies.push_back(nodes[dependency]);
    if (dependencies.empty())
      dependencies = tail;
    nodes.push_back(addNode(runtime, graph, node.action, dependencies));
  }
  for (size_t leaf : exec.leaves)
    leaves.push_back(nodes[leaf]);
  if (!leaves.empty())
    stream.captureTail = leaves;
}

/// Whether two actions differ in nothing that an update cannot change: the result code.
int updateResult(const Action &old, const Action &fresh) {
  if (old.type != fresh.type)
    return hipGraphExecUpdateErrorNodeTypeChanged;
  if (old.device != fresh.device)
    return old.type == NodeType::Kernel ? hipGraphExecUpdateErrorFunctionChanged
                                        : hipGraphExecUpdateErrorParametersChanged;
  if (old.type == NodeType::Memcpy && old.kind != fresh.kind)
    return hipGraphExecUpdateErrorParametersChanged;
  return hipGraphExecUpdateSuccess;
}

int compareForUpdate(const GraphExec &exec, const std::vector<GraphNode *> &sorted,
                     hipGraphNode_t *errorNode) {
  if (exec.nodes.size() != sorted.size())
    return hipGraphExecUpdateErrorTopologyChanged;
  std::unordered_map<const GraphNode *, size_t> place;
  for (size_t i = 0; i < sorted.size(); ++i) {
    place[sorted[i]] = i;
    std::vector<size_t> dependencies;
    for (const GraphNode *before : sorted[i]->dependencies)
      dependencies.push_back(place[before]);
    int result = updateResult(*exec.nodes[i].action, *sorted[i]->action);
    if (dependencies != exec.nodes[i].dependencies)
      result = hipGraphExecUpdateErrorTopologyChanged;
    if (result) {
      *errorNode = sorted[i];
      return result;
    }
  }
  return hipGraphExecUpdateSuccess;
}

} // namespace

namespace calls {

int hipGraphInstantiate(hipGraphExec_t *exec, hipGraph_t graph, hipGraphNode_t *errorNode,
                        char *log, size_t bytes) {
  if (errorNode)
    *errorNode = nullptr;
  if (log && bytes)
    *log = 0;
  return instantiateHandle(exec, graph);
}

int hipGraphInstantiateWithFlags(hipGraphExec_t *exec, hipGraph_t graph, unsigned long long flags) {
  constexpr unsigned long long autoFree = 1, upload = 2, priority = 8;
  if (flags & ~(autoFree | upload | priority))
    return hipErrorInvalidValue;
  return instantiateHandle(exec, graph);
}

int hipGraphExecDestroy(hipGraphExec_t exec) {
  Runtime &runtime = Runtime::get();
  Lock lock(runtime.mutex);
  auto found = runtime.execs.find(exec);
  if (found == runtime.execs.end())
    return hipErrorInvalidValue;
  for (const StreamPtr &branch : exec->branches)
    runtime.closeStream(*branch);
  runtime.execs.erase(found);
  return hipSuccess;
}

int hipGraphLaunch(hipGraphExec_t exec, hipStream_t handle) {
  Runtime &runtime = Runtime::get();
  Lock lock(runtime.mutex);
  StreamPtr stream;
  if (!runtime.execs.count(exec))
    return hipErrorInvalidValue;
  if (int code = runtime.findStream(handle, stream))
    return code;
  if (int code = captureRefuses(runtime, *stream))
    return code;
  if (stream->capture) {
    captureGraph(runtime, *exec, *stream);
    return hipSuccess;
  }
  if (int code = runtime.device(stream->device)->fault.code)
    return code;
  launch(runtime, *exec, *stream);
  return hipSuccess;
}

// There is nothing to bring anywhere before the launch.
int hipGraphUpload(hipGraphExec_t exec, hipStream_t handle) {
  Runtime &runtime = Runtime::get();
  Lock lock(runtime.mutex);
  StreamPtr stream;
  if (!runtime.execs.count(exec))
    return hipErrorInvalidValue;
  if (int code = runtime.findStream(handle, stream))
    return code;
  return captureRefuses(runtime, *stream);
}

int hipGraphExecUpdate(hipGraphExec_t exec, hipGraph_t graph, hipGraphNode_t *errorNode,
                       int *result) {
  Runtime &runtime = Runtime::get();
  Lock lock(runtime.mutex);
  if (!errorNode || !result || !runtime.execs.count(exec) || !runtime.graphs.count(graph))
    return hipErrorInvalidValue;
  *errorNode = nullptr;
  std::vector<GraphNode *> sorted = sortNodes(*graph);
  *result = compareForUpdate(*exec, sorted, errorNode);
  if (*result != hipGraphExecUpdateSuccess)
    return hipErrorGraphExecUpdateFailure;
  for (size_t i = 0; i < sorted.size(); ++i) {
    exec->nodes[i].action = sorted[i]->action;
    exec->nodes[i].ids.push_back(sorted[i]->id);
  }
  return hipSuccess;
}

} // namespace calls
} // namespace tl::hipemu
