#include "emu/checks/global_races.h"

#include "emu/findings.h"
#include "support/result.h"

namespace tl::emu {

RaceChecker::RaceChecker(OperationLog &log, Findings &findings, const Operation &operation,
                         const std::string &name, std::shared_ptr<const LineTable> lines)
    : log(log), findings(findings), operation(operation),
      self{operation.stream, operation.sequence, name, lines},
      number(log.add(operation, name, std::move(lines))), order(number + 1) {}

bool RaceChecker::isOrdered(uint32_t earlier) {
  // Operations that were added later run at the same time; the one that comes second asks.
  if (earlier >= order.size())
    return log.isOrdered(earlier, operation);
  uint8_t known = order[earlier].load(std::memory_order_relaxed);
  if (!known) {
    known = log.isOrdered(earlier, operation) ? 1 : 2;
    order[earlier].store(known, std::memory_order_relaxed);
  }
  return known == 1;
}

bool RaceChecker::conflicts(RaceMark earlier, RaceMark mine, bool synchronized, uint32_t &ordered) {
  if (!(earlier.bytes() & mine.bytes()))
    return false;
  if (earlier.operation() == number) // another workgroup
    return !synchronized;
  if (!isOrdered(earlier.operation()))
    return true;
  ordered = earlier.operation();
  return false;
}

/// Several workgroups or operations are said to have read only what each of them did: a workgroup
/// may write its own half of four bytes whose other half another one reads. What cannot be kept is
/// forgotten.
RaceMark RaceChecker::withReader(RaceMark earlier, RaceMark mine) {
  uint32_t both = earlier.bytes() & mine.bytes();
  if (!earlier.bits)
    return mine;
  if (earlier.operation() == number) {
    if (earlier.group() == mine.group())
      return mine.withBytes(mine.bytes() | earlier.bytes());
    if (earlier.group() == RaceMark::kSeveral)
      return earlier;
    return both ? mine.withBytes(both).ofSeveral() : mine;
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
  if (!set)
    return mine;
  mySet.store(set, std::memory_order_relaxed);
  return RaceMark::make(set, 0, 0, both).ofSeveral();
}

RaceMark RaceChecker::one(RaceMark readers) const {
  Reader reader = log.unordered({readers.operation(), readers.pc()}, operation);
  if (reader.operation == readers.operation())
    return readers;
  return RaceMark::make(reader.operation, 0, reader.pc, readers.bytes());
}

void RaceChecker::access(const MemoryBlock &block, uint64_t address, uint64_t bytes, bool write,
                         uint64_t group, uint32_t pc, bool synchronized) {
  if (!number || !block.races || bytes == 0)
    return;
  uint64_t start = address - block.address, end = start + bytes;
  const RaceMark whole = RaceMark::make(number, group, pc, 15);
  uint32_t ordered = 0; // an operation that comes before: neighbours mostly have the same
  auto mayConflict = [&](RaceMark earlier) {
    return earlier.bits && earlier.operation() != ordered && !earlier.sameGroup(whole);
  };
  for (uint64_t at = start & ~uint64_t(3); at < end; at += 4) {
    uint32_t mask = 15;
    if (at < start)
      mask &= 15u << (start - at);
    if (at + 4 > end)
      mask &= 15u >> (at + 4 - end);
    RaceCell &cell = block.races[at / 4];
    RaceMark mine = whole.withBytes(mask);
    RaceMark writer{cell.writer.load(std::memory_order_relaxed)},
        reader{cell.reader.load(std::memory_order_relaxed)};
    if (mayConflict(writer) && conflicts(writer, mine, synchronized, ordered))
      report(writer, mine, block.address + at, write, true);
    if (write) {
      if (mayConflict(reader) && conflicts(reader, mine, synchronized, ordered))
        report(one(reader), mine, block.address + at, write, false);
      cell.writer.store(mine.bits, std::memory_order_relaxed);
    } else if (reader.bits != mine.bits) { // else read before by the same instruction
      uint64_t all = withReader(reader, mine).bits;
      if (all != reader.bits) // often read again: lines stay shared between workers
        cell.reader.store(all, std::memory_order_relaxed);
    }
  }
}

std::string RaceChecker::describe(RaceMark mark, const OperationRecord &record) const {
  std::string text = record.name.empty() ? "an operation" : record.name;
  if (record.lines) {
    SourceLine line = record.lines->find(mark.pc());
    text += line.line ? " at " + line.text() : formatString(" at 0x%x", mark.pc());
  }
  if (record.sequence)
    text += formatString(" (stream %u, operation %llu)", record.stream,
                         static_cast<unsigned long long>(record.sequence));
  return text;
}

void RaceChecker::add(const OperationRecord &where, uint32_t pc, std::string message) {
  Finding finding;
  finding.kind = "global-race";
  finding.kernel = where.name;
  finding.pc = pc;
  if (where.lines) {
    SourceLine line = where.lines->find(pc);
    finding.file = line.file;
    finding.line = line.line;
  }
  finding.message = std::move(message) + ": nothing orders the two";
  findings.add(std::move(finding));
}

void RaceChecker::report(RaceMark earlier, RaceMark mine, uint64_t address, bool write,
                         bool earlierWrote) {
  bool within = earlier.operation() == number;
  OperationRecord other = within ? self : log.find(earlier.operation());
  add(self, mine.pc(),
      describe(mine, self) + (write ? " writes 0x" : " reads 0x") +
          formatString("%llx, which ", static_cast<unsigned long long>(address)) +
          (!within                                 ? describe(earlier, other)
           : earlier.group() == RaceMark::kSeveral ? "workgroups of it"
                                                   : "another workgroup of it") +
          (earlierWrote ? " wrote" : " read") +
          (within && self.lines ? (earlier.group() == RaceMark::kSeveral ? ", last at " : " at ") +
                                      self.lines->find(earlier.pc()).text()
                                : std::string()));
}

void RaceChecker::release(const MemoryBlock &block) {
  if (!number || !block.races)
    return;
  for (uint64_t at = 0; at < block.bytes; at += 4) {
    const RaceCell &cell = block.races[at / 4];
    RaceMark writer{cell.writer.load(std::memory_order_relaxed)},
        reader{cell.reader.load(std::memory_order_relaxed)};
    for (RaceMark mark : {writer, reader}) {
      if (!mark.bits || isOrdered(mark.operation()))
        continue;
      // The line is that of the use: the release has none.
      mark = one(mark);
      OperationRecord user = log.find(mark.operation());
      return add(user, mark.pc(),
                 formatString("%s releases the allocation 0x%llx, whose byte %llu ",
                              describe(RaceMark(), self).c_str(),
                              static_cast<unsigned long long>(block.address),
                              static_cast<unsigned long long>(at)) +
                     describe(mark, user) + (mark.bits == writer.bits ? " wrote" : " read"));
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
