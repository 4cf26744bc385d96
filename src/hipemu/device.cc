// Initialization, the list of devices and the thread's current one.

#include "hipemu/calls.h"
#include "hipemu/capture.h"
#include "hipemu/memory.h"
#include "hipemu/runtime.h"

namespace tl::hipemu {

// What hipRuntimeGetVersion says: major * 10,000,000 + minor * 100,000 + patch, as the releases of
// these versions of ROCm have it.
static int versionNumber(uint32_t version) {
  return version < 600    ? 50731921
         : version < 700  ? 60241134
         : version < 1000 ? 70051831
                          : 100000000;
}

namespace calls {

int hipInit(unsigned flags) { return flags ? int(hipErrorInvalidValue) : Runtime::get().start(); }

int hipDriverGetVersion(int *version) {
  if (!version)
    return hipErrorInvalidValue;
  *version = versionNumber(Runtime::get().settings().version);
  return hipSuccess;
}

int hipRuntimeGetVersion(int *version) { return hipDriverGetVersion(version); }

int hipGetDeviceCount(int *count) {
  Runtime &runtime = Runtime::get();
  if (!count)
    return hipErrorInvalidValue;
  *count = 0;
  if (runtime.start())
    return hipErrorNoDevice;
  *count = int(runtime.deviceCount());
  return hipSuccess;
}

int hipSetDevice(int device) {
  Runtime &runtime = Runtime::get();
  if (runtime.start())
    return hipErrorNoDevice;
  if (!runtime.device(device))
    return hipErrorInvalidDevice;
  Thread::current().device = device;
  return hipSuccess;
}

int hipGetDevice(int *device) {
  if (!device)
    return hipErrorInvalidValue;
  if (Runtime::get().start())
    return hipErrorNoDevice;
  *device = Thread::current().device;
  return hipSuccess;
}

int hipDeviceGet(int *device, int ordinal) {
  Runtime &runtime = Runtime::get();
  if (!device)
    return hipErrorInvalidValue;
  if (int code = runtime.start())
    return code;
  if (!runtime.device(ordinal))
    return hipErrorInvalidDevice;
  *device = ordinal;
  return hipSuccess;
}

int hipDeviceGetName(char *name, int bytes, int ordinal) {
  Runtime &runtime = Runtime::get();
  if (!name || bytes <= 0)
    return hipErrorInvalidValue;
  if (int code = runtime.start())
    return code;
  const Device *device = runtime.device(ordinal);
  if (!device)
    return hipErrorInvalidDevice;
  std::snprintf(name, size_t(bytes), "%s", device->chip->product);
  return hipSuccess;
}

int hipDeviceTotalMem(size_t *bytes, int ordinal) {
  Runtime &runtime = Runtime::get();
  if (!bytes)
    return hipErrorInvalidValue;
  if (int code = runtime.start())
    return code;
  const Device *device = runtime.device(ordinal);
  if (!device)
    return hipErrorInvalidDevice;
  *bytes = device->limit;
  return hipSuccess;
}

int hipDeviceSynchronize() {
  Runtime &runtime = Runtime::get();
  Lock lock(runtime.mutex);
  if (int code = captureRefusesAll(runtime))
    return code;
  return runtime.synchronize(lock, runtime.currentDevice());
}

// Ends what the program has made on the current device, its fault included.
int hipDeviceReset() {
  Runtime &runtime = Runtime::get();
  if (int code = runtime.start())
    return code;
  Lock lock(runtime.mutex);
  Device &device = runtime.currentDevice();
  if (int code = runtime.drain(lock, device))
    return code;
  for (const StreamPtr &stream : std::vector<StreamPtr>(device.streams))
    if (stream->kind == StreamKind::User) {
      captureForget(runtime, *stream);
      runtime.closeStream(*stream);
    }
  std::vector<uint64_t> addresses;
  for (const auto &[address, block] : runtime.blocks)
    if (block.device == device.ordinal && !block.module)
      addresses.push_back(address);
  for (uint64_t address : addresses)
    releaseBlock(runtime, address);
  device.fault = {};
  device.peers.clear();
  return hipSuccess;
}

int hipSetDeviceFlags(unsigned flags) {
  constexpr unsigned scheduling = 7, mapHost = 8, localMemory = 16;
  if ((flags & ~(scheduling | mapHost | localMemory)) || (flags & scheduling) == scheduling)
    return hipErrorInvalidValue;
  return Runtime::get().start();
}

// One address space: every device reaches the memory of all others.
int hipDeviceCanAccessPeer(int *can, int device, int peer) {
  Runtime &runtime = Runtime::get();
  if (!can)
    return hipErrorInvalidValue;
  if (int code = runtime.start())
    return code;
  if (!runtime.device(device) || !runtime.device(peer))
    return hipErrorInvalidDevice;
  *can = device != peer;
  return hipSuccess;
}

int hipDeviceEnablePeerAccess(int peer, unsigned flags) {
  Runtime &runtime = Runtime::get();
  Lock lock(runtime.mutex);
  if (flags)
    return hipErrorInvalidValue;
  if (!runtime.device(peer) || peer == Thread::current().device)
    return hipErrorInvalidDevice;
  return runtime.currentDevice().peers.insert(peer).second ? hipSuccess
                                                           : hipErrorPeerAccessAlreadyEnabled;
}

int hipDeviceDisablePeerAccess(int peer) {
  Runtime &runtime = Runtime::get();
  Lock lock(runtime.mutex);
  if (!runtime.device(peer) || peer == Thread::current().device)
    return hipErrorInvalidDevice;
  return runtime.currentDevice().peers.erase(peer) ? hipSuccess : hipErrorPeerAccessNotEnabled;
}

} // namespace calls
} // namespace tl::hipemu
