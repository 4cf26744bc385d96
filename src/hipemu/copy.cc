// Copies and fills. Synchronous ones run in the legacy stream. A copy from device to device and a
// fill of device memory do not wait for the end even then, as in the real runtime.

#include "hipemu/calls.h"
#include "hipemu/capture.h"
#include "hipemu/runtime.h"

#include <cstring>

namespace tl::hipemu {

namespace {

/// What one end of a copy is.
struct End {
  bool valid = true;
  const Block *block = nullptr; // null: ordinary host memory
  bool device() const { return block && !block->onHost(); }
  bool host() const { return !block || block->onHost(); }
};

End endOf(Runtime &runtime, const void *pointer, size_t bytes) {
  End end;
  end.block = runtime.findBlock(pointer);
  uint64_t address = reinterpret_cast<uint64_t>(pointer);
  emu::Allocation gone;
  if (end.block)
    end.valid = bytes <= end.block->end() - address;
  else
    end.valid = pointer && !runtime.emulator->findAllocation(address, &gone);
  return end;
}

bool kindFits(int kind, const End &to, const End &from) {
  switch (kind) {
  case hipMemcpyHostToHost:
    return to.host() && from.host();
  case hipMemcpyHostToDevice:
    return to.block && from.host();
  case hipMemcpyDeviceToHost:
    return to.host() && from.block;
  case hipMemcpyDeviceToDevice:
  case hipMemcpyDeviceToDeviceNoCU:
    return to.block && from.block;
  }
  return true;
}

/// The devices whose memory a synchronous copy touches: it is ordered with their legacy streams.
std::vector<CommandPtr> legacyOrder(Runtime &runtime, const Stream &stream, const End &to,
                                    const End &from) {
  std::vector<CommandPtr> waits;
  for (const End *end : {&to, &from}) {
    if (!end->device() || end->block->device == stream.device)
      continue;
    Device &device = *runtime.device(end->block->device);
    if (CommandPtr point = runtime.enqueue(*device.legacy, nullptr))
      waits.push_back(point);
  }
  return waits;
}

struct Request {
  const char *name;
  void *to;
  const void *from;
  size_t bytes;
  int kind;
  hipStream_t stream;
  bool synchronous;
};

int copyMemory(const Request &r) {
  Runtime &runtime = Runtime::get();
  const Pageable pageable = runtime.settings().pageable;
  Lock lock(runtime.mutex);
  StreamPtr stream;
  if (int code = runtime.findStream(r.stream, stream))
    return code;
  if (r.synchronous)
    if (int code = captureRefusesSynchronous(runtime))
      return code;
  if (r.bytes == 0)
    return hipSuccess;
  if ((r.kind < hipMemcpyHostToHost || r.kind > hipMemcpyDefault) &&
      r.kind != hipMemcpyDeviceToDeviceNoCU)
    return hipErrorInvalidMemcpyDirection;
  End to = endOf(runtime, r.to, r.bytes), from = endOf(runtime, r.from, r.bytes);
  if (!to.valid || !from.valid || !kindFits(r.kind, to, from))
    return hipErrorInvalidValue;
  auto action = std::make_shared<Action>();
  action->type = NodeType::Memcpy;
  action->name = r.name;
  action->device = stream->device;
  action->to = reinterpret_cast<uint64_t>(r.to);
  action->from = reinterpret_cast<uint64_t>(r.from);
  action->bytes = r.bytes;
  action->kind = r.kind;
  const bool oneDevice = to.device() && from.device() && to.block->device == stream->device &&
                         from.block->device == stream->device;
  bool wait = r.synchronous && !oneDevice;
  if (!r.synchronous && !stream->capture && (!to.block || !from.block)) {
    wait = pageable == Pageable::Sync;
    if (pageable == Pageable::Staged && !from.block) {
      auto *bytes = static_cast<const uint8_t *>(r.from);
      action->staging = std::make_shared<std::vector<uint8_t>>(bytes, bytes + r.bytes);
      action->from = reinterpret_cast<uint64_t>(action->staging->data());
    }
  }
  CommandPtr command;
  if (r.synchronous && stream->kind == StreamKind::Legacy) {
    if (int code = runtime.device(stream->device)->fault.code)
      return code;
    command = runtime.enqueue(*stream, action, legacyOrder(runtime, *stream, to, from));
  } else if (int code = runtime.submit(lock, *stream, action, &command)) {
    return code;
  }
  if (!wait || !command)
    return hipSuccess;
  if (int code = runtime.wait(lock, command))
    return code;
  return runtime.device(stream->device)->fault.code;
}

int copyNow(const char *name, void *to, const void *from, size_t bytes, int kind) {
  return copyMemory({name, to, from, bytes, kind, nullptr, true});
}

int fillMemory(const char *name, void *to, uint32_t pattern, uint32_t patternBytes, size_t count,
               hipStream_t handle, bool synchronous) {
  Runtime &runtime = Runtime::get();
  Lock lock(runtime.mutex);
  StreamPtr stream;
  if (int code = runtime.findStream(handle, stream))
    return code;
  if (synchronous)
    if (int code = captureRefusesSynchronous(runtime))
      return code;
  if (count == 0)
    return hipSuccess;
  const Block *block = runtime.findBlock(to);
  uint64_t address = reinterpret_cast<uint64_t>(to);
  if (!block || address % patternBytes || count > (block->end() - address) / patternBytes)
    return hipErrorInvalidValue;
  auto action = std::make_shared<Action>();
  action->type = NodeType::Memset;
  action->name = name;
  action->device = stream->device;
  action->to = address;
  action->pattern = pattern;
  action->patternBytes = patternBytes;
  action->bytes = count;
  const bool wait = synchronous && block->onHost();
  CommandPtr command;
  if (int code = runtime.submit(lock, *stream, action, &command))
    return code;
  if (!wait || !command)
    return hipSuccess;
  if (int code = runtime.wait(lock, command))
    return code;
  return runtime.device(stream->device)->fault.code;
}

} // namespace

namespace calls {

int hipMemcpy(void *to, const void *from, size_t bytes, int kind) {
  return copyNow("hipMemcpy", to, from, bytes, kind);
}
int hipMemcpyAsync(void *to, const void *from, size_t bytes, int kind, hipStream_t stream) {
  return copyMemory({"hipMemcpyAsync", to, from, bytes, kind, stream, false});
}
int hipMemcpyWithStream(void *to, const void *from, size_t bytes, int kind, hipStream_t stream) {
  return copyMemory({"hipMemcpyWithStream", to, from, bytes, kind, stream, true});
}
int hipMemcpyHtoD(void *to, void *from, size_t bytes) {
  return copyNow("hipMemcpyHtoD", to, from, bytes, hipMemcpyHostToDevice);
}
int hipMemcpyDtoH(void *to, void *from, size_t bytes) {
  return copyNow("hipMemcpyDtoH", to, from, bytes, hipMemcpyDeviceToHost);
}
int hipMemcpyDtoD(void *to, void *from, size_t bytes) {
  return copyNow("hipMemcpyDtoD", to, from, bytes, hipMemcpyDeviceToDevice);
}
int hipMemcpyHtoDAsync(void *to, void *from, size_t bytes, hipStream_t stream) {
  return copyMemory({"hipMemcpyHtoDAsync", to, from, bytes, hipMemcpyHostToDevice, stream, false});
}
int hipMemcpyDtoHAsync(void *to, void *from, size_t bytes, hipStream_t stream) {
  return copyMemory({"hipMemcpyDtoHAsync", to, from, bytes, hipMemcpyDeviceToHost, stream, false});
}
int hipMemcpyDtoDAsync(void *to, void *from, size_t bytes, hipStream_t stream) {
  return copyMemory(
      {"hipMemcpyDtoDAsync", to, from, bytes, hipMemcpyDeviceToDevice, stream, false});
}
int hipMemcpyPeer(void *to, int toDevice, const void *from, int fromDevice, size_t bytes) {
  Runtime &runtime = Runtime::get();
  if (!runtime.device(toDevice) || !runtime.device(fromDevice))
    return hipErrorInvalidDevice;
  return copyNow("hipMemcpyPeer", to, from, bytes, hipMemcpyDeviceToDevice);
}
int hipMemcpyPeerAsync(void *to, int toDevice, const void *from, int fromDevice, size_t bytes,
                       hipStream_t stream) {
  Runtime &runtime = Runtime::get();
  if (!runtime.device(toDevice) || !runtime.device(fromDevice))
    return hipErrorInvalidDevice;
  return copyMemory(
      {"hipMemcpyPeerAsync", to, from, bytes, hipMemcpyDeviceToDevice, stream, false});
}

int hipMemset(void *to, int value, size_t bytes) {
  return fillMemory("hipMemset", to, uint8_t(value), 1, bytes, nullptr, true);
}
int hipMemsetAsync(void *to, int value, size_t bytes, hipStream_t stream) {
  return fillMemory("hipMemsetAsync", to, uint8_t(value), 1, bytes, stream, false);
}
int hipMemsetD8(void *to, unsigned char value, size_t count) {
  return fillMemory("hipMemsetD8", to, value, 1, count, nullptr, true);
}
int hipMemsetD8Async(void *to, unsigned char value, size_t count, hipStream_t stream) {
  return fillMemory("hipMemsetD8Async", to, value, 1, count, stream, false);
}
int hipMemsetD16(void *to, unsigned short value, size_t count) {
  return fillMemory("hipMemsetD16", to, value, 2, count, nullptr, true);
}
int hipMemsetD16Async(void *to, unsigned short value, size_t count, hipStream_t stream) {
  return fillMemory("hipMemsetD16Async", to, value, 2, count, stream, false);
}
int hipMemsetD32(void *to, int value, size_t count) {
  return fillMemory("hipMemsetD32", to, uint32_t(value), 4, count, nullptr, true);
}
int hipMemsetD32Async(void *to, int value, size_t count, hipStream_t stream) {
  return fillMemory("hipMemsetD32Async", to, uint32_t(value), 4, count, stream, false);
}

} // namespace calls
} // namespace tl::hipemu
