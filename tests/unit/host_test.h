// What tests of host code need: a kernel from text, compiled through the whole pipeline, run on
// memory that ends at an unmapped page, and compared with the interpreter within its bounds.
#pragma once

#include "codegen/codegen.h"
#include "driver/host/cpu.h"
#include "driver/host/image.h"
#include "graph/binary.h"
#include "unit/interp_test.h"

#include <random>
#include <sys/mman.h>
#include <unistd.h>

namespace tl::test {

/// Memory whose last byte is the last one before an unmapped page.
class GuardedMemory {
public:
  explicit GuardedMemory(const std::vector<uint8_t> &bytes) : size(bytes.size()) {
    size_t page = size_t(sysconf(_SC_PAGESIZE));
    mapped = (size + page - 1) / page * page + page;
    base = static_cast<uint8_t *>(
        mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    mprotect(base + mapped - page, page, PROT_NONE);
    begin = base + mapped - page - size;
    if (size)
      std::memcpy(begin, bytes.data(), size);
  }
  ~GuardedMemory() { munmap(base, mapped); }
  GuardedMemory(const GuardedMemory &) = delete;

  uint8_t *begin;
  size_t size;

private:
  uint8_t *base;
  size_t mapped;
};

using HostFunction = void (*)(const uint64_t *slots, int64_t first, int64_t last, void *arena);

/// A compiled kernel.
struct HostKernel {
  Artifact artifact;
  std::unique_ptr<HostImage> image;
  HostFunction function = nullptr;
  BuildTiming timing;

  static std::unique_ptr<HostKernel> compile(const Graph &graph, Request request = {}) {
    auto kernel = std::make_unique<HostKernel>();
    request.graph = writeGraph(canonicalize(graph));
    if (request.target.empty())
      request.target = hostTarget();
    auto artifact = compileRequest(request, kernel->timing);
    if (!artifact.ok()) {
      unit::fail(__FILE__, __LINE__, artifact.error().message);
      for (const Diagnostic &d : artifact.error().diagnostics)
        std::printf("  %s: %s\n", d.pass.c_str(), d.text.c_str());
      return nullptr;
    }
    kernel->artifact = std::move(*artifact);
    auto image = HostImage::load(kernel->code().code);
    if (!image.ok()) {
      unit::fail(__FILE__, __LINE__, image.error().message);
      return nullptr;
    }
    kernel->image = std::move(*image);
    kernel->function = reinterpret_cast<HostFunction>(kernel->image->find(kernel->code().symbol));
    if (!kernel->function)
      unit::fail(__FILE__, __LINE__, "the image lacks " + kernel->code().symbol);
    return kernel->function ? std::move(kernel) : nullptr;
  }

  const TargetCode &code() const { return artifact.codes[0]; }

  /// The argument block, with what `args` says (data pointers included).
  std::vector<uint64_t> slots(std::span<const InterpArg> args,
                              const std::array<int64_t, 3> &grid) const {
    std::vector<uint64_t> list;
    for (const KernargSlot &slot : artifact.slots)
      switch (slot.kind) {
      case KernargSlot::Kind::Pointer:
        list.push_back(uint64_t(args[slot.arg].data));
        break;
      case KernargSlot::Kind::Scalar:
        list.push_back(uint64_t(args[slot.arg].scalar));
        break;
      case KernargSlot::Kind::Extent:
        list.push_back(uint64_t(args[slot.arg].extents[slot.axis]));
        break;
      case KernargSlot::Kind::Stride:
        list.push_back(uint64_t(args[slot.arg].strides[slot.axis]));
        break;
      case KernargSlot::Kind::Grid:
        list.push_back(uint64_t(grid[slot.axis]));
        break;
      case KernargSlot::Kind::Log: // none of these kernels prints
        list.push_back(0);
      }
    return list;
  }
};

/// Runs a launch on the interpreter and as host code, in two halves, and compares.
inline bool hostAgrees(Launch &launch, Request request = {}, bool print = false) {
  if (!launch.graph)
    return false;
  auto kernel = HostKernel::compile(*launch.graph, std::move(request));
  if (!kernel)
    return false;
  if (print)
    std::printf("%s\n", kernel->code().listings.at("llvm").c_str());
  std::vector<InterpArg> reference = launch.args(), actual = reference;
  std::vector<std::unique_ptr<GuardedMemory>> memory;
  for (std::vector<uint8_t> &bytes : launch.memory) {
    memory.push_back(std::make_unique<GuardedMemory>(bytes));
    for (size_t i = 0; i < actual.size(); ++i) {
      auto *data = static_cast<uint8_t *>(reference[i].data);
      if (data && !bytes.empty() && data >= bytes.data() && data < bytes.data() + bytes.size())
        actual[i].data = memory.back()->begin + (data - bytes.data());
    }
  }
  auto grid = interpretGrid(*launch.graph, reference);
  if (!grid.ok() || !launch.run()) {
    if (!grid.ok())
      unit::fail(__FILE__, __LINE__, grid.error().message);
    return false;
  }
  std::vector<uint64_t> slots = kernel->slots(actual, *grid);
  size_t arenaBytes = kernel->code().arenaBytes;
  void *arena = std::aligned_alloc(64, (arenaBytes + 127) / 64 * 64);
  std::memset(arena, 0xfb, arenaBytes); // NaNs, and no small integers
  int64_t programs = (*grid)[0] * (*grid)[1] * (*grid)[2], half = programs / 2;
  kernel->function(slots.data(), 0, half, arena);
  kernel->function(slots.data(), half, programs, arena);
  std::free(arena);

  std::vector<const void *> outputs;
  for (size_t i = 0; i < actual.size(); ++i)
    outputs.push_back(launch.graph->typeOf(launch.graph->kernel.args[i].value).isScalar()
                          ? nullptr
                          : actual[i].data);
  auto comparison = compareOutputs(*launch.graph, launch.report, reference, outputs);
  if (!comparison.ok()) {
    unit::fail(__FILE__, __LINE__, comparison.error().message);
    return false;
  }
  if (comparison->equal())
    return true;
  unit::fail(__FILE__, __LINE__, comparison->text(*launch.graph) + printText(*launch.graph).text);
  return false;
}

/// Values in steps of 1/64 between -4 and 4: exact in every float type, and sums of them too.
inline std::vector<double> someFloats(size_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<double> list(n);
  for (double &v : list)
    v = (int(random() % 513) - 256) / 64.0;
  return list;
}
inline std::vector<double> someIntegers(size_t n, unsigned seed, int low, int high) {
  std::mt19937 random(seed);
  std::vector<double> list(n);
  for (double &v : list)
    v = low + int(random() % unsigned(high - low + 1));
  return list;
}

} // namespace tl::test
