// What kernels print and assert: the ring of words in a device's memory (artifact/log.h), the
// kernels whose sites its lines name, and their way to the context's log callback.
#pragma once

#include "artifact/log.h"
#include "driver/driver.h"
#include "interp/interp.h"
#include "tilelang/device.h"

#include <atomic>
#include <memory>
#include <mutex>

namespace tl {

/// Where the lines of a context go.
struct LogTarget {
  tl_log_callback callback = nullptr;
  void *user = nullptr;
};

/// One line, resolved.
struct LogLine {
  uint32_t launch = 0; // lines are in the order of launches
  tl_log_kind kind = TL_LOG_PRINT;
  int64_t program[3] = {0, 0, 0};
  std::string kernel;
  SourceLocation place;
  std::string message, values;
};

/// The log of one device of a context.
class DeviceLog {
public:
  DeviceLog(std::shared_ptr<Device> device, LogTarget target)
      : device(std::move(device)), target(target) {}
  ~DeviceLog();
  DeviceLog(const DeviceLog &) = delete;
  DeviceLog &operator=(const DeviceLog &) = delete;

  /// Makes the ring if there is none yet, and takes note of a kernel's sites: gives the kernel's
  /// number, from 1 on. Not on the launch path.
  Result<uint32_t> enroll(const Artifact &artifact);
  /// Fills the slots of a launch of a kernel that was enrolled with this number.
  void fillSlots(uint32_t kernel, uint64_t *slots, size_t count) noexcept;
  /// A launch of the interpreter begins: its lines' place among those of others.
  uint32_t nextLaunch() noexcept { return serial.fetch_add(1, std::memory_order_relaxed); }
  /// Adds lines of the interpreter, for the next delivery.
  void add(std::vector<LogLine> lines);

  /// After work of the stream is done: gives all lines that are complete to the callback.
  /// TL_E_ASSERT if an assertion has failed since the last delivery.
  Status deliver(void *stream);

private:
  struct Kernel {
    std::string name;
    std::vector<LogSite> sites;
    std::vector<LocationEntry> locations;
  };

  std::shared_ptr<Device> device;
  LogTarget target;
  std::atomic<uint32_t> serial = 0;
  std::atomic<uint64_t *> memory = nullptr; // on the device
  std::mutex mutex;                         // guards what follows
  std::vector<Kernel> kernels;
  std::vector<LogLine> waiting; // of the interpreter
  uint64_t read = 0, failedBefore = 0, lostBefore = 0;

  Status clear(void *ring, size_t bytes);
  Status readRing(void *stream, std::vector<LogLine> &lines, bool &failed);
  uint64_t readLines(std::span<const uint64_t> words, std::vector<LogLine> &lines) const;
  Status copyFrom(size_t word, uint64_t *to, size_t words, void *stream);
  void give(const LogLine &line) const;
};

/// Gathers the lines of one launch of the interpreter.
class InterpLines : public InterpLog {
public:
  explicit InterpLines(uint32_t launch) : launch(launch) {}
  void line(const Graph &kernel, uint32_t site, const int64_t (&program)[3],
            std::span<const uint64_t> words) override;
  std::vector<LogLine> lines;

private:
  uint32_t launch;
};

} // namespace tl
