#include "emu/transposed_load.h"

namespace tl::emu {
namespace {

constexpr unsigned kMaxWords = 4;

uint32_t element(const uint32_t *words, unsigned index, unsigned bits) {
  const unsigned at = index * bits, bit = at % 32;
  uint64_t pair = words[at / 32];
  if (bit + bits > 32)
    pair |= uint64_t(words[at / 32 + 1]) << 32;
  return uint32_t(pair >> bit) & ((1u << bits) - 1);
}

void putElement(uint32_t *words, unsigned index, unsigned bits, uint32_t value) {
  const unsigned at = index * bits, bit = at % 32;
  words[at / 32] |= value << bit;
  if (bit + bits > 32)
    words[at / 32 + 1] |= value >> (32 - bit);
}

} // namespace

void loadTransposed(Wave &w, const LaneMemory &memory, const Exchange &x, uint32_t to) {
  uint32_t read[kLineLanes][kMaxWords] = {};
  forLanes(memory.lanes,
           [&](unsigned l) { std::memcpy(read[l], memory.pointer[l], x.words * 4u); });
  const unsigned n = x.elements(), step = x.run * (x.group / n);
  forLanes(memory.lanes | memory.outside, [&](unsigned l) {
    const unsigned lane = l % x.group, first = l - lane + lane / n * x.run;
    uint32_t words[kMaxWords] = {};
    for (unsigned e = 0; e < n; ++e)
      putElement(words, e, x.bits,
                 element(read[first + e / x.run * step + e % x.run], lane % n, x.bits));
    for (unsigned i = 0; i < x.words; ++i)
      w.line(to + i)[l] = words[i];
  });
}

} // namespace tl::emu
