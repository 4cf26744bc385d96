#include "driver/cuda/library.h"
#include "driver/stream_device.h"

#include <algorithm>
#include <cstring>

namespace tl {

namespace {

using Library = std::shared_ptr<CudaLibrary>;

// Returns the error of a call from the enclosing function.
#define CUDA_TRY(NAME, ...)                                                                        \
  do {                                                                                             \
    if (int cudaCode_ = library->NAME(__VA_ARGS__))                                                \
      return library->error(cudaCode_, #NAME);                                                     \
  } while (0)
// Makes this device's context current for the rest of the scope.
#define CUDA_CURRENT()                                                                             \
  CudaCurrentContext current_(*library, context);                                                  \
  if (current_.status)                                                                             \
  return library->error(current_.status, "cuCtxPushCurrent")

// Compute capabilities that there is code for (codegen/targets.def), the best first. PTX for one
// runs on every later one too.
constexpr int capabilities[] = {90, 89, 86, 80};
constexpr std::string_view targetPrefix = "nvptx:sm_";

struct CudaVendor {
  using Library = CudaLibrary;
  using CurrentDevice = CudaCurrentContext;
  using RelaxedCapture = CudaRelaxedCapture;
  using Place = void *; // the device's primary context, which the CUDA runtime uses too

  static constexpr StreamCalls<CudaLibrary> calls = {
      .allocate = {&CudaLibrary::cuMemAlloc_v2, "cuMemAlloc"},
      .free = {&CudaLibrary::cuMemFree_v2, "cuMemFree"},
      .createStream = {&CudaLibrary::cuStreamCreate, "cuStreamCreate"},
      .destroyStream = {&CudaLibrary::cuStreamDestroy_v2, "cuStreamDestroy"},
      .synchronize = {&CudaLibrary::cuStreamSynchronize, "cuStreamSynchronize"},
      .synchronizeAll = {&CudaLibrary::cuCtxSynchronize, "cuCtxSynchronize"},
      .isCapturing = {&CudaLibrary::cuStreamIsCapturing, "cuStreamIsCapturing"},
      .createEvent = {&CudaLibrary::cuEventCreate, "cuEventCreate"},
      .destroyEvent = {&CudaLibrary::cuEventDestroy_v2, "cuEventDestroy"},
      .record = {&CudaLibrary::cuEventRecord, "cuEventRecord"},
      .wait = {&CudaLibrary::cuStreamWaitEvent, "cuStreamWaitEvent"},
      .synchronizeEvent = {&CudaLibrary::cuEventSynchronize, "cuEventSynchronize"},
      .elapsed = {&CudaLibrary::cuEventElapsedTime, "cuEventElapsedTime"},
      .makeCurrent = "cuCtxPushCurrent",
  };
};

class CudaKernel final : public LoadedKernel {
public:
  CudaKernel(Library library, void *context) : library(std::move(library)), context(context) {}
  ~CudaKernel() override {
    if (!module)
      return;
    CudaRelaxedCapture relaxed(*library);
    CudaCurrentContext current(*library, context);
    library->cuModuleUnload(module);
  }

  Library library;
  void *context;
  void *module = nullptr;
};

class CudaDevice final : public StreamDevice<CudaVendor> {
public:
  static Result<std::shared_ptr<Device>> open(Library library, int ordinal);
  CudaDevice(Library library, std::string name, int device, void *context)
      : StreamDevice(DriverKind::Cuda, std::move(name), std::move(library), context),
        device(device), context(context) {}
  ~CudaDevice() override {
    finish();
    library->cuDevicePrimaryCtxRelease_v2(device);
  }

  Status accepts(const std::string &target) const override;
  Status copyToDevice(void *to, const void *from, size_t bytes, void *stream) override;
  Status copyToHost(void *to, const void *from, size_t bytes, void *stream) override;
  Status copyOnDevice(void *to, const void *from, size_t bytes, void *stream) override;
  Status fill(void *to, uint32_t pattern, uint32_t patternBytes, size_t count,
              void *stream) override;
  bool isDevicePointer(const void *pointer) override;

  Result<std::shared_ptr<LoadedKernel>> load(const TargetCode &code,
                                             std::span<const LocationEntry> places) override;
  CallStatus launch(const LoadedKernel &kernel, const int64_t grid[3], const uint64_t *slots,
                    size_t slotCount, void *stream) noexcept override;

private:
  Status readLimits();
  Result<int> attribute(int which, const char *name);

  int device;
  void *context;
  int capability = 0;
};

Result<int> CudaDevice::attribute(int which, const char *name) {
  int value = 0;
  if (int code = library->cuDeviceGetAttribute(&value, which, device))
    return library->error(code, formatString("cuDeviceGetAttribute(%s)", name).c_str());
  if (value < 0)
    return makeError(TL_E_DRIVER, "cuDeviceGetAttribute(%s) says %d", name, value);
  return value;
}

Status CudaDevice::readLimits() {
  for (int axis = 0; axis < 3; ++axis) {
    TL_ASSIGN(limits_.maxGrid[axis], attribute(cuda::maxGridDimX + axis, "MAX_GRID_DIM"));
  }
  TL_ASSIGN(limits_.maxThreads, attribute(cuda::maxThreadsPerBlock, "MAX_THREADS_PER_BLOCK"));
  TL_ASSIGN(limits_.ldsBytes,
            attribute(cuda::maxSharedMemoryPerBlockOptin, "MAX_SHARED_MEMORY_PER_BLOCK_OPTIN"));
  TL_ASSIGN(limits_.waveSize, attribute(cuda::warpSize, "WARP_SIZE"));
  TL_ASSIGN(limits_.computeUnits, attribute(cuda::multiprocessorCount, "MULTIPROCESSOR_COUNT"));
  size_t bytes = 0;
  CUDA_TRY(cuDeviceTotalMem_v2, &bytes, device);
  limits_.memoryBytes = bytes;
  TL_ASSIGN(int major, attribute(cuda::computeCapabilityMajor, "COMPUTE_CAPABILITY_MAJOR"));
  TL_ASSIGN(int minor, attribute(cuda::computeCapabilityMinor, "COMPUTE_CAPABILITY_MINOR"));
  capability = 10 * major + minor;
  return {};
}

Result<std::shared_ptr<Device>> CudaDevice::open(Library library, int ordinal) {
  int handle = 0;
  CUDA_TRY(cuDeviceGet, &handle, ordinal);
  void *context = nullptr;
  CUDA_TRY(cuDevicePrimaryCtxRetain, &context, handle);
  auto device =
      std::make_shared<CudaDevice>(library, formatString("cuda:%d", ordinal), handle, context);
  TL_TRY(device->readLimits());
  char name[256] = "";
  CUDA_TRY(cuDeviceGetName, name, int(sizeof name) - 1, handle);
  const int capability = device->capability;
  device->description_ = formatString("%s (sm_%d)", name, capability);
  for (int known : capabilities)
    if (known <= capability)
      device->targets_.push_back(std::string(targetPrefix) + std::to_string(known));
  return std::shared_ptr<Device>(device);
}

/// Code for any earlier compute capability runs here.
Status CudaDevice::accepts(const std::string &target) const {
  if (std::find(targets().begin(), targets().end(), target) != targets().end())
    return {};
  return makeError(TL_E_UNSUPPORTED,
                   "code for %s does not run on %s (%s), which runs nvptx:sm_80 to nvptx:sm_%d",
                   target.c_str(), name().c_str(), description().c_str(), capability);
}

Status CudaDevice::copyToDevice(void *to, const void *from, size_t bytes, void *stream) {
  if (bytes == 0)
    return {};
  CUDA_CURRENT();
  CUDA_TRY(cuMemcpyHtoDAsync_v2, to, from, bytes, stream);
  return {};
}

Status CudaDevice::copyToHost(void *to, const void *from, size_t bytes, void *stream) {
  if (bytes == 0)
    return {};
  CUDA_CURRENT();
  CUDA_TRY(cuMemcpyDtoHAsync_v2, to, from, bytes, stream);
  return {};
}

Status CudaDevice::copyOnDevice(void *to, const void *from, size_t bytes, void *stream) {
  if (bytes == 0)
    return {};
  CUDA_CURRENT();
  CUDA_TRY(cuMemcpyDtoDAsync_v2, to, from, bytes, stream);
  return {};
}

Status CudaDevice::fill(void *to, uint32_t pattern, uint32_t patternBytes, size_t count,
                        void *stream) {
  TL_TRY(checkFill(to, patternBytes, count));
  if (count == 0)
    return {};
  CUDA_CURRENT();
  if (patternBytes == 1)
    CUDA_TRY(cuMemsetD8Async, to, uint8_t(pattern), count, stream);
  else if (patternBytes == 2)
    CUDA_TRY(cuMemsetD16Async, to, uint16_t(pattern), count, stream);
  else
    CUDA_TRY(cuMemsetD32Async, to, pattern, count, stream);
  return {};
}

bool CudaDevice::isDevicePointer(const void *pointer) {
  if (!library->cuPointerGetAttribute)
    return true;
  CudaCurrentContext current(*library, context);
  void *address = nullptr;
  return library->cuPointerGetAttribute(&address, cuda::pointerAttributeDevicePointer, pointer) ==
             cuda::success &&
         address != nullptr;
}

/// PTX is text up to the first zero byte: the driver reads no further, and must not read on.
Status checkPtx(const Bytes &code) {
  const void *end = code.empty() ? nullptr : std::memchr(code.data(), 0, code.size());
  if (end != code.data() + code.size() - 1)
    return makeError(TL_E_CORRUPT, "PTX: not one text that ends at a zero byte");
  return {};
}

/// Compiles PTX for the device; the driver's own words go into the error.
Status loadModule(const CudaLibrary &library, const Bytes &code, void *&module) {
  char log[4096] = "";
  int options[] = {cuda::errorLogBuffer, cuda::errorLogBufferSizeBytes};
  void *values[] = {log, reinterpret_cast<void *>(uintptr_t(sizeof log - 1))};
  int result = library.cuModuleLoadDataEx(&module, code.data(), 2, options, values);
  if (result == cuda::success)
    return {};
  ErrorPtr error = library.error(result, "cuModuleLoadDataEx");
  if (*log)
    error->message += std::string(": ") + log;
  return error;
}

Result<std::shared_ptr<LoadedKernel>> CudaDevice::load(const TargetCode &code,
                                                       std::span<const LocationEntry>) {
  TL_TRY(checkSize(code, "shared memory"));
  TL_TRY(checkPtx(code.code));
  CudaRelaxedCapture relaxed(*library);
  CUDA_CURRENT();
  auto kernel = std::make_shared<CudaKernel>(library, context);
  kernel->threads = code.threads;
  kernel->dynamicBytes = code.ldsBytes;
  TL_TRY(loadModule(*library, code.code, kernel->module));
  if (int result =
          library->cuModuleGetFunction(&kernel->function, kernel->module, code.symbol.c_str())) {
    ErrorPtr error = library->error(result, "cuModuleGetFunction");
    error->message += formatString(", kernel '%s'", code.symbol.c_str());
    return error;
  }
  CUDA_TRY(cuFuncSetAttribute, kernel->function, cuda::maxDynamicSharedSizeBytes,
           int(code.ldsBytes));
  retain(kernel);
  return std::shared_ptr<LoadedKernel>(kernel);
}

CallStatus CudaDevice::launch(const LoadedKernel &kernel, const int64_t grid[3],
                              const uint64_t *slots, size_t slotCount, void *stream) noexcept {
  if (!limits().gridFits(kernel.threads, grid))
    return {TL_E_GRID, 0};
  if (grid[0] == 0 || grid[1] == 0 || grid[2] == 0)
    return {};
  size_t bytes = slotCount * sizeof(uint64_t);
  void *extra[] = {cuda::launchBufferPointer, const_cast<uint64_t *>(slots), cuda::launchBufferSize,
                   &bytes, cuda::launchEnd};
  CudaCurrentContext current(*library, context);
  int code = current.status;
  if (!code)
    code = library->cuLaunchKernel(kernel.function, unsigned(grid[0]), unsigned(grid[1]),
                                   unsigned(grid[2]), kernel.threads, 1, 1, kernel.dynamicBytes,
                                   stream, nullptr, extra);
  return {CudaLibrary::statusOf(code), code};
}

class CudaDriver final : public Driver {
public:
  explicit CudaDriver(const Library &library) : Driver(DriverKind::Cuda, "cuda") {
    description_ = library->path;
    int version = 0;
    if (library->cuDriverGetVersion(&version) == cuda::success)
      description_ += formatString(", CUDA %d.%d", version / 1000, version / 10 % 100);
    int count = 0, code = library->cuInit(0);
    const char *call = "cuInit";
    if (code == cuda::success) {
      code = library->cuDeviceGetCount(&count);
      call = "cuDeviceGetCount";
    }
    if (code != cuda::success || count <= 0) {
      description_ +=
          formatString("; no device: %s %d %s", call, code, library->errorName(code).c_str());
      return;
    }
    for (int i = 0; i < count; ++i) {
      auto device = CudaDevice::open(library, i);
      if (device.ok())
        devices_.push_back(std::move(*device));
      else
        description_ +=
            formatString("; device %d is left out: %s", i, device.error().message.c_str());
    }
  }
};

} // namespace

Result<std::shared_ptr<Driver>> openCudaDriver(const CudaDriverOptions &options) {
  TL_ASSIGN(auto library, CudaLibrary::open(options));
  return std::shared_ptr<Driver>(std::make_shared<CudaDriver>(library));
}

} // namespace tl
