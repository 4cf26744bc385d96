#include "driver/hip/code_object.h"
#include "driver/hip/library.h"
#include "driver/hip/properties.h"
#include "driver/stream_device.h"

#include <algorithm>
#include <cstring>

namespace tl {

namespace {

using Library = std::shared_ptr<HipLibrary>;

// Returns the error of a HIP call from the enclosing function.
#define HIP_TRY(NAME, ...)                                                                         \
  do {                                                                                             \
    if (int hipCode_ = library->NAME(__VA_ARGS__))                                                 \
      return library->error(hipCode_, #NAME);                                                      \
  } while (0)
// Makes this device current for the rest of the scope.
#define HIP_CURRENT()                                                                              \
  HipCurrentDevice current_(*library, ordinal);                                                    \
  if (current_.status)                                                                             \
  return library->error(current_.status, "hipSetDevice")

struct HipVendor {
  using Library = HipLibrary;
  using CurrentDevice = HipCurrentDevice;
  using RelaxedCapture = HipRelaxedCapture;
  using Place = int; // the device's number

#define HIP_CALL(NAME) {&HipLibrary::NAME, #NAME}
  static constexpr StreamCalls<HipLibrary> calls = {
      .allocate = HIP_CALL(hipMalloc),
      .free = HIP_CALL(hipFree),
      .createStream = HIP_CALL(hipStreamCreateWithFlags),
      .destroyStream = HIP_CALL(hipStreamDestroy),
      .synchronize = HIP_CALL(hipStreamSynchronize),
      .synchronizeAll = HIP_CALL(hipDeviceSynchronize),
      .isCapturing = HIP_CALL(hipStreamIsCapturing),
      .createEvent = HIP_CALL(hipEventCreateWithFlags),
      .destroyEvent = HIP_CALL(hipEventDestroy),
      .record = HIP_CALL(hipEventRecord),
      .wait = HIP_CALL(hipStreamWaitEvent),
      .synchronizeEvent = HIP_CALL(hipEventSynchronize),
      .elapsed = HIP_CALL(hipEventElapsedTime),
      .makeCurrent = "hipSetDevice",
  };
#undef HIP_CALL
};

class HipKernel final : public LoadedKernel {
public:
  HipKernel(Library library, int ordinal) : library(std::move(library)), ordinal(ordinal) {}
  ~HipKernel() override {
    if (!module)
      return;
    HipRelaxedCapture relaxed(*library);
    HipCurrentDevice current(*library, ordinal);
    library->hipModuleUnload(module);
  }

  Library library;
  int ordinal;
  void *module = nullptr;
  Bytes code; // a runtime may read the code object after loading it
};

class HipDevice final : public StreamDevice<HipVendor> {
public:
  static Result<std::shared_ptr<Device>> open(Library library, const HipDriverOptions &options,
                                              int ordinal, int count,
                                              const std::vector<std::shared_ptr<Device>> &earlier);
  HipDevice(Library library, std::string name, int ordinal, bool single)
      : StreamDevice(DriverKind::Hip, std::move(name), std::move(library), ordinal),
        ordinal(ordinal), single(single) {}
  ~HipDevice() override { finish(); }

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
  Status copy(void *to, const void *from, size_t bytes, int kind, void *stream);
  Result<int> attribute(int which, const char *name);

  int ordinal;
  bool single; // the only device: always the current one
};

Result<int> HipDevice::attribute(int which, const char *name) {
  int value = 0;
  if (int code = library->hipDeviceGetAttribute(&value, which, ordinal))
    return library->error(code, formatString("hipDeviceGetAttribute(%s)", name).c_str());
  if (value <= 0)
    return makeError(TL_E_DRIVER, "hipDeviceGetAttribute(%s) says %d", name, value);
  return value;
}

Result<std::shared_ptr<Device>>
HipDevice::open(Library library, const HipDriverOptions &options, int ordinal, int count,
                const std::vector<std::shared_ptr<Device>> &earlier) {
  TL_ASSIGN(HipProperties properties, readHipProperties(*library, ordinal));
  std::string name =
      options.name + ":" + (options.nameByChip ? properties.arch : std::to_string(ordinal));
  int twins = 0;
  for (const auto &other : earlier)
    twins += options.nameByChip && other->targets().front() == "amdgcn:" + properties.arch;
  if (twins)
    name += ":" + std::to_string(twins);
  auto device = std::make_shared<HipDevice>(library, name, ordinal, count == 1);
  device->description_ = properties.name + " (" + properties.arch + ")";
  if (!properties.arch.empty())
    device->targets_.push_back("amdgcn:" + properties.arch);
  DeviceLimits &limits = device->limits_;
  for (int axis = 0; axis < 3; ++axis) {
    TL_ASSIGN(limits.maxGrid[axis], device->attribute(hip::kMaxGridDimX + axis, "MaxGridDim"));
  }
  // A dispatch packet holds the work-items of an axis in 32 bits (HSA 1.2,
  // hsa_kernel_dispatch_packet_t).
  limits.maxThreadsOfAxis = UINT32_MAX;
  TL_ASSIGN(limits.maxThreads, device->attribute(hip::kMaxThreadsPerBlock, "MaxThreadsPerBlock"));
  TL_ASSIGN(limits.ldsBytes,
            device->attribute(hip::kMaxSharedMemoryPerBlock, "MaxSharedMemoryPerBlock"));
  TL_ASSIGN(limits.waveSize, device->attribute(hip::kWarpSize, "WarpSize"));
  TL_ASSIGN(limits.computeUnits,
            device->attribute(hip::kMultiprocessorCount, "MultiprocessorCount"));
  size_t bytes = 0;
  HIP_TRY(hipDeviceTotalMem, &bytes, ordinal);
  limits.memoryBytes = bytes;
  return std::shared_ptr<Device>(device);
}

Status HipDevice::copy(void *to, const void *from, size_t bytes, int kind, void *stream) {
  if (bytes == 0)
    return {};
  HIP_CURRENT();
  HIP_TRY(hipMemcpyAsync, to, from, bytes, kind, stream);
  return {};
}

Status HipDevice::copyToDevice(void *to, const void *from, size_t bytes, void *stream) {
  return copy(to, from, bytes, hip::kHostToDevice, stream);
}

Status HipDevice::copyToHost(void *to, const void *from, size_t bytes, void *stream) {
  return copy(to, from, bytes, hip::kDeviceToHost, stream);
}

Status HipDevice::copyOnDevice(void *to, const void *from, size_t bytes, void *stream) {
  return copy(to, from, bytes, hip::kDeviceToDevice, stream);
}

Status HipDevice::fill(void *to, uint32_t pattern, uint32_t patternBytes, size_t count,
                       void *stream) {
  TL_TRY(checkFill(to, patternBytes, count));
  if (count == 0)
    return {};
  HIP_CURRENT();
  if (patternBytes == 1)
    HIP_TRY(hipMemsetAsync, to, int(pattern & 0xff), count, stream);
  else if (patternBytes == 2)
    HIP_TRY(hipMemsetD16Async, to, uint16_t(pattern), count, stream);
  else
    HIP_TRY(hipMemsetD32Async, to, int(pattern), count, stream);
  return {};
}

// hipPointerAttribute_t has grown and its memory types were renumbered, but in all versions the
// device's address stands at byte 8, and is NULL or an error comes back for memory that kernels
// cannot reach.
bool HipDevice::isDevicePointer(const void *pointer) {
  if (!library->hipPointerGetAttributes)
    return true;
  constexpr size_t devicePointerOffset = 8;
  alignas(16) char attributes[256] = {};
  if (library->hipPointerGetAttributes(attributes, pointer) != hip::kSuccess)
    return false;
  void *address;
  std::memcpy(&address, attributes + devicePointerOffset, sizeof address);
  return address != nullptr;
}

/// Tells the stand-in runtime, which reports what kernels do by source line.
static void tellPlaces(const HipLibrary &library, void *module,
                       std::span<const LocationEntry> places) {
  if (!library.tl_hipemu_map_lines)
    return;
  std::vector<uint32_t> lines, sourceLines;
  std::vector<const char *> files;
  for (const LocationEntry &place : places) {
    lines.push_back(place.line);
    files.push_back(place.source.file.c_str());
    sourceLines.push_back(place.source.line);
  }
  library.tl_hipemu_map_lines(module, lines.size(), lines.data(), files.data(), sourceLines.data());
}

Result<std::shared_ptr<LoadedKernel>> HipDevice::load(const TargetCode &code,
                                                      std::span<const LocationEntry> places) {
  TL_TRY(checkSize(code, "LDS"));
  TL_TRY(checkCodeObject(code.code));
  HipRelaxedCapture relaxed(*library);
  HIP_CURRENT();
  auto kernel = std::make_shared<HipKernel>(library, ordinal);
  kernel->code = code.code;
  kernel->threads = code.threads;
  kernel->ldsBytes = code.ldsBytes;
  HIP_TRY(hipModuleLoadData, &kernel->module, kernel->code.data());
  tellPlaces(*library, kernel->module, places);
  if (int result =
          library->hipModuleGetFunction(&kernel->function, kernel->module, code.symbol.c_str())) {
    ErrorPtr error = library->error(result, "hipModuleGetFunction");
    error->message += formatString(", kernel '%s'", code.symbol.c_str());
    return error;
  }
  retain(kernel);
  return std::shared_ptr<LoadedKernel>(kernel);
}

CallStatus HipDevice::launch(const LoadedKernel &kernel, const int64_t grid[3],
                             const uint64_t *slots, size_t slotCount, void *stream) noexcept {
  if (!limits().gridFits(kernel.threads, grid))
    return {TL_E_GRID, 0};
  if (grid[0] == 0 || grid[1] == 0 || grid[2] == 0)
    return {};
  size_t bytes = slotCount * sizeof(uint64_t);
  void *extra[] = {hip::kLaunchBufferPointer, const_cast<uint64_t *>(slots), hip::kLaunchBufferSize,
                   &bytes, hip::kLaunchEnd};
  auto start = [&] {
    return library->hipModuleLaunchKernel(kernel.function, unsigned(grid[0]), unsigned(grid[1]),
                                          unsigned(grid[2]), kernel.threads, 1, 1, 0, stream,
                                          nullptr, extra);
  };
  int code;
  // Other streams know their device.
  if (single || reinterpret_cast<uintptr_t>(stream) > hip::kLastSpecialStream) {
    code = start();
  } else {
    HipCurrentDevice current(*library, ordinal);
    code = current.status ? current.status : start();
  }
  return {HipLibrary::statusOf(code), code};
}

class HipDriver final : public Driver {
public:
  HipDriver(const Library &library, const HipDriverOptions &options)
      : Driver(DriverKind::Hip, options.name) {
    description_ = library->path;
    int version = 0;
    if (library->hipRuntimeGetVersion && library->hipRuntimeGetVersion(&version) == hip::kSuccess)
      description_ += formatString(", HIP %d.%d", version / 10'000'000, version / 100'000 % 100);
    // Without a device hipInit fails in its own way; the count says why in words that all versions
    // share.
    int initialized = library->hipInit(0), count = 0;
    int counted = library->hipGetDeviceCount(&count);
    if (counted != hip::kSuccess || count <= 0) {
      description_ += formatString("; no device: hipGetDeviceCount %d %s", counted,
                                   library->errorName(counted).c_str());
      return;
    }
    if (initialized != hip::kSuccess) {
      description_ += formatString("; no device: hipInit %d %s", initialized,
                                   library->errorName(initialized).c_str());
      return;
    }
    for (int i = 0; i < count; ++i) {
      auto device = HipDevice::open(library, options, i, count, devices_);
      if (device.ok())
        devices_.push_back(std::move(*device));
      else
        description_ +=
            formatString("; device %d is left out: %s", i, device.error().message.c_str());
    }
  }
};

} // namespace

Result<std::shared_ptr<Driver>> openHipDriver(const HipDriverOptions &options) {
  TL_ASSIGN(auto library, HipLibrary::open(options));
  return std::shared_ptr<Driver>(std::make_shared<HipDriver>(library, options));
}

} // namespace tl
