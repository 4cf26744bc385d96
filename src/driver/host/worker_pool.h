// The threads of the host device. A task is one stream's turn to run its commands; a kernel inside
// it is a job that idle workers join. Programs are handed out in ascending order in chunks, so that
// a program has started only when all lower-numbered ones have, and results do not depend on who
// ran what.
#pragma once

#include "driver/driver.h"
#include "driver/host/fork_mark.h"

#include <atomic>
#include <condition_variable>
#include <pthread.h>

namespace tl {

/// The entry of a host kernel: runs programs first <= p < last (first axis fastest).
using HostFunction = void (*)(const uint64_t *slots, int64_t first, int64_t last, void *arena);

/// Scratch memory of one worker, 64-byte aligned; grows and stays.
class Arena {
public:
  Arena() = default;
  Arena(const Arena &) = delete;
  Arena &operator=(const Arena &) = delete;
  ~Arena();
  /// False when there is no memory.
  bool reserve(size_t bytes) noexcept;
  void *data() const { return memory; }

private:
  void *memory = nullptr;
  size_t size = 0;
};

/// One of the pool's threads, as tasks see it.
struct Worker {
  Arena arena;
  pthread_t thread{};
  class WorkerPool *pool = nullptr;
};

class WorkerPool {
public:
  /// Something to run on a worker. Not owned; it must outlive its run, and is in the pool at most
  /// once.
  class Task {
  public:
    virtual void run(Worker &worker) = 0;

  protected:
    ~Task() = default;

  private:
    friend class WorkerPool;
    Task *next = nullptr;
  };

  /// `threads` workers, 0 = one per processor of this process. With a parallelFor hook one worker
  /// runs the tasks and the hook's threads the programs.
  WorkerPool(uint32_t threads, const ParallelFor &parallelFor);
  /// All tasks must have ended.
  ~WorkerPool();

  /// Starts the threads if they do not run yet; needed once before submit(). Errors as
  /// checkProcess().
  Status start();
  /// Whether this is a child of the process that started the threads: it has none of them, and
  /// nothing of the pool may be waited for.
  bool foreign() const noexcept { return mark.crossed(); }
  /// TL_E_UNSUPPORTED in such a child.
  Status checkProcess() const;
  /// Runs a task soon. Never allocates.
  void submit(Task &task) noexcept;
  /// Whether tasks wait for a worker.
  bool busy() const { return waiting.load(std::memory_order_relaxed) > 0; }

  /// Runs all `total` programs of a kernel on this worker and those that are idle; returns when
  /// they are done. `cost` remembers nanoseconds per program between launches (0 = unknown).
  /// TL_E_OUT_OF_MEMORY when there is none for the arena: then nothing ran.
  tl_status runPrograms(Worker &worker, HostFunction function, const uint64_t *slots, int64_t total,
                        size_t arenaBytes, std::atomic<float> &cost) noexcept;

  /// Programs that run at once at most.
  uint32_t width() const { return lanes; }

private:
  struct Job;
  static void *threadMain(void *worker);
  static void hookBody(void *context, int64_t index);
  Status startThread(Worker &worker);
  void workerLoop(Worker &worker);
  void idle(uint32_t seen) noexcept;
  void wake(uint32_t count) noexcept;
  Job *joinableJob() noexcept;
  void help(Job &job, Worker &worker) noexcept;
  void runShared(Job &job, Arena &arena) noexcept;
  void runTogether(Job &job, Arena &arena) noexcept;

  ParallelFor hook;
  uint32_t lanes = 1;
  bool spinAllowed = false;
  ForkMark mark; // set when the threads start

  std::mutex mutex;
  bool started = false, stopping = false;
  Task *first = nullptr, *last = nullptr; // ready tasks
  Job *jobs = nullptr;                    // jobs with programs to hand out
  std::condition_variable jobDone;
  std::vector<std::unique_ptr<Worker>> workers;

  std::mutex arenaMutex; // of the hook's threads
  std::vector<std::unique_ptr<Arena>> hookArenas;

  std::atomic<int32_t> waiting{0};   // ready tasks
  std::atomic<uint32_t> epoch{0};    // changes whenever there is something new to do
  std::atomic<bool> spinning{false}; // one idle worker watches `epoch` before it sleeps
};

/// Nanoseconds of a clock that never goes back.
int64_t monotonicNanoseconds() noexcept;
/// Tells the processor that this is a waiting loop.
inline void spinPause() noexcept { __builtin_ia32_pause(); }
/// How long a thread watches for something before it sleeps.
inline constexpr int64_t kSpinNanoseconds = 20'000;

} // namespace tl
