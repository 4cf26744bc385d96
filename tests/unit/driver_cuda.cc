// The CUDA driver over a test double: which calls are made, the thread's context and capture mode,
// errors.
#include "codegen/targets.h"
#include "driver/driver.h"
#include "unit/unit_test.h"

#include <cstdlib>
#include <dlfcn.h>

using namespace tl;

namespace {

std::string fakePath(const char *name) {
  const char *build = std::getenv("TL_BUILD_DIR");
  return std::string(build ? build : ".") + "/tests/lib" + name + ".so";
}

struct Fake {
  explicit Fake(int devices = 1)
      : path(fakePath("tl_fake_cuda")), handle(dlopen(path.c_str(), RTLD_NOW)) {
    if (!handle) {
      unit::fail(__FILE__, __LINE__, dlerror());
      std::exit(1);
    }
    find("fake_cuda_reset", reset);
    find("fake_cuda_calls", calls_);
    find("fake_cuda_fail", fail);
    find("fake_cuda_depth", depth);
    find("fake_cuda_mode", mode);
    reset(devices);
  }
  ~Fake() { dlclose(handle); }

  std::shared_ptr<Driver> open() {
    CudaDriverOptions options;
    options.path = path;
    auto driver = openCudaDriver(options);
    if (!driver.ok()) {
      unit::fail(__FILE__, __LINE__, driver.error().message);
      std::exit(1);
    }
    return *driver;
  }
  std::string calls() { return calls_(); }
  template <class F> void find(const char *symbol, F *&function) {
    function = reinterpret_cast<F *>(dlsym(handle, symbol));
  }

  std::string path;
  void *handle;
  void (*reset)(int);
  const char *(*calls_)();
  void (*fail)(const char *, int);
  int (*depth)();
  int (*mode)();
};

TargetCode code() {
  TargetCode code;
  code.target = "nvptx:sm_80";
  code.symbol = "softmax";
  const char text[] = "// PTX";
  code.code.assign(text, text + sizeof text);
  code.threads = 256;
  code.waveSize = 32;
  code.ldsBytes = 70000;
  return code;
}

} // namespace

UNIT_TEST(devices_and_their_facts) {
  Fake fake(2);
  auto driver = fake.open();
  CHECK_EQ(driver->description(), fake.path + ", CUDA 12.8");
  REQUIRE(driver->devices().size() == 2);
  Device &first = *driver->devices()[0], &second = *driver->devices()[1];
  CHECK_EQ(first.name(), "cuda:0");
  CHECK_EQ(first.description(), "Fake GPU 0 (sm_100)");
  const DeviceLimits &limits = first.limits();
  CHECK_EQ(limits.maxGrid[0], 2147483647);
  CHECK_EQ(limits.maxGrid[2], 65535);
  CHECK_EQ(limits.maxThreads, 1024u);
  CHECK_EQ(limits.ldsBytes, 101376u);
  CHECK_EQ(limits.waveSize, 32u);
  CHECK_EQ(limits.computeUnits, 132u);
  CHECK_EQ(limits.memoryBytes, uint64_t(80) << 30);
  // A later GPU takes the code of every earlier one, the best first.
  std::vector<std::string> all;
  for (const NvidiaChip &chip : nvidiaChips())
    all.insert(all.begin(), "nvptx:" + std::string(chip.name));
  CHECK(first.targets() == all);
  CHECK_EQ(second.targets().at(0), "nvptx:sm_86");
  CHECK_EQ(second.targets().size(), size_t(2));
  Status refused = second.accepts("nvptx:sm_90");
  REQUIRE(!refused.ok());
  CHECK_EQ(refused.error().message, "code for nvptx:sm_90 does not run on cuda:1 (Fake GPU 1 "
                                    "(sm_86)), which runs nvptx:sm_80 to nvptx:sm_86");
  CHECK_EQ(fake.calls(), "cuInit(0); cuDevicePrimaryCtxRetain(0); cuDevicePrimaryCtxRetain(1)");
  driver.reset();
  CHECK_EQ(fake.calls(), "cuDevicePrimaryCtxRelease_v2(0); cuDevicePrimaryCtxRelease_v2(1)");
}

UNIT_TEST(calls_leave_the_thread_as_it_was) {
  Fake fake;
  auto driver = fake.open();
  Device &device = *driver->devices()[0];
  fake.calls();
  void *memory = *device.allocate(0);
  CHECK_EQ(fake.calls(), "cuCtxPushCurrent_v2(0); cuMemAlloc_v2(1); cuCtxPopCurrent_v2()");
  CHECK(device.copyToDevice(memory, "x", 1, nullptr).ok());
  CHECK_EQ(fake.calls(),
           "cuCtxPushCurrent_v2(0); cuMemcpyHtoDAsync_v2(1, 0); cuCtxPopCurrent_v2()");
  CHECK(device.fill(memory, 0x1234567, 1, 1, nullptr).ok());
  CHECK_EQ(fake.calls(), "cuCtxPushCurrent_v2(0); cuMemsetD8Async(103, 1); cuCtxPopCurrent_v2()");
  CHECK(device.captureState(nullptr) == CaptureState::Active);
  CHECK(device.free(memory).ok());
  void *start = *device.createEvent();
  CHECK_EQ(*device.elapsed(start, start), 1.5);
  CHECK(device.destroyEvent(start).ok());
  CHECK_EQ(fake.depth(), 0);
  CHECK_EQ(fake.mode(), 0);
}

UNIT_TEST(kernels_get_the_shared_memory_that_they_ask_for) {
  Fake fake;
  auto driver = fake.open();
  Device &device = *driver->devices()[0];
  fake.calls();
  auto kernel = device.load(code());
  REQUIRE(kernel.ok());
  CHECK_EQ(fake.calls(), "cuCtxPushCurrent_v2(0); cuModuleLoadDataEx(// PTX); "
                         "cuModuleGetFunction(softmax); cuFuncSetAttribute(8, 70000); "
                         "cuCtxPopCurrent_v2()");
  const uint64_t slots[] = {1, 2, 3, 4};
  const int64_t grid[] = {5, 6, 7}, none[] = {5, 0, 7}, high[] = {1, 65536, 1};
  CHECK(device.launch(**kernel, grid, slots, 4, nullptr).ok());
  CHECK_EQ(fake.calls(), "cuCtxPushCurrent_v2(0); cuLaunchKernel(5x6x7, 256x1x1, 70000, 0, 32); "
                         "cuCtxPopCurrent_v2()");
  CHECK(device.launch(**kernel, none, slots, 4, nullptr).ok());
  CHECK_EQ(fake.calls(), "");
  CHECK(device.launch(**kernel, high, slots, 4, nullptr).status == TL_E_GRID);
  fake.fail("cuLaunchKernel", 719);
  CallStatus failed = device.launch(**kernel, grid, slots, 4, nullptr);
  CHECK(failed.status == TL_E_DRIVER && failed.native == 719);
  kernel = makeError(TL_E_INTERNAL, "dropped");
  fake.calls();
  device.trim();
  CHECK_EQ(fake.calls(), "cuCtxPushCurrent_v2(0); cuModuleUnload(); cuCtxPopCurrent_v2()");
}

UNIT_TEST(what_cannot_be_loaded) {
  Fake fake;
  auto driver = fake.open();
  Device &device = *driver->devices()[0];
  auto message = [&](const TargetCode &code) {
    auto kernel = device.load(code);
    return kernel.ok() ? std::string() : kernel.error().message;
  };
  fake.fail("cuModuleLoadDataEx", 218);
  CHECK_EQ(message(code()),
           "cuModuleLoadDataEx: CUDA_ERROR_INVALID_PTX (218): ptxas error: line 7; wrong");
  fake.fail("cuModuleGetFunction", 500);
  CHECK_EQ(message(code()), "cuModuleGetFunction: CUDA_ERROR_NOT_FOUND (500), kernel 'softmax'");
  TargetCode large = code();
  large.ldsBytes = 101377;
  CHECK_EQ(message(large), "the kernel needs 101377 bytes of shared memory per program; cuda:0 has "
                           "101376");
  TargetCode open = code();
  open.code.pop_back();
  CHECK_EQ(message(open), "PTX: not one text that ends at a zero byte");
  open.code.assign({'a', 0, 'b', 0});
  CHECK_EQ(message(open), "PTX: not one text that ends at a zero byte");
  open.code.clear();
  CHECK_EQ(message(open), "PTX: not one text that ends at a zero byte");
  fake.fail("cuMemAlloc_v2", 2);
  auto memory = device.allocate(1000);
  REQUIRE(!memory.ok());
  CHECK(memory.error().status == TL_E_OUT_OF_MEMORY);
  CHECK_EQ(memory.error().message,
           "cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY (2), 1000 bytes on cuda:0");
  CHECK_EQ(fake.depth(), 0);
}

UNIT_TEST(libraries_that_will_not_do) {
  Fake none(0);
  auto driver = none.open();
  CHECK(driver->devices().empty());
  CHECK_EQ(driver->description(),
           none.path + ", CUDA 12.8; no device: cuInit 100 CUDA_ERROR_NO_DEVICE");
  CudaDriverOptions options;
  options.path = fakePath("tl_fake_cuda_incomplete");
  auto incomplete = openCudaDriver(options);
  REQUIRE(!incomplete.ok());
  CHECK(incomplete.error().status == TL_E_NO_DEVICE);
  CHECK_EQ(incomplete.error().message,
           "no NVIDIA driver; " + options.path + " has no cuEventElapsedTime");
  // By the environment, unless that is not to be looked at.
  setenv("TL_CUDA_LIBRARY", none.path.c_str(), 1);
  none.reset(1);
  auto named = openCudaDriver({});
  CHECK(named.ok() && (*named)->devices().size() == 1);
  unsetenv("TL_CUDA_LIBRARY");
}

UNIT_TEST_MAIN
