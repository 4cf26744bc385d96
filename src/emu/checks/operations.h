// The operations that touched device memory, and which of them are ordered.
#pragma once

#include "emu/emulator.h"
#include "emu/line_table.h"

#include <deque>
#include <mutex>

namespace tl::emu {

/// What is remembered of an operation once others may meet its traces.
struct OperationRecord {
  uint32_t stream = 0;
  uint64_t sequence = 0;
  std::string name;
  std::shared_ptr<const LineTable> lines; // of a launch's kernel
};

class OperationLog {
public:
  /// Numbers from 1; 0 when there are too many to tell apart: such an operation is not tracked.
  uint32_t add(const Operation &operation, const std::string &name,
               std::shared_ptr<const LineTable> lines);
  OperationRecord find(uint32_t number) const;
  /// Whether an operation of the log is finished before another starts, by the order of streams.
  bool isOrdered(uint32_t earlier, const Operation &later) const;

private:
  mutable std::mutex lock;
  std::deque<OperationRecord> records;
};

} // namespace tl::emu
