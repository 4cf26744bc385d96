// In-order queues of the host device, and events between them. A stream that has commands is a task
// of the worker pool; a stream that has to wait for an event gives its worker back and becomes a
// task again when the event comes.
#pragma once

#include "driver/host/worker_pool.h"

namespace tl {

class HostStream;
class HostKernel;

/// A point in a stream that others can wait for.
class HostEvent {
public:
  /// Blocks until the last record has been reached; false when there was none.
  bool synchronize();
  /// When the last record was reached.
  int64_t nanoseconds();

private:
  friend class HostStream;
  std::mutex mutex;
  std::condition_variable reached;
  uint64_t recorded = 0;  // records put into streams so far
  uint64_t completed = 0; // number of the latest one that a stream has come by
  int64_t time = 0;
  HostStream *waiters = nullptr; // streams that gave their worker back
};

/// A stream. All members may be called from any thread.
class HostStream final : public WorkerPool::Task {
public:
  explicit HostStream(WorkerPool &pool);
  /// Waits until the queue is empty.
  ~HostStream();

  /// Whether the pointer is a living stream, as far as a look at it can tell.
  static bool valid(const void *stream);

  tl_status launch(const HostKernel &kernel, int64_t total, const uint64_t *slots,
                   size_t slotCount) noexcept;
  void copy(void *to, const void *from, size_t bytes);
  void fill(void *to, uint32_t pattern, uint32_t patternBytes, size_t count);
  void record(const std::shared_ptr<HostEvent> &event);
  void wait(const std::shared_ptr<HostEvent> &event);
  /// Waits for everything put in so far; returns and forgets the first failure.
  tl_status synchronize();
  /// The same without a word about failures.
  void drain();

private:
  enum class Kind : uint8_t { Launch, Copy, Fill, Record, Wait };
  // Reused over and over: its argument storage only grows.
  struct Command {
    Kind kind = Kind::Launch;
    const HostKernel *kernel = nullptr;
    int64_t count = 0; // programs, bytes, elements
    std::unique_ptr<uint64_t[]> slots;
    size_t slotCapacity = 0;
    void *to = nullptr;
    const void *from = nullptr;
    uint32_t pattern = 0, patternBytes = 0;
    std::shared_ptr<HostEvent> event;
    uint64_t number = 0; // of the event's record
  };
  // A host that runs this far ahead waits.
  static constexpr uint64_t kCapacity = 1024;
  static constexpr uint64_t kMagic = 0x746c686f73747374; // "tlhostst"

  void run(Worker &worker) override;
  bool execute(Command &command, Worker &worker);
  void reach(HostEvent &event, uint64_t number);
  void waitFor(std::unique_lock<std::mutex> &lock);
  template <class Fill> bool push(Fill fill);

  uint64_t magic = kMagic;
  WorkerPool &pool;
  std::mutex mutex;
  std::condition_variable changed;
  int sleepers = 0;       // in `changed`
  bool scheduled = false; // in the pool, running, or waiting for an event
  uint64_t enqueued = 0;
  std::atomic<uint64_t> completed{0};
  tl_status failure = TL_OK;
  std::unique_ptr<Command[]> ring;
  HostStream *nextWaiter = nullptr; // of the event this stream waits for
};

} // namespace tl
