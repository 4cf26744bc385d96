// Occupancy in reports against published facts: amd_chips.json in TL_HARDWARE_FACTS or
// ../shared/data beside the sources.
#include "emu_test.h"

#include <nlohmann/json.hpp>

#include <sstream>

using namespace emutest;
using nlohmann::json;

namespace {

using u32 = uint32_t;

struct Shape {
  u32 registers, lds, threads, waveSize;
};

/// A code object with a kernel "k_N" for each shape, which does nothing.
std::string assemblyOf(const std::string &chip, const std::vector<Shape> &shapes) {
  std::ostringstream code, metadata;
  code << ".amdgcn_target \"amdgcn-amd-amdhsa--" << chip << "\"\n.text\n";
  metadata << ".amdgpu_metadata\n---\namdhsa.version: [1, 2]\namdhsa.kernels:\n";
  const bool cdna = chip.rfind("gfx9", 0) == 0;
  for (size_t i = 0; i < shapes.size(); ++i) {
    const Shape &shape = shapes[i];
    std::string name = "k_" + std::to_string(i);
    code << ".globl " << name << "\n.p2align 8\n.type " << name << ",@function\n"
         << name << ":\ns_endpgm\n.rodata\n.p2align 6\n.amdhsa_kernel " << name
         << "\n  .amdhsa_group_segment_fixed_size " << shape.lds << "\n  .amdhsa_next_free_vgpr "
         << shape.registers << "\n  .amdhsa_next_free_sgpr 16\n";
    if (cdna)
      code << "  .amdhsa_accum_offset " << std::min(256u, (shape.registers + 3) / 4 * 4) << "\n";
    else
      code << "  .amdhsa_wavefront_size32 " << (shape.waveSize == 32) << "\n";
    code << ".end_amdhsa_kernel\n.text\n";
    metadata << "  - .name: " << name << "\n    .symbol: " << name
             << ".kd\n    .kernarg_segment_size: 0\n    .kernarg_segment_align: 8\n"
                "    .group_segment_fixed_size: "
             << shape.lds
             << "\n    .private_segment_fixed_size: 0\n    .wavefront_size: " << shape.waveSize
             << "\n    .sgpr_count: 16\n    .vgpr_count: " << shape.registers
             << "\n    .max_flat_workgroup_size: 1024\n    .args: []\n";
  }
  return code.str() + metadata.str() + "...\n.end_amdgpu_metadata\n";
}

json facts() {
  const char *given = std::getenv("TL_HARDWARE_FACTS"), *source = std::getenv("TL_SOURCE_DIR");
  std::filesystem::path directory =
      given ? std::filesystem::path(given)
            : std::filesystem::path(source ? source : ".") / ".." / "shared" / "data";
  std::ifstream in(directory / "amd_chips.json");
  return in ? json::parse(in, nullptr, false) : json();
}

/// Runs all shapes and gives "occupancy" of the report, by kernel.
std::map<std::string, json> run(const std::string &chip, const std::vector<Shape> &shapes) {
  Options options;
  options.profile = true;
  options.threads = 1;
  Machine machine(chip, options);
  std::map<std::string, json> found;
  if (machine.load(assemble(assemblyOf(chip, shapes), chip)) != LoadStatus::Ok) {
    unit::fail(__FILE__, __LINE__, chip + ": " + machine.message);
    return found;
  }
  for (size_t i = 0; i < shapes.size(); ++i)
    CHECK_EQ(machine.launch("k_" + std::to_string(i), {1}, {shapes[i].threads}).message, "");
  const json report = json::parse(machine.emulator->report(ReportFormat::Json));
  for (const json &one : report["occupancy"])
    found[one["kernel"]] = one;
  return found;
}

void checkRegisters(const std::string &chip, const json &steps, u32 waveSize) {
  // The most registers that allow a number of waves, and one more.
  std::vector<Shape> shapes;
  std::vector<u32> expected;
  for (size_t i = 0; i < steps.size(); ++i) {
    u32 registers = steps[i][0], waves = steps[i][1];
    shapes.push_back({registers, 0, waveSize, waveSize});
    expected.push_back(waves);
    if (i + 1 < steps.size()) {
      shapes.push_back({registers + 1, 0, waveSize, waveSize});
      expected.push_back(steps[i + 1][1]);
    }
  }
  auto found = run(chip, shapes);
  for (size_t i = 0; i < shapes.size(); ++i) {
    const json &one = found["k_" + std::to_string(i)];
    if (one.is_null() || one["waves_by_registers"] != expected[i] ||
        one["waves_per_simd"] != double(expected[i]))
      unit::fail(__FILE__, __LINE__,
                 chip + ", waves of " + std::to_string(waveSize) + ", " +
                     std::to_string(shapes[i].registers) + " registers: " + one.dump() +
                     ", published: " + std::to_string(expected[i]));
  }
}

void checkLds(const std::string &chip, const json &target, u32 waveSize) {
  const u32 total = target["lds_bytes_per_workgroup"]["v"],
            granule = target["lds_alloc_granule_bytes"]["v"], simds = target["simds_per_cu"]["v"],
            most = target["max_waves_per_simd"]["v"];
  std::vector<Shape> shapes;
  for (u32 lds : {1u, granule, granule + 1, 8192u, total / 3, total / 2, total / 2 + 1, total})
    shapes.push_back({16, lds, 256, waveSize});
  auto found = run(chip, shapes);
  for (size_t i = 0; i < shapes.size(); ++i) {
    const json &one = found["k_" + std::to_string(i)];
    u32 taken = (shapes[i].lds + granule - 1) / granule * granule, byLds = total / taken,
        groups = std::min(byLds, most * simds / (256 / waveSize));
    if (one.is_null() || one["workgroups_by_lds"] != byLds ||
        one["workgroups_per_compute_unit"] != groups)
      unit::fail(__FILE__, __LINE__,
                 chip + ", " + std::to_string(shapes[i].lds) + " bytes of LDS: " + one.dump() +
                     ", published: " + std::to_string(groups));
  }
}

} // namespace

UNIT_TEST(occupancy_is_the_published_one) {
  json all = facts();
  if (!all.is_object())
    SKIP("no amd_chips.json");
  for (const char *chip : {"gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201"}) {
    const json &target = all["targets"][chip];
    json steps = target.value("vgprs_to_waves", json::object()).value("v", json());
    if (steps.is_null()) {
      unit::fail(__FILE__, __LINE__, std::string(chip) + ": no vgprs_to_waves");
      continue;
    }
    if (steps.is_array()) {
      checkRegisters(chip, steps, 64);
      checkLds(chip, target, 64);
    } else {
      checkRegisters(chip, steps["w32"], 32);
      checkRegisters(chip, steps["w64"], 64);
      checkLds(chip, target, 32);
    }
  }
}

// By hand: 64 registers on gfx942 are 8 waves a SIMD; 16 KB of LDS allow 4 workgroups of 4 waves on
// 4 SIMDs.
UNIT_TEST(occupancy_in_text) {
  Options options;
  options.profile = true;
  Machine machine("gfx942", options);
  REQUIRE(machine.load(assemble(assemblyOf("gfx942", {{64, 16384, 256, 64}}), "gfx942")) ==
          LoadStatus::Ok);
  CHECK_EQ(machine.launch("k_0", {1}, {256}).message, "");
  std::string report = machine.emulator->report(ReportFormat::Text),
              wanted = "occupancy: k_0: 256 threads: 4 of 8 waves on a SIMD, 4 workgroups on a "
                       "compute unit; registers allow 8 waves, LDS 4 workgroups\n";
  if (report.find(wanted) == std::string::npos)
    unit::fail(__FILE__, __LINE__, report);
}

UNIT_TEST_MAIN
