// What the lanes of a memory instruction access, and how data moves between it and registers. Every
// address space ends in one pointer a lane, so that loads, stores and atomics are written once.
#pragma once

#include "emu/valu.h"

#include <atomic>

namespace tl::emu {

struct LaneMemory {
  uint64_t lanes = 0;      // that access memory
  uint64_t outside = 0;    // active, but outside of a buffer or of LDS: read zero, store nothing
  bool contiguous = false; // all lanes, one after the other in memory without gaps
  bool partial = false;    // some lanes have only words[lane] words inside
  uint8_t *pointer[kLineLanes];
  uint8_t words[kLineLanes];
};

/// Finds the memory of each active lane; marks and checks it in checked launches. False after a
/// fault. `bytes` are those that each lane accesses.
bool resolveLanes(Wave &wave, const MicroOp &op, unsigned bytes, Access access, LaneMemory &out);
/// The same for LDS, at `offset` behind the address in src[0].
bool resolveLds(Wave &wave, const MicroOp &op, unsigned bytes, Access access, uint32_t offset,
                LaneMemory &out);

template <class F> inline void forLanes(uint64_t lanes, F f) {
  for (; lanes; lanes &= lanes - 1)
    f(unsigned(__builtin_ctzll(lanes)));
}

/// memory → registers, whole words; the first word goes to line `to`.
template <unsigned Words> inline void loadWords(Wave &w, const LaneMemory &memory, uint32_t to) {
  uint32_t *line = w.line(to);
  if (Words == 1 && memory.contiguous) {
    std::memcpy(line, memory.pointer[0], w.lanes * 4);
    return;
  }
  forLanes(memory.lanes, [&](unsigned l) {
    uint32_t words[Words];
    if (memory.partial) {
      std::memset(words, 0, sizeof(words));
      std::memcpy(words, memory.pointer[l], memory.words[l] * 4);
    } else {
      std::memcpy(words, memory.pointer[l], sizeof(words));
    }
    for (unsigned i = 0; i < Words; ++i)
      line[i * kLineLanes + l] = words[i];
  });
  forLanes(memory.outside, [&](unsigned l) {
    for (unsigned i = 0; i < Words; ++i)
      line[i * kLineLanes + l] = 0;
  });
}

enum class Into : uint8_t { Word, Low, High }; // Low, High: the other half of the register stays

/// memory → registers, a byte or half, extended by its type.
template <class T, Into Place>
inline void loadPart(Wave &w, const LaneMemory &memory, uint32_t to) {
  uint32_t *line = w.line(to);
  auto put = [&](unsigned l, T value) {
    uint32_t word = uint32_t(int32_t(value));
    if (Place == Into::Word)
      line[l] = word;
    else if (Place == Into::Low)
      line[l] = (line[l] & 0xffff0000) | (word & 0xffff);
    else
      line[l] = (line[l] & 0xffff) | word << 16;
  };
  forLanes(memory.lanes, [&](unsigned l) {
    T value;
    std::memcpy(&value, memory.pointer[l], sizeof(T));
    put(l, value);
  });
  forLanes(memory.outside, [&](unsigned l) { put(l, 0); });
}

/// registers → memory.
template <unsigned Words> inline void storeWords(Wave &w, const LaneMemory &memory, uint32_t from) {
  const uint32_t *line = w.line(from);
  if (Words == 1 && memory.contiguous) {
    std::memcpy(memory.pointer[0], line, w.lanes * 4);
    return;
  }
  forLanes(memory.lanes, [&](unsigned l) {
    uint32_t words[Words];
    for (unsigned i = 0; i < Words; ++i)
      words[i] = line[i * kLineLanes + l];
    std::memcpy(memory.pointer[l], words, memory.partial ? memory.words[l] * 4 : sizeof(words));
  });
}

template <class T, bool High>
inline void storePart(Wave &w, const LaneMemory &memory, uint32_t from) {
  const uint32_t *line = w.line(from);
  forLanes(memory.lanes, [&](unsigned l) {
    T value = T(High ? line[l] >> 16 : line[l]);
    std::memcpy(memory.pointer[l], &value, sizeof(T));
  });
}

/// An atomic operation F(old, data, second) → new on T (4 or 8 bytes); `second` is the second data
/// operand. Other workers may access the same memory, hence the loop.
template <class T, auto F>
inline void atomicLanes(Wave &w, const MicroOp &op, const LaneMemory &memory, uint32_t data,
                        uint32_t second) {
  using Bits = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
  const bool returns = op.dst[0].kind == Operand::Vector;
  forLanes(memory.lanes, [&](unsigned l) {
    auto operand = [&](uint32_t line) {
      const uint32_t *low = w.line(line);
      return loadLane<T>({low, low + kLineLanes}, l);
    };
    auto &place = *reinterpret_cast<Bits *>(memory.pointer[l]);
    std::atomic_ref<Bits> cell(place);
    T value = operand(data), other = operand(second);
    Bits old = cell.load(std::memory_order_relaxed);
    while (!cell.compare_exchange_weak(
        old, std::bit_cast<Bits>(T(F(std::bit_cast<T>(old), value, other))),
        std::memory_order_acq_rel)) {
    }
    if (returns) {
      uint32_t *low = w.line(op.dst[0].index);
      storeLane(low, low + kLineLanes, l, old);
    }
  });
  if (returns)
    forLanes(memory.outside, [&](unsigned l) {
      for (unsigned i = 0; i < sizeof(T) / 4; ++i)
        w.line(op.dst[0].index + i)[l] = 0;
    });
}

} // namespace tl::emu
