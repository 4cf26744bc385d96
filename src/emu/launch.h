// A launch: what all its workgroups share, its workers, and the initial state of waves.
#pragma once

#include "emu/decode.h"
#include "emu/kernel_record.h"
#include "emu/memory.h"
#include "emu/wave.h"

#include <atomic>
#include <chrono>
#include <mutex>

namespace tl::emu {

struct Chip;
class LineTable;
class Findings;
class RaceChecker;

/// Apertures of flat addresses: what src_shared_base and src_private_base read. Only the upper
/// words matter; offsets are 32 bits.
inline constexpr uint64_t kSharedAperture = uint64_t(1) << 48;
inline constexpr uint64_t kPrivateAperture = uint64_t(2) << 48;
/// The base in gfx90a's scratch buffer descriptor; no memory is there.
inline constexpr uint64_t kScratchBufferBase = uint64_t(0x7f00) << 32;

struct LaunchContext {
  const LaunchRequest *request = nullptr;
  const KernelRecord *record = nullptr;
  const Program *program = nullptr;
  const Chip *chip = nullptr;
  int32_t device = -1;
  const Options *options = nullptr;
  AddressSpace *space = nullptr;
  const LineTable *lines = nullptr; // NULL without debug info
  Findings *findings = nullptr;     // NULL when nothing is checked or counted
  uint64_t codeBase = 0;
  uint32_t entry = 0; // index of the first micro-op
  uint64_t kernargAddress = 0, packetAddress = 0, queueAddress = 0;
  std::vector<uint32_t> kernarg; // for preloading
  uint32_t ldsBytes = 0;         // rounded up
  uint32_t ldsUsed = 0;          // static and dynamic, as asked for
  uint32_t scratchBytes = 0;     // of a lane
  uint32_t vectorLines = 0;      // of a wave's vector file
  uint64_t groups = 0;
  uint64_t budget = 0;          // wave instructions of the whole launch; 1 at least
  RaceChecker *races = nullptr; // NULL without checks
  bool checked = false;         // checks or profile
  const std::atomic<bool> *interrupted = nullptr;
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
  std::atomic<uint32_t> notices{0}; // of a launch that takes long

  std::atomic<uint64_t> nextGroup{0};
  std::atomic<uint64_t> instructions{0}; // that workers have reported
  std::atomic<bool> stop{false};
  std::mutex resultLock;
  LaunchResult result;

  /// The first failure wins and stops all workers.
  void fail(LaunchStatus status, std::string message);
  void failForMemory(const char *what);
  /// "kernel k, v_add_f32 at 0x1f00 (file.c:12)".
  std::string place(const MicroOp &op) const;
};

/// Checks the request, lays out its arguments and runs all workgroups.
LaunchResult runLaunch(LaunchContext &context, unsigned threads);

} // namespace tl::emu
