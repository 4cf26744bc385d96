// The state of one wave, and how handlers read scalar operands and stop it.
//
// The vector file is a structure of arrays: line n holds register n of all lanes; AGPR n is line
// 256 + n. Lines have 64 lanes also in waves of 32 lanes, whose upper half is never used.
#pragma once

#include "emu/emulator.h"
#include "emu/micro_op.h"

#include <cstring>

namespace tl::emu {

struct Program;
struct Workgroup;
struct Worker;
struct LaunchContext;
struct WaveChecks;

/// Lines behind the vector file that handlers may use (isa/vopd.cc).
inline constexpr uint32_t kSpareLines = 2;

enum class WaveState : uint8_t { Running, Barrier, Ended, Faulted };

enum ModeBit : uint32_t {
  ModeRound32 = 3,       // 0 nearest even, 1 up, 2 down, 3 towards zero
  ModeRound64 = 3 << 2,  // f64 and f16
  ModeDenorm32 = 3 << 4, // bit 0 inputs kept, bit 1 results kept
  ModeDenorm64 = 3 << 6,
  ModeDx10Clamp = 1 << 8,
  ModeIeee = 1 << 9,
  ModeDefault = ModeDenorm32 | ModeDenorm64, // what the host's arithmetic does by itself
};

struct Wave {
  uint32_t *v = nullptr; // the vector file
  uint32_t lanes = 64;
  uint32_t pc = 0;       // index of the next micro-op
  int32_t remaining = 0; // instructions left of this time slice
  int32_t unused = 0;    // what was left when the slice was ended early
  uint64_t laneMask = ~uint64_t(0);
  uint64_t maskLineOf = 0;
  uint32_t scc = 0;
  uint32_t mode = ModeDefault;
  WaveState state = WaveState::Running;
  bool slept = false;             // gave up its slice because it waits for others
  bool barrierSignaled = false;   // since it waited last
  bool barrierComplete = false;   // all waves have come to the barrier; it has not waited yet
  uint32_t number = 0;            // in its workgroup
  uint32_t launchVectorLines = 0; // of v
  uint32_t gprIndexMode = 0;      // s_set_gpr_idx_on: bits of src0, src1, src2, dst
  const Program *program = nullptr;
  Workgroup *group = nullptr;
  Worker *worker = nullptr;
  LaunchContext *launch = nullptr;
  uint64_t codeBase = 0;      // what a code object's address 0 is in memory
  uint8_t *scratch = nullptr; // scratchBytes for each lane, one lane after the other
  uint32_t scratchBytes = 0;  // of a lane
  uint64_t instructions = 0;
  WaveChecks *checks = nullptr; // of launches with checks

  alignas(64) uint32_t s[ScalarSlots] = {};
  alignas(64) uint32_t maskLine[kLineLanes] = {};      // maskLineOf, one word a lane
  alignas(64) uint32_t temporary[10][kLineLanes] = {}; // 2 a source, then 2 for results

  uint64_t scalarPair(uint32_t slot) const {
    uint64_t value;
    std::memcpy(&value, s + slot, 8);
    return value;
  }
  void setScalarPair(uint32_t slot, uint64_t value) { std::memcpy(s + slot, &value, 8); }
  uint64_t exec() const { return scalarPair(SlotExec) & laneMask; }
  uint64_t vcc() const { return scalarPair(SlotVcc) & laneMask; }
  uint32_t *line(uint32_t index) { return v + size_t(index) * kLineLanes; }

  /// Ends the time slice after the current instruction.
  void yield() {
    unused += remaining;
    remaining = 0;
  }
  /// Stops the wave and the launch; the message gets kernel, pc and source line in front.
  [[gnu::format(printf, 4, 5), gnu::cold]] void fault(const MicroOp &op, LaunchStatus status,
                                                      const char *format, ...);
};

uint32_t specialScalar(const Wave &wave, uint32_t slot);

inline uint32_t scalar32(const Wave &wave, const Operand &operand) {
  if (operand.kind == Operand::Scalar)
    return wave.s[operand.index];
  if (operand.kind == Operand::Constant)
    return operand.low;
  return specialScalar(wave, operand.index);
}

inline uint64_t scalar64(const Wave &wave, const Operand &operand) {
  if (operand.kind == Operand::Scalar)
    return wave.scalarPair(operand.index);
  if (operand.kind == Operand::Constant)
    return operand.low | uint64_t(operand.constant->high[0]) << 32;
  return specialScalar(wave, operand.index);
}

/// A mask with one bit a lane.
inline uint64_t laneBits(const Wave &wave, const Operand &operand) {
  return wave.lanes == 64 ? scalar64(wave, operand) : scalar32(wave, operand);
}

inline void setScalar32(Wave &wave, const Operand &operand, uint32_t value) {
  wave.s[operand.index] = value;
}
inline void setScalar64(Wave &wave, const Operand &operand, uint64_t value) {
  wave.setScalarPair(operand.index, value);
}
inline void setLaneBits(Wave &wave, const Operand &operand, uint64_t value) {
  if (wave.lanes == 64)
    wave.setScalarPair(operand.index, value);
  else
    wave.s[operand.index] = uint32_t(value);
}

/// One word of ones or zeros a lane for the bits of a mask; valid until the next call.
const uint32_t *maskLineFor(Wave &wave, uint64_t mask);
/// The bits of a line whose words are ones or zeros.
uint64_t bitsOfLine(const uint32_t *line, unsigned lanes);
/// to[l] = from[l] where the mask has a bit.
void blendLine(Wave &wave, uint32_t *to, const uint32_t *from, uint64_t mask);

} // namespace tl::emu
