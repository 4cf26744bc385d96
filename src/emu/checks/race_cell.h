// Who touched four bytes of device memory last: one word for writing, one for reading. Readers that
// nothing orders stand under a number of their own (OperationLog::addReader).
#pragma once

#include <atomic>
#include <cstdint>

namespace tl::emu {

/// operation : 20, workgroup : 16, address of the instruction / 4 : 24, bytes : 4. Workgroups count
/// from 1 and are told apart modulo 65,534: a race may be missed, none is made up.
struct RaceMark {
  uint64_t bits = 0;
  static constexpr uint32_t kSeveral = 0xffff; // workgroups

  static RaceMark make(uint32_t operation, uint64_t group, uint32_t pc, uint32_t bytes) {
    return {uint64_t(operation) << 44 | (group % 65534 + 1) << 28 |
            uint64_t(pc / 4 & 0xffffff) << 4 | bytes};
  }
  uint32_t operation() const { return uint32_t(bits >> 44); }
  uint32_t group() const { return uint32_t(bits >> 28) & 0xffff; }
  uint32_t pc() const { return (uint32_t(bits >> 4) & 0xffffff) * 4; }
  uint32_t bytes() const { return bits & 15; }
  bool sameGroup(RaceMark other) const { return !((bits ^ other.bits) >> 28); } // and operation
  RaceMark withBytes(uint32_t mask) const { return {(bits & ~uint64_t(15)) | mask}; }
  RaceMark ofSeveral() const { return {bits | uint64_t(kSeveral) << 28}; }
};

struct RaceCell {
  static constexpr uint32_t kOperations = 1 << 20;
  std::atomic<uint64_t> writer, reader;
};
static_assert(sizeof(RaceCell) == 16);

} // namespace tl::emu
