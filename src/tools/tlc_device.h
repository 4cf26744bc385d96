// Kernels on a device: memory and events that go when they leave scope, and times of launches.
#pragma once

#include "tlc_element.h"
#include "tlc_input.h"

#include <algorithm>

namespace tlc {

/// Device memory and streams that go when they leave scope.
class Buffers {
public:
  explicit Buffers(const Device &device) : device(device) {}
  ~Buffers() {
    for (void *p : pointers)
      tl_free(device.get(), p);
  }
  Buffers(const Buffers &) = delete;

  void upload(const std::vector<HostArg> &args) {
    for (const HostArg &arg : args) {
      void *memory = nullptr;
      if (arg.info.kind != TL_TYPE_TILE) {
        tl_error *error = nullptr;
        std::vector<uint8_t> bytes = arg.bytes;
        // Atomic operations on one or two bytes may exchange the four around them.
        if (arg.info.written && elementType(arg.info.dtype)->bytes < 4)
          bytes.resize((bytes.size() + 3) / 4 * 4);
        tl_status status =
            tl_alloc(device.get(), std::max<size_t>(bytes.size(), 1), &memory, &error);
        check(status, error);
        check(tl_copy(device.get(), memory, bytes.data(), bytes.size(), TL_COPY_TO_DEVICE, nullptr),
              "copying to the device");
        synchronize(); // `bytes` goes
      }
      pointers.push_back(memory);
    }
    synchronize();
  }
  std::vector<uint8_t> download(size_t i, size_t bytes) {
    std::vector<uint8_t> host(bytes);
    check(tl_copy(device.get(), host.data(), pointers[i], bytes, TL_COPY_TO_HOST, nullptr),
          "copying to the host");
    synchronize();
    return host;
  }
  void synchronize() { check(tl_stream_synchronize(device.get(), nullptr), "running the kernel"); }

  std::vector<void *> pointers;

private:
  const Device &device;
};

class Event {
public:
  explicit Event(const Device &device) : device(device) {
    check(tl_event_create(device.get(), &event), "creating an event");
  }
  ~Event() { tl_event_destroy(device.get(), event); }
  Event(const Event &) = delete;
  void *event = nullptr;

private:
  const Device &device;
};

/// The arguments as they are now: what the kernel writes comes from the device.
std::vector<HostArg> downloadResults(Buffers &buffers, const std::vector<HostArg> &args);
/// Runs the interpreter on the inputs and compares the results with what it gives; TL_E_MISMATCH
/// has its words in `error`.
tl_status compareResults(const Kernel &kernel, std::vector<HostArg> before,
                         std::vector<HostArg> after, tl_check_report &report, tl_error **error);
/// Milliseconds of single launches, each between two events, in the order of their length.
std::vector<double> timeLaunches(const Device &device, const Kernel &kernel,
                                 const std::vector<tl_arg> &args, uint32_t repeat);

} // namespace tlc
