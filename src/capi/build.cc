// From a graph to a kernel: request, memory cache, compiler.
#include "artifact/request.h"
#include "capi/dump.h"
#include "capi/handles.h"
#include "driver/host/cpu.h"
#include "graph/binary.h"
#include "graph/canonical.h"
#include "graph/interface.h"
#include "graph/text.h"
#include "support/build_id.h"
#include "support/hash.h"

#include <algorithm>
#include <map>

using namespace tl;

namespace tl {

namespace {

std::string keyText(const Bytes &request) {
  // The build's id is part of the key: another version may compile the same request to other code.
  Bytes bytes = request;
  for (const char *c = buildId(); *c; ++c)
    bytes.push_back(uint8_t(*c));
  return hashBytes(bytes).hex();
}

/// Compiles outside of every lock. What TL_DUMP prints is asked of the compiler beside the request
/// and kept nowhere: a variable that prints must not change keys and artifacts.
Result<std::shared_ptr<const Built>> compileNow(ContextState &context, const Request &request) {
  TL_ASSIGN(std::shared_ptr<CompilerLibrary> compiler, context.openCompiler());
  ++context.compileCount;
  auto built = std::make_shared<Built>();
  built->request = encodeRequest(request);
  built->key = keyText(built->request);
  const std::string dump = dumpSetting(context.ignoreEnvironment());
  Request asked = request;
  const std::vector<std::string> &own = request.listings;
  bool extra = !dump.empty() && std::find(own.begin(), own.end(), "passes") == own.end();
  if (extra)
    asked.listings.push_back("passes");
  TL_ASSIGN(Bytes bytes, compiler->compile(encodeRequest(asked), built->timing));
  TL_ASSIGN(built->artifact, readArtifact(bytes));
  std::map<std::string, std::string> &listings = built->artifact.codes[0].listings;
  if (!dump.empty() && !printDump(dump, listings["passes"]) && !context.dumpRefused.exchange(true))
    printKnownDumps(dump, listings["passes"]);
  if (extra)
    listings.erase("passes");
  return std::shared_ptr<const Built>(std::move(built));
}

/// Builds (or finds) the artifact of a request in the context's memory.
Result<std::shared_ptr<const Built>> buildRequest(ContextState &context, const Request &request,
                                                  bool mayCompile, bool *compiledNow) {
  *compiledNow = false;
  Bytes bytes = encodeRequest(request);
  std::string key(bytes.begin(), bytes.end());
  std::unique_lock lock(context.mutex);
  std::shared_ptr<CacheEntry> &slot = context.cache[key];
  if (slot) {
    // Built before, or being built by another thread: join it.
    std::shared_ptr<CacheEntry> entry = slot;
    context.cacheChanged.wait(lock, [&] { return entry->done; });
    if (entry->built)
      return entry->built;
    return std::make_unique<Error>(*entry->failure);
  }
  if (!mayCompile) {
    context.cache.erase(key);
    return makeError(TL_E_NOT_CACHED,
                     "it was not built before in this context, and compiling is not allowed");
  }
  auto entry = std::make_shared<CacheEntry>();
  slot = entry;
  lock.unlock();

  Result<std::shared_ptr<const Built>> result =
      ErrorPtr(makeError(TL_E_OUT_OF_MEMORY, "out of memory"));
  try {
    result = compileNow(context, request);
  } catch (const std::bad_alloc &) {
    // Those who joined must not wait for ever; the error above stands.
  }
  lock.lock();
  entry->done = true;
  if (result.ok()) {
    entry->built = *result;
    *compiledNow = true;
  } else {
    entry->failure = std::make_unique<Error>(result.error());
    context.cache.erase(key); // another try may do better (a library that was missing)
  }
  context.cacheChanged.notify_all();
  return result;
}

/// A build's options as the request has them.
struct BuildPlan {
  Graph graph; // canonical
  Request request;
};

constexpr std::pair<uint32_t, const char *> listings[] = {
    {TL_LISTING_LLVM, "llvm"}, {TL_LISTING_ASM, "asm"}, {TL_LISTING_PASSES, "passes"}};

Result<BuildPlan> planBuild(const tl_graph *graph, const tl_build_options *options) {
  if (!graph)
    return nullArgument("graph");
  TL_ASSIGN(tl_build_options given, readOptions(options, "tl_build_options"));
  if (given.n_params && (!given.param_names || !given.param_values))
    return nullArgument(given.param_names ? "param_values" : "param_names");
  if (given.opt_level < -1 || given.opt_level > 3 || given.threads > 1024 || given.threads % 32)
    return makeError(
        TL_E_INVALID_ARGUMENT,
        "tl_build_options: opt_level is -1 to 3 and threads a multiple of 32 up to 1024");
  if (uint32_t unknown = given.flags & ~uint32_t(TL_BUILD_NO_DEBUG_INFO | TL_BUILD_NO_GRAPH))
    return makeError(TL_E_UNSUPPORTED, "tl_build_options: flag %u is unknown", unknown);
  std::map<std::string, int64_t> bindings;
  for (size_t i = 0; i < given.n_params; ++i) {
    if (!given.param_names[i])
      return nullArgument("param_names");
    if (!bindings.emplace(given.param_names[i], given.param_values[i]).second)
      return makeError(TL_E_PARAM, "kernel '%s': parameter '%s' is given twice",
                       graph->whole().current().kernel.name.c_str(), given.param_names[i]);
  }
  BuildPlan plan;
  TL_ASSIGN(Graph whole, graph->whole().snapshot());
  TL_ASSIGN(Graph concrete, instantiate(whole, bindings));
  plan.graph = canonicalize(concrete);
  plan.request.graph = writeGraph(plan.graph);
  plan.request.optLevel = given.opt_level == 0 ? 2 : std::max(given.opt_level, 0);
  plan.request.threads = given.threads;
  plan.request.debugInfo = !(given.flags & TL_BUILD_NO_DEBUG_INFO);
  plan.request.embedGraph = !(given.flags & TL_BUILD_NO_GRAPH);
  uint32_t unnamed = given.listings;
  for (auto [flag, name] : listings) {
    if (given.listings & flag)
      plan.request.listings.push_back(name);
    unnamed &= ~flag;
  }
  if (unnamed)
    return makeError(TL_E_UNSUPPORTED, "tl_build_options: listing %u is unknown", unnamed);
  return plan;
}

/// The author's places for lines of the canonical text: the artifact's location section.
std::vector<LocationEntry> locationsOf(const Graph &canonical) {
  PrintedText printed = printText(canonical);
  std::vector<LocationEntry> list;
  for (OpId id = 1; id < canonical.ops.size(); ++id) {
    const SourceLocation &where = canonical.locations[canonical.ops[id].location];
    if (where.line && id < printed.opLine.size() && printed.opLine[id])
      list.push_back({printed.opLine[id], where});
  }
  std::stable_sort(list.begin(), list.end(),
                   [](const auto &a, const auto &b) { return a.line < b.line; });
  return list;
}

/// An error of the compiler, which knows lines of the canonical text, at the author's place.
ErrorPtr atAuthorsPlace(ErrorPtr error, const Graph &canonical) {
  if (error->status == TL_E_NOT_CACHED)
    error->message = "kernel '" + canonical.kernel.name + "': " + error->message;
  for (Diagnostic &d : error->diagnostics) {
    if (d.location.line == 0 || !d.location.file.empty())
      continue;
    uint32_t line = d.location.line;
    d.location = {canonical.kernel.name + ".canonical.tile", line, 0};
    for (const LocationEntry &entry : locationsOf(canonical))
      if (entry.line == line) {
        d.location = entry.source;
        error->message = formatString("%s:%u: %s", entry.source.file.c_str(), entry.source.line,
                                      error->message.c_str());
        break;
      }
  }
  return error;
}

/// For whom a kernel is built: a device, or the targets in the plan of tl_kernel_compile.
struct Recipient {
  std::shared_ptr<ContextState> context;
  std::shared_ptr<const OpenDevice> device; // null: none
  std::vector<std::string> targets;         // resolved
  bool mayCompile;
};
using KernelPtr = std::unique_ptr<tl_kernel>;

KernelPtr emptyKernel(const Recipient &to) {
  auto kernel = std::make_unique<tl_kernel>();
  kernel->context = to.context;
  kernel->device = to.device;
  return kernel;
}

/// What an artifact says of its graph.
Status describe(const BuildPlan &plan, Artifact &artifact) {
  TL_ASSIGN(artifact, describeKernel(plan.graph));
  if (plan.request.embedGraph)
    artifact.graph = plan.request.graph;
  artifact.text = printText(plan.graph).text;
  artifact.buildId = buildId();
  return {};
}

/// On the interpreter device the graph is the code.
Status makeInterpreted(BuildPlan &plan, tl_kernel &kernel) {
  plan.request.target = "interp";
  kernel.key = keyText(encodeRequest(plan.request));
  plan.request.embedGraph = true;
  TL_TRY(describe(plan, kernel.artifact));
  TargetCode code;
  code.target = "interp";
  if (!kernel.artifact.isSequence())
    kernel.artifact.codes.push_back(code);
  for (size_t i = 0; i < kernel.artifact.members.size(); ++i) {
    kernel.artifact.members[i].codes.push_back(code);
    kernel.artifact.members[i].locations = locationsOf(*plan.graph.kernel.callees[i]);
  }
  return {};
}

/// Code for each target.
Status makeCode(const Recipient &to, BuildPlan &plan, tl_kernel &kernel) {
  for (const std::string &target : to.targets) {
    plan.request.target = target;
    bool compiledNow = false;
    auto result = buildRequest(*to.context, plan.request, to.mayCompile, &compiledNow);
    if (!result.ok())
      return atAuthorsPlace(result.takeError(), plan.graph);
    std::shared_ptr<const Built> built = std::move(*result);
    kernel.compiledNow |= compiledNow;
    if (kernel.built.empty()) {
      kernel.artifact = built->artifact;
      kernel.key = built->key;
      kernel.timing = built->timing;
    } else {
      for (const TargetCode &code : built->artifact.codes)
        kernel.artifact.codes.push_back(code);
    }
    kernel.built.push_back(std::move(built));
  }
  return {};
}

Result<KernelPtr> buildKernel(const Recipient &to, BuildPlan &plan);

/// The kernels of a sequence, each as if built alone.
Status makeMembers(const Recipient &to, BuildPlan &plan, tl_kernel &sequence) {
  TL_TRY(describe(plan, sequence.artifact));
  Bytes keys = plan.request.graph;
  for (size_t i = 0; i < plan.graph.kernel.callees.size(); ++i) {
    BuildPlan one{*plan.graph.kernel.callees[i], plan.request};
    one.request.graph = writeGraph(one.graph);
    TL_ASSIGN(KernelPtr member, buildKernel(to, one));
    sequence.artifact.members[i] = member->artifact;
    sequence.compiledNow |= member->compiledNow;
    for (char c : member->key)
      keys.push_back(uint8_t(c));
    sequence.members.push_back(std::move(member));
  }
  sequence.key = keyText(keys);
  return {};
}

Result<KernelPtr> buildKernel(const Recipient &to, BuildPlan &plan) {
  KernelPtr kernel = emptyKernel(to);
  if (to.device && to.device->interp)
    TL_TRY(makeInterpreted(plan, *kernel));
  else if (plan.graph.kernel.isSequence)
    TL_TRY(makeMembers(to, plan, *kernel));
  else
    TL_TRY(makeCode(to, plan, *kernel));
  kernel->artifact.locations = locationsOf(plan.graph);
  TL_TRY(finishKernel(*kernel));
  return kernel;
}

Status buildForDevice(const tl_device *device, const tl_graph *graph,
                      const tl_build_options *options, bool mayCompile, tl_kernel **out) {
  if (!device || !out)
    return nullArgument(device ? "kernel" : "device");
  TL_ASSIGN(BuildPlan plan, planBuild(graph, options));
  const std::shared_ptr<ContextState> &context = device->open->context;
  mayCompile = mayCompile && !(context->options.flags & TL_CONTEXT_NO_COMPILE);
  TL_ASSIGN(KernelPtr kernel,
            buildKernel({context, device->open, {device->open->target}, mayCompile}, plan));
  *out = kernel.release();
  return {};
}

/// "host" as the features of this CPU; others as they are.
Result<std::string> resolveTarget(const char *target) {
  if (!target)
    return nullArgument("targets");
  std::string text = target;
  if (text == "host") {
    TL_ASSIGN(HostTarget host, detectHostTarget());
    return host.text();
  }
  if (text.rfind("host:", 0) == 0) {
    TL_ASSIGN(HostTarget host, parseHostTarget(text));
    return host.text();
  }
  if (text.rfind("amdgcn:", 0) == 0 || text.rfind("nvptx:", 0) == 0)
    return text;
  const char *family = text.rfind("gfx", 0) == 0   ? "amdgcn:"
                       : text.rfind("sm_", 0) == 0 ? "nvptx:"
                                                   : nullptr;
  std::string hint = family ? " (did you mean '" + (family + text) + "'?)" : "";
  return makeError(
      TL_E_UNKNOWN_TARGET,
      "target '%s' is unknown%s; targets are amdgcn:<chip>, nvptx:sm_<number>, host and "
      "host:<level>+<features>",
      target, hint.c_str());
}

} // namespace

} // namespace tl

tl_status tl_kernel_build(const tl_device *device, const tl_graph *graph,
                          const tl_build_options *options, tl_kernel **kernel, tl_error **error) {
  if (kernel)
    *kernel = nullptr;
  return guarded(error,
                 [&]() -> Status { return buildForDevice(device, graph, options, true, kernel); });
}

tl_status tl_kernel_lookup(const tl_device *device, const tl_graph *graph,
                           const tl_build_options *options, tl_kernel **kernel, tl_error **error) {
  if (kernel)
    *kernel = nullptr;
  return guarded(error,
                 [&]() -> Status { return buildForDevice(device, graph, options, false, kernel); });
}

tl_status tl_kernel_compile(tl_context *context, const tl_graph *graph, const char *const *targets,
                            size_t n_targets, const tl_build_options *options, tl_kernel **out,
                            tl_error **error) {
  if (out)
    *out = nullptr;
  return guarded(error, [&]() -> Status {
    if (!context || !out || !targets)
      return nullArgument(!context ? "context" : !out ? "kernel" : "targets");
    if (n_targets == 0 || n_targets > 256)
      return makeError(TL_E_INVALID_ARGUMENT, "tl_kernel_compile takes 1 to 256 targets, not %zu",
                       n_targets);
    TL_ASSIGN(BuildPlan plan, planBuild(graph, options));
    bool mayCompile = !(context->state->options.flags & TL_CONTEXT_NO_COMPILE);
    Recipient to{context->state, nullptr, {}, mayCompile};
    for (size_t i = 0; i < n_targets; ++i) {
      TL_ASSIGN(std::string target, resolveTarget(targets[i]));
      // An artifact holds the code of a target once.
      if (std::find(to.targets.begin(), to.targets.end(), target) == to.targets.end())
        to.targets.push_back(std::move(target));
    }
    TL_ASSIGN(KernelPtr kernel, buildKernel(to, plan));
    *out = kernel.release();
    return {};
  });
}
