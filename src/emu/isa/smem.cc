// Scalar memory (CDNA3 ISA 8 "Scalar Memory Operations", RDNA3 ISA 9).
#include "emu/checks/checks.h"
#include "emu/op_table.h"
#include "emu/workgroup.h"

#include <algorithm>

namespace tl::emu {
namespace {

uint64_t signExtend24(int32_t offset) {
  // 21 bits on gfx9, 24 on gfx12; the disassembler gives the signed value.
  return uint64_t(int64_t(offset));
}

// Reads `bytes` at an address into `to`. Loads are widened by compilers as far as alignment proves
// that nothing can go wrong, so that the rest of a 64-byte line reads as zeros.
bool readScalarMemory(Wave &w, const MicroOp &op, uint64_t address, void *to, uint32_t bytes) {
  Translator &translator = w.worker->translator;
  const MemoryBlock *block = translator.block(address, 1);
  uint64_t inside = block ? block->bytes - (address - block->address) : 0;
  if (!block || (inside < bytes && ((address + bytes - 1) & ~uint64_t(63)) >
                                       ((address + inside - 1) & ~uint64_t(63)))) {
    checkReleased(w, op, address, false);
    w.fault(op, LaunchStatus::MemoryFault, "reads %u bytes at 0x%llx: %s", bytes,
            static_cast<unsigned long long>(address),
            w.launch->space->describe(block ? address + inside : address).c_str());
    return false;
  }
  uint64_t at = address - block->address;
  uint32_t count = uint32_t(std::min<uint64_t>(inside, bytes));
  std::memcpy(to, block->host + at, count);
  std::memset(static_cast<uint8_t *>(to) + count, 0, bytes - count);
  if (w.launch->checked && block->shadow)
    checkGlobal(w, op, *block, address, std::min(count, 4u), Access::Read, -1, 4);
  return true;
}

uint64_t scalarOffset(const Wave &w, const MicroOp &op) {
  uint64_t offset = signExtend24(op.imm[0]);
  if (op.src[1].kind != Operand::None)
    offset += scalar32(w, op.src[1]);
  return offset;
}

template <unsigned Words> void load(Wave &w, const MicroOp &op) {
  // The two low bits of the address are ignored.
  uint64_t address = (scalar64(w, op.src[0]) + scalarOffset(w, op)) & ~uint64_t(3);
  uint32_t words[Words];
  if (readScalarMemory(w, op, address, words, Words * 4))
    std::memcpy(w.s + op.dst[0].index, words, Words * 4);
}

template <class T> void loadPart(Wave &w, const MicroOp &op) {
  uint64_t address = scalar64(w, op.src[0]) + scalarOffset(w, op);
  T value;
  if (readScalarMemory(w, op, address, &value, sizeof(T)))
    setScalar32(w, op.dst[0], uint32_t(int32_t(value)));
}

// Each dword outside of the buffer reads as zero.
struct ScalarBuffer {
  uint64_t base, bytes;
};
ScalarBuffer scalarBuffer(const Wave &w, const MicroOp &op) {
  const uint32_t *d = w.s + op.src[0].index;
  uint64_t base = (uint64_t(d[0]) | uint64_t(d[1] & 0xffff) << 32), stride = d[1] >> 16 & 0x3fff;
  return {base, stride ? stride * d[2] : d[2]};
}

template <unsigned Words> void bufferLoad(Wave &w, const MicroOp &op) {
  ScalarBuffer buffer = scalarBuffer(w, op);
  uint64_t offset = scalarOffset(w, op) & ~uint64_t(3);
  uint32_t words[Words] = {};
  uint64_t inside = offset < buffer.bytes ? (buffer.bytes - offset) / 4 : 0;
  uint32_t count = uint32_t(std::min<uint64_t>(inside, Words));
  if (count == 0 || readScalarMemory(w, op, buffer.base + offset, words, count * 4))
    std::memcpy(w.s + op.dst[0].index, words, Words * 4);
}

template <class T> void bufferLoadPart(Wave &w, const MicroOp &op) {
  ScalarBuffer buffer = scalarBuffer(w, op);
  uint64_t offset = scalarOffset(w, op);
  T value = 0;
  if (offset + sizeof(T) > buffer.bytes ||
      readScalarMemory(w, op, buffer.base + offset, &value, sizeof(T)))
    setScalar32(w, op.dst[0], uint32_t(int32_t(value)));
}

void time(Wave &w, const MicroOp &op) {
  w.worker->clock += 1;
  setScalar64(w, op.dst[0], w.worker->clock);
}

void nothing(Wave &, const MicroOp &) {}

const OpRow kRows[] = {
    {"S_LOAD_DWORD", load<1>},
    {"S_LOAD_DWORDX2", load<2>},
    {"S_LOAD_DWORDX4", load<4>},
    {"S_LOAD_DWORDX8", load<8>},
    {"S_LOAD_DWORDX16", load<16>},
    {"S_LOAD_B32", load<1>},
    {"S_LOAD_B64", load<2>},
    {"S_LOAD_B96", load<3>},
    {"S_LOAD_B128", load<4>},
    {"S_LOAD_B256", load<8>},
    {"S_LOAD_B512", load<16>},
    {"S_LOAD_I8", loadPart<int8_t>},
    {"S_LOAD_U8", loadPart<uint8_t>},
    {"S_LOAD_I16", loadPart<int16_t>},
    {"S_LOAD_U16", loadPart<uint16_t>},
    {"S_BUFFER_LOAD_DWORD", bufferLoad<1>},
    {"S_BUFFER_LOAD_DWORDX2", bufferLoad<2>},
    {"S_BUFFER_LOAD_DWORDX4", bufferLoad<4>},
    {"S_BUFFER_LOAD_DWORDX8", bufferLoad<8>},
    {"S_BUFFER_LOAD_DWORDX16", bufferLoad<16>},
    {"S_BUFFER_LOAD_B32", bufferLoad<1>},
    {"S_BUFFER_LOAD_B64", bufferLoad<2>},
    {"S_BUFFER_LOAD_B96", bufferLoad<3>},
    {"S_BUFFER_LOAD_B128", bufferLoad<4>},
    {"S_BUFFER_LOAD_B256", bufferLoad<8>},
    {"S_BUFFER_LOAD_B512", bufferLoad<16>},
    {"S_BUFFER_LOAD_I8", bufferLoadPart<int8_t>},
    {"S_BUFFER_LOAD_U8", bufferLoadPart<uint8_t>},
    {"S_BUFFER_LOAD_I16", bufferLoadPart<int16_t>},
    {"S_BUFFER_LOAD_U16", bufferLoadPart<uint16_t>},
    {"S_MEMTIME", time},
    {"S_MEMREALTIME", time},
    {"S_DCACHE_INV", nothing},
    {"S_DCACHE_INV_VOL", nothing},
    {"S_DCACHE_WB", nothing},
    {"S_DCACHE_WB_VOL", nothing},
    {"S_GL1_INV", nothing},
};

} // namespace

std::span<const OpRow> smemRows() { return kRows; }

} // namespace tl::emu
