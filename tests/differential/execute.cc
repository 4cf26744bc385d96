#include "differential/execute.h"

#include "graph/canonical.h"

#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

namespace tl::test {

Memory::Memory(const Case &c, bool guardEnd) : c(c) {
  size_t page = size_t(sysconf(_SC_PAGESIZE));
  for (const std::vector<uint8_t> &bytes : c.buffers) {
    size_t room = (bytes.size() + page - 1) / page * page;
    void *base = mmap(nullptr, room + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED || mprotect(static_cast<uint8_t *>(base) + page, std::max(room, page),
                                       PROT_READ | PROT_WRITE) != 0)
      std::abort();
    uint8_t *data = static_cast<uint8_t *>(base) + page + (guardEnd ? room - bytes.size() : 0);
    std::memcpy(data, bytes.data(), bytes.size());
    mappings.push_back({base, room + 2 * page, data});
  }
}

Memory::~Memory() {
  for (const Mapping &m : mappings)
    munmap(m.base, m.bytes);
}

void *Memory::pointer(size_t i) const {
  const CaseArg &arg = c.args[i];
  return arg.buffer < 0 ? nullptr : mappings[size_t(arg.buffer)].data + arg.offset;
}

std::vector<InterpArg> Memory::interpArgs() const {
  std::vector<InterpArg> list(c.args.size());
  for (size_t i = 0; i < list.size(); ++i) {
    const CaseArg &arg = c.args[i];
    list[i].data = pointer(i);
    list[i].scalar = arg.scalar;
    list[i].extents = arg.extents;
    list[i].strides = arg.strides;
    if (arg.buffer >= 0 && arg.sizeKnown)
      list[i].bytes = c.buffers[size_t(arg.buffer)].size() - arg.offset;
  }
  return list;
}

static Outcome failed(const char *who, const Error &error) {
  Outcome outcome;
  outcome.text = std::string(who) + ": " + error.message;
  for (const Diagnostic &d : error.diagnostics)
    outcome.text += "\n  " + d.pass + ": " + d.text;
  return outcome;
}

Outcome check(const Case &c, Device &device) {
  Memory reference(c, true), actual(c, c.seed % 2 == 0);
  std::vector<InterpArg> args = reference.interpArgs();
  InterpOptions options;
  options.maxSteps = 200'000'000;
  auto report = interpret(c.graph, args, options);
  if (!report.ok())
    return failed("interp", report.error());
  Outcome outcome;
  Status ran =
      device.run(c, canonicalize(c.graph), actual, report->grid, &outcome.buildMilliseconds);
  if (!ran.ok())
    return failed("device", ran.error());
  std::vector<const void *> pointers;
  for (size_t i = 0; i < args.size(); ++i)
    pointers.push_back(actual.pointer(i));
  auto found = compareOutputs(c.graph, *report, args, pointers);
  if (!found.ok())
    return failed("comparison", found.error());
  outcome.inexact = found->inexact;
  outcome.undecided = found->undecided;
  outcome.written = found->written;
  outcome.text = found->text(c.graph);
  // What is decided must agree even where too much is not.
  bool comparable = report->undecidedControl == 0;
  outcome.verdict = comparable && found->mismatches ? Verdict::Differ
                    : !found->inconclusive.empty()  ? Verdict::Inconclusive
                                                    : Verdict::Agree;
  return outcome;
}

} // namespace tl::test
