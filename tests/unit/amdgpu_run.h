// One kernel, from text: the interpreter against the AMD code generator's IR in the simulator.
#pragma once

#include "unit/amdgpu_simulator.h"
#include "unit/unit_test.h"

#include "graph/canonical.h"
#include "graph/interface.h"
#include "graph/text.h"
#include "interp/compare.h"
#include "interp/interp.h"
#include "interp/numbers.h"
#include "passes/pipeline.h"

#include <map>
#include <unistd.h>

namespace unit {

/// Memory that ends at a page that cannot be touched.
class GuardedMemory {
public:
  explicit GuardedMemory(size_t bytes) : bytes(bytes) {
    size_t page = size_t(sysconf(_SC_PAGESIZE));
    size_t used = (bytes + page - 1) / page * page;
    mapped = used + 2 * page;
    base = static_cast<uint8_t *>(
        mmap(nullptr, mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    mprotect(base + page, used, PROT_READ | PROT_WRITE);
    start = base + page + used - bytes;
  }
  ~GuardedMemory() { munmap(base, mapped); }
  GuardedMemory(const GuardedMemory &) = delete;
  uint8_t *data() { return start; }
  size_t size() const { return bytes; }

private:
  size_t bytes, mapped;
  uint8_t *base, *start;
};

/// A kernel and how to launch it.
struct RunCase {
  std::string text;
  std::map<std::string, int64_t> bindings = {}; // parameters
  std::map<std::string, int64_t> scalars =
      {}; // bits as in argument slots; else the default, or small
  std::map<std::string, std::vector<int64_t>> extents = {}, strides = {}; // of dynamic views
  std::map<std::string, std::vector<uint64_t>> contents = {}; // bits of elements; else random
  std::map<std::string, std::pair<std::string, size_t>> shares =
      {}; // argument -> (argument, byte offset)
  uint32_t threads = 0;
  uint32_t seed = 1;
  bool specials = false; // infinities, NaN, zeros and extreme integers among the elements
};

inline uint64_t randomBits(tl::DType type, std::mt19937_64 &random, bool specials) {
  uint64_t r = random();
  unsigned bits = tl::dtypeBits(type);
  if (type == tl::DType::I1)
    return r & 1;
  if (!tl::isFloat(type)) {
    uint64_t mask = bits == 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1;
    if (specials && r % 8 == 0)
      return (r >> 8 & 1 ? uint64_t(1) << (bits - 1) : r >> 9 & 1 ? ~uint64_t(0) : 0) & mask;
    return (specials && r % 8 == 1 ? random() : uint64_t(int64_t(random() % 41) - 20)) & mask;
  }
  double value = double(int64_t(random() % 4097) - 2048) / 512;
  if (specials && r % 8 == 0) {
    constexpr double extremes[] = {
        0.0, -0.0, 1e30, -1e30, 1e-40, __builtin_inf(), -__builtin_inf(), __builtin_nan("")};
    value = extremes[r >> 8 & 7];
  }
  return tl::interp::encodeFloat(type, tl::interp::roundTo(type, value));
}

/// Everything about one launch; `problem` is empty while all went well.
class KernelRun {
public:
  std::string problem;

  explicit KernelRun(const RunCase &runCase) : setup(runCase) {
    if (prepareGraph())
      prepareMemory();
  }

  /// The interpreter, once.
  void interpret() {
    if (!problem.empty())
      return;
    auto result = tl::interpret(*graph, args);
    if (!result.ok())
      problem = "interpreter: " + result.error().message;
    else
      report = std::move(*result);
  }

  /// One chip, one schedule, compared with the interpreter.
  void simulate(const tl::AmdChip &chip, Schedule schedule) {
    if (!problem.empty())
      return;
    std::unique_ptr<SimulatedKernel> &kernel = kernels[chip.waveSize];
    if (!kernel) {
      kernel = std::make_unique<SimulatedKernel>();
      std::string message = kernel->build(*lowered, slots, chip, setup.threads);
      if (!message.empty()) {
        problem = std::string(chip.name) + ": " + message;
        return;
      }
    }
    for (size_t i = 0; i < args.size(); ++i)
      if (guarded[i])
        std::copy(initial[i].begin(), initial[i].end(), guarded[i]->data());
    std::string error = kernel->run(slotValues(), {report.grid[0], report.grid[1], report.grid[2]},
                                    schedule, setup.seed);
    if (!error.empty()) {
      problem = std::string(chip.name) + ": " + error;
      return;
    }
    std::vector<const void *> actual;
    for (size_t i = 0; i < args.size(); ++i)
      actual.push_back(args[i].data ? actualData(i) : nullptr);
    auto comparison = tl::compareOutputs(*graph, report, args, actual);
    if (!comparison.ok())
      problem = comparison.error().message;
    else if (!comparison->equal())
      problem = std::string(chip.name) + " (schedule " + std::to_string(int(schedule)) + ", " +
                std::to_string(kernel->threads) + " threads): " + comparison->text(*graph);
  }

private:
  const RunCase &setup;
  std::unique_ptr<tl::Graph> graph, lowered;
  std::vector<tl::KernargSlot> slots;
  std::vector<tl::InterpArg> args;
  std::vector<std::vector<uint8_t>> initial, reference;
  std::vector<std::unique_ptr<GuardedMemory>> guarded;
  std::vector<int> sharedWith;
  std::vector<size_t> sharedOffset;
  tl::InterpReport report;
  std::map<uint32_t, std::unique_ptr<SimulatedKernel>> kernels;

  template <class T> bool take(tl::Result<T> result, std::unique_ptr<T> &to) {
    if (!result.ok()) {
      problem = result.error().message;
      return false;
    }
    to = std::make_unique<T>(std::move(*result));
    return true;
  }

  bool prepareGraph() {
    std::unique_ptr<tl::Graph> parsed, concrete;
    if (!take(tl::parseText(setup.text, "test.tile"), parsed) ||
        !take(tl::instantiate(*parsed, setup.bindings), concrete))
      return false;
    graph = std::make_unique<tl::Graph>(tl::canonicalize(*concrete));
    std::unique_ptr<tl::Artifact> artifact;
    if (!take(tl::describeKernel(*graph), artifact) ||
        !take(tl::runPasses(*graph, tl::PassTarget::Amd), lowered))
      return false;
    slots = artifact->slots;
    return true;
  }

  size_t find(const std::string &name) const {
    for (size_t i = 0; i < graph->kernel.args.size(); ++i)
      if (graph->kernel.args[i].name == name)
        return i;
    return 0;
  }

  int64_t scalarOf(const tl::Argument &argument) {
    if (auto given = setup.scalars.find(argument.name); given != setup.scalars.end())
      return given->second;
    tl::DType type = graph->typeOf(argument.value).dtype;
    if (!argument.hasDefault)
      return tl::isFloat(type)  ? int64_t(tl::interp::encodeFloat(type, 1.5))
             : tl::isBool(type) ? 1
                                : 7;
    return tl::isFloat(type) ? int64_t(tl::interp::encodeFloat(
                                   type, tl::interp::roundTo(type, argument.defaultFloat)))
                             : argument.defaultInt;
  }

  size_t bytesOf(size_t i) {
    auto shape = tl::interpretShape(*graph, args, unsigned(i));
    if (!shape.ok())
      return 0;
    int64_t last = 0;
    for (size_t axis = 0; axis < shape->extents.size(); ++axis) {
      if (shape->extents[axis] < 1)
        return 0;
      last += (shape->extents[axis] - 1) * std::max<int64_t>(shape->strides[axis], 0);
    }
    return size_t(last + 1) * tl::dtypeBytes(graph->typeOf(graph->kernel.args[i].value).dtype);
  }

  void prepareMemory() {
    std::mt19937_64 random(setup.seed);
    size_t count = graph->kernel.args.size();
    args.resize(count);
    initial.resize(count);
    guarded.resize(count);
    sharedWith.assign(count, -1);
    sharedOffset.assign(count, 0);
    for (size_t i = 0; i < count; ++i) {
      const tl::Argument &argument = graph->kernel.args[i];
      if (graph->typeOf(argument.value).isScalar())
        args[i].scalar = scalarOf(argument);
      if (auto given = setup.extents.find(argument.name); given != setup.extents.end())
        args[i].extents = given->second;
      if (auto given = setup.strides.find(argument.name); given != setup.strides.end())
        args[i].strides = given->second;
    }
    for (size_t i = 0; i < count; ++i) {
      const tl::Argument &argument = graph->kernel.args[i];
      const tl::Type &type = graph->typeOf(argument.value);
      if (type.isScalar())
        continue;
      unsigned elementBytes = tl::dtypeBytes(type.dtype);
      auto given = setup.contents.find(argument.name);
      if (auto share = setup.shares.find(argument.name); share != setup.shares.end()) {
        sharedWith[i] = int(find(share->second.first));
        sharedOffset[i] = share->second.second;
        continue;
      }
      initial[i].resize(given != setup.contents.end() ? given->second.size() * elementBytes
                        : type.isView()               ? bytesOf(i)
                                                      : 4096);
      for (size_t at = 0; at < initial[i].size(); at += elementBytes) {
        uint64_t bits = given != setup.contents.end()
                            ? given->second[at / elementBytes]
                            : randomBits(type.dtype, random, setup.specials);
        tl::interp::writeBytes(&initial[i][at], bits, elementBytes);
      }
      guarded[i] = std::make_unique<GuardedMemory>(initial[i].size());
    }
    reference = initial;
    for (size_t i = 0; i < count; ++i) {
      if (graph->typeOf(graph->kernel.args[i].value).isScalar())
        continue;
      size_t owner = sharedWith[i] < 0 ? i : size_t(sharedWith[i]);
      args[i].data = reference[owner].data() + sharedOffset[i];
      args[i].bytes = reference[owner].size() - sharedOffset[i];
    }
  }

  uint8_t *actualData(size_t i) {
    size_t owner = sharedWith[i] < 0 ? i : size_t(sharedWith[i]);
    return guarded[owner]->data() + sharedOffset[i];
  }

  std::vector<uint64_t> slotValues() {
    std::vector<uint64_t> values;
    for (const tl::KernargSlot &slot : slots) {
      switch (slot.kind) {
      case tl::KernargSlot::Kind::Pointer:
        values.push_back(uint64_t(uintptr_t(actualData(slot.arg))));
        break;
      case tl::KernargSlot::Kind::Scalar:
        values.push_back(uint64_t(args[slot.arg].scalar));
        break;
      case tl::KernargSlot::Kind::Extent:
        values.push_back(uint64_t(args[slot.arg].extents[slot.axis]));
        break;
      case tl::KernargSlot::Kind::Stride:
        values.push_back(uint64_t(args[slot.arg].strides[slot.axis]));
        break;
      case tl::KernargSlot::Kind::Grid:
        values.push_back(uint64_t(report.grid[slot.axis]));
        break;
      case tl::KernargSlot::Kind::Log: // none of these kernels prints
        values.push_back(0);
        break;
      }
    }
    return values;
  }
};

/// Runs a case on a chip of each wave size with all schedules; the first problem, or nothing.
inline std::string runCase(const RunCase &runCase) {
  KernelRun run(runCase);
  run.interpret();
  for (const char *chip : {"gfx942", "gfx1100"})
    for (Schedule schedule : {Schedule::Forward, Schedule::Backward, Schedule::Random})
      run.simulate(*tl::findAmdChip(chip), schedule);
  return run.problem.empty() ? "" : run.problem + "\n" + runCase.text;
}

} // namespace unit

/// One case; a problem is shown with the kernel's text.
#define CHECK_RUN(...)                                                                             \
  do {                                                                                             \
    if (std::string problem_ = unit::runCase(__VA_ARGS__); !problem_.empty())                      \
      unit::fail(__FILE__, __LINE__, problem_);                                                    \
  } while (0)
