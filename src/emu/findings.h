// What checked launches found, by kind and source line.
#pragma once

#include "emu/checks/profile.h"
#include "emu/emulator.h"
#include "emu/line_table.h"
#include "emu/occupancy.h"

#include <map>
#include <mutex>
#include <set>
#include <tuple>

namespace tl::emu {

struct Finding {
  std::string kind;    // "uninitialized-read"
  int32_t device = -1; // -1: of no kernel
  std::string kernel;
  SourceLine source;
  uint32_t pc = 0;
  std::string message; // of the first time
  uint64_t times = 0;
};

/// A kernel as it was launched.
struct LaunchedKernel {
  int32_t device = -1;
  std::string kernel;
  uint32_t threads = 0; // of a workgroup
  uint32_t dynamicLds = 0;
  Occupancy occupancy;
};

/// Kernels have their names as in code objects; texts show them as in the source.
class Findings {
public:
  /// `chips`: names of the machine's devices.
  explicit Findings(std::vector<std::string> chips) : chips(std::move(chips)) {}

  /// Counts a finding; those of one kind, device, kernel, pc and place are one (the same code may
  /// come from two places).
  void add(Finding finding);
  /// Adds what a worker counted of an instruction.
  void count(const ProfileLine &line);
  void count(const LaunchedKernel &launched);
  /// A kernel has run on a device: texts name devices once there are several.
  void ran(int32_t device);
  /// Something was not looked for: the report says it, with how often.
  void notChecked(const std::string &what, uint64_t times = 1);
  uint64_t count() const;
  void clear();
  std::string print(ReportFormat format) const;

private:
  struct Place {
    int32_t device;
    std::string kernel, file; // no file and line 0: of no known line
    uint32_t line, pc;        // pc 0: of the whole line
    auto operator<=>(const Place &) const = default;
  };
  struct Mix {
    std::string place; // of a known line
    std::map<std::string, uint64_t> counts;
  };
  /// Executions of each kind of instruction, by source line.
  std::map<Place, Mix> instructionMix() const;
  std::string printJson() const;
  std::string printText() const;
  std::string printProfile() const;
  /// "device 1 (gfx1100): ", or nothing where that is clear.
  std::string deviceText(int32_t device) const;

  mutable std::mutex lock;
  const std::vector<std::string> chips;
  std::set<int32_t> devices;                              // that kernels ran on
  std::map<std::pair<std::string, Place>, Finding> found; // by kind and place
  std::map<Place, ProfileLine> profile;
  std::map<std::tuple<int32_t, std::string, uint32_t, uint32_t>, LaunchedKernel> launches;
  std::map<std::string, uint64_t> gaps;
};

} // namespace tl::emu
