// One opened HIP runtime: the library and the table of its functions. Each driver has its own, so
// that a real runtime and a stand-in can be used side by side in one process.
#pragma once

#include "driver/driver.h"

namespace tl {

/// Values of HIP's headers, the same in HIP 5.2 to 7.2.
namespace hip {
inline constexpr int kSuccess = 0;
inline constexpr int kErrorInvalidValue = 1;
inline constexpr int kErrorOutOfMemory = 2;
inline constexpr int kErrorNoDevice = 100;
inline constexpr int kErrorInvalidDevice = 101;
inline constexpr int kErrorInvalidImage = 200;
inline constexpr int kErrorNoBinaryForGpu = 209;
inline constexpr int kErrorNotFound = 500;
// hipDeviceAttribute_t
inline constexpr int kMaxGridDimX = 29; // and Y, Z
inline constexpr int kMaxThreadsPerBlock = 56;
inline constexpr int kMultiprocessorCount = 63;
inline constexpr int kMaxSharedMemoryPerBlock = 74;
inline constexpr int kWarpSize = 87;
// hipMemcpyKind
inline constexpr int kHostToDevice = 1, kDeviceToHost = 2, kDeviceToDevice = 3;
// hipStreamCaptureMode
inline constexpr int kCaptureRelaxed = 2;
// The `extra` words of hipModuleLaunchKernel
inline void *const kLaunchBufferPointer = reinterpret_cast<void *>(1);
inline void *const kLaunchBufferSize = reinterpret_cast<void *>(2);
inline void *const kLaunchEnd = reinterpret_cast<void *>(3);
/// Handles up to this value mean a stream of the current device: the NULL stream, hipStreamLegacy,
/// and hipStreamPerThread.
inline constexpr uintptr_t kLastSpecialStream = 2;
} // namespace hip

class HipLibrary {
public:
  /// Finds a library as openHipDriver says, and fills the table.
  static Result<std::shared_ptr<HipLibrary>> open(const HipDriverOptions &options);
  HipLibrary(const HipLibrary &) = delete;
  HipLibrary &operator=(const HipLibrary &) = delete;
  ~HipLibrary();

  /// "hipErrorNoDevice" for 100; "error 12345" for what the library has no name for.
  std::string errorName(int code) const;
  /// TL_OK, TL_E_OUT_OF_MEMORY or TL_E_DRIVER.
  static tl_status statusOf(int code);
  /// An error that names the call, with HIP's code and its name; `call` is the function's name.
  ErrorPtr error(int code, const char *call) const;

  std::string path; // of the file, as the system's loader has it

#define TL_HIP(NEED, NAME, PARAMETERS) int(*NAME) PARAMETERS = nullptr;
#include "driver/hip/symbols.def"
  const char *(*hipGetErrorName)(int code) = nullptr; // optional
  /// Only of the stand-in runtime: why a device fails since a fault, as text.
  size_t (*tl_hipemu_fault)(int device, char *text, size_t bytes) = nullptr;
  /// Only of the stand-in runtime: the author's places for lines of a module's debug info.
  int (*tl_hipemu_map_lines)(void *module, size_t count, const uint32_t *lines,
                             const char *const *files, const uint32_t *places) = nullptr;

private:
  HipLibrary() = default;
  /// The first required function that is missing; empty when the table is complete.
  std::string fill();

  void *handle = nullptr;
  bool owned = false;
};

/// Makes a device current for the calls in a scope, and what was current before again afterwards.
class HipCurrentDevice {
public:
  HipCurrentDevice(const HipLibrary &library, int device) noexcept;
  ~HipCurrentDevice();
  HipCurrentDevice(const HipCurrentDevice &) = delete;
  HipCurrentDevice &operator=(const HipCurrentDevice &) = delete;
  /// hipSuccess, or why the device could not be made current.
  int status = hip::kSuccess;

private:
  const HipLibrary &library;
  int before = -1; // -1: nothing to undo
};

/// Allows calls that a stream capture elsewhere in the process would forbid or be broken by
/// (allocations, module loads), for this thread, in a scope.
class HipRelaxedCapture {
public:
  explicit HipRelaxedCapture(const HipLibrary &library) noexcept;
  ~HipRelaxedCapture();
  HipRelaxedCapture(const HipRelaxedCapture &) = delete;
  HipRelaxedCapture &operator=(const HipRelaxedCapture &) = delete;

private:
  const HipLibrary &library;
  int mode = hip::kCaptureRelaxed; // the thread's own, while this lives
  bool exchanged = false;
};

} // namespace tl
