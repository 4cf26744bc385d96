// Runs a case on the interpreter and on a device, and compares.
#pragma once

#include "differential/generate.h"
#include "interp/compare.h"

#include <memory>

namespace tl::test {

/// The buffers of a case in memory of their own, each next to a page that may not be touched: after
/// its last byte (`guardEnd`), or before its first.
class Memory {
public:
  Memory(const Case &c, bool guardEnd);
  ~Memory();
  Memory(const Memory &) = delete;
  Memory &operator=(const Memory &) = delete;

  /// Arguments for the interpreter, in this memory. They borrow from the case.
  std::vector<InterpArg> interpArgs() const;
  /// Where argument `i` points, or null for scalars.
  void *pointer(size_t i) const;
  /// Where buffer `i` of the case begins.
  void *buffer(size_t i) const { return mappings[i].data; }

private:
  struct Mapping {
    void *base;
    size_t bytes;
    uint8_t *data;
  };
  const Case &c;
  std::vector<Mapping> mappings;
};

enum class Verdict {
  Agree,
  Inconclusive, // too much is undecided to say anything
  Differ,
  Failed, // did not build, load or run
};

struct Outcome {
  Verdict verdict = Verdict::Failed;
  std::string text;
  uint64_t inexact = 0, undecided = 0, written = 0; // elements
  double buildMilliseconds = 0;
};

/// A device under test.
class Device {
public:
  virtual ~Device() = default;
  /// Compiles the canonical graph and runs it on the case's arguments in `memory`.
  virtual Status run(const Case &c, const Graph &canonical, const Memory &memory,
                     const int64_t (&grid)[3], double *buildMilliseconds) = 0;
};

/// The CPU, through the compiler's pipeline and the host driver.
std::unique_ptr<Device> openHost();
/// An AMD chip ("gfx942"): the compiler's pipeline, the HIP driver and the stand-in HIP runtime
/// with all its checks; whatever they find is a failure. The libraries are those of $TL_BUILD_DIR.
std::unique_ptr<Device> openEmulated(const std::string &chip);
/// The first NVIDIA GPU of this machine.
std::unique_ptr<Device> openCuda();

/// Interpreter against device.
Outcome check(const Case &c, Device &device);

} // namespace tl::test
