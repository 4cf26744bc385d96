// What checked launches found, by kind and source line.
#pragma once

#include "emu/checks/profile.h"
#include "emu/emulator.h"
#include "emu/occupancy.h"

#include <map>
#include <mutex>
#include <tuple>

namespace tl::emu {

struct Finding {
  std::string kind; // "uninitialized-read"
  std::string kernel;
  std::string file;
  uint32_t line = 0;
  uint32_t pc = 0;
  std::string message; // of the first time
  uint64_t times = 0;
};

/// A kernel as it was launched.
struct LaunchedKernel {
  std::string kernel;
  uint32_t threads = 0; // of a workgroup
  uint32_t dynamicLds = 0;
  Occupancy occupancy;
};

class Findings {
public:
  /// Counts a finding; those of one kind, kernel, pc and place are one (the same code may come from
  /// two places).
  void add(Finding finding);
  /// Adds what a worker counted of an instruction.
  void count(const ProfileLine &line);
  void count(const LaunchedKernel &launched);
  uint64_t count() const;
  void clear();
  std::string print(ReportFormat format) const;

private:
  struct Place {
    std::string kernel, file; // no file and line 0: of no known line
    uint32_t line;
    auto operator<=>(const Place &) const = default;
  };
  /// Executions of each kind of instruction, by source line.
  std::map<Place, std::map<std::string, uint64_t>> instructionMix() const;
  std::string printProfile() const;

  mutable std::mutex lock;
  std::map<std::string, Finding> found;
  // By kernel, pc, file and line.
  std::map<std::tuple<std::string, uint32_t, std::string, uint32_t>, ProfileLine> profile;
  std::map<std::tuple<std::string, uint32_t, uint32_t>, LaunchedKernel> launches;
};

} // namespace tl::emu
