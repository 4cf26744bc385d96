// What devices of HIP and of CUDA do alike: memory, streams and events, by the same calls under the
// two vendors' names.
#pragma once

#include "driver/driver.h"

#include <algorithm>

namespace tl {

/// A function of a runtime library's table, and its name for errors.
template <class Library, class... P> struct RuntimeCall {
  int (*Library::*function)(P...);
  const char *name;
};

/// The calls that are alike. Handles and device pointers are void pointers.
template <class Library> struct StreamCalls {
  template <class... P> using Call = RuntimeCall<Library, P...>;
  Call<void **, size_t> allocate;
  Call<void *> free;
  Call<void **, unsigned> createStream;
  Call<void *> destroyStream, synchronize;
  Call<> synchronizeAll;
  Call<void *, int *> isCapturing;
  Call<void **, unsigned> createEvent;
  Call<void *> destroyEvent;
  Call<void *, void *> record;
  Call<void *, void *, unsigned> wait;
  Call<void *> synchronizeEvent;
  Call<float *, void *, void *> elapsed;
  const char *makeCurrent; // the name of the call that makes a device current
};

/// `Vendor` names the Library, the types CurrentDevice and RelaxedCapture that act for a scope, the
/// Place that CurrentDevice takes, and `calls`. Numbers of statuses and flags are the same in both.
template <class Vendor> class StreamDevice : public Device {
public:
  Result<void *> allocate(size_t bytes) override {
    Relaxed relaxed(*library);
    void *memory = nullptr;
    Status made = call(calls.allocate, &memory, std::max(bytes, size_t(1)));
    if (made.ok())
      return memory;
    ErrorPtr error = made.takeError();
    error->message += formatString(", %zu bytes on %s", bytes, name().c_str());
    return error;
  }
  Status free(void *memory) override {
    if (!memory)
      return {};
    Relaxed relaxed(*library);
    return call(calls.free, memory);
  }

  Result<void *> createStream() override {
    constexpr unsigned nonBlocking = 1; // hipStreamNonBlocking, CU_STREAM_NON_BLOCKING
    Relaxed relaxed(*library);
    void *stream = nullptr;
    TL_TRY(call(calls.createStream, &stream, nonBlocking));
    return stream;
  }
  Status destroyStream(void *stream) override {
    return stream ? call(calls.destroyStream, stream) : Status();
  }
  Status synchronize(void *stream) override { return call(calls.synchronize, stream); }
  Status synchronizeAll() override { return call(calls.synchronizeAll); }
  CaptureState captureState(void *stream) noexcept override {
    // hipStreamCaptureStatusActive, CU_STREAM_CAPTURE_STATUS_ACTIVE; the errors from
    // hipErrorStreamCaptureUnsupported to hipErrorStreamCaptureWrongThread, in CUDA the same.
    constexpr int capturing = 1, firstError = 900, lastError = 908;
    Current current(*library, place);
    int status = 0;
    if (current.status)
      return CaptureState::Unknown;
    if (int code = (library.get()->*calls.isCapturing.function)(stream, &status))
      return code >= firstError && code <= lastError ? CaptureState::Invalid
                                                     : CaptureState::Unknown;
    if (status == 0)
      return CaptureState::None;
    return status == capturing ? CaptureState::Active : CaptureState::Invalid;
  }

  Result<void *> createEvent() override {
    Relaxed relaxed(*library);
    void *event = nullptr;
    TL_TRY(call(calls.createEvent, &event, 0u));
    return event;
  }
  Status destroyEvent(void *event) override {
    return event ? call(calls.destroyEvent, event) : Status();
  }
  Status record(void *event, void *stream) override { return call(calls.record, event, stream); }
  Status wait(void *stream, void *event) override { return call(calls.wait, stream, event, 0u); }
  Status synchronizeEvent(void *event) override { return call(calls.synchronizeEvent, event); }
  Result<double> elapsed(void *start, void *stop) override {
    Current current(*library, place); // once for all of the calls
    TL_TRY(call(calls.synchronizeEvent, start));
    TL_TRY(call(calls.synchronizeEvent, stop));
    float milliseconds = 0;
    TL_TRY(call(calls.elapsed, &milliseconds, start, stop));
    return double(milliseconds);
  }

protected:
  using Current = typename Vendor::CurrentDevice;
  using Relaxed = typename Vendor::RelaxedCapture;
  using Library = std::shared_ptr<typename Vendor::Library>;

  StreamDevice(DriverKind kind, std::string name, Library library, typename Vendor::Place place)
      : Device(kind, std::move(name)), library(std::move(library)), place(place) {}

  /// One call, with this device current.
  template <class... P, class... A>
  Status call(const RuntimeCall<typename Vendor::Library, P...> &what, A... arguments) {
    Current current(*library, place);
    if (current.status)
      return library->error(current.status, calls.makeCurrent);
    if (int code = (library.get()->*what.function)(arguments...))
      return library->error(code, what.name);
    return {};
  }

  /// Waits for all work and drops the kernels: the last step of a destructor, since work in flight
  /// still needs the code.
  void finish() {
    if (loadedCount() == 0)
      return;
    Relaxed relaxed(*library);
    Current current(*library, place);
    (library.get()->*calls.synchronizeAll.function)();
    releaseKernels();
  }

  /// Whether the device takes a kernel of this size; its code is the vendor's to check.
  Status checkSize(const TargetCode &code, const char *sharedMemory) const {
    TL_TRY(accepts(code.target));
    if (code.threads > limits().maxThreads)
      return makeError(TL_E_UNSUPPORTED,
                       "the kernel has %u threads per program; %s takes at most %u", code.threads,
                       name().c_str(), limits().maxThreads);
    if (code.ldsBytes > limits().ldsBytes)
      return makeError(TL_E_UNSUPPORTED, "the kernel needs %u bytes of %s per program; %s has %u",
                       code.ldsBytes, sharedMemory, name().c_str(), limits().ldsBytes);
    return {};
  }

  Library library;
  typename Vendor::Place place; // what makes the device current

private:
  static constexpr const StreamCalls<typename Vendor::Library> &calls = Vendor::calls;
};

} // namespace tl
