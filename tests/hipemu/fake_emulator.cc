#include "fake_emulator.h"

#include "emu/emulator.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <sys/mman.h>

using namespace tl::emu;

namespace {

struct Access {
  uint64_t begin, end;
  bool writes;
  Operation operation;
};

std::mutex logMutex;
std::vector<fake_operation> operations;
std::vector<Access> accesses;

void note(const char *what, const Operation &operation) {
  fake_operation entry{};
  std::snprintf(entry.what, sizeof entry.what, "%s", what);
  std::snprintf(entry.name, sizeof entry.name, "%s", operation.name.c_str());
  entry.stream = operation.stream;
  entry.sequence = operation.sequence;
  entry.clock_size = uint32_t(std::min<size_t>(operation.clock.size(), 64));
  std::copy_n(operation.clock.begin(), entry.clock_size, entry.clock);
  std::lock_guard lock(logMutex);
  operations.push_back(entry);
}

void touch(uint64_t address, uint64_t bytes, bool writes, const Operation &operation) {
  std::lock_guard lock(logMutex);
  accesses.push_back({address, address + bytes, writes, operation});
}

bool before(const Operation &a, const Operation &b) {
  return a.stream < b.clock.size() && b.clock[a.stream] >= a.sequence;
}

constexpr ChipInfo kChips[] = {
    {"gfx942", "Fake MI300X", 0x4c, 64, 304, 65536, 1024, 512, 8, 4, 32, 128, 64 << 20, 2100000},
    {"gfx1100", "Fake RX 7900", 0x41, 32, 96, 65536, 1024, 1536, 16, 2, 32, 128, 32 << 20, 2300000},
};

class FakeKernel final : public Kernel {
public:
  FakeKernel(const fake_kernel &source, uint32_t device, uint32_t wave)
      : source(source), where(device) {
    facts.name = source.name;
    for (uint32_t i = 0; i < source.argument_count; ++i) {
      const fake_argument &argument = source.arguments[i];
      facts.arguments.push_back({"", argument.offset, argument.bytes, "by_value"});
      facts.explicitBytes = std::max(facts.explicitBytes, argument.offset + argument.bytes);
    }
    facts.arguments.push_back({"", 64, 4, "hidden_block_count_x"});
    facts.kernargBytes = 128;
    facts.kernargAlignment = 8;
    facts.ldsBytes = source.lds_bytes;
    facts.maxThreads = source.max_threads;
    facts.waveSize = wave;
    facts.vgprs = 24;
  }
  const KernelInfo &info() const override { return facts; }
  uint32_t device() const override { return where; }
  fake_kernel source;
  KernelInfo facts{};
  uint32_t where;
};

class FakeModule final : public Module {
public:
  uint32_t device() const override { return where; }
  size_t kernelCount() const override { return kernels.size(); }
  const Kernel *findKernel(const std::string &name) const override {
    for (const auto &kernel : kernels)
      if (kernel->facts.name == name)
        return kernel.get();
    return nullptr;
  }
  const Kernel *kernel(size_t index) const override { return kernels[index].get(); }
  uint64_t findGlobal(const std::string &name, uint64_t *bytes) const override {
    if (name != globalName)
      return 0;
    *bytes = globalBytes;
    return global;
  }
  void mapLines(std::vector<LineMapping>) override {}
  ~FakeModule() override {
    // Never reused, so that a launch after the end of its module is seen.
    for (const auto &kernel : kernels)
      kernel->source.run = nullptr;
  }
  uint32_t where = 0;
  std::vector<std::unique_ptr<FakeKernel>> kernels;
  std::string globalName;
  uint64_t global = 0, globalBytes = 0;
};

class FakeEmulator final : public Emulator {
public:
  FakeEmulator(std::vector<const ChipInfo *> chips) : chips(std::move(chips)) {}
  uint32_t deviceCount() const override { return uint32_t(chips.size()); }
  const ChipInfo &chip(uint32_t device) const override { return *chips[device]; }

  uint64_t allocate(uint64_t bytes, MemoryKind kind, uint32_t device) override {
    void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uint64_t address = reinterpret_cast<uint64_t>(memory);
    std::lock_guard lock(mutex);
    allocations[address] = {address, bytes, kind, device, true};
    return address;
  }
  bool registerHost(void *memory, uint64_t bytes, uint32_t device) override {
    uint64_t address = reinterpret_cast<uint64_t>(memory);
    std::lock_guard lock(mutex);
    allocations[address] = {address, bytes, MemoryKind::Registered, device, true};
    return true;
  }
  bool release(uint64_t address, const Operation *operation) override {
    if (operation)
      note("release", *operation);
    std::lock_guard lock(mutex);
    auto found = allocations.find(address);
    if (found == allocations.end() || !found->second.live)
      return false;
    found->second.live = false;
    if (found->second.kind == MemoryKind::Registered)
      allocations.erase(found);
    return true;
  }
  bool findAllocation(uint64_t address, Allocation *allocation) const override {
    std::lock_guard lock(mutex);
    auto after = allocations.upper_bound(address);
    if (after == allocations.begin())
      return false;
    const Allocation &found = std::prev(after)->second;
    if (address >= found.address + found.bytes)
      return false;
    *allocation = found;
    return true;
  }
  uint64_t bytesInUse(uint32_t) const override { return 0; }

  bool usable(uint64_t address, std::string *message) const {
    Allocation found;
    if (!findAllocation(address, &found) || found.live)
      return true;
    *message = "memory that was released";
    return false;
  }
  bool copy(uint64_t to, uint64_t from, uint64_t bytes, const Operation &operation,
            std::string *message) override {
    note("copy", operation);
    touch(to, bytes, true, operation);
    touch(from, bytes, false, operation);
    if (!usable(to, message) || !usable(from, message))
      return false;
    std::memcpy(reinterpret_cast<void *>(to), reinterpret_cast<void *>(from), bytes);
    return true;
  }
  bool fill(uint64_t to, uint32_t pattern, uint32_t patternBytes, uint64_t count,
            const Operation &operation, std::string *message) override {
    note("fill", operation);
    touch(to, patternBytes * count, true, operation);
    if (!usable(to, message))
      return false;
    for (uint64_t i = 0; i < count; ++i)
      std::memcpy(reinterpret_cast<char *>(to) + i * patternBytes, &pattern, patternBytes);
    return true;
  }

  LoadResult load(const void *image, size_t, uint32_t device) override {
    auto *source = static_cast<const fake_image *>(image);
    if (source->magic != FAKE_MAGIC)
      return {LoadStatus::NotAnImage, "no fake image", nullptr};
    if (*source->chip && std::strcmp(source->chip, chips[device]->name) != 0)
      return {LoadStatus::WrongChip, "for another chip", nullptr};
    auto module = std::make_unique<FakeModule>();
    module->where = device;
    for (const fake_kernel *kernel = source->kernels; kernel->name; ++kernel)
      module->kernels.push_back(
          std::make_unique<FakeKernel>(*kernel, device, chips[device]->waveSize));
    if (source->global_name) {
      module->globalName = source->global_name;
      module->globalBytes = source->global_bytes;
      module->global = allocate(source->global_bytes, MemoryKind::Device, device);
    }
    return {LoadStatus::Ok, "", std::move(module)};
  }

  bool census(const void *, size_t, std::vector<CensusRow> &, std::string *message) const override {
    *message = "a fake image has no instructions";
    return false;
  }
  void interrupt() override {}
  LaunchResult launch(const LaunchRequest &request) override {
    note("launch", request.operation);
    auto *kernel = static_cast<const FakeKernel *>(request.kernel);
    fake_launch launch{static_cast<const unsigned char *>(request.kernarg),
                       request.kernargBytes,
                       {},
                       {},
                       request.dynamicLds};
    std::copy_n(request.grid, 3, launch.grid);
    std::copy_n(request.block, 3, launch.block);
    int status = kernel->source.run ? kernel->source.run(&launch) : int(LaunchStatus::IllegalState);
    return {LaunchStatus(status), status ? "the fake kernel says so" : ""};
  }
  uint32_t occupancy(const Kernel &kernel, uint32_t threads, uint32_t dynamicLds) const override {
    uint32_t lds = kernel.info().ldsBytes + dynamicLds, byThreads = 2048 / threads;
    return lds ? std::min(byThreads, 65536 / lds) : byThreads;
  }
  std::string report(ReportFormat format) const override {
    return format == ReportFormat::Json ? "{\"findings\":[]}" : "no findings";
  }
  uint64_t findingCount() const override { return fake_race_count(); }
  void clearReport() override { fake_forget(); }

private:
  std::vector<const ChipInfo *> chips;
  mutable std::mutex mutex;
  std::map<uint64_t, Allocation> allocations;
};

} // namespace

#define EXPORT __attribute__((visibility("default")))

extern "C" {

EXPORT Emulator *tl_emu_create(const char *interface, const std::vector<std::string> &chips,
                               const Options &, std::string *message) {
  if (std::strcmp(interface, kInterface) != 0) {
    *message = "another interface";
    return nullptr;
  }
  std::vector<const ChipInfo *> found;
  for (const std::string &name : chips) {
    for (const ChipInfo &chip : kChips)
      if (name == chip.name)
        found.push_back(&chip);
  }
  if (found.size() != chips.size()) {
    *message = "an unknown chip";
    return nullptr;
  }
  return new FakeEmulator(found);
}

EXPORT size_t fake_operation_count(void) {
  std::lock_guard lock(logMutex);
  return operations.size();
}

EXPORT int fake_operation_at(size_t index, fake_operation *operation) {
  std::lock_guard lock(logMutex);
  if (index >= operations.size())
    return 0;
  *operation = operations[index];
  return 1;
}

EXPORT int fake_operation_named(const char *name, fake_operation *operation) {
  std::lock_guard lock(logMutex);
  for (size_t i = operations.size(); i-- > 0;)
    if (std::strcmp(operations[i].name, name) == 0) {
      *operation = operations[i];
      return 1;
    }
  return 0;
}

EXPORT void fake_forget(void) {
  std::lock_guard lock(logMutex);
  operations.clear();
  accesses.clear();
}

EXPORT size_t fake_race_count(void) {
  std::lock_guard lock(logMutex);
  size_t races = 0;
  for (size_t i = 0; i < accesses.size(); ++i)
    for (size_t j = 0; j < i; ++j) {
      const Access &a = accesses[i], &b = accesses[j];
      bool overlap = a.begin < b.end && b.begin < a.end && (a.writes || b.writes);
      bool same =
          a.operation.stream == b.operation.stream && a.operation.sequence == b.operation.sequence;
      if (overlap && !same && !before(a.operation, b.operation) &&
          !before(b.operation, a.operation))
        ++races;
    }
  return races;
}
}
