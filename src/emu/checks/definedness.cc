// Registers: how undefined values move through them, and where they decide something.
#include "emu/checks/definedness.h"

#include "emu/checks/checks.h"
#include "support/result.h"

#include <algorithm>

namespace tl::emu {
namespace {

constexpr uint64_t kAll = ~uint64_t(0);

bool isScalarUndefined(const Definedness &d, const Operand &operand) {
  uint32_t bits = d.scalars[operand.index];
  for (uint32_t i = 1; bits && i < operand.registers; ++i)
    bits &= d.scalars[operand.index + i];
  return bits == ~0u;
}

/// Lanes in which a source is undefined; of several registers in all of them.
uint64_t sourceLanes(const Definedness &d, const Operand &operand) {
  if (operand.kind == Operand::Vector) {
    uint64_t lanes = d.lines[operand.index];
    for (uint32_t i = 1; lanes && i < operand.registers; ++i)
      lanes &= d.lines[operand.index + i];
    return lanes;
  }
  if (operand.kind == Operand::Scalar)
    return isScalarUndefined(d, operand) ? kAll : 0;
  return 0;
}

uint64_t maskBits(const Wave &w, const Definedness &d, const Operand &operand) {
  if (operand.kind != Operand::Scalar)
    return 0;
  uint64_t bits = d.scalars[operand.index];
  return w.lanes == 64 ? bits | uint64_t(d.scalars[operand.index + 1]) << 32 : bits;
}

Origin originOf(const Definedness &d, const Operand &operand) {
  return operand.kind == Operand::Vector   ? d.origins[operand.index]
         : operand.kind == Operand::Scalar ? d.scalarOrigins[operand.index]
                                           : Origin();
}

void setScalar(Definedness &d, uint32_t slot, uint32_t bits, Origin origin) {
  d.scalars[slot] = bits;
  if (bits)
    d.scalarOrigins[slot] = origin;
}

void setLine(Definedness &d, uint32_t line, uint64_t lanes, uint64_t mask, Origin origin) {
  d.lines[line] = (d.lines[line] & ~mask) | (lanes & mask);
  if (lanes & mask)
    d.origins[line] = origin;
}

bool keepsRest(const FlowRow &row, const MicroOp &op) {
  return row.partial == Partial::Yes ||
         (row.partial == Partial::WhereKept && op.flags & OpKeepsOther) ||
         op.dst[0].select != Select::Dword ||
         (op.flags & OpSdwa && op.outputUnused == 2 && Select(op.outputSelect) != Select::Dword);
}

// What a vector instruction's result is undefined in, and why.
struct Result {
  uint64_t lanes = 0;
  Origin origin;
};

/// Lanes of the first source as the instruction gets them: other lanes' with DPP.
uint64_t firstSource(const Wave &w, const Definedness &d, const MicroOp &op) {
  uint64_t lanes = sourceLanes(d, op.src[0]);
  if (op.flags & OpDpp && lanes)
    return (lanes & w.laneMask) == w.laneMask ? kAll : 0;
  return lanes;
}

Result anySource(const Wave &w, const Definedness &d, const MicroOp &op, uint64_t exec,
                 bool lastIsMask) {
  Result result;
  for (unsigned i = 0; i < op.sources && i < 4; ++i) {
    uint64_t lanes = i == 0                               ? firstSource(w, d, op)
                     : lastIsMask && i + 1u == op.sources ? maskBits(w, d, op.src[i])
                                                          : sourceLanes(d, op.src[i]);
    if (lanes & exec) {
      if (!result.lanes)
        result.origin = originOf(d, op.src[i]);
      result.lanes |= lanes & exec;
    }
  }
  return result;
}

// Zero in one source makes up for what is undefined in the other.
Result andSources(Wave &w, const Definedness &d, const MicroOp &op, uint64_t exec) {
  Result result = anySource(w, d, op, exec, false);
  if (!result.lanes || op.flags & (OpDpp | OpSdwa) || op.sources != 2)
    return result;
  for (unsigned i = 0; i < 2; ++i) {
    const Operand &source = op.src[i];
    uint64_t unknown = sourceLanes(d, source), zeros = 0;
    for (unsigned l = 0; l < w.lanes; ++l) {
      uint32_t value =
          source.kind == Operand::Vector ? w.line(source.index)[l] : scalar32(w, source);
      zeros |= uint64_t(value == 0) << l;
    }
    result.lanes &= ~(zeros & ~unknown);
  }
  return result;
}

Result allSources(const Wave &w, const Definedness &d, const MicroOp &op, uint64_t exec) {
  Result result{exec, originOf(d, op.src[0])};
  for (unsigned i = 0; result.lanes && i < op.sources && i < 4; ++i)
    result.lanes &= i == 0 ? firstSource(w, d, op) : sourceLanes(d, op.src[i]);
  return result;
}

Result selected(const Wave &w, const Definedness &d, const MicroOp &op, uint64_t exec) {
  if (op.sources < 3)
    return {};
  const Operand &condition = op.src[2];
  uint64_t second = laneBits(w, condition), unknown = maskBits(w, d, condition) & exec;
  uint64_t lanes0 = firstSource(w, d, op) & ~second & exec & ~unknown,
           lanes1 = sourceLanes(d, op.src[1]) & second & exec & ~unknown;
  return {lanes0 | lanes1 | unknown, unknown  ? originOf(d, condition)
                                     : lanes0 ? originOf(d, op.src[0])
                                              : originOf(d, op.src[1])};
}

Result vectorResult(Wave &w, const Definedness &d, const MicroOp &op, Flow flow, uint64_t exec) {
  switch (flow) {
  case Flow::AnyWithBits:
    return anySource(w, d, op, exec, true);
  case Flow::And:
    return andSources(w, d, op, exec);
  case Flow::Merge:
    return allSources(w, d, op, exec);
  case Flow::Select:
    return selected(w, d, op, exec);
  case Flow::AcrossLanes: {
    uint64_t lanes = sourceLanes(d, op.src[0]);
    return {(lanes & w.laneMask) == w.laneMask ? exec : 0, originOf(d, op.src[0])};
  }
  case Flow::AnyLow: {
    MicroOp low = op;
    for (Operand &source : low.src)
      source.registers = std::min<uint8_t>(source.registers, 1);
    return anySource(w, d, low, exec, false);
  }
  default:
    return anySource(w, d, op, exec, false);
  }
}

void setMask(const Wave &w, Definedness &d, const Operand &operand, const Result &result) {
  if (operand.kind != Operand::Scalar)
    return;
  setScalar(d, operand.index, uint32_t(result.lanes), result.origin);
  if (w.lanes == 64)
    setScalar(d, operand.index + 1, uint32_t(result.lanes >> 32), result.origin);
}

void setResult(Wave &w, Definedness &d, const FlowRow &row, const MicroOp &op, uint64_t exec,
               const Result &result) {
  const Operand &to = op.dst[0];
  if (to.kind == Operand::Vector) {
    const uint32_t count = std::max<uint32_t>(to.registers, 1);
    if (!result.lanes) [[likely]] {
      for (uint32_t i = 0; i < count; ++i)
        d.lines[to.index + i] &= ~exec;
    } else {
      uint64_t mask = op.flags & OpDpp ? writeMask(w, op) : exec;
      bool keeps = keepsRest(row, op);
      for (uint32_t i = 0; i < count; ++i)
        setLine(d, to.index + i, keeps ? result.lanes & d.lines[to.index + i] : result.lanes, mask,
                result.origin);
    }
  } else {
    setMask(w, d, to, result);
  }
  setMask(w, d, op.dst[1], result);
}

void trackMatrix(Wave &w, Definedness &d, const MicroOp &op) {
  const Operand &to = op.dst[0], &sum = op.src[2];
  // A register of A or B that no lane has written reaches all results.
  Result all;
  for (unsigned s = 0; s < 2; ++s)
    for (uint32_t i = 0; op.src[s].kind == Operand::Vector && i < op.src[s].registers; ++i)
      if ((d.lines[op.src[s].index + i] & w.laneMask) == w.laneMask)
        all = {kAll, d.origins[op.src[s].index + i]};
  const bool adds = sum.kind == Operand::Vector && sum.registers == to.registers;
  if (to.kind != Operand::Vector)
    return;
  for (uint32_t i = 0; i < to.registers; ++i) {
    // Elements of the sum lie where those of the result do; sparse ones are added to the result.
    uint32_t from = adds ? sum.index + i : to.index + i;
    uint64_t before = adds || sum.kind != Operand::Constant ? d.lines[from] : 0;
    setLine(d, to.index + i, before | all.lanes, w.laneMask,
            all.lanes ? all.origin : d.origins[from]);
  }
}

void trackRegisterMove(Wave &w, Definedness &d, const MicroOp &op, Flow flow, uint64_t exec) {
  const Operand &to = op.dst[0], &from = op.src[0];
  switch (flow) {
  case Flow::ReadFirstLane:
  case Flow::ReadLane: {
    unsigned lane = flow == Flow::ReadLane ? scalar32(w, op.src[1]) & (w.lanes - 1)
                    : exec                 ? unsigned(__builtin_ctzll(exec))
                                           : 0;
    if (to.kind == Operand::Scalar)
      setScalar(d, to.index, sourceLanes(d, from) >> lane & 1 ? ~0u : 0, originOf(d, from));
    return;
  }
  case Flow::WriteLane: {
    uint64_t lane = uint64_t(1) << (scalar32(w, op.src[1]) & (w.lanes - 1));
    return setLine(d, to.index, sourceLanes(d, from), lane, originOf(d, from));
  }
  case Flow::Swap: {
    // LLVM names both registers twice: as results and as sources.
    const Operand &other = op.dst[1].kind == Operand::Vector ? op.dst[1] : from;
    if (other.kind != Operand::Vector)
      return;
    uint64_t a = d.lines[to.index], b = d.lines[other.index];
    Origin origin = d.origins[to.index];
    setLine(d, to.index, b, exec, d.origins[other.index]);
    return setLine(d, other.index, a, exec, origin);
  }
  case Flow::SwapLanes:
    for (const Operand &result : op.dst)
      if (result.kind == Operand::Vector && (d.lines[result.index] & w.laneMask) != w.laneMask)
        d.lines[result.index] &= ~exec;
    return;
  default: { // Relative: wherever it goes, it is defined
    const uint32_t m0 = w.s[SlotM0];
    for (uint64_t index :
         {uint64_t(to.index), uint64_t(to.index) + m0, uint64_t(to.index) + (m0 >> 16 & 0x3ff),
          uint64_t(from.index) + (m0 & 0x3ff)})
      if (index < d.lines.size())
        d.lines[index] &= ~exec;
    return;
  }
  }
}

void trackVector(Wave &w, Definedness &d, const MicroOp &op) {
  const FlowRow row = op.row == kNoRow ? FlowRow() : d.flows[op.row];
  const uint64_t exec = w.exec();
  switch (row.flow) {
  case Flow::None:
    return;
  case Flow::ReadFirstLane:
  case Flow::ReadLane:
  case Flow::WriteLane:
  case Flow::Swap:
  case Flow::SwapLanes:
  case Flow::Relative:
    return trackRegisterMove(w, d, op, row.flow, exec);
  case Flow::Matrix:
    return trackMatrix(w, d, op);
  default:
    break;
  }
  Result result = vectorResult(w, d, op, row.flow, exec);
  if (op.flags & OpWritesExec && result.lanes) {
    reportUndefined(w, op, result.origin, __builtin_ctzll(result.lanes), "decides which lanes run");
    result = {};
  }
  setResult(w, d, row, op, exec, result);
}

void trackPair(Wave &w, Definedness &d, const MicroOp &op) {
  const MicroOp *halves = &w.program->halves[size_t(op.imm[0])];
  const uint64_t exec = w.exec();
  Result results[2];
  for (unsigned i = 0; i < 2; ++i)
    results[i] = vectorResult(w, d, halves[i], d.flows[halves[i].row].flow, exec);
  for (unsigned i = 0; i < 2; ++i)
    setResult(w, d, d.flows[halves[i].row], halves[i], exec, results[i]);
}

// Scalars, bit by bit.
struct Scalar64 {
  uint64_t value = 0, unknown = 0;
};

Scalar64 readScalar(const Wave &w, const Definedness &d, const Operand &operand, bool wide) {
  Scalar64 result;
  result.value = wide ? scalar64(w, operand) : scalar32(w, operand);
  if (operand.kind == Operand::Scalar) {
    result.unknown = d.scalars[operand.index];
    if (wide)
      result.unknown |= uint64_t(d.scalars[operand.index + 1]) << 32;
  }
  return result;
}

Scalar64 inverted(Scalar64 a) { return {~a.value, a.unknown}; }
Scalar64 both(Scalar64 a, Scalar64 b) {
  return {a.value & b.value,
          (a.unknown | b.unknown) & (a.unknown | a.value) & (b.unknown | b.value)};
}

Scalar64 combine(Bitwise what, Scalar64 a, Scalar64 b) {
  switch (what) {
  case Bitwise::Copy:
    return a;
  case Bitwise::Not:
    return inverted(a);
  case Bitwise::And:
    return both(a, b);
  case Bitwise::AndNot1:
    return both(inverted(a), b);
  case Bitwise::AndNot2:
    return both(a, inverted(b));
  case Bitwise::Nand:
    return inverted(both(a, b));
  case Bitwise::Or:
    return inverted(both(inverted(a), inverted(b)));
  case Bitwise::OrNot1:
    return inverted(both(a, inverted(b)));
  case Bitwise::OrNot2:
    return inverted(both(inverted(a), b));
  case Bitwise::Nor:
    return both(inverted(a), inverted(b));
  case Bitwise::Xor:
  case Bitwise::Xnor:
    break;
  }
  Scalar64 result{a.value ^ b.value, a.unknown | b.unknown};
  return what == Bitwise::Xnor ? inverted(result) : result;
}

/// Whether it depends on what is unknown that a value is zero.
bool zeroUnknown(Scalar64 a, bool wide) {
  if (!wide)
    a.value &= 0xffffffff, a.unknown &= 0xffffffff;
  return a.unknown && !(a.value & ~a.unknown);
}

Origin unknownOrigin(const Definedness &d, const Operand &a, const Operand &b) {
  for (const Operand *operand : {&a, &b})
    for (uint32_t i = 0; operand->kind == Operand::Scalar && i < operand->registers; ++i)
      if (d.scalars[operand->index + i])
        return d.scalarOrigins[operand->index + i];
  return {};
}

void setWords(Wave &w, Definedness &d, const MicroOp &op, uint64_t unknown, Origin origin) {
  const Operand &to = op.dst[0];
  if (to.kind != Operand::Scalar)
    return;
  if (to.index == SlotExec || to.index == SlotExec + 1) {
    uint64_t lanes = (to.index == SlotExec ? unknown : unknown << 32) & w.laneMask;
    if (lanes)
      reportUndefined(w, op, origin, __builtin_ctzll(lanes), "decides which lanes run");
    return;
  }
  setScalar(d, to.index, uint32_t(unknown), origin);
  if (to.registers > 1)
    setScalar(d, to.index + 1, uint32_t(unknown >> 32), origin);
}

void trackBits(Wave &w, Definedness &d, const MicroOp &op, const FlowRow &row) {
  const bool wide = op.dst[0].registers > 1;
  Operand exec;
  exec.kind = Operand::Scalar;
  exec.index = SlotExec;
  const bool saves = row.flow == Flow::SaveExec;
  Scalar64 a = readScalar(w, d, op.src[0], wide), b = saves ? readScalar(w, d, exec, wide)
                                                      : op.sources > 1
                                                          ? readScalar(w, d, op.src[1], wide)
                                                          : Scalar64();
  Scalar64 result = combine(row.bitwise, a, b);
  Origin origin = a.unknown | b.unknown ? unknownOrigin(d, op.src[0], op.src[1]) : Origin();
  if (saves) {
    uint64_t lanes = result.unknown & w.laneMask;
    if (lanes)
      reportUndefined(w, op, origin, __builtin_ctzll(lanes), "decides which lanes run");
    setWords(w, d, op, 0, {});
    d.scc = false;
    return;
  }
  setWords(w, d, op, result.unknown, origin);
  if (row.bitwise != Bitwise::Copy) {
    d.scc = zeroUnknown(result, wide);
    d.sccOrigin = origin;
  }
}

void trackScalar(Wave &w, Definedness &d, const MicroOp &op, const FlowRow &row) {
  const bool wide = op.dst[0].registers > 1;
  switch (row.flow) {
  case Flow::Bits:
  case Flow::SaveExec:
    return trackBits(w, d, op, row);
  case Flow::ScalarSelect: {
    const Operand &from = w.scc ? op.src[0] : op.src[1];
    uint64_t unknown = d.scc ? kAll : readScalar(w, d, from, wide).unknown;
    return setWords(w, d, op, unknown, d.scc ? d.sccOrigin : originOf(d, from));
  }
  case Flow::ScalarMaybe:
    if (w.scc)
      setWords(w, d, op, readScalar(w, d, op.src[0], wide).unknown, originOf(d, op.src[0]));
    return;
  case Flow::ScalarRelative: {
    const uint64_t index = uint64_t(op.dst[0].index) + w.s[SlotM0];
    for (uint64_t i = index; i < index + 2 && i < ScalarSlots; ++i)
      d.scalars[i] = 0;
    return setWords(w, d, op, 0, {});
  }
  case Flow::BranchScc:
    if (d.scc && w.exec())
      reportUndefined(w, op, d.sccOrigin, -1, "decides a branch");
    d.scc = false;
    return;
  case Flow::BranchVcc: {
    Operand vcc;
    vcc.kind = Operand::Scalar;
    vcc.index = SlotVcc;
    vcc.registers = uint8_t(w.lanes / 32);
    if (zeroUnknown(readScalar(w, d, vcc, w.lanes == 64), w.lanes == 64) && w.exec())
      reportUndefined(w, op, unknownOrigin(d, vcc, vcc), -1, "decides a branch");
    return;
  }
  case Flow::ScalarCompare: {
    d.scc = false;
    for (unsigned i = 0; i < 2; ++i)
      if (op.src[i].kind == Operand::Scalar &&
          (isScalarUndefined(d, op.src[i]) ||
           (op.src[i].registers == 2 && op.src[1 - i].kind == Operand::Constant &&
            zeroUnknown(readScalar(w, d, op.src[i], true), true)))) {
        d.scc = true;
        d.sccOrigin = originOf(d, op.src[i]);
      }
    return;
  }
  default:
    break;
  }
  const bool isVector = op.dst[0].kind == Operand::Vector;
  uint64_t unknown = 0;
  Origin origin;
  for (unsigned i = 0; !isVector && i < op.sources && i < 4; ++i)
    if (op.src[i].kind == Operand::Scalar &&
        (row.flow == Flow::AnyLow ? d.scalars[op.src[i].index] == ~0u
                                  : isScalarUndefined(d, op.src[i]))) {
      unknown = kAll;
      origin = originOf(d, op.src[i]);
    }
  setWords(w, d, op, unknown, origin);
  d.scc = false;
}

void checkAddress(Wave &w, Definedness &d, const MicroOp &op, uint64_t exec) {
  const Operand &address = op.src[0];
  const bool vector = address.kind == Operand::Vector;
  for (uint32_t i = 0; vector && i < std::max<uint32_t>(address.registers, 1); ++i)
    if (uint64_t lanes = d.lines[address.index + i] & exec)
      return reportUndefined(w, op, d.origins[address.index + i], __builtin_ctzll(lanes),
                             "becomes an address");
  if (!exec || op.space == Space::Lds)
    return;
  const bool scalarMemory = op.space == Space::Scalar;
  for (unsigned s : {scalarMemory ? 0u : 2u, scalarMemory ? 1u : 3u}) {
    const Operand &base = op.src[s];
    for (uint32_t i = 0; base.kind == Operand::Scalar && i < base.registers; ++i)
      if (d.scalars[base.index + i] == ~0u)
        return reportUndefined(w, op, d.scalarOrigins[base.index + i], -1, "becomes an address");
  }
}

void keepData(Definedness &d, const Operand &from, unsigned which) {
  for (unsigned i = 0; i < Definedness::kWords; ++i) {
    bool there = from.kind == Operand::Vector && i < std::max<uint32_t>(from.registers, 1);
    d.data[which][i] = there ? d.lines[from.index + i] : 0;
    if (d.data[which][i])
      d.dataOrigins[which][i] = d.origins[from.index + i];
  }
}

void trackMemory(Wave &w, Definedness &d, const MicroOp &op, const FlowRow &row) {
  const uint64_t exec = w.exec();
  const Operand &to = op.dst[0];
  d.accesses = 0;
  if (op.space == Space::Lds && row.flow == Flow::PermuteLds) {
    const Operand &data = op.src[1].kind == Operand::Vector ? op.src[1] : op.src[0];
    uint64_t lanes = sourceLanes(d, data);
    if (to.kind == Operand::Vector)
      setLine(d, to.index, (lanes & w.laneMask) == w.laneMask ? kAll : 0, exec, originOf(d, data));
    return;
  }
  if (row.flow == Flow::OtherLds) {
    keepData(d, op.src[0], 0);
  } else {
    checkAddress(w, d, op, exec);
    keepData(d, op.src[1], 0);
    if (op.space == Space::Lds)
      keepData(d, op.src[2], 1);
  }
  // What LDS and scratch do not hold is marked when their addresses are known.
  if (to.kind == Operand::Vector)
    for (uint32_t i = 0; i < std::max<uint32_t>(to.registers, 1); ++i)
      d.lines[to.index + i] &= ~exec;
  else if (to.kind == Operand::Scalar)
    for (uint32_t i = 0; i < std::max<uint32_t>(to.registers, 1); ++i)
      d.scalars[to.index + i] = 0;
}

} // namespace

void startDefinedness(Wave &w, uint32_t scalars) {
  Definedness &d = w.checks->definedness;
  d.flows = flowRows();
  d.lines.assign(w.launchVectorLines + kSpareLines, kAll);
  d.origins.assign(d.lines.size(), Origin());
  // Thread ids are in the first register.
  d.lines[0] = ~w.exec();
  for (uint32_t i = 0; i < kSpareLines; ++i)
    d.lines[w.launchVectorLines + i] = 0;
  for (uint32_t slot = scalars; slot < SlotFlatScratch; ++slot)
    d.scalars[slot] = ~0u;
  d.scalars[SlotVcc] = d.scalars[SlotVcc + 1] = ~0u;
  d.scratch = w.group->checks->scratchShadow.data() + (w.scratch - w.group->waves[0].scratch);
}

void trackDefinedness(Wave &w, const MicroOp &op) {
  Definedness &d = w.checks->definedness;
  if (op.flags & OpPair)
    return trackPair(w, d, op);
  if (op.flags & OpVector)
    return trackVector(w, d, op);
  const FlowRow row = op.row == kNoRow ? FlowRow() : d.flows[op.row];
  if (op.space != Space::None)
    return trackMemory(w, d, op, row);
  trackScalar(w, d, op, row);
}

} // namespace tl::emu
