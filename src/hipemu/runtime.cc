#include "hipemu/runtime.h"

#include "hipemu/capture.h"
#include "hipemu/emulator_library.h"
#include "hipemu/graph.h"
#include "hipemu/report.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <unistd.h>

namespace tl::hipemu {

Runtime &Runtime::get() {
  static Runtime *runtime = new Runtime;
  return *runtime;
}

Runtime::Runtime() : current(Settings::fromEnvironment()) {
  if (!current.trace.empty() && !trace.open(current.trace))
    current.problems.push_back("TL_EMU_TRACE: cannot write " + current.trace + ": " +
                               std::strerror(errno));
  faults.configure(current.fail);
  logging = current.log;
  hideFunctions(current.version, current.hide);
}

Thread &Thread::current() {
  static std::atomic<uint32_t> count{0};
  thread_local Thread thread;
  if (!thread.number)
    thread.number = ++count;
  return thread;
}

Thread::~Thread() {
  if (streams.empty())
    return;
  Runtime &runtime = Runtime::get();
  Lock lock(runtime.mutex);
  for (auto &[device, stream] : streams) {
    captureForget(runtime, *stream);
    runtime.closeStream(*stream);
  }
}

Settings Runtime::settings() const {
  std::lock_guard lock(startMutex);
  return current;
}

int Runtime::start() {
  if (started)
    return hipSuccess;
  std::lock_guard guard(startMutex);
  if (tried)
    return startError;
  tried = true;
  for (const std::string &problem : current.problems)
    if (current.log)
      std::fprintf(stderr, "hipemu: %s\n", problem.c_str());
  // Without a device the real library fails in this way.
  startError = current.version < 600 ? hipErrorInvalidDevice : hipErrorNoDevice;
  std::vector<std::string> chips = split(current.devices, ',');
  const std::string source = (Settings::inEnvironment("devices") ? Settings::variable("devices")
                                                                 : std::string("devices")) +
                             "=" + current.devices;
  std::erase(current.problems, startProblem);
  if (chips.empty() || (chips.size() == 1 && chips[0] == "none")) {
    startProblem = source + ": no chip is named";
    current.problems.push_back(startProblem);
    return startError;
  }
  auto made = createEmulator(current.library, chips, current.options);
  if (!made.ok()) {
    startProblem = source + ": " + made.error().message;
    if (current.log)
      std::fprintf(stderr, "hipemu: no device: %s\n", startProblem.c_str());
    current.problems.push_back(startProblem);
    return startError;
  }
  Lock lock(mutex);
  emulator = std::move(*made);
  for (uint32_t i = 0; i < emulator->deviceCount(); ++i) {
    auto added = std::make_unique<Device>();
    added->ordinal = int(i);
    added->chip = &emulator->chip(i);
    added->limit = current.memory ? current.memory : added->chip->memoryBytes;
    added->defaultPool.device = int(i);
    added->defaultPool.isDefault = true;
    added->pool = &added->defaultPool;
    pools.insert(added->pool);
    devices.push_back(std::move(added));
    devices.back()->legacy = makeStream(StreamKind::Legacy, int(i), hipStreamDefault, 0);
  }
  startError = hipSuccess;
  started = true;
  // After the emulator's static objects came to be, so that it runs before they go.
  std::atexit(atExit);
  pthread_atfork(nullptr, nullptr, [] { get().forked = true; });
  return hipSuccess;
}

/// A process that ends does not wait for kernels that do not.
static void *interruptLater(void *emulator) {
  constexpr unsigned grace = 10; // seconds
  sleep(grace);
  static_cast<emu::Emulator *>(emulator)->interrupt();
  return nullptr;
}

void Runtime::atExit() {
  Runtime &runtime = get();
  if (runtime.forked)
    return; // the streams' threads are the parent's
  pthread_t thread;
  if (pthread_create(&thread, nullptr, interruptLater, runtime.emulator.get()) == 0)
    pthread_detach(thread);
  std::string path = runtime.settings().report;
  Lock lock(runtime.mutex);
  if (!path.empty()) {
    runtime.drain(lock);
    writeReportFile(runtime, path);
  }
  runtime.stop(lock);
  runtime.trace.flush();
}

Status Runtime::applySetting(std::string_view key, std::string_view value, bool weak) {
  if (weak && Settings::inEnvironment(key))
    return {};
  Settings changed = current;
  TL_TRY(changed.set(key, value));
  if (started && Settings::fixedAtStart(key) && changed.text(key) != current.text(key))
    return makeError(TL_E_INVALID_ARGUMENT, "the machine runs already, with %s=%s",
                     std::string(key).c_str(), current.text(key).c_str());
  if (key == "trace" && !trace.open(changed.trace))
    return makeError(TL_E_INVALID_ARGUMENT, "cannot write %s: %s", changed.trace.c_str(),
                     std::strerror(errno));
  if (!started && Settings::fixedAtStart(key))
    tried = false; // what failed before may work now
  if (key == "fail")
    faults.configure(changed.fail);
  current = std::move(changed);
  logging = current.log;
  hideFunctions(current.version, current.hide);
  return {};
}

Status Runtime::configure(std::string_view text) {
  std::lock_guard lock(startMutex);
  for (const std::string &item : split(text, ';')) {
    size_t equals = item.find('=');
    if (equals == std::string::npos || equals == 0)
      return makeError(TL_E_INVALID_ARGUMENT, "'%s' is not key=value", item.c_str());
    bool weak = item[equals - 1] == '?';
    std::string_view key(item.data(), equals - weak);
    TL_TRY(applySetting(key, std::string_view(item).substr(equals + 1), weak));
  }
  return {};
}

Device *Runtime::device(int ordinal) {
  return ordinal >= 0 && size_t(ordinal) < devices.size() ? devices[size_t(ordinal)].get()
                                                          : nullptr;
}

Device &Runtime::currentDevice() { return *devices[size_t(Thread::current().device)]; }

void logFault(const Runtime &runtime, int device, const Fault &fault) {
  if (runtime.logging)
    std::fprintf(stderr, "hipemu: device %d: error %d: %s\n", device, fault.code,
                 fault.message.c_str());
}

} // namespace tl::hipemu
