// A debugger's view of host kernels: GDB, started on this very program, stops inside a kernel and
// must show the kernel's functions and lines, and the frames that lead there.
#include "driver/driver.h"
#include "driver_image.h"

#include <unistd.h>

using namespace tl;
using namespace driver_test;

static const char *const kSource = R"(
__attribute__((noinline)) static double inner(double x, int64_t p) {
  if (p == 2)
    __asm__ volatile("int3");
  return x * x + 1;
}
KERNEL traced(const uint64_t *slots, int64_t first, int64_t last, void *arena) {
  for (int64_t p = first; p < last; ++p)
    ((double *)slots[0])[p] = inner(p, p) * 3;
}
KERNEL plain(const uint64_t *slots, int64_t first, int64_t last, void *arena) {
  ((double *)slots[0])[0] = 5;
}
)";

// The program under the debugger: loads one kernel (twice, with an unload between, when told so)
// and another one that runs into the breakpoint instruction.
static int debuggee(bool unload) {
  BuildOptions options;
  options.compile += " -fomit-frame-pointer";
  TargetCode code = buildKernel(kSource, "plain", options);
  auto device = openHostDriver({})->devices().at(0);
  double x[4] = {};
  uint64_t slots[] = {uint64_t(x), 1, 1, 1};
  int64_t grid[] = {1, 1, 1};
  for (int round = 0; round < (unload ? 2 : 1); ++round) {
    auto kernel = device->load(code);
    if (!kernel.ok() || !device->launch(**kernel, grid, slots, 4, nullptr).ok())
      return 3;
    (void)device->synchronize(nullptr);
    kernel->reset();
    if (unload)
      device->trim();
  }
  code.symbol = "traced";
  auto kernel = device->load(code);
  grid[0] = 4;
  if (!kernel.ok() || !device->launch(**kernel, grid, slots, 4, nullptr).ok())
    return 3;
  (void)device->synchronize(nullptr);
  return 0;
}

static std::string self() {
  char path[4096];
  ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
  return std::string(path, size_t(std::max<ssize_t>(length, 0)));
}

static std::string gdb(const std::string &commands, const char *mode, int &status) {
  std::string command = "gdb -nx -batch -ex 'set debuginfod enabled off' "
                        "-ex 'set breakpoint pending on' ";
  return runCommand(command + commands + " --args " + self() + " --debuggee " + mode, status);
}

static std::string whyNot() {
  if (std::string why = missingTool(); !why.empty())
    return why;
  int status;
  if (runCommand("gdb --version", status).find("GNU gdb") == std::string::npos)
    return "gdb is missing";
  if (gdb("-ex 'break main' -ex run -ex 'print 40 + 2'", "once", status).find("$1 = 42") ==
      std::string::npos)
    return "gdb cannot run programs here";
  return "";
}

static void expectFrames(int line, const std::string &log,
                         std::initializer_list<const char *> frames) {
  size_t at = 0;
  for (const char *frame : frames) {
    at = log.find(frame, at);
    if (at == log.npos)
      return unit::fail(__FILE__, line, std::string("no '") + frame + "' in its place in:\n" + log);
  }
}

UNIT_TEST(backtrace_shows_functions_and_lines) {
  if (std::string why = whyNot(); !why.empty())
    SKIP(why);
  int status;
  std::string log = gdb("-ex run -ex bt", "again", status);
  expectFrames(
      __LINE__, log,
      {"SIGTRAP", "#0", "inner", "kernel.c:5", "#1", "traced", "kernel.c:9", "#2", "tl::"});
}

// (GDB misses a breakpoint when a kernel is unloaded and its address taken again: it believes it is
// still set.)
UNIT_TEST(breakpoints_by_name_and_line) {
  if (std::string why = whyNot(); !why.empty())
    SKIP(why);
  int status;
  std::string log =
      gdb("-ex 'break traced' -ex 'break kernel.c:12' -ex run -ex bt -ex continue -ex bt", "once",
          status);
  expectFrames(__LINE__, log,
               {"Breakpoint 2", "plain", "kernel.c:12", "#0", "plain", "Breakpoint 1", "traced",
                "kernel.c:8"});
}

int main(int argc, char **argv) {
  if (argc > 2 && std::string(argv[1]) == "--debuggee")
    return debuggee(std::string(argv[2]) == "again");
  return unit::runAll(argc, argv);
}
