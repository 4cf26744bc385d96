// Races between many operations, and which of several readers is named.
#include "emu_test.h"

#include <thread>

using namespace emutest;

namespace {

using u32 = uint32_t;
using u64 = uint64_t;

const u64 kMany = 1100000; // more than there are numbers of operations

/// "faulty.cl:17" of the line that ends with a mark.
std::string placeOf(const std::string &mark) {
  std::ifstream in(std::string(TL_EMU_SOURCES) + "/kernels/faulty.cl");
  std::string text;
  for (unsigned number = 1; std::getline(in, text); ++number)
    if (text.size() > mark.size() + 3 && text.substr(text.size() - mark.size() - 3) == "// " + mark)
      return "faulty.cl:" + std::to_string(number);
  return "no line \"" + mark + "\"";
}

bool has(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

std::string reportOf(Machine &m) { return m.emulator->report(ReportFormat::Text); }

/// A word of `data` is filled by an operation of stream 0.
void fillWord(Machine &m, u64 data, u64 word, u64 sequence) {
  std::string message;
  Operation operation{0, sequence, {sequence - 1, 0}, "fill"};
  if (!m.emulator->fill(data + word * 4, 5, 4, 1, operation, &message))
    unit::fail(__FILE__, __LINE__, message);
}

/// The same word is filled in stream 1, behind operation `known` of stream 0.
void fillElsewhere(Machine &m, u64 data, u64 word, u64 known, u64 sequence) {
  std::string message;
  Operation operation{1, sequence, {known, sequence - 1}, "other"};
  CHECK(m.emulator->fill(data + word * 4, 6, 4, 1, operation, &message));
}

} // namespace

// However long a program runs, its latest operations are told apart.
UNIT_TEST(operations_that_no_memory_remembers) {
  Machine m("gfx942");
  u64 data = m.emulator->allocate(4096, MemoryKind::Device, 0);
  fillWord(m, data, 1000, 1);
  for (u64 n = 2; n <= kMany; ++n)
    fillWord(m, data, n % 1000, n);
  CHECK_EQ(reportOf(m), "");
  fillElsewhere(m, data, kMany % 1000, kMany, 1); // ordered
  fillElsewhere(m, data, 1000, 1, 2);             // ordered, and long ago
  CHECK_EQ(reportOf(m), "");
  fillElsewhere(m, data, 7, kMany - 1000, 3);
  std::string wanted = "which fill (stream 0, operation " +
                       std::to_string(kMany / 1000 * 1000 - 993) +
                       ") wrote: nothing orders the two";
  std::string report = reportOf(m);
  if (!has(report, wanted) || has(report, "not-checked"))
    unit::fail(__FILE__, __LINE__, "no \"" + wanted + "\" in " + report);
}

// Each operation leaves its mark in a word of its own: the oldest ones are forgotten, and the
// report says so.
UNIT_TEST(operations_that_are_forgotten) {
  Machine m("gfx942");
  u64 data = m.emulator->allocate(kMany * 4, MemoryKind::Device, 0);
  for (u64 n = 1; n <= kMany; ++n)
    fillWord(m, data, n - 1, n);
  std::string report = reportOf(m);
  CHECK(report.rfind("not-checked: races of new operations with the oldest ones", 0) == 0);
  CHECK(has(m.emulator->report(ReportFormat::Json), "\"not_checked\": ["));
  CHECK_EQ(m.emulator->findingCount(), u64(0));
  fillElsewhere(m, data, 0, 0, 1); // forgotten
  CHECK_EQ(m.emulator->findingCount(), u64(0));
  fillElsewhere(m, data, kMany - 1, kMany - 1, 2);
  CHECK_EQ(m.emulator->findingCount(), u64(1));
  m.emulator->clearReport();
  CHECK_EQ(reportOf(m), "");
}

// Numbers are taken back only while nothing runs: beside a kernel that runs all the time there are
// too few in the end, which is said, and once it has ended there are enough again.
UNIT_TEST(operations_beside_one_that_does_not_end) {
  Machine m("gfx942");
  REQUIRE(m.load(kernelFile("faulty", "gfx942", 1)) == LoadStatus::Ok);
  u64 data = m.emulator->allocate(4096, MemoryKind::Device, 0);
  u64 flag = m.emulator->allocate(4, MemoryKind::Pinned, 0);
  *reinterpret_cast<std::atomic<u32> *>(flag) = 0;
  fillWord(m, data, 0, 1);
  std::thread waits([&] { CHECK(m.launch("waits", {1}, {1}, flag).status == LaunchStatus::Ok); });
  u64 n = 2;
  for (; n <= kMany; ++n)
    fillWord(m, data, 0, n);
  *reinterpret_cast<std::atomic<u32> *>(flag) = 1;
  waits.join();
  std::string report = reportOf(m);
  if (report.rfind("not-checked: races of operations that ran while ", 0) != 0)
    unit::fail(__FILE__, __LINE__, report);
  m.emulator->clearReport();
  fillWord(m, data, 1, n);
  fillElsewhere(m, data, 1, n - 1, 1);
  report = reportOf(m);
  CHECK(has(report, "global-race: ") && !has(report, "not-checked"));
}

// More readers that nothing orders than are kept, and an allocation that is too large.
UNIT_TEST(what_is_not_looked_for_is_said) {
  Machine m("gfx942");
  u64 data = m.upload(std::vector<u32>(64, 5));
  u32 word;
  std::string message;
  for (u32 stream = 0; stream < 33; ++stream) {
    CHECK_EQ(reportOf(m), "");
    CHECK(
        m.emulator->copy(reinterpret_cast<u64>(&word), data, 4, {stream, 1, {}, "copy"}, &message));
  }
  CHECK(reportOf(m).rfind("not-checked: races with readers of an address that has more than 32",
                          0) == 0);
  m.emulator->clearReport();
  CHECK(m.emulator->allocate((u64(256) << 20) + 1, MemoryKind::Device, 0) != 0);
  CHECK_EQ(reportOf(m), "not-checked: races in allocations of more than 256 MB (1 times)\n");
}

// Two workgroups read, then one of them, or a third one, writes: a reader is named that is not the
// one that writes.
UNIT_TEST(readers_within_a_launch) {
  for (const char *chip : {"gfx942", "gfx1100"})
    for (u32 writer : {0u, 1u, 2u}) {
      Options options;
      options.threads = 1;
      Machine m(chip, options);
      REQUIRE(m.load(kernelFile("faulty", chip, 1)) == LoadStatus::Ok);
      u64 data = m.upload(std::vector<u32>(64, 5)), turn = m.upload(std::vector<u32>(1)),
          out = m.upload(std::vector<u32>(4));
      LaunchResult result = m.launch("groupsReadThenOneWrites", {3}, {1}, data, turn, out, writer);
      CHECK_EQ(result.message, "");
      std::string report = reportOf(m),
                  read = placeOf(writer == 0 ? "SECOND GROUP" : "FIRST GROUP");
      if (!has(report, placeOf("GROUP WRITES") + ": ") ||
          !has(report, "another workgroup of it read at ") ||
          !has(report, read + ": nothing orders") || m.emulator->findingCount() != 1)
        unit::fail(__FILE__, __LINE__, "no " + read + " in " + report);
    }
}

UNIT_TEST(readers_within_a_workgroup) {
  for (const char *chip : {"gfx942", "gfx1100"})
    for (u32 writer : {0u, 1u, 2u}) {
      Machine m(chip);
      REQUIRE(m.load(kernelFile("faulty", chip, 1)) == LoadStatus::Ok);
      u64 data = m.upload(std::vector<u32>(64, 5)), turn = m.upload(std::vector<u32>(1)),
          out = m.upload(std::vector<u32>(4));
      const u32 threads = 3 * m.module->findKernel("wavesReadThenOneWrites")->info().waveSize;
      LaunchResult result =
          m.launch("wavesReadThenOneWrites", {1}, {threads}, data, turn, out, writer);
      CHECK_EQ(result.message, "");
      std::string report = reportOf(m), wave = writer == 0 ? "1" : "0",
                  read = placeOf(writer == 0 ? "SECOND WAVE" : "FIRST WAVE");
      if (!has(report, placeOf("WAVE WRITES") + ": ") ||
          !has(report, "which wave " + wave + " read at ") ||
          !has(report, read + "), without a barrier") || m.emulator->findingCount() != 1)
        unit::fail(__FILE__, __LINE__, "no " + read + " in " + report);
    }
}

UNIT_TEST_MAIN
