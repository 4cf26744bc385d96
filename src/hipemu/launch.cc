#include "hipemu/launch.h"

#include "hipemu/calls.h"
#include "hipemu/runtime.h"

#include <cstring>

namespace tl::hipemu {

namespace {

// The words of `extra`.
constexpr uintptr_t kBufferPointer = 1, kBufferSize = 2, kBufferEnd = 3;
constexpr int kExtraWords = 8; // more than the longest list has

/// Threads of an axis, as the dispatch packet holds them (HSA 1.2, hsa_kernel_dispatch_packet_t).
constexpr uint64_t kMaxThreadsOfAxis = UINT32_MAX;

int checkShape(const Device &device, const Function &function, const LaunchRequest &r) {
  const emu::KernelInfo &info = function.code.info();
  const uint64_t grid[] = {r.grid.x, r.grid.y, r.grid.z};
  const uint64_t block[] = {r.block.x, r.block.y, r.block.z};
  uint64_t threads = 1, groups = 1;
  for (int axis = 0; axis < 3; ++axis) {
    if (grid[axis] == 0 || block[axis] == 0 || block[axis] > device.chip->maxThreads ||
        grid[axis] * block[axis] > kMaxThreadsOfAxis ||
        __builtin_mul_overflow(groups, grid[axis], &groups))
      return hipErrorInvalidConfiguration;
    threads *= block[axis];
  }
  if (threads > device.chip->maxThreads)
    return hipErrorInvalidConfiguration;
  if (r.sharedBytes > device.chip->ldsBytes ||
      r.sharedBytes + info.ldsBytes > device.chip->ldsBytes)
    return hipErrorInvalidValue;
  if (threads > info.maxThreads)
    return hipErrorLaunchOutOfResources;
  return hipSuccess;
}

int copyExtra(const emu::KernelInfo &info, void **extra, std::vector<uint8_t> &kernarg) {
  const void *pointer = nullptr;
  const size_t *size = nullptr;
  for (int i = 0; i < kExtraWords; i += 2) {
    uintptr_t word = reinterpret_cast<uintptr_t>(extra[i]);
    if (word == kBufferPointer) {
      pointer = extra[i + 1];
    } else if (word == kBufferSize) {
      size = static_cast<const size_t *>(extra[i + 1]);
    } else if (word == kBufferEnd) {
      if (info.explicitBytes && (!pointer || !size || *size < info.explicitBytes))
        return hipErrorInvalidValue;
      if (info.explicitBytes)
        std::memcpy(kernarg.data(), pointer, info.explicitBytes);
      return hipSuccess;
    } else {
      return hipErrorInvalidValue;
    }
  }
  return hipErrorInvalidValue;
}

int copyArguments(const emu::KernelInfo &info, const LaunchRequest &r,
                  std::vector<uint8_t> &kernarg) {
  kernarg.assign(info.explicitBytes, 0);
  if (r.params && r.extra)
    return hipErrorInvalidValue;
  if (r.extra)
    return copyExtra(info, r.extra, kernarg);
  size_t index = 0;
  for (const emu::KernelArgument &argument : info.arguments) {
    if (argument.hidden())
      continue;
    if (!r.params || !r.params[index])
      return hipErrorInvalidValue;
    if (argument.offset > kernarg.size() || argument.bytes > kernarg.size() - argument.offset)
      return hipErrorInvalidImage; // the metadata contradicts itself
    std::memcpy(kernarg.data() + argument.offset, r.params[index++], argument.bytes);
  }
  return hipSuccess;
}

} // namespace

int makeLaunch(const Runtime &runtime, const Device &device, const Function &function,
               const LaunchRequest &request, std::shared_ptr<const Action> *action) {
  if (int code = checkShape(device, function, request))
    return code;
  auto made = std::make_shared<Action>();
  made->type = NodeType::Kernel;
  made->name = function.code.info().name;
  made->device = device.ordinal;
  Launch &launch = made->launch;
  launch.code = function.code;
  launch.handle = request.handle;
  launch.grid = request.grid;
  launch.block = request.block;
  launch.dynamicLds = uint32_t(request.sharedBytes);
  launch.cooperative = request.cooperative;
  launch.fromExtra = request.extra != nullptr;
  if (int code = copyArguments(function.code.info(), request, launch.kernarg))
    return code;
  if (request.cooperative) {
    // All workgroups must be on the chip at once.
    uint32_t threads = request.block.x * request.block.y * request.block.z;
    uint64_t fit =
        uint64_t(runtime.emulator->occupancy(*function.code.kernel, threads, launch.dynamicLds)) *
        device.chip->computeUnits;
    if (uint64_t(request.grid.x) * request.grid.y > fit / request.grid.z)
      return hipErrorCooperativeLaunchTooLarge;
  }
  *action = std::move(made);
  return hipSuccess;
}

static int launchKernel(const LaunchRequest &request, hipStream_t handle) {
  Runtime &runtime = Runtime::get();
  Lock lock(runtime.mutex);
  StreamPtr stream;
  if (int code = runtime.findStream(handle, stream))
    return code;
  Function *function = nullptr;
  if (int code = resolveFunction(runtime, request.handle, stream->device, &function))
    return code;
  if (function->device != stream->device)
    return hipErrorInvalidHandle;
  std::shared_ptr<const Action> action;
  if (int code = makeLaunch(runtime, *runtime.device(stream->device), *function, request, &action))
    return code;
  return runtime.submit(lock, *stream, std::move(action));
}

namespace calls {

int hipModuleLaunchKernel(hipFunction_t function, unsigned gridX, unsigned gridY, unsigned gridZ,
                          unsigned blockX, unsigned blockY, unsigned blockZ, unsigned sharedBytes,
                          hipStream_t stream, void **params, void **extra) {
  return launchKernel({function,
                       {gridX, gridY, gridZ},
                       {blockX, blockY, blockZ},
                       sharedBytes,
                       params,
                       extra,
                       false},
                      stream);
}

int hipModuleLaunchCooperativeKernel(hipFunction_t function, unsigned gridX, unsigned gridY,
                                     unsigned gridZ, unsigned blockX, unsigned blockY,
                                     unsigned blockZ, unsigned sharedBytes, hipStream_t stream,
                                     void **params) {
  return launchKernel({function,
                       {gridX, gridY, gridZ},
                       {blockX, blockY, blockZ},
                       sharedBytes,
                       params,
                       nullptr,
                       true},
                      stream);
}

int hipLaunchKernel(const void *function, dim3 grid, dim3 block, void **params, size_t sharedBytes,
                    hipStream_t stream) {
  return launchKernel({function, grid, block, sharedBytes, params, nullptr, false}, stream);
}

int hipLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block, void **params,
                               unsigned sharedBytes, hipStream_t stream) {
  return launchKernel({function, grid, block, sharedBytes, params, nullptr, true}, stream);
}

} // namespace calls
} // namespace tl::hipemu
