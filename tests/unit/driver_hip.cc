// The HIP driver over test doubles (order of calls, current device, capture mode, errors), and over
// the real library where it is installed.
#include "driver/driver.h"
#include "driver/hip/code_object.h"
#include "driver/hip/library.h"
#include "unit/unit_test.h"

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>

using namespace tl;

static std::string fakePath(const char *name) {
  const char *build = std::getenv("TL_BUILD_DIR");
  return std::string(build ? build : ".") + "/tests/lib" + name + ".so";
}

// One of the doubles, with the functions that steer it.
struct Fake {
  explicit Fake(const char *name, int devices = 1)
      : path(fakePath(name)), handle(dlopen(path.c_str(), RTLD_NOW)) {
    if (!handle) {
      unit::fail(__FILE__, __LINE__, dlerror());
      std::exit(1);
    }
    find("fake_hip_reset", reset);
    find("fake_hip_calls", calls_);
    find("fake_hip_fail", fail);
    find("fake_hip_set_capturing", setCapturing);
    find("fake_hip_current", current);
    find("fake_hip_mode", mode);
    find("fake_hip_make_current", makeCurrent);
    reset(devices);
  }
  ~Fake() { dlclose(handle); }

  std::shared_ptr<Driver> open() {
    HipDriverOptions options;
    options.path = path;
    auto driver = openHipDriver(options);
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
  void (*setCapturing)(int);
  int (*current)();
  int (*mode)();
  void (*makeCurrent)(int);
};

// The frame of a code object: one segment, and sections for a symbol and for names.
struct CodeObject {
  Elf64_Ehdr header{};
  Elf64_Phdr segment{};
  Elf64_Shdr sections[4]{}; // nothing, symbols, names, memory without content
  Elf64_Sym symbol{};
  char names[8] = {0, 's', 'o', 'f', 't', 0, 0, 0};

  CodeObject() {
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_ident[EI_VERSION] = EV_CURRENT;
    header.e_version = EV_CURRENT;
    header.e_type = ET_DYN;
    header.e_machine = 224; // EM_AMDGPU
    header.e_phoff = offsetof(CodeObject, segment);
    header.e_phentsize = sizeof segment;
    header.e_phnum = 1;
    header.e_shoff = offsetof(CodeObject, sections);
    header.e_shentsize = sizeof sections[0];
    header.e_shnum = 4;
    header.e_shstrndx = 2;
    segment.p_type = PT_LOAD;
    segment.p_filesz = segment.p_memsz = sizeof *this;
    sections[1].sh_type = SHT_DYNSYM;
    sections[1].sh_offset = offsetof(CodeObject, symbol);
    sections[1].sh_size = sections[1].sh_entsize = sizeof symbol;
    sections[1].sh_link = 2;
    sections[2].sh_type = SHT_STRTAB;
    sections[2].sh_offset = offsetof(CodeObject, names);
    sections[2].sh_size = sizeof names;
    sections[3].sh_type = SHT_NOBITS;
    sections[3].sh_offset = sizeof *this;
    sections[3].sh_size = 1 << 20;
    symbol.st_name = 1;
  }
  Bytes bytes() const {
    const auto *begin = reinterpret_cast<const uint8_t *>(this);
    return Bytes(begin, begin + sizeof *this);
  }
};

static TargetCode code() {
  TargetCode code;
  code.target = "amdgcn:gfx942";
  code.symbol = "softmax";
  code.code = CodeObject().bytes();
  code.threads = 256;
  code.waveSize = 64;
  return code;
}

UNIT_TEST(devices_and_their_facts) {
  Fake fake("tl_fake_hip", 2);
  auto driver = fake.open();
  CHECK_EQ(driver->description(), fake.path + ", HIP 6.2");
  CHECK_EQ(fake.calls(), "hipInit(0); hipGetDeviceCount(); hipGetDevicePropertiesR0600(0); "
                         "hipGetDevicePropertiesR0600(1)");
  REQUIRE(driver->devices().size() == 2);
  Device &first = *driver->devices()[0];
  CHECK_EQ(first.name(), "hip:0");
  CHECK_EQ(first.description(), "Fake GPU 0 (gfx942)");
  CHECK_EQ(first.targets().at(0), "amdgcn:gfx942");
  CHECK_EQ(driver->devices()[1]->targets().at(0), "amdgcn:gfx1100");
  const DeviceLimits &limits = first.limits();
  CHECK_EQ(limits.maxGrid[0], 2147483647);
  CHECK_EQ(limits.maxGrid[2], 65536);
  CHECK_EQ(limits.maxThreads, 1024u);
  CHECK_EQ(limits.ldsBytes, 65536u);
  CHECK_EQ(limits.waveSize, 64u);
  CHECK_EQ(limits.computeUnits, 304u);
  CHECK_EQ(limits.memoryBytes, uint64_t(192) << 30);
  CHECK(first.accepts("amdgcn:gfx942").ok());
  CHECK_EQ(first.accepts("amdgcn:gfx1100").error().message,
           "code for amdgcn:gfx1100 does not run on hip:0 (Fake GPU 0 (gfx942)), which runs "
           "amdgcn:gfx942");
}

// HIP 5 has the old layout of the properties only; both kinds of runtime are open at once.
UNIT_TEST(old_and_new_runtime_side_by_side) {
  Fake fake6("tl_fake_hip"), fake5("tl_fake_hip5");
  auto six = fake6.open(), five = fake5.open();
  CHECK_EQ(fake5.calls(), "hipInit(0); hipGetDeviceCount(); hipGetDeviceProperties(0)");
  CHECK_EQ(five->description(), fake5.path + ", HIP 5.2");
  CHECK_EQ(five->devices().at(0)->targets().at(0), "amdgcn:gfx942");
  fake6.calls();
  CHECK(five->devices()[0]->synchronizeAll().ok());
  CHECK_EQ(fake5.calls(), "hipDeviceSynchronize()");
  CHECK_EQ(fake6.calls(), "");
  CHECK(six->devices()[0]->synchronizeAll().ok());
  CHECK_EQ(fake6.calls(), "hipDeviceSynchronize()");
}

UNIT_TEST(a_handle_of_the_host) {
  Fake fake("tl_fake_hip");
  HipDriverOptions options;
  options.name = "emu";
  options.handle = fake.handle;
  auto driver = openHipDriver(options);
  REQUIRE_OK(driver);
  CHECK_EQ((*driver)->devices().at(0)->name(), "emu:0");
  CHECK_EQ((*driver)->description(), fake.path + ", HIP 6.2");
}

UNIT_TEST(no_device_is_said_plainly) {
  Fake fake("tl_fake_hip", 0);
  auto driver = fake.open();
  CHECK(driver->devices().empty());
  CHECK_EQ(driver->description(),
           fake.path + ", HIP 6.2; no device: hipGetDeviceCount 100 hipErrorNoDevice");
  fake.reset(2);
  fake.fail("hipInit", 999);
  CHECK_EQ(fake.open()->description(), fake.path + ", HIP 6.2; no device: hipInit 999 error 999");
  fake.reset(2);
  fake.fail("hipGetDevicePropertiesR0600", 1);
  auto rest = fake.open();
  CHECK_EQ(rest->devices().size(), 1u);
  CHECK_EQ(rest->description(), fake.path +
                                    ", HIP 6.2; device 0 is left out: hipGetDeviceProperties: "
                                    "hipErrorInvalidValue (1)");
}

UNIT_TEST(missing_libraries_name_what_was_tried) {
  HipDriverOptions options;
  options.path = "/nowhere/libamdhip64.so";
  auto driver = openHipDriver(options);
  REQUIRE(!driver.ok());
  CHECK_EQ(driver.error().status, TL_E_NO_DEVICE);
  CHECK_EQ(driver.error().message,
           "no HIP runtime; /nowhere/libamdhip64.so: cannot open shared object file: No such "
           "file or directory");
  options.path = fakePath("tl_fake_hip_incomplete");
  auto incomplete = openHipDriver(options);
  REQUIRE(!incomplete.ok());
  CHECK_EQ(incomplete.error().message,
           "no HIP runtime; " + options.path + " has no hipModuleLaunchKernel");
}

// Last in what is searched before the usual names; not read when the environment is to be ignored.
UNIT_TEST(the_override_variable) {
  if (dlopen("libamdhip64.so.5", RTLD_NOLOAD | RTLD_NOW))
    SKIP("a real runtime is loaded already and comes first");
  Fake fake("tl_fake_hip");
  setenv("TL_HIP_LIBRARY", fake.path.c_str(), 1);
  auto driver = openHipDriver({});
  unsetenv("TL_HIP_LIBRARY");
  REQUIRE_OK(driver);
  CHECK_EQ((*driver)->description(), fake.path + ", HIP 6.2");
  setenv("TL_HIP_LIBRARY", "/nowhere/else.so", 1);
  auto missing = openHipDriver({});
  unsetenv("TL_HIP_LIBRARY");
  REQUIRE(!missing.ok());
  CHECK(missing.error().message.find("/nowhere/else.so") != std::string::npos);
}

UNIT_TEST(loading_is_relaxed_and_leaves_the_current_device) {
  Fake fake("tl_fake_hip", 2);
  auto driver = fake.open();
  Device &second = *driver->devices()[1];
  fake.calls();
  TargetCode kernelCode = code();
  kernelCode.target = "amdgcn:gfx1100";
  auto kernel = second.load(kernelCode);
  REQUIRE_OK(kernel);
  CHECK_EQ(fake.calls(), "hipSetDevice(1); hipModuleLoadData(\x7f"
                         "ELF) on 1 mode 2; hipModuleGetFunction(softmax); "
                         "hipSetDevice(0)");
  CHECK_EQ(fake.current(), 0);
  CHECK_EQ(fake.mode(), 0);
  CHECK_EQ(second.loadedCount(), 1u);
  kernel->reset();
  CHECK_EQ(fake.calls(), ""); // stays loaded
  second.trim();
  CHECK_EQ(fake.calls(), "hipSetDevice(1); hipModuleUnload() on 1; hipSetDevice(0)");
}

UNIT_TEST(launching) {
  Fake fake("tl_fake_hip", 2);
  auto driver = fake.open();
  auto kernel = driver->devices()[0]->load(code());
  REQUIRE_OK(kernel);
  Device &device = *driver->devices()[0];
  fake.calls();
  uint64_t slots[] = {0x1234, 10, 20, 30};
  int64_t grid[] = {10, 20, 30};
  void *stream = reinterpret_cast<void *>(0x5000);
  CHECK(device.launch(**kernel, grid, slots, 4, stream).ok());
  CHECK_EQ(fake.calls(), "hipModuleLaunchKernel(1000, 10x20x30 of 256x1x1, lds 0, stream 20480, 32 "
                         "bytes, last 30) on 0");
  // The NULL stream and its relatives belong to the current device.
  fake.makeCurrent(1);
  for (size_t special : {0, 1, 2}) {
    CHECK(device.launch(**kernel, grid, slots, 4, reinterpret_cast<void *>(special)).ok());
    std::string number = std::to_string(special);
    CHECK_EQ(fake.calls(),
             "hipSetDevice(0); hipModuleLaunchKernel(1000, 10x20x30 of 256x1x1, lds 0, stream " +
                 number + ", 32 bytes, last 30) on 0; hipSetDevice(1)");
  }
  CHECK(device.launch(**kernel, grid, slots, 4, stream).ok());
  CHECK(fake.calls().find("hipSetDevice") == std::string::npos);

  auto status = [&](int64_t x, int64_t y, int64_t z) {
    int64_t g[] = {x, y, z};
    return device.launch(**kernel, g, slots, 4, stream).status;
  };
  CHECK_EQ(status(0, 1, 1), TL_OK);
  CHECK_EQ(status(INT64_MAX, 1, 0), TL_OK);
  CHECK_EQ(status(1, 1, 65537), TL_E_GRID);
  CHECK_EQ(status(-1, 1, 1), TL_E_GRID);
  CHECK_EQ(status((int64_t(1) << 24), 1, 1), TL_E_GRID); // 2^32 threads
  CHECK_EQ(fake.calls(), "");
  int64_t wide[] = {int64_t(1) << 24, 1, 1};
  CHECK_EQ(device.limits().checkGrid((*kernel)->threads, wide, "hip:0").error().message,
           "the grid has 16777216 programs along axis 0; hip:0 takes at most 16777215 with 256 "
           "threads per program");
  CHECK_EQ(status((int64_t(1) << 24) - 1, 1, 1), TL_OK);

  fake.fail("hipModuleLaunchKernel", 719);
  CallStatus failed = device.launch(**kernel, grid, slots, 4, stream);
  CHECK_EQ(failed.status, TL_E_DRIVER);
  CHECK_EQ(failed.native, 719);
  fake.fail("hipModuleLaunchKernel", 2);
  CHECK_EQ(device.launch(**kernel, grid, slots, 4, stream).status, TL_E_OUT_OF_MEMORY);
}

UNIT_TEST(load_errors) {
  Fake fake("tl_fake_hip");
  auto driver = fake.open();
  Device &device = *driver->devices()[0];
  fake.fail("hipModuleLoadData", 209);
  auto failed = device.load(code());
  REQUIRE(!failed.ok());
  CHECK_EQ(failed.error().status, TL_E_DRIVER);
  CHECK_EQ(failed.error().native, 209);
  CHECK_EQ(failed.error().message, "hipModuleLoadData: hipErrorNoBinaryForGpu (209)");
  fake.calls();
  fake.fail("hipModuleGetFunction", 500);
  auto absent = device.load(code());
  REQUIRE(!absent.ok());
  CHECK_EQ(absent.error().message,
           "hipModuleGetFunction: hipErrorNotFound (500), kernel 'softmax'");
  CHECK(fake.calls().find("hipModuleUnload") != std::string::npos);
  TargetCode large = code();
  large.ldsBytes = 65537;
  CHECK_EQ(device.load(large).error().message,
           "the kernel needs 65537 bytes of LDS per program; hip:0 has 65536");
  TargetCode other = code();
  other.target = "amdgcn:gfx90a";
  CHECK_EQ(device.load(other).error().status, TL_E_UNSUPPORTED);
  CHECK_EQ(device.loadedCount(), 0u);
}

// A runtime gets no size: what leads out of the bytes is refused before it sees them.
UNIT_TEST(damaged_code_objects) {
  Fake fake("tl_fake_hip");
  auto driver = fake.open();
  fake.calls();
  auto refusal = [&](auto change) {
    CodeObject object;
    change(object);
    TargetCode damaged = code();
    damaged.code = object.bytes();
    auto loaded = driver->devices()[0]->load(damaged);
    if (loaded.ok())
      return std::string("taken");
    CHECK_EQ(loaded.error().status, TL_E_CORRUPT);
    return loaded.error().message;
  };
  CHECK_EQ(refusal([](CodeObject &o) { o.header.e_shoff = 16 << 20; }),
           "the section headers of the code object do not lie inside it");
  CHECK_EQ(refusal([](CodeObject &o) { o.header.e_shnum = 5; }),
           "the section headers of the code object do not lie inside it");
  CHECK_EQ(refusal([](CodeObject &o) { o.header.e_shnum = 0; }),
           "code object: section headers without a count");
  CHECK_EQ(refusal([](CodeObject &o) { o.header.e_shstrndx = 4; }),
           "code object: the sections have no table of names");
  CHECK_EQ(refusal([](CodeObject &o) { o.header.e_phoff = UINT64_MAX - 8; }),
           "code object: the program headers do not lie inside the file");
  CHECK_EQ(refusal([](CodeObject &o) { o.header.e_phnum = 60; }),
           "code object: the program headers do not lie inside the file");
  CHECK_EQ(refusal([](CodeObject &o) { o.header.e_phnum = 0; }),
           "code object: no segment is loaded");
  CHECK_EQ(refusal([](CodeObject &o) { o.header.e_phentsize = 8; }),
           "code object: program headers of 8 bytes");
  CHECK_EQ(refusal([](CodeObject &o) { o.segment.p_filesz += 1; }),
           "code object: segment 0 does not lie inside the file");
  CHECK_EQ(refusal([](CodeObject &o) { o.segment.p_offset = UINT64_MAX; }),
           "code object: segment 0 does not lie inside the file");
  CHECK_EQ(refusal([](CodeObject &o) { o.segment.p_memsz = UINT64_MAX; }).substr(0, 38),
           "code object: segment 0 takes 184467440");
  CHECK_EQ(refusal([](CodeObject &o) { o.sections[1].sh_offset = UINT64_MAX - 8; }),
           "code object: section 1 does not lie inside the file");
  CHECK_EQ(refusal([](CodeObject &o) { o.sections[1].sh_entsize = 8; }),
           "code object: section 1 holds symbols of 8 bytes");
  CHECK_EQ(refusal([](CodeObject &o) { o.sections[1].sh_link = 7; }),
           "code object: the symbols of section 1 have no table of names");
  CHECK_EQ(refusal([](CodeObject &o) { o.sections[3].sh_name = 8; }),
           "code object: section 3 has no name");
  CHECK_EQ(refusal([](CodeObject &o) { o.symbol.st_name = 8; }),
           "code object: a symbol of section 1 has no name");
  CHECK_EQ(refusal([](CodeObject &o) { o.names[7] = 'x'; }),
           "code object: the sections have no table of names");
  CHECK_EQ(refusal([](CodeObject &o) { o.header.e_type = ET_REL; }),
           "the code object has ELF type 1; 3 is needed");
  CHECK_EQ(fake.calls(), "");
  CHECK_EQ(refusal([](CodeObject &) {}), "taken");
}

// Every truncation, and every single changed byte: no answer may come from outside of the bytes,
// which the sanitizers watch.
UNIT_TEST(code_objects_are_read_within_their_bytes) {
  const Bytes good = CodeObject().bytes();
  REQUIRE(checkCodeObject(good).ok());
  for (size_t size = 0; size < good.size(); ++size) {
    Bytes part(good.begin(), good.begin() + long(size));
    CHECK(!checkCodeObject(part).ok());
  }
  size_t refused = 0;
  for (size_t i = 0; i < good.size(); ++i)
    for (uint8_t value : {0x00, 0x01, 0x7f, 0xff}) {
      Bytes bytes = good;
      bytes[i] = value;
      refused += !checkCodeObject(bytes).ok();
    }
  CHECK(refused > 100);
}

UNIT_TEST(memory_streams_events) {
  Fake fake("tl_fake_hip", 2);
  auto driver = fake.open();
  Device &device = *driver->devices()[1];
  fake.calls();
  auto memory = device.allocate(0);
  REQUIRE_OK(memory);
  CHECK_EQ(fake.calls(), "hipSetDevice(1); hipMalloc(1) on 1 mode 2; hipSetDevice(0)");
  CHECK(device.free(*memory).ok() && device.free(nullptr).ok());
  CHECK_EQ(fake.calls(), "hipSetDevice(1); hipFree(); hipSetDevice(0)");
  fake.fail("hipMalloc", 2);
  auto full = device.allocate(1000);
  REQUIRE(!full.ok());
  CHECK_EQ(full.error().status, TL_E_OUT_OF_MEMORY);
  CHECK_EQ(full.error().message, "hipMalloc: hipErrorOutOfMemory (2), 1000 bytes on hip:1");
  CHECK_EQ(fake.mode(), 0);

  fake.makeCurrent(1);
  fake.calls();
  char a[4] = {}, b[4] = {1, 2, 3, 4};
  void *stream = device.createStream().value();
  CHECK(device.copyToDevice(a, b, 4, stream).ok() && device.copyToHost(a, b, 4, stream).ok() &&
        device.copyOnDevice(a, b, 4, nullptr).ok() && device.copyOnDevice(a, b, 0, nullptr).ok());
  CHECK_EQ(fake.calls(),
           "hipStreamCreateWithFlags(1) on 1; hipMemcpyAsync(4, kind 1, stream 20480); "
           "hipMemcpyAsync(4, kind 2, stream 20480); hipMemcpyAsync(4, kind 3, stream 0)");
  alignas(4) char words[8];
  CHECK(device.fill(words, 0x1ff, 1, 8, stream).ok() &&
        device.fill(words, 0x10001, 2, 4, stream).ok() &&
        device.fill(words, 5, 4, 2, stream).ok() && device.fill(words, 5, 4, 0, stream).ok());
  CHECK_EQ(fake.calls(),
           "hipMemsetAsync(255, 8, stream 20480); hipMemsetD16Async(1, 4, stream 20480); "
           "hipMemsetD32Async(5, 2, stream 20480)");
  void *event = device.createEvent().value();
  CHECK(device.record(event, stream).ok() && device.wait(nullptr, event).ok() &&
        device.synchronizeEvent(event).ok());
  CHECK_EQ(*device.elapsed(event, event), 1.5);
  CHECK(device.destroyEvent(event).ok() && device.synchronize(stream).ok() &&
        device.destroyStream(stream).ok());
  CHECK_EQ(
      fake.calls(),
      "hipEventCreateWithFlags(0) on 1; hipEventRecord(24576, 20480); "
      "hipStreamWaitEvent(0, 24576, 0); hipEventSynchronize(24576); hipEventSynchronize(24576); "
      "hipEventSynchronize(24576); hipEventElapsedTime(24576, 24576); hipEventDestroy(24576); "
      "hipStreamSynchronize(20480) on 1; hipStreamDestroy(20480)");
  fake.fail("hipStreamSynchronize", 719);
  auto failed = device.synchronize(nullptr);
  REQUIRE(!failed.ok());
  CHECK_EQ(failed.error().message, "hipStreamSynchronize: hipErrorLaunchFailure (719)");
  CHECK(device.isDevicePointer(words));
  CHECK(!device.isDevicePointer(reinterpret_cast<void *>(0xdead00)));
}

UNIT_TEST(capture_states) {
  Fake fake("tl_fake_hip");
  auto driver = fake.open();
  Device &device = *driver->devices()[0];
  CHECK(device.captureState(nullptr) == CaptureState::None);
  fake.setCapturing(1);
  CHECK(device.captureState(nullptr) == CaptureState::Active);
  fake.setCapturing(2);
  CHECK(device.captureState(nullptr) == CaptureState::Invalid);
  fake.fail("hipStreamIsCapturing", 906);
  CHECK(device.captureState(nullptr) == CaptureState::Invalid);
  fake.fail("hipStreamIsCapturing", 400); // hipErrorInvalidHandle
  CHECK(device.captureState(nullptr) == CaptureState::Unknown);
}

// Kernels keep their runtime: they may outlive device and driver.
UNIT_TEST(order_of_destruction_does_not_matter) {
  Fake fake("tl_fake_hip");
  std::shared_ptr<LoadedKernel> kernel;
  {
    auto driver = fake.open();
    kernel = driver->devices()[0]->load(code()).value();
    fake.calls();
  }
  CHECK_EQ(fake.calls(), "hipDeviceSynchronize()");
  kernel.reset();
  CHECK_EQ(fake.calls(), "hipModuleUnload() on 0");
}

// The installed runtime, if there is one: on a machine without an AMD GPU it must say so, and
// nothing more.
UNIT_TEST(real_runtime) {
  auto driver = openHipDriver({});
  if (!driver.ok())
    SKIP(driver.error().message);
  std::printf("%s\n", (*driver)->description().c_str());
  if (!(*driver)->devices().empty())
    SKIP("an AMD GPU is present");
  const std::string &text = (*driver)->description();
  CHECK(text.find("libamdhip64.so") != std::string::npos);
  CHECK(text.ends_with("no device: hipGetDeviceCount 100 hipErrorNoDevice"));
}

UNIT_TEST_MAIN
