// Making graphs node by node, asking about them, and the parameters of kernel nodes.

#include "hipemu/calls.h"
#include "hipemu/graph.h"
#include "hipemu/launch.h"
#include "hipemu/runtime.h"

#include <algorithm>

namespace tl::hipemu {

namespace {

/// Nodes of the graph as a vector; false when one is none of it.
bool readNodes(const Runtime &runtime, const Graph *graph, const hipGraphNode_t *nodes,
               size_t count, std::vector<GraphNode *> *out) {
  if (count && !nodes)
    return false;
  for (size_t i = 0; i < count; ++i) {
    if (!runtime.nodes.count(nodes[i]) || nodes[i]->graph != graph ||
        std::find(out->begin(), out->end(), nodes[i]) != out->end())
      return false;
    out->push_back(nodes[i]);
  }
  return true;
}

int addAction(Runtime &runtime, hipGraphNode_t *node, hipGraph_t graph,
              const hipGraphNode_t *dependencies, size_t count,
              std::shared_ptr<const Action> action) {
  std::vector<GraphNode *> before;
  if (!node || !runtime.graphs.count(graph) ||
      !readNodes(runtime, graph, dependencies, count, &before))
    return hipErrorInvalidValue;
  *node = addNode(runtime, *graph, std::move(action), std::move(before));
  return hipSuccess;
}

/// The pattern of many functions: NULL asks for the count, else at most *count are copied.
template <class T> void lend(const std::vector<T> &all, T *out, size_t *count) {
  if (out) {
    size_t fit = std::min(*count, all.size());
    std::copy_n(all.begin(), fit, out);
    std::fill(out + fit, out + *count, nullptr);
    *count = fit;
  } else {
    *count = all.size();
  }
}

/// The action for a kernel node's parameters.
int kernelAction(Runtime &runtime, const hipKernelNodeParams &params, int device,
                 std::shared_ptr<const Action> *action) {
  Function *function = nullptr;
  if (int code = resolveFunction(runtime, params.func, device, &function))
    return code;
  LaunchRequest request{
      params.func,  params.gridDim, params.blockDim, params.sharedMemBytes, params.kernelParams,
      params.extra, false};
  return makeLaunch(runtime, *runtime.device(function->device), *function, request, action);
}

GraphNode *kernelNode(const Runtime &runtime, hipGraphNode_t node) {
  return runtime.nodes.count(node) && node->action->type == NodeType::Kernel ? node : nullptr;
}

} // namespace

namespace calls {

int hipGraphCreate(hipGraph_t *graph, unsigned flags) {
  if (!graph || flags)
    return hipErrorInvalidValue;
  Runtime &runtime = Runtime::get();
  Lock lock(runtime.mutex);
  auto made = std::make_unique<Graph>();
  *graph = made.get();
  runtime.graphs.emplace(*graph, std::move(made));
  return hipSuccess;
}

int hipGraphDestroy(hipGraph_t graph) {
  Runtime &runtime = Runtime::get();
  Lock lock(runtime.mutex);
  auto found = runtime.graphs.find(graph);
  if (found == runtime.graphs.end())
    return hipErrorInvalidValue;
  forgetGraph(runtime, *graph);
  runtime.graphs.erase(found);
  return hipSuccess;
}

int hipGraphGetNodes(hipGraph_t graph, hipGraphNode_t *nodes, size_t *count) {
  Runtime &runtime = Runtime::get();
  Lock lock(runtime.mutex);
  if (!count || !runtime.graphs.count(graph))
    return hipErrorInvalidValue;
  std::vector<GraphNode *> all;
  for (const auto &node : graph->nodes)
    all.push_back(node.get());
  lend(all, nodes, count);
  return hipSuccess;
}

int hipGraphGetRootNodes(hipGraph_t graph, hipGraphNode_t *nodes, size_t *count) {
  Runtime &runtime = Runtime::get();
  Lock lock(runtime.mutex);
  if (!count || !runtime.graphs.count(graph))
    return hipErrorInvalidValue;
  std::vector<GraphNode *> roots;
  for (const auto &node : graph->nodes)
    if (node->dependencies.empty())
      roots.push_back(node.get());
  lend(roots, nodes, count);
  return hipSuccess;
}

int hipGraphGetEdges(hipGraph_t graph, hipGraphNode_t *from, hipGraphNode_t *to, size_t *count) {
  Runtime &runtime = Runtime::get();
  Lock lock(runtime.mutex);
  if (!count || !runtime.graphs.count(graph) || !from != !to)
    return hipErrorInvalidValue;
  std::vector<GraphNode *> froms, tos;
  for (const auto &node : graph->nodes)
    for (GraphNode *before : node->dependencies) {
      froms.push_back(before);
      tos.push_back(node.get());
    }
  size_t room = *count;
  lend(froms, from, count);
  lend(tos, to, &room);
  return hipSuccess;
}

// HIP 5.2 counts the types from 1.
int hipGraphNodeGetType(hipGraphNode_t node, int *type) {
  Runtime &runtime = Runtime::get();
  Lock lock(runtime.mutex);
  if (!type || !runtime.nodes.count(node))
    return hipErrorInvalidValue;
  *type = int(node->action->type);
  return hipSuccess;
}

int hipGraphNodeGetDependencies(hipGraphNode_t node, hipGraphNode_t *nodes, size_t *count) {
  Runtime &runtime = Runtime::get();
  Lock lock(runtime.mutex);
  if (!count || !runtime.nodes.count(node))
    return hipErrorInvalidValue;
  lend(node->dependencies, nodes, count);
  return hipSuccess;
}

int hipGraphAddDependencies(hipGraph_t graph, const hipGraphNode_t *from, const hipGraphNode_t *to,
                            size_t count) {
  Runtime &runtime = Runtime::get();
  Lock lock(runtime.mutex);
  if (!runtime.graphs.count(graph) || (count && (!from || !to)))
    return hipErrorInvalidValue;
  auto belongs = [&](hipGraphNode_t node) {
    return runtime.nodes.count(node) && node->graph == graph;
  };
  for (size_t i = 0; i < count; ++i)
    if (!belongs(from[i]) || !belongs(to[i]) || dependsOn(*from[i], *to[i]) ||
        std::find(to[i]->dependencies.begin(), to[i]->dependencies.end(), from[i]) !=
            to[i]->dependencies.end())
      return hipErrorInvalidValue;
  for (size_t i = 0; i < count; ++i)
    to[i]->dependencies.push_back(from[i]);
  return hipSuccess;
}

int hipGraphAddEmptyNode(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *dependencies,
                         size_t count) {
  Runtime &runtime = Runtime::get();
  Lock lock(runtime.mutex);
  auto action = std::make_shared<Action>();
  action->device = Thread::current().device;
  return addAction(runtime, node, graph, dependencies, count, action);
}

int hipGraphAddKernelNode(hipGraphNode_t *node, hipGraph_t graph,
                          const hipGraphNode_t *dependencies, size_t count,
                          const hipKernelNodeParams *params) {
  Runtime &runtime = Runtime::get();
  Lock lock(runtime.mutex);
  if (!params)
    return hipErrorInvalidValue;
  std::shared_ptr<const Action> action;
  if (int code = kernelAction(runtime, *params, Thread::current().device, &action))
    return code;
  return addAction(runtime, node, graph, dependencies, count, action);
}

int hipGraphAddMemcpyNode1D(hipGraphNode_t *node, hipGraph_t graph,
                            const hipGraphNode_t *dependencies, size_t count, void *to,
                            const void *from, size_t bytes, int kind) {
  Runtime &runtime = Runtime::get();
  Lock lock(runtime.mutex);
  if (!to || !from || !bytes || kind < hipMemcpyHostToHost || kind > hipMemcpyDefault)
    return hipErrorInvalidValue;
  auto action = std::make_shared<Action>();
  action->type = NodeType::Memcpy;
  action->name = "hipGraphAddMemcpyNode1D";
  action->device = Thread::current().device;
  action->to = reinterpret_cast<uint64_t>(to);
  action->from = reinterpret_cast<uint64_t>(from);
  action->bytes = bytes;
  action->kind = kind;
  return addAction(runtime, node, graph, dependencies, count, action);
}

int hipGraphAddMemsetNode(hipGraphNode_t *node, hipGraph_t graph,
                          const hipGraphNode_t *dependencies, size_t count,
                          const hipMemsetParams *params) {
  Runtime &runtime = Runtime::get();
  Lock lock(runtime.mutex);
  if (!params || !params->dst || !params->width || params->height > 1 ||
      (params->elementSize != 1 && params->elementSize != 2 && params->elementSize != 4) ||
      reinterpret_cast<uintptr_t>(params->dst) % params->elementSize)
    return hipErrorInvalidValue;
  auto action = std::make_shared<Action>();
  action->type = NodeType::Memset;
  action->name = "hipGraphAddMemsetNode";
  action->device = Thread::current().device;
  action->to = reinterpret_cast<uint64_t>(params->dst);
  action->pattern = params->value;
  action->patternBytes = params->elementSize;
  action->bytes = params->width;
  return addAction(runtime, node, graph, dependencies, count, action);
}

int hipGraphAddHostNode(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *dependencies,
                        size_t count, const hipHostNodeParams *params) {
  Runtime &runtime = Runtime::get();
  Lock lock(runtime.mutex);
  if (!params || !params->fn)
    return hipErrorInvalidValue;
  auto action = std::make_shared<Action>();
  action->type = NodeType::Host;
  action->name = "hipGraphAddHostNode";
  action->device = Thread::current().device;
  action->function = params->fn;
  action->user = params->userData;
  return addAction(runtime, node, graph, dependencies, count, action);
}

// The pointers lead into the node's own copy of the arguments.
int hipGraphKernelNodeGetParams(hipGraphNode_t handle, hipKernelNodeParams *params) {
  Runtime &runtime = Runtime::get();
  Lock lock(runtime.mutex);
  GraphNode *node = kernelNode(runtime, handle);
  if (!node || !params)
    return hipErrorInvalidValue;
  const Launch &launch = node->action->launch;
  node->lentKernarg = launch.kernarg;
  node->lentBytes = launch.kernarg.size();
  node->lentParams.clear();
  node->lentExtra.clear();
  *params = {};
  params->func = const_cast<void *>(launch.handle);
  params->gridDim = launch.grid;
  params->blockDim = launch.block;
  params->sharedMemBytes = launch.dynamicLds;
  if (launch.fromExtra) {
    node->lentExtra = {reinterpret_cast<void *>(1), node->lentKernarg.data(),
                       reinterpret_cast<void *>(2), &node->lentBytes, reinterpret_cast<void *>(3)};
    params->extra = node->lentExtra.data();
    return hipSuccess;
  }
  for (const emu::KernelArgument &argument : launch.code.info().arguments)
    if (!argument.hidden())
      node->lentParams.push_back(node->lentKernarg.data() + argument.offset);
  params->kernelParams = node->lentParams.data();
  return hipSuccess;
}

int hipGraphKernelNodeSetParams(hipGraphNode_t handle, const hipKernelNodeParams *params) {
  Runtime &runtime = Runtime::get();
  Lock lock(runtime.mutex);
  GraphNode *node = kernelNode(runtime, handle);
  if (!node || !params)
    return hipErrorInvalidValue;
  std::shared_ptr<const Action> action;
  if (int code = kernelAction(runtime, *params, node->action->device, &action))
    return code;
  node->action = std::move(action);
  return hipSuccess;
}

// Launches that are under way keep the parameters they had.
int hipGraphExecKernelNodeSetParams(hipGraphExec_t exec, hipGraphNode_t handle,
                                    const hipKernelNodeParams *params) {
  Runtime &runtime = Runtime::get();
  Lock lock(runtime.mutex);
  GraphNode *node = kernelNode(runtime, handle);
  if (!node || !params || !runtime.execs.count(exec))
    return hipErrorInvalidValue;
  for (ExecNode &place : exec->nodes) {
    if (std::find(place.ids.begin(), place.ids.end(), node->id) == place.ids.end())
      continue;
    std::shared_ptr<const Action> action;
    if (int code = kernelAction(runtime, *params, place.action->device, &action))
      return code;
    if (action->device != place.action->device)
      return hipErrorInvalidValue;
    place.action = std::move(action);
    return hipSuccess;
  }
  return hipErrorInvalidValue;
}

} // namespace calls
} // namespace tl::hipemu
