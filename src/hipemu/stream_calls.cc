// The functions for streams.

#include "hipemu/calls.h"
#include "hipemu/capture.h"
#include "hipemu/runtime.h"

#include <algorithm>

namespace tl::hipemu {

// Lower numbers are higher priorities.
static constexpr int kLeastPriority = 1, kGreatestPriority = -1;

static bool isSpecial(hipStream_t stream) {
  return reinterpret_cast<uintptr_t>(stream) <= kStreamPerThread;
}

/// One fact of a stream, for the calls that ask for it.
template <class T, class Fact> static int tellOfStream(hipStream_t handle, T *to, Fact fact) {
  Runtime &runtime = Runtime::get();
  if (!to)
    return hipErrorInvalidValue;
  if (int code = runtime.start())
    return code;
  Lock lock(runtime.mutex);
  StreamPtr stream;
  if (int code = runtime.findStream(handle, stream))
    return code;
  *to = T(fact(*stream));
  return hipSuccess;
}

namespace calls {

int hipDeviceGetStreamPriorityRange(int *least, int *greatest) {
  if (least)
    *least = kLeastPriority;
  if (greatest)
    *greatest = kGreatestPriority;
  return hipSuccess;
}

int hipStreamCreateWithPriority(hipStream_t *stream, unsigned flags, int priority) {
  if (!stream || flags > hipStreamNonBlocking)
    return hipErrorInvalidValue;
  Runtime &runtime = Runtime::get();
  Lock lock(runtime.mutex);
  *stream = runtime
                .makeStream(StreamKind::User, Thread::current().device, flags,
                            std::clamp(priority, kGreatestPriority, kLeastPriority))
                .get();
  return hipSuccess;
}

int hipStreamCreateWithFlags(hipStream_t *stream, unsigned flags) {
  return hipStreamCreateWithPriority(stream, flags, 0);
}
int hipStreamCreate(hipStream_t *stream) {
  return hipStreamCreateWithPriority(stream, hipStreamDefault, 0);
}

// What is in the stream still runs.
int hipStreamDestroy(hipStream_t handle) {
  if (isSpecial(handle))
    return hipErrorInvalidHandle;
  Runtime &runtime = Runtime::get();
  Lock lock(runtime.mutex);
  StreamPtr stream;
  if (int code = runtime.findStream(handle, stream))
    return code;
  captureForget(runtime, *stream);
  runtime.closeStream(*stream);
  return hipSuccess;
}

int hipStreamSynchronize(hipStream_t handle) {
  Runtime &runtime = Runtime::get();
  Lock lock(runtime.mutex);
  StreamPtr stream;
  if (int code = runtime.findStream(handle, stream))
    return code;
  if (int code = captureRefusesWait(runtime, *stream))
    return code;
  return runtime.synchronize(lock, *stream);
}

int hipStreamQuery(hipStream_t handle) {
  Runtime &runtime = Runtime::get();
  Lock lock(runtime.mutex);
  StreamPtr stream;
  if (int code = runtime.findStream(handle, stream))
    return code;
  if (int code = captureRefusesWait(runtime, *stream))
    return code;
  if (!runtime.finished(*stream))
    return hipErrorNotReady;
  return runtime.device(stream->device)->fault.code;
}

int hipStreamGetFlags(hipStream_t handle, unsigned *flags) {
  return !handle ? int(hipErrorInvalidValue)
                 : tellOfStream(handle, flags, [](const Stream &stream) { return stream.flags; });
}

int hipStreamGetPriority(hipStream_t handle, int *priority) {
  return tellOfStream(handle, priority, [](const Stream &stream) { return stream.priority; });
}

int hipStreamGetDevice(hipStream_t handle, int *device) {
  return tellOfStream(handle, device, [](const Stream &stream) { return stream.device; });
}

int hipLaunchHostFunc(hipStream_t handle, hipHostFn_t function, void *user) {
  if (!function)
    return hipErrorInvalidValue;
  Runtime &runtime = Runtime::get();
  Lock lock(runtime.mutex);
  StreamPtr stream;
  if (int code = runtime.findStream(handle, stream))
    return code;
  auto action = std::make_shared<Action>();
  action->type = NodeType::Host;
  action->name = "hipLaunchHostFunc";
  action->device = stream->device;
  action->function = function;
  action->user = user;
  return runtime.submit(lock, *stream, action);
}

int hipStreamAddCallback(hipStream_t handle, hipStreamCallback_t callback, void *user,
                         unsigned flags) {
  if (!callback || flags)
    return hipErrorInvalidValue;
  Runtime &runtime = Runtime::get();
  Lock lock(runtime.mutex);
  StreamPtr stream;
  if (int code = runtime.findStream(handle, stream))
    return code;
  if (stream->capture) { // a callback cannot be recorded
    stream->capture->invalid = true;
    return hipErrorStreamCaptureUnsupported;
  }
  auto action = std::make_shared<Action>();
  action->type = NodeType::Host;
  action->name = "hipStreamAddCallback";
  action->device = stream->device;
  action->callback = callback;
  action->callbackStream = handle;
  action->user = user;
  return runtime.submit(lock, *stream, action);
}

} // namespace calls
} // namespace tl::hipemu
