// NVIDIA's driver library, opened: the table of its functions.
#pragma once

#include "driver/driver.h"

namespace tl {

/// Values of cuda.h, the same in CUDA 11.0 to 13.0.
namespace cuda {
inline constexpr int success = 0;
inline constexpr int errorOutOfMemory = 2;
// CUdevice_attribute
inline constexpr int maxThreadsPerBlock = 1;
inline constexpr int maxGridDimX = 5; // and Y, Z
inline constexpr int warpSize = 10;
inline constexpr int multiprocessorCount = 16;
inline constexpr int computeCapabilityMajor = 75, computeCapabilityMinor = 76;
inline constexpr int maxSharedMemoryPerBlockOptin = 97;
// CUfunction_attribute
inline constexpr int maxDynamicSharedSizeBytes = 8;
// CUjit_option
inline constexpr int errorLogBuffer = 5, errorLogBufferSizeBytes = 6;
// CUpointer_attribute
inline constexpr int pointerAttributeDevicePointer = 3;
// CUstreamCaptureMode
inline constexpr int captureRelaxed = 2;
// The `extra` words of cuLaunchKernel
inline void *const launchBufferPointer = reinterpret_cast<void *>(1);
inline void *const launchBufferSize = reinterpret_cast<void *>(2);
inline void *const launchEnd = nullptr;
} // namespace cuda

class CudaLibrary {
public:
  /// Finds a library as openCudaDriver says, and fills the table.
  static Result<std::shared_ptr<CudaLibrary>> open(const CudaDriverOptions &options);
  CudaLibrary(const CudaLibrary &) = delete;
  CudaLibrary &operator=(const CudaLibrary &) = delete;
  ~CudaLibrary();

  /// "CUDA_ERROR_NO_DEVICE" for 100; "error 12345" for what the library has no name for.
  std::string errorName(int code) const;
  /// TL_OK, TL_E_OUT_OF_MEMORY or TL_E_DRIVER.
  static tl_status statusOf(int code);
  /// An error that names the call, with CUDA's code and its name; `call` is the function's name.
  ErrorPtr error(int code, const char *call) const;

  std::string path; // of the file, as the system's loader has it

#define TL_CUDA(NEED, NAME, PARAMETERS) int(*NAME) PARAMETERS = nullptr;
#include "driver/cuda/symbols.def"
  int (*cuGetErrorName)(int code, const char **name) = nullptr;

private:
  CudaLibrary() = default;
  /// Takes the functions of `handle`. Gives the name of one that is missing; empty when the table
  /// is complete.
  std::string fill();

  void *handle = nullptr;
  bool owned = false;
};

/// Makes a context current for the calls in a scope; what was current before is so afterwards.
class CudaCurrentContext {
public:
  CudaCurrentContext(const CudaLibrary &library, void *context) noexcept;
  ~CudaCurrentContext();
  CudaCurrentContext(const CudaCurrentContext &) = delete;
  CudaCurrentContext &operator=(const CudaCurrentContext &) = delete;
  /// CUDA_SUCCESS, or why the context could not be made current.
  int status = cuda::success;

private:
  const CudaLibrary &library;
  bool pushed = false;
};

/// Allows calls that a stream capture elsewhere in the process would forbid or be broken by
/// (allocations, module loads), for this thread, in a scope.
class CudaRelaxedCapture {
public:
  explicit CudaRelaxedCapture(const CudaLibrary &library) noexcept;
  ~CudaRelaxedCapture();
  CudaRelaxedCapture(const CudaRelaxedCapture &) = delete;
  CudaRelaxedCapture &operator=(const CudaRelaxedCapture &) = delete;

private:
  const CudaLibrary &library;
  int mode = cuda::captureRelaxed; // the thread's own, while this lives
  bool exchanged = false;
};

} // namespace tl
