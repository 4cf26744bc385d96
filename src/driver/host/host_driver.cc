#include "driver/host/cpu.h"
#include "driver/host/jitdump.h"
#include "driver/host/kernel.h"
#include "driver/host/stream.h"

#include <algorithm>
#include <cstdlib>
#include <unistd.h>
#include <unordered_map>

namespace tl {

namespace {

class HostDevice final : public Device {
public:
  explicit HostDevice(const HostDriverOptions &options);
  ~HostDevice() override;
  /// Deletes a device, but not in a child of its process: there its threads cannot be waited for,
  /// and its locks may be held by nobody.
  static void end(HostDevice *device) {
    if (!device->pool.foreign())
      delete device;
  }

  Status accepts(const std::string &target) const override { return checkHostTarget(target); }
  Result<void *> allocate(size_t bytes) override;
  Status free(void *memory) override;
  Status copyToDevice(void *to, const void *from, size_t bytes, void *stream) override;
  Status copyToHost(void *to, const void *from, size_t bytes, void *stream) override;
  Status copyOnDevice(void *to, const void *from, size_t bytes, void *stream) override;
  Status fill(void *to, uint32_t pattern, uint32_t patternBytes, size_t count,
              void *stream) override;
  bool isDevicePointer(const void *) override { return true; }

  Result<void *> createStream() override;
  Status destroyStream(void *stream) override;
  Status synchronize(void *stream) override;
  Status synchronizeAll() override;
  CaptureState captureState(void *) noexcept override { return CaptureState::None; }

  Result<void *> createEvent() override;
  Status destroyEvent(void *event) override;
  Status record(void *event, void *stream) override;
  Status wait(void *stream, void *event) override;
  Status synchronizeEvent(void *event) override;
  Result<double> elapsed(void *start, void *stop) override;

  Result<std::shared_ptr<LoadedKernel>> load(const TargetCode &code,
                                             std::span<const LocationEntry> places) override;
  CallStatus launch(const LoadedKernel &kernel, const int64_t grid[3], const uint64_t *slots,
                    size_t slotCount, void *stream) noexcept override;
  void trim() override;

private:
  // The stream behind a handle, with the workers running.
  Result<HostStream *> find(void *stream);
  Result<std::shared_ptr<HostEvent>> findEvent(void *event);
  std::vector<std::shared_ptr<HostStream>> allStreams();
  void drain();

  const std::string jitdumpDirectory;
  JitDump jitdump;
  WorkerPool pool;
  HostStream defaultStream;
  std::mutex mutex; // of the two tables
  std::vector<std::shared_ptr<HostStream>> streams;
  std::unordered_map<void *, std::shared_ptr<HostEvent>> events;
};

HostDevice::HostDevice(const HostDriverOptions &options)
    : Device(DriverKind::Host, "host"), jitdumpDirectory(options.jitdumpDirectory),
      pool(options.threads, options.parallelFor), defaultStream(pool) {
  description_ = formatString("%s, %u threads", cpuBrand().c_str(), pool.width());
  if (std::string own = hostTarget(); !own.empty())
    targets_.push_back(std::move(own));
  limits_.computeUnits = pool.width();
  long pages = sysconf(_SC_PHYS_PAGES), pageBytes = sysconf(_SC_PAGESIZE);
  if (pages > 0 && pageBytes > 0)
    limits_.memoryBytes = uint64_t(pages) * uint64_t(pageBytes);
}

HostDevice::~HostDevice() {
  drain();
  streams.clear();
  releaseKernels();
}

Result<void *> HostDevice::allocate(size_t bytes) {
  constexpr size_t alignment = 64;
  if (bytes > SIZE_MAX - alignment)
    return makeError(TL_E_OUT_OF_MEMORY, "no memory for %zu bytes", bytes);
  size_t rounded = std::max((bytes + alignment - 1) / alignment, size_t(1)) * alignment;
  if (void *memory = std::aligned_alloc(alignment, rounded))
    return memory;
  return makeError(TL_E_OUT_OF_MEMORY, "no memory for %zu bytes", bytes);
}

Status HostDevice::free(void *memory) {
  if (!memory)
    return {};
  TL_TRY(pool.checkProcess());
  drain(); // work in flight may still use it
  std::free(memory);
  return {};
}

std::vector<std::shared_ptr<HostStream>> HostDevice::allStreams() {
  std::lock_guard lock(mutex);
  return streams;
}

void HostDevice::drain() {
  defaultStream.drain();
  for (auto &stream : allStreams())
    stream->drain();
}

Result<HostStream *> HostDevice::find(void *stream) {
  TL_TRY(pool.start());
  if (!stream)
    return &defaultStream;
  if (!HostStream::valid(stream))
    return makeError(TL_E_INVALID_ARGUMENT, "%p is no stream of the host device", stream);
  return static_cast<HostStream *>(stream);
}

Result<std::shared_ptr<HostEvent>> HostDevice::findEvent(void *event) {
  TL_TRY(pool.checkProcess());
  std::lock_guard lock(mutex);
  auto found = events.find(event);
  if (found == events.end())
    return makeError(TL_E_INVALID_ARGUMENT, "%p is no event of the host device", event);
  return found->second;
}

Status HostDevice::copyOnDevice(void *to, const void *from, size_t bytes, void *stream) {
  TL_ASSIGN(HostStream * s, find(stream));
  if (bytes == 0)
    return {};
  if (!to || !from)
    return makeError(TL_E_INVALID_ARGUMENT, "a copy of %zu bytes from or to NULL", bytes);
  s->copy(to, from, bytes);
  return {};
}

Status HostDevice::copyToDevice(void *to, const void *from, size_t bytes, void *stream) {
  return copyOnDevice(to, from, bytes, stream);
}

Status HostDevice::copyToHost(void *to, const void *from, size_t bytes, void *stream) {
  return copyOnDevice(to, from, bytes, stream);
}

Status HostDevice::fill(void *to, uint32_t pattern, uint32_t patternBytes, size_t count,
                        void *stream) {
  TL_ASSIGN(HostStream * s, find(stream));
  TL_TRY(checkFill(to, patternBytes, count));
  if (count > 0)
    s->fill(to, pattern, patternBytes, count);
  return {};
}

Result<void *> HostDevice::createStream() {
  TL_TRY(pool.start());
  auto stream = std::make_shared<HostStream>(pool);
  std::lock_guard lock(mutex);
  streams.push_back(stream);
  return static_cast<void *>(stream.get());
}

Status HostDevice::destroyStream(void *stream) {
  std::shared_ptr<HostStream> ending; // waits for its work after the lock is released
  if (!stream)
    return {};
  TL_TRY(pool.checkProcess());
  std::lock_guard lock(mutex);
  auto found = std::find_if(streams.begin(), streams.end(),
                            [&](const auto &s) { return s.get() == stream; });
  if (found == streams.end())
    return makeError(TL_E_INVALID_ARGUMENT, "%p is no stream of the host device", stream);
  ending = std::move(*found);
  streams.erase(found);
  return {};
}

static Status streamStatus(tl_status status) {
  if (status == TL_OK)
    return {};
  return makeError(status, "a kernel in the stream did not run: no memory for its scratch arena");
}

Status HostDevice::synchronize(void *stream) {
  TL_ASSIGN(HostStream * s, find(stream));
  return streamStatus(s->synchronize());
}

Status HostDevice::synchronizeAll() {
  TL_TRY(pool.checkProcess());
  tl_status status = defaultStream.synchronize();
  for (auto &stream : allStreams()) {
    tl_status other = stream->synchronize();
    status = status == TL_OK ? other : status;
  }
  return streamStatus(status);
}

Result<void *> HostDevice::createEvent() {
  TL_TRY(pool.checkProcess());
  auto event = std::make_shared<HostEvent>();
  std::lock_guard lock(mutex);
  events.emplace(event.get(), event);
  return static_cast<void *>(event.get());
}

// Commands in streams keep what they need of it.
Status HostDevice::destroyEvent(void *event) {
  if (!event)
    return {};
  TL_TRY(pool.checkProcess());
  std::lock_guard lock(mutex);
  if (events.erase(event) == 0)
    return makeError(TL_E_INVALID_ARGUMENT, "%p is no event of the host device", event);
  return {};
}

Status HostDevice::record(void *event, void *stream) {
  TL_ASSIGN(HostStream * s, find(stream));
  TL_ASSIGN(auto e, findEvent(event));
  s->record(e);
  return {};
}

Status HostDevice::wait(void *stream, void *event) {
  TL_ASSIGN(HostStream * s, find(stream));
  TL_ASSIGN(auto e, findEvent(event));
  s->wait(e);
  return {};
}

Status HostDevice::synchronizeEvent(void *event) {
  TL_ASSIGN(auto e, findEvent(event));
  e->synchronize();
  return {};
}

Result<double> HostDevice::elapsed(void *start, void *stop) {
  TL_ASSIGN(auto from, findEvent(start));
  TL_ASSIGN(auto to, findEvent(stop));
  if (!from->synchronize() || !to->synchronize())
    return makeError(TL_E_INVALID_ARGUMENT, "an event was never recorded");
  return double(to->nanoseconds() - from->nanoseconds()) * 1e-6;
}

Result<std::shared_ptr<LoadedKernel>> HostDevice::load(const TargetCode &code,
                                                       std::span<const LocationEntry>) {
  TL_TRY(accepts(code.target));
  TL_TRY(pool.start());
  auto kernel = std::make_shared<HostKernel>();
  TL_ASSIGN(kernel->image, HostImage::load(code.code));
  kernel->function = kernel->image->find(code.symbol);
  if (!kernel->function)
    return makeError(TL_E_CORRUPT, "host image: there is no function '%s'", code.symbol.c_str());
  kernel->threads = code.threads;
  kernel->ldsBytes = code.ldsBytes;
  kernel->arenaBytes = code.arenaBytes;
  if (!code.object.empty()) {
    TL_ASSIGN(kernel->debugger, GdbRegistration::add(code.object, code.code, *kernel->image));
  }
  if (!jitdumpDirectory.empty())
    TL_TRY(jitdump.add(*kernel->image, jitdumpDirectory));
  retain(kernel);
  return std::shared_ptr<LoadedKernel>(kernel);
}

CallStatus HostDevice::launch(const LoadedKernel &kernel, const int64_t grid[3],
                              const uint64_t *slots, size_t slotCount, void *stream) noexcept {
  if (!limits().gridFits(kernel.threads, grid))
    return {TL_E_GRID, 0};
  if (grid[0] == 0 || grid[1] == 0 || grid[2] == 0)
    return {};
  int64_t total = grid[0] * grid[1] * grid[2];
  if (pool.foreign())
    return {TL_E_UNSUPPORTED, 0};
  if (stream && !HostStream::valid(stream))
    return {TL_E_INVALID_ARGUMENT, 0};
  HostStream &s = stream ? *static_cast<HostStream *>(stream) : defaultStream;
  return {s.launch(static_cast<const HostKernel &>(kernel), total, slots, slotCount), 0};
}

void HostDevice::trim() {
  if (pool.foreign())
    return;
  drain();
  Device::trim();
}

class HostDriver final : public Driver {
public:
  explicit HostDriver(const HostDriverOptions &options) : Driver(DriverKind::Host, "host") {
    std::shared_ptr<HostDevice> device(new HostDevice(options), HostDevice::end);
    description_ = device->description();
    if (device->targets().empty())
      description_ += "; an x86-64-v3 CPU is needed";
    devices_.push_back(std::move(device));
  }
};

} // namespace

std::shared_ptr<Driver> openHostDriver(const HostDriverOptions &options) {
  return std::make_shared<HostDriver>(options);
}

} // namespace tl
