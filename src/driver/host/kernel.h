// A host kernel in memory.
#pragma once

#include "driver/host/gdb_jit.h"
#include "driver/host/image.h"
#include "driver/host/worker_pool.h"

namespace tl {

class HostKernel final : public LoadedKernel {
public:
  std::unique_ptr<HostImage> image;
  std::unique_ptr<GdbRegistration> debugger; // goes before the image does
  /// Nanoseconds per program of the last launch, for the worker pool.
  mutable std::atomic<float> cost{0};

  HostFunction entry() const { return reinterpret_cast<HostFunction>(function); }
};

} // namespace tl
