// The state of the stand-in runtime: one machine for the process, made on the first call that needs
// it and never unmade. One lock guards everything here; actions run without it.
#pragma once

#include "hipemu/fault_injection.h"
#include "hipemu/module.h"
#include "hipemu/settings.h"
#include "hipemu/stream.h"
#include "hipemu/trace.h"

#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

namespace tl::hipemu {

struct MemoryPool {
  int device = 0;
  bool isDefault = false;
  uint64_t used = 0, usedHigh = 0, releaseThreshold = 0;
  int reuse[3] = {1, 1, 1}; // event dependencies, opportunistic, internal dependencies
};

/// An allocation that the program may use: gone from the table with the call that frees it, even if
/// the release itself waits for its stream.
struct Block {
  uint64_t address = 0, bytes = 0;
  emu::MemoryKind kind = emu::MemoryKind::Device;
  int device = 0;
  unsigned flags = 0;
  MemoryPool *pool = nullptr;
  const Module *module = nullptr; // a variable of its code: not to be freed
  uint64_t end() const { return address + bytes; }
  bool onHost() const { return kind != emu::MemoryKind::Device; }
};

struct Device {
  int ordinal = 0;
  const emu::ChipInfo *chip = nullptr;
  Fault fault; // sticky: what every call answers since
  StreamPtr legacy;
  std::vector<StreamPtr> streams; // all whose threads may run, the legacy one included
  Clock retired, retiredBlocking; // of streams that are gone: of all, and of the blocking ones
  uint64_t used = 0, limit = 0;   // bytes of device memory
  MemoryPool defaultPool;
  MemoryPool *pool = nullptr;
  std::set<int> peers;
};

struct CallConfiguration {
  dim3 grid, block;
  size_t sharedBytes;
  hipStream_t stream;
};

/// What HIP keeps for each thread of the host.
struct Thread {
  int device = 0;
  int captureMode = hipStreamCaptureModeGlobal;
  int lastResult = 0, lastError = 0;
  std::vector<CallConfiguration> configurations;
  std::map<int, StreamPtr> streams; // hipStreamPerThread of each device
  uint32_t number = 0;              // for traces
  bool inHostFunction = false;      // of a stream, which must not wait for streams
  ~Thread();
  static Thread &current();
};

using Lock = std::unique_lock<std::mutex>;

class Runtime {
public:
  /// Never destroyed: threads of streams may outlive static destructors.
  static Runtime &get();

  /// Makes the machine on the first call: hipSuccess, or why there is no device.
  int start();
  bool running() const { return started; }
  /// The machine's threads did not come along into this process.
  bool isForked() const { return forked; }
  /// Changes settings: "key=value;key=value"; "key?=value" sets what the environment did not.
  Status configure(std::string_view text);
  Settings settings() const;

  Device *device(int ordinal);
  /// The device of the calling thread; the machine must run.
  Device &currentDevice();
  size_t deviceCount() const { return devices.size(); }

  // Streams (stream.cc)
  StreamPtr makeStream(StreamKind kind, int device, unsigned flags, int priority);
  void closeStream(Stream &stream);
  /// The stream of a handle; an error for one that is none (any more).
  int findStream(hipStream_t handle, StreamPtr &stream);
  /// Puts a command at a stream's end, ordered after `waits` too.
  CommandPtr enqueue(Stream &stream, std::shared_ptr<const Action> action,
                     const std::vector<CommandPtr> &waits = {});
  /// Runs an action in a stream, or records it when the stream captures.
  int submit(Lock &lock, Stream &stream, std::shared_ptr<const Action> action,
             CommandPtr *command = nullptr);
  /// The host waits, and whatever it starts next is ordered after the command.
  [[nodiscard]] int wait(Lock &lock, const CommandPtr &command);
  /// Waits for all that is in a stream now; for the legacy one also for those it is ordered with.
  int synchronize(Lock &lock, Stream &stream);
  int synchronize(Lock &lock, Device &device);
  /// Whether synchronize would not wait; then the host's clock is joined as by a wait.
  bool finished(Stream &stream);
  void joinHost(const Clock &clock) { joinClock(hostClock, clock); }
  /// Waits for all streams of all devices, or of one. An error only where nobody may wait.
  int drain(Lock &lock);
  int drain(Lock &lock, Device &device);
  /// Lets no further command start and waits for those that run.
  void stop(Lock &lock);

  // Memory (memory.cc)
  /// The allocation that `pointer` lies in, or NULL.
  Block *findBlock(const void *pointer);

  mutable std::mutex mutex;
  std::condition_variable progress; // a command is done
  std::unique_ptr<emu::Emulator> emulator;
  std::vector<std::unique_ptr<Device>> devices;
  std::unordered_map<const Stream *, StreamPtr> streams; // live handles
  std::unordered_set<const Event *> events;
  std::unordered_map<const Module *, std::unique_ptr<Module>> modules;
  std::unordered_set<const Function *> functions;
  std::unordered_set<const MemoryPool *> pools;
  std::unordered_map<const Graph *, std::unique_ptr<Graph>> graphs;
  std::unordered_set<const GraphNode *> nodes;
  std::unordered_map<const GraphExec *, std::shared_ptr<GraphExec>> execs;
  std::vector<std::shared_ptr<Capture>> captures;
  std::map<uint64_t, Block> blocks; // by address
  Clock hostClock;                  // what the host knows to be finished
  uint64_t nextNode = 0;

  FaultInjection faults;
  std::atomic<bool> logging{true}; // the setting `log`
  Trace trace;

private:
  Runtime();
  Status applySetting(std::string_view key, std::string_view value, bool weak);
  void work(Lock &lock, const StreamPtr &stream);
  static void *threadMain(void *argument);
  void orderWithLegacy(Stream &stream, Command &command, Clock &clock);
  void runCommand(Lock &lock, Stream &stream, const CommandPtr &command);
  std::vector<StreamPtr> relatedStreams(Stream &stream);
  void writeReport();
  static void atExit();

  mutable std::mutex startMutex; // guards the settings and the making of the machine
  Settings current;
  std::atomic<bool> started{false};
  std::atomic<bool> forked{false}; // this process is a child of the one that started
  bool tried = false;
  int startError = 0;
  std::string startProblem; // the entry of current.problems that says why there is no device
  void takeNumber(Stream &stream);
  void retire(const StreamPtr &stream);
  struct RetiredNumber {
    uint32_t number;
    uint64_t sequence; // of the last operation
  };
  std::vector<RetiredNumber> retiredNumbers; // of streams that are gone
  uint32_t nextStream = 0;
  unsigned active = 0; // actions that run now
  bool stopping = false;
};

/// Runs an action on the machine, on the calling thread.
Fault perform(Runtime &runtime, const Action &action, const emu::Operation &operation);
/// Says a fault on stderr, unless that is turned off.
void logFault(const Runtime &runtime, int device, const Fault &fault);

} // namespace tl::hipemu
