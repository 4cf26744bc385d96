// Tells perf about mapped kernels: a jitdump file
// (tools/perf/Documentation/jitdump-specification.txt of the Linux sources) with the code of every
// function. `perf record -k mono`, then `perf inject --jit`, gives reports with kernel names.
#pragma once

#include "driver/host/image.h"

#include <mutex>

namespace tl {

/// One jit-<pid>.dump file. Only one process and one driver write to it.
class JitDump {
public:
  JitDump() = default;
  JitDump(const JitDump &) = delete;
  JitDump &operator=(const JitDump &) = delete;
  ~JitDump();

  /// Creates the file in `directory` at the first call, then writes the image's functions. TL_E_IO
  /// names the file and the system's error.
  Status add(const HostImage &image, const std::string &directory);

private:
  Status open(const std::string &directory);
  Status write(const void *bytes, size_t size);

  std::mutex mutex;
  std::string path;
  int file = -1;
  void *marker = nullptr; // the mapping by which perf learns of the file
  uint64_t functions = 0;
};

} // namespace tl
