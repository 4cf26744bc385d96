#include "driver/host/worker_pool.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <immintrin.h>
#include <sched.h>
#include <unistd.h>

namespace tl {

namespace {

constexpr size_t kStackBytes = size_t(8) << 20;
// Below this much work in all, waking others costs more than it gains.
constexpr double kAloneNanoseconds = 8'000;
// Chunks are at least this long, so that handing them out costs nothing.
constexpr double kChunkNanoseconds = 2'000;
// Round to nearest, denormals kept, exceptions masked: what the C ABI starts with, whatever the
// caller has set.
constexpr unsigned kFloatControl = 0x1f80;

uint32_t processorCount() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0)
    return uint32_t(std::max(1, CPU_COUNT(&set)));
  // More processors than the set holds.
  return uint32_t(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
}

} // namespace

int64_t monotonicNanoseconds() noexcept {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return int64_t(t.tv_sec) * 1'000'000'000 + t.tv_nsec;
}

Arena::~Arena() { std::free(memory); }

bool Arena::reserve(size_t bytes) noexcept {
  if (bytes <= size)
    return true;
  size_t rounded = (bytes + 4095) / 4096 * 4096;
  std::free(memory);
  memory = std::aligned_alloc(64, rounded);
  size = memory ? rounded : 0;
  return memory != nullptr;
}

// A kernel whose programs are being handed out. Lives on the stack of the worker that owns it;
// others reach it only through the pool's list, under the pool's mutex.
struct WorkerPool::Job {
  HostFunction function = nullptr;
  const uint64_t *slots = nullptr;
  int64_t total = 0;
  size_t arenaBytes = 0;
  int64_t minChunk = 1;
  int64_t shares = 1; // a chunk is this part of what is left
  std::atomic<int64_t> next{0};
  std::atomic<int32_t> helpers{0};
  int32_t helped = 0; // all who ever joined
  Job *nextJob = nullptr;
  WorkerPool *pool = nullptr;
};

WorkerPool::WorkerPool(uint32_t threads, const ParallelFor &parallelFor) : hook(parallelFor) {
  lanes = hook.run ? hook.threads : threads;
  if (lanes == 0)
    lanes = processorCount();
  lanes = std::min(lanes, 1024u);
  spinAllowed = processorCount() > 1;
}

WorkerPool::~WorkerPool() {
  {
    std::lock_guard lock(mutex);
    stopping = true;
  }
  epoch.fetch_add(1);
  epoch.notify_all();
  for (auto &worker : workers)
    pthread_join(worker->thread, nullptr);
}

Status WorkerPool::startThread(Worker &worker) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStackBytes);
  // The host's signals are handled on the host's threads; faults keep reaching its crash handlers.
  sigset_t blocked, before;
  sigfillset(&blocked);
  for (int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS})
    sigdelset(&blocked, fault);
  pthread_sigmask(SIG_SETMASK, &blocked, &before);
  int error = pthread_create(&worker.thread, &attributes, threadMain, &worker);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
  if (error)
    return makeError(TL_E_OUT_OF_MEMORY, "cannot start a worker thread (error %d)", error);
  pthread_setname_np(worker.thread, "tl-host");
  return {};
}

Status WorkerPool::checkProcess() const {
  if (!foreign())
    return {};
  return makeError(TL_E_UNSUPPORTED,
                   "the threads of the host device belong to the process that this one was forked "
                   "from; make a context after the fork");
}

Status WorkerPool::start() {
  TL_TRY(checkProcess());
  std::lock_guard lock(mutex);
  if (started)
    return {};
  mark.set();
  uint32_t count = hook.run ? 1 : lanes;
  workers.reserve(count);
  hookArenas.reserve(lanes);
  while (hook.run && hookArenas.size() < lanes)
    hookArenas.push_back(std::make_unique<Arena>());
  for (uint32_t i = 0; i < count; ++i) {
    auto worker = std::make_unique<Worker>();
    worker->pool = this;
    Status status = startThread(*worker);
    if (!status.ok()) {
      if (workers.empty())
        return status;
      lanes = uint32_t(workers.size()); // fewer threads do the same work
      break;
    }
    workers.push_back(std::move(worker));
  }
  started = true;
  return {};
}

void *WorkerPool::threadMain(void *argument) {
  Worker &worker = *static_cast<Worker *>(argument);
  _mm_setcsr(kFloatControl);
  worker.pool->workerLoop(worker);
  return nullptr;
}

void WorkerPool::workerLoop(Worker &worker) {
  for (;;) {
    uint32_t seen = epoch.load();
    std::unique_lock lock(mutex);
    if (Task *task = first) {
      first = task->next;
      if (!first)
        last = nullptr;
      waiting.fetch_sub(1, std::memory_order_relaxed);
      // Whoever submitted the next one may have counted on this worker alone.
      bool more = first || jobs;
      lock.unlock();
      if (more)
        wake(1);
      task->run(worker);
    } else if (Job *job = joinableJob()) {
      job->helpers.fetch_add(1, std::memory_order_relaxed);
      ++job->helped;
      lock.unlock();
      help(*job, worker);
    } else if (stopping) {
      return;
    } else {
      lock.unlock();
      idle(seen);
    }
  }
}

void WorkerPool::idle(uint32_t seen) noexcept {
  bool nobody = false;
  if (spinAllowed && spinning.compare_exchange_strong(nobody, true)) {
    int64_t deadline = monotonicNanoseconds() + kSpinNanoseconds;
    while (epoch.load() == seen && monotonicNanoseconds() < deadline)
      spinPause();
    spinning.store(false);
  }
  epoch.wait(seen); // returns at once when it has changed
}

void WorkerPool::wake(uint32_t count) noexcept {
  epoch.fetch_add(1);
  if (count > 0 && spinning.load())
    --count;
  if (count >= workers.size())
    return epoch.notify_all();
  for (; count > 0; --count)
    epoch.notify_one();
}

void WorkerPool::submit(Task &task) noexcept {
  {
    std::lock_guard lock(mutex);
    task.next = nullptr;
    (last ? last->next : first) = &task;
    last = &task;
    waiting.fetch_add(1, std::memory_order_relaxed);
  }
  wake(1);
}

WorkerPool::Job *WorkerPool::joinableJob() noexcept {
  for (Job *job = jobs; job; job = job->nextJob)
    if (job->next.load(std::memory_order_relaxed) < job->total)
      return job;
  return nullptr;
}

void WorkerPool::runShared(Job &job, Arena &arena) noexcept {
  int64_t begin = job.next.load(std::memory_order_relaxed);
  for (;;) {
    int64_t left = job.total - begin;
    if (left <= 0)
      return;
    int64_t end = begin + std::min(left, std::max(job.minChunk, left / job.shares));
    if (!job.next.compare_exchange_weak(begin, end, std::memory_order_relaxed))
      continue;
    job.function(job.slots, begin, end, arena.data());
    begin = job.next.load(std::memory_order_relaxed);
  }
}

void WorkerPool::help(Job &job, Worker &worker) noexcept {
  if (worker.arena.reserve(job.arenaBytes))
    runShared(job, worker.arena);
  // Under the mutex: the owner may leave as soon as it sees 0 and has held the mutex once more.
  std::lock_guard lock(mutex);
  if (job.helpers.fetch_sub(1, std::memory_order_release) == 1)
    jobDone.notify_all();
}

void WorkerPool::hookBody(void *context, int64_t) {
  Job &job = *static_cast<Job *>(context);
  WorkerPool &pool = *job.pool;
  std::unique_ptr<Arena> arena;
  {
    std::lock_guard lock(pool.arenaMutex);
    if (pool.hookArenas.empty())
      return; // more calls at once than the hook said: the others do the work
    arena = std::move(pool.hookArenas.back());
    pool.hookArenas.pop_back();
  }
  if (arena->reserve(job.arenaBytes)) {
    unsigned before = _mm_getcsr();
    _mm_setcsr(kFloatControl);
    pool.runShared(job, *arena);
    _mm_setcsr(before);
  }
  std::lock_guard lock(pool.arenaMutex);
  pool.hookArenas.push_back(std::move(arena)); // within the reserved capacity
}

// Runs alone in doubling chunks while that is quick; returns the first program that is left.
static int64_t runAlone(HostFunction function, const uint64_t *slots, int64_t total, void *arena,
                        int64_t started) noexcept {
  int64_t begin = 0;
  for (int64_t chunk = 1; begin < total; chunk *= 2) {
    int64_t end = begin + std::min(chunk, total - begin);
    function(slots, begin, end, arena);
    begin = end;
    if (double(monotonicNanoseconds() - started) > kAloneNanoseconds)
      break;
  }
  return begin;
}

void WorkerPool::runTogether(Job &job, Arena &arena) noexcept {
  if (hook.run) {
    hook.run(hook.user, std::min<int64_t>(job.total, lanes), hookBody, &job);
    runShared(job, arena); // what no call of the hook had memory for
    job.helped = int32_t(lanes) - 1;
    return;
  }
  {
    std::lock_guard lock(mutex);
    job.nextJob = jobs;
    jobs = &job;
  }
  wake(uint32_t(std::min<int64_t>(job.total, lanes)) - 1);
  runShared(job, arena);
  {
    std::lock_guard lock(mutex);
    Job **link = &jobs;
    while (*link != &job)
      link = &(*link)->nextJob;
    *link = job.nextJob;
  }
  int64_t deadline = monotonicNanoseconds() + kSpinNanoseconds;
  while (spinAllowed && job.helpers.load(std::memory_order_acquire) != 0 &&
         monotonicNanoseconds() < deadline)
    spinPause();
  std::unique_lock lock(mutex);
  jobDone.wait(lock, [&] { return job.helpers.load(std::memory_order_acquire) == 0; });
}

tl_status WorkerPool::runPrograms(Worker &worker, HostFunction function, const uint64_t *slots,
                                  int64_t total, size_t arenaBytes,
                                  std::atomic<float> &cost) noexcept {
  if (!worker.arena.reserve(arenaBytes))
    return TL_E_OUT_OF_MEMORY;
  if (lanes == 1 || total == 1) {
    function(slots, 0, total, worker.arena.data());
    return TL_OK;
  }
  double expected = double(cost.load(std::memory_order_relaxed));
  int64_t started = monotonicNanoseconds();
  Job job;
  job.function = function;
  job.slots = slots;
  job.total = total;
  job.arenaBytes = arenaBytes;
  job.pool = this;
  job.shares = int64_t(lanes) * 4;
  if (expected > 0)
    job.minChunk = std::clamp(int64_t(kChunkNanoseconds / expected), int64_t(1),
                              std::max(total / lanes, int64_t(1)));
  int64_t begin = 0;
  // Short last time: perhaps again.
  if (expected > 0 && expected * double(total) < kAloneNanoseconds)
    begin = runAlone(function, slots, total, worker.arena.data(), started);
  if (begin < total) {
    job.next.store(begin, std::memory_order_relaxed);
    runTogether(job, worker.arena);
  }
  double spent = double(monotonicNanoseconds() - started);
  cost.store(float(spent * (1 + job.helped) / double(total)), std::memory_order_relaxed);
  return TL_OK;
}

} // namespace tl
