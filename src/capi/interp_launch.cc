#include "capi/interp_launch.h"

namespace tl {

std::vector<InterpArg> interpArgs(const Artifact &artifact, const LaunchBlock &block) {
  std::vector<InterpArg> args(artifact.args.size());
  for (size_t i = 0; i < args.size(); ++i) {
    const ArtifactArg &declared = artifact.args[i];
    args[i].data = block.pointers[i];
    args[i].scalar = block.scalars[i];
    size_t rank = declared.extents.size();
    if (block.shapes[i])
      args[i].extents = {block.shapes[i], rank};
    if (block.strides[i])
      args[i].strides = {block.strides[i], rank};
  }
  return args;
}

Status launchInterp(const tl_kernel &kernel, void *stream, const LaunchBlock &block) {
  TL_TRY(kernel.device->device->synchronize(stream));
  InterpOptions options;
  options.trackErrors = false;
  auto report = interpret(*kernel.interpGraph, interpArgs(kernel.artifact, block), options);
  return report.ok() ? Status() : Status(report.takeError());
}

} // namespace tl
