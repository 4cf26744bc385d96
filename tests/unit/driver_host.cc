// The host device: order, events, threads, lifetimes, limits.
#include "driver/driver.h"
#include "driver/host/gdb_jit.h"
#include "driver_image.h"

#include <atomic>
#include <cfenv>
#include <cmath>
#include <limits>
#include <sys/resource.h>
#include <thread>

using namespace tl;
using namespace driver_test;

// Every kernel here takes its pointers as the first slots; the last three are the grid.
static const char *const kKernels = R"(
typedef const uint64_t *Slots;
// x[p] = 3 * x[p] + 1
KERNEL step(Slots s, int64_t first, int64_t last, void *arena) {
  uint64_t *x = (uint64_t *)s[0];
  for (int64_t p = first; p < last; ++p) x[p] = 3 * x[p] + 1;
}
// x[p] += 1, by any number of launches at once
KERNEL count(Slots s, int64_t first, int64_t last, void *arena) {
  for (int64_t p = first; p < last; ++p) __atomic_fetch_add((uint64_t *)s[0] + p, 1, __ATOMIC_RELAXED);
}
// takes a while, then x[p] = 7
KERNEL slow(Slots s, int64_t first, int64_t last, void *arena) {
  for (int64_t p = first; p < last; ++p) {
    for (int64_t i = 0; i < 3000000; ++i) __asm__ volatile("");
    ((uint64_t *)s[0])[p] = 7;
  }
}
// y[p] = x[p] of another buffer
KERNEL take(Slots s, int64_t first, int64_t last, void *arena) {
  for (int64_t p = first; p < last; ++p) ((uint64_t *)s[1])[p] = ((uint64_t *)s[0])[p];
}
// Uses 64 KB of scratch; y[p] = number of words that another program has changed meanwhile.
KERNEL scratch(Slots s, int64_t first, int64_t last, void *arena) {
  volatile uint64_t *a = arena;
  for (int64_t p = first; p < last; ++p) {
    uint64_t wrong = (uint64_t)arena % 64;
    for (int i = 0; i < 8192; ++i) a[i] = p * 8192 + i;
    for (int i = 0; i < 8192; ++i) wrong += a[i] != p * 8192 + i;
    ((uint64_t *)s[0])[p] = wrong;
  }
}
// x[p] = (1 + 2^-p) / 3 - 2^-1030: differs with the rounding mode and with denormals off
KERNEL divide(Slots s, int64_t first, int64_t last, void *arena) {
  volatile double tiny = 0x1p-1022;
  for (int64_t p = first; p < last; ++p) {
    double q = 0x1p-40 * (double)(p + 1);
    ((double *)s[0])[p] = (1 + q) / 3 + tiny * 0x1p-8 * 0x1p900 * 0x1p120;
  }
}
)";

static TargetCode kernelCode(const char *symbol) {
  static TargetCode all = buildKernel(kKernels, "");
  TargetCode code = all;
  code.symbol = symbol;
  code.arenaBytes = 65536;
  return code;
}

#define NEED_TOOLS                                                                                 \
  if (std::string why = missingTool(); !why.empty())                                               \
  SKIP(why)

static std::shared_ptr<Device> hostDevice(uint32_t threads = 0) {
  HostDriverOptions options;
  options.threads = threads;
  return openHostDriver(options)->devices().at(0);
}

static std::shared_ptr<LoadedKernel> loadKernel(Device &device, const char *symbol) {
  auto kernel = device.load(kernelCode(symbol));
  if (!kernel.ok()) {
    unit::fail(__FILE__, __LINE__, kernel.error().message);
    std::exit(1);
  }
  return *kernel;
}

static CallStatus launch(Device &device, const LoadedKernel &kernel, int64_t programs,
                         std::vector<const void *> pointers, void *stream = nullptr) {
  std::vector<uint64_t> slots;
  for (const void *p : pointers)
    slots.push_back(uint64_t(p));
  for (int64_t n : {programs, int64_t(1), int64_t(1)})
    slots.push_back(uint64_t(n));
  int64_t grid[3] = {programs, 1, 1};
  return device.launch(kernel, grid, slots.data(), slots.size(), stream);
}

UNIT_TEST(facts) {
  auto device = hostDevice(3);
  CHECK_EQ(device->name(), "host");
  CHECK(device->kind() == DriverKind::Host);
  CHECK(!device->description().empty());
  CHECK_EQ(device->limits().computeUnits, 3u);
  CHECK(device->limits().memoryBytes > 0);
  CHECK(device->captureState(nullptr) == CaptureState::None);
  if (std::string own = hostTarget(); !own.empty()) {
    CHECK_EQ(device->targets().at(0), own);
    CHECK(device->accepts(own).ok());
  }
  CHECK_EQ(device->accepts("amdgcn:gfx942").error().status, TL_E_UNKNOWN_TARGET);
}

UNIT_TEST(every_program_runs_once) {
  NEED_TOOLS;
  for (uint32_t threads : {1u, 2u, 5u, 16u}) {
    auto device = hostDevice(threads);
    auto kernel = loadKernel(*device, "count");
    for (int64_t programs : {1, 2, 3, 7, 64, 1000, 100000}) {
      std::vector<uint64_t> x(size_t(programs), 0);
      for (int round = 0; round < 3; ++round)
        CHECK(launch(*device, *kernel, programs, {x.data()}).ok());
      CHECK(device->synchronize(nullptr).ok());
      CHECK(std::count(x.begin(), x.end(), 3u) == programs);
    }
  }
}

UNIT_TEST(three_axes_are_one_row_of_programs) {
  NEED_TOOLS;
  auto device = hostDevice(4);
  auto kernel = loadKernel(*device, "count");
  std::vector<uint64_t> x(3 * 5 * 7 + 1, 0);
  uint64_t slots[] = {uint64_t(x.data()), 3, 5, 7};
  int64_t grid[] = {3, 5, 7};
  CHECK(device->launch(*kernel, grid, slots, 4, nullptr).ok());
  CHECK(device->synchronize(nullptr).ok());
  CHECK_EQ(std::count(x.begin(), x.end(), 1u), 105);
  CHECK_EQ(x.back(), 0u);
}

UNIT_TEST(empty_and_impossible_grids) {
  NEED_TOOLS;
  auto device = hostDevice();
  auto kernel = loadKernel(*device, "count");
  uint64_t slots[4] = {};
  auto status = [&](int64_t x, int64_t y, int64_t z) {
    int64_t grid[] = {x, y, z};
    return device->launch(*kernel, grid, slots, 4, nullptr).status;
  };
  CHECK_EQ(status(0, 1, 1), TL_OK);
  CHECK_EQ(status(1, 0, 1), TL_OK);
  CHECK_EQ(status(INT32_MAX, INT32_MAX, 0), TL_OK);
  CHECK_EQ(status(INT64_MAX, 0, INT64_MAX), TL_OK);
  CHECK_EQ(status(-1, 1, 1), TL_E_GRID);
  CHECK_EQ(status(INT64_MIN, 0, 1), TL_E_GRID);
  CHECK_EQ(status(int64_t(INT32_MAX) + 1, 1, 1), TL_E_GRID);
  CHECK_EQ(status(INT32_MAX, INT32_MAX, INT32_MAX), TL_E_GRID);
  auto words = [&](int64_t x, int64_t y, int64_t z) {
    int64_t grid[] = {x, y, z};
    return device->limits().checkGrid(kernel->threads, grid, "host").error().message;
  };
  CHECK_EQ(words(-1, 1, 1), "the grid has -1 programs along axis 0");
  CHECK_EQ(words(1, 1, int64_t(1) << 40),
           "the grid has 1099511627776 programs along axis 2; host takes at most "
           "2147483647 with 1 threads per program");
  CHECK_EQ(words(INT32_MAX, INT32_MAX, INT32_MAX),
           "the grid of 2147483647 x 2147483647 x 2147483647 has more than 2^63 - 1 programs");
}

// More launches than a queue holds, each depending on the one before.
UNIT_TEST(a_stream_keeps_order) {
  NEED_TOOLS;
  auto device = hostDevice(4);
  auto kernel = loadKernel(*device, "step");
  auto stream = device->createStream();
  REQUIRE_OK(stream);
  for (void *s : {static_cast<void *>(nullptr), *stream}) {
    std::vector<uint64_t> x(64, 1);
    uint64_t expected = 1;
    for (int i = 0; i < 5000; ++i) {
      CHECK(launch(*device, *kernel, 64, {x.data()}, s).ok());
      expected = 3 * expected + 1;
    }
    CHECK(device->synchronize(s).ok());
    CHECK(std::count(x.begin(), x.end(), expected) == 64);
  }
  CHECK(device->destroyStream(*stream).ok());
}

UNIT_TEST(sixteen_threads_launch_at_once) {
  NEED_TOOLS;
  auto device = hostDevice();
  auto kernel = loadKernel(*device, "count");
  for (bool own : {false, true}) {
    std::vector<uint64_t> x(100, 0);
    std::vector<std::thread> threads;
    std::atomic<int> failures{0};
    for (int t = 0; t < 16; ++t)
      threads.emplace_back([&] {
        void *stream = own ? device->createStream().value() : nullptr;
        for (int i = 0; i < 500; ++i)
          failures += !launch(*device, *kernel, 100, {x.data()}, stream).ok();
        failures += !device->synchronize(stream).ok();
        failures += !device->destroyStream(stream).ok();
      });
    for (auto &t : threads)
      t.join();
    CHECK(device->synchronizeAll().ok());
    CHECK_EQ(failures.load(), 0);
    CHECK(std::count(x.begin(), x.end(), 8000u) == 100);
  }
}

UNIT_TEST(events_order_streams) {
  NEED_TOOLS;
  auto device = hostDevice(2);
  auto slow = loadKernel(*device, "slow"), take = loadKernel(*device, "take");
  void *a = device->createStream().value(), *b = device->createStream().value();
  void *event = device->createEvent().value();
  CHECK(device->wait(b, event).ok()); // never recorded: holds nothing up
  for (int round = 0; round < 20; ++round) {
    uint64_t x = 0, y = 0;
    CHECK(launch(*device, *slow, 1, {&x}, a).ok());
    CHECK(device->record(event, a).ok());
    CHECK(device->wait(b, event).ok());
    CHECK(launch(*device, *take, 1, {&x, &y}, b).ok());
    CHECK(device->synchronize(b).ok());
    CHECK_EQ(y, 7u);
  }
  CHECK(device->destroyStream(a).ok() && device->destroyStream(b).ok() &&
        device->destroyEvent(event).ok());
}

// Far more streams wait than there are workers: none of them may sit on one.
UNIT_TEST(waiting_streams_hold_no_worker) {
  NEED_TOOLS;
  for (uint32_t workers : {1u, 2u}) {
    auto device = hostDevice(workers);
    auto slow = loadKernel(*device, "slow"), step = loadKernel(*device, "step");
    std::vector<void *> streams, events;
    for (int i = 0; i < 64; ++i) {
      streams.push_back(device->createStream().value());
      events.push_back(device->createEvent().value());
    }
    uint64_t x = 0, expected = 7;
    CHECK(launch(*device, *slow, 1, {&x}, streams[0]).ok());
    CHECK(device->record(events[0], streams[0]).ok());
    for (int i = 1; i < 64; ++i) {
      CHECK(device->wait(streams[i], events[i - 1]).ok());
      CHECK(launch(*device, *step, 1, {&x}, streams[i]).ok());
      CHECK(device->record(events[i], streams[i]).ok());
      expected = 3 * expected + 1;
    }
    CHECK(device->synchronizeEvent(events[63]).ok());
    CHECK_EQ(x, expected);
    for (void *e : events)
      CHECK(device->destroyEvent(e).ok());
    for (void *s : streams)
      CHECK(device->destroyStream(s).ok());
  }
}

UNIT_TEST(event_times) {
  NEED_TOOLS;
  auto device = hostDevice();
  auto slow = loadKernel(*device, "slow");
  void *start = device->createEvent().value(), *stop = device->createEvent().value();
  uint64_t x = 0;
  CHECK_EQ(device->elapsed(start, stop).error().message, "an event was never recorded");
  CHECK(device->record(start, nullptr).ok());
  CHECK(launch(*device, *slow, 1, {&x}).ok());
  CHECK(device->record(stop, nullptr).ok());
  auto ms = device->elapsed(start, stop); // waits
  REQUIRE_OK(ms);
  CHECK_EQ(x, 7u);
  CHECK(*ms > 0.1 && *ms < 60000);
  CHECK(*device->elapsed(start, start) == 0);
  CHECK(device->destroyEvent(start).ok());
  CHECK_EQ(device->elapsed(start, stop).error().status, TL_E_INVALID_ARGUMENT);
}

UNIT_TEST(handles_may_go_while_work_is_in_flight) {
  NEED_TOOLS;
  auto device = hostDevice(2);
  uint64_t x[8] = {}, y[8] = {};
  {
    auto slow = loadKernel(*device, "slow"), take = loadKernel(*device, "take");
    void *a = device->createStream().value(), *b = device->createStream().value();
    void *event = device->createEvent().value();
    CHECK(launch(*device, *slow, 8, {x}, a).ok());
    CHECK(device->record(event, a).ok());
    CHECK(device->wait(b, event).ok());
    CHECK(launch(*device, *take, 8, {x, y}, b).ok());
    CHECK(device->destroyEvent(event).ok());
    CHECK(device->destroyStream(b).ok()); // finishes its work first
    CHECK(device->destroyStream(a).ok());
  }
  for (uint64_t v : y)
    CHECK_EQ(v, 7u);
  CHECK_EQ(device->loadedCount(), 2u);
  device->trim();
  CHECK_EQ(device->loadedCount(), 0u);

  auto kept = loadKernel(*device, "slow");
  device->trim();
  CHECK_EQ(device->loadedCount(), 1u);
  uint64_t z[4] = {};
  CHECK(launch(*device, *kept, 4, {z}).ok());
  device.reset(); // waits for its work; the kernel's handle stays valid
  for (uint64_t v : z)
    CHECK_EQ(v, 7u);
}

UNIT_TEST(copies_and_fills) {
  auto device = hostDevice(2);
  for (size_t bytes : {size_t(1), size_t(1000), size_t(3) << 20}) {
    void *memory = device->allocate(bytes).value();
    CHECK(uintptr_t(memory) % 64 == 0);
    std::vector<uint8_t> in(bytes), out(bytes, 0);
    for (size_t i = 0; i < bytes; ++i)
      in[i] = uint8_t(i * 7 + 1);
    void *second = device->allocate(bytes).value();
    CHECK(device->copyToDevice(memory, in.data(), bytes, nullptr).ok());
    CHECK(device->copyOnDevice(second, memory, bytes, nullptr).ok());
    CHECK(device->copyToHost(out.data(), second, bytes, nullptr).ok());
    CHECK(device->synchronize(nullptr).ok());
    CHECK(in == out);
    CHECK(device->free(memory).ok() && device->free(second).ok());
  }
  uint32_t words[5] = {1, 2, 3, 4, 5};
  CHECK(device->fill(words, 0xaabbccdd, 4, 2, nullptr).ok());
  CHECK(device->fill(words + 2, 0xaabbccdd, 2, 3, nullptr).ok());
  CHECK(device->fill(words + 4, 0x1ff, 1, 1, nullptr).ok());
  CHECK(device->synchronize(nullptr).ok());
  CHECK_EQ(words[1], 0xaabbccddu);
  CHECK_EQ(words[2], 0xccddccddu);
  CHECK_EQ(words[3], 0x0000ccddu);
  CHECK_EQ(words[4], 0x000000ffu);
  CHECK_EQ(device->fill(words, 0, 3, 1, nullptr).error().message,
           "a fill pattern has 1, 2 or 4 bytes, not 3");
  CHECK_EQ(device->fill(nullptr, 0, 1, 1, nullptr).error().status, TL_E_INVALID_ARGUMENT);
  CHECK_EQ(device->copyToHost(nullptr, words, 4, nullptr).error().status, TL_E_INVALID_ARGUMENT);
  CHECK(device->copyToHost(nullptr, nullptr, 0, nullptr).ok());
  CHECK(device->free(nullptr).ok());
  void *empty = device->allocate(0).value();
  CHECK(empty != nullptr);
  CHECK(device->free(empty).ok());
  CHECK_EQ(device->allocate(SIZE_MAX).error().status, TL_E_OUT_OF_MEMORY);
}

UNIT_TEST(wrong_handles_are_named) {
  NEED_TOOLS;
  auto device = hostDevice();
  auto kernel = loadKernel(*device, "count");
  alignas(64) char stranger[4096] = {};
  CHECK_EQ(launch(*device, *kernel, 1, {stranger}, stranger).status, TL_E_INVALID_ARGUMENT);
  CHECK_EQ(launch(*device, *kernel, 1, {stranger}, stranger + 1).status, TL_E_INVALID_ARGUMENT);
  CHECK_EQ(device->synchronize(stranger).error().status, TL_E_INVALID_ARGUMENT);
  CHECK_EQ(device->destroyStream(stranger).error().status, TL_E_INVALID_ARGUMENT);
  CHECK(device->destroyStream(nullptr).ok());
  CHECK_EQ(device->record(stranger, nullptr).error().status, TL_E_INVALID_ARGUMENT);
  CHECK_EQ(device->destroyEvent(stranger).error().status, TL_E_INVALID_ARGUMENT);
  TargetCode code = kernelCode("absent");
  CHECK_EQ(device->load(code).error().message, "host image: there is no function 'absent'");
  code.target = "host:x86-64-v3+nonsense";
  CHECK_EQ(device->load(code).error().status, TL_E_UNKNOWN_TARGET);
}

UNIT_TEST(arenas_are_private) {
  NEED_TOOLS;
  for (uint32_t threads : {1u, 8u}) {
    auto device = hostDevice(threads);
    auto kernel = loadKernel(*device, "scratch");
    std::vector<uint64_t> wrong(300, 1);
    CHECK(launch(*device, *kernel, 300, {wrong.data()}).ok());
    CHECK(device->synchronize(nullptr).ok());
    CHECK(std::count(wrong.begin(), wrong.end(), 0u) == 300);
  }
}

// Scratch that cannot be had is the stream's failure, told once, and the stream goes on.
UNIT_TEST(no_memory_for_an_arena) {
  NEED_TOOLS;
  const char *sanitizer = std::getenv("TL_SANITIZE");
  if (sanitizer && *sanitizer)
    SKIP("sanitizers have no limit on address space");
  auto device = hostDevice(1);
  TargetCode large = kernelCode("count");
  large.arenaBytes = uint32_t(3) << 30;
  auto kernel = device->load(large);
  REQUIRE_OK(kernel);
  auto small = loadKernel(*device, "count");
  std::vector<uint64_t> x(10, 0);
  rlimit before;
  getrlimit(RLIMIT_AS, &before);
  rlimit tight = {size_t(2) << 30, before.rlim_max};
  setrlimit(RLIMIT_AS, &tight);
  CHECK(launch(*device, **kernel, 10, {x.data()}).ok());
  CHECK(launch(*device, *small, 10, {x.data()}).ok());
  auto failed = device->synchronize(nullptr);
  setrlimit(RLIMIT_AS, &before);
  REQUIRE(!failed.ok());
  CHECK_EQ(failed.error().status, TL_E_OUT_OF_MEMORY);
  CHECK(std::count(x.begin(), x.end(), 1u) == 10);
  CHECK(device->synchronize(nullptr).ok());
}

// What the caller's thread has set must not change results.
UNIT_TEST(float_environment_is_ours) {
  NEED_TOOLS;
  std::vector<double> normal(100), changed(100);
  for (bool upward : {false, true}) {
    if (upward) {
      std::fesetround(FE_UPWARD);
      __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() |
                             0x8040); // flush to zero, denormals are zero
    }
    auto device = hostDevice(2); // its threads start from this one
    auto kernel = loadKernel(*device, "divide");
    CHECK(launch(*device, *kernel, 100, {upward ? changed.data() : normal.data()}).ok());
    CHECK(device->synchronize(nullptr).ok());
  }
  __builtin_ia32_ldmxcsr(0x1f80);
  std::fesetround(FE_TONEAREST);
  CHECK(normal == changed);
}

struct HookLog {
  std::atomic<int> calls{0};
  std::atomic<int64_t> bodies{0};
  int threads = 0;
};

static void hookRun(void *user, int64_t count, void (*body)(void *, int64_t), void *context) {
  HookLog &log = *static_cast<HookLog *>(user);
  ++log.calls;
  log.bodies += count;
  std::vector<std::thread> threads;
  for (int t = 0; t < log.threads; ++t)
    threads.emplace_back([=, &log] {
      for (int64_t i = t; i < count; i += log.threads)
        body(context, i);
    });
  if (log.threads == 0) // a pool may also do everything on the calling thread
    for (int64_t i = 0; i < count; ++i)
      body(context, i);
  for (auto &thread : threads)
    thread.join();
}

UNIT_TEST(programs_run_on_the_hosts_own_threads) {
  NEED_TOOLS;
  for (int threads : {0, 1, 3}) {
    HookLog log;
    log.threads = threads;
    HostDriverOptions options;
    options.parallelFor = {hookRun, &log, 4};
    auto device = openHostDriver(options)->devices().at(0);
    CHECK_EQ(device->limits().computeUnits, 4u);
    auto kernel = loadKernel(*device, "scratch");
    std::vector<uint64_t> wrong(200, 1);
    CHECK(launch(*device, *kernel, 200, {wrong.data()}).ok());
    CHECK(device->synchronize(nullptr).ok());
    CHECK(std::count(wrong.begin(), wrong.end(), 0u) == 200);
    CHECK_EQ(log.calls.load(), 1);
    CHECK_EQ(log.bodies.load(), 4);
  }
}

UNIT_TEST(damaged_debug_objects_never_crash) {
  NEED_TOOLS;
  BuildOptions small;
  small.compile.replace(small.compile.find("-g "), 3, "");
  TargetCode code = buildKernel("KERNEL k(int *p) { *p = 1; }", "k", small);
  auto image = HostImage::load(code.code);
  REQUIRE_OK(image);
  size_t refused = 0;
  for (size_t bit = 0; bit < code.object.size() * 8; ++bit) {
    code.object[bit / 8] ^= uint8_t(1u << (bit % 8));
    auto registered = GdbRegistration::add(code.object, code.code, **image);
    refused += !registered.ok();
    code.object[bit / 8] ^= uint8_t(1u << (bit % 8));
  }
  CHECK(refused > 100);
  for (size_t size = 0; size < code.object.size(); ++size)
    CHECK(!GdbRegistration::add(std::span(code.object).first(size), code.code, **image).ok());
  CHECK(GdbRegistration::add(code.object, code.code, **image).ok());
}

// Two devices of one process know nothing of each other.
UNIT_TEST(several_drivers_side_by_side) {
  NEED_TOOLS;
  auto one = hostDevice(2), two = hostDevice(3);
  auto a = loadKernel(*one, "count"), b = loadKernel(*two, "count");
  std::vector<uint64_t> x(1000, 0);
  for (int i = 0; i < 100; ++i) {
    CHECK(launch(*one, *a, 1000, {x.data()}).ok());
    CHECK(launch(*two, *b, 1000, {x.data()}).ok());
  }
  CHECK(one->synchronizeAll().ok() && two->synchronizeAll().ok());
  CHECK(std::count(x.begin(), x.end(), 200u) == 1000);
}

UNIT_TEST_MAIN
