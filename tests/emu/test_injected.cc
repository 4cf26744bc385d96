// Faults put into kernels, and twins without them: each is found with its kind and source line, the
// twin gives no report. At -O0 to -O3 on both chips.
#include "emu_test.h"

#include <sstream>

using namespace emutest;

namespace {

using u32 = uint32_t;
using u64 = uint64_t;

const std::string kSource = std::string(TL_EMU_SOURCES) + "/kernels/injected.cl";

/// "injected.cl:17" of the line that a mark is on.
std::string placeOf(const std::string &mark) {
  std::ifstream in(kSource);
  std::string text;
  for (unsigned number = 1; std::getline(in, text); ++number) {
    size_t at = text.find("// AT " + mark);
    if (at == std::string::npos)
      continue;
    char after = text[at + 6 + mark.size()]; // '\0' at the end
    if (after == '\0' || after == ':')
      return "injected.cl:" + std::to_string(number);
  }
  return "no line \"AT " + mark + "\"";
}

enum class Input { Written, Unwritten, Released };

struct Fault {
  const char *kernel, *twin;
  const char *kind; // of the finding, or "": the launch stops
  LaunchStatus status;
  const char *mark; // of the line
  std::vector<std::string> parts;
  u32 threads = 256;
  Input input = Input::Written; // of the faulty kernel
  std::vector<std::string> twinParts = {};
};

// 256 threads are 4 waves of 64 or 8 of 32; 64 threads read and write 256 bytes: 2 cache lines of
// 128, and 2 passes of 32 banks with 4 bytes each.
const Fault kFaults[] = {
    {"barrierMissing",
     "barrierThere",
     "lds-race",
     LaunchStatus::Ok,
     "barrierMissing",
     {"reads LDS byte", "wrote at", "without a barrier between them"}},
    {"barriersDiffer",
     "barrierForAll",
     "barrier-divergence",
     LaunchStatus::Ok,
     "barriersDiffer",
     {"while another wave waits at"},
     128},
    {"loadPastEnd",
     "copy",
     "",
     LaunchStatus::MemoryFault,
     "loadPastEnd",
     {"lane 0 reads 4 bytes", "0 bytes past the end of the live allocation", "of 4 bytes"},
     1},
    {"loadPastEnd",
     "copy",
     "",
     LaunchStatus::MemoryFault,
     "loadPastEnd",
     {"reads 4 bytes", "0 bytes past the end of the live allocation", "of 1024 bytes"}},
    {"storePastEnd",
     "copy",
     "",
     LaunchStatus::MemoryFault,
     "storePastEnd",
     {"writes 4 bytes", "0 bytes past the end of the live allocation", "of 1024 bytes"}},
    {"copy",
     "copy",
     "",
     LaunchStatus::MemoryFault,
     "copy",
     {"lane 0 reads 4 bytes", "0 bytes into the released allocation"},
     256,
     Input::Released},
    {"copy",
     "copy",
     "uninitialized-read",
     LaunchStatus::Ok,
     "copy",
     {"lane 0 reads the byte at", "which nothing has written"},
     256,
     Input::Unwritten},
    {"ldsElementUnwritten",
     "barrierThere",
     "uninitialized-read",
     LaunchStatus::Ok,
     "ldsElementUnwritten",
     {"reads LDS that nothing has written: it is stored to memory"}},
    {"ldsBranch",
     "ldsElementUnused",
     "uninitialized-read",
     LaunchStatus::Ok,
     "ldsBranch",
     {"reads LDS that nothing has written: it decides which lanes run"}},
    {"ldsAddress",
     "ldsElementUnused",
     "uninitialized-read",
     LaunchStatus::Ok,
     "ldsAddress",
     {"reads LDS that nothing has written: it becomes an address"}},
    {"scratchUnwritten",
     "scratchWritten",
     "uninitialized-read",
     LaunchStatus::Ok,
     "scratchUnwritten",
     {"reads scratch that nothing has written: it is stored to memory"}},
    {"twoWayConflicts",
     "noConflicts",
     "bank-conflicts",
     LaunchStatus::Ok,
     "twoWayConflicts",
     {"ds_write_b32: 4 passes, 2 without conflicts (2.0x)"},
     64},
    {"eightWayConflicts",
     "noConflicts",
     "bank-conflicts",
     LaunchStatus::Ok,
     "eightWayConflicts",
     {"ds_write_b32: 16 passes, 2 without conflicts (8.0x)"},
     64},
    {"stridedLoad",
     "copy",
     "coalescing",
     LaunchStatus::Ok,
     "stridedLoad",
     {"_load_dword: 256 bytes in 64 cache lines, 2 would do (32.0x)"},
     64,
     Input::Written,
     {"_load_dword: 256 bytes in 2 cache lines, 2 would do (1.0x)"}},
    {"everyOtherElement",
     "copy",
     "coalescing",
     LaunchStatus::Ok,
     "everyOtherElement",
     {"_load_dword: 256 bytes in 4 cache lines, 2 would do (2.0x)"},
     64,
     Input::Written,
     {"_load_dword: 256 bytes in 2 cache lines, 2 would do (1.0x)"}},
    {"endless",
     "ends",
     "",
     LaunchStatus::Hang,
     "endless",
     {"wave instructions and no end: workgroup (0, 0, 0), wave 0 at kernel endless"},
     64},
};

/// The line of a report of a kind that names a place; its file has directories in front.
std::string findLine(const std::string &report, const std::string &kind, const std::string &place) {
  std::istringstream lines(report);
  for (std::string line; std::getline(lines, line);)
    if (line.rfind(kind + ": ", 0) == 0 && line.find(place + ": ") != std::string::npos)
      return line;
  return "";
}

void runFault(const Fault &fault, const std::string &chip, int level, bool twin) {
  Options options;
  options.threads = 1;
  options.profile = true;
  options.instructionBudget = 100000;
  Machine m(chip, options);
  REQUIRE(m.load(kernelFile("injected", chip, level)) == LoadStatus::Ok);
  const std::string kernel = twin ? fault.twin : fault.kernel,
                    who = chip + " -O" + std::to_string(level) + " " + kernel + ": ";
  const Input input = twin ? Input::Written : fault.input;
  bool spread = std::string(fault.kind) == "coalescing";
  u64 in = input == Input::Unwritten
               ? m.emulator->allocate(fault.threads * 4, MemoryKind::Device, 0)
               : m.upload(std::vector<u32>(fault.threads * (spread ? 32 : 1), 5)),
      out = m.upload(std::vector<u32>(fault.threads));
  if (input == Input::Released)
    CHECK(m.emulator->release(in, nullptr));
  LaunchResult result = m.launch(kernel, {1}, {fault.threads}, in, out);
  const std::string report = m.emulator->report(ReportFormat::Text);
  auto lack = [&](const std::string &part, const std::string &text) {
    if (text.find(part) == std::string::npos)
      unit::fail(__FILE__, __LINE__, who + "no \"" + part + "\" in: " + text + "\n" + report);
  };
  if (twin) {
    if (result.status != LaunchStatus::Ok || m.emulator->findingCount() ||
        (*fault.kind && !spread && report.find(fault.kind) != std::string::npos))
      unit::fail(__FILE__, __LINE__, who + result.message + "\n" + report);
    for (const std::string &part : fault.twinParts)
      lack(part, report);
    return;
  }
  if (result.status != fault.status)
    unit::fail(__FILE__, __LINE__,
               who + "status " + std::to_string(int(result.status)) + ": " + result.message);
  const std::string place = *fault.mark ? placeOf(fault.mark) : "injected.cl:",
                    text = *fault.kind ? findLine(report, fault.kind, place) : result.message;
  lack(place, text);
  for (const std::string &part : fault.parts)
    lack(part, text);
}

void runAll(const std::string &chip) {
  for (const Fault &fault : kFaults)
    for (int level = 0; level < 4; ++level)
      for (bool twin : {false, true})
        runFault(fault, chip, level, twin);
}

// Waits are taken out of the compiler's assembly, which keeps its line numbers.
struct Wait {
  const char *chip, *kernel;
  const char *wait; // the instruction that is removed: the last that fits
  const char *mark;
  const char *part;
};
const Wait kWaits[] = {
    {"gfx942", "copy", "s_waitcnt vmcnt(0)", "copied", "before the vector memory counter"},
    {"gfx1100", "copy", "s_waitcnt vmcnt(0)", "copied", "before the vector memory counter"},
    {"gfx1201", "copy", "s_wait_loadcnt 0x0", "copied", "before the vector memory counter"},
    {"gfx942", "barrierThere", "s_waitcnt lgkmcnt(0)", "barrierThere", "before the LDS counter"},
    {"gfx1100", "barrierThere", "s_waitcnt lgkmcnt(0)", "barrierThere", "before the LDS counter"},
    {"gfx1201", "barrierThere", "s_wait_dscnt 0x0", "barrierThere", "before the LDS counter"},
    {"gfx942", "copy", "s_waitcnt lgkmcnt(0)", "copy", "before the scalar memory counter"},
    {"gfx1100", "copy", "s_waitcnt lgkmcnt(0)", "copy", "before the scalar memory counter"},
    {"gfx1201", "copy", "s_wait_kmcnt 0x0", "copy", "before the scalar memory counter"},
};

std::string assemblyOfSource(const std::string &chip) {
  std::string path =
      std::string(TL_EMU_KERNELS) + "/injected_" + chip + "_" + std::to_string(getpid()) + ".s";
  std::string command =
      std::string(TL_CLANG) + " -x cl -cl-std=CL2.0 -target amdgcn-amd-amdhsa -mcpu=" + chip +
      " -w -nogpulib -g -O2 -S -I" + TL_EMU_SOURCES + "/kernels " + kSource + " -o " + path;
  if (std::system(command.c_str()) != 0)
    unit::fail(__FILE__, __LINE__, command);
  std::vector<uint8_t> bytes = readFile(path);
  std::filesystem::remove(path);
  return {bytes.begin(), bytes.end()};
}

void runWait(const Wait &wait, std::string text, bool twin) {
  const std::string who = std::string(wait.chip) + " " + wait.kernel + " " + wait.wait + ": ";
  size_t start = text.find(std::string("\n") + wait.kernel + ":"),
         end = text.find("s_endpgm", start);
  if (start == std::string::npos || end == std::string::npos)
    return unit::fail(__FILE__, __LINE__, who + "no such kernel");
  if (!twin) {
    std::string body = text.substr(start, end - start);
    size_t last = body.rfind(std::string("\t") + wait.wait);
    if (last == std::string::npos)
      return unit::fail(__FILE__, __LINE__, who + "not there:\n" + body);
    size_t length = body.find('\n', last) + 1 - last;
    text.erase(start + last, length);
  }
  Options options;
  options.threads = 1;
  Machine m(wait.chip, options);
  if (m.load(assemble(text, wait.chip)) != LoadStatus::Ok)
    return unit::fail(__FILE__, __LINE__, who + m.message);
  u64 in = m.upload(std::vector<u32>(256, 5)), out = m.upload(std::vector<u32>(256));
  LaunchResult result = m.launch(wait.kernel, {1}, {256}, in, out);
  CHECK_EQ(result.message, "");
  const std::string report = m.emulator->report(ReportFormat::Text);
  if (twin)
    return unit::equal(__FILE__, __LINE__, "report", report, std::string());
  if (report.rfind("missing-wait: ", 0) != 0 ||
      report.find(placeOf(wait.mark) + ":") == std::string::npos ||
      report.find(wait.part) == std::string::npos)
    unit::fail(__FILE__, __LINE__, who + "wanted " + placeOf(wait.mark) + " in: " + report);
}

} // namespace

UNIT_TEST(faults_on_cdna) { runAll("gfx942"); }
UNIT_TEST(faults_on_rdna) { runAll("gfx1100"); }

UNIT_TEST(removed_waits) {
  for (const char *chip : {"gfx942", "gfx1100", "gfx1201"}) {
    std::string text = assemblyOfSource(chip);
    for (const Wait &wait : kWaits)
      if (std::string(wait.chip) == chip)
        for (bool twin : {false, true})
          runWait(wait, text, twin);
  }
}

UNIT_TEST_MAIN
