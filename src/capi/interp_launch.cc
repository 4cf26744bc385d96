#include "capi/interp_launch.h"

namespace tl {

InterpLaunch::InterpLaunch(const Artifact &artifact, const LaunchBlock &block)
    : args(artifact.args.size()), contiguous(artifact.args.size()) {
  for (size_t i = 0; i < args.size(); ++i) {
    const ArtifactArg &declared = artifact.args[i];
    args[i].data = block.pointers[i];
    args[i].scalar = block.scalars[i];
    if (declared.kind != ArgKind::View || !block.shapes[i])
      continue;
    size_t rank = declared.extents.size();
    args[i].extents = {block.shapes[i], rank};
    if (block.strides[i]) {
      args[i].strides = {block.strides[i], rank};
      continue;
    }
    contiguous[i].assign(rank, 1);
    for (size_t axis = rank - 1; axis > 0; --axis)
      contiguous[i][axis - 1] = contiguous[i][axis] * block.shapes[i][axis];
    args[i].strides = contiguous[i];
  }
}

Status launchInterp(const tl_kernel &kernel, void *stream, const LaunchBlock &block) {
  TL_TRY(kernel.device->device->synchronize(stream));
  InterpOptions options;
  options.trackErrors = false;
  auto report = interpret(*kernel.interpGraph, InterpLaunch(kernel.artifact, block).args, options);
  return report.ok() ? Status() : Status(report.takeError());
}

} // namespace tl
