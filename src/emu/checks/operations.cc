#include "emu/checks/operations.h"

#include "emu/findings.h"
#include "emu/memory.h"
#include "support/result.h"

#include <algorithm>

namespace tl::emu {

namespace {

/// Calls `visit` for each word of a block that holds a mark.
template <class F> void forEachMark(const MemoryBlock &block, F visit) {
  if (!block.live || !block.races)
    return;
  const uint64_t cells = (block.bytes + 3) / 4;
  for (uint64_t i = 0; i < cells; ++i) {
    visit(block.races[i].writer);
    visit(block.races[i].reader);
  }
  for (uint64_t i = 0; block.hasAtomics && i < cells; ++i)
    visit(block.atomics[i]);
}

} // namespace

uint32_t OperationLog::add(OperationRecord operation) {
  std::lock_guard guard(lock);
  if (active == 0 && records.size() - spare.size() >= reclaimAt)
    reclaim();
  uint32_t number = take({std::move(operation), {}});
  active += number != 0;
  if (!number)
    sayTooMany();
  return number;
}

void OperationLog::sayTooMany() {
  findings.notChecked(formatString(
      "races of operations that ran while %zu others were remembered and some ran", most));
}

void OperationLog::end(uint32_t number) {
  std::lock_guard guard(lock);
  active -= number != 0;
}

/// The lock is held, here and below.
uint32_t OperationLog::take(Record record) {
  record.age = ++ages;
  if (spare.empty()) {
    if (records.size() == most)
      return 0;
    records.push_back(std::move(record));
    return uint32_t(records.size());
  }
  uint32_t number = spare.back();
  spare.pop_back();
  records[number - 1] = std::move(record);
  return number;
}

/// Nothing runs: numbers are in marks, in sets of readers that marks name, and nowhere else.
void OperationLog::reclaim() {
  std::vector<bool> named(records.size() + 1);
  space.forEachBlock([&](MemoryBlock &block) {
    named[block.releasedBy] = true;
    uint32_t last = 0; // neighbours mostly have the same
    forEachMark(block, [&](const std::atomic<uint64_t> &word) {
      RaceMark mark{word.load(std::memory_order_relaxed)};
      if (mark.bits && mark.operation() != last)
        named[last = mark.operation()] = true;
    });
  });
  for (size_t i = 0; i < records.size(); ++i)
    for (const Reader &reader : records[i].readers)
      if (named[i + 1])
        named[reader.operation] = true;
  if (size_t(std::count(named.begin(), named.end(), true)) > most / 4 * 3)
    forgetOldest(named);
  free(named);
  reclaimAt = std::clamp(2 * (records.size() - spare.size()), std::min(kReclaim, latestReclaim()),
                         latestReclaim());
}

/// Half of them, with their marks.
void OperationLog::forgetOldest(std::vector<bool> &named) {
  std::vector<uint64_t> known;
  for (size_t i = 0; i < records.size(); ++i)
    if (named[i + 1])
      known.push_back(records[i].age);
  std::nth_element(known.begin(), known.begin() + ptrdiff_t(known.size() / 2), known.end());
  const uint64_t first = known[known.size() / 2];
  auto isOld = [&](uint32_t number) {
    const Record &record = records[number - 1];
    return record.age < first ||
           std::any_of(
               record.readers.begin(), record.readers.end(),
               [&](const Reader &reader) { return records[reader.operation - 1].age < first; });
  };
  uint64_t forgotten = 0;
  for (uint32_t number = 1; number <= records.size(); ++number)
    if (named[number] && isOld(number))
      named[number] = false, ++forgotten;
  named[0] = true; // of no operation
  space.forEachBlock([&](MemoryBlock &block) {
    if (!named[block.releasedBy])
      block.releasedBy = 0;
    forEachMark(block, [&](std::atomic<uint64_t> &word) {
      RaceMark mark{word.load(std::memory_order_relaxed)};
      if (mark.bits && !named[mark.operation()])
        word.store(0, std::memory_order_relaxed);
    });
  });
  findings.notChecked(formatString("races of new operations with the oldest ones: more than %zu "
                                   "to remember",
                                   most),
                      forgotten);
}

void OperationLog::free(const std::vector<bool> &named) {
  spare.clear();
  for (size_t i = records.size(); i-- > 0;) { // small numbers first
    if (named[i + 1])
      continue;
    if (!records[i].readers.empty())
      readerSets.erase(records[i].readers);
    records[i] = {};
    spare.push_back(uint32_t(i + 1));
  }
}

OperationRecord OperationLog::find(uint32_t number) const {
  std::lock_guard guard(lock);
  if (!number || number > records.size())
    return {};
  return records[number - 1];
}

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
  constexpr size_t mostReaders = 32;
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
  if (all.size() > mostReaders) {
    findings.notChecked(formatString("races with readers of an address that has more than %zu that "
                                     "nothing orders",
                                     mostReaders));
    return 0;
  }
  const uint32_t number = take({{}, all});
  if (number)
    readerSets[all] = number;
  else
    sayTooMany();
  return number;
}

bool OperationLog::isReaderOf(uint32_t number, uint32_t operation) const {
  std::lock_guard guard(lock);
  return isReader(number, operation);
}

bool OperationLog::areAmong(const std::vector<uint32_t> &operations, uint32_t number,
                            const Operation &later) const {
  std::lock_guard guard(lock);
  auto isAmong = [&](uint32_t operation) {
    return ordered(operation, later) ||
           std::any_of(operations.begin(), operations.end(), [&](uint32_t known) {
             return known == operation || isReader(known, operation);
           });
  };
  if (!number || number > records.size() || records[number - 1].readers.empty())
    return isAmong(number);
  const std::vector<Reader> &readers = records[number - 1].readers;
  return std::all_of(readers.begin(), readers.end(),
                     [&](const Reader &reader) { return isAmong(reader.operation); });
}

bool OperationLog::isReader(uint32_t number, uint32_t operation) const {
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
