#include "capi/interp_launch.h"

namespace tl {

std::optional<size_t> pointerBytes(const Artifact &artifact, const LaunchBlock &block, size_t i) {
  const ArtifactArg &arg = artifact.args[i];
  if (arg.kind != ArgKind::Pointer || !block.shapes[i])
    return 0;
  const int64_t *strides = block.strides[i];
  size_t elements = 1, bytes = 0;
  bool valid = block.ranks[i] >= 0 && block.ranks[i] <= TL_MAX_VIEW_RANK;
  for (int32_t axis = valid ? block.ranks[i] : 0; valid && axis-- > 0;) {
    int64_t n = block.shapes[i][axis];
    bool contiguous = !strides || n <= 1 || uint64_t(strides[axis]) == elements;
    valid = n >= 0 && contiguous && !__builtin_mul_overflow(elements, size_t(n), &elements);
  }
  valid = valid && !__builtin_mul_overflow(elements, size_t(dtypeBytes(arg.dtype)), &bytes);
  return valid ? std::optional(bytes) : std::nullopt;
}

std::vector<InterpArg> interpArgs(const Artifact &artifact, const LaunchBlock &block) {
  std::vector<InterpArg> args(artifact.args.size());
  for (size_t i = 0; i < args.size(); ++i) {
    const ArtifactArg &declared = artifact.args[i];
    args[i].data = block.pointers[i];
    args[i].scalar = block.scalars[i];
    args[i].bytes = pointerBytes(artifact, block, i).value_or(0);
    size_t rank = declared.extents.size();
    if (block.shapes[i])
      args[i].extents = {block.shapes[i], rank};
    if (block.strides[i])
      args[i].strides = {block.strides[i], rank};
  }
  return args;
}

Status checkInterpSteps(const tl_kernel &kernel, const LaunchBlock &block) {
  InterpOptions options;
  options.checkOnly = true;
  auto report = interpret(*kernel.interpGraph, interpArgs(kernel.artifact, block), options);
  return report.ok() ? Status() : Status(report.takeError());
}

Status launchInterp(const tl_kernel &kernel, void *stream, const LaunchBlock &block) {
  TL_TRY(kernel.device->device->synchronize(stream));
  InterpOptions options;
  options.trackErrors = false;
  InterpLines lines(kernel.device->log->nextLaunch());
  options.log = &lines;
  auto report = interpret(*kernel.interpGraph, interpArgs(kernel.artifact, block), options);
  kernel.device->log->add(std::move(lines.lines));
  return report.ok() ? Status() : Status(report.takeError());
}

} // namespace tl
