// Races on device memory: between workgroups of a launch, and between operations that nothing
// orders.
#pragma once

#include "emu/checks/operations.h"
#include "emu/checks/race_cell.h"
#include "emu/lane_memory.h"
#include "emu/memory.h"

#include <array>

namespace tl::emu {

class Findings;

/// A running operation's side of the check.
class RaceChecker {
public:
  /// `self`: of a launch, without its place among others.
  RaceChecker(OperationLog &log, Findings &findings, const Operation &operation);
  RaceChecker(OperationLog &log, Findings &findings, const Operation &operation,
              OperationRecord self);
  ~RaceChecker();
  RaceChecker(const RaceChecker &) = delete;

  /// `group`: number of the workgroup; `pc`: of the instruction; both 0 outside of launches.
  /// `acquired`: of the workgroup.
  void access(const MemoryBlock &block, uint64_t address, uint64_t bytes, Access access,
              uint64_t group, uint32_t pc, const Acquired &acquired);
  /// An atomic operation sees what atomic ones of other operations have left there.
  void meet(const MemoryBlock &block, uint64_t address, uint64_t bytes, Acquired &acquired);
  /// The operation ends a block's life: whatever touched it must come before.
  void release(const MemoryBlock &block);
  /// It touches a released block, which is a race when nothing orders it behind the release.
  void useReleased(const MemoryBlock &block, uint64_t address, bool write, uint32_t pc);
  /// In the log; 0: not tracked.
  uint32_t operationNumber() const { return number; }

private:
  /// `earlier` is another operation's or workgroup's. `ordered`: an operation known to come before;
  /// is set to another one that does.
  bool conflicts(RaceMark earlier, RaceMark mine, const Acquired &acquired, uint32_t &ordered);
  void accessCell(const MemoryBlock &block, uint64_t at, RaceMark mine, Access access,
                  const Acquired &acquired, uint32_t &ordered);
  bool isOrdered(uint32_t earlier);
  /// Whether this operation, or one that nothing orders before it, has changed the word atomically.
  bool isChangedBeside(const MemoryBlock &block, uint64_t at);
  /// What stands for the readers of an address once this operation has read it too.
  RaceMark withReader(RaceMark earlier, RaceMark mine, std::atomic<uint64_t> &second);
  /// The mark of one reader that nothing orders before this operation.
  RaceMark one(RaceMark readers) const;
  /// Also of readers in this launch: the mark of one that is not the workgroup of `mine`.
  RaceMark one(RaceMark readers, RaceMark mine, RaceMark second) const;
  /// Also of atomic operations and readers: whether it is no race since one of them, as compilers
  /// make it, reads what it is about to compare and swap.
  bool mayPrecedeSwap(RaceMark reader) const;
  void report(RaceMark earlier, RaceMark mine, uint64_t address, Access access, Access before);
  /// `where`: whose line the finding gets.
  void add(const OperationRecord &where, uint32_t pc, std::string message);
  std::string placeOf(RaceMark mark, const OperationRecord &record) const;
  std::string describe(RaceMark mark, const OperationRecord &record) const;

  OperationLog &log;
  Findings &findings;
  const Operation &operation;
  OperationRecord self;
  uint32_t number;
  // Whether other operations come before this one, as far as it was asked: number * 2 + answer.
  std::array<std::atomic<uint32_t>, 256> answers = {};
  std::atomic<uint32_t> mySet = 0; // of several readers, this operation among them: met last
};

} // namespace tl::emu
