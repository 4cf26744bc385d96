// Allocation of device, pinned and managed memory, and what is known about an address.

#include "hipemu/memory.h"

#include "hipemu/calls.h"
#include "hipemu/runtime.h"

namespace tl::hipemu {

Block *Runtime::findBlock(const void *pointer) {
  uint64_t address = reinterpret_cast<uint64_t>(pointer);
  auto after = blocks.upper_bound(address);
  if (after == blocks.begin())
    return nullptr;
  Block &block = std::prev(after)->second;
  return address < block.end() ? &block : nullptr;
}

int allocateBlock(Runtime &runtime, uint64_t bytes, emu::MemoryKind kind, int ordinal,
                  unsigned flags, void **memory) {
  Device &device = *runtime.device(ordinal);
  *memory = nullptr;
  if (bytes == 0)
    return hipSuccess;
  const bool counted = kind == emu::MemoryKind::Device;
  if (counted && (bytes > device.limit || device.used > device.limit - bytes))
    return hipErrorOutOfMemory;
  uint64_t address = runtime.emulator->allocate(bytes, kind, uint32_t(ordinal));
  if (!address)
    return hipErrorOutOfMemory;
  if (counted)
    device.used += bytes;
  runtime.blocks[address] = {address, bytes, kind, ordinal, flags, nullptr, nullptr};
  *memory = reinterpret_cast<void *>(address);
  return hipSuccess;
}

void releaseBlock(Runtime &runtime, uint64_t address) {
  auto found = runtime.blocks.find(address);
  Block block = found->second;
  runtime.blocks.erase(found);
  runtime.emulator->release(address, nullptr);
  if (block.kind == emu::MemoryKind::Device)
    runtime.device(block.device)->used -= block.bytes;
  if (block.pool)
    block.pool->used -= block.bytes;
}

namespace {

// As the real ones do, hipFree and hipHostFree wait until nothing uses the memory any more.
int freeBlock(void *memory, bool host) {
  if (!memory)
    return hipSuccess;
  Runtime &runtime = Runtime::get();
  Lock lock(runtime.mutex);
  Block *block = runtime.findBlock(memory);
  const uint64_t address = reinterpret_cast<uint64_t>(memory);
  if (!block || block->address != address || block->module ||
      block->kind == emu::MemoryKind::Registered)
    return hipErrorInvalidValue;
  if ((block->kind == emu::MemoryKind::Pinned) != host)
    return host ? hipErrorInvalidValue : hipErrorInvalidDevicePointer;
  // Every device may use memory of the host.
  if (int code = host ? runtime.drain(lock) : runtime.drain(lock, *runtime.device(block->device)))
    return code;
  // Another thread may have freed it meanwhile.
  if (!runtime.blocks.count(address))
    return hipErrorInvalidValue;
  releaseBlock(runtime, address);
  return hipSuccess;
}

int allocateOnCurrent(void **memory, size_t bytes, emu::MemoryKind kind, unsigned flags) {
  if (!memory)
    return hipErrorInvalidValue;
  Runtime &runtime = Runtime::get();
  Lock lock(runtime.mutex);
  return allocateBlock(runtime, bytes, kind, Thread::current().device, flags, memory);
}

} // namespace

namespace calls {

int hipMemGetInfo(size_t *free, size_t *total) {
  Runtime &runtime = Runtime::get();
  Lock lock(runtime.mutex);
  const Device &device = runtime.currentDevice();
  if (free)
    *free = device.limit - device.used;
  if (total)
    *total = device.limit;
  return hipSuccess;
}

int hipMalloc(void **memory, size_t bytes) {
  return allocateOnCurrent(memory, bytes, emu::MemoryKind::Device, 0);
}

int hipExtMallocWithFlags(void **memory, size_t bytes, unsigned flags) {
  constexpr unsigned known[] = {0, 1, 3, 4}; // default, fine-grained, uncached, contiguous
  for (unsigned flag : known)
    if (flags == flag)
      return allocateOnCurrent(memory, bytes, emu::MemoryKind::Device, flags);
  return hipErrorInvalidValue;
}

int hipFree(void *memory) { return freeBlock(memory, false); }

int hipMallocManaged(void **memory, size_t bytes, unsigned flags) {
  constexpr unsigned attachGlobal = 1, attachHost = 2;
  if (bytes == 0 || (flags != attachGlobal && flags != attachHost))
    return hipErrorInvalidValue;
  return allocateOnCurrent(memory, bytes, emu::MemoryKind::Managed, flags);
}

int hipHostMalloc(void **memory, size_t bytes, unsigned flags) {
  constexpr unsigned coherent = 0x40000000, nonCoherent = 0x80000000;
  constexpr unsigned known = 7 | 0x20000000 | coherent | nonCoherent;
  if ((flags & ~known) || ((flags & coherent) && (flags & nonCoherent)))
    return hipErrorInvalidValue;
  return allocateOnCurrent(memory, bytes, emu::MemoryKind::Pinned, flags);
}

int hipHostAlloc(void **memory, size_t bytes, unsigned flags) {
  return hipHostMalloc(memory, bytes, flags);
}

int hipHostFree(void *memory) { return freeBlock(memory, true); }
int hipFreeHost(void *memory) { return freeBlock(memory, true); }

int hipHostRegister(void *memory, size_t bytes, unsigned flags) {
  if (!memory || bytes == 0 || (flags & ~0xfu))
    return hipErrorInvalidValue;
  Runtime &runtime = Runtime::get();
  Lock lock(runtime.mutex);
  int device = Thread::current().device;
  const uint64_t address = reinterpret_cast<uint64_t>(memory);
  if (runtime.findBlock(memory) || !runtime.emulator->registerHost(memory, bytes, uint32_t(device)))
    return hipErrorHostMemoryAlreadyRegistered;
  runtime.blocks[address] = {address, bytes,  emu::MemoryKind::Registered, device, flags,
                             nullptr, nullptr};
  return hipSuccess;
}

int hipHostUnregister(void *memory) {
  Runtime &runtime = Runtime::get();
  Lock lock(runtime.mutex);
  const uint64_t address = reinterpret_cast<uint64_t>(memory);
  Block *block = runtime.findBlock(memory);
  if (!block || block->address != address || block->kind != emu::MemoryKind::Registered)
    return hipErrorHostMemoryNotRegistered;
  if (int code = runtime.drain(lock))
    return code;
  if (!runtime.blocks.count(address))
    return hipErrorHostMemoryNotRegistered;
  releaseBlock(runtime, address);
  return hipSuccess;
}

int hipHostGetDevicePointer(void **device, void *host, unsigned flags) {
  if (!device || flags)
    return hipErrorInvalidValue;
  Runtime &runtime = Runtime::get();
  Lock lock(runtime.mutex);
  Block *block = runtime.findBlock(host);
  *device = block && block->onHost() ? host : nullptr; // one address space
  return *device ? hipSuccess : hipErrorInvalidValue;
}

int hipHostGetFlags(unsigned *flags, void *host) {
  if (!flags)
    return hipErrorInvalidValue;
  Runtime &runtime = Runtime::get();
  Lock lock(runtime.mutex);
  Block *block = runtime.findBlock(host);
  if (!block ||
      (block->kind != emu::MemoryKind::Pinned && block->kind != emu::MemoryKind::Registered))
    return hipErrorInvalidValue;
  *flags = block->flags;
  return hipSuccess;
}

int hipMemGetAddressRange(void **base, size_t *bytes, void *address) {
  Runtime &runtime = Runtime::get();
  Lock lock(runtime.mutex);
  Block *block = runtime.findBlock(address);
  if (!block)
    return hipErrorNotFound;
  if (base)
    *base = reinterpret_cast<void *>(block->address);
  if (bytes)
    *bytes = block->bytes;
  return hipSuccess;
}

// hipMemoryType was renumbered in HIP 6.0.
int hipPointerGetAttributes(hipPointerAttribute_t *attributes, const void *pointer) {
  if (!attributes || !pointer)
    return hipErrorInvalidValue;
  Runtime &runtime = Runtime::get();
  const bool old = runtime.settings().version < 600;
  const int host = old ? 0 : 1, device = old ? 1 : 2, managed = old ? 4 : 3, unregistered = 0;
  *attributes = {unregistered, kAnyDevice, nullptr, nullptr, 0, 0};
  if (runtime.start() != hipSuccess)
    return hipErrorInvalidValue;
  Lock lock(runtime.mutex);
  Block *block = runtime.findBlock(pointer);
  if (!block) {
    emu::Allocation gone;
    // Older versions know no unregistered memory, and none knows what has been freed.
    return old || runtime.emulator->findAllocation(reinterpret_cast<uint64_t>(pointer), &gone)
               ? hipErrorInvalidValue
               : hipSuccess;
  }
  void *address = const_cast<void *>(pointer);
  attributes->type = block->kind == emu::MemoryKind::Device    ? device
                     : block->kind == emu::MemoryKind::Managed ? managed
                                                               : host;
  attributes->device = block->device;
  attributes->devicePointer = address;
  attributes->hostPointer = block->onHost() ? address : nullptr;
  attributes->isManaged = block->kind == emu::MemoryKind::Managed;
  attributes->allocationFlags = block->flags;
  return hipSuccess;
}

} // namespace calls
} // namespace tl::hipemu
