#include "hipemu/stream.h"

#include "hipemu/capture.h"
#include "hipemu/runtime.h"

#include <algorithm>
#include <pthread.h>
#include <unistd.h>

namespace tl::hipemu {

void joinClock(Clock &into, const Clock &other) {
  if (into.size() < other.size())
    into.resize(other.size());
  for (size_t i = 0; i < other.size(); ++i)
    into[i] = std::max(into[i], other[i]);
}

StreamPtr Runtime::makeStream(StreamKind kind, int device, unsigned flags, int priority) {
  auto stream = std::make_shared<Stream>();
  stream->kind = kind;
  stream->device = device;
  stream->flags = flags;
  stream->priority = priority;
  takeNumber(*stream);
  devices[size_t(device)]->streams.push_back(stream);
  if (kind == StreamKind::User)
    streams.emplace(stream.get(), stream);
  return stream;
}

// A number of a stream that is gone goes on counting where that one ended, once the host knows all
// of its operations to be finished: clocks stay short.
void Runtime::takeNumber(Stream &stream) {
  auto finished = [&](const RetiredNumber &retired) {
    return retired.sequence == 0 ||
           (retired.number < hostClock.size() && hostClock[retired.number] >= retired.sequence);
  };
  auto found = std::find_if(retiredNumbers.begin(), retiredNumbers.end(), finished);
  if (found == retiredNumbers.end()) {
    stream.number = nextStream++;
    return;
  }
  stream.number = found->number;
  stream.sequence = found->sequence;
  retiredNumbers.erase(found);
}

// What later operations are ordered after stays known when the stream is gone.
void Runtime::retire(const StreamPtr &stream) {
  Device &device = *devices[size_t(stream->device)];
  if (!std::erase(device.streams, stream))
    return;
  joinClock(device.retired, stream->clock);
  if (stream->blocking())
    joinClock(device.retiredBlocking, stream->clock);
  retiredNumbers.push_back({stream->number, stream->sequence});
}

void Runtime::closeStream(Stream &stream) {
  Device &device = *devices[size_t(stream.device)];
  stream.closing = true;
  auto live = streams.find(&stream);
  StreamPtr keep;
  for (const StreamPtr &candidate : device.streams)
    if (candidate.get() == &stream)
      keep = candidate;
  if (live != streams.end())
    streams.erase(live);
  if (keep && stream.queue.empty())
    retire(keep);
  stream.wake.notify_all();
}

int Runtime::findStream(hipStream_t handle, StreamPtr &stream) {
  uintptr_t value = reinterpret_cast<uintptr_t>(handle);
  if (value == 0 || value == kStreamLegacy) {
    stream = currentDevice().legacy;
    return hipSuccess;
  }
  if (value == kStreamPerThread) {
    Thread &thread = Thread::current();
    StreamPtr &mine = thread.streams[thread.device];
    if (!mine)
      mine = makeStream(StreamKind::PerThread, thread.device, hipStreamDefault, 0);
    stream = mine;
    return hipSuccess;
  }
  auto found = streams.find(handle);
  if (found == streams.end())
    return hipErrorContextIsDestroyed;
  stream = found->second;
  return hipSuccess;
}

// The legacy stream waits for all blocking streams of its device, and they for it.
void Runtime::orderWithLegacy(Stream &stream, Command &command, Clock &clock) {
  Device &device = *devices[size_t(stream.device)];
  auto after = [&](const Stream &other) {
    joinClock(clock, other.clock);
    if (other.last && !other.last->done)
      command.waits.push_back(other.last);
  };
  if (stream.kind == StreamKind::Legacy) {
    for (const StreamPtr &other : device.streams)
      if (other->blocking())
        after(*other);
    joinClock(clock, device.retiredBlocking);
  } else if (stream.blocking()) {
    after(*device.legacy);
  }
}

CommandPtr Runtime::enqueue(Stream &stream, std::shared_ptr<const Action> action,
                            const std::vector<CommandPtr> &waits) {
  auto command = std::make_shared<Command>();
  Clock clock = stream.clock;
  joinClock(clock, hostClock);
  orderWithLegacy(stream, *command, clock);
  for (const CommandPtr &other : waits) {
    joinClock(clock, other->clock);
    if (!other->done)
      command->waits.push_back(other);
  }
  if (action) {
    command->operation.stream = stream.number;
    command->operation.sequence = ++stream.sequence;
    command->operation.clock = clock;
    command->operation.name = action->name;
    if (clock.size() <= stream.number)
      clock.resize(stream.number + 1);
    clock[stream.number] = stream.sequence;
  }
  command->action = std::move(action);
  command->clock = clock;
  stream.clock = std::move(clock);
  stream.last = command;
  stream.queue.push_back(command);
  if (stream.started) {
    stream.wake.notify_all();
    return command;
  }
  StreamPtr owner;
  for (const StreamPtr &candidate : devices[size_t(stream.device)]->streams)
    if (candidate.get() == &stream)
      owner = candidate;
  pthread_t thread;
  auto *argument = new StreamPtr(owner);
  stream.started = pthread_create(&thread, nullptr, threadMain, argument) == 0;
  if (stream.started) {
    pthread_detach(thread);
    return command;
  }
  delete argument;
  devices[size_t(stream.device)]->fault = {hipErrorOutOfMemory, "no thread for a stream"};
  stream.queue.clear();
  command->done = true;
  return command;
}

void *Runtime::threadMain(void *argument) {
  std::unique_ptr<StreamPtr> stream(static_cast<StreamPtr *>(argument));
  Runtime &runtime = get();
  Lock lock(runtime.mutex);
  runtime.work(lock, *stream);
  return nullptr;
}

void Runtime::work(Lock &lock, const StreamPtr &stream) {
  while (!stopping) {
    if (stream->queue.empty()) {
      if (stream->closing) {
        retire(stream);
        return;
      }
      stream->wake.wait(lock);
      continue;
    }
    CommandPtr command = stream->queue.front();
    auto ready = [&] {
      return stopping || std::all_of(command->waits.begin(), command->waits.end(),
                                     [](const CommandPtr &other) { return other->done; });
    };
    progress.wait(lock, ready);
    if (stopping)
      return;
    command->waits.clear();
    if (command->action)
      runCommand(lock, *stream, command);
    command->done = true;
    command->finished = std::chrono::steady_clock::now();
    stream->queue.pop_front();
    progress.notify_all();
  }
}

// A number below `limit` that is the same for the same operation and seed: 64-bit finalizer of
// MurmurHash3 over both.
static uint64_t delayOf(const emu::Operation &operation, uint64_t seed, uint64_t limit) {
  uint64_t x = seed * 0x9e3779b97f4a7c15 + (uint64_t(operation.stream) << 40) + operation.sequence;
  x = (x ^ (x >> 33)) * 0xff51afd7ed558ccd;
  x = (x ^ (x >> 33)) * 0xc4ceb9fe1a85ec53;
  return (x ^ (x >> 33)) % limit;
}

void Runtime::runCommand(Lock &lock, Stream &, const CommandPtr &command) {
  Device &device = *devices[size_t(command->action->device)];
  bool skipped = device.fault.code != hipSuccess; // nothing runs after a fault
  const bool releases = command->action->type == NodeType::MemFree;
  const uint64_t bytes = command->action->bytes;
  if (!skipped) {
    // A function of the host may tell any of its threads what is finished by now.
    if (command->action->type == NodeType::Host)
      joinHost(command->operation.clock);
    ++active;
    lock.unlock();
    Settings now = settings();
    if (now.delay)
      usleep(useconds_t(delayOf(command->operation, now.options.seed, now.delay + 1)));
    Fault fault = perform(*this, *command->action, command->operation);
    command->action.reset(); // may unload code: not under the lock
    lock.lock();
    --active;
    if (fault.code && !device.fault.code) {
      logFault(*this, device.ordinal, fault);
      device.fault = std::move(fault);
    }
  }
  if (releases)
    device.used -= bytes;
}

int Runtime::wait(Lock &lock, const CommandPtr &command) {
  if (Thread::current().inHostFunction)
    return hipErrorNotSupported;
  progress.wait(lock, [&] { return command->done || stopping; });
  joinHost(command->clock);
  return hipSuccess;
}

std::vector<StreamPtr> Runtime::relatedStreams(Stream &stream) {
  std::vector<StreamPtr> related;
  for (const StreamPtr &other : devices[size_t(stream.device)]->streams)
    if (other.get() == &stream || (stream.kind == StreamKind::Legacy && other->blocking()))
      related.push_back(other);
  return related;
}

// Waits for what is in the streams now; what other threads add meanwhile is theirs.
static int waitForAll(Runtime &runtime, Lock &lock, const std::vector<StreamPtr> &streams) {
  std::vector<CommandPtr> commands;
  for (const StreamPtr &stream : streams)
    if (stream->last)
      commands.push_back(stream->last);
  for (const CommandPtr &command : commands)
    if (int code = runtime.wait(lock, command))
      return code;
  return hipSuccess;
}

int Runtime::synchronize(Lock &lock, Stream &stream) {
  Device &device = *devices[size_t(stream.device)];
  if (stream.kind == StreamKind::Legacy)
    joinHost(device.retiredBlocking);
  if (int code = waitForAll(*this, lock, relatedStreams(stream)))
    return code;
  return device.fault.code;
}

int Runtime::synchronize(Lock &lock, Device &device) {
  Clock retired = device.retired;
  if (int code = waitForAll(*this, lock, std::vector<StreamPtr>(device.streams)))
    return code;
  joinHost(retired);
  return device.fault.code;
}

bool Runtime::finished(Stream &stream) {
  std::vector<StreamPtr> related = relatedStreams(stream);
  for (const StreamPtr &other : related)
    if (other->last && !other->last->done)
      return false;
  for (const StreamPtr &other : related)
    joinHost(other->clock);
  if (stream.kind == StreamKind::Legacy)
    joinHost(devices[size_t(stream.device)]->retiredBlocking);
  return true;
}

int Runtime::drain(Lock &lock) {
  for (const auto &device : devices)
    if (int code = drain(lock, *device))
      return code;
  return hipSuccess;
}

// A fault is no failure of waiting for it.
int Runtime::drain(Lock &lock, Device &device) {
  const int code = synchronize(lock, device);
  return code == hipErrorNotSupported ? code : hipSuccess;
}

void Runtime::stop(Lock &lock) {
  stopping = true;
  progress.notify_all();
  // A function that a stream calls may be what ends the process.
  const unsigned own = Thread::current().inHostFunction ? 1 : 0;
  progress.wait(lock, [&] { return active == own; });
}

int Runtime::submit(Lock &, Stream &stream, std::shared_ptr<const Action> action,
                    CommandPtr *command) {
  if (int code = captureRefuses(*this, stream))
    return code;
  if (stream.capture) {
    captureAction(*this, stream, std::move(action));
    return hipSuccess;
  }
  if (int code = devices[size_t(stream.device)]->fault.code)
    return code;
  CommandPtr queued = enqueue(stream, std::move(action));
  if (command)
    *command = queued;
  return hipSuccess;
}

} // namespace tl::hipemu
