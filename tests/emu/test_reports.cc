// How reports name what they found: devices, kernels of C++, lines, lines' own words.
#include "emu_test.h"
#include "opcode_case.h"

#include <nlohmann/json.hpp>

#include <set>
#include <sstream>

using namespace emutest;

namespace {

using u32 = uint32_t;
using u64 = uint64_t;

bool has(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

/// Launches "consume" over memory that nothing has written.
void readUnwritten(Emulator &machine, u32 device, std::unique_ptr<Module> &module) {
  std::vector<uint8_t> image = kernelFile("faulty", machine.chip(device).name, 1);
  LoadResult loaded = machine.load(image.data(), image.size(), device);
  CHECK_EQ(loaded.message, "");
  module = std::move(loaded.module);
  u64 arguments[] = {machine.allocate(256, MemoryKind::Device, device),
                     machine.allocate(256, MemoryKind::Device, device)};
  LaunchRequest request;
  request.kernel = module->findKernel("consume");
  request.block[0] = 64;
  request.kernarg = arguments;
  request.kernargBytes = sizeof arguments;
  CHECK(machine.launch(request).status == LaunchStatus::Ok);
}

/// A name in which each type holds the one before twice: written out it has 2^34 parts.
std::string doubling() {
  const std::string digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  std::string name = "_Z1f4pairIiiE";
  for (unsigned i = 0; i < 34; ++i)
    name += std::string("S_IS") + digits[i] + "_S" + digits[i] + "_E";
  return name;
}

/// Compiles OpenCL C for gfx942 with more options.
std::vector<uint8_t> compile(const std::string &text, const std::string &options) {
  std::string base = std::string(TL_EMU_KERNELS) + "/report_" + std::to_string(getpid());
  std::ofstream(base + ".cl") << text;
  std::string command =
      std::string(TL_CLANG) +
      " -x cl -cl-std=CL2.0 -target amdgcn-amd-amdhsa -mcpu=gfx942 -nogpulib -O2 -g " + options +
      " " + base + ".cl -o " + base + ".co";
  bool good = std::system(command.c_str()) == 0;
  std::vector<uint8_t> image = good ? readFile(base + ".co") : std::vector<uint8_t>();
  std::filesystem::remove(base + ".co");
  std::filesystem::remove(base + ".cl");
  return image;
}

} // namespace

UNIT_TEST(devices) {
  std::string message;
  std::unique_ptr<Emulator> machine(
      tl_emu_create(kInterface, {"gfx942", "gfx1100"}, Options(), &message));
  REQUIRE(machine);
  std::unique_ptr<Module> modules[2];
  readUnwritten(*machine, 1, modules[1]);
  // Only one is used: that it is not the machine's only one is nobody's concern.
  std::string report = machine->report(ReportFormat::Text);
  CHECK(report.rfind("uninitialized-read: ", 0) == 0 && !has(report, "device"));
  readUnwritten(*machine, 0, modules[0]);
  report = machine->report(ReportFormat::Text);
  if (!has(report, "uninitialized-read: device 0 (gfx942): ") ||
      !has(report, "uninitialized-read: device 1 (gfx1100): ") || machine->findingCount() != 2)
    unit::fail(__FILE__, __LINE__, report);
  auto root = nlohmann::json::parse(machine->report(ReportFormat::Json));
  std::set<std::string> seen;
  for (const auto &finding : root["findings"])
    seen.insert(std::to_string(finding["device"].get<int>()) + finding["chip"].get<std::string>());
  CHECK(seen == std::set<std::string>({"0gfx942", "1gfx1100"}));
}

UNIT_TEST(names_of_cpp) {
  struct {
    std::string mangled, shown;
  } const names[] = {
      {"_Z5scalePff", "scale(float*, float)"},
      {"_ZN2ns6kernelIfLi4EEEvPT_", "void ns::kernel<float, 4>(float*)"},
      {"_Znot_a_name", "_Znot_a_name"},
      {"plain", "plain"},
      {doubling(), ""}, // stays as it is
  };
  OpcodeCase test;
  test.instructions = {"s_trap 2"};
  std::string assembly = assemblyOf({test}, "gfx942", 64);
  for (const auto &name : names) {
    std::string text = assembly;
    for (size_t at; (at = text.find("case_0")) != std::string::npos;)
      text.replace(at, 6, name.mangled);
    Options options;
    options.profile = true;
    Machine m("gfx942", options);
    REQUIRE(m.load(assemble(text, "gfx942")) == LoadStatus::Ok);
    u64 in = m.upload(std::vector<u32>(256, 5)),
        out = m.emulator->allocate(4, MemoryKind::Device, 0);
    LaunchResult result = m.launch(name.mangled, {1}, {64}, in, out);
    CHECK(result.status == LaunchStatus::Trap);
    std::string report = m.emulator->report(ReportFormat::Text),
                shown = name.shown.empty() ? name.mangled : name.shown;
    for (const std::string &part : {"fault: kernel " + shown + ", ", "occupancy: " + shown + ": ",
                                    "instructions: kernel " + shown + ": "})
      if (!has(report, part))
        unit::fail(__FILE__, __LINE__, "no \"" + part + "\" in: " + report);
    auto root = nlohmann::json::parse(m.emulator->report(ReportFormat::Json));
    for (const char *list : {"findings", "profile", "instruction_mix", "occupancy"}) {
      CHECK(!root[list].empty());
      for (const auto &row : root[list]) {
        CHECK_EQ(row["kernel"].get<std::string>(), name.mangled);
        CHECK_EQ(row.value("kernel_in_source", name.mangled), shown);
      }
    }
  }
}

// Two loads of one line, in two kernels: no two lines of the report say the same of different ones.
UNIT_TEST(memory_instructions_of_one_line) {
  Options options;
  options.profile = true;
  Machine m("gfx942", options);
  const std::string sum =
      "{ c[__builtin_amdgcn_workitem_id_x()] = a[__builtin_amdgcn_workitem_id_x()]"
      " + b[__builtin_amdgcn_workitem_id_x()]; }";
  const std::string parameters = "(global const int *a, global const int *b, global int *c) ";
  REQUIRE(
      m.load(compile("kernel void one" + parameters + sum + " kernel void two" + parameters + sum,
                     "")) == LoadStatus::Ok);
  u64 a = m.upload(std::vector<u32>(64, 5)), c = m.upload(std::vector<u32>(64, 5));
  for (const char *kernel : {"one", "two"})
    CHECK_EQ(m.launch(kernel, {1}, {64}, a, a, c).message, "");
  std::istringstream report(m.emulator->report(ReportFormat::Text));
  std::set<std::string> places;
  unsigned lines = 0;
  for (std::string line; std::getline(report, line);)
    if (line.rfind("coalescing: ", 0) == 0) {
      ++lines;
      places.insert(line);
      CHECK(has(line, ".cl:1: global_load_dword: ") || has(line, ".cl:1: global_store_dword: "));
      CHECK(has(line, " at one+0x") || has(line, " at two+0x"));
    }
  CHECK_EQ(lines, 6u);
  CHECK_EQ(places.size(), size_t(6));
}

// A code object that holds its source: reports say what the line says.
UNIT_TEST(words_of_a_line) {
  const std::string text = "kernel void k(global const int *a, global int *b) {\n"
                           "  b[0] = a[1];  \n}\n";
  for (bool embedded : {true, false}) {
    Machine m("gfx942");
    REQUIRE(m.load(compile(text, embedded ? "-gdwarf-5 -gembed-source" : "")) == LoadStatus::Ok);
    u64 a = m.emulator->allocate(64, MemoryKind::Device, 0), b = m.upload(std::vector<u32>(64));
    CHECK_EQ(m.launch("k", {1}, {1}, a, b).message, "");
    std::string report = m.emulator->report(ReportFormat::Text);
    auto root = nlohmann::json::parse(m.emulator->report(ReportFormat::Json));
    CHECK_EQ(has(report, ".cl:2 `b[0] = a[1];`: "), embedded);
    CHECK_EQ(root["findings"][0].value("source", ""), embedded ? "b[0] = a[1];" : "");
    if (!embedded)
      CHECK(has(report, ".cl:2: "));
    // A place of the author's is another file's.
    m.module->mapLines({{2, "author.c", 70}});
    m.emulator->clearReport();
    CHECK_EQ(m.launch("k", {1}, {1}, a, b).message, "");
    CHECK(has(m.emulator->report(ReportFormat::Text), "author.c:70: "));
  }
}

UNIT_TEST_MAIN
