#include "emu/checks/checks.h"

#include "emu/findings.h"
#include "emu/line_table.h"
#include "support/result.h"

namespace tl::emu {
namespace {

void report(Wave &w, const MicroOp &op, const char *kind, const std::string &what) {
  Finding finding;
  finding.kind = kind;
  finding.kernel = w.launch->record->info.name;
  finding.pc = op.pc;
  if (w.launch->lines) {
    SourceLine line = w.launch->lines->find(op.pc);
    finding.file = line.file;
    finding.line = line.line;
  }
  finding.message = w.launch->place(op) + ": " + what;
  w.launch->findings->add(std::move(finding));
}

std::string laneText(const Wave &w, int lane) {
  std::string text = formatString("workgroup (%u, %u, %u), wave %u", w.group->id[0], w.group->id[1],
                                  w.group->id[2], w.number);
  return lane < 0 ? text : text + formatString(", lane %d", lane);
}

} // namespace

void checkInstruction(Wave &, const MicroOp &) {}

void checkBarrierPassed(Workgroup &) {}

void checkGlobalRead(Wave &w, const MicroOp &op, const uint8_t *shadow, uint64_t address,
                     unsigned bytes, int lane) {
  unsigned at = 0;
  for (; at + 8 <= bytes; at += 8) {
    uint64_t eight;
    std::memcpy(&eight, shadow + at, 8);
    if ((eight & 0x0101010101010101) != 0x0101010101010101)
      break;
  }
  while (at < bytes && shadow[at] & ShadowWritten)
    ++at;
  if (at == bytes)
    return;
  report(w, op, "uninitialized-read",
         laneText(w, lane) +
             formatString(" reads the byte at 0x%llx, which nothing has written: ",
                          static_cast<unsigned long long>(address + at)) +
             w.launch->space->describe(address + at));
}

void checkLds(Wave &w, const MicroOp &op, const LaneMemory &memory, unsigned bytes, Access access) {
  if (memory.outside)
    report(w, op, "lds-out-of-bounds",
           laneText(w, __builtin_ctzll(memory.outside)) +
               formatString(" %s %u bytes outside of the workgroup's %u bytes of LDS",
                            access == Access::Read ? "reads" : "writes", bytes, w.group->ldsBytes));
}

} // namespace tl::emu
