// Stream-ordered memory. Addresses are not used again soon (the emulator keeps what was freed in
// quarantine, to recognize its use), so a pool only counts.

#include "hipemu/calls.h"
#include "hipemu/capture.h"
#include "hipemu/memory.h"
#include "hipemu/runtime.h"

#include <cstring>

namespace tl::hipemu {

namespace {

int allocateFromPool(Lock &lock, void **memory, size_t bytes, MemoryPool &pool, Stream &stream) {
  Runtime &runtime = Runtime::get();
  if (int code = captureRefuses(runtime, stream))
    return code;
  if (int code = allocateBlock(runtime, bytes, emu::MemoryKind::Device, pool.device, 0, memory))
    return code;
  if (!*memory)
    return hipSuccess;
  uint64_t address = reinterpret_cast<uint64_t>(*memory);
  runtime.blocks[address].pool = &pool;
  pool.used += bytes;
  pool.usedHigh = std::max(pool.usedHigh, pool.used);
  if (!stream.capture)
    return hipSuccess;
  // Memory of a graph lives as long as the process: every launch finds it at the same place.
  auto action = std::make_shared<Action>();
  action->type = NodeType::MemAlloc;
  action->name = "hipMallocAsync";
  action->device = pool.device;
  action->to = address;
  action->bytes = bytes;
  return runtime.submit(lock, stream, action);
}

} // namespace

namespace calls {

int hipMallocAsync(void **memory, size_t bytes, hipStream_t handle) {
  Runtime &runtime = Runtime::get();
  Lock lock(runtime.mutex);
  StreamPtr stream;
  if (!memory)
    return hipErrorInvalidValue;
  if (int code = runtime.findStream(handle, stream))
    return code;
  return allocateFromPool(lock, memory, bytes, *runtime.device(stream->device)->pool, *stream);
}

int hipMallocFromPoolAsync(void **memory, size_t bytes, hipMemPool_t pool, hipStream_t handle) {
  Runtime &runtime = Runtime::get();
  Lock lock(runtime.mutex);
  StreamPtr stream;
  if (!memory || !runtime.pools.count(pool))
    return hipErrorInvalidValue;
  if (int code = runtime.findStream(handle, stream))
    return code;
  return allocateFromPool(lock, memory, bytes, *pool, *stream);
}

int hipFreeAsync(void *memory, hipStream_t handle) {
  Runtime &runtime = Runtime::get();
  Lock lock(runtime.mutex);
  StreamPtr stream;
  if (int code = runtime.findStream(handle, stream))
    return code;
  if (!memory)
    return hipErrorInvalidValue;
  Block *block = runtime.findBlock(memory);
  uint64_t address = reinterpret_cast<uint64_t>(memory);
  if (!block || block->address != address || block->module ||
      block->kind != emu::MemoryKind::Device)
    return hipErrorInvalidValue;
  auto action = std::make_shared<Action>();
  action->type = NodeType::MemFree;
  action->name = "hipFreeAsync";
  action->device = block->device;
  action->to = address;
  action->bytes = block->bytes;
  if (stream->capture)
    action->type = NodeType::Empty; // memory of a graph stays
  if (int code = runtime.submit(lock, *stream, action))
    return code;
  if (stream->capture)
    return hipSuccess;
  if (block->pool)
    block->pool->used -= block->bytes;
  runtime.blocks.erase(address);
  return hipSuccess;
}

int hipDeviceGetDefaultMemPool(hipMemPool_t *pool, int ordinal) {
  Runtime &runtime = Runtime::get();
  Device *device = runtime.device(ordinal);
  if (!pool || !device)
    return !pool ? hipErrorInvalidValue : hipErrorInvalidDevice;
  *pool = &device->defaultPool;
  return hipSuccess;
}

int hipDeviceGetMemPool(hipMemPool_t *pool, int ordinal) {
  Runtime &runtime = Runtime::get();
  Lock lock(runtime.mutex);
  Device *device = runtime.device(ordinal);
  if (!pool || !device)
    return !pool ? hipErrorInvalidValue : hipErrorInvalidDevice;
  *pool = device->pool;
  return hipSuccess;
}

int hipDeviceSetMemPool(int ordinal, hipMemPool_t pool) {
  Runtime &runtime = Runtime::get();
  Lock lock(runtime.mutex);
  Device *device = runtime.device(ordinal);
  if (!device)
    return hipErrorInvalidDevice;
  if (!runtime.pools.count(pool) || pool->device != ordinal)
    return hipErrorInvalidValue;
  device->pool = pool;
  return hipSuccess;
}

int hipMemPoolCreate(hipMemPool_t *pool, const hipMemPoolProps *properties) {
  constexpr int pinned = 1, onDevice = 1; // hipMemAllocationTypePinned, hipMemLocationTypeDevice
  Runtime &runtime = Runtime::get();
  Lock lock(runtime.mutex);
  if (!pool || !properties || properties->allocType != pinned ||
      properties->locationType != onDevice || !runtime.device(properties->locationId) ||
      properties->handleTypes != 0)
    return hipErrorInvalidValue;
  auto *made = new MemoryPool;
  made->device = properties->locationId;
  runtime.pools.insert(made);
  *pool = made;
  return hipSuccess;
}

int hipMemPoolDestroy(hipMemPool_t pool) {
  Runtime &runtime = Runtime::get();
  Lock lock(runtime.mutex);
  if (!runtime.pools.count(pool) || pool->isDefault)
    return hipErrorInvalidValue;
  // What is still allocated stays so; the device's own pool takes its place.
  Device &device = *runtime.device(pool->device);
  for (auto &[address, block] : runtime.blocks)
    if (block.pool == pool) {
      block.pool = &device.defaultPool;
      device.defaultPool.used += block.bytes;
    }
  if (device.pool == pool)
    device.pool = &device.defaultPool;
  runtime.pools.erase(pool);
  delete pool;
  return hipSuccess;
}

int hipMemPoolTrimTo(hipMemPool_t pool, size_t) {
  Runtime &runtime = Runtime::get();
  Lock lock(runtime.mutex);
  return runtime.pools.count(pool) ? hipSuccess : hipErrorInvalidValue;
}

// hipMemPoolAttr
static constexpr int kReuseFirst = 1, kReuseLast = 3, kThreshold = 4, kReserved = 5,
                     kReservedHigh = 6, kUsed = 7, kUsedHigh = 8;

int hipMemPoolSetAttribute(hipMemPool_t pool, int attribute, void *value) {
  Runtime &runtime = Runtime::get();
  Lock lock(runtime.mutex);
  if (!value || !runtime.pools.count(pool))
    return hipErrorInvalidValue;
  uint64_t number = 0;
  if (attribute >= kReuseFirst && attribute <= kReuseLast) {
    std::memcpy(&pool->reuse[attribute - kReuseFirst], value, sizeof(int));
    return hipSuccess;
  }
  std::memcpy(&number, value, sizeof number);
  if (attribute == kThreshold) {
    pool->releaseThreshold = number;
    return hipSuccess;
  }
  if ((attribute == kReservedHigh || attribute == kUsedHigh) && number == 0) {
    pool->usedHigh = pool->used; // the high marks can be reset only
    return hipSuccess;
  }
  return hipErrorInvalidValue;
}

int hipMemPoolGetAttribute(hipMemPool_t pool, int attribute, void *value) {
  Runtime &runtime = Runtime::get();
  Lock lock(runtime.mutex);
  if (!value || !runtime.pools.count(pool))
    return hipErrorInvalidValue;
  if (attribute >= kReuseFirst && attribute <= kReuseLast) {
    std::memcpy(value, &pool->reuse[attribute - kReuseFirst], sizeof(int));
    return hipSuccess;
  }
  uint64_t number;
  if (attribute == kThreshold)
    number = pool->releaseThreshold;
  else if (attribute == kReserved || attribute == kUsed)
    number = pool->used;
  else if (attribute == kReservedHigh || attribute == kUsedHigh)
    number = pool->usedHigh;
  else
    return hipErrorInvalidValue;
  std::memcpy(value, &number, sizeof number);
  return hipSuccess;
}

} // namespace calls
} // namespace tl::hipemu
