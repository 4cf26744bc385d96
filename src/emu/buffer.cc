#include "emu/buffer.h"

#include "emu/chips.h"
#include "emu/launch.h"

#include <algorithm>

namespace tl::emu {
namespace {

struct Descriptor {
  uint64_t base;
  uint32_t stride, records;
  bool swizzle, addThread;
  uint32_t indexStride, elementBytes, outOfBounds;
  bool scalarCounts = false; // the scalar offset, too, in range checks and in swizzling

  Descriptor(const uint32_t *d, Generation generation) {
    base = uint64_t(d[0]) | uint64_t(d[1] & 0xffff) << 32;
    stride = d[1] >> 16 & 0x3fff;
    records = d[2];
    addThread = d[3] >> 23 & 1;
    indexStride = 8u << (d[3] >> 21 & 3);
    if (generation == Generation::Gfx9) {
      swizzle = d[1] >> 31;
      elementBytes = 2u << (d[3] >> 19 & 3);
      outOfBounds = ~0u;
    } else {
      // 1: elements of 4 bytes; 3: of 16.
      uint32_t mode = d[1] >> 30;
      swizzle = mode != 0;
      elementBytes = mode == 3 ? 16 : 4;
      outOfBounds = d[3] >> 28 & 3;
      if (generation == Generation::Gfx12) { // RDNA4 ISA 9.4, 9.6
        constexpr uint32_t kScales[] = {1, 4, 8, 32};
        stride *= kScales[d[3] >> 18 & 3];
        scalarCounts = true;
      }
    }
  }
};

// How many of `bytes` at `offset` of record `index` are in range.
uint32_t bytesInRange(const Descriptor &d, uint64_t offset, uint64_t scalarOffset, uint32_t index,
                      bool indexed, uint32_t bytes, bool whole) {
  uint64_t limit, start = offset;
  switch (d.outOfBounds) {
  case 0: // structured, offset checked too
    if (index >= d.records)
      return 0;
    limit = d.stride;
    break;
  case 1: // structured
    return index < d.records ? bytes : 0;
  case 2:
    return d.records ? bytes : 0;
  case 3: // raw
    if (d.swizzle && d.stride) {
      if (index >= d.records)
        return 0;
      limit = d.stride;
    } else {
      start += uint64_t(d.stride) * index + (d.scalarCounts ? scalarOffset : 0);
      limit = d.records;
    }
    break;
  default: // gfx9: raw without stride, with the scalar offset; else by index
    if (d.stride && indexed)
      return index < d.records ? bytes : 0;
    start += scalarOffset;
    limit = d.records;
  }
  if (start >= limit)
    return 0;
  uint64_t left = limit - start;
  if (left >= bytes)
    return bytes;
  return whole ? 0 : uint32_t(left) & ~3u;
}

} // namespace

void bufferAddresses(const Wave &w, const MicroOp &op, unsigned bytes, Access access,
                     BufferAddresses &out) {
  const Descriptor d(w.s + op.src[2].index, w.launch->chip->generation);
  const uint64_t scalar = op.src[3].kind == Operand::None ? 0 : scalar32(w, op.src[3]);
  const uint32_t immediate = uint32_t(op.imm[0]);
  const bool indexes = op.flags & OpIndexLane, offsets = op.flags & OpOffsetLane;
  const uint32_t *first = indexes || offsets ? w.v + size_t(op.src[0].index) * kLineLanes : nullptr;
  const uint32_t *second = indexes && offsets ? first + kLineLanes : first;
  // Atomics are checked as a whole, and so are parts of words and elements of a format.
  const bool whole = access == Access::Atomic || bytes < 4 || op.flags & OpWholeElement ||
                     w.launch->options->bufferRange == Options::BufferRange::PerAccess;
  out.scratch = d.base >> 32 == kScratchBufferBase >> 32 && d.addThread;
  for (unsigned l = 0; l < w.lanes; ++l) {
    uint64_t offset = uint64_t(immediate) + (offsets ? second[l] : 0);
    uint32_t index = (indexes ? first[l] : 0) + (d.addThread ? l : 0);
    if (out.scratch) {
      // Scalar offsets count bytes of the whole wave.
      out.address[l] = scalar / kLineLanes + offset + (uint32_t(d.base) / kLineLanes);
      out.inside |= uint64_t(1) << l;
      continue;
    }
    uint32_t count = bytesInRange(d, offset, scalar, index, indexes || d.addThread, bytes, whole);
    if (count)
      out.inside |= uint64_t(1) << l;
    out.words[l] = uint8_t((count + 3) / 4);
    out.partial |= count && count != bytes;
    uint64_t address = d.base + scalar;
    if (d.swizzle && d.stride) {
      if (d.scalarCounts)
        address -= scalar, offset = uint32_t(offset + scalar);
      address +=
          (uint64_t(index / d.indexStride) * d.stride + offset / d.elementBytes * d.elementBytes) *
              d.indexStride +
          uint64_t(index % d.indexStride) * d.elementBytes + offset % d.elementBytes;
    } else {
      address += uint64_t(index) * d.stride + offset;
    }
    out.address[l] = address;
  }
}

} // namespace tl::emu
