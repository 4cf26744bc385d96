#include "differential/execute.h"
#include "differential/slots.h"

#include "codegen/codegen.h"
#include "driver/driver.h"
#include "graph/binary.h"

#include <cstdlib>
#include <dlfcn.h>

namespace tl::test {

namespace {

/// A device of an opened driver, or why there is none.
class Gpu : public Device {
public:
  Status run(const Case &c, const Graph &canonical, const Memory &memory, const int64_t (&grid)[3],
             double *buildMilliseconds) override {
    if (!driver)
      return makeError(TL_E_NO_DEVICE, "%s", problem.c_str());
    tl::Device &device = *driver->devices()[0];
    Request request;
    request.graph = writeGraph(canonical);
    request.target = device.targets().front();
    request.embedGraph = false;
    BuildTiming timing;
    TL_ASSIGN(Artifact artifact, compileRequest(request, timing));
    *buildMilliseconds = timing.total;
    TL_TRY(checkGrid(c, artifact, grid));
    TL_ASSIGN(std::shared_ptr<LoadedKernel> kernel, device.load(artifact.codes[0]));
    Buffers buffers{device, {}};
    for (size_t i = 0; i < c.buffers.size(); ++i) {
      // Whole words: atomic operations on one or two bytes exchange the four around them.
      auto *first = static_cast<const uint8_t *>(memory.buffer(i));
      std::vector<uint8_t> bytes(first, first + c.buffers[i].size());
      bytes.resize((bytes.size() + 3) / 4 * 4);
      TL_ASSIGN(void *place, device.allocate(std::max<size_t>(bytes.size(), 1)));
      buffers.places.push_back(static_cast<uint8_t *>(place));
      if (!bytes.empty())
        TL_TRY(device.copyToDevice(place, bytes.data(), bytes.size(), nullptr));
      TL_TRY(device.synchronize(nullptr));
    }
    std::vector<uint64_t> slots = fillSlots(c, artifact, grid, [&](size_t i) -> void * {
      const CaseArg &arg = c.args[i];
      return arg.buffer < 0 ? nullptr : buffers.places[size_t(arg.buffer)] + arg.offset;
    });
    CallStatus launched = device.launch(*kernel, grid, slots.data(), slots.size(), nullptr);
    if (!launched.ok())
      return makeError(launched.status, "launch: %s", statusText(launched.status));
    TL_TRY(device.synchronize(nullptr));
    for (size_t i = 0; i < c.buffers.size(); ++i)
      if (size_t bytes = c.buffers[i].size())
        TL_TRY(device.copyToHost(memory.buffer(i), buffers.places[i], bytes, nullptr));
    TL_TRY(device.synchronize(nullptr));
    return findings();
  }

protected:
  void take(Result<std::shared_ptr<Driver>> opened) {
    if (!opened.ok())
      problem = opened.error().message;
    else if ((*opened)->devices().empty())
      problem = (*opened)->description();
    else
      driver = std::move(*opened);
  }
  /// What the device itself has to say against the kernel that ran.
  virtual Status findings() { return {}; }

  std::string problem;
  std::shared_ptr<Driver> driver;

private:
  struct Buffers {
    tl::Device &device;
    std::vector<uint8_t *> places;
    ~Buffers() {
      for (uint8_t *place : places)
        (void)device.free(place);
    }
  };
};

class Emulated final : public Gpu {
public:
  explicit Emulated(const std::string &chip) {
    const char *build = std::getenv("TL_BUILD_DIR");
    std::string path = std::string(build ? build : ".") + "/lib/libtilelang-hipemu.so";
    void *handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
      problem = dlerror();
      return;
    }
    auto configure = reinterpret_cast<int (*)(const char *, char *, size_t)>(
        dlsym(handle, "tl_hipemu_configure"));
    count = reinterpret_cast<uint64_t (*)()>(dlsym(handle, "tl_hipemu_finding_count"));
    report = reinterpret_cast<size_t (*)(int, char *, size_t)>(dlsym(handle, "tl_hipemu_report"));
    // Cases run in several processes already.
    std::string settings = "devices=" + chip + ";threads=1;log=0";
    char message[256] = "";
    if (!configure || !count || !report || configure(settings.c_str(), message, sizeof message)) {
      problem = path + ": " + message;
      return;
    }
    HipDriverOptions options;
    options.handle = handle;
    take(openHipDriver(options));
  }

private:
  Status findings() override {
    if (count() == 0)
      return {};
    std::string text(4096, '\0');
    report(0, text.data(), text.size());
    return makeError(TL_E_DRIVER, "the emulator's checks found: %s", text.c_str());
  }

  uint64_t (*count)() = nullptr;
  size_t (*report)(int, char *, size_t) = nullptr;
};

class Cuda final : public Gpu {
public:
  Cuda() { take(openCudaDriver({})); }
};

} // namespace

std::unique_ptr<Device> openEmulated(const std::string &chip) {
  return std::make_unique<Emulated>(chip);
}

std::unique_ptr<Device> openCuda() { return std::make_unique<Cuda>(); }

} // namespace tl::test
