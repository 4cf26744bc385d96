// The handles behind the C API. A context is shared by everything made from it, so the order of
// destruction never matters.
#pragma once

#include "artifact/artifact.h"
#include "capi/compiler_library.h"
#include "capi/device_log.h"
#include "capi/guard.h"
#include "driver/driver.h"
#include "graph/builder.h"
#include "graph/module.h"
#include "tilelang/launch.h"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <unordered_map>

namespace tl {

/// What a compile of one request gave. Shared by all kernels of equal requests.
struct Built {
  Bytes request;     // the key
  std::string key;   // 32 hexadecimal digits
  Artifact artifact; // without locations
  BuildTiming timing;
};

/// One entry of the in-memory cache: being built, or done.
struct CacheEntry {
  bool done = false;
  std::shared_ptr<const Built> built; // null when done: the build failed
  ErrorPtr failure;
};

/// One line of tl_context_device.
struct DeviceEntry {
  std::string name, description, target, reason;
  std::shared_ptr<Device> device; // null: interp, or nothing usable
  bool usable = false;
};

/// A context without its handle.
struct ContextState {
  tl_context_options options{};
  std::string compilerPath, hipPath, cudaPath;
  std::mutex mutex; // guards what follows
  std::shared_ptr<Driver> host, hip, cuda, emulator;
  std::unique_ptr<std::deque<DeviceEntry>> devices; // once asked for; entries never change then
  bool emulatorListed = false;
  std::shared_ptr<CompilerLibrary> compiler;
  std::unordered_map<std::string, std::shared_ptr<CacheEntry>> cache; // by request bytes
  std::condition_variable cacheChanged;
  std::unordered_map<Device *, std::shared_ptr<DeviceLog>> logs; // of opened devices
  std::atomic<uint64_t> compileCount = 0; // not under the lock: counted where builds run
  std::atomic<bool> dumpRefused = false;  // what TL_DUMP may be was said

  bool ignoreEnvironment() const { return options.flags & TL_CONTEXT_IGNORE_ENVIRONMENT; }
  /// What kernels print on a device. The lock must be held.
  std::shared_ptr<DeviceLog> logOf(const std::shared_ptr<Device> &device);
  /// Opens drivers on first use and lists what there is. The lock must be held.
  const std::deque<DeviceEntry> &deviceList();
  /// With the devices of the emulator, which is opened.
  const std::deque<DeviceEntry> &fullDeviceList();
  /// The compiler library, opened on first use.
  Result<std::shared_ptr<CompilerLibrary>> openCompiler();
};

/// "interp" for the interpreter device; else the target kernels are compiled for.
struct OpenDevice {
  std::shared_ptr<ContextState> context;
  std::string name, description, target;
  std::shared_ptr<Device> device; // interp: the host device, for memory and streams
  std::shared_ptr<DeviceLog> log;
  bool interp = false;
};

/// Memory of a sequence's temporaries that its kernel keeps.
struct OwnWorkspace {
  void *memory = nullptr;
  size_t bytes = 0;
};

} // namespace tl

struct tl_context {
  std::shared_ptr<tl::ContextState> state;
};

struct tl_device {
  std::shared_ptr<const tl::OpenDevice> open;
};

struct tl_graph {
  tl::GraphBuilder builder;
  std::string text;
  tl::Bytes bytes;
  tl::Module module; // of a text: its members; the builder goes on with the last one
  /// A building call has run out of memory: what it left is not to be looked at.
  bool exhausted = false;

  /// For calls within a guard.
  const tl::GraphBuilder &whole() const {
    if (exhausted)
      throw std::bad_alloc();
    return builder;
  }
};

struct tl_kernel {
  std::shared_ptr<tl::ContextState> context;
  std::shared_ptr<const tl::OpenDevice> device; // null: compiled for targets only
  std::vector<std::shared_ptr<const tl::Built>>
      built;             // what the codes come from; may be empty (loaded from bytes)
  tl::Artifact artifact; // with locations
  std::string key;
  size_t codeIndex = 0; // of `artifact.codes`, for the device
  bool compiledNow = false;
  tl::BuildTiming timing;
  std::unique_ptr<tl::Graph> interpGraph;          // interp device
  std::vector<std::unique_ptr<tl_kernel>> members; // of a sequence or library, for the device

  mutable std::mutex mutex; // guards what follows, but for the atomic
  mutable std::atomic<const tl::LoadedKernel *> loaded{nullptr};
  mutable std::shared_ptr<tl::LoadedKernel> loadedOwner;
  mutable uint32_t logNumber = 0; // set before `loaded` is; 0 = it prints nothing
  mutable tl::Bytes saved;
  mutable std::deque<tl::OwnWorkspace> workspaces; // the last one is the largest
  mutable std::atomic<const tl::OwnWorkspace *> workspace{nullptr};

  tl_kernel() = default;
  ~tl_kernel();

  // Arrays that tl_kernel_get_argument lends out.
  std::vector<std::vector<int64_t>> extentTexts, strideTexts;
};

namespace tl {

/// Completes a kernel whose artifact and device are set: picks the code for the device.
Status finishKernel(tl_kernel &kernel);
/// The graph that an artifact carries, if it is the graph of that artifact: TL_E_UNSUPPORTED when
/// there is none, TL_E_CORRUPT when its arguments are not those that the artifact declares.
Result<Graph> embeddedGraph(const Artifact &artifact);
/// TL_E_UNSUPPORTED for a library, which is not `what` ("launched") as a whole.
Status refuseLibrary(const tl_kernel &kernel, const char *what);
/// Loads the code onto the device unless it is there already.
Status ensureLoaded(const tl_kernel &kernel);

} // namespace tl
