// Compiling a kernel text for GPUs.
#pragma once

#include "codegen/codegen.h"
#include "graph/canonical.h"
#include "graph/interface.h"
#include "passes/pipeline.h"

#include <map>
#include <string>

namespace unit {

struct CompileOptions {
  std::map<std::string, int64_t> bindings = {};
  uint32_t threads = 0;
  bool wantsAssembly = false;
  int32_t optLevel = 2;
  bool debugInfo = true;
};

/// The code for one chip ("gfx942", "sm_90").
inline tl::Result<tl::TargetCode> compileText(const std::string &text, const std::string &chip,
                                              const CompileOptions &options = {}) {
  const bool isNvidia = chip.starts_with("sm_");
  TL_ASSIGN(tl::Graph parsed, tl::parseText(text, "test.tile"));
  TL_ASSIGN(tl::Graph concrete, tl::instantiate(parsed, options.bindings));
  tl::Graph graph = tl::canonicalize(concrete);
  TL_ASSIGN(tl::Artifact artifact, tl::describeKernel(graph));
  TL_ASSIGN(tl::Graph lowered,
            tl::runPasses(graph, isNvidia ? tl::PassTarget::Nvidia : tl::PassTarget::Amd));
  tl::PrintedText printed = tl::printText(lowered);
  tl::Request request;
  request.target = (isNvidia ? "nvptx:" : "amdgcn:") + chip;
  request.threads = options.threads;
  request.optLevel = options.optLevel;
  request.debugInfo = options.debugInfo;
  if (options.wantsAssembly)
    request.listings = {"asm"};
  tl::BuildTiming timing;
  const tl::CodegenInput input{lowered, printed, artifact.slots, request};
  return isNvidia ? tl::generateNvptx(input, timing) : tl::generateAmdgpu(input, timing);
}

inline const char *const mainChips[] = {"gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201"};

} // namespace unit
