// Code objects of versions 4, 5 and 6, as clang makes them, alone and in an offload bundle. What
// differs between them a kernel can see: 4 reads the sizes of a launch from the dispatch packet, 5
// and 6 from hidden arguments.
#include "emu_test.h"

using namespace emutest;

namespace {

const char kSource[] = R"(
kernel void sizes(global unsigned *out, unsigned add) {
  unsigned id = __builtin_amdgcn_workgroup_id_x() * __builtin_amdgcn_workgroup_size_x() +
                __builtin_amdgcn_workitem_id_x();
  out[id] = __builtin_amdgcn_workgroup_size_x() + 1000 * __builtin_amdgcn_grid_size_x() + add;
}
)";

std::vector<uint8_t> compile(const std::string &chip, int version) {
  const std::string base =
      std::string(TL_EMU_KERNELS) + "/version_" + chip + "_" + std::to_string(getpid());
  std::ofstream(base + ".cl") << kSource;
  const std::string command =
      std::string(TL_CLANG) +
      " -x cl -cl-std=CL2.0 -target amdgcn-amd-amdhsa -nogpulib -O2 -mcpu=" + chip +
      " -mcode-object-version=" + std::to_string(version) + " " + base + ".cl -o " + base + ".co";
  std::vector<uint8_t> object;
  if (std::system(command.c_str()) == 0)
    object = readFile(base + ".co");
  std::filesystem::remove(base + ".co");
  std::filesystem::remove(base + ".cl");
  return object;
}

// "Clang Offload Bundler": magic, count, then offset, size, length of the name and name of each.
std::vector<uint8_t> bundle(const std::vector<std::pair<std::string, std::vector<uint8_t>>> &all) {
  std::vector<uint8_t> file;
  auto text = [&](const std::string &s) { file.insert(file.end(), s.begin(), s.end()); };
  auto number = [&](uint64_t value) {
    for (int i = 0; i < 8; ++i)
      file.push_back(uint8_t(value >> 8 * i));
  };
  size_t at = 24 + 8;
  for (const auto &[name, image] : all)
    at += 24 + name.size();
  at = (at + 4095) / 4096 * 4096;
  text("__CLANG_OFFLOAD_BUNDLE__");
  number(all.size());
  size_t place = at;
  for (const auto &[name, image] : all) {
    number(place), number(image.size()), number(name.size());
    text(name);
    place += (image.size() + 4095) / 4096 * 4096;
  }
  for (const auto &[name, image] : all) {
    file.resize(at);
    file.insert(file.end(), image.begin(), image.end());
    at += (image.size() + 4095) / 4096 * 4096;
  }
  return file;
}

void runs(Machine &machine, const std::string &what) {
  uint64_t out = machine.upload(std::vector<uint32_t>(192));
  LaunchResult result = machine.launch("sizes", {3}, {64}, out, 7u);
  CHECK_EQ(result.message, "");
  CHECK_EQ(machine.emulator->report(ReportFormat::Text), "");
  for (uint32_t value : machine.download<uint32_t>(out, 192))
    if (value != 64 + 1000 * 192 + 7) {
      unit::fail(__FILE__, __LINE__, what + ": " + std::to_string(value));
      return;
    }
}

} // namespace

UNIT_TEST(code_objects_of_versions_4_to_6) {
  for (const char *chip : {"gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201"})
    for (int version : {4, 5, 6}) {
      const std::string what = std::string(chip) + ", version " + std::to_string(version);
      const std::vector<uint8_t> image = compile(chip, version);
      REQUIRE(image.size() > 16);
      CHECK_EQ(int(image[8]), version - 2); // EI_ABIVERSION (LLVM's AMDGPUUsage, "ELF Header")
      Machine machine(chip);
      REQUIRE(machine.load(image) == LoadStatus::Ok);
      // The argument that is there from 5 on.
      bool hidden = false;
      for (const KernelArgument &argument : machine.module->findKernel("sizes")->info().arguments)
        hidden |= argument.valueKind == "hidden_group_size_x";
      CHECK_EQ(hidden, version > 4);
      runs(machine, what);
      Machine other(chip);
      const std::string target = std::string("hipv4-amdgcn-amd-amdhsa--");
      REQUIRE(other.load(bundle({{"host-x86_64-unknown-linux--", {}},
                                 {target + "gfx803", std::vector<uint8_t>(64, 1)},
                                 {target + chip, image}})) == LoadStatus::Ok);
      runs(other, what + ", in a bundle");
    }
}

// What no version is: said with its number.
UNIT_TEST(other_versions) {
  for (int abi : {0, 1, 5, 255}) {
    std::vector<uint8_t> image = compile("gfx942", 5);
    REQUIRE(image.size() > 16);
    image[8] = uint8_t(abi);
    Machine machine("gfx942");
    CHECK(machine.load(image) == LoadStatus::NotAnImage);
    CHECK(machine.message.find("version " + std::to_string(abi)) != std::string::npos);
  }
}

UNIT_TEST_MAIN
