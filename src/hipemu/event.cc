// Events: a point in a stream's order. Waiting for one means the record that was last when the wait
// was called.

#include "hipemu/calls.h"
#include "hipemu/capture.h"
#include "hipemu/runtime.h"

namespace tl::hipemu {

namespace {

int findEvent(Runtime &runtime, hipEvent_t event) {
  return runtime.events.count(event) ? hipSuccess : hipErrorInvalidHandle;
}

// An event recorded in a capturing stream stands for no work; asking about it ends the capture.
int refusesCaptured(const Event &event) {
  if (!event.capture)
    return hipSuccess;
  event.capture->invalid = true;
  return hipErrorCapturedEvent;
}

} // namespace

namespace calls {

int hipEventCreateWithFlags(hipEvent_t *event, unsigned flags) {
  constexpr unsigned known = hipEventBlockingSync | hipEventDisableTiming | hipEventInterprocess |
                             hipEventDisableSystemFence | hipEventReleaseToDevice |
                             hipEventReleaseToSystem;
  constexpr unsigned releases = hipEventReleaseToDevice | hipEventReleaseToSystem;
  if (!event || (flags & ~known) || (flags & releases) == releases ||
      ((flags & hipEventInterprocess) && !(flags & hipEventDisableTiming)))
    return hipErrorInvalidValue;
  Runtime &runtime = Runtime::get();
  Lock lock(runtime.mutex);
  auto *made = new Event;
  made->flags = flags;
  made->device = Thread::current().device;
  runtime.events.insert(made);
  *event = made;
  return hipSuccess;
}

int hipEventCreate(hipEvent_t *event) { return hipEventCreateWithFlags(event, 0); }

int hipEventDestroy(hipEvent_t event) {
  Runtime &runtime = Runtime::get();
  Lock lock(runtime.mutex);
  if (int code = findEvent(runtime, event))
    return code;
  runtime.events.erase(event);
  delete event;
  return hipSuccess;
}

int hipEventRecord(hipEvent_t event, hipStream_t handle) {
  Runtime &runtime = Runtime::get();
  Lock lock(runtime.mutex);
  StreamPtr stream;
  if (int code = findEvent(runtime, event))
    return code;
  if (int code = runtime.findStream(handle, stream))
    return code;
  if (int code = captureRefuses(runtime, *stream))
    return code;
  if (event->device != stream->device)
    return hipErrorInvalidHandle;
  event->capture = stream->capture;
  event->captureNodes = stream->captureTail;
  event->marker = stream->capture ? nullptr : runtime.enqueue(*stream, nullptr);
  return hipSuccess;
}

int hipEventSynchronize(hipEvent_t event) {
  Runtime &runtime = Runtime::get();
  Lock lock(runtime.mutex);
  if (int code = findEvent(runtime, event))
    return code;
  if (int code = refusesCaptured(*event))
    return code;
  if (int code = captureRefusesUnsafe(runtime))
    return code;
  int device = event->device;
  if (CommandPtr marker = event->marker)
    if (int code = runtime.wait(lock, marker))
      return code;
  return runtime.device(device)->fault.code;
}

int hipEventQuery(hipEvent_t event) {
  Runtime &runtime = Runtime::get();
  Lock lock(runtime.mutex);
  if (int code = findEvent(runtime, event))
    return code;
  if (int code = refusesCaptured(*event))
    return code;
  if (int code = captureRefusesUnsafe(runtime))
    return code;
  if (event->marker && !event->marker->done)
    return hipErrorNotReady;
  if (event->marker)
    runtime.joinHost(event->marker->clock);
  return runtime.device(event->device)->fault.code;
}

int hipEventElapsedTime(float *milliseconds, hipEvent_t start, hipEvent_t stop) {
  Runtime &runtime = Runtime::get();
  Lock lock(runtime.mutex);
  if (!milliseconds)
    return hipErrorInvalidValue;
  for (hipEvent_t event : {start, stop}) {
    if (int code = findEvent(runtime, event))
      return code;
    if (int code = refusesCaptured(*event))
      return code;
    if ((event->flags & hipEventDisableTiming) || !event->marker)
      return hipErrorInvalidHandle;
  }
  if (!start->marker->done || !stop->marker->done)
    return hipErrorNotReady;
  runtime.joinHost(start->marker->clock);
  runtime.joinHost(stop->marker->clock);
  *milliseconds =
      std::chrono::duration<float, std::milli>(stop->marker->finished - start->marker->finished)
          .count();
  return hipSuccess;
}

int hipStreamWaitEvent(hipStream_t handle, hipEvent_t event, unsigned flags) {
  Runtime &runtime = Runtime::get();
  Lock lock(runtime.mutex);
  StreamPtr stream;
  if (flags)
    return hipErrorInvalidValue;
  if (int code = findEvent(runtime, event))
    return code;
  if (int code = runtime.findStream(handle, stream))
    return code;
  bool handled = false;
  if (int code = captureWait(runtime, *stream, *event, handled))
    return code;
  if (!handled && event->marker)
    runtime.enqueue(*stream, nullptr, {event->marker});
  return hipSuccess;
}

} // namespace calls
} // namespace tl::hipemu
