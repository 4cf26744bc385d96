// Occupancy: how many workgroups fit a compute unit, and the size that fills it best.

#include "hipemu/calls.h"
#include "hipemu/runtime.h"

#include <algorithm>

namespace tl::hipemu {

namespace {

uint32_t blocksThatFit(Runtime &runtime, const Function &function, uint32_t threads,
                       size_t sharedBytes) {
  if (sharedBytes > runtime.device(function.device)->chip->ldsBytes)
    return 0;
  return runtime.emulator->occupancy(*function.code.kernel, threads, uint32_t(sharedBytes));
}

int activeBlocks(int *blocks, const void *handle, int threads, size_t sharedBytes) {
  Runtime &runtime = Runtime::get();
  Lock lock(runtime.mutex);
  if (!blocks || threads <= 0)
    return hipErrorInvalidValue;
  Function *function = nullptr;
  if (int code = resolveFunction(runtime, handle, Thread::current().device, &function))
    return code;
  const Device &device = *runtime.device(function->device);
  *blocks = 0;
  if (uint32_t(threads) <= std::min(function->code.info().maxThreads, device.chip->maxThreads))
    *blocks = int(blocksThatFit(runtime, *function, uint32_t(threads), sharedBytes));
  return hipSuccess;
}

int potentialBlock(int *grid, int *block, const void *handle, size_t sharedBytes, int limit) {
  Runtime &runtime = Runtime::get();
  Lock lock(runtime.mutex);
  if (!grid || !block)
    return hipErrorInvalidValue;
  Function *function = nullptr;
  if (int code = resolveFunction(runtime, handle, Thread::current().device, &function))
    return code;
  const Device &device = *runtime.device(function->device);
  const emu::KernelInfo &info = function->code.info();
  uint32_t most = std::min(info.maxThreads, device.chip->maxThreads);
  if (limit > 0)
    most = std::min(most, uint32_t(limit));
  uint32_t bestThreads = 0, bestBlocks = 0;
  for (uint32_t threads = std::min(info.waveSize, most); threads && threads <= most;
       threads += info.waveSize) {
    uint32_t blocks = blocksThatFit(runtime, *function, threads, sharedBytes);
    if (blocks * threads >= bestBlocks * bestThreads && blocks) {
      bestThreads = threads;
      bestBlocks = blocks;
    }
  }
  *block = int(bestThreads);
  *grid = int(bestBlocks * device.chip->computeUnits);
  return hipSuccess;
}

} // namespace

namespace calls {

int hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, hipFunction_t function,
                                                       int threads, size_t sharedBytes) {
  return activeBlocks(blocks, function, threads, sharedBytes);
}
int hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, hipFunction_t function,
                                                                int threads, size_t sharedBytes,
                                                                unsigned flags) {
  return flags ? int(hipErrorInvalidValue) : activeBlocks(blocks, function, threads, sharedBytes);
}
int hipOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function, int threads,
                                                 size_t sharedBytes) {
  return activeBlocks(blocks, function, threads, sharedBytes);
}
int hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *function,
                                                          int threads, size_t sharedBytes,
                                                          unsigned flags) {
  return flags ? int(hipErrorInvalidValue) : activeBlocks(blocks, function, threads, sharedBytes);
}
int hipModuleOccupancyMaxPotentialBlockSize(int *grid, int *block, hipFunction_t function,
                                            size_t sharedBytes, int limit) {
  return potentialBlock(grid, block, function, sharedBytes, limit);
}
int hipModuleOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, hipFunction_t function,
                                                     size_t sharedBytes, int limit,
                                                     unsigned flags) {
  return flags ? int(hipErrorInvalidValue)
               : potentialBlock(grid, block, function, sharedBytes, limit);
}
int hipOccupancyMaxPotentialBlockSize(int *grid, int *block, const void *function,
                                      size_t sharedBytes, int limit) {
  return potentialBlock(grid, block, function, sharedBytes, limit);
}

} // namespace calls
} // namespace tl::hipemu
