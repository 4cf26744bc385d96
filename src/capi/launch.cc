// Preparing, launching, packing.
#include "capi/arguments.h"
#include "capi/handles.h"
#include "capi/interp_launch.h"
#include "capi/sequence.h"

#include <cstring>

using namespace tl;

namespace tl {

Status ensureLoaded(const tl_kernel &kernel) {
  if (kernel.loaded.load(std::memory_order_acquire))
    return {};
  std::lock_guard lock(kernel.mutex);
  if (kernel.loadedOwner)
    return {};
  TL_ASSIGN(kernel.loadedOwner, kernel.device->device->load(kernel.artifact.codes[kernel.codeIndex],
                                                            kernel.artifact.locations));
  if (!kernel.artifact.logSites.empty()) {
    auto number = kernel.device->log->enroll(kernel.artifact);
    if (!number.ok()) {
      kernel.loadedOwner.reset();
      return number.takeError();
    }
    kernel.logNumber = *number;
  }
  kernel.loaded.store(kernel.loadedOwner.get(), std::memory_order_release);
  return {};
}

namespace {

Status needDevice(const tl_kernel *kernel) {
  if (!kernel)
    return nullArgument("kernel");
  TL_TRY(refuseLibrary(*kernel, "launched"));
  if (!kernel->device)
    return makeError(TL_E_UNSUPPORTED,
                     "kernel '%s' was compiled for targets only; build or load it for a device",
                     kernel->artifact.kernel.c_str());
  return {};
}

/// A sequence whose steps are launches (the interpreter runs it as a whole).
bool hasSteps(const tl_kernel &kernel) {
  return kernel.artifact.isSequence() && !kernel.device->interp;
}

/// Pointers that are not the device's: only looked for when asked, it takes a call of the vendor's
/// for each.
tl_status checkPointers(const tl_kernel &kernel, const LaunchBlock &block) {
  for (size_t i = 0; i < kernel.artifact.args.size(); ++i)
    if (kernel.artifact.args[i].kind != ArgKind::Scalar && block.pointers[i] &&
        !kernel.device->device->isDevicePointer(block.pointers[i]))
      return TL_E_INVALID_ARGUMENT;
  return TL_OK;
}

bool emptyGrid(const LaunchBlock &block) {
  return block.grid[0] == 0 || block.grid[1] == 0 || block.grid[2] == 0;
}

/// The threads of a program, for the limits of the grid. The interpreter has none.
uint32_t threadsOf(const tl_kernel &kernel) {
  return kernel.device->interp ? 1 : kernel.artifact.codes[kernel.codeIndex].threads;
}

Status checkGrid(const tl_kernel &kernel, const LaunchBlock &block) {
  return kernel.device->device->limits().checkGrid(threadsOf(kernel), block.grid,
                                                   kernel.device->name.c_str());
}

/// The device's code, loaded now if that is possible: not inside a capture.
tl_status loadedFor(const tl_kernel &kernel, void *stream, const LoadedKernel **loaded) noexcept {
  *loaded = kernel.loaded.load(std::memory_order_acquire);
  if (*loaded)
    return TL_OK;
  switch (kernel.device->device->captureState(stream)) {
  case CaptureState::None:
    break;
  case CaptureState::Active:
  case CaptureState::Invalid:
    return TL_E_NOT_PREPARED;
  case CaptureState::Unknown:
    return TL_E_DRIVER;
  }
  tl_status status = guarded(nullptr, [&]() -> Status { return ensureLoaded(kernel); });
  *loaded = kernel.loaded.load(std::memory_order_acquire);
  return status;
}

} // namespace

} // namespace tl

tl_status tl_kernel_prepare(const tl_kernel *kernel, const tl_arg *args, size_t n,
                            tl_error **error) {
  return guarded(error, [&]() -> Status {
    TL_TRY(needDevice(kernel));
    if (hasSteps(*kernel))
      return prepareSequence(*kernel, args, n);
    if (!kernel->device->interp)
      TL_TRY(ensureLoaded(*kernel));
    if (n == 0 && !args)
      return {};
    LaunchBlock block;
    ErrorPtr words;
    if (block.fill(kernel->artifact, args, n, true, &words) != TL_OK)
      return words;
    if (kernel->device->interp && kernel->artifact.isSequence())
      return checkInterpSteps(*kernel, block);
    return checkGrid(*kernel, block);
  });
}

tl_status tl_launch(const tl_kernel *kernel, void *stream, const tl_arg *args, size_t n,
                    const tl_launch_options *options) {
  if (!kernel)
    return TL_E_INVALID_ARGUMENT;
  if (!kernel->device || kernel->artifact.isLibrary())
    return TL_E_UNSUPPORTED;
  uint32_t flags = 0;
  tl_launch_options given = TL_LAUNCH_OPTIONS_INIT;
  if (options) {
    tl_status status = guarded(
        nullptr, [&] { return readStruct(&given, sizeof given, options, "tl_launch_options"); });
    if (status != TL_OK)
      return status;
    flags = given.flags;
    if (flags & ~uint32_t(TL_LAUNCH_UNCHECKED | TL_LAUNCH_CHECK_POINTERS) || given.reserved)
      return TL_E_UNSUPPORTED;
  }
  LaunchBlock block;
  if (tl_status s = block.fill(kernel->artifact, args, n, !(flags & TL_LAUNCH_UNCHECKED), nullptr);
      s != TL_OK)
    return s;
  if (hasSteps(*kernel))
    return launchSequence(*kernel, stream, block, given);
  if (emptyGrid(block))
    return TL_OK;
  if (flags & TL_LAUNCH_CHECK_POINTERS)
    if (tl_status s = checkPointers(*kernel, block); s != TL_OK)
      return s;
  if (kernel->device->interp)
    return guarded(nullptr, [&]() -> Status {
      TL_TRY(checkGrid(*kernel, block));
      return launchInterp(*kernel, stream, block);
    });
  const LoadedKernel *loaded;
  if (tl_status s = loadedFor(*kernel, stream, &loaded); s != TL_OK)
    return s;
  if (kernel->logNumber)
    kernel->device->log->fillSlots(kernel->logNumber, block.slots, block.slotCount);
  return kernel->device->device->launch(*loaded, block.grid, block.slots, block.slotCount, stream)
      .status;
}

tl_status tl_launch_pack(const tl_kernel *kernel, const tl_arg *args, size_t n,
                         tl_packed_launch *packed) {
  return guarded(nullptr, [&]() -> Status {
    TL_TRY(needDevice(kernel));
    if (kernel->device->interp)
      return makeError(TL_E_UNSUPPORTED, "the interpreter has no launch to pack");
    if (kernel->artifact.isSequence())
      return makeError(TL_E_UNSUPPORTED, "sequence '%s' is several launches, not one to pack",
                       kernel->artifact.kernel.c_str());
    TL_ASSIGN(tl_packed_launch in, readOptions(packed, "tl_packed_launch"));
    LaunchBlock block;
    ErrorPtr words;
    if (block.fill(kernel->artifact, args, n, true, &words) != TL_OK)
      return words;
    TL_TRY(ensureLoaded(*kernel));
    const LoadedKernel &loaded = *kernel->loaded.load();
    if (kernel->logNumber)
      kernel->device->log->fillSlots(kernel->logNumber, block.slots, block.slotCount);
    TL_TRY(checkGrid(*kernel, block));
    tl_packed_launch out = TL_PACKED_LAUNCH_INIT;
    out.function = loaded.function;
    for (int axis = 0; axis < 3; ++axis) {
      out.grid[axis] = emptyGrid(block) ? 0 : uint32_t(block.grid[axis]);
      out.block[axis] = axis == 0 ? loaded.threads : 1;
    }
    out.shared_bytes = loaded.dynamicBytes;
    out.kernarg = in.kernarg;
    out.kernarg_bytes = block.slotCount * sizeof(uint64_t);
    TL_TRY(writeInfo(packed, out, "tl_packed_launch"));
    if (!in.kernarg)
      return {};
    if (in.kernarg_bytes < out.kernarg_bytes)
      return makeError(TL_E_LIMIT, "the kernel arguments take %zu bytes, the buffer has %zu",
                       out.kernarg_bytes, in.kernarg_bytes);
    std::memcpy(in.kernarg, block.slots, out.kernarg_bytes);
    return {};
  });
}
