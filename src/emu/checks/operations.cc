#include "emu/checks/operations.h"

#include "emu/checks/race_cell.h"

#include <algorithm>

namespace tl::emu {

uint32_t OperationLog::add(const Operation &operation, const std::string &name,
                           std::shared_ptr<const LineTable> lines) {
  std::lock_guard guard(lock);
  if (records.size() + 1 >= RaceCell::kOperations)
    return 0;
  records.push_back({{operation.stream, operation.sequence, name, std::move(lines)}, {}});
  return uint32_t(records.size());
}

OperationRecord OperationLog::find(uint32_t number) const {
  std::lock_guard guard(lock);
  if (!number || number > records.size())
    return {};
  return records[number - 1];
}

/// The lock is held.
bool OperationLog::ordered(uint32_t earlier, const Operation &later) const {
  if (!earlier || earlier > records.size() || later.sequence == 0)
    return true;
  const Record &record = records[earlier - 1];
  for (const Reader &reader : record.readers)
    if (!ordered(reader.operation, later)) // an operation: sets hold no sets
      return false;
  // A stream runs its operations one after the other.
  if (!record.readers.empty() || record.sequence == 0 || record.stream == later.stream)
    return true;
  return record.stream < later.clock.size() && later.clock[record.stream] >= record.sequence;
}

bool OperationLog::isOrdered(uint32_t earlier, const Operation &later) const {
  std::lock_guard guard(lock);
  return ordered(earlier, later);
}

uint32_t OperationLog::addReader(Reader earlier, Reader added, const Operation &later) {
  constexpr size_t most = 8;
  std::lock_guard guard(lock);
  std::vector<Reader> all = {added};
  if (earlier.operation && earlier.operation <= records.size()) {
    const std::vector<Reader> &several = records[earlier.operation - 1].readers;
    for (const Reader &reader : several.empty() ? std::vector<Reader>{earlier} : several)
      if (!ordered(reader.operation, later))
        all.push_back(reader);
  }
  std::sort(all.begin(), all.end());
  auto known = readerSets.find(all);
  if (known != readerSets.end())
    return known->second;
  if (all.size() > most || records.size() + 1 >= RaceCell::kOperations)
    return 0;
  records.push_back({{}, all});
  return readerSets[all] = uint32_t(records.size());
}

bool OperationLog::isReaderOf(uint32_t number, uint32_t operation) const {
  std::lock_guard guard(lock);
  if (!number || number > records.size())
    return false;
  for (const Reader &reader : records[number - 1].readers)
    if (reader.operation == operation)
      return true;
  return false;
}

Reader OperationLog::unordered(Reader readers, const Operation &later) const {
  std::lock_guard guard(lock);
  if (readers.operation && readers.operation <= records.size())
    for (const Reader &reader : records[readers.operation - 1].readers)
      if (!ordered(reader.operation, later))
        return reader;
  return readers;
}

} // namespace tl::emu
