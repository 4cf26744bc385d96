// Kernels as things to save, load and look at.
#include "capi/handles.h"
#include "graph/binary.h"
#include "graph/interface.h"
#include "graph/text.h"

#include <algorithm>
#include <map>

using namespace tl;

namespace tl {

namespace {

int64_t dimCode(const DimSpec &dim) {
  return dim.kind == DimSpec::Kind::Literal  ? dim.value
         : dim.kind == DimSpec::Kind::Scalar ? -1 - dim.value
                                             : TL_DYNAMIC;
}

std::vector<int64_t> dimCodes(const std::vector<DimSpec> &dims) {
  std::vector<int64_t> codes;
  for (const DimSpec &dim : dims)
    codes.push_back(dimCode(dim));
  return codes;
}

std::string targetList(const Artifact &artifact) {
  std::string s;
  for (const TargetCode &code : artifact.codes)
    s += (s.empty() ? "" : ", ") + code.target;
  return s;
}

} // namespace

static bool sameArgument(const ArtifactArg &a, const ArtifactArg &b) {
  return a.name == b.name && a.kind == b.kind && a.dtype == b.dtype && a.optional == b.optional &&
         dimCodes(a.extents) == dimCodes(b.extents) && dimCodes(a.strides) == dimCodes(b.strides);
}

/// Gives the ops of an artifact's graph their places, so that the interpreter's errors name them.
static void locate(Graph &graph, const Artifact &artifact) {
  std::map<uint32_t, const SourceLocation *> places;
  for (const LocationEntry &entry : artifact.locations)
    places[entry.line] = &entry.source;
  PrintedText printed = printText(graph);
  for (OpId id = 1; id < graph.ops.size() && id < printed.opLine.size(); ++id)
    if (auto place = places.find(printed.opLine[id]); place != places.end())
      graph.ops[id].location = graph.addLocation(*place->second);
  for (size_t i = 0; i < graph.kernel.callees.size() && i < artifact.members.size(); ++i) {
    auto callee = std::make_shared<Graph>(*graph.kernel.callees[i]);
    locate(*callee, artifact.members[i]);
    graph.kernel.callees[i] = std::move(callee);
  }
}

Result<Graph> embeddedGraph(const Artifact &artifact) {
  if (artifact.graph.empty())
    return makeError(TL_E_UNSUPPORTED,
                     "kernel '%s' was built without its graph: it cannot be interpreted or checked",
                     artifact.kernel.c_str());
  TL_ASSIGN(Graph graph, readGraph(artifact.graph));
  TL_ASSIGN(Artifact declared, describeKernel(graph));
  if (!std::equal(artifact.args.begin(), artifact.args.end(), declared.args.begin(),
                  declared.args.end(), sameArgument))
    return makeError(
        TL_E_CORRUPT,
        "the graph in the artifact of kernel '%s' has other arguments than the artifact",
        artifact.kernel.c_str());
  locate(graph, artifact);
  return graph;
}

/// A handle for each member of a sequence or library that has none yet.
static Status finishMembers(tl_kernel &kernel) {
  if (!kernel.members.empty())
    return {};
  for (const Artifact &artifact : kernel.artifact.members) {
    auto member = std::make_unique<tl_kernel>();
    member->context = kernel.context;
    member->device = kernel.device;
    member->artifact = artifact;
    TL_TRY(finishKernel(*member));
    kernel.members.push_back(std::move(member));
  }
  return {};
}

Status finishKernel(tl_kernel &kernel) {
  for (const ArtifactArg &arg : kernel.artifact.args) {
    kernel.extentTexts.push_back(dimCodes(arg.extents));
    kernel.strideTexts.push_back(dimCodes(arg.strides));
  }
  if (!kernel.device || !kernel.device->interp || kernel.artifact.isLibrary())
    TL_TRY(finishMembers(kernel));
  if (!kernel.device || kernel.artifact.isLibrary())
    return {};
  const OpenDevice &open = *kernel.device;
  if (kernel.artifact.isSequence() && !open.interp)
    return {};
  if (open.interp) {
    // Any artifact that holds its graph can be interpreted.
    TL_ASSIGN(Graph graph, embeddedGraph(kernel.artifact));
    kernel.interpGraph = std::make_unique<Graph>(std::move(graph));
    return {};
  }
  for (const std::string &target : open.device->targets())
    for (size_t i = 0; i < kernel.artifact.codes.size(); ++i)
      if (kernel.artifact.codes[i].target == target) {
        kernel.codeIndex = i;
        return {};
      }
  ErrorPtr why;
  for (size_t i = 0; i < kernel.artifact.codes.size(); ++i) {
    Status accepted = open.device->accepts(kernel.artifact.codes[i].target);
    if (accepted.ok()) {
      kernel.codeIndex = i;
      return {};
    }
    // The CPU's missing features say more than "another target".
    if (!why || accepted.error().status == TL_E_CPU_FEATURES)
      why = accepted.takeError();
  }
  if (why && why->status == TL_E_CPU_FEATURES)
    return why;
  return makeError(TL_E_UNSUPPORTED, "kernel '%s' holds no code for %s (%s), only for %s",
                   kernel.artifact.kernel.c_str(), open.name.c_str(), open.target.c_str(),
                   targetList(kernel.artifact).c_str());
}

} // namespace tl

void tl_kernel_destroy(tl_kernel *kernel) { delete kernel; }

tl_status tl_kernel_save(const tl_kernel *kernel, const void **bytes, size_t *size) {
  if (bytes)
    *bytes = nullptr;
  return guarded(nullptr, [&]() -> Status {
    if (!kernel || !bytes || !size)
      return nullArgument(!kernel ? "kernel" : !bytes ? "bytes" : "size");
    std::lock_guard lock(kernel->mutex);
    if (kernel->saved.empty())
      kernel->saved = writeArtifact(kernel->artifact);
    *bytes = kernel->saved.data();
    *size = kernel->saved.size();
    return {};
  });
}

tl_status tl_kernel_load(const tl_device *device, const void *bytes, size_t size, tl_kernel **out,
                         tl_error **error) {
  if (out)
    *out = nullptr;
  return guarded(error, [&]() -> Status {
    if (!device || !out || (!bytes && size))
      return nullArgument(!device ? "device" : !out ? "kernel" : "bytes");
    auto kernel = std::make_unique<tl_kernel>();
    kernel->device = device->open;
    kernel->context = device->open->context;
    TL_ASSIGN(kernel->artifact, readArtifact(std::span(static_cast<const uint8_t *>(bytes), size)));
    TL_TRY(finishKernel(*kernel));
    *out = kernel.release();
    return {};
  });
}

tl_status tl_kernel_locate(const tl_kernel *kernel, uint32_t text_line, tl_source_place *place) {
  return guarded(nullptr, [&]() -> Status {
    if (!kernel)
      return nullArgument("kernel");
    for (const LocationEntry &entry : kernel->artifact.locations) {
      if (entry.line != text_line)
        continue;
      tl_source_place out = TL_SOURCE_PLACE_INIT;
      out.file = entry.source.file.c_str();
      out.line = entry.source.line;
      out.column = entry.source.column;
      return writeInfo(place, out, "place");
    }
    return makeError(TL_E_INVALID_ARGUMENT, "the place of line %u is not known", text_line);
  });
}

tl_status tl_kernel_target_count(const tl_kernel *kernel, size_t *count) {
  return guarded(nullptr, [&]() -> Status {
    if (!kernel || !count)
      return nullArgument(kernel ? "count" : "kernel");
    const Artifact &artifact = kernel->artifact;
    *count = artifact.isSequence() ? artifact.members[0].codes.size() : artifact.codes.size();
    return {};
  });
}

/// With a device, target 0 is the one it runs and the others follow in order.
static Result<const TargetCode *> codeAt(const tl_kernel *kernel, size_t index) {
  if (!kernel)
    return nullArgument("kernel");
  const auto &codes = kernel->artifact.codes;
  if (index >= codes.size())
    return makeError(TL_E_INVALID_ARGUMENT,
                     "the kernel holds %zu targets, there is none with index %zu", codes.size(),
                     index);
  size_t own = kernel->device ? kernel->codeIndex : 0;
  size_t at = index == 0 ? own : index <= own ? index - 1 : index;
  return &codes[at];
}

/// A sequence's: sums of sizes and times, the largest of what one kernel uses.
static Status sequenceInfo(const tl_kernel &kernel, size_t index, tl_kernel_info *info) {
  tl_kernel_info out = TL_KERNEL_INFO_INIT;
  out.name = kernel.artifact.kernel.c_str();
  out.target = "interp";
  out.key = kernel.key.c_str();
  out.built = kernel.compiledNow;
  if (index >= kernel.artifact.members[0].codes.size())
    return makeError(TL_E_INVALID_ARGUMENT, "there is no target with index %zu", index);
  for (const auto &member : kernel.members) {
    tl_kernel_info one = TL_KERNEL_INFO_INIT;
    if (tl_kernel_get_info(member.get(), index, &one) != TL_OK)
      return internalError("a kernel of a sequence has other targets");
    out.target = one.target;
    out.code_bytes += one.code_bytes;
    for (auto field :
         {&tl_kernel_info::threads, &tl_kernel_info::vgpr, &tl_kernel_info::agpr,
          &tl_kernel_info::sgpr, &tl_kernel_info::lds_bytes, &tl_kernel_info::scratch_bytes,
          &tl_kernel_info::vgpr_spills, &tl_kernel_info::sgpr_spills, &tl_kernel_info::arena_bytes})
      out.*field = std::max(out.*field, one.*field);
    for (auto field :
         {&tl_kernel_info::ms_passes, &tl_kernel_info::ms_llvm_opt,
          &tl_kernel_info::ms_llvm_codegen, &tl_kernel_info::ms_link, &tl_kernel_info::ms_total})
      out.*field += one.*field;
    out.occupancy_waves = out.occupancy_waves && one.occupancy_waves
                              ? std::min(out.occupancy_waves, one.occupancy_waves)
                              : std::max(out.occupancy_waves, one.occupancy_waves);
  }
  return writeInfo(info, out, "info");
}

tl_status tl_kernel_get_info(const tl_kernel *kernel, size_t index, tl_kernel_info *info) {
  return guarded(nullptr, [&]() -> Status {
    if (kernel && kernel->artifact.isSequence())
      return sequenceInfo(*kernel, index, info);
    TL_ASSIGN(const TargetCode *code, codeAt(kernel, index));
    tl_kernel_info out = TL_KERNEL_INFO_INIT;
    out.name = kernel->artifact.kernel.c_str();
    out.target = code->target.c_str();
    out.key = kernel->key.c_str();
    out.code_bytes = code->code.size();
    out.threads = code->threads;
    out.vgpr = code->use.vgprs;
    out.agpr = code->use.agprs;
    out.sgpr = code->use.sgprs;
    out.lds_bytes = code->use.ldsBytes;
    out.scratch_bytes = code->use.scratchBytes;
    out.vgpr_spills = code->use.vgprSpills;
    out.sgpr_spills = code->use.sgprSpills;
    out.occupancy_waves = code->use.occupancyWaves;
    out.arena_bytes = code->arenaBytes;
    out.built = kernel->compiledNow;
    const BuildTiming *timing = &kernel->timing;
    for (const auto &built : kernel->built)
      if (built->artifact.codes[0].target == code->target)
        timing = &built->timing;
    out.ms_passes = timing->passes;
    out.ms_llvm_opt = timing->llvmOpt;
    out.ms_llvm_codegen = timing->llvmCodegen;
    out.ms_link = timing->link;
    out.ms_total = timing->total;
    return writeInfo(info, out, "info");
  });
}

tl_status tl_kernel_argument_count(const tl_kernel *kernel, size_t *count) {
  return guarded(nullptr, [&]() -> Status {
    if (!kernel || !count)
      return nullArgument(kernel ? "count" : "kernel");
    *count = kernel->artifact.args.size();
    return {};
  });
}

tl_status tl_kernel_get_argument(const tl_kernel *kernel, size_t index,
                                 tl_kernel_argument *argument) {
  return guarded(nullptr, [&]() -> Status {
    if (!kernel || index >= kernel->artifact.args.size())
      return makeError(TL_E_INVALID_ARGUMENT, "there is no argument %zu", index);
    const ArtifactArg &arg = kernel->artifact.args[index];
    tl_kernel_argument out = TL_KERNEL_ARGUMENT_INIT;
    out.name = arg.name.c_str();
    out.kind = arg.kind == ArgKind::View      ? TL_TYPE_VIEW
               : arg.kind == ArgKind::Pointer ? TL_TYPE_POINTER
                                              : TL_TYPE_TILE;
    out.dtype = tl_dtype(arg.dtype);
    out.rank = uint32_t(arg.extents.size());
    out.flags = (arg.optional ? TL_ARGUMENT_OPTIONAL : 0) |
                (arg.distinct ? TL_ARGUMENT_DISTINCT : 0) |
                (arg.hasDefault ? TL_ARGUMENT_HAS_DEFAULT : 0);
    out.written = arg.written;
    out.generator = tl_generator(arg.generator.kind);
    out.extents = kernel->extentTexts[index].data();
    out.strides = arg.strides.empty() ? nullptr : kernel->strideTexts[index].data();
    out.default_int = arg.defaultInt;
    out.default_float = arg.defaultFloat;
    out.low = arg.generator.low;
    out.high = arg.generator.high;
    out.low_argument = arg.generator.lowArg;
    out.high_argument = arg.generator.highArg;
    return writeInfo(argument, out, "argument");
  });
}

tl_status tl_kernel_get_part(const tl_kernel *kernel, size_t index, tl_kernel_part part,
                             const void **bytes, size_t *size) {
  if (bytes)
    *bytes = nullptr;
  return guarded(nullptr, [&]() -> Status {
    if (!bytes || !size)
      return nullArgument(bytes ? "size" : "bytes");
    bool whole = part == TL_PART_TEXT || part == TL_PART_GRAPH;
    if (kernel && kernel->artifact.isSequence() && !whole)
      return makeError(TL_E_UNSUPPORTED,
                       "the code of a sequence is in its kernels (tl_kernel_member)");
    const TargetCode *code = nullptr;
    if (!kernel || !kernel->artifact.isSequence()) {
      TL_ASSIGN(code, codeAt(kernel, index));
    }
    auto giveBytes = [&](const auto &container) -> Status {
      if (container.empty())
        return makeError(TL_E_UNSUPPORTED, "the kernel does not hold this part");
      *bytes = container.data();
      *size = container.size();
      return {};
    };
    auto giveListing = [&](const char *name) -> Status {
      static const std::string none;
      auto it = code->listings.find(name);
      return giveBytes(it == code->listings.end() ? none : it->second);
    };
    switch (part) {
    case TL_PART_CODE:
      return giveBytes(code->code);
    case TL_PART_OBJECT:
      return giveBytes(code->object);
    case TL_PART_LLVM:
      return giveListing("llvm");
    case TL_PART_ASM:
      return giveListing("asm");
    case TL_PART_PASSES:
      return giveListing("passes");
    case TL_PART_TEXT:
      return giveBytes(kernel->artifact.text);
    case TL_PART_GRAPH:
      return giveBytes(kernel->artifact.graph);
    }
    return makeError(TL_E_INVALID_ARGUMENT, "part %d is unknown", part);
  });
}
