#include "driver/host/stream.h"

#include "driver/host/kernel.h"

#include <algorithm>
#include <cstring>
#include <new>

namespace tl {

// A copy this small into an idle stream is done at once: waking a worker takes longer.
static constexpr size_t kCopyNow = 64 << 10;
// A stream with more commands than this lets other streams have the worker.
static constexpr int kTurn = 32;

bool HostEvent::synchronize() {
  std::unique_lock lock(mutex);
  if (recorded == 0)
    return false;
  uint64_t target = recorded;
  reached.wait(lock, [&] { return completed >= target; });
  return true;
}

int64_t HostEvent::nanoseconds() {
  std::lock_guard lock(mutex);
  return time;
}

HostStream::HostStream(WorkerPool &pool) : pool(pool), ring(new Command[kCapacity]) {}

HostStream::~HostStream() {
  std::unique_lock lock(mutex);
  ++sleepers;
  changed.wait(lock, [&] { return !scheduled; });
  magic = 0;
}

bool HostStream::valid(const void *stream) {
  return reinterpret_cast<uintptr_t>(stream) % alignof(HostStream) == 0 &&
         static_cast<const HostStream *>(stream)->magic == kMagic;
}

// Lets `fill` write the next command; false when it could not.
template <class Fill> bool HostStream::push(Fill fill) {
  bool idle;
  {
    std::unique_lock lock(mutex);
    if (enqueued - completed.load(std::memory_order_relaxed) == kCapacity) {
      ++sleepers;
      changed.wait(lock, [&] { return enqueued - completed.load() < kCapacity; });
      --sleepers;
    }
    if (!fill(ring[enqueued % kCapacity]))
      return false;
    ++enqueued;
    idle = !scheduled;
    scheduled = true;
  }
  if (idle)
    pool.submit(*this);
  return true;
}

tl_status HostStream::launch(const HostKernel &kernel, int64_t total, const uint64_t *slots,
                             size_t slotCount) noexcept {
  bool ok = push([&](Command &c) {
    if (c.slotCapacity < slotCount) {
      c.slots.reset(new (std::nothrow) uint64_t[slotCount]);
      c.slotCapacity = c.slots ? slotCount : 0;
      if (!c.slots)
        return false;
    }
    c.kind = Kind::Launch;
    c.kernel = &kernel;
    c.count = total;
    std::copy_n(slots, slotCount, c.slots.get());
    return true;
  });
  return ok ? TL_OK : TL_E_OUT_OF_MEMORY;
}

void HostStream::copy(void *to, const void *from, size_t bytes) {
  if (bytes <= kCopyNow) {
    std::lock_guard lock(mutex);
    if (!scheduled) {
      std::memmove(to, from, bytes);
      return;
    }
  }
  push([&](Command &c) {
    c.kind = Kind::Copy;
    c.to = to;
    c.from = from;
    c.count = int64_t(bytes);
    return true;
  });
}

void HostStream::fill(void *to, uint32_t pattern, uint32_t patternBytes, size_t count) {
  push([&](Command &c) {
    c.kind = Kind::Fill;
    c.to = to;
    c.pattern = pattern;
    c.patternBytes = patternBytes;
    c.count = int64_t(count);
    return true;
  });
}

// The number is taken while the command is put in, so that nobody can wait for a record that is in
// no queue.
void HostStream::record(const std::shared_ptr<HostEvent> &event) {
  push([&](Command &c) {
    std::lock_guard lock(event->mutex);
    c.kind = Kind::Record;
    c.event = event;
    c.number = ++event->recorded;
    return true;
  });
}

void HostStream::wait(const std::shared_ptr<HostEvent> &event) {
  push([&](Command &c) {
    std::lock_guard lock(event->mutex);
    c.kind = Kind::Wait;
    c.event = event;
    c.number = event->recorded;
    return true;
  });
}

tl_status HostStream::synchronize() {
  std::unique_lock lock(mutex);
  waitFor(lock);
  return std::exchange(failure, TL_OK);
}

void HostStream::drain() {
  std::unique_lock lock(mutex);
  waitFor(lock);
}

// Waits for what is in the queue now; holds the lock again afterwards.
void HostStream::waitFor(std::unique_lock<std::mutex> &lock) {
  uint64_t target = enqueued;
  if (completed.load() < target) {
    lock.unlock();
    int64_t deadline = monotonicNanoseconds() + kSpinNanoseconds;
    while (completed.load(std::memory_order_acquire) < target && monotonicNanoseconds() < deadline)
      spinPause();
    lock.lock();
    ++sleepers;
    changed.wait(lock, [&] { return completed.load() >= target; });
    --sleepers;
  }
}

// One turn on a worker. The front command is the worker's alone until `completed` moves.
void HostStream::run(Worker &worker) {
  for (int turn = 0;; ++turn) {
    uint64_t front = completed.load(std::memory_order_relaxed);
    {
      std::lock_guard lock(mutex);
      if (front == enqueued) {
        scheduled = false;
        if (sleepers > 0)
          changed.notify_all();
        return; // nothing of this stream may be touched from here on: it may be gone
      }
    }
    if (turn >= kTurn && pool.busy())
      return pool.submit(*this);
    if (!execute(ring[front % kCapacity], worker))
      return; // an event has taken it over
    std::lock_guard lock(mutex);
    completed.store(front + 1, std::memory_order_release);
    if (sleepers > 0)
      changed.notify_all();
  }
}

static void fillMemory(void *to, uint32_t pattern, uint32_t patternBytes, size_t count) {
  switch (patternBytes) {
  case 1:
    std::memset(to, int(pattern & 0xff), count);
    break;
  case 2:
    std::fill_n(static_cast<uint16_t *>(to), count, uint16_t(pattern));
    break;
  default:
    std::fill_n(static_cast<uint32_t *>(to), count, pattern);
  }
}

// False when the stream has to wait and nothing of it may be touched any more.
bool HostStream::execute(Command &c, Worker &worker) {
  switch (c.kind) {
  case Kind::Launch: {
    tl_status status = pool.runPrograms(worker, c.kernel->entry(), c.slots.get(), c.count,
                                        c.kernel->arenaBytes, c.kernel->cost);
    if (status != TL_OK) {
      std::lock_guard lock(mutex);
      failure = failure == TL_OK ? status : failure;
    }
    return true;
  }
  case Kind::Copy:
    std::memmove(c.to, c.from, size_t(c.count));
    return true;
  case Kind::Fill:
    fillMemory(c.to, c.pattern, c.patternBytes, size_t(c.count));
    return true;
  case Kind::Record:
    reach(*c.event, c.number);
    c.event.reset();
    return true;
  case Kind::Wait: {
    {
      std::lock_guard lock(c.event->mutex);
      if (c.event->completed < c.number) {
        nextWaiter = c.event->waiters;
        c.event->waiters = this;
        return false;
      }
    }
    c.event.reset();
    return true;
  }
  }
  return true;
}

void HostStream::reach(HostEvent &event, uint64_t number) {
  HostStream *waiters;
  {
    std::lock_guard lock(event.mutex);
    if (number >= event.completed) {
      event.completed = number;
      event.time = monotonicNanoseconds();
    }
    waiters = std::exchange(event.waiters, nullptr);
    event.reached.notify_all();
  }
  while (waiters) { // those that wait for a later record will come back
    HostStream *stream = waiters;
    waiters = stream->nextWaiter;
    pool.submit(*stream);
  }
}

} // namespace tl
