// The operations that touched device memory, and which of them are ordered.
#pragma once

#include "emu/checks/race_cell.h"
#include "emu/emulator.h"
#include "emu/line_table.h"

#include <algorithm>
#include <deque>
#include <map>
#include <mutex>
#include <vector>

namespace tl::emu {

class AddressSpace;
class Findings;

/// What is remembered of an operation once others may meet its traces.
struct OperationRecord {
  uint32_t stream = 0;
  uint64_t sequence = 0;
  std::string name;
  int32_t device = -1;                    // of a launch's kernel
  std::shared_ptr<const LineTable> lines; // of that kernel
  bool swaps = false;                     // its code compares and swaps
  bool plainAtomicStores = false;         // atomic stores of its chip look like any others
};

/// An operation that read an address, and its instruction.
struct Reader {
  uint32_t operation = 0;
  uint32_t pc = 0;
  auto operator<=>(const Reader &) const = default;
};

/// Operations have numbers, which the marks in `space` name. While none runs, the numbers that no
/// mark names any more are taken back; when that leaves too few, the oldest operations are
/// forgotten, and the report says so.
class OperationLog {
public:
  /// `most`: so many numbers there are; fewer than marks can hold for tests.
  OperationLog(const AddressSpace &space, Findings &findings,
               uint32_t most = RaceCell::kOperations - 1)
      : space(space), findings(findings), most(most),
        reclaimAt(std::min(kReclaim, latestReclaim())) {}

  /// An operation begins. Numbers from 1; 0 when there are too many to tell apart: such an
  /// operation is not tracked, and the report says so.
  uint32_t add(OperationRecord operation);
  /// It has left its last mark.
  void end(uint32_t number);
  OperationRecord find(uint32_t number) const;
  /// Whether an operation of the log is finished before another starts, by the order of streams; of
  /// several readers, whether all are.
  bool isOrdered(uint32_t earlier, const Operation &later) const;

  /// A number that stands for the readers of `earlier` (an operation, with its instruction, or a
  /// number that this gave) that nothing orders before `later`, and a new one. 0 when there are too
  /// many to keep.
  uint32_t addReader(Reader earlier, Reader added, const Operation &later);
  /// Whether an operation, or each of several readers, is among `operations` (or sets of readers
  /// there), if nothing orders it before `later`.
  bool areAmong(const std::vector<uint32_t> &operations, uint32_t number,
                const Operation &later) const;
  /// Whether `number` stands for several readers, and the operation is one of them.
  bool isReaderOf(uint32_t number, uint32_t operation) const;
  /// The first of those readers that nothing orders before `later`; an operation is its only one.
  Reader unordered(Reader readers, const Operation &later) const;

private:
  struct Record : OperationRecord {
    std::vector<Reader> readers; // of a number that stands for several
    uint64_t age = 0;            // in the order of their beginnings; 0: the number is free
  };
  const AddressSpace &space;
  Findings &findings;
  mutable std::mutex lock;
  std::deque<Record> records; // by number, less one
  std::vector<uint32_t> spare;
  std::map<std::vector<Reader>, uint32_t> readerSets;
  uint64_t ages = 0, active = 0;
  const size_t most;
  size_t reclaimAt; // so many numbers in use
  static constexpr size_t kReclaim = 1 << 16;
  /// Early enough that operations that run and their readers find numbers.
  size_t latestReclaim() const { return most / 8 * 7; }
  void sayTooMany();

  bool ordered(uint32_t earlier, const Operation &later) const;
  bool isReader(uint32_t number, uint32_t operation) const;
  uint32_t take(Record record);
  void reclaim();
  void forgetOldest(std::vector<bool> &named);
  void free(const std::vector<bool> &named);
};

} // namespace tl::emu
