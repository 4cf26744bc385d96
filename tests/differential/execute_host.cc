#include "differential/execute.h"

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
    std::vector<uint64_t> slots = fillSlots(c, artifact, memory, grid);
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

  /// The artifact's grid expressions give what the interpreter found.
  static Status checkGrid(const Case &c, const Artifact &artifact, const int64_t (&grid)[3]) {
    std::vector<int64_t> scalars;
    std::vector<const int64_t *> extents, strides;
    for (const CaseArg &arg : c.args) {
      scalars.push_back(arg.scalar);
      extents.push_back(arg.extents.data());
      strides.push_back(arg.strides.data());
    }
    for (size_t axis = 0; axis < artifact.grid.size(); ++axis) {
      int64_t programs =
          evaluate(artifact.grid[axis], {scalars.data(), extents.data(), strides.data()});
      if (programs != grid[axis])
        return makeError(TL_E_GRID, "grid axis %zu: %lld programs instead of %lld", axis,
                         (long long)programs, (long long)grid[axis]);
    }
    return {};
  }

  static std::vector<uint64_t> fillSlots(const Case &c, const Artifact &artifact,
                                         const Memory &memory, const int64_t (&grid)[3]) {
    std::vector<uint64_t> slots;
    for (const KernargSlot &slot : artifact.slots) {
      const CaseArg &arg = c.args[slot.arg];
      switch (slot.kind) {
      case KernargSlot::Kind::Pointer:
        slots.push_back(uint64_t(reinterpret_cast<uintptr_t>(memory.pointer(slot.arg))));
        break;
      case KernargSlot::Kind::Scalar:
        slots.push_back(uint64_t(arg.scalar));
        break;
      case KernargSlot::Kind::Extent:
        slots.push_back(uint64_t(arg.extents[slot.axis]));
        break;
      case KernargSlot::Kind::Stride:
        slots.push_back(uint64_t(arg.strides[slot.axis]));
        break;
      case KernargSlot::Kind::Grid:
        slots.push_back(uint64_t(grid[slot.axis]));
        break;
      }
    }
    return slots;
  }
};

} // namespace

std::unique_ptr<Device> openHost() { return std::make_unique<Host>(); }

} // namespace tl::test
