// perf's view of host kernels: a profile of this very program, joined with its jitdump file, must
// name the kernel.
#include "driver/driver.h"
#include "driver_image.h"

#include <unistd.h>

using namespace tl;
using namespace driver_test;

static const char *const kSource = R"(
KERNEL spin_in_kernel(const uint64_t *slots, int64_t first, int64_t last, void *arena) {
  for (int64_t i = 0; i < 300000000; ++i) __asm__ volatile("");
  ((int64_t *)slots[0])[0] = first + last;
}
)";

// Runs the kernel once with a jitdump file in `directory`.
static int profiled(const char *directory) {
  HostDriverOptions options;
  options.jitdumpDirectory = directory;
  auto device = openHostDriver(options)->devices().at(0);
  auto kernel = device->load(buildKernel(kSource, "spin_in_kernel"));
  if (!kernel.ok()) {
    std::printf("%s\n", kernel.error().message.c_str());
    return 3;
  }
  int64_t x = 0, grid[] = {1, 1, 1};
  uint64_t slots[] = {uint64_t(&x), 1, 1, 1};
  if (!device->launch(**kernel, grid, slots, 4, nullptr).ok() || !device->synchronize(nullptr).ok())
    return 3;
  return x == 1 ? 0 : 3;
}

static std::string self() {
  char path[4096];
  ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
  return std::string(path, size_t(std::max<ssize_t>(length, 0)));
}

UNIT_TEST(a_profile_names_the_kernel) {
  if (std::string why = missingTool(); !why.empty())
    SKIP(why);
  TemporaryDirectory directory;
  std::string data = directory.path() + "/perf.data", joined = directory.path() + "/joined.data";
  int status;
  std::string record = "perf record -q -k mono -e cpu-clock -o " + data;
  std::string log = runCommand(record + " true", status);
  if (status != 0)
    SKIP("perf cannot record here");
  log = runCommand(record + " " + self() + " --profiled " + directory.path(), status);
  if (status != 0)
    return unit::fail(__FILE__, __LINE__, log);
  log = runCommand("perf inject --jit -i " + data + " -o " + joined, status);
  if (status != 0)
    return unit::fail(__FILE__, __LINE__, log);
  log = runCommand("perf report --stdio --sort symbol -i " + joined, status);
  if (log.find("spin_in_kernel") == log.npos)
    unit::fail(__FILE__, __LINE__, log);
}

UNIT_TEST(a_bad_directory_is_named) {
  if (std::string why = missingTool(); !why.empty())
    SKIP(why);
  HostDriverOptions options;
  options.jitdumpDirectory = "/nowhere/at/all";
  auto device = openHostDriver(options)->devices().at(0);
  auto kernel = device->load(buildKernel(kSource, "spin_in_kernel"));
  REQUIRE(!kernel.ok());
  CHECK_EQ(kernel.error().status, TL_E_IO);
  CHECK(kernel.error().message.find("/nowhere/at/all/jit-") != std::string::npos);
}

int main(int argc, char **argv) {
  if (argc > 2 && std::string(argv[1]) == "--profiled")
    return profiled(argv[2]);
  return unit::runAll(argc, argv);
}
