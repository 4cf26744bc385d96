#include "capi/interp_launch.h"

namespace tl {

/// The memory behind a plain pointer, as far as a tensor's shape says; 0 = not known.
static Result<size_t> pointerBytes(const Artifact &artifact, const LaunchBlock &block, size_t i) {
  const ArtifactArg &arg = artifact.args[i];
  if (arg.kind != ArgKind::Pointer || !block.shapes[i])
    return size_t(0);
  const int64_t *strides = block.strides[i];
  size_t elements = 1, bytes = 0;
  bool valid = block.ranks[i] >= 0 && block.ranks[i] <= TL_MAX_VIEW_RANK;
  for (int32_t axis = valid ? block.ranks[i] : 0; valid && axis-- > 0;) {
    int64_t n = block.shapes[i][axis];
    bool contiguous = !strides || n <= 1 || uint64_t(strides[axis]) == elements;
    valid = n >= 0 && contiguous && !__builtin_mul_overflow(elements, size_t(n), &elements);
  }
  valid = valid && !__builtin_mul_overflow(elements, size_t(dtypeBytes(arg.dtype)), &bytes);
  if (!valid)
    return makeError(
        TL_E_ARG_SHAPE,
        "kernel '%s', argument %zu (%s): memory behind a pointer is contiguous, of 0 to "
        "%d axes",
        artifact.kernel.c_str(), i, arg.name.c_str(), TL_MAX_VIEW_RANK);
  return bytes;
}

Result<std::vector<InterpArg>> interpArgs(const Artifact &artifact, const LaunchBlock &block) {
  std::vector<InterpArg> args(artifact.args.size());
  for (size_t i = 0; i < args.size(); ++i) {
    const ArtifactArg &declared = artifact.args[i];
    args[i].data = block.pointers[i];
    args[i].scalar = block.scalars[i];
    TL_ASSIGN(args[i].bytes, pointerBytes(artifact, block, i));
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
  TL_ASSIGN(std::vector<InterpArg> args, interpArgs(kernel.artifact, block));
  auto report = interpret(*kernel.interpGraph, args, options);
  return report.ok() ? Status() : Status(report.takeError());
}

} // namespace tl
