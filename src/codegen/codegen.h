// The target seam: from a canonical graph to the code of one target.
#pragma once

#include "artifact/artifact.h"
#include "artifact/request.h"
#include "graph/graph.h"
#include "graph/text.h"

namespace tl {

/// All that a code generator may look at.
struct CodegenInput {
  const Graph &graph; // canonical, after the target's passes
  // text.text is the canonical text of the *request's* graph (before passes); text.opLine[op] is,
  // for each op of `graph`, the line there of the op it came from (0 = none). compile.cc sets this
  // up: it gives every op of the canonical graph its own line as location, passes carry locations
  // along, and opLine reads them back. Debug info names these lines.
  const PrintedText &text;
  const std::vector<KernargSlot> &slots; // the kernel argument block (graph/interface.h)
  const Request &request; // target, optimization level, debug info, listings, threads
};

/// codegen/host: the image for this or another x86-64 CPU. Adds to timing.
Result<TargetCode> generateHost(const CodegenInput &input, BuildTiming &timing);
/// codegen/amdgpu, codegen/gpu: a code object for a chip of targets.def.
Result<TargetCode> generateAmdgpu(const CodegenInput &input, BuildTiming &timing);
/// codegen/nvptx, codegen/gpu: PTX for an NVIDIA GPU of targets.def.
Result<TargetCode> generateNvptx(const CodegenInput &input, BuildTiming &timing);

/// codegen/compile.cc: decode, run the target's passes, generate, pack. The whole pipeline on one
/// screen.
Result<Artifact> compileRequest(const Request &request, BuildTiming &timing);

} // namespace tl
