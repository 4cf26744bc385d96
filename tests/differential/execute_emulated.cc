#include "differential/execute.h"
#include "differential/slots.h"

#include "codegen/codegen.h"
#include "driver/driver.h"
#include "graph/binary.h"

#include <cstdlib>
#include <dlfcn.h>

namespace tl::test {

namespace {

/// A device that could not be opened, or is there.
class Emulated final : public Device {
public:
  explicit Emulated(const std::string &chip) : target("amdgcn:" + chip) {
    const char *build = std::getenv("TL_BUILD_DIR");
    std::string path = std::string(build ? build : ".") + "/lib/libtilelang-hipemu.so";
    void *handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
      problem = dlerror();
      return;
    }
    auto configure = reinterpret_cast<int (*)(const char *, char *, size_t)>(
        dlsym(handle, "tl_hipemu_configure"));
    findings = reinterpret_cast<uint64_t (*)()>(dlsym(handle, "tl_hipemu_finding_count"));
    report = reinterpret_cast<size_t (*)(int, char *, size_t)>(dlsym(handle, "tl_hipemu_report"));
    // Cases run in several processes already.
    std::string settings = "devices=" + chip + ";threads=1;log=0";
    char message[256] = "";
    if (!configure || !findings || !report ||
        configure(settings.c_str(), message, sizeof message)) {
      problem = path + ": " + message;
      return;
    }
    HipDriverOptions options;
    options.handle = handle;
    auto opened = openHipDriver(options);
    if (!opened.ok())
      problem = opened.error().message;
    else if ((*opened)->devices().empty())
      problem = (*opened)->description();
    else
      driver = std::move(*opened);
  }

  Status run(const Case &c, const Graph &canonical, const Memory &memory, const int64_t (&grid)[3],
             double *buildMilliseconds) override {
    if (!driver)
      return makeError(TL_E_NO_DEVICE, "%s", problem.c_str());
    tl::Device &device = *driver->devices()[0];
    Request request;
    request.graph = writeGraph(canonical);
    request.target = target;
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
    if (findings() != 0) {
      std::string text(4096, '\0');
      report(0, text.data(), text.size());
      return makeError(TL_E_DRIVER, "the emulator's checks found: %s", text.c_str());
    }
    return {};
  }

private:
  struct Buffers {
    tl::Device &device;
    std::vector<uint8_t *> places;
    ~Buffers() {
      for (uint8_t *place : places)
        (void)device.free(place);
    }
  };
  std::string target, problem;
  std::shared_ptr<Driver> driver;
  uint64_t (*findings)() = nullptr;
  size_t (*report)(int, char *, size_t) = nullptr;
};

} // namespace

std::unique_ptr<Device> openEmulated(const std::string &chip) {
  return std::make_unique<Emulated>(chip);
}

} // namespace tl::test
