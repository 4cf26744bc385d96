// Memory, streams and events: thin over the driver.
#include "capi/handles.h"

using namespace tl;

namespace {

/// Runs `body(device)` for a device handle.
template <class Body>
tl_status onDevice(const tl_device *device, tl_error **error, Body &&body) noexcept {
  return guarded(error, [&]() -> Status {
    if (!device)
      return nullArgument("device");
    return body(*device->open->device);
  });
}

/// The same for calls that give a pointer.
template <class Body>
tl_status giving(const tl_device *device, void **out, tl_error **error, Body &&body) noexcept {
  if (out)
    *out = nullptr;
  return onDevice(device, error, [&](Device &d) -> Status {
    if (!out)
      return makeError(TL_E_INVALID_ARGUMENT, "the out-parameter is NULL");
    TL_ASSIGN(*out, body(d));
    return {};
  });
}

} // namespace

tl_status tl_alloc(const tl_device *device, size_t bytes, void **memory, tl_error **error) {
  return giving(device, memory, error, [&](Device &d) { return d.allocate(bytes); });
}
tl_status tl_free(const tl_device *device, void *memory) {
  return onDevice(device, nullptr, [&](Device &d) { return d.free(memory); });
}

tl_status tl_copy(const tl_device *device, void *to, const void *from, size_t bytes,
                  tl_copy_kind kind, void *stream) {
  return onDevice(device, nullptr, [&](Device &d) -> Status {
    if (bytes == 0)
      return {};
    if (!to || !from)
      return nullArgument(to ? "from" : "to");
    switch (kind) {
    case TL_COPY_TO_DEVICE:
      return d.copyToDevice(to, from, bytes, stream);
    case TL_COPY_TO_HOST:
      return d.copyToHost(to, from, bytes, stream);
    case TL_COPY_ON_DEVICE:
      return d.copyOnDevice(to, from, bytes, stream);
    }
    return makeError(TL_E_INVALID_ARGUMENT, "copy kind %d is unknown", kind);
  });
}

tl_status tl_fill(const tl_device *device, void *to, uint8_t byte, size_t bytes, void *stream) {
  return onDevice(device, nullptr, [&](Device &d) -> Status {
    if (bytes == 0)
      return {};
    if (!to)
      return nullArgument("to");
    return d.fill(to, byte, 1, bytes, stream);
  });
}

tl_status tl_stream_create(const tl_device *device, void **stream) {
  return giving(device, stream, nullptr, [](Device &d) { return d.createStream(); });
}
tl_status tl_stream_destroy(const tl_device *device, void *stream) {
  return onDevice(device, nullptr, [&](Device &d) { return d.destroyStream(stream); });
}
tl_status tl_stream_synchronize(const tl_device *device, void *stream) {
  return onDevice(device, nullptr, [&](Device &d) -> Status {
    TL_TRY(d.synchronize(stream));
    return device->open->log->deliver(stream);
  });
}

tl_status tl_event_create(const tl_device *device, void **event) {
  return giving(device, event, nullptr, [](Device &d) { return d.createEvent(); });
}
tl_status tl_event_destroy(const tl_device *device, void *event) {
  return onDevice(device, nullptr, [&](Device &d) -> Status {
    if (!event)
      return {};
    return d.destroyEvent(event);
  });
}
tl_status tl_event_record(const tl_device *device, void *event, void *stream) {
  return onDevice(device, nullptr, [&](Device &d) -> Status {
    if (!event)
      return nullArgument("event");
    return d.record(event, stream);
  });
}
tl_status tl_event_wait(const tl_device *device, void *stream, void *event) {
  return onDevice(device, nullptr, [&](Device &d) -> Status {
    if (!event)
      return nullArgument("event");
    return d.wait(stream, event);
  });
}
tl_status tl_event_synchronize(const tl_device *device, void *event) {
  return onDevice(device, nullptr, [&](Device &d) -> Status {
    if (!event)
      return nullArgument("event");
    return d.synchronizeEvent(event);
  });
}
tl_status tl_event_elapsed(const tl_device *device, void *start, void *stop, double *milliseconds) {
  return onDevice(device, nullptr, [&](Device &d) -> Status {
    if (!start || !stop || !milliseconds)
      return makeError(TL_E_INVALID_ARGUMENT, "an event or the out-parameter is NULL");
    TL_ASSIGN(*milliseconds, d.elapsed(start, stop));
    return {};
  });
}
