#include "emu/dpp.h"

namespace tl::emu {
namespace {

// The lane that `lane` reads, or -1.
int sourceLane(uint32_t dpp, bool eight, unsigned lane, unsigned lanes) {
  if (eight)
    return int((lane & ~7u) | (dpp >> (3 * (lane & 7)) & 7));
  uint32_t control = dpp & 0x1ff;
  int row = int(lane & ~15u), at = int(lane & 15), n = int(control & 15);
  if (control < 0x100)
    return int((lane & ~3u) | (control >> (2 * (lane & 3)) & 3));
  switch (control & ~15u) {
  case 0x100: // row_shl
    return at + n < 16 ? row + at + n : -1;
  case 0x110: // row_shr
    return at - n >= 0 ? row + at - n : -1;
  case 0x120: // row_ror
    return row + ((at - n) & 15);
  case 0x150: // row_share, on gfx90a row_newbcast
    return row + n;
  case 0x160: // row_xmask
    return row + (at ^ n);
  }
  switch (control) {
  case 0x130: // wave_shl
    return lane + 1 < lanes ? int(lane) + 1 : -1;
  case 0x134: // wave_rol
    return int((lane + 1) % lanes);
  case 0x138: // wave_shr
    return int(lane) - 1;
  case 0x13c: // wave_ror
    return int((lane + lanes - 1) % lanes);
  case 0x140: // row_mirror
    return row + 15 - at;
  case 0x141: // row_half_mirror
    return row + (at & 8) + 7 - (at & 7);
  case 0x142: // row_bcast:15, to the next row
    return row ? row - 1 : -1;
  case 0x143: // row_bcast:31, to the upper half
    return row >= 32 ? 31 : -1;
  }
  return -1;
}

bool validSource(const Wave &wave, const MicroOp &op, int source) {
  bool fetchInactive = op.dpp >> 25 & 1;
  return source >= 0 && (fetchInactive || (wave.exec() >> source & 1));
}

} // namespace

void permuteDpp(Wave &wave, const MicroOp &op, uint32_t *line) {
  uint32_t from[kLineLanes];
  std::memcpy(from, line, sizeof(from));
  for (unsigned l = 0; l < wave.lanes; ++l) {
    int source = sourceLane(op.dpp, op.flags & OpDpp8, l, wave.lanes);
    line[l] = validSource(wave, op, source) ? from[source] : 0;
  }
}

uint64_t dppWriteMask(const Wave &wave, const MicroOp &op) {
  if (op.flags & OpDpp8)
    return ~uint64_t(0);
  uint32_t rows = op.dpp >> 16 & 15, banks = op.dpp >> 20 & 15;
  bool bound = op.dpp >> 24 & 1;
  uint64_t mask = 0;
  for (unsigned l = 0; l < wave.lanes; ++l) {
    if (!(rows >> (l / 16) & 1) || !(banks >> (l / 4 % 4) & 1))
      continue;
    if (bound || validSource(wave, op, sourceLane(op.dpp, false, l, wave.lanes)))
      mask |= uint64_t(1) << l;
  }
  return mask;
}

} // namespace tl::emu
