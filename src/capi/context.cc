#include "capi/emulator.h"
#include "capi/handles.h"
#include "driver/host/cpu.h"

#include <stdlib.h>

using namespace tl;

namespace tl {

static DeviceEntry deviceEntry(const std::shared_ptr<Device> &device) {
  DeviceEntry entry;
  entry.name = device->name();
  entry.description = device->description();
  entry.device = device;
  if (device->targets().empty()) {
    entry.reason = "no target of this library fits it";
    return entry;
  }
  entry.target = device->targets().front();
  entry.usable = true;
  return entry;
}

/// Adds the devices of a vendor's driver to the list, or a line that says why there are none.
static std::shared_ptr<Driver> addDriver(const char *name, Result<std::shared_ptr<Driver>> opened,
                                         std::deque<DeviceEntry> &list) {
  std::shared_ptr<Driver> driver;
  if (opened.ok())
    driver = std::move(*opened);
  if (driver)
    for (const auto &device : driver->devices())
      list.push_back(deviceEntry(device));
  if (!driver || driver->devices().empty()) {
    DeviceEntry none;
    none.name = name;
    none.reason = driver ? driver->description() : opened.error().message;
    list.push_back(std::move(none));
  }
  return driver;
}

const std::deque<DeviceEntry> &ContextState::deviceList() {
  if (devices)
    return *devices;
  auto list = std::make_unique<std::deque<DeviceEntry>>();

  HipDriverOptions hipOptions;
  hipOptions.handle = options.hip_handle;
  hipOptions.path = hipPath;
  hipOptions.ignoreEnvironment = ignoreEnvironment();
  hip = addDriver("hip", openHipDriver(hipOptions), *list);
  CudaDriverOptions cudaOptions;
  cudaOptions.handle = options.cuda_handle;
  cudaOptions.path = cudaPath;
  cudaOptions.ignoreEnvironment = ignoreEnvironment();
  cuda = addDriver("cuda", openCudaDriver(cudaOptions), *list);

  HostDriverOptions hostOptions;
  hostOptions.threads = options.host_threads;
  if (const char *directory = ignoreEnvironment() ? nullptr : secure_getenv("TL_JITDUMP_DIR"))
    hostOptions.jitdumpDirectory = directory;
  hostOptions.parallelFor = {options.parallel_for, options.parallel_for_user, options.host_threads};
  host = openHostDriver(hostOptions);
  const auto &cpu = host->devices().front();
  DeviceEntry hostEntry = deviceEntry(cpu);
  if (hostTarget().empty()) {
    hostEntry.usable = false;
    auto detected = detectHostTarget();
    hostEntry.reason = detected.ok() ? "" : detected.error().message;
  }
  list->push_back(std::move(hostEntry));

  DeviceEntry interp;
  interp.name = "interp";
  interp.description = "reference interpreter";
  interp.target = "interp";
  interp.device = cpu;
  interp.usable = true;
  list->push_back(std::move(interp));

  devices = std::move(list);
  return *devices;
}

const std::deque<DeviceEntry> &ContextState::fullDeviceList() {
  deviceList();
  if (emulatorListed)
    return *devices;
  emulatorListed = true;
  emulator = addDriver("emu", openEmulator(ignoreEnvironment()), *devices);
  return *devices;
}

Result<std::shared_ptr<CompilerLibrary>> ContextState::openCompiler() {
  std::lock_guard lock(mutex);
  if (!compiler) {
    TL_ASSIGN(compiler, CompilerLibrary::open(compilerPath, ignoreEnvironment()));
  }
  return compiler;
}

std::shared_ptr<DeviceLog> ContextState::logOf(const std::shared_ptr<Device> &device) {
  std::shared_ptr<DeviceLog> &log = logs[device.get()];
  if (!log)
    log = std::make_shared<DeviceLog>(device, LogTarget{options.log, options.log_user});
  return log;
}

} // namespace tl

tl_status tl_context_create(const tl_context_options *options, tl_context **context,
                            tl_error **error) {
  if (context)
    *context = nullptr;
  return guarded(error, [&]() -> Status {
    if (!context)
      return nullArgument("context");
    TL_ASSIGN(tl_context_options given, readOptions(options, "tl_context_options"));
    if (given.flags & ~uint32_t(TL_CONTEXT_IGNORE_ENVIRONMENT | TL_CONTEXT_NO_COMPILE))
      return makeError(TL_E_UNSUPPORTED, "tl_context_options: a flag is unknown");
    auto state = std::make_shared<ContextState>();
    state->compilerPath = given.compiler_path ? given.compiler_path : "";
    state->hipPath = given.hip_path ? given.hip_path : "";
    state->cudaPath = given.cuda_path ? given.cuda_path : "";
    // The caller's strings are copied.
    given.compiler_path = given.hip_path = given.cuda_path = nullptr;
    state->options = given;
    *context = new tl_context{std::move(state)};
    return {};
  });
}

void tl_context_destroy(tl_context *context) { delete context; }

void tl_context_trim(tl_context *context) {
  if (!context)
    return;
  (void)guarded(nullptr, [&]() -> Status {
    std::lock_guard lock(context->state->mutex);
    if (context->state->devices)
      for (const DeviceEntry &entry : *context->state->devices)
        if (entry.device)
          entry.device->trim();
    return {};
  });
}

tl_status tl_context_compile_count(tl_context *context, uint64_t *count) {
  return guarded(nullptr, [&]() -> Status {
    if (!context || !count)
      return nullArgument(context ? "count" : "context");
    *count = context->state->compileCount;
    return {};
  });
}

tl_status tl_context_device_count(tl_context *context, size_t *count) {
  return guarded(nullptr, [&]() -> Status {
    if (!context || !count)
      return nullArgument(context ? "count" : "context");
    std::lock_guard lock(context->state->mutex);
    *count = context->state->fullDeviceList().size();
    return {};
  });
}

static void fillInfo(tl_device_info &info, const std::string &name, const std::string &description,
                     const std::string &target, const std::string &reason, const Device *device) {
  info.name = name.c_str();
  info.description = description.c_str();
  info.target = target.c_str();
  info.reason = reason.c_str();
  if (!device)
    return;
  info.compute_units = device->limits().computeUnits;
  info.wave_size = device->limits().waveSize;
  info.max_threads = device->limits().maxThreads;
  info.shared_bytes = device->limits().ldsBytes;
  info.memory_bytes = device->limits().memoryBytes;
}

tl_status tl_context_device(tl_context *context, size_t index, tl_device_info *info) {
  return guarded(nullptr, [&]() -> Status {
    if (!context)
      return nullArgument("context");
    std::lock_guard lock(context->state->mutex);
    const auto &list = context->state->fullDeviceList();
    if (index >= list.size())
      return makeError(TL_E_INVALID_ARGUMENT, "there is no device entry %zu", index);
    const DeviceEntry &entry = list[index];
    tl_device_info out = TL_DEVICE_INFO_INIT;
    fillInfo(out, entry.name, entry.description, entry.target, entry.reason, entry.device.get());
    out.usable = entry.usable;
    return writeInfo(info, out, "info");
  });
}

/// "hip" of "hip" and "hip:0", "" of names without a vendor.
static std::string vendorOf(const std::string &name) {
  for (const char *vendor : {"hip", "cuda"})
    if (name == vendor)
      return vendor;
  for (const char *vendor : {"hip", "cuda", "emu"})
    if (name.rfind(std::string(vendor) + ":", 0) == 0)
      return vendor;
  return "";
}

static ErrorPtr noSuchDevice(const std::string &wanted, const std::string &vendor,
                             const std::deque<DeviceEntry> &list) {
  std::string others;
  for (const DeviceEntry &entry : list) {
    if (entry.name == vendor)
      return makeError(TL_E_NO_DEVICE, "there is no device '%s': %s", wanted.c_str(),
                       entry.reason.c_str());
    if (entry.name.rfind(vendor + ":", 0) == 0)
      others += (others.empty() ? "; there is " : ", ") + entry.name;
  }
  return makeError(TL_E_NO_DEVICE, "there is no device '%s'%s", wanted.c_str(), others.c_str());
}

tl_status tl_device_open(tl_context *context, const char *name, tl_device **device,
                         tl_error **error) {
  if (device)
    *device = nullptr;
  return guarded(error, [&]() -> Status {
    if (!context || !name || !device)
      return nullArgument(!context ? "context" : !name ? "name" : "device");
    std::string wanted = name;
    std::lock_guard lock(context->state->mutex);
    const DeviceEntry *found = nullptr;
    const std::string vendor = vendorOf(wanted);
    const auto &list =
        vendor == "emu" ? context->state->fullDeviceList() : context->state->deviceList();
    for (const DeviceEntry &entry : list) {
      bool real = entry.name != "interp" && entry.name.rfind("emu", 0) != 0;
      bool first = wanted == "auto"                      ? entry.usable && real
                   : wanted == vendor && !vendor.empty() ? entry.name.rfind(vendor, 0) == 0
                                                         : entry.name == wanted;
      if (first && (!found || (entry.usable && !found->usable)))
        found = &entry;
    }
    if (!found && !vendor.empty())
      return noSuchDevice(wanted, vendor, list);
    if (!found)
      return makeError(wanted == "auto" ? TL_E_NO_DEVICE : TL_E_UNKNOWN_DEVICE,
                       "there is no device '%s'; devices are hip:N, cuda:N, emu:CHIP, host, interp "
                       "and auto",
                       name);
    if (!found->usable)
      return makeError(TL_E_NO_DEVICE, "device '%s' cannot be used: %s", found->name.c_str(),
                       found->reason.c_str());
    auto open = std::make_shared<OpenDevice>();
    open->context = context->state;
    open->name = found->name;
    open->description = found->description;
    open->target = found->target;
    open->device = found->device;
    open->interp = found->name == "interp";
    open->log = context->state->logOf(open->device);
    *device = new tl_device{std::move(open)};
    return {};
  });
}

void tl_device_destroy(tl_device *device) { delete device; }

tl_status tl_device_get_info(const tl_device *device, tl_device_info *info) {
  return guarded(nullptr, [&]() -> Status {
    if (!device)
      return nullArgument("device");
    static const std::string none;
    const OpenDevice &open = *device->open;
    tl_device_info out = TL_DEVICE_INFO_INIT;
    fillInfo(out, open.name, open.description, open.target, none, open.device.get());
    out.usable = 1;
    return writeInfo(info, out, "info");
  });
}
