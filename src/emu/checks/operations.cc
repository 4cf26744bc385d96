#include "emu/checks/operations.h"

#include "emu/checks/race_cell.h"

namespace tl::emu {

uint32_t OperationLog::add(const Operation &operation, const std::string &name,
                           std::shared_ptr<const LineTable> lines) {
  std::lock_guard guard(lock);
  if (records.size() + 1 >= RaceCell::kOperations)
    return 0;
  records.push_back({operation.stream, operation.sequence, name, std::move(lines)});
  return uint32_t(records.size());
}

OperationRecord OperationLog::find(uint32_t number) const {
  std::lock_guard guard(lock);
  return number && number <= records.size() ? records[number - 1] : OperationRecord();
}

bool OperationLog::isOrdered(uint32_t earlier, const Operation &later) const {
  std::lock_guard guard(lock);
  if (!earlier || earlier > records.size() || later.sequence == 0)
    return true;
  const OperationRecord &record = records[earlier - 1];
  // A stream runs its operations one after the other.
  if (record.sequence == 0 || record.stream == later.stream)
    return true;
  return record.stream < later.clock.size() && later.clock[record.stream] >= record.sequence;
}

} // namespace tl::emu
