#include "emu/workgroup.h"

#include "emu/checks/checks.h"
#include "emu/checks/definedness.h"
#include "emu/chips.h"

#include <immintrin.h>

#include <algorithm>
#include <cstdarg>

namespace tl::emu {
namespace {

constexpr int32_t kSlice = 4096;

// MODE's rounding fields count like MXCSR's, except that 1 is up and 2 down here and the other way
// round there.
unsigned controlWord(uint32_t round, uint32_t denormals) {
  static const unsigned rounding[4] = {_MM_ROUND_NEAREST, _MM_ROUND_UP, _MM_ROUND_DOWN,
                                       _MM_ROUND_TOWARD_ZERO};
  constexpr unsigned kDenormalsAreZero = 0x40, kFlushToZero = 0x8000, kAllMasked = 0x1f80;
  return kAllMasked | rounding[round] | (denormals & 1 ? 0 : kDenormalsAreZero) |
         (denormals & 2 ? 0 : kFlushToZero);
}

// gfx9's indexed registers (CDNA3 ISA 4.8 "Vector GPR Indexing"): M0 is added to vector operands.
void runIndexed(Wave &wave, const MicroOp &op) {
  MicroOp moved = op;
  const uint32_t index = wave.s[SlotM0] & 0xff;
  auto move = [&](Operand &operand, unsigned bit) {
    if (operand.kind != Operand::Vector || !(wave.gprIndexMode >> bit & 1))
      return true;
    operand.index += index;
    return operand.index + std::max<uint32_t>(operand.registers, 1) <= wave.launchVectorLines;
  };
  bool inside = move(moved.dst[0], 3);
  for (unsigned i = 0; i < 3; ++i)
    inside &= move(moved.src[i], i);
  if (!inside)
    return wave.fault(op, LaunchStatus::IllegalState, "m0 = %u indexes past the vector registers",
                      index);
  if (wave.checks)
    trackDefinedness(wave, moved);
  op.run(wave, moved);
}

template <bool Checked, bool SpecialMode> void runSlice(Wave &wave) {
  const MicroOp *ops = wave.program->ops.data();
  const unsigned usual = _mm_getcsr();
  const unsigned word32 = controlWord(wave.mode & 3, wave.mode >> 4 & 3),
                 word64 = controlWord(wave.mode >> 2 & 3, wave.mode >> 6 & 3);
  while (wave.remaining > 0) {
    --wave.remaining;
    const MicroOp &op = ops[wave.pc++];
    if constexpr (Checked) {
      if (wave.checks) {
        checkHazards(wave, op);
        if (!SpecialMode || !(wave.gprIndexMode && op.flags & OpVector))
          trackDefinedness(wave, op);
      }
      if (wave.worker->profile)
        ++wave.worker->profile->ops[wave.pc - 1].executions;
    }
    if constexpr (SpecialMode) {
      if (wave.gprIndexMode && op.flags & OpVector) {
        runIndexed(wave, op);
        continue;
      }
      if (op.flags & (OpMode32 | OpMode64)) {
        _mm_setcsr(op.flags & OpMode32 ? word32 : word64);
        op.run(wave, op);
        _mm_setcsr(usual);
        continue;
      }
    }
    op.run(wave, op);
  }
}

} // namespace

void runWave(Wave &wave) {
  const int32_t slice = int32_t(std::min<uint64_t>(kSlice, wave.launch->budget));
  wave.remaining = slice;
  wave.unused = 0;
  wave.slept = false;
  const bool special =
      (wave.mode & (ModeRound32 | ModeRound64 | ModeDenorm32 | ModeDenorm64)) != ModeDefault ||
      wave.gprIndexMode;
  if (wave.launch->checked)
    special ? runSlice<true, true>(wave) : runSlice<true, false>(wave);
  else
    special ? runSlice<false, true>(wave) : runSlice<false, false>(wave);
  uint32_t done = uint32_t(slice - wave.unused);
  wave.instructions += done;
  wave.worker->instructions += done;
  wave.worker->clock += done;
}

bool runGroup(Workgroup &group) {
  bool progress = false;
  ++group.slices;
  for (uint32_t number : group.order) {
    Wave &wave = group.waves[number];
    if (wave.state != WaveState::Running)
      continue;
    runWave(wave);
    progress |= !wave.slept;
    if (group.launch->stop.load(std::memory_order_relaxed))
      return false;
    if (wave.worker->overBudget())
      break;
  }
  return progress;
}

void Workgroup::passBarrier() {
  ++generation;
  signals = 0;
  for (Wave &wave : waves) {
    wave.barrierComplete = true;
    if (wave.state == WaveState::Barrier)
      leaveBarrier(wave);
  }
}

void Workgroup::leaveBarrier(Wave &wave) {
  wave.state = WaveState::Running;
  wave.barrierComplete = wave.barrierSignaled = false;
}

void Workgroup::wait(Wave &wave) {
  if (wave.barrierComplete)
    return leaveBarrier(wave);
  wave.state = WaveState::Barrier;
  wave.yield();
}

void Workgroup::arrive(Wave &wave) {
  wave.barrierSignaled = true;
  if (++signals >= live) {
    passBarrier();
    wave.barrierComplete = true;
  }
}

void Workgroup::ended(Wave &wave) {
  wave.state = WaveState::Ended;
  wave.yield();
  --live;
  // A finished wave counts as arrived.
  if (live && signals >= live)
    passBarrier();
}

void Wave::fault(const MicroOp &op, LaunchStatus status, const char *format, ...) {
  char text[600];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof(text), format, arguments);
  va_end(arguments);
  state = WaveState::Faulted;
  yield();
  launch->fail(status, launch->place(op) + ": " + text);
}

} // namespace tl::emu
