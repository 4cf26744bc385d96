// How fast the emulator is: a product of 512 x 512 f16 matrices with matrix instructions on two
// threads; wave instructions a second of one core in a loop of ordinary ones; and how long it takes
// to decode 5,000 of them.
#include "emu/matmul.h"

#include <algorithm>
#include <chrono>
#include <sys/resource.h>

using namespace emutest;

namespace {

/// The least of several runs, in milliseconds; of all threads together for `processor`.
struct Times {
  double wall = 1e9, processor = 1e9;
};

double processorTime() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e3 +
         double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e3;
}

void measure(Matmul &product, Times &least) {
  auto start = std::chrono::steady_clock::now();
  double processor = processorTime();
  LaunchResult result = product.run();
  std::chrono::duration<double, std::milli> wall = std::chrono::steady_clock::now() - start;
  if (result.status != LaunchStatus::Ok)
    std::printf("%s\n", result.message.c_str());
  least.wall = std::min(least.wall, wall.count());
  least.processor = std::min(least.processor, processorTime() - processor);
}

/// The instructions of elementwise code: loads and stores, arithmetic, LDS, a condition.
constexpr const char *kMixture[] = {
    "global_load_dword v4, v1, s[2:3]",
    "v_add_u32_e32 v6, v6, v0",
    "v_mul_f32_e32 v7, v5, v5",
    "v_fma_f32 v8, v5, v7, v8",
    "s_waitcnt vmcnt(0)",
    "v_add_f32_e32 v9, v4, v8",
    "v_max_f32_e32 v10, v9, v7",
    "v_and_b32_e32 v11, 0xff, v6",
    "v_lshlrev_b32_e32 v12, 2, v0",
    "v_cmp_gt_f32_e32 vcc, v9, v10",
    "v_cndmask_b32_e32 v13, v9, v10, vcc",
    "ds_write_b32 v12, v13",
    "v_or_b32_e32 v14, v11, v12",
    "v_sub_f32_e32 v15, v13, v9",
    "s_waitcnt lgkmcnt(0)",
    "ds_read_b32 v16, v12",
    "v_cvt_f32_u32_e32 v17, v14",
    "v_mul_f32_e32 v18, v17, v15",
    "s_waitcnt lgkmcnt(0)",
    "v_add_f32_e32 v5, v16, v18",
    "global_store_dword v1, v5, s[2:3]",
};

/// A kernel that runs the mixture `rounds` times: in a loop, or written out.
std::string mixtureKernel(const std::string &chip, unsigned rounds, bool loop) {
  const bool cdna = chip.rfind("gfx9", 0) == 0;
  std::string vcc = cdna ? "vcc" : "vcc_lo", text;
  std::string code = ".amdgcn_target \"amdgcn-amd-amdhsa--" + chip + "\"\n.text\n.globl k\n" +
                     ".p2align 8\n.type k,@function\nk:\n  s_load_dwordx2 s[2:3], s[0:1], 0x0\n" +
                     "  v_lshlrev_b32_e32 v1, 2, v0\n  s_movk_i32 s4, " + std::to_string(rounds) +
                     "\n  s_waitcnt lgkmcnt(0)\n";
  for (int v : {5, 6, 8})
    code += "  v_mov_b32_e32 v" + std::to_string(v) + ", 0\n";
  for (const char *line : kMixture) {
    std::string instruction = line;
    if (!cdna && instruction.rfind("v_add_u32_e32", 0) == 0)
      instruction.replace(0, 13, "v_add_nc_u32_e32");
    for (size_t at; !cdna && (at = instruction.find("vcc,")) != std::string::npos;)
      instruction.replace(at, 4, "vcc_lo,");
    if (size_t at = instruction.rfind(", vcc"); !cdna && at == instruction.size() - 5)
      instruction += "_lo";
    text += "  " + instruction + "\n";
  }
  if (loop)
    code += "again:\n" + text + "  s_sub_u32 s4, s4, 1\n  s_cmp_lg_u32 s4, 0\n" +
            "  s_cbranch_scc1 again\n";
  for (unsigned i = 0; !loop && i < rounds; ++i)
    code += text;
  return code + "  s_endpgm\n.size k, .-k\n.rodata\n.p2align 6\n.amdhsa_kernel k\n" +
         "  .amdhsa_group_segment_fixed_size 1024\n  .amdhsa_kernarg_size 8\n" +
         "  .amdhsa_user_sgpr_kernarg_segment_ptr 1\n  .amdhsa_next_free_vgpr 24\n" +
         "  .amdhsa_next_free_sgpr 16\n" +
         (cdna ? "  .amdhsa_accum_offset 24\n" : "  .amdhsa_wavefront_size32 1\n") +
         ".end_amdhsa_kernel\n.amdgpu_metadata\n---\namdhsa.version: [1, 2]\namdhsa.kernels:\n" +
         "  - .name: k\n    .symbol: k.kd\n    .kernarg_segment_size: 8\n" +
         "    .kernarg_segment_align: 8\n    .group_segment_fixed_size: 1024\n" +
         "    .private_segment_fixed_size: 0\n    .wavefront_size: " + (cdna ? "64" : "32") +
         "\n    .sgpr_count: 16\n    .vgpr_count: 24\n    .max_flat_workgroup_size: 1024\n" +
         "    .args:\n      - {.offset: 0, .size: 8, .value_kind: global_buffer, " +
         ".address_space: global}\n...\n.end_amdgpu_metadata\n";
}

/// Processor time of a launch of one workgroup of one wave.
double loopTime(Machine &machine, uint64_t memory, unsigned wave) {
  double before = processorTime();
  if (machine.launch("k", {1}, {wave}, memory).status != LaunchStatus::Ok)
    std::printf("%s\n", machine.message.c_str());
  return processorTime() - before;
}

void rates(const std::string &chip) {
  constexpr unsigned kRounds = 20000;
  const unsigned wave = chip.rfind("gfx9", 0) == 0 ? 64 : 32;
  const double instructions = (std::size(kMixture) + 3) * double(kRounds);
  auto object = assemble(mixtureKernel(chip, kRounds, true), chip);
  double rate[2] = {};
  for (bool checks : {false, true}) {
    Options options;
    options.threads = 1;
    options.checks = checks;
    Machine machine(chip, options);
    if (machine.load(object) != LoadStatus::Ok)
      std::printf("%s\n", machine.message.c_str());
    uint64_t memory = machine.upload(std::vector<float>(wave, 1.5f));
    for (int i = 0; i < 7; ++i)
      rate[checks] = std::max(rate[checks], instructions / 1e3 / loopTime(machine, memory, wave));
  }
  std::printf("%-8s %.1f million wave instructions a second and core, checked %.1f, ratio %.2f\n",
              chip.c_str(), rate[0], rate[1], rate[0] / rate[1]);
}

void decoding(const std::string &chip) {
  constexpr unsigned kRounds = 5000 / std::size(kMixture) + 1;
  auto object = assemble(mixtureKernel(chip, kRounds, false), chip);
  const unsigned wave = chip.rfind("gfx9", 0) == 0 ? 64 : 32;
  double least = 1e9;
  for (int i = 0; i < 7; ++i) {
    Options options;
    options.threads = 1;
    Machine machine(chip, options);
    uint64_t memory = machine.upload(std::vector<float>(wave, 1.5f));
    double before = processorTime();
    machine.load(object);
    loopTime(machine, memory, wave);
    least = std::min(least, processorTime() - before);
  }
  std::printf("%-8s loading, decoding and running once %zu instructions: %.1f ms\n", chip.c_str(),
              kRounds * std::size(kMixture), least);
}

void products() {
  for (const char *chip : {"gfx942", "gfx1100"})
    for (auto mode : {Options::Accumulation::Cdna, Options::Accumulation::Ordered}) {
      Options options;
      options.threads = 2;
      options.accumulation = mode;
      options.checks = false;
      Machine plainMachine(chip, options);
      Matmul plain(plainMachine, chip, 3, 512);
      options.checks = true;
      Machine checkedMachine(chip, options);
      Matmul checked(checkedMachine, chip, 3, 512);
      Times off, on;
      for (int i = 0; i < 7; ++i) { // in turn, so that both meet the same neighbours
        measure(plain, off);
        measure(checked, on);
      }
      std::printf("%-8s matmul 512 f16, %s: %.1f ms, checked %.1f ms; processor time %.1f and %.1f "
                  "ms, ratio %.2f; %zu wrong\n",
                  chip, mode == Options::Accumulation::Cdna ? "cdna model" : "in order", off.wall,
                  on.wall, off.processor, on.processor, on.processor / off.processor,
                  plain.wrong() + checked.wrong());
    }
}

} // namespace

/// A chip as argument: its rates only.
int main(int argc, char **argv) {
  for (const std::string chip : {"gfx942", "gfx1100"}) {
    if (argc > 1 && chip != argv[1])
      continue;
    rates(chip);
    decoding(chip);
  }
  if (argc == 1)
    products();
  return 0;
}
