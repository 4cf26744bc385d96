// LDS and scratch that nothing has written, and the reports of what comes of it.
#include "emu/checks/checks.h"
#include "emu/checks/definedness.h"
#include "support/result.h"

#include <algorithm>

namespace tl::emu {
namespace {

const char *originText(Origin origin) {
  switch (origin.kind) {
  case Origin::Lds:
    return "reads LDS that nothing has written";
  case Origin::Scratch:
    return "reads scratch that nothing has written";
  default:
    return origin.pc ? "reads a copy of what nothing has written"
                     : "uses a register that nothing has written";
  }
}

/// LDS, or the scratch of a wave.
struct LaneSpace {
  Origin::Kind kind;
  uint8_t *shadow;
  std::unordered_map<uint32_t, Origin> &copies;
  uint32_t lane; // bytes from one lane's memory to the next one's; 0: they share it

  uint32_t word(int64_t at) const { return uint32_t((lane ? at % lane : at) / 4); }
};

/// Whether none of some bytes is written.
bool isUnwritten(const uint8_t *shadow, unsigned bytes) {
  uint8_t bits = 0;
  for (unsigned i = 0; i < bytes; ++i)
    bits |= shadow[i];
  return !(bits & ShadowWritten);
}

constexpr uint64_t kEightWritten = 0x0101010101010101 * ShadowWritten;

template <class Word> Word shadowWord(const uint8_t *shadow) {
  Word word;
  std::memcpy(&word, shadow, sizeof(word));
  return word & Word(kEightWritten);
}

/// Whether every byte that lanes access is written, as it nearly always is.
bool allWritten(const LaneSpace &space, uint64_t lanes, const int64_t *at, unsigned bytes) {
  uint64_t missing = 0;
  if (bytes < 8)
    forLanes(lanes, [&](unsigned l) {
      const uint8_t *shadow = space.shadow + at[l];
      missing |= bytes == 4   ? shadowWord<uint32_t>(shadow) ^ uint32_t(kEightWritten)
                 : bytes == 2 ? uint32_t(shadowWord<uint16_t>(shadow) ^ uint16_t(kEightWritten))
                              : uint32_t(~*shadow & ShadowWritten);
    });
  else
    forLanes(lanes, [&](unsigned l) {
      const uint8_t *shadow = space.shadow + at[l];
      missing |= (shadowWord<uint64_t>(shadow) ^ kEightWritten) |
                 (shadowWord<uint64_t>(shadow + bytes - 8) ^ kEightWritten);
    });
  return !missing;
}

template <unsigned Bytes> void markWritten(uint8_t *shadow, uint64_t lanes, const int64_t *at) {
  forLanes(lanes, [&](unsigned l) { std::memset(shadow + at[l], ShadowWritten, Bytes); });
}

void markWritten(uint8_t *shadow, uint64_t lanes, const int64_t *at, unsigned bytes) {
  switch (bytes) {
  case 4:
    return markWritten<4>(shadow, lanes, at);
  case 8:
    return markWritten<8>(shadow, lanes, at);
  case 16:
    return markWritten<16>(shadow, lanes, at);
  default:
    forLanes(lanes, [&](unsigned l) { std::memset(shadow + at[l], ShadowWritten, bytes); });
  }
}

void trackRead(Definedness &d, const MicroOp &op, uint64_t lanes, const int64_t *at, unsigned bytes,
               unsigned which, const LaneSpace &space) {
  // A half that is loaded beside another one is defined in part at least.
  if (op.dst[0].kind != Operand::Vector ||
      (op.row != kNoRow && d.flows[op.row].partial == Partial::Yes) ||
      allWritten(space, lanes, at, bytes))
    return;
  const unsigned words = std::max(bytes / 4, 1u), step = std::min(bytes, 4u);
  for (unsigned i = 0; i < words; ++i) {
    uint64_t undefined = 0;
    forLanes(lanes, [&](unsigned l) {
      undefined |= uint64_t(isUnwritten(space.shadow + at[l] + i * 4, step)) << l;
    });
    if (!undefined) [[likely]]
      continue;
    uint32_t line = op.dst[0].index + which * words + i;
    int64_t first = at[__builtin_ctzll(undefined)] + i * 4;
    Origin origin;
    origin.kind = space.kind;
    if (space.shadow[first] & ShadowUndefined) {
      auto copy = space.copies.find(space.word(first));
      origin = copy == space.copies.end() ? Origin() : copy->second;
      origin.copied = 1;
    }
    if (!origin.pc)
      origin.pc = op.pc / 4;
    d.lines[line] |= undefined;
    d.origins[line] = origin;
  }
}

void trackWrite(Definedness &d, uint64_t lanes, const int64_t *at, unsigned bytes, unsigned which,
                const LaneSpace &space) {
  const unsigned words = std::max(bytes / 4, 1u), step = std::min(bytes, 4u);
  uint64_t undefined = 0;
  for (unsigned i = 0; i < words && i < Definedness::kWords; ++i)
    undefined |= d.data[which][i];
  undefined &= lanes;
  markWritten(space.shadow, lanes & ~undefined, at, bytes);
  forLanes(undefined, [&](unsigned l) {
    for (unsigned i = 0; i < words && i < Definedness::kWords; ++i) {
      bool unknown = d.data[which][i] >> l & 1;
      std::memset(space.shadow + at[l] + i * 4, unknown ? ShadowUndefined : ShadowWritten, step);
      if (unknown)
        space.copies[space.word(at[l] + i * 4)] = d.dataOrigins[which][i];
    }
  });
}

} // namespace

void trackLaneMemory(Wave &w, const MicroOp &op, uint64_t lanes, uint8_t *const *pointer,
                     unsigned bytes, Access access, Origin::Kind kind) {
  Definedness &d = w.checks->definedness;
  GroupChecks &group = *w.group->checks;
  const bool isLds = kind == Origin::Lds;
  const LaneSpace space = isLds ? LaneSpace{kind, group.ldsShadow.data(), group.ldsCopies, 0}
                                : LaneSpace{kind, d.scratch, d.copies, w.scratchBytes};
  const uint8_t *memory = isLds ? w.group->lds.data() : w.scratch;
  const unsigned which = std::min(d.accesses, 1u);
  d.accesses += isLds;
  int64_t at[kLineLanes];
  forLanes(lanes, [&](unsigned l) { at[l] = pointer[l] - memory; });
  if (access != Access::Write)
    trackRead(d, op, lanes, at, bytes, which, space);
  // Other atomic operations on what is undefined leave it so.
  if (access == Access::Write || (op.row != kNoRow && d.flows[op.row].exchanges))
    trackWrite(d, lanes, at, bytes, which, space);
}

void exchangeUndefined(Wave &w, const MicroOp &op, unsigned group) {
  Definedness &d = w.checks->definedness;
  const uint64_t exec = w.exec(), mask = (uint64_t(1) << group) - 1;
  uint64_t *lines = &d.lines[op.dst[0].index];
  uint64_t undefined = exec;
  for (unsigned i = 0; undefined && i < op.dst[0].registers; ++i)
    undefined &= lines[i];
  for (unsigned first = 0; first < w.lanes; first += group)
    if ((undefined ^ exec) >> first & mask)
      undefined &= ~(mask << first);
  for (unsigned i = 0; i < op.dst[0].registers; ++i)
    lines[i] = (lines[i] & ~exec) | undefined;
}

void checkStoredData(Wave &w, const MicroOp &op, uint64_t lanes, unsigned bytes) {
  const Definedness &d = w.checks->definedness;
  const unsigned words = std::clamp(bytes / 4, 1u, Definedness::kWords);
  // Structures are copied with their padding: what does not come right out of LDS must be undefined
  // as a whole.
  uint64_t whole = lanes;
  for (unsigned i = 0; i < words; ++i)
    whole &= d.data[0][i];
  for (unsigned i = 0; i < words; ++i) {
    uint64_t undefined = d.data[0][i] & lanes;
    if (d.dataOrigins[0][i].kind != Origin::Lds || d.dataOrigins[0][i].copied)
      undefined &= whole;
    if (undefined)
      return reportUndefined(w, op, d.dataOrigins[0][i], __builtin_ctzll(undefined),
                             "is stored to memory");
  }
}

void markLdsWritten(Wave &w, uint64_t at, unsigned bytes) {
  std::memset(w.group->checks->ldsShadow.data() + at, ShadowWritten, bytes);
}

void reportUndefined(Wave &w, const MicroOp &op, Origin origin, int lane, const char *use) {
  uint32_t index = origin.pc ? w.program->find(uint32_t(origin.pc) * 4) : kNoInstruction;
  std::string text = placeText(w, lane) + " " + originText(origin);
  if (index == kNoInstruction)
    return reportFinding(w, op, "uninitialized-read", text + ": it " + use);
  text += formatString(": it %s at 0x%x", use, op.pc);
  SourceLine line = w.launch->lines ? w.launch->lines->find(op.pc) : SourceLine();
  if (line.line)
    text += " (" + line.text() + ")";
  reportFinding(w, w.program->ops[index], "uninitialized-read", text);
}

} // namespace tl::emu
