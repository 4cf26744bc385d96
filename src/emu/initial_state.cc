// What registers hold when a wave starts: "Initial Kernel Execution State" of LLVM's user guide for
// the AMDGPU backend.
#include "emu/checks/definedness.h"
#include "emu/chips.h"
#include "emu/workgroup.h"

#include <algorithm>
#include <numeric>

namespace tl::emu {
namespace {

class SgprWriter {
public:
  explicit SgprWriter(Wave &wave) : wave(wave) {}
  void word(uint32_t value) {
    if (next < SlotFlatScratch)
      wave.s[next++] = value;
  }
  void pair(uint64_t value) {
    word(uint32_t(value));
    word(uint32_t(value >> 32));
  }
  uint32_t next = 0;

private:
  Wave &wave;
};

// A swizzled buffer over the scratch of a wave: elements of 4 bytes, an index stride of 64, the
// thread id added (gfx90a; CDNA2 ISA 9.1.5 "Buffer Resource").
void writeScratchDescriptor(SgprWriter &out) {
  out.word(uint32_t(kScratchBufferBase));
  out.word(uint32_t(kScratchBufferBase >> 32) | 1u << 31);
  out.word(~0u);
  out.word(1u << 23 | 3u << 21 | 4u << 15 | 7u << 12);
}

/// How many SGPRs are set.
uint32_t writeScalars(Wave &wave, const Workgroup &group) {
  const LaunchContext &launch = *wave.launch;
  const KernelDescriptor &descriptor = launch.record->descriptor;
  using Property = KernelDescriptor;
  SgprWriter out(wave);
  if (descriptor.has(Property::PrivateSegmentBuffer))
    writeScratchDescriptor(out);
  if (descriptor.has(Property::DispatchPointer))
    out.pair(launch.packetAddress);
  if (descriptor.has(Property::QueuePointer))
    out.pair(launch.queueAddress);
  if (descriptor.has(Property::KernargPointer))
    out.pair(launch.kernargAddress);
  if (descriptor.has(Property::DispatchId))
    out.pair(1);
  if (descriptor.has(Property::FlatScratchInit))
    out.pair(0);
  if (descriptor.has(Property::PrivateSegmentSize))
    out.word(launch.scratchBytes);
  if (launch.chip->has(KernargPreload))
    for (uint32_t i = 0; i < descriptor.preloadDwords(); ++i) {
      size_t at = descriptor.preloadOffsetDwords() + i;
      out.word(at < launch.kernarg.size() ? launch.kernarg[at] : 0);
    }
  out.next = descriptor.userSgprs();
  if (launch.chip->has(ArchitectedIds)) {
    wave.s[SlotTtmp + 9] = group.id[0];
    wave.s[SlotTtmp + 7] = group.id[1] | group.id[2] << 16;
    // Bits 25 to 29: the number of the wave in its group, which compilers read there.
    wave.s[SlotTtmp + 8] = uint32_t(&wave - group.waves.data()) << 25;
  } else {
    for (unsigned axis = 0; axis < 3; ++axis)
      if (descriptor.enableWorkgroupId(axis))
        out.word(group.id[axis]);
    if (descriptor.enableWorkgroupInfo())
      out.word(uint32_t(group.waves.size()));
    if (descriptor.enablePrivate() && !launch.chip->has(ArchitectedScratch))
      out.word(0); // the scratch wave offset: each wave has scratch of its own
  }
  wave.setScalarPair(SlotSharedBase, kSharedAperture);
  wave.setScalarPair(SlotSharedLimit, kSharedAperture | 0xffffffff);
  wave.setScalarPair(SlotPrivateBase, kPrivateAperture);
  wave.setScalarPair(SlotPrivateLimit, kPrivateAperture | 0xffffffff);
  return out.next;
}

} // namespace

void initializeWave(Wave &wave, const Workgroup &group, uint32_t number) {
  const LaunchContext &launch = *wave.launch;
  const KernelDescriptor &descriptor = launch.record->descriptor;
  wave.number = number;
  wave.lanes = launch.program->waveSize;
  wave.laneMask = wave.lanes == 64 ? ~uint64_t(0) : 0xffffffff;
  wave.pc = launch.entry;
  wave.scratchBytes = launch.scratchBytes;
  // FLOAT_ROUND_MODE and FLOAT_DENORM_MODE are in MODE's order in resource1.
  wave.mode = descriptor.resource1 >> 12 & 0xff;
  if (launch.chip->has(NoIeeeMode)) {
    wave.mode |= ModeDx10Clamp | ModeIeee;
  } else {
    wave.mode |= (descriptor.resource1 >> 21 & 1) * ModeDx10Clamp;
    wave.mode |= (descriptor.resource1 >> 23 & 1) * ModeIeee;
  }
  uint32_t threads = group.block[0] * group.block[1] * group.block[2];
  uint32_t first = number * wave.lanes, count = std::min(threads - first, wave.lanes);
  wave.setScalarPair(SlotExec, count == 64 ? ~uint64_t(0) : (uint64_t(1) << count) - 1);
  uint32_t *ids = wave.line(0);
  for (uint32_t l = 0; l < count; ++l) {
    uint32_t thread = first + l, x = thread % group.block[0],
             y = thread / group.block[0] % group.block[1],
             z = thread / group.block[0] / group.block[1];
    ids[l] = x | y << 10 | z << 20;
  }
  const uint32_t scalars = writeScalars(wave, group);
  if (wave.checks)
    startDefinedness(wave, scalars);
}

void initializeGroup(Workgroup &group, LaunchContext &launch, Worker &worker, uint64_t number,
                     uint32_t *vectorFile, uint8_t *scratch) {
  const LaunchRequest &request = *launch.request;
  group.launch = &launch;
  group.number = number;
  group.id[0] = uint32_t(number % request.grid[0]);
  group.id[1] = uint32_t(number / request.grid[0] % request.grid[1]);
  group.id[2] = uint32_t(number / request.grid[0] / request.grid[1]);
  for (unsigned axis = 0; axis < 3; ++axis) {
    bool partial = request.remainder[axis] && group.id[axis] + 1 == request.grid[axis];
    group.block[axis] = partial ? request.remainder[axis] : request.block[axis];
  }
  uint32_t threads = group.block[0] * group.block[1] * group.block[2];
  uint32_t lanes = launch.program->waveSize, count = (threads + lanes - 1) / lanes;
  group.lds.assign(launch.ldsBytes, 0);
  group.ldsBytes = launch.ldsBytes;
  group.live = count;
  group.signals = group.generation = 0;
  group.slices = 0;
  group.waves.assign(count, Wave());
  group.order.resize(count);
  std::iota(group.order.begin(), group.order.end(), 0);
  if (uint64_t seed = launch.options->seed) {
    // A different order in each workgroup: splitmix64 over the seed and the group's number.
    uint64_t state = seed * 0x9e3779b97f4a7c15 + number;
    for (uint32_t i = count; i > 1; --i) {
      state += 0x9e3779b97f4a7c15;
      uint64_t z = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9;
      z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
      std::swap(group.order[i - 1], group.order[(z ^ (z >> 31)) % i]);
    }
  }
  if (launch.races) {
    group.waveChecks.assign(count, WaveChecks());
    for (WaveChecks &checks : group.waveChecks)
      checks.lines.resize(launch.vectorLines);
    group.checks = std::make_unique<GroupChecks>();
    group.checks->lds.resize(launch.ldsBytes / 4 + 1);
    group.checks->ldsShadow.resize(launch.ldsBytes);
    group.checks->scratchShadow.resize(size_t(launch.scratchBytes) * kLineLanes * count);
  }
  size_t fileWords = size_t(launch.vectorLines + kSpareLines) * kLineLanes;
  for (uint32_t i = 0; i < count; ++i) {
    Wave &wave = group.waves[i];
    wave.v = vectorFile + i * fileWords;
    wave.scratch = scratch + size_t(i) * launch.scratchBytes * kLineLanes;
    wave.program = launch.program;
    wave.launchVectorLines = launch.vectorLines;
    wave.codeBase = launch.codeBase;
    wave.group = &group;
    wave.worker = &worker;
    wave.launch = &launch;
    wave.checks = launch.races ? &group.waveChecks[i] : nullptr;
    initializeWave(wave, group, i);
  }
}

} // namespace tl::emu
