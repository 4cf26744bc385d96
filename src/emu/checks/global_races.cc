#include "emu/checks/global_races.h"

#include "emu/demangle.h"
#include "emu/findings.h"
#include "support/result.h"

#include <algorithm>

namespace tl::emu {

RaceChecker::RaceChecker(OperationLog &log, Findings &findings, const Operation &operation)
    : RaceChecker(log, findings, operation, {.name = operation.name, .lines = nullptr}) {}

RaceChecker::RaceChecker(OperationLog &log, Findings &findings, const Operation &operation,
                         OperationRecord launch)
    : log(log), findings(findings), operation(operation), self(std::move(launch)) {
  self.stream = operation.stream;
  self.sequence = operation.sequence;
  number = log.add(self);
}

RaceChecker::~RaceChecker() { log.end(number); }

bool RaceChecker::isOrdered(uint32_t earlier) {
  // Numbers are not given to other operations while this one runs.
  std::atomic<uint32_t> &answer = answers[earlier % answers.size()];
  uint32_t known = answer.load(std::memory_order_relaxed);
  if (known >> 1 != earlier) {
    known = earlier << 1 | uint32_t(log.isOrdered(earlier, operation));
    answer.store(known, std::memory_order_relaxed);
  }
  return known & 1;
}

bool RaceChecker::conflicts(RaceMark earlier, RaceMark mine, const Acquired &acquired,
                            uint32_t &ordered) {
  if (!(earlier.bytes() & mine.bytes()))
    return false;
  if (earlier.operation() == number) // another workgroup
    return !acquired.launch;
  if (!isOrdered(earlier.operation()))
    return acquired.operations.empty() ||
           !log.areAmong(acquired.operations, earlier.operation(), operation);
  ordered = earlier.operation();
  return false;
}

bool RaceChecker::isChangedBeside(const MemoryBlock &block, uint64_t at) {
  const RaceMark changer{block.atomics[at / 4].load(std::memory_order_relaxed)};
  return changer.bits && (changer.operation() == number || !isOrdered(changer.operation()));
}

/// Several workgroups or operations are said to have read only what each of them did: a workgroup
/// may write its own half of four bytes whose other half another one reads. What cannot be kept is
/// forgotten.
RaceMark RaceChecker::withReader(RaceMark earlier, RaceMark mine, std::atomic<uint64_t> &second) {
  uint32_t both = earlier.bytes() & mine.bytes();
  if (!earlier.bits)
    return mine;
  if (earlier.operation() == number) {
    if (earlier.several())
      return earlier;
    if (earlier.sameGroup(mine))
      return mine.withBytes(mine.bytes() | earlier.bytes());
    if (!both)
      return mine;
    second.store(mine.bits, std::memory_order_relaxed);
    return earlier.withBytes(both).ofSeveral();
  }
  if (earlier.operation() == mySet.load(std::memory_order_relaxed))
    return earlier;
  if (!both || isOrdered(earlier.operation()))
    return mine;
  if (log.isReaderOf(earlier.operation(), number)) {
    mySet.store(earlier.operation(), std::memory_order_relaxed);
    return earlier;
  }
  uint32_t set = log.addReader({earlier.operation(), earlier.pc()}, {number, mine.pc()}, operation);
  if (!set) // more is known of the others
    return earlier;
  mySet.store(set, std::memory_order_relaxed);
  return RaceMark::make(set, 0, 0, both).ofSeveral();
}

RaceMark RaceChecker::one(RaceMark readers) const {
  Reader reader = log.unordered({readers.operation(), readers.pc()}, operation);
  if (reader.operation == readers.operation())
    return readers;
  return RaceMark::make(reader.operation, 0, reader.pc, readers.bytes());
}

RaceMark RaceChecker::one(RaceMark readers, RaceMark mine, RaceMark second) const {
  if (readers.operation() != number)
    return one(readers);
  if (!readers.sameGroup(mine))
    return readers;
  // Other operations and workgroups may have read meanwhile: then the place is not known.
  return second.operation() == number && !second.sameGroup(mine) ? second
                                                                 : RaceMark{mine.bits}.withPc(0);
}

void RaceChecker::access(const MemoryBlock &block, uint64_t address, uint64_t bytes, Access access,
                         uint64_t group, uint32_t pc, const Acquired &acquired) {
  if (!number || !block.races || bytes == 0)
    return;
  uint64_t start = address - block.address, end = start + bytes;
  if (start < block.racesFrom || end > block.racesTo)
    return;
  const RaceMark whole = RaceMark::make(number, group, pc, 15);
  if (access == Access::Atomic)
    block.hasAtomics.store(true, std::memory_order_relaxed);
  // A lock may be given back by an atomic store, though its instruction does not say that it is
  // one.
  const bool givesBack = access == Access::Write && self.plainAtomicStores && acquired.launch &&
                         block.hasAtomics.load(std::memory_order_relaxed);
  uint32_t ordered = 0; // an operation that comes before: neighbours mostly have the same
  for (uint64_t at = start & ~uint64_t(3); at < end; at += 4) {
    uint32_t mask = 15;
    if (at < start)
      mask &= 15u << (start - at);
    if (at + 4 > end)
      mask &= 15u >> (at + 4 - end);
    accessCell(block, at, whole.withBytes(mask),
               givesBack && isChangedBeside(block, at) ? Access::Atomic : access, acquired,
               ordered);
  }
}

inline void RaceChecker::accessCell(const MemoryBlock &block, uint64_t at, RaceMark mine,
                                    Access access, const Acquired &acquired, uint32_t &ordered) {
  auto races = [&](RaceMark earlier) {
    return earlier.bits && earlier.operation() != ordered &&
           (!earlier.sameGroup(mine) || earlier.several()) &&
           conflicts(earlier, mine, acquired, ordered);
  };
  const uint64_t address = block.address + at;
  RaceCell &cell = block.races[at / 4];
  std::atomic<uint64_t> &second = block.secondReaders[at / 4];
  RaceMark writer{cell.writer.load(std::memory_order_relaxed)},
      reader{cell.reader.load(std::memory_order_acquire)};
  if (races(writer))
    report(writer, mine, address, access, Access::Write);
  if (access != Access::Read && races(reader) &&
      !(access == Access::Atomic && mayPrecedeSwap(reader)))
    report(one(reader, mine, {second.load(std::memory_order_relaxed)}), mine, address, access,
           Access::Read);
  if (access != Access::Atomic && block.hasAtomics.load(std::memory_order_relaxed)) {
    RaceMark changer{block.atomics[at / 4].load(std::memory_order_relaxed)};
    if (!(access == Access::Read && self.swaps) && races(changer))
      report(one(changer, mine, {}), mine, address, access, Access::Atomic);
  }
  if (access == Access::Write) {
    // A workgroup may write a word in parts.
    const bool more = writer.sameGroup(mine);
    cell.writer.store(more ? mine.withBytes(mine.bytes() | writer.bytes()).bits : mine.bits,
                      std::memory_order_relaxed);
  } else if (access == Access::Atomic) {
    std::atomic<uint64_t> &changer = block.atomics[at / 4], unused;
    const uint64_t known = changer.load(std::memory_order_relaxed);
    if (const uint64_t all = withReader({known}, mine, unused).bits; all != known)
      changer.store(all, std::memory_order_relaxed);
  } else if (reader.bits != mine.bits) { // else read before by the same instruction
    uint64_t all = withReader(reader, mine, second).bits;
    if (all != reader.bits) // often read again: lines stay shared between workers
      cell.reader.store(all, std::memory_order_release); // behind the second reader
  }
}

bool RaceChecker::mayPrecedeSwap(RaceMark reader) const {
  return reader.operation() == number ? self.swaps : log.find(one(reader).operation()).swaps;
}

void RaceChecker::meet(const MemoryBlock &block, uint64_t address, uint64_t bytes,
                       Acquired &acquired) {
  if (!number || !block.races)
    return;
  const uint64_t start = (address - block.address) / 4,
                 end = (address - block.address + bytes + 3) / 4;
  for (uint64_t i = start; i < end; ++i)
    // Atomic stores may look like any others (OperationRecord::plainAtomicStores).
    for (const std::atomic<uint64_t> *word : {&block.atomics[i], &block.races[i].writer}) {
      const RaceMark mark{word->load(std::memory_order_relaxed)};
      if (!mark.bits || mark.operation() == number || isOrdered(mark.operation()))
        continue;
      std::vector<uint32_t> &seen = acquired.seen;
      if (std::find(seen.begin(), seen.end(), mark.operation()) == seen.end())
        seen.push_back(mark.operation());
    }
}

std::string RaceChecker::placeOf(RaceMark mark, const OperationRecord &record) const {
  SourceLine line = record.lines ? record.lines->find(mark.pc()) : SourceLine();
  return line.line ? line.text() : formatString("0x%x", mark.pc());
}

std::string RaceChecker::describe(RaceMark mark, const OperationRecord &record) const {
  std::string text = record.name.empty() ? "an operation" : demangle(record.name);
  if (record.lines)
    text += " at " + placeOf(mark, record);
  if (record.sequence)
    text += formatString(" (stream %u, operation %llu)", record.stream,
                         static_cast<unsigned long long>(record.sequence));
  return text;
}

void RaceChecker::add(const OperationRecord &where, uint32_t pc, std::string message) {
  Finding finding;
  finding.kind = "global-race";
  finding.device = where.device;
  finding.kernel = where.name;
  finding.pc = pc;
  if (where.lines)
    finding.source = where.lines->find(pc);
  finding.message = std::move(message) + ": nothing orders the two";
  findings.add(std::move(finding));
}

void RaceChecker::report(RaceMark earlier, RaceMark mine, uint64_t address, Access access,
                         Access before) {
  static const char *const now[] = {" reads", " writes", " changes"}, *const then[] = {" read",
                                                                                       " wrote",
                                                                                       " changed"};
  bool within = earlier.operation() == number;
  OperationRecord other = within ? self : log.find(earlier.operation());
  add(self, mine.pc(),
      describe(mine, self) + now[unsigned(access)] +
          formatString(" 0x%llx, which ", static_cast<unsigned long long>(address)) +
          (within ? "another workgroup of it" : describe(earlier, other)) + then[unsigned(before)] +
          (within && earlier.pc() ? " at " + placeOf(earlier, self) : std::string()));
}

void RaceChecker::release(const MemoryBlock &block) {
  if (!number || !block.races)
    return;
  for (uint64_t at = 0; at < block.bytes; at += 4) {
    const RaceCell &cell = block.races[at / 4];
    RaceMark writer{cell.writer.load(std::memory_order_relaxed)},
        reader{cell.reader.load(std::memory_order_relaxed)}, changer;
    if (block.hasAtomics)
      changer.bits = block.atomics[at / 4].load(std::memory_order_relaxed);
    for (RaceMark mark : {writer, reader, changer}) {
      if (!mark.bits || isOrdered(mark.operation()))
        continue;
      // The line is that of the use: the release has none.
      const char *did = mark.bits == writer.bits   ? " wrote"
                        : mark.bits == reader.bits ? " read"
                                                   : " changed";
      mark = one(mark);
      OperationRecord user = log.find(mark.operation());
      return add(user, mark.pc(),
                 formatString("%s releases the allocation 0x%llx, whose byte %llu ",
                              describe(RaceMark(), self).c_str(),
                              static_cast<unsigned long long>(block.address),
                              static_cast<unsigned long long>(at)) +
                     describe(mark, user) + did);
    }
  }
}

void RaceChecker::useReleased(const MemoryBlock &block, uint64_t address, bool write, uint32_t pc) {
  uint32_t released = block.releasedBy;
  if (!number || !released || isOrdered(released))
    return;
  add(self, pc,
      describe(RaceMark::make(number, 0, pc, 0), self) + (write ? " writes 0x" : " reads 0x") +
          formatString("%llx, which ", static_cast<unsigned long long>(address)) +
          describe(RaceMark(), log.find(released)) + " releases");
}

} // namespace tl::emu
