// A workgroup: its waves, its LDS, its barrier; run by one worker.
#pragma once

#include "emu/checks/profile.h"
#include "emu/checks/wave_checks.h"
#include "emu/launch.h"

namespace tl::emu {

struct Workgroup {
  uint32_t id[3] = {};
  uint32_t block[3] = {}; // threads; less than the launch's in partial workgroups
  uint64_t number = 0;
  std::vector<Wave> waves;
  std::vector<uint32_t> order; // of running them
  std::vector<uint8_t> lds;
  uint32_t ldsBytes = 0;
  uint32_t live = 0;       // waves that have not ended
  uint32_t signals = 0;    // at the barrier
  uint32_t generation = 0; // barriers passed
  uint64_t slices = 0;
  LaunchContext *launch = nullptr;
  std::unique_ptr<GroupChecks> checks; // of launches with checks
  std::vector<WaveChecks> waveChecks;

  /// One more wave has arrived, or has ended.
  void arrive(Wave &wave);
  void ended(Wave &wave);
  /// The wave goes on once all have arrived.
  void wait(Wave &wave);

private:
  void leaveBarrier(Wave &wave);
  void passBarrier();
};

/// A thread of a launch.
struct Worker {
  LaunchContext &launch;
  Translator translator;
  uint64_t instructions = 0;
  uint64_t clock = 0;               // s_memtime
  std::unique_ptr<Profile> profile; // of launches that count
  uint64_t reported = 0;            // of the instructions, what the launch knows of
  Worker(LaunchContext &context) : launch(context), translator(*context.space) {}
  /// The launch has executed more than it may.
  bool overBudget() const {
    return launch.instructions.load(std::memory_order_relaxed) + (instructions - reported) >
           launch.budget;
  }
};

/// Sets the registers that a wave starts with.
void initializeWave(Wave &wave, const Workgroup &group, uint32_t number);
void initializeGroup(Workgroup &group, LaunchContext &launch, Worker &worker, uint64_t number,
                     uint32_t *vectorFile, uint8_t *scratch);

/// Runs until the wave's slice ends.
void runWave(Wave &wave);

/// Runs each wave that can for one slice. False when no wave did anything but wait.
bool runGroup(Workgroup &group);

} // namespace tl::emu
