// Vector memory: FLAT, GLOBAL, SCRATCH and BUFFER alike (CDNA3 ISA 9 and 10, RDNA3 ISA 10 and 11).
#include "emu/atomic_ops.h"
#include "emu/checks/checks.h"
#include "emu/checks/definedness.h"
#include "emu/chips.h"
#include "emu/lane_memory.h"
#include "emu/op_table.h"
#include "emu/transposed_load.h"
#include "emu/workgroup.h"

#include <immintrin.h>

namespace tl::emu {

uint32_t addHalfPair(uint32_t a, uint32_t b) {
  uint32_t result = 0;
  for (unsigned shift = 0; shift < 32; shift += 16) {
    float sum = _cvtsh_ss(uint16_t(a >> shift)) + _cvtsh_ss(uint16_t(b >> shift));
    result |= uint32_t(_cvtss_sh(sum, _MM_FROUND_TO_NEAREST_INT)) << shift;
  }
  return result;
}

uint32_t addBfloatPair(uint32_t a, uint32_t b) {
  uint32_t result = 0;
  for (unsigned shift = 0; shift < 32; shift += 16) {
    // The sum of two bf16 in f64 is exact, so that it is rounded once.
    double sum = double(std::bit_cast<float>(a >> shift << 16)) +
                 double(std::bit_cast<float>(b >> shift << 16));
    float near = float(sum);
    uint32_t bits = std::bit_cast<uint32_t>(near);
    if (isNan(near)) {
      bits |= 0x400000;
    } else {
      // Ties are decided by what rounding to f32 dropped.
      uint32_t dropped = bits & 0xffff;
      double error = sum - double(near);
      bool up =
          dropped > 0x8000 ||
          (dropped == 0x8000 && (error == 0 ? (bits >> 16 & 1) != 0 : (error > 0) == (near > 0)));
      bits += up ? 0x10000 : 0;
    }
    result |= bits >> 16 << shift;
  }
  return result;
}

namespace {

// A load into LDS: each lane's data goes to M0's offset plus the instruction's plus its place.
template <unsigned Bytes, class T> void loadToLds(Wave &w, const MicroOp &op) {
  LaneMemory memory;
  if (!resolveLanes(w, op, Bytes, Access::Read, memory))
    return;
  constexpr uint32_t kStep = Bytes < 4 ? 4 : Bytes;
  uint32_t start = (w.s[SlotM0] & 0xffff) + uint32_t(op.imm[0]);
  LaneMemory written;
  auto put = [&](unsigned l, const void *data) {
    uint64_t at = uint64_t(start) + l * kStep;
    if (at + kStep > w.group->ldsBytes) {
      written.outside |= uint64_t(1) << l;
      return;
    }
    written.lanes |= uint64_t(1) << l;
    written.pointer[l] = w.group->lds.data() + at;
    std::memcpy(written.pointer[l], data, kStep);
    if (w.checks)
      markLdsWritten(w, at, kStep);
  };
  forLanes(memory.lanes, [&](unsigned l) {
    if constexpr (Bytes < 4) {
      T value;
      std::memcpy(&value, memory.pointer[l], Bytes);
      uint32_t word = uint32_t(int32_t(value));
      put(l, &word);
    } else {
      uint8_t words[Bytes] = {};
      std::memcpy(words, memory.pointer[l], memory.partial ? memory.words[l] * 4 : Bytes);
      put(l, words);
    }
  });
  const uint8_t zeros[kStep] = {};
  forLanes(memory.outside, [&](unsigned l) { put(l, zeros); });
  if (w.checks)
    checkLds(w, op, written, kStep, Access::Write);
}

template <unsigned Words> void load(Wave &w, const MicroOp &op) {
  if (op.flags & OpToLds)
    return loadToLds<Words * 4, uint32_t>(w, op);
  LaneMemory memory;
  if (resolveLanes(w, op, Words * 4, Access::Read, memory))
    loadWords<Words>(w, memory, op.dst[0].index);
}

// RDNA4 10.9 "WMMA Matrix Load Ops with Transpose": 16-bit elements in groups of 8 lanes, 8-bit
// ones in groups of 16.
template <unsigned Words, unsigned Bits> void loadMatrix(Wave &w, const MicroOp &op) {
  constexpr Exchange kExchange{Words, Bits, Bits == 16 ? 8 : 16, Bits == 16 ? 1 : 4};
  if (w.lanes != 32)
    return w.fault(op, LaunchStatus::Unimplemented,
                   "how this instruction transposes in waves of 64 is not published");
  LaneMemory memory;
  if (resolveLanes(w, op, Words * 4, Access::Read, memory))
    loadTransposed(w, memory, kExchange, op.dst[0].index);
}

template <class T, Into Place = Into::Word> void loadNarrow(Wave &w, const MicroOp &op) {
  if (op.flags & OpToLds)
    return loadToLds<sizeof(T), T>(w, op);
  LaneMemory memory;
  if (resolveLanes(w, op, sizeof(T), Access::Read, memory))
    loadPart<T, Place>(w, memory, op.dst[0].index);
}

template <unsigned Words> void store(Wave &w, const MicroOp &op) {
  LaneMemory memory;
  if (resolveLanes(w, op, Words * 4, Access::Write, memory))
    storeWords<Words>(w, memory, op.src[1].index);
}

template <class T, bool High = false> void storeNarrow(Wave &w, const MicroOp &op) {
  LaneMemory memory;
  if (resolveLanes(w, op, sizeof(T), Access::Write, memory))
    storePart<T, High>(w, memory, op.src[1].index);
}

template <class T, auto F> void atomic(Wave &w, const MicroOp &op) {
  LaneMemory memory;
  if (resolveLanes(w, op, sizeof(T), Access::Atomic, memory))
    atomicLanes<T, F>(w, op, memory, op.src[1].index, op.src[1].index);
}
// The register pair holds what to store and behind it what to compare with.
template <class T, auto F> void atomicPair(Wave &w, const MicroOp &op) {
  LaneMemory memory;
  if (resolveLanes(w, op, sizeof(T), Access::Atomic, memory))
    atomicLanes<T, F>(w, op, memory, op.src[1].index, op.src[1].index + sizeof(T) / 4);
}

// Loads and stores at the lane's own place: the address is scalar.
template <bool Load> void ownPlace(Wave &w, const MicroOp &op) {
  MicroOp lane = op;
  uint32_t *places = w.temporary[8];
  for (unsigned l = 0; l < kLineLanes; ++l)
    places[l] = l * 4;
  lane.src[0].kind = Operand::Vector;
  lane.src[0].index = w.launchVectorLines;
  std::memcpy(w.line(w.launchVectorLines), places, kLineLanes * 4);
  if (lane.src[2].kind == Operand::None)
    return w.fault(op, LaunchStatus::IllegalState, "a lane's own place without a base");
  Load ? load<1>(w, lane) : store<1>(w, lane);
}

void nothing(Wave &, const MicroOp &) {}

// The workgroup has taken over what others released to the device: acquire fences end so.
void acquire(Wave &w, const MicroOp &op) {
  constexpr uint32_t kSc1 = 16, kDeviceScope = 2 << 3;
  const uint32_t policy = uint32_t(op.imm[0]);
  bool device = true;
  if (w.launch->chip->generation == Generation::Gfx9)
    device = !w.launch->chip->has(ArchitectedScratch) || policy & kSc1;
  else if (w.launch->chip->generation == Generation::Gfx12)
    device = (policy & 24) >= kDeviceScope;
  if (device && w.group->checks)
    w.group->checks->acquired.fence();
}

using u32 = uint32_t;
using i32 = int32_t;
using u64 = uint64_t;
using i64 = int64_t;

const OpRow kRows[] = {
    {"FLAT_LOAD_UBYTE", loadNarrow<uint8_t>},
    {"FLAT_LOAD_SBYTE", loadNarrow<int8_t>},
    {"FLAT_LOAD_USHORT", loadNarrow<uint16_t>},
    {"FLAT_LOAD_SSHORT", loadNarrow<int16_t>},
    {"FLAT_LOAD_UBYTE_D16", loadNarrow<uint8_t, Into::Low>},
    {"FLAT_LOAD_UBYTE_D16_HI", loadNarrow<uint8_t, Into::High>},
    {"FLAT_LOAD_SBYTE_D16", loadNarrow<int8_t, Into::Low>},
    {"FLAT_LOAD_SBYTE_D16_HI", loadNarrow<int8_t, Into::High>},
    {"FLAT_LOAD_SHORT_D16", loadNarrow<uint16_t, Into::Low>},
    {"FLAT_LOAD_SHORT_D16_HI", loadNarrow<uint16_t, Into::High>},
    {"FLAT_LOAD_DWORD", load<1>},
    {"FLAT_LOAD_DWORDX2", load<2>},
    {"FLAT_LOAD_DWORDX3", load<3>},
    {"FLAT_LOAD_DWORDX4", load<4>},
    {"FLAT_LOAD_TR_B64", loadMatrix<2, 8>},
    {"FLAT_LOAD_TR_B128", loadMatrix<4, 16>},
    {"FLAT_LOAD_DWORD_ADDTID", ownPlace<true>},
    {"FLAT_STORE_BYTE", storeNarrow<uint8_t>},
    {"FLAT_STORE_BYTE_D16_HI", storeNarrow<uint8_t, true>},
    {"FLAT_STORE_SHORT", storeNarrow<uint16_t>},
    {"FLAT_STORE_SHORT_D16_HI", storeNarrow<uint16_t, true>},
    {"FLAT_STORE_DWORD", store<1>},
    {"FLAT_STORE_DWORDX2", store<2>},
    {"FLAT_STORE_DWORDX3", store<3>},
    {"FLAT_STORE_DWORDX4", store<4>},
    {"FLAT_STORE_DWORD_ADDTID", ownPlace<false>},
    {"FLAT_ATOMIC_SWAP", atomic<u32, kSwap>},
    {"FLAT_ATOMIC_SWAP_X2", atomic<u64, kSwap>},
    {"FLAT_ATOMIC_CMPSWAP", atomicPair<u32, kCompareStore>},
    {"FLAT_ATOMIC_CMPSWAP_X2", atomicPair<u64, kCompareStore>},
    {"FLAT_ATOMIC_FCMPSWAP", atomicPair<float, kCompareStore>},
    {"FLAT_ATOMIC_ADD", atomic<u32, kAddOp>},
    {"FLAT_ATOMIC_ADD_X2", atomic<u64, kAddOp>},
    {"FLAT_ATOMIC_SUB", atomic<u32, kSubOp>},
    {"FLAT_ATOMIC_SUB_X2", atomic<u64, kSubOp>},
    {"FLAT_ATOMIC_CSUB", atomic<u32, kSubClamp>},
    {"FLAT_ATOMIC_CSUB_U32", atomic<u32, kSubClamp>},
    {"FLAT_ATOMIC_COND_SUB_U32", atomic<u32, kSubCondition>},
    {"FLAT_ATOMIC_SMIN", atomic<i32, kMinOp>},
    {"FLAT_ATOMIC_SMIN_X2", atomic<i64, kMinOp>},
    {"FLAT_ATOMIC_SMAX", atomic<i32, kMaxOp>},
    {"FLAT_ATOMIC_SMAX_X2", atomic<i64, kMaxOp>},
    {"FLAT_ATOMIC_UMIN", atomic<u32, kMinOp>},
    {"FLAT_ATOMIC_UMIN_X2", atomic<u64, kMinOp>},
    {"FLAT_ATOMIC_UMAX", atomic<u32, kMaxOp>},
    {"FLAT_ATOMIC_UMAX_X2", atomic<u64, kMaxOp>},
    {"FLAT_ATOMIC_AND", atomic<u32, kAndOp>},
    {"FLAT_ATOMIC_AND_X2", atomic<u64, kAndOp>},
    {"FLAT_ATOMIC_OR", atomic<u32, kOrOp>},
    {"FLAT_ATOMIC_OR_X2", atomic<u64, kOrOp>},
    {"FLAT_ATOMIC_XOR", atomic<u32, kXorOp>},
    {"FLAT_ATOMIC_XOR_X2", atomic<u64, kXorOp>},
    {"FLAT_ATOMIC_INC", atomic<u32, kIncrement>},
    {"FLAT_ATOMIC_INC_X2", atomic<u64, kIncrement>},
    {"FLAT_ATOMIC_DEC", atomic<u32, kDecrement>},
    {"FLAT_ATOMIC_DEC_X2", atomic<u64, kDecrement>},
    {"FLAT_ATOMIC_ADD_F32", atomic<float, kAddOp>},
    {"FLAT_ATOMIC_FMIN", atomic<float, kFloatMin>},
    {"FLAT_ATOMIC_FMAX", atomic<float, kFloatMax>},
    {"FLAT_ATOMIC_ADD_F64", atomic<double, kAddOp>},
    {"FLAT_ATOMIC_MIN_F64", atomic<double, kFloatMin>},
    {"FLAT_ATOMIC_MAX_F64", atomic<double, kFloatMax>},
    {"FLAT_ATOMIC_PK_ADD_F16", atomic<u32, kAddHalves>},
    {"FLAT_ATOMIC_PK_ADD_BF16", atomic<u32, kAddBfloats>},
    // Caches: memory is coherent here.
    {"BUFFER_WBL2", nothing},
    {"BUFFER_INV", acquire},
    {"BUFFER_INVL2", nothing},
    {"BUFFER_WBINVL1", acquire},
    {"BUFFER_WBINVL1_VOL", acquire},
    {"BUFFER_GL0_INV", nothing},
    {"BUFFER_GL1_INV", acquire},
    {"GLOBAL_INV", acquire},
    {"GLOBAL_WB", nothing},
    {"GLOBAL_WBINV", nothing},
};

} // namespace

std::span<const OpRow> vmemRows() { return kRows; }

} // namespace tl::emu
