#include "passes/pipeline.h"

#include "graph/canonical.h"
#include "graph/verify.h"
#include "passes/cse.h"
#include "passes/fold.h"
#include "passes/lower_composite.h"
#include "passes/lower_log.h"
#include "passes/lower_order.h"
#include "passes/prefetch_loads.h"

namespace tl {

namespace {

struct Pass {
  const char *name;
  Result<Graph> (*run)(const Graph &);
  bool onlyAmd = false;
};

Result<Graph> deadCode(const Graph &graph) { return canonicalize(graph); }

/// In this order.
constexpr Pass passes[] = {
    {"lower_log", lowerLog},
    {"lower_order", lowerOrder},
    {"lower_composite", lowerComposite},
    {"prefetch", prefetchLoads, true},
    {"fold", foldConstants},
    {"cse", eliminateCommonSubexpressions},
    {"dce", deadCode},
};

} // namespace

Result<Graph> runPasses(const Graph &input, PassTarget target, const PassObserver &observer) {
  Graph graph = input;
  for (const Pass &pass : passes) {
    if (pass.onlyAmd && target != PassTarget::Amd)
      continue;
    auto result = pass.run(graph);
    if (!result.ok())
      return result;
    graph = std::move(result).value();
#ifndef NDEBUG
    if (Status s = verify(graph); !s.ok())
      return internalError("after pass %s: %s", pass.name, s.error().message.c_str());
#endif
    if (observer)
      observer(pass.name, graph);
  }
  return graph;
}

} // namespace tl
