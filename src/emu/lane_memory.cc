#include "emu/lane_memory.h"

#include "emu/buffer.h"
#include "emu/checks/checks.h"
#include "emu/checks/definedness.h"
#include "emu/workgroup.h"

#include <algorithm>

namespace tl::emu {
namespace {

const char *accessName(Access access) {
  return access == Access::Read ? "reads" : access == Access::Write ? "writes" : "changes";
}

void faultAt(Wave &w, const MicroOp &op, Access access, unsigned lane, unsigned bytes,
             uint64_t address) {
  checkReleased(w, op, address, access != Access::Read);
  w.fault(op, LaunchStatus::MemoryFault,
          "workgroup (%u, %u, %u), wave %u, lane %u %s %u bytes at "
          "0x%llx: %s",
          w.group->id[0], w.group->id[1], w.group->id[2], w.number, lane, accessName(access), bytes,
          static_cast<unsigned long long>(address), w.launch->space->describe(address).c_str());
}

// Checks the accesses of neighbouring lanes to neighbouring memory as one, and what several lanes
// read as read once: mostly all lanes read the same, or the second half what the first one does, as
// WMMA wants its inputs.
void checkRuns(Wave &w, const MicroOp &op, const MemoryBlock &block, unsigned bytes, Access access,
               const uint64_t *address, uint64_t lanes) {
  const bool reads = access == Access::Read;
  uint64_t start = 0, end = 0;
  unsigned first = 0;
  forLanes(lanes, [&](unsigned l) {
    const uint64_t at = address[l];
    if (reads && end != start && at + bytes == end)
      return;
    if (reads && l >= 16 && (lanes >> (l - 16) & 1) && address[l - 16] == at)
      return;
    if (at == end && l - first == (end - start) / bytes) { // the next lane
      end += bytes;
      return;
    }
    if (end != start)
      checkGlobal(w, op, block, start, unsigned(end - start), access, int(first), bytes);
    start = at;
    end = at + bytes;
    first = l;
  });
  if (end != start)
    checkGlobal(w, op, block, start, unsigned(end - start), access, int(first), bytes);
}

// Global memory: all lanes at once when one block holds them, else one by one.
bool resolveGlobal(Wave &w, const MicroOp &op, unsigned bytes, Access access,
                   const uint64_t *address, LaneMemory &out) {
  uint64_t lanes = out.lanes;
  if (!lanes)
    return true;
  Translator &translator = w.worker->translator;
  const bool aligned = access != Access::Atomic;
  uint64_t least = UINT64_MAX, most = 0, bits = 0;
  if (lanes == w.laneMask) {
    for (unsigned l = 0; l < w.lanes; ++l) {
      least = std::min(least, address[l]);
      most = std::max(most, address[l]);
      bits |= address[l];
    }
  } else {
    forLanes(lanes, [&](unsigned l) {
      least = std::min(least, address[l]);
      most = std::max(most, address[l]);
      bits |= address[l];
    });
  }
  if (!aligned && bits & (bytes - 1)) {
    w.fault(op, LaunchStatus::MemoryFault, "an atomic operation on %u bytes that are not aligned",
            bytes);
    return false;
  }
  if (w.worker->profile)
    profileGlobal(w, op, address, lanes, bytes);
  if (w.checks && access != Access::Read)
    checkStoredData(w, op, lanes, bytes);
  const MemoryBlock *block =
      most >= least ? translator.block(least, most - least + bytes) : nullptr;
  if (block && !out.partial) {
    // Of lanes that are off, too, whose addresses may be anything: integers may wrap around.
    const uintptr_t host = reinterpret_cast<uintptr_t>(block->host) - block->address;
    for (unsigned l = 0; l < w.lanes; ++l)
      out.pointer[l] = reinterpret_cast<uint8_t *>(host + address[l]);
    if (lanes == w.laneMask && address[0] == least &&
        most - least == uint64_t(w.lanes - 1) * bytes) {
      uint64_t wrong = 0;
      for (unsigned l = 0; l < w.lanes; ++l)
        wrong |= address[l] ^ (least + l * bytes);
      out.contiguous = !wrong;
    }
    if (w.launch->checked && block->shadow) {
      if (out.contiguous)
        checkGlobal(w, op, *block, least, w.lanes * bytes, access, 0, bytes);
      else
        checkRuns(w, op, *block, bytes, access, address, lanes);
    }
    return true;
  }
  for (; lanes; lanes &= lanes - 1) {
    unsigned l = unsigned(__builtin_ctzll(lanes));
    unsigned count = out.partial ? out.words[l] * 4 : bytes;
    block = translator.block(address[l], count);
    if (!block) {
      faultAt(w, op, access, l, count, address[l]);
      return false;
    }
    out.pointer[l] = block->host + (address[l] - block->address);
    if (w.launch->checked)
      checkGlobal(w, op, *block, address[l], count, access, int(l), count);
  }
  return true;
}

bool resolveScratchLane(Wave &w, const MicroOp &op, unsigned bytes, Access access, unsigned lane,
                        uint32_t offset, LaneMemory &out) {
  if (offset > w.scratchBytes || bytes > w.scratchBytes - offset) {
    w.fault(op, LaunchStatus::MemoryFault,
            "lane %u %s %u bytes at offset %u of its scratch, which has %u bytes", lane,
            accessName(access), bytes, offset, w.scratchBytes);
    return false;
  }
  out.pointer[lane] = w.scratch + size_t(lane) * w.scratchBytes + offset;
  return true;
}

template <class OffsetOf>
bool resolveScratchLanes(Wave &w, const MicroOp &op, unsigned bytes, Access access, uint64_t lanes,
                         OffsetOf offsetOf, LaneMemory &out) {
  for (uint64_t left = lanes; left; left &= left - 1) {
    unsigned l = unsigned(__builtin_ctzll(left));
    if (!resolveScratchLane(w, op, bytes, access, l, offsetOf(l), out))
      return false;
  }
  if (w.checks && lanes)
    trackLaneMemory(w, op, lanes, out.pointer, bytes, access, Origin::Scratch);
  return true;
}

uint32_t laneWord(const Wave &w, const Operand &operand, unsigned lane) {
  return operand.kind == Operand::Vector ? w.v[size_t(operand.index) * kLineLanes + lane]
         : operand.kind == Operand::None ? 0
                                         : scalar32(w, operand);
}

bool resolveScratch(Wave &w, const MicroOp &op, unsigned bytes, Access access, LaneMemory &out) {
  uint32_t base = uint32_t(op.imm[0]);
  if (op.src[2].kind != Operand::None)
    base += scalar32(w, op.src[2]);
  return resolveScratchLanes(
      w, op, bytes, access, out.lanes, [&](unsigned l) { return base + laneWord(w, op.src[0], l); },
      out);
}

void globalAddresses(const Wave &w, const MicroOp &op, uint64_t *address) {
  const uint64_t offset = uint64_t(int64_t(op.imm[0]));
  if (op.src[2].kind != Operand::None) {
    const uint64_t base = scalar64(w, op.src[2]) + offset;
    if (op.src[0].kind == Operand::Vector) {
      const uint32_t *low = w.v + size_t(op.src[0].index) * kLineLanes;
      for (unsigned l = 0; l < kLineLanes; ++l)
        address[l] = base + low[l];
    } else {
      std::fill_n(address, kLineLanes, base);
    }
    return;
  }
  const uint32_t *low = w.v + size_t(op.src[0].index) * kLineLanes, *high = low + kLineLanes;
  for (unsigned l = 0; l < kLineLanes; ++l)
    address[l] = (uint64_t(low[l]) | uint64_t(high[l]) << 32) + offset;
}

// Flat addresses name global memory, LDS or scratch by their upper half.
bool resolveFlat(Wave &w, const MicroOp &op, unsigned bytes, Access access, const uint64_t *address,
                 LaneMemory &out) {
  uint64_t shared = 0, scratch = 0;
  forLanes(out.lanes, [&](unsigned l) {
    uint32_t high = uint32_t(address[l] >> 32);
    shared |= uint64_t(high == kSharedAperture >> 32) << l;
    scratch |= uint64_t(high == kPrivateAperture >> 32) << l;
  });
  if (!(shared | scratch))
    return resolveGlobal(w, op, bytes, access, address, out);
  // Global memory first: it may set all lanes' pointers.
  uint64_t all = out.lanes;
  out.lanes &= ~(shared | scratch);
  bool good = resolveGlobal(w, op, bytes, access, address, out);
  out.lanes = all;
  out.contiguous = false;
  if (!good)
    return false;
  if (!resolveScratchLanes(
          w, op, bytes, access, scratch, [&](unsigned l) { return uint32_t(address[l]); }, out))
    return false;
  for (uint64_t lanes = shared; lanes; lanes &= lanes - 1) {
    unsigned l = unsigned(__builtin_ctzll(lanes));
    uint32_t offset = uint32_t(address[l]);
    if (offset > w.group->ldsBytes || bytes > w.group->ldsBytes - offset) {
      w.fault(op, LaunchStatus::MemoryFault,
              "lane %u %s %u bytes at offset %u of LDS, which has %u bytes", l, accessName(access),
              bytes, offset, w.group->ldsBytes);
      return false;
    }
    out.pointer[l] = w.group->lds.data() + offset;
  }
  if (w.launch->checked && shared) {
    LaneMemory lds = out;
    lds.lanes = shared;
    lds.outside = 0;
    checkLds(w, op, lds, bytes, access);
  }
  if (w.checks && shared)
    trackLaneMemory(w, op, shared, out.pointer, bytes, access, Origin::Lds);
  return true;
}

} // namespace

bool resolveLanes(Wave &w, const MicroOp &op, unsigned bytes, Access access, LaneMemory &out) {
  out.lanes = w.exec();
  if (op.space == Space::Scratch)
    return resolveScratch(w, op, bytes, access, out);
  alignas(64) uint64_t address[kLineLanes];
  if (op.space == Space::Buffer) {
    BufferAddresses buffer;
    bufferAddresses(w, op, bytes, access, buffer);
    out.outside = out.lanes & ~buffer.inside;
    out.lanes &= buffer.inside;
    out.partial = buffer.partial;
    if (buffer.partial)
      std::copy_n(buffer.words, kLineLanes, out.words);
    if (buffer.scratch)
      return resolveScratchLanes(
          w, op, bytes, access, out.lanes, [&](unsigned l) { return uint32_t(buffer.address[l]); },
          out);
    return resolveGlobal(w, op, bytes, access, buffer.address, out);
  }
  globalAddresses(w, op, address);
  if (op.space == Space::Flat)
    return resolveFlat(w, op, bytes, access, address, out);
  return resolveGlobal(w, op, bytes, access, address, out);
}

bool resolveLds(Wave &w, const MicroOp &op, unsigned bytes, Access access, uint32_t offset,
                LaneMemory &out) {
  const uint64_t exec = w.exec();
  const uint32_t *base = op.src[0].kind == Operand::Vector ? w.line(op.src[0].index) : nullptr;
  uint8_t *lds = w.group->lds.data();
  const uint64_t size = w.group->ldsBytes;
  uint64_t bits = 0;
  for (unsigned l = 0; l < w.lanes; ++l) {
    // The sum is one of 32 bits: compilers count on negative bases with positive offsets.
    uint64_t at = uint32_t((base ? base[l] : 0) + offset);
    bool inside = at + bytes <= size;
    out.lanes |= uint64_t(inside) << l;
    out.pointer[l] = lds + (inside ? at : 0);
    bits |= exec >> l & 1 ? at : 0;
  }
  out.outside = exec & ~out.lanes;
  out.lanes &= exec;
  if (access == Access::Atomic && bits & (bytes - 1)) {
    w.fault(op, LaunchStatus::MemoryFault,
            "an atomic operation on %u bytes of LDS that are not "
            "aligned",
            bytes);
    return false;
  }
  if (w.launch->checked)
    checkLds(w, op, out, bytes, access);
  if (w.checks)
    trackLaneMemory(w, op, out.lanes, out.pointer, bytes, access, Origin::Lds);
  if (w.worker->profile)
    profileLds(w, op, out, bytes);
  return true;
}

} // namespace tl::emu
