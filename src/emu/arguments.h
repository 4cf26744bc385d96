// The kernel argument block of a launch, its hidden arguments and its dispatch packet, in memory.
#pragma once

#include "emu/launch.h"

namespace tl::emu {

/// The threads of all workgroups of an axis, of which the last one may be partial.
uint64_t gridThreads(const LaunchRequest &request, unsigned axis);

/// Memory of the emulator's own for the time of a launch.
class LaunchMemory {
public:
  explicit LaunchMemory(AddressSpace &space) : space(space) {}
  ~LaunchMemory();
  LaunchMemory(const LaunchMemory &) = delete;
  /// Fills kernargAddress, packetAddress, queueAddress and kernarg of the context. False: no
  /// memory.
  bool fill(LaunchContext &context, uint32_t device);

private:
  AddressSpace &space;
  MemoryBlock *block = nullptr;
};

} // namespace tl::emu
