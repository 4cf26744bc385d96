// The Emulator behind the seam: devices, memory, modules, launches.
#include "emu/machine.h"

#include "emu/census.h"
#include "emu/offload_bundle.h"

#include "emu/checks/global_races.h"
#include "emu/chips.h"
#include "emu/code_object.h"
#include "emu/findings.h"
#include "emu/kernel_record.h"
#include "emu/launch.h"
#include "emu/line_table.h"
#include "emu/memory.h"
#include "emu/occupancy.h"

#include <algorithm>
#include <optional>
#include <thread>

namespace tl::emu {
namespace {

class LoadedKernel final : public Kernel {
public:
  LoadedKernel(class LoadedModule &module, KernelRecord record)
      : module(module), record(std::move(record)) {}
  const KernelInfo &info() const override { return record.info; }
  uint32_t device() const override;

  class LoadedModule &module;
  KernelRecord record;
};

class LoadedModule final : public Module {
public:
  LoadedModule(std::shared_ptr<AddressSpace> space, const Chip &chip, uint32_t device,
               CodeObject object)
      : space(std::move(space)), chip(chip), deviceNumber(device), object(std::move(object)) {}
  ~LoadedModule() override {
    if (memory)
      space->release(memory->address);
  }

  uint32_t device() const override { return deviceNumber; }
  size_t kernelCount() const override { return kernels.size(); }
  const Kernel *kernel(size_t index) const override {
    return index < kernels.size() ? kernels[index].get() : nullptr;
  }
  const Kernel *findKernel(const std::string &name) const override {
    for (const auto &kernel : kernels)
      if (kernel->record.info.name == name)
        return kernel.get();
    return nullptr;
  }
  uint64_t findGlobal(const std::string &name, uint64_t *bytes) const override {
    for (const CodeSymbol &symbol : object.symbols)
      if (symbol.variable && symbol.global && symbol.name == name) {
        if (bytes)
          *bytes = symbol.bytes;
        return memory->address + symbol.address;
      }
    return 0;
  }

  LoadStatus place(std::string &message);
  /// The code for a wave size; decoded when it is first asked for.
  const Program *program(uint32_t waveSize, std::string &message) const;
  std::shared_ptr<const LineTable> lines() const {
    std::lock_guard guard(lazyLock);
    if (!lineTable)
      lineTable = LineTable::read(object, lineMap);
    return lineTable;
  }
  void mapLines(std::vector<LineMapping> map) override {
    std::lock_guard guard(lazyLock);
    lineMap = std::move(map);
    lineTable.reset(); // launches under way keep the one they have
  }

  std::shared_ptr<AddressSpace> space;
  const Chip &chip;
  uint32_t deviceNumber;
  CodeObject object;
  MemoryBlock *memory = nullptr;
  std::vector<std::unique_ptr<LoadedKernel>> kernels;

private:
  bool relocate(std::string &message);

  mutable std::mutex lazyLock;
  mutable std::unique_ptr<Program> programs[2]; // waves of 32, of 64
  std::vector<LineMapping> lineMap;
  mutable std::shared_ptr<const LineTable> lineTable;
};

uint32_t LoadedKernel::device() const { return module.deviceNumber; }

LoadStatus LoadedModule::place(std::string &message) {
  memory = space->allocate(object.memoryBytes, MemoryKind::Device, deviceNumber, true);
  if (!memory) {
    message = "no device memory for the code object";
    return LoadStatus::OutOfMemory;
  }
  std::memset(memory->shadow, ShadowWritten, memory->bytes);
  memory->racesFrom = memory->bytes, memory->racesTo = 0; // only variables
  for (const CodeSegment &segment : object.segments) {
    std::memcpy(memory->host + segment.address, object.image.data() + segment.offset,
                segment.fileBytes);
    if (segment.writable) {
      memory->racesFrom = std::min(memory->racesFrom, segment.address);
      memory->racesTo = std::max(memory->racesTo, segment.address + segment.memoryBytes);
    }
  }
  return relocate(message) ? LoadStatus::Ok : LoadStatus::NotAnImage;
}

bool LoadedModule::relocate(std::string &message) {
  // LLVM's user guide for the AMDGPU backend, "Relocation Records".
  enum : uint32_t { Abs32Low = 1, Abs32High = 2, Abs64 = 3, Abs32 = 6, Relative64 = 13 };
  for (const CodeRelocation &r : object.relocations) {
    uint64_t value = memory->address + uint64_t(r.addend);
    unsigned bytes = r.type == Abs64 || r.type == Relative64 ? 8 : 4;
    if (r.address > memory->bytes || bytes > memory->bytes - r.address) {
      message = "the code object is damaged: a relocation lies outside";
      return false;
    }
    if (r.type != Relative64) {
      if (r.symbol >= object.symbols.size() || !object.symbols[r.symbol].defined) {
        message = "the code object needs a symbol that it does not define: " +
                  (r.symbol < object.symbols.size() ? object.symbols[r.symbol].name : "?");
        return false;
      }
      value += object.symbols[r.symbol].address;
    }
    if (r.type == Abs32High)
      value >>= 32;
    else if (r.type != Abs32Low && r.type != Abs32 && r.type != Abs64 && r.type != Relative64) {
      message = formatString("the code object has a relocation of unknown type %u", r.type);
      return false;
    }
    std::memcpy(memory->host + r.address, &value, bytes);
  }
  return true;
}

const Program *LoadedModule::program(uint32_t waveSize, std::string &message) const {
  std::lock_guard guard(lazyLock);
  auto &program = programs[waveSize / 64];
  if (!program) {
    auto decoded = decode(object, chip, waveSize);
    if (!decoded) {
      message = decoded.error().message;
      return nullptr;
    }
    program = std::move(*decoded);
  }
  return program.get();
}

class MachineImpl final : public Emulator {
public:
  MachineImpl(std::vector<const Chip *> chips, const Options &options)
      : chips(std::move(chips)), options(options), findings(namesOf(this->chips)),
        operations(*space, findings) {
    if (!this->options.threads)
      this->options.threads = std::max(1u, std::thread::hardware_concurrency());
  }

  uint32_t deviceCount() const override { return uint32_t(chips.size()); }
  const ChipInfo &chip(uint32_t device) const override {
    return chips[std::min<size_t>(device, chips.size() - 1)]->info;
  }

  uint64_t allocate(uint64_t bytes, MemoryKind kind, uint32_t device) override {
    if (kind == MemoryKind::Registered)
      return 0;
    MemoryBlock *block = space->allocate(bytes, kind, device);
    if (block && options.checks && kind == MemoryKind::Device && !block->races)
      findings.notChecked(space->looksForRaces()
                              ? "races in allocations of more than 256 MB"
                              : "races: the process may not map as much memory as that takes");
    return block ? block->address : 0;
  }
  bool registerHost(void *memory, uint64_t bytes, uint32_t device) override {
    return space->registerHost(memory, bytes, device) != nullptr;
  }
  bool release(uint64_t address, const Operation *operation) override {
    AddressSpace::Use use(*space);
    MemoryBlock *block = space->find(address);
    if (!block || block->internal || block->address != address)
      return false;
    if (!operation || !options.checks)
      return space->release(address);
    RaceChecker races(operations, findings, *operation);
    races.release(*block);
    return space->release(address, races.operationNumber());
  }
  bool findAllocation(uint64_t address, Allocation *allocation) const override {
    AddressSpace::Use use(*space);
    const MemoryBlock *block = space->find(address);
    if (!block || block->internal)
      return false;
    if (allocation)
      *allocation = {block->address, block->bytes, block->kind, block->device, block->live};
    return true;
  }
  uint64_t bytesInUse(uint32_t device) const override { return space->bytesInUse(device); }

  bool copy(uint64_t to, uint64_t from, uint64_t bytes, const Operation &operation,
            std::string *message) override {
    uint8_t *target, *source, *targetShadow, *sourceShadow;
    AddressSpace::Use use(*space);
    if (!space->resolve(to, bytes, target, targetShadow, message))
      return noteReleased(to, true, operation);
    if (!space->resolve(from, bytes, source, sourceShadow, message))
      return noteReleased(from, false, operation);
    if (options.checks) {
      RaceChecker races(operations, findings, operation);
      noteAccess(races, from, bytes, false);
      noteAccess(races, to, bytes, true);
    }
    std::memmove(target, source, bytes);
    if (targetShadow && sourceShadow)
      std::memmove(targetShadow, sourceShadow, bytes);
    else if (targetShadow)
      std::memset(targetShadow, ShadowWritten, bytes);
    return true;
  }
  bool fill(uint64_t to, uint32_t pattern, uint32_t patternBytes, uint64_t count,
            const Operation &operation, std::string *message) override {
    uint8_t *target, *shadow;
    if (patternBytes != 1 && patternBytes != 2 && patternBytes != 4) {
      if (message)
        *message = "a pattern has 1, 2 or 4 bytes";
      return false;
    }
    uint64_t bytes = count * patternBytes;
    AddressSpace::Use use(*space);
    if (!space->resolve(to, bytes, target, shadow, message))
      return noteReleased(to, true, operation);
    if (options.checks) {
      RaceChecker races(operations, findings, operation);
      noteAccess(races, to, bytes, true);
    }
    if (patternBytes == 1)
      std::memset(target, int(pattern & 0xff), bytes);
    else
      for (uint64_t i = 0; i < count; ++i)
        std::memcpy(target + i * patternBytes, &pattern, patternBytes);
    if (shadow)
      std::memset(shadow, ShadowWritten, bytes);
    return true;
  }

  LoadResult load(const void *image, size_t bytes, uint32_t device) override;
  bool census(const void *image, size_t bytes, std::vector<CensusRow> &rows,
              std::string *message) const override;
  LaunchResult launch(const LaunchRequest &request) override;
  void interrupt() override { interrupted = true; }
  uint32_t occupancy(const Kernel &kernel, uint32_t threads, uint32_t dynamicLds) const override;

  std::string report(ReportFormat format) const override { return findings.print(format); }
  uint64_t findingCount() const override { return findings.count(); }
  void clearReport() override { findings.clear(); }

private:
  std::vector<const Chip *> chips;
  Options options;
  const std::shared_ptr<AddressSpace> space = std::make_shared<AddressSpace>(limitsOf(chips));
  Findings findings;
  OperationLog operations;
  std::atomic<bool> interrupted{false};

  static std::vector<std::string> namesOf(const std::vector<const Chip *> &chips) {
    std::vector<std::string> names;
    for (const Chip *chip : chips)
      names.push_back(chip->info.name);
    return names;
  }
  static std::vector<uint64_t> limitsOf(const std::vector<const Chip *> &chips) {
    std::vector<uint64_t> limits;
    for (const Chip *chip : chips)
      limits.push_back(chip->info.memoryBytes);
    return limits;
  }

  void addFault(const LaunchContext &context, const std::string &message) {
    Finding finding;
    finding.kind = "fault";
    finding.device = context.device;
    finding.kernel = context.record->info.name;
    finding.message = message;
    findings.add(std::move(finding));
  }

  /// A place that is not live: perhaps only because nothing orders its release. Always false.
  bool noteReleased(uint64_t address, bool write, const Operation &operation) {
    const MemoryBlock *block = space->find(address);
    if (options.checks && block && !block->live)
      RaceChecker(operations, findings, operation).useReleased(*block, address, write, 0);
    return false;
  }
  void noteAccess(RaceChecker &races, uint64_t address, uint64_t bytes, bool write) {
    const MemoryBlock *block = space->find(address);
    if (block && block->contains(address, bytes))
      races.access(*block, address, bytes, write ? Access::Write : Access::Read, 0, 0, Acquired());
  }
};

LoadResult MachineImpl::load(const void *image, size_t bytes, uint32_t device) {
  LoadResult result;
  auto refuse = [&](LoadStatus status, const std::string &message) {
    result.status = status;
    result.message = message;
    return std::move(result);
  };
  if (device >= chips.size())
    return refuse(LoadStatus::WrongChip, "no such device");
  const Chip &chip = *chips[device];
  auto object = readCodeObject(image, bytes, chip.info.name, chip.info.machine);
  if (!object)
    return refuse(object.error().status == TL_E_UNSUPPORTED     ? LoadStatus::WrongChip
                  : object.error().status == TL_E_OUT_OF_MEMORY ? LoadStatus::OutOfMemory
                                                                : LoadStatus::NotAnImage,
                  object.error().message);
  constexpr uint32_t kXnackOn = 3; // EF_AMDGPU_FEATURE_XNACK_ON_V4
  if (object->xnack == kXnackOn)
    return refuse(LoadStatus::WrongChip, formatString("the code object needs XNACK, which is off "
                                                      "on this %s",
                                                      chip.info.name));
  constexpr uint32_t kSramEccOff = 2;
  if (object->sramEcc == kSramEccOff)
    return refuse(LoadStatus::WrongChip, formatString("the code object needs SRAM-ECC off, which "
                                                      "is on on this %s",
                                                      chip.info.name));
  auto kernels = readKernels(*object, chip);
  if (!kernels)
    return refuse(LoadStatus::NotAnImage, kernels.error().message);
  auto module = std::make_unique<LoadedModule>(space, chip, device, std::move(*object));
  std::string message;
  LoadStatus status = module->place(message);
  if (status != LoadStatus::Ok)
    return refuse(status, message);
  for (KernelRecord &record : *kernels)
    module->kernels.push_back(std::make_unique<LoadedKernel>(*module, std::move(record)));
  result.module = std::move(module);
  return result;
}

bool MachineImpl::census(const void *image, size_t bytes, std::vector<CensusRow> &rows,
                         std::string *message) const {
  auto *data = static_cast<const uint8_t *>(image);
  std::vector<Bytes> files;
  static const uint8_t elf[] = {0x7f, 'E', 'L', 'F'};
  if (bytes >= sizeof elf && std::memcmp(data, elf, sizeof elf) == 0)
    files.push_back(Bytes(data, data + bytes));
  else
    for (const Chip *chip : chips) {
      auto found = readOffloadBundle(data, bytes, true, chip->info.name);
      if (found)
        files.push_back(std::move(*found));
      else if (found.error().status != TL_E_UNSUPPORTED ||
               (chip == chips.back() && files.empty())) {
        *message = found.error().message;
        return false;
      }
    }
  for (const Bytes &file : files) {
    auto taken = takeCensus(file);
    if (!taken) {
      *message = taken.error().message;
      return false;
    }
    rows.insert(rows.end(), taken->begin(), taken->end());
  }
  return true;
}

LaunchResult MachineImpl::launch(const LaunchRequest &request) {
  auto *kernel = static_cast<const LoadedKernel *>(request.kernel);
  if (!kernel)
    return {LaunchStatus::BadArguments, "no kernel"};
  LaunchContext context;
  std::string message;
  context.request = &request;
  context.record = &kernel->record;
  context.program = kernel->module.program(kernel->record.info.waveSize, message);
  if (!context.program)
    return {LaunchStatus::IllegalState, message};
  context.chip = &kernel->module.chip;
  context.device = int32_t(kernel->device());
  findings.ran(context.device);
  context.options = &options;
  context.interrupted = &interrupted;
  context.space = space.get();
  auto lines = kernel->module.lines();
  context.lines = lines.get();
  context.findings = &findings;
  context.codeBase = kernel->module.memory->address;
  context.checked = options.checks || options.profile;
  std::optional<RaceChecker> races;
  if (options.checks)
    context.races =
        &races.emplace(operations, findings, request.operation,
                       OperationRecord{.name = kernel->record.info.name,
                                       .device = context.device,
                                       .lines = lines,
                                       .swaps = context.program->swaps,
                                       .plainAtomicStores = context.chip->has(PlainAtomicStores)});
  LaunchResult result = runLaunch(context, options.threads);
  const bool stopped = result.status >= LaunchStatus::MemoryFault; // while it was running
  if (stopped)
    addFault(context, result.message);
  if (options.profile && (stopped || result.status == LaunchStatus::Ok)) {
    uint32_t threads = request.block[0] * request.block[1] * request.block[2];
    findings.count({context.device, kernel->record.info.name, threads, request.dynamicLds,
                    occupancyOf(*context.chip, kernel->record.info, threads, request.dynamicLds)});
  }
  return result;
}

uint32_t MachineImpl::occupancy(const Kernel &kernel, uint32_t threads, uint32_t dynamicLds) const {
  return occupancyOf(*chips[kernel.device()], kernel.info(), threads, dynamicLds).groups;
}

} // namespace

Emulator *createMachine(const std::vector<std::string> &names, const Options &options,
                        std::string *message) {
  std::vector<const Chip *> chips;
  for (const std::string &name : names) {
    const Chip *chip = findChip(name);
    if (!chip) {
      if (message)
        *message = "no chip \"" + name.substr(0, 200) + "\" is emulated";
      return nullptr;
    }
    chips.push_back(chip);
  }
  if (chips.empty()) {
    if (message)
      *message = "a machine needs a chip";
    return nullptr;
  }
  return new MachineImpl(std::move(chips), options);
}

} // namespace tl::emu
