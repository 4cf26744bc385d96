#include "differential/execute.h"
#include "differential/slots.h"

#include "codegen/codegen.h"
#include "driver/driver.h"
#include "driver/host/cpu.h"
#include "graph/binary.h"

namespace tl::test {

namespace {

class Host final : public Device {
public:
  Host() {
    HostDriverOptions options;
    options.threads = 2;
    driver = openHostDriver(options);
    device = driver->devices()[0];
    target = hostTarget();
  }

  Status run(const Case &c, const Graph &canonical, const Memory &memory, const int64_t (&grid)[3],
             double *buildMilliseconds) override {
    Request request;
    request.graph = writeGraph(canonical);
    request.target = target;
    request.embedGraph = false;
    BuildTiming timing;
    TL_ASSIGN(Artifact artifact, compileRequest(request, timing));
    *buildMilliseconds = timing.total;
    TL_TRY(checkGrid(c, artifact, grid));
    TL_ASSIGN(std::shared_ptr<LoadedKernel> kernel, device->load(artifact.codes[0]));
    std::vector<uint64_t> slots =
        fillSlots(c, artifact, grid, [&](size_t i) { return memory.pointer(i); });
    CallStatus launched = device->launch(*kernel, grid, slots.data(), slots.size(), nullptr);
    if (!launched.ok())
      return makeError(launched.status, "launch: %s", statusText(launched.status));
    TL_TRY(device->synchronize(nullptr));
    kernel.reset();
    device->trim();
    return {};
  }

private:
  std::shared_ptr<Driver> driver;
  std::shared_ptr<tl::Device> device;
  std::string target;
};

} // namespace

std::unique_ptr<Device> openHost() { return std::make_unique<Host>(); }

} // namespace tl::test
