// Races between atomic operations and others, what acquire fences order, and LDS through all ways
// that lead to it.
#include "emu_test.h"
#include "opcode_case.h"

using namespace emutest;

namespace {

using u32 = uint32_t;
using u64 = uint64_t;

const char *const kChips[] = {"gfx942", "gfx1100"};

bool has(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

/// "atomics.cl:17" of the line that ends with a mark.
std::string placeOf(const std::string &mark) {
  std::ifstream in(std::string(TL_EMU_SOURCES) + "/kernels/atomics.cl");
  std::string text;
  for (unsigned number = 1; std::getline(in, text); ++number)
    if (text.size() > mark.size() + 3 && text.substr(text.size() - mark.size() - 3) == "// " + mark)
      return "atomics.cl:" + std::to_string(number);
  return "no line \"" + mark + "\"";
}

std::string reportOf(Machine &m) { return m.emulator->report(ReportFormat::Text); }

void launchAs(Machine &m, const char *kernel, const Operation &operation,
              std::vector<u64> arguments, u32 groups = 1, u32 threads = 64) {
  LaunchRequest request;
  request.kernel = m.module->findKernel(kernel);
  if (!request.kernel)
    return unit::fail(__FILE__, __LINE__, std::string("no kernel ") + kernel);
  request.block[0] = threads;
  request.grid[0] = groups;
  request.kernarg = arguments.data();
  request.kernargBytes = arguments.size() * 8;
  request.operation = operation;
  LaunchResult result = m.emulator->launch(request);
  CHECK_EQ(result.message, "");
}

/// Two kernels, one after the other, in streams that are ordered or not: the report.
std::string runBoth(const char *file, const char *chip, int level, const char *first,
                    const char *second, bool ordered) {
  Machine m(chip);
  CHECK(m.load(kernelFile(file, chip, level)) == LoadStatus::Ok);
  const u64 data = m.upload(std::vector<u32>(256)), out = m.upload(std::vector<u32>(256)),
            other = m.upload(std::vector<u32>(256));
  const bool message = std::string(first) == "publish";
  launchAs(m, first, {0, 1, {0, 0}, first}, {data, message ? out : other});
  launchAs(m, second, {1, 1, {ordered ? 1u : 0u, 0}, second}, {data, out});
  return reportOf(m);
}

struct Pair {
  const char *first, *second;
  std::vector<std::string> parts; // of the finding; none: no finding
};

void checkPairs(const char *file, const std::vector<Pair> &pairs) {
  for (const char *chip : kChips)
    for (int level = 0; level < 4; ++level)
      for (const Pair &pair : pairs)
        for (bool ordered : {true, false}) {
          const std::string report = runBoth(file, chip, level, pair.first, pair.second, ordered);
          const std::string who = std::string(chip) + " -O" + std::to_string(level) + " " +
                                  pair.first + ", " + pair.second + ": ";
          if (ordered || pair.parts.empty()) {
            if (!report.empty())
              unit::fail(__FILE__, __LINE__, who + report);
            continue;
          }
          if (report.rfind("global-race: ", 0) != 0)
            unit::fail(__FILE__, __LINE__, who + "no race in \"" + report + "\"");
          for (const std::string &part : pair.parts)
            if (!has(report, part))
              unit::fail(__FILE__, __LINE__, who + "no \"" + part + "\" in " + report);
        }
}

} // namespace

UNIT_TEST(operations_that_race_with_atomic_ones) {
  const std::string add = placeOf("ADD"), write = placeOf("WRITE"), read = placeOf("READ");
  checkPairs("atomics",
             {
                 {"add", "write", {write, add, " writes 0x", " changed: nothing orders"}},
                 {"add", "read", {read, add, " reads 0x", " changed: nothing orders"}},
                 {"write", "add", {write, add, " changes 0x", " wrote: nothing orders"}},
                 {"read", "add", {read, add, " changes 0x", " read: nothing orders"}},
                 {"store", "read", {placeOf("STORE"), read}},
                 {"add", "add", {}},
                 {"add", "load", {}},
                 {"load", "write", {}},
                 {"storeForOnce", "read", {placeOf("NOT TEMPORAL"), read}},
                 {"writeBytes", "readBytes", {"atomics.cl"}},
                 {"writeVariable", "writeVariable", {placeOf("VARIABLE")}},
             });
}

// What one operation has released and another one acquired is ordered, and nothing else is.
UNIT_TEST(operations_that_send_messages) {
  checkPairs("atomics", {
                            {"publish", "receive", {}},
                            {"publish", "receiveHere", {placeOf("PUBLISH")}},
                            {"publish", "receiveRelaxed", {placeOf("PUBLISH")}},
                        });
}

UNIT_TEST(locks_that_are_given_back_by_stores) {
  for (const char *chip : kChips)
    for (const char *kernel : {"lock", "lockRelaxed"})
      for (u64 seed = 0; seed < 4; ++seed) {
        Options options;
        options.seed = seed;
        Machine m(chip, options);
        REQUIRE(m.load(kernelFile("atomics", chip, 2)) == LoadStatus::Ok);
        const u64 data = m.upload(std::vector<u32>(256)), out = m.upload(std::vector<u32>(256));
        launchAs(m, kernel, {}, {data, out}, 8);
        CHECK_EQ(m.download<u32>(data, 1)[0], 28u);
        const std::string report = reportOf(m);
        if ((report.rfind("global-race: ", 0) == 0) != (kernel == std::string("lockRelaxed")))
          unit::fail(__FILE__, __LINE__, std::string(chip) + " " + kernel + ": " + report);
      }
  checkPairs("atomics", {{"lock", "lock", {}}, {"lock", "readLock", {" reads 0x"}}});
}

// A fill of what a kernel in another stream counts in.
UNIT_TEST(a_fill_that_races_with_atomic_operations) {
  for (bool ordered : {true, false}) {
    Machine m("gfx942");
    REQUIRE(m.load(kernelFile("atomics", "gfx942", 2)) == LoadStatus::Ok);
    const u64 data = m.upload(std::vector<u32>(64));
    std::string message;
    CHECK(m.emulator->fill(data, 0, 4, 64, {0, 1, {0, 0}, "hipMemsetAsync"}, &message));
    launchAs(m, "add", {1, 1, {ordered ? 1u : 0u, 0}, "add"}, {data, data});
    Operation release{2, 1, {ordered ? 1u : 0u, ordered ? 1u : 0u}, "hipFreeAsync"};
    CHECK(m.emulator->release(data, &release));
    const std::string report = reportOf(m);
    if (ordered)
      CHECK_EQ(report, "");
    else if (!has(report, "hipMemsetAsync") || !has(report, "hipFreeAsync") ||
             !has(report, " changes 0x"))
      unit::fail(__FILE__, __LINE__, report);
  }
}

UNIT_TEST(workgroups_that_race_with_atomic_operations) {
  for (const char *chip : kChips)
    for (int level = 0; level < 4; ++level)
      for (const char *kernel : {"writeAndAdd", "storeForOnce", "add"}) {
        Machine m(chip);
        REQUIRE(m.load(kernelFile("atomics", chip, level)) == LoadStatus::Ok);
        const u64 data = m.upload(std::vector<u32>(64)), out = m.upload(std::vector<u32>(64));
        launchAs(m, kernel, {}, {data, out}, 4);
        const std::string report = reportOf(m);
        if ((report.rfind("global-race: ", 0) == 0) != (kernel != std::string("add")))
          unit::fail(__FILE__, __LINE__,
                     std::string(chip) + " -O" + std::to_string(level) + " " + kernel + ": " +
                         report);
      }
}

UNIT_TEST(atomic_operations_made_of_swaps) {
  checkPairs("swaps", {{"addBySwaps", "addBySwaps", {}}});
  for (const char *chip : kChips)
    for (int level = 0; level < 4; ++level) {
      Machine m(chip);
      REQUIRE(m.load(kernelFile("swaps", chip, level)) == LoadStatus::Ok);
      const u64 data = m.upload(std::vector<u32>(256)), out = m.upload(std::vector<u32>(256));
      launchAs(m, "addBySwaps", {}, {data, out}, 4, 256);
      launchAs(m, "addBySwapsInLds", {}, {data, out}, 1, 256);
      CHECK_EQ(reportOf(m), "");
    }
}

UNIT_TEST(waves_that_race_in_lds) {
  struct Case {
    const char *kernel;
    std::vector<std::string> parts;
  };
  const Case cases[] = {
      {"histogram", {}},
      {"histogramZeroedLate", {"LDS byte", "without a barrier between them"}},
      {"histogramReadEarly", {" reads LDS byte", " changed at "}},
      {"exchangeAnywhere", {}},
      {"exchangeAnywhereEarly", {" reads LDS byte", " wrote at "}},
  };
  std::vector<u32> in(256);
  for (u32 i = 0; i < 256; ++i)
    in[i] = i * 97 + 64; // all bins, in another wave's part
  for (const char *chip : kChips)
    for (int level = 0; level < 4; ++level)
      for (const Case &c : cases) {
        Machine m(chip);
        REQUIRE(m.load(kernelFile("atomics", chip, level)) == LoadStatus::Ok);
        launchAs(m, c.kernel, {}, {m.upload(in), m.upload(in)}, 1, 256);
        const std::string report = reportOf(m), who = std::string(chip) + " -O" +
                                                      std::to_string(level) + " " + c.kernel + ": ";
        if (c.parts.empty() != report.empty())
          unit::fail(__FILE__, __LINE__, who + report);
        for (const std::string &part : c.parts)
          if (!has(report, "lds-race: ") || !has(report, part))
            unit::fail(__FILE__, __LINE__, who + "no \"" + part + "\" in " + report);
      }
}

// What is under way when its wave comes to the barrier may come after what others do behind it, and
// counts before it all the same.
UNIT_TEST(accesses_that_are_not_waited_for) {
  const std::string write = "ds_write_b32 v101, v0", read = "ds_read_b32 v10, v102",
                    add = "ds_add_u32 v101, v0", exchange = "ds_wrxchg_rtn_b32 v11, v101, v0",
                    append = "ds_append v11", wait = "s_waitcnt lgkmcnt(0)", barrier = "s_barrier",
                    all = "v_and_b32 v101, 0x7c, v101", // the same words in all waves
      firstOnly = "s_cbranch_scc0 1f", others = "s_cbranch_scc1 1f", end = "1:";
  const char *const late = "without waiting for it before the barrier", *const missing =
                                                                            "without a barrier";
  struct Case {
    std::vector<std::string> instructions;
    const char *does, *did; // none: it is right
    const char *why;
  };
  const Case cases[] = {
      {{write, wait, barrier, read, wait, barrier, write, wait}, nullptr, nullptr, nullptr},
      {{write, wait, barrier, read, barrier, write, wait}, " writes ", " read at ", late},
      {{write, wait, barrier, read, barrier, wait, write, wait}, " writes ", " read at ", late},
      {{write, wait, barrier, read, barrier, wait, barrier, write, wait},
       nullptr,
       nullptr,
       nullptr},
      {{write, wait, barrier, read, barrier, barrier, write, wait}, " writes ", " read at ", late},
      {{write, barrier, read, wait}, " reads ", " wrote at ", late},
      {{write, barrier, wait, barrier, read, wait}, nullptr, nullptr, nullptr},
      {{write, barrier, barrier, read, wait}, " reads ", " wrote at ", late},
      {{write, wait, barrier, add, wait, barrier, read, wait}, nullptr, nullptr, nullptr},
      {{write, wait, barrier, add, barrier, read, wait}, " reads ", " changed at ", late},
      {{write, wait, barrier, exchange, barrier, read, wait}, " reads ", " changed at ", late},
      {{write, wait, barrier, add, barrier, wait, barrier, read, wait}, nullptr, nullptr, nullptr},
      {{write, wait, barrier, append, wait, barrier, read, wait}, nullptr, nullptr, nullptr},
      {{write, wait, barrier, append, barrier, read, wait}, " reads ", " changed at ", late},
      {{write, wait, barrier, append, read, wait}, "", " LDS byte 0", missing},
      // Before the barrier
      {{all, write, barrier, wait}, " writes ", " wrote at ", missing},
      {{firstOnly, write, end, others, read, wait, end, barrier, wait}, "", " LDS byte ", missing},
      {{firstOnly, add, end, others, read, wait, end, barrier, wait}, "", " LDS byte ", missing},
      // The end of a program waits.
      {{firstOnly, write, "s_endpgm", end, barrier, read, wait}, nullptr, nullptr, nullptr},
  };
  for (const char *chip : kChips)
    for (const Case &c : cases) {
      OpcodeCase test;
      const u32 lanes = Machine(chip).emulator->chip(0).waveSize;
      test.instructions = {"v_lshlrev_b32 v101, 2, v0",
                           "v_xor_b32 v102, " + std::to_string(lanes * 4) + ", v101",
                           "v_readfirstlane_b32 s20, v0", "s_mov_b32 m0, 0", "s_cmp_eq_u32 s20, 0"};
      test.instructions.insert(test.instructions.end(), c.instructions.begin(),
                               c.instructions.end());
      const auto object = assemble(assemblyOf({test}, chip, lanes), chip);
      for (u64 seed = 0; seed < 10; ++seed) {
        Options options;
        options.seed = seed;
        Machine m(chip, options);
        REQUIRE(m.load(object) == LoadStatus::Ok);
        launchAs(m, "case_0", {},
                 {m.upload(std::vector<u32>(256)), m.upload(std::vector<u32>(256))}, 1, 2 * lanes);
        const std::string report = reportOf(m);
        const bool found = c.does && has(report, "lds-race: ") && has(report, c.does) &&
                           has(report, c.did) && has(report, c.why);
        if (c.does ? !found : !report.empty())
          unit::fail(__FILE__, __LINE__,
                     std::string(chip) + " case " + std::to_string(&c - cases) + ", seed " +
                         std::to_string(seed) + ": " + report);
      }
    }
}

// The place of a module's variables is used again when it has gone, without its history.
UNIT_TEST(variables_of_modules_that_are_gone) {
  Machine m("gfx942");
  const auto object = kernelFile("atomics", "gfx942", 1);
  for (u32 stream = 0; stream < 3; ++stream) {
    REQUIRE(m.load(object) == LoadStatus::Ok);
    launchAs(m, "writeVariable", {stream, 1, {}, "writeVariable"}, {0, 0});
    m.module.reset();
    const u64 data = m.emulator->allocate(8192, MemoryKind::Device, 0);
    std::string message;
    CHECK(m.emulator->fill(data, 0, 4, 2048, {stream + 3, 1, {}, "fill"}, &message));
    CHECK(m.emulator->release(data, nullptr));
  }
  CHECK_EQ(reportOf(m), "");
}

UNIT_TEST_MAIN
