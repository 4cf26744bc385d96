#include "codegen/codegen.h"

#include "graph/binary.h"
#include "graph/interface.h"
#include "passes/pipeline.h"
#include "support/build_id.h"

#include <chrono>

namespace tl {

namespace {

using Clock = std::chrono::steady_clock;

double millisecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

/// Gives every op its line of the canonical text as its location: passes carry locations along, so
/// that lines of that text are what debug info names in the end.
void locateByLine(Graph &graph, const PrintedText &text) {
  for (OpId id = 1; id < graph.ops.size(); ++id) {
    uint32_t line = id < text.opLine.size() ? text.opLine[id] : 0;
    graph.ops[id].location = graph.addLocation({"", line, 0});
  }
}

/// The canonical text with the lines that the ops of `graph` came from.
PrintedText linesOf(const Graph &graph, std::string text) {
  PrintedText printed{std::move(text), std::vector<uint32_t>(graph.ops.size(), 0)};
  for (OpId id = 1; id < graph.ops.size(); ++id)
    printed.opLine[id] = graph.locations[graph.ops[id].location].line;
  return printed;
}

Result<TargetCode> generate(const CodegenInput &input, BuildTiming &timing) {
  std::string_view target = input.request.target;
  if (target.starts_with("host:"))
    return generateHost(input, timing);
  if (target.starts_with("amdgcn:"))
    return generateAmdgpu(input, timing);
  if (target.starts_with("nvptx:"))
    return generateNvptx(input, timing);
  return makeError(
      TL_E_UNKNOWN_TARGET,
      "unknown target '%s' (known: amdgcn:<chip>, nvptx:sm_<number>, host:<level>[+feature...])",
      input.request.target.c_str());
}

/// From a graph to an artifact.
Result<Artifact> compileGraph(Graph &graph, const Request &request, BuildTiming &timing,
                              Clock::time_point start) {
  TL_ASSIGN(Artifact artifact, describeKernel(graph));
  PrintedText text = printText(graph);
  locateByLine(graph, text);
  std::vector<OpId> logged = logOps(graph);
  for (size_t i = 0; i < logged.size(); ++i)
    artifact.logSites[i].line = text.opLine[logged[i]];
  // The other listings are the target's.
  Request ofTarget = request;
  std::string passes;
  PassObserver observer;
  if (std::erase(ofTarget.listings, "passes"))
    observer = [&](const char *pass, const Graph &after) {
      passes += "# after " + std::string(pass) + "\n" + printText(after).text;
    };
  const PassTarget kind = request.target.starts_with("amdgcn:")  ? PassTarget::Amd
                          : request.target.starts_with("nvptx:") ? PassTarget::Nvidia
                                                                 : PassTarget::Host;
  TL_ASSIGN(Graph lowered, runPasses(graph, kind, observer));
  timing.passes += millisecondsSince(start);

  PrintedText lines = linesOf(lowered, std::move(text.text));
  TL_ASSIGN(TargetCode code, generate({lowered, lines, artifact.slots, ofTarget}, timing));
  if (!passes.empty())
    code.listings["passes"] = std::move(passes);
  artifact.codes.push_back(std::move(code));
  artifact.text = std::move(lines.text);
  artifact.buildId = buildId();
  if (request.embedGraph)
    artifact.graph = request.graph;
  timing.total += millisecondsSince(start);
  return artifact;
}

} // namespace

Result<Artifact> compileRequest(const Request &request, BuildTiming &timing) {
  Clock::time_point start = Clock::now();
  TL_ASSIGN(Graph graph, readGraph(request.graph));
  if (graph.kernel.isSequence)
    return makeError(TL_E_UNSUPPORTED, "'%s' is a sequence, whose kernels are compiled one by one",
                     graph.kernel.name.c_str());
  auto artifact = compileGraph(graph, request, timing, start);
  if (artifact.ok())
    return artifact;
  ErrorPtr error = artifact.takeError();
  error->message = "kernel '" + graph.kernel.name + "': " + error->message;
  return error;
}

} // namespace tl
