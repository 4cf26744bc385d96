// The seam between the emulator and those who drive it: the stand-in HIP runtime and the tools.
// libtilelang-emu.so exports one function, tl_emu_create; all else goes through the virtual
// functions below (both sides are compiled from this header, which kInterface makes sure of).
//
// An Emulator is one machine: its devices, one address space that they share with the host, the
// code on them, and what its checks have found. Addresses are 64-bit device addresses; the host
// cannot dereference those of MemoryKind::Device.
//
// Threads: an Emulator may be used from many threads at once; launches and copies that are ordered
// neither by the caller nor by their Operation may run at the same time. A Module must outlive the
// launches of its kernels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tl::emu {

/// Facts of a chip that its users see; one row of chips.def.
struct ChipInfo {
  const char *name;    // "gfx942"
  const char *product; // "AMD Instinct MI300X"
  uint32_t machine;    // EF_AMDGPU_MACH_* of its code objects
  uint32_t waveSize;   // the default of HIP programs: 64, or 32 on RDNA
  uint32_t computeUnits;
  uint32_t ldsBytes;        // per workgroup
  uint32_t maxThreads;      // per workgroup
  uint32_t vectorRegisters; // per SIMD lane: what the waves of a SIMD share
  uint32_t maxWavesPerSimd;
  uint32_t simdsPerUnit;
  uint32_t ldsBanks;
  uint32_t cacheLineBytes;
  uint64_t memoryBytes;
  uint32_t clockKHz;
};

enum class MemoryKind : uint8_t {
  Device,     // faults when the host touches it
  Pinned,     // of the host, visible to devices: hipHostMalloc
  Managed,    // hipMallocManaged
  Registered, // the host's own memory, made visible: hipHostRegister
};

struct Allocation {
  uint64_t address;
  uint64_t bytes;
  MemoryKind kind;
  uint32_t device;
  bool live; // false: released, kept in quarantine so that later uses are recognized
};

/// Where an operation of a stream stands among all others. `clock[s]` is the number of the last
/// operation of stream s that is finished before this one starts, by the order of streams, events
/// and host synchronization; two operations of which neither is before the other race when they
/// touch a byte and one of them writes it.
struct Operation {
  uint32_t stream = 0;   // dense numbers, never reused while an Emulator lives
  uint64_t sequence = 0; // 1, 2, ... within the stream; 0 = ordered after everything
  std::vector<uint64_t> clock;
  std::string name; // "hipMemcpyAsync", for reports; a launch has its kernel's
};

struct KernelArgument {
  std::string name; // may be empty
  uint32_t offset, bytes;
  std::string valueKind; // of the metadata: "global_buffer", "by_value", "hidden_block_count_x"
  bool hidden() const { return valueKind.rfind("hidden_", 0) == 0; }
};

struct KernelInfo {
  std::string name;
  std::vector<KernelArgument> arguments; // by offset; hidden ones are filled by the emulator
  uint32_t kernargBytes, kernargAlignment;
  uint32_t explicitBytes; // end of the last argument that is not hidden
  uint32_t ldsBytes;      // static
  uint32_t privateBytes;  // scratch of a lane
  uint32_t waveSize;
  uint32_t vgprs, agprs, sgprs; // of a wave
  uint32_t vgprSpills, sgprSpills;
  uint32_t maxThreads;         // of a workgroup, from the metadata
  uint32_t requiredThreads[3]; // reqd_workgroup_size, or zeros
};

/// The author's place for a line that a code object's debug info names.
struct LineMapping {
  uint32_t line; // of the debug info
  std::string file;
  uint32_t sourceLine;
};

/// The code of one loaded code object on one device.
class Module {
public:
  virtual ~Module() = default;
  virtual uint32_t device() const = 0;
  virtual size_t kernelCount() const = 0;
  /// NULL when there is no such kernel.
  virtual const class Kernel *findKernel(const std::string &name) const = 0;
  virtual const class Kernel *kernel(size_t index) const = 0;
  /// A global variable: its address, 0 when there is none.
  virtual uint64_t findGlobal(const std::string &name, uint64_t *bytes) const = 0;
  /// From the next launch on, reports and faults name these places for the lines that debug info
  /// has; lines that are not among them stay as they are.
  virtual void mapLines(std::vector<LineMapping> map) = 0;
};

class Kernel {
public:
  virtual ~Kernel() = default;
  virtual const KernelInfo &info() const = 0;
  virtual uint32_t device() const = 0;
};

enum class LaunchStatus : uint8_t {
  Ok,
  BadConfiguration, // zero or too many threads, required size not met
  OutOfResources,   // more LDS, registers or scratch than the chip has
  BadArguments,     // kernarg block too short
  MemoryFault,      // hipErrorIllegalAddress
  IllegalState,     // jump outside the code, an instruction of another chip, a bad descriptor
  Unimplemented,    // an instruction that the emulator does not know
  Trap,             // s_trap: abort(), an assertion
  Hang,             // the instruction budget is used up
};

struct LaunchResult {
  LaunchStatus status = LaunchStatus::Ok;
  std::string message; // one sentence: kernel, mnemonic, pc, source line, lane, address
};

struct LaunchRequest {
  const Kernel *kernel = nullptr;
  uint32_t grid[3] = {1, 1, 1};  // workgroups
  uint32_t block[3] = {1, 1, 1}; // threads of a workgroup
  /// Threads of the last workgroup of each axis when it is partial (OpenCL); 0 = a whole one.
  uint32_t remainder[3] = {0, 0, 0};
  uint32_t dynamicLds = 0;
  const void *kernarg = nullptr; // the explicit arguments at their offsets; copied
  size_t kernargBytes = 0;
  bool cooperative = false;
  Operation operation;
};

enum class LoadStatus : uint8_t {
  Ok,
  NotAnImage, // no ELF and no bundle, truncated, damaged: hipErrorInvalidImage (200)
  WrongChip,  // for other chips or features: hipErrorNoBinaryForGpu (209)
  OutOfMemory,
};

struct LoadResult {
  LoadStatus status = LoadStatus::Ok;
  std::string message;
  std::unique_ptr<Module> module; // set when Ok
};

/// Readings where documents disagree, and what is checked. Zero values are the defaults.
struct Options {
  uint32_t threads = 0; // workers of a launch; 0 = all processors
  bool checks = true;   // shadow memory and hazards; without them only faults are found
  bool profile = false; // coalescing, bank conflicts, instruction mix
  uint64_t seed = 0;    // order of waves and workgroups; 0 = by number
  uint64_t instructionBudget =
      0;                     // wave instructions of a launch until it counts as hung; 0 = default
  uint32_t perturbation = 0; // approximated functions: 0 = rounded right, else ulps of noise
  enum class Accumulation : uint8_t { Cdna, Ordered } accumulation = Accumulation::Cdna;
  enum class BufferRange : uint8_t { PerDword, PerAccess } bufferRange = BufferRange::PerDword;
};

/// An instruction that a code object uses, and whether the emulator knows it.
struct CensusRow {
  std::string chip, mnemonic;
  uint64_t count;
  bool implemented;
};

enum class ReportFormat : uint8_t { Text, Json };

class Emulator {
public:
  virtual ~Emulator() = default;

  virtual uint32_t deviceCount() const = 0;
  virtual const ChipInfo &chip(uint32_t device) const = 0;

  /// Memory aligned to 256 bytes with red zones around it, not yet written; 0 when there is none.
  virtual uint64_t allocate(uint64_t bytes, MemoryKind kind, uint32_t device) = 0;
  /// Makes memory of the host visible at its own address; counts as written. False: overlaps.
  virtual bool registerHost(void *memory, uint64_t bytes, uint32_t device) = 0;
  /// Ends an allocation. False when `address` is not the start of a live one. `operation` is the
  /// stream-ordered release, NULL one of the host.
  virtual bool release(uint64_t address, const Operation *operation) = 0;
  /// The allocation, live or in quarantine, that an address lies in.
  virtual bool findAllocation(uint64_t address, Allocation *allocation) const = 0;
  virtual uint64_t bytesInUse(uint32_t device) const = 0;

  /// Copies between any two places; ordinary host memory is allowed at both ends. False when a
  /// device address is outside of live allocations: `message` says which.
  virtual bool copy(uint64_t to, uint64_t from, uint64_t bytes, const Operation &operation,
                    std::string *message) = 0;
  /// Stores `count` copies of the low 1, 2 or 4 bytes of `pattern`.
  virtual bool fill(uint64_t to, uint32_t pattern, uint32_t patternBytes, uint64_t count,
                    const Operation &operation, std::string *message) = 0;

  /// Loads an ELF code object, or the one for this chip out of an offload bundle (compressed ones
  /// too). `bytes` may be SIZE_MAX when the caller does not know: the headers then say it.
  virtual LoadResult load(const void *image, size_t bytes, uint32_t device) = 0;

  /// The instructions of an ELF code object, or of all in an offload bundle, of any emulated chip,
  /// by mnemonic. False, with a sentence in `message`, when it is none.
  virtual bool census(const void *image, size_t bytes, std::vector<CensusRow> &rows,
                      std::string *message) const = 0;

  /// Runs a grid to its end on the calling thread and the workers. Whatever the checks find goes
  /// to the report; only what the real chip would stop at makes the status.
  virtual LaunchResult launch(const LaunchRequest &request) = 0;

  /// Running launches end soon, with status Hang: the process is about to end.
  virtual void interrupt() = 0;

  /// Workgroups of a size that fit one compute unit at once.
  virtual uint32_t occupancy(const Kernel &kernel, uint32_t threads, uint32_t dynamicLds) const = 0;

  /// What was found and counted since the start or the last clear, by source line.
  virtual std::string report(ReportFormat format) const = 0;
  /// Faults found by the checks so far; coalescing and conflicts are no faults.
  virtual uint64_t findingCount() const = 0;
  virtual void clearReport() = 0;
};

/// Changes with every change of this header, so that libraries of different builds refuse each
/// other.
inline constexpr char kInterface[] = "tilelang-emu 4";

} // namespace tl::emu

/// A machine with these chips ("gfx942", "gfx1100"). NULL with `message` filled when a chip is
/// unknown, the CPU lacks AVX2, FMA or F16C, or `interface` is not this library's kInterface. The
/// caller owns the Emulator.
extern "C" tl::emu::Emulator *tl_emu_create(const char *interface,
                                            const std::vector<std::string> &chips,
                                            const tl::emu::Options &options, std::string *message);
