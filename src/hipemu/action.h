// What a stream or a graph node does: a kernel, a copy, a fill, a call of the host, the end of an
// allocation. Immutable once shared.
#pragma once

#include "emu/emulator.h"
#include "hipemu/abi.h"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace tl::hipemu {

/// A kernel with what keeps its code alive.
struct KernelCode {
  std::shared_ptr<emu::Module> module;
  const emu::Kernel *kernel = nullptr;
  const emu::KernelInfo &info() const { return kernel->info(); }
};

struct Launch {
  KernelCode code;
  const void *handle = nullptr; // what the caller named it by: hipFunction_t or a host function
  dim3 grid{1, 1, 1}, block{1, 1, 1};
  uint32_t dynamicLds = 0;
  std::vector<uint8_t> kernarg; // explicit arguments at their offsets
  bool cooperative = false;
  bool fromExtra = false; // given by HIP_LAUNCH_PARAM_*
};

struct Action {
  NodeType type = NodeType::Empty;
  std::string name; // for reports: the HIP function, or the kernel
  int device = 0;
  Launch launch;                                 // Kernel
  uint64_t to = 0, from = 0, bytes = 0;          // Memcpy; MemFree: `to`
  int kind = hipMemcpyDefault;                   // Memcpy
  std::shared_ptr<std::vector<uint8_t>> staging; // Memcpy: `from` lies in it
  uint32_t pattern = 0, patternBytes = 1;        // Memset: `bytes` is the count of elements
  hipHostFn_t function = nullptr;                // Host
  hipStreamCallback_t callback = nullptr;        // Host, of hipStreamAddCallback
  hipStream_t callbackStream = nullptr;
  void *user = nullptr;
};

/// Why an action failed on the device; code 0 = it did not.
struct Fault {
  int code = 0;
  std::string message;
};

} // namespace tl::hipemu
