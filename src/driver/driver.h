// The driver seam: what the rest of the library asks of a runtime. A Driver is one opened vendor
// library (or the host CPU), a Device one processor of it; streams and events are the vendor's own
// handles as void pointers, and device memory is a plain pointer. Drivers know code bytes and
// argument slots, not graphs.
//
// Threads: every member may be called from any thread at any time, except trim() and the
// destructors, which want the device idle or wait until it is. Calls that return CallStatus neither
// throw nor allocate; those of a GPU driver take no lock either.
#pragma once

#include "artifact/artifact.h"

#include <functional>
#include <mutex>
#include <span>

namespace tl {

enum class DriverKind : uint8_t { Host, Hip, Cuda };

/// Outcome of a call on the launch path. `native` is the vendor's code, 0 when it had none.
struct CallStatus {
  tl_status status = TL_OK;
  int64_t native = 0;
  bool ok() const { return status == TL_OK; }
};

/// What a launch may ask of a device; the grid is counted in programs.
struct DeviceLimits {
  int64_t maxGrid[3] = {INT32_MAX, INT32_MAX, INT32_MAX};
  /// Programs of the first axis times threads per program.
  int64_t maxThreadsOfAxis = INT64_MAX;
  uint32_t maxThreads = 1024; // per program
  uint32_t ldsBytes = 0;      // per program; 0 where there is none
  uint32_t waveSize = 1;
  uint32_t computeUnits = 1;
  uint64_t memoryBytes = 0;

  /// Whether a launch may have this grid. One with an axis of 0 starts nothing and always may;
  /// negative axes never may.
  bool gridFits(uint32_t threadsPerProgram, const int64_t grid[3]) const noexcept;
  /// The same in words: TL_E_GRID names the axis and the limit of the device.
  Status checkGrid(uint32_t threadsPerProgram, const int64_t grid[3], const char *device) const;
};

/// Whether a stream records work for a graph instead of running it. Invalid: the capture has
/// failed, or the vendor cannot say because of a capture elsewhere. Unknown: the vendor refuses the
/// question, as for a handle that is none of its streams.
enum class CaptureState : uint8_t { None, Active, Invalid, Unknown };

/// A kernel whose code is on its device. Stays loaded while anything refers to it; the device
/// itself does until it ends or is trimmed, because work in flight and captured graphs may still
/// need the code.
class LoadedKernel {
public:
  virtual ~LoadedKernel() = default;
  LoadedKernel(const LoadedKernel &) = delete;
  LoadedKernel &operator=(const LoadedKernel &) = delete;

  /// The vendor's function handle (hipFunction_t, CUfunction), for a caller's own graph nodes.
  /// Host: the entry's address.
  void *function = nullptr;
  uint32_t threads = 1;      // per program: the block is (threads, 1, 1)
  uint32_t ldsBytes = 0;     // static, contained in the code
  uint32_t dynamicBytes = 0; // shared memory that the launch asks for
  uint32_t arenaBytes = 0;   // host: scratch per worker

protected:
  LoadedKernel() = default;
};

/// One processor. Independent of its Driver object: it keeps alive what it needs of the library.
class Device {
public:
  virtual ~Device() = default;
  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;

  const std::string &name() const { return name_; }               // "hip:0", "host"
  const std::string &description() const { return description_; } // "AMD Instinct MI300X"
  DriverKind kind() const { return kind_; }
  /// Targets whose code runs here, the best one first: "amdgcn:gfx942".
  const std::vector<std::string> &targets() const { return targets_; }
  const DeviceLimits &limits() const { return limits_; }

  /// Whether code for `target` runs here; says why not (TL_E_UNSUPPORTED, TL_E_CPU_FEATURES).
  virtual Status accepts(const std::string &target) const;
  /// Memory of at least one byte, aligned to 64 bytes or more.
  virtual Result<void *> allocate(size_t bytes) = 0;
  /// Waits for work that may use the memory, as the vendors do. NULL is allowed.
  virtual Status free(void *memory) = 0;
  /// Copies are asynchronous in stream order: host memory must stay as it is until the stream has
  /// come by.
  virtual Status copyToDevice(void *to, const void *from, size_t bytes, void *stream) = 0;
  virtual Status copyToHost(void *to, const void *from, size_t bytes, void *stream) = 0;
  virtual Status copyOnDevice(void *to, const void *from, size_t bytes, void *stream) = 0;
  /// Stores `count` copies of the low 1, 2 or 4 bytes of `pattern`.
  virtual Status fill(void *to, uint32_t pattern, uint32_t patternBytes, size_t count,
                      void *stream) = 0;
  /// Whether kernels may use the pointer; true where that cannot be known.
  virtual bool isDevicePointer(const void *pointer) = 0;

  /// A new in-order stream. The NULL stream exists always and is the device's default one.
  virtual Result<void *> createStream() = 0;
  /// Work in it is finished before the stream goes. NULL is allowed and does nothing.
  virtual Status destroyStream(void *stream) = 0;
  /// Waits until all work that was in the stream is done; reports what failed in it.
  virtual Status synchronize(void *stream) = 0;
  /// Waits for all streams.
  virtual Status synchronizeAll() = 0;
  virtual CaptureState captureState(void *stream) noexcept = 0;

  virtual Result<void *> createEvent() = 0;
  virtual Status destroyEvent(void *event) = 0;
  virtual Status record(void *event, void *stream) = 0;
  /// Work put into `stream` from now on starts after what the event recorded last; an event that
  /// never recorded does not hold anything up.
  virtual Status wait(void *stream, void *event) = 0;
  virtual Status synchronizeEvent(void *event) = 0;
  /// Milliseconds between two recorded events; waits for both.
  virtual Result<double> elapsed(void *start, void *stop) = 0;

  /// Brings code onto the device: not for stream captures, may take milliseconds. `places` are the
  /// author's for lines of its debug info; only an emulator makes use of them.
  virtual Result<std::shared_ptr<LoadedKernel>>
  load(const TargetCode &code, std::span<const LocationEntry> places = {}) = 0;
  /// Starts a kernel of this device. `slots` is the complete argument block (its last three slots
  /// hold the grid) and is copied. A grid with an axis of 0 starts nothing. TL_E_GRID for a grid
  /// that does not fit.
  virtual CallStatus launch(const LoadedKernel &kernel, const int64_t grid[3],
                            const uint64_t *slots, size_t slotCount, void *stream) noexcept = 0;

  /// Unloads kernels that nobody refers to any more. To be called when nothing runs and no captured
  /// graph is kept.
  virtual void trim();
  /// Kernels on the device now.
  size_t loadedCount() const;

protected:
  Device(DriverKind kind, std::string name) : name_(std::move(name)), kind_(kind) {}
  /// TL_E_INVALID_ARGUMENT for a fill that no device can do.
  static Status checkFill(const void *to, uint32_t patternBytes, size_t count);
  /// Keeps a kernel loaded until trim().
  void retain(const std::shared_ptr<LoadedKernel> &kernel);
  /// Drops all kernels; the last step of a derived destructor that has waited for the device.
  void releaseKernels();

  std::string name_, description_;
  std::vector<std::string> targets_;
  DeviceLimits limits_;

private:
  DriverKind kind_;
  mutable std::mutex mutex;
  std::vector<std::shared_ptr<LoadedKernel>> kernels;
};

/// One opened runtime library, or the host CPU. Several of one kind may exist side by side.
class Driver {
public:
  virtual ~Driver() = default;
  Driver(const Driver &) = delete;
  Driver &operator=(const Driver &) = delete;

  const std::string &name() const { return name_; } // "hip", "host"
  DriverKind kind() const { return kind_; }
  /// One line: the library's path and version, and why there is no device if there is none.
  const std::string &description() const { return description_; }
  const std::vector<std::shared_ptr<Device>> &devices() const { return devices_; }

protected:
  Driver(DriverKind kind, std::string name) : name_(std::move(name)), kind_(kind) {}
  std::string name_, description_;
  std::vector<std::shared_ptr<Device>> devices_;

private:
  DriverKind kind_;
};

/// A host program's own thread pool: run(user, count, body, context) calls body(context, i) once
/// for every i below `count`, on any threads, and returns when all calls have returned. Called on a
/// thread of the driver, one call at a time.
struct ParallelFor {
  void (*run)(void *user, int64_t count, void (*body)(void *context, int64_t index),
              void *context) = nullptr;
  void *user = nullptr;
  uint32_t threads = 0; // how many calls may run at once; 0 = as many as there are processors
};

struct HostDriverOptions {
  uint32_t threads = 0; // workers; 0 = the processors this process may use
  ParallelFor parallelFor;
  /// Write a jitdump file (see host/jitdump.h) in this directory, for `perf inject`; empty = none.
  std::string jitdumpDirectory;
};

/// The CPU this runs on: always one device, "host". Threads start with the first work.
std::shared_ptr<Driver> openHostDriver(const HostDriverOptions &options);

struct HipDriverOptions {
  std::string name = "hip"; // devices are "<name>:0", ...
  bool nameByChip =
      false;              // devices are "<name>:gfx942", ..., the second such one "<name>:gfx942:1"
  void *handle = nullptr; // of dlopen, when the caller has opened the library; stays the caller's
  std::string path;       // of the library; else it is looked for
  bool ignoreEnvironment = false;
};

/// Opens a HIP runtime: the given handle or path, else a copy already loaded, else $TL_HIP_LIBRARY,
/// else the usual names. A library without devices is a driver whose description says so;
/// TL_E_NO_DEVICE when there is no library, or none with the functions that are needed: the message
/// names what was tried.
Result<std::shared_ptr<Driver>> openHipDriver(const HipDriverOptions &options);

struct CudaDriverOptions {
  void *handle = nullptr; // of dlopen, when the caller has opened the library; stays the caller's
  std::string path;       // of the library; else it is looked for
  bool ignoreEnvironment = false;
};

/// Opens NVIDIA's driver: the given handle or path, else a copy already loaded, else
/// $TL_CUDA_LIBRARY, else libcuda.so.1. Devices are "cuda:0", ..., used through their primary
/// contexts, as the CUDA runtime does. Errors as openHipDriver's.
Result<std::shared_ptr<Driver>> openCudaDriver(const CudaDriverOptions &options);

} // namespace tl
