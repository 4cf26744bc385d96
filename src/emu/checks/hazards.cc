// Registers that are used before s_waitcnt says that memory has delivered them.
#include "emu/checks/checks.h"
#include "emu/chips.h"
#include "support/result.h"

#include <algorithm>

namespace tl::emu {
namespace {

constexpr unsigned index(WaitCounter counter) { return unsigned(counter); }

bool outstanding(const WaveChecks &checks) {
  for (unsigned i = 0; i < index(WaitCounter::Count); ++i)
    if (checks.issued[i] != checks.done[i])
      return true;
  return false;
}

// All but the last `allowed` instructions of a counter are done.
void waitFor(WaveChecks &checks, WaitCounter counter, uint32_t allowed) {
  uint32_t issued = checks.issued[index(counter)];
  if (issued > allowed)
    checks.done[index(counter)] = std::max(checks.done[index(counter)], issued - allowed);
}

// Before gfx12: scalar loads come back in any order, so that with one on its way only zero helps.
void waitForLdsAndScalar(WaveChecks &checks, uint32_t allowed) {
  if (allowed == 0) {
    waitFor(checks, WaitCounter::Scalar, 0);
    waitFor(checks, WaitCounter::Lds, 0);
  } else if (checks.issued[index(WaitCounter::Scalar)] == checks.done[index(WaitCounter::Scalar)]) {
    waitFor(checks, WaitCounter::Lds, allowed);
  }
}

void waitCombined(Wave &w, WaveChecks &checks, uint32_t field) {
  if (w.launch->chip->generation == Generation::Gfx9) {
    uint32_t vector = (field & 15) | (field >> 14 & 3) << 4;
    waitFor(checks, WaitCounter::Vector, vector);
    waitForLdsAndScalar(checks, field >> 8 & 15);
  } else {
    waitFor(checks, WaitCounter::Vector, field >> 10 & 63);
    waitForLdsAndScalar(checks, field >> 4 & 63);
  }
}

void wait(Wave &w, WaveChecks &checks, const MicroOp &op) {
  uint32_t field = op.src[op.sources - 1].low;
  switch (op.wait) {
  case WaitClass::Combined:
    return waitCombined(w, checks, field);
  case WaitClass::Vector:
    return waitFor(checks, WaitCounter::Vector, field);
  case WaitClass::LdsAndScalar:
    return waitForLdsAndScalar(checks, field);
  case WaitClass::Lds:
    // Above the field of s_wait_storecnt_dscnt lies the one of stores.
    return waitFor(checks, WaitCounter::Lds, field & 63);
  case WaitClass::Scalar:
    // They come back in any order.
    return field == 0 ? waitFor(checks, WaitCounter::Scalar, 0) : void();
  case WaitClass::VectorAndLds:
    waitFor(checks, WaitCounter::Vector, field >> 8 & 63);
    return waitFor(checks, WaitCounter::Lds, field & 63);
  case WaitClass::Store:
    return waitFor(checks, WaitCounter::Store, field);
  case WaitClass::None:
  case WaitClass::Idle:
    break;
  }
  for (unsigned i = 0; i < index(WaitCounter::Count); ++i)
    checks.done[i] = checks.issued[i];
}

void reportHazard(Wave &w, const MicroOp &op, const char *verb, const std::string &name,
                  uint32_t loadPc, const char *counter) {
  SourceLine line = w.launch->lines ? w.launch->lines->find(loadPc) : SourceLine();
  reportFinding(w, op, "missing-wait",
                std::string(verb) + " " + name + " before " + counter +
                    formatString(" has been waited for: it is loaded at 0x%x", loadPc) +
                    (line.line ? " (" + line.text() + ")" : std::string()));
}

/// Only of what these counters count.
template <bool Vector, bool Lds>
void checkVector(Wave &w, WaveChecks &checks, const MicroOp &op, const Operand &operand,
                 const char *verb) {
  uint32_t end = std::min<uint32_t>(operand.index + std::max<uint32_t>(operand.registers, 1),
                                    uint32_t(checks.lines.size()));
  for (uint32_t i = operand.index; i < end; ++i) {
    WaveChecks::Pending &pending = checks.lines[i];
    bool vector = Vector && pending.vector > checks.done[index(WaitCounter::Vector)];
    bool lds = Lds && pending.lds > checks.done[index(WaitCounter::Lds)];
    if (!vector && !lds)
      continue;
    std::string name = i < 256 ? formatString("v%u", i) : formatString("a%u", i - 256);
    reportHazard(w, op, verb, name, pending.pc,
                 vector ? "the vector memory counter" : "the LDS counter");
    pending = {}; // once is enough
  }
}

void checkScalar(Wave &w, WaveChecks &checks, const MicroOp &op, const Operand &operand,
                 const char *verb) {
  uint32_t end =
      std::min<uint32_t>(operand.index + std::max<uint32_t>(operand.registers, 1), ScalarSlots);
  for (uint32_t i = operand.index; i < end; ++i)
    if (checks.scalar[i] > checks.done[index(WaitCounter::Scalar)]) {
      reportHazard(w, op, verb, formatString("s%u", i), checks.scalarPc[i],
                   "the scalar memory counter");
      checks.scalar[i] = 0;
    }
}

template <bool Vector = true, bool Lds = true>
void checkOperand(Wave &w, WaveChecks &checks, const MicroOp &op, const Operand &operand,
                  const char *verb) {
  if (operand.kind == Operand::Vector)
    checkVector<Vector, Lds>(w, checks, op, operand, verb);
  else if (operand.kind == Operand::Scalar)
    checkScalar(w, checks, op, operand, verb);
}

void checkUses(Wave &w, WaveChecks &checks, const MicroOp &op) {
  for (const Operand &source : op.src)
    checkOperand(w, checks, op, source, "reads");
  auto isOutstanding = [&](WaitCounter counter) {
    return checks.issued[index(counter)] != checks.done[index(counter)];
  };
  // Loads of one kind come back in order, so that the later one wins; scalar ones do not.
  if (op.space == Space::None || op.space == Space::Flat) {
    for (const Operand &result : op.dst)
      checkOperand(w, checks, op, result, "overwrites");
  } else if (op.space == Space::Lds) {
    if (isOutstanding(WaitCounter::Vector))
      checkOperand<true, false>(w, checks, op, op.dst[0], "overwrites");
  } else if (isOutstanding(op.space == Space::Scalar ? WaitCounter::Scalar : WaitCounter::Lds)) {
    checkOperand<false, true>(w, checks, op, op.dst[0], "overwrites");
  }
}

void issue(Wave &w, WaveChecks &checks, const MicroOp &op) {
  auto next = [&](WaitCounter counter) { return ++checks.issued[index(counter)]; };
  const bool returns = op.dst[0].kind != Operand::None;
  uint32_t vector = 0, lds = 0;
  switch (op.space) {
  case Space::None:
    return;
  case Space::Scalar: {
    uint32_t number = next(WaitCounter::Scalar);
    for (uint32_t i = 0; returns && i < op.dst[0].registers; ++i) {
      checks.scalar[op.dst[0].index + i] = number;
      checks.scalarPc[op.dst[0].index + i] = op.pc;
    }
    return;
  }
  case Space::Lds:
    lds = next(WaitCounter::Lds);
    break;
  default:
    if (returns || op.flags & OpToLds || w.launch->chip->generation == Generation::Gfx9)
      vector = next(WaitCounter::Vector);
    else
      next(WaitCounter::Store);
    if (op.space == Space::Flat)
      lds = next(WaitCounter::Lds);
  }
  if (op.dst[0].kind != Operand::Vector)
    return;
  uint32_t end =
      std::min<uint32_t>(op.dst[0].index + op.dst[0].registers, uint32_t(checks.lines.size()));
  for (uint32_t i = op.dst[0].index; i < end; ++i)
    checks.lines[i] = {vector, lds, op.pc};
}

} // namespace

void checkHazards(Wave &w, const MicroOp &op) {
  WaveChecks &checks = *w.checks;
  if (op.wait != WaitClass::None) {
    wait(w, checks, op);
    for (auto *accesses : {&checks.ldsWrites, &checks.ldsReads})
      std::erase_if(*accesses,
                    [&](const WaveChecks::LdsAccess &access) { return access.isDone(checks); });
    return;
  }
  if (outstanding(checks)) {
    if (op.flags & OpPair) {
      const MicroOp *halves = &w.program->halves[size_t(op.imm[0])];
      checkUses(w, checks, halves[0]);
      checkUses(w, checks, halves[1]);
    } else {
      checkUses(w, checks, op);
    }
  }
  if (op.space != Space::None)
    issue(w, checks, op);
}

} // namespace tl::emu
