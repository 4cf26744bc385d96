// Who touched four bytes of device memory last: one word for writing, one for reading. Readers of
// several operations that nothing orders stand under a number of their own
// (OperationLog::addReader); of several workgroups of one launch the first one's mark stands there,
// and a second one's beside it (MemoryBlock::secondReaders). Atomic operations do not race with
// each other: they leave marks as readers do, in words of their own (MemoryBlock::atomics).
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

namespace tl::emu {

/// operation : 20, workgroup : 16, address of the instruction / 4 : 23, several readers : 1,
/// bytes : 4. Workgroups count from 1 and are told apart modulo 65,535: a race may be missed, none
/// is made up.
struct RaceMark {
  uint64_t bits = 0;
  static constexpr uint64_t kSeveral = 16;

  static RaceMark make(uint32_t operation, uint64_t group, uint32_t pc, uint32_t bytes) {
    return {uint64_t(operation) << 44 | (group % 65535 + 1) << 28 |
            uint64_t(pc / 4 & 0x7fffff) << 5 | bytes};
  }
  uint32_t operation() const { return uint32_t(bits >> 44); }
  uint32_t pc() const { return (uint32_t(bits >> 5) & 0x7fffff) * 4; }
  uint32_t bytes() const { return bits & 15; }
  /// Not the only readers of its operation, or of its number.
  bool several() const { return bits & kSeveral; }
  /// Also of the same operation.
  bool sameGroup(RaceMark other) const { return !((bits ^ other.bits) >> 28); }
  RaceMark withBytes(uint32_t mask) const { return {(bits & ~uint64_t(15)) | mask}; }
  RaceMark withPc(uint32_t pc) const {
    return {(bits & ~(uint64_t(0x7fffff) << 5)) | uint64_t(pc / 4 & 0x7fffff) << 5};
  }
  RaceMark ofSeveral() const { return {bits | kSeveral}; }
};

/// What a workgroup has taken over from others through atomic operations.
struct Acquired {
  bool launch = false;              // from the workgroups of its launch
  std::vector<uint32_t> seen;       // operations whose atomic stores it has met
  std::vector<uint32_t> operations; // of those, the ones met before an acquire fence

  /// An acquire fence for the device.
  void fence() {
    launch = true;
    operations = seen;
  }
};

struct RaceCell {
  static constexpr uint32_t kOperations = 1 << 20;
  std::atomic<uint64_t> writer, reader;
};
static_assert(sizeof(RaceCell) == 16);

} // namespace tl::emu
