// What the machine code of usual kernels must look like on every chip: all lanes at work, wide
// accesses, nothing in scratch memory. test-timeout: 600
#include "codegen/amdgpu/code_object.h"
#include "codegen/targets.h"
#include "unit/amdgpu_compile.h"
#include "unit/unit_test.h"

#include <functional>
#include <regex>
#include <sstream>

using namespace unit;

namespace {

/// Instructions of a listing whose name matches.
size_t count(const std::string &assembly, const std::string &pattern) {
  std::regex line("\\n\\s+(?:" + pattern + ")\\b");
  return size_t(std::distance(std::sregex_iterator(assembly.begin(), assembly.end(), line), {}));
}

constexpr const char *wideLoad = "global_load_(?:dwordx4|b128)";
constexpr const char *wideStore = "global_store_(?:dwordx4|b128)";

const char *vectorAdd = R"(tile 0.1
kernel @vector_add(%a: view<TYPE, [%n]>, %b: view<TYPE, [%n]>, %c: view<TYPE, [%n]>, %n: i64)
    grid [ceildiv(%n, 1024)] {
  %pid = program_id 0
  %off = mul %pid, 1024
  %x = load %a[%off] : tile<1024xTYPE>
  %y = load %b[%off] : tile<1024xTYPE>
  %z = add %x, %y
  store %z, %c[%off]
}
)";

const char *softmax = R"(tile 0.1
kernel @softmax(%x: view<f32, [%rows, %n]>, %y: view<f32, [%rows, %n]>, %rows: i64, %n: i64)
    grid [%rows] {
  %row = program_id 0
  %v = load %x[%row, 0] axes [1] pad -inf : tile<2048xf32>
  %m = reduce max %v, axis 0
  %d = sub %v, %m
  %e = exp %d
  %s = reduce sum %e, axis 0
  %r = div %e, %s
  store %r, %y[%row, 0] axes [1]
}
)";

const char *rmsnorm = R"(tile 0.1
kernel @rmsnorm(%x: view<f16, [%rows, %n]>, %w: view<f16, [%n]>, %rows: i64, %n: i64)
    grid [%rows] {
  %row = program_id 0
  %v = load %x[%row, 0] axes [1] : tile<2048xf16>
  %f = cast %v : f32
  %q = mul %f, %f
  %s = reduce sum %q, axis 0
  %c = cast %n : f32
  %a = div %s, %c
  %b = add %a, 1e-6
  %k = rsqrt %b
  %g = load %w[0] : tile<2048xf16>
  %h = cast %g : f32
  %t = mul %f, %k
  %u = mul %t, %h
  %r = cast %u : f16
  store %r, %x[%row, 0] axes [1]
}
)";

const char *matmul = R"(tile 0.1
kernel @matmul(%a: view<TYPE, [%m, %k]>, %b: view<TYPE, [%k, %n]>, %c: view<f32, [%m, %n]>, %m: i64,
               %n: i64, %k: i64)
    grid [ceildiv(%n, 128), ceildiv(%m, 128)] {
  %j = program_id 0
  %i = program_id 1
  %row = mul %i, 128
  %column = mul %j, 128
  %zero = full 0.0 : tile<128x128xf32>
  %sum = for %s = 0 to %k step 32 carry %acc = %zero {
    %x = load %a[%row, %s] : tile<128x32xTYPE>
    %y = load %b[%s, %column] : tile<32x128xTYPE>
    %next = dot %x, %y, %acc
    yield %next
  }
  store %sum, %c[%row, %column]
}
)";

std::string withType(std::string text, const std::string &type) {
  for (size_t at = 0; (at = text.find("TYPE", at)) != std::string::npos;)
    text.replace(at, 4, type);
  return text;
}

void onAllChips(const std::string &text, CompileOptions options,
                const std::function<void(const tl::TargetCode &, const std::string &)> &check) {
  options.wantsAssembly = true;
  for (const char *chip : mainChips) {
    auto code = compileText(text, chip, options);
    REQUIRE_OK(code);
    CHECK_EQ(code->use.scratchBytes, 0u);
    CHECK_EQ(code->use.vgprSpills, 0u);
    check(*code, code->listings["asm"]);
  }
}

} // namespace

UNIT_TEST(vector_add_moves_16_bytes_a_lane) {
  for (auto [type, threads] : {std::pair("f32", 256u), std::pair("f16", 128u)})
    onAllChips(withType(vectorAdd, type), {},
               [&, threads = threads](const tl::TargetCode &code, const std::string &assembly) {
                 CHECK_EQ(code.threads, threads);
                 CHECK_EQ(code.ldsBytes, 0u);
                 CHECK_EQ(count(assembly, wideLoad), 2u);
                 CHECK_EQ(count(assembly, wideStore), 1u);
                 CHECK_EQ(count(assembly, "ds_\\w+"), 0u);
                 CHECK_EQ(count(assembly, "s_barrier\\w*"),
                          assembly.find("s_barrier_signal") != std::string::npos ? 2u : 1u);
               });
}

UNIT_TEST(distinct_arguments_need_no_barrier) {
  std::string text = withType(vectorAdd, "f32");
  size_t at = text.find("%c: view<f32, [%n]>");
  text.insert(at + 19, " distinct");
  onAllChips(text, {}, [](const tl::TargetCode &, const std::string &assembly) {
    CHECK_EQ(count(assembly, "s_barrier\\w*"), 0u);
  });
}

UNIT_TEST(rows_are_spread_over_all_threads) {
  onAllChips(softmax, {}, [](const tl::TargetCode &code, const std::string &assembly) {
    CHECK_EQ(code.threads, 256u);
    // 2048 elements: 8 in each thread, two vectors of 4.
    CHECK_EQ(count(assembly, wideLoad), 2u);
    CHECK_EQ(count(assembly, wideStore), 2u);
    CHECK(code.ldsBytes <= 256);
  });
  onAllChips(rmsnorm, {}, [](const tl::TargetCode &code, const std::string &assembly) {
    CHECK_EQ(code.threads, 256u);
    CHECK_EQ(count(assembly, wideLoad), 2u); // x and w, 8 halves in each thread
    CHECK_EQ(count(assembly, wideStore), 1u);
  });
}

UNIT_TEST(a_128x128_dot_has_64_accumulators_in_each_of_256_threads) {
  for (auto [type, steps] : {std::pair("f32", 4u), std::pair("f16", 8u)})
    onAllChips(withType(matmul, type), {.threads = 256},
               [steps = steps](const tl::TargetCode &code, const std::string &assembly) {
                 CHECK_EQ(code.threads, 256u);
                 CHECK(code.ldsBytes >= 16384);
                 // 128x128 in blocks of 16x16 on 4 waves, or on 8.
                 size_t mfma = count(assembly, "v_mfma_f32_16x16x\\w+"),
                        wmma = count(assembly, "v_wmma_f32_16x16x16_f16");
                 if (mfma + wmma > 0) {
                   CHECK_EQ(steps, 8u);
                   CHECK_EQ(mfma + wmma, code.waveSize == 64 ? 16u : 8u);
                   return;
                 }
                 // Packed instructions do two products, and RDNA pairs two instructions in one.
                 size_t products = count(assembly, "v_fma(?:c|ak|mk)?_f32\\w*") +
                                   count(assembly, "v_fma_mix_f32\\w*") +
                                   2 * count(assembly, "v_pk_fma_f32\\w*");
                 std::regex dual("v_dual_fmac_f32|:: v_dual_fmac_f32");
                 products += size_t(std::distance(
                     std::sregex_iterator(assembly.begin(), assembly.end(), dual), {}));
                 CHECK_EQ(products, 64u * steps);
               });
}

// What a step multiplies goes to LDS, and on to the matrix instructions, without a wait for loads:
// those in flight are the next step's.
UNIT_TEST(factors_come_while_others_are_multiplied) {
  onAllChips(withType(matmul, "f16"), {.threads = 256},
             [](const tl::TargetCode &code, const std::string &assembly) {
               std::smatch first;
               if (!std::regex_search(assembly, first, std::regex("v_mfma_\\w+|v_wmma_\\w+")))
                 return; // gfx90a: without matrix instructions
               const size_t end = size_t(first.position());
               const size_t written = std::max(assembly.rfind("ds_write", end) + 1,
                                               assembly.rfind("ds_store", end) + 1);
               REQUIRE(written != 0);
               const size_t begin = assembly.rfind("\n.LBB", written);
               const std::string step = assembly.substr(begin, end - begin);
               if (step.find("vmcnt(") != std::string::npos ||
                   step.find("s_wait_loadcnt") != std::string::npos)
                 fail(__FILE__, __LINE__, code.target + " waits for loads:" + step);
             });
}

UNIT_TEST(lines_of_the_text_are_in_the_code) {
  auto code = compileText(withType(vectorAdd, "f32"), "gfx942", {.wantsAssembly = true});
  REQUIRE_OK(code);
  const std::string &assembly = code->listings["asm"];
  CHECK(assembly.find(".loc") != std::string::npos);
  CHECK(assembly.find("vector_add.canonical.tile") != std::string::npos);
  auto plain = compileText(withType(vectorAdd, "f32"), "gfx942",
                           {.wantsAssembly = true, .debugInfo = false});
  REQUIRE_OK(plain);
  CHECK(plain->listings["asm"].find(".loc") == std::string::npos);
}

UNIT_TEST(equal_requests_give_equal_code) {
  auto first = compileText(softmax, "gfx1100"), second = compileText(softmax, "gfx1100");
  REQUIRE_OK(first);
  REQUIRE_OK(second);
  CHECK(first->code == second->code);
}

UNIT_TEST(every_chip_and_optimization_level_builds) {
  for (const tl::AmdChip &chip : tl::amdChips())
    REQUIRE_OK(compileText(withType(matmul, "f32"), std::string(chip.name)));
  for (int level : {0, 1, 3})
    REQUIRE_OK(compileText(softmax, "gfx1201", {.optLevel = level}));
}

UNIT_TEST(limits_are_named) {
  auto unknown = compileText(softmax, "gfx000");
  REQUIRE(!unknown.ok());
  CHECK_EQ(unknown.error().status, TL_E_UNKNOWN_TARGET);
  auto large = compileText("tile 0.1\nkernel @k(%a: view<f64, [1048576]>)\n    grid [1] {\n"
                           "  %x = load %a[0] : tile<1048576xf64>\n  store %x, %a[1]\n}\n",
                           "gfx942", {.threads = 64});
  REQUIRE(!large.ok());
  CHECK_EQ(large.error().status, TL_E_LIMIT);
  CHECK(large.error().message.find("32768 registers") != std::string::npos);
  auto dot =
      compileText("tile 0.1\nkernel @k(%a: view<f64, [10000, 1]>, %b: view<f64, [1, 4]>,"
                  " %c: view<f64, [10000, 4]>)\n    grid [1] {\n"
                  "  %x = load %a[0, 0] : tile<10000x1xf64>\n  %y = load %b[0, 0] : tile<1x4xf64>\n"
                  "  %z = full 0.0 : tile<10000x4xf64>\n  %r = dot %x, %y, %z\n"
                  "  store %r, %c[0, 0]\n}\n",
                  "gfx942");
  REQUIRE(!dot.ok());
  CHECK_EQ(dot.error().status, TL_E_LIMIT);
  CHECK(dot.error().message.find("65536") != std::string::npos);
}

UNIT_TEST(occupancy_follows_registers_and_lds) {
  const tl::AmdChip &cdna = *tl::findAmdChip("gfx942"), &rdna = *tl::findAmdChip("gfx1100");
  auto waves = [](const tl::AmdChip &chip, uint32_t vgprs, uint32_t lds, uint32_t threads) {
    tl::ResourceUse use;
    use.vgprs = vgprs;
    use.ldsBytes = lds;
    return tl::occupancyWaves(chip, use, threads);
  };
  CHECK_EQ(waves(cdna, 64, 0, 256), 8u);
  CHECK_EQ(waves(cdna, 65, 0, 256), 7u);
  CHECK_EQ(waves(cdna, 128, 0, 256), 4u);
  CHECK_EQ(waves(cdna, 129, 0, 256), 3u);
  CHECK_EQ(waves(cdna, 512, 0, 256), 1u);
  CHECK_EQ(waves(cdna, 32, 32768, 256), 2u);
  CHECK_EQ(waves(cdna, 32, 65536, 256), 1u);
  CHECK_EQ(waves(rdna, 96, 0, 256), 16u);
  CHECK_EQ(waves(rdna, 97, 0, 256), 12u);
  CHECK_EQ(waves(rdna, 256, 0, 256), 5u);
  CHECK_EQ(waves(rdna, 32, 65536, 256), 4u);
}

UNIT_TEST_MAIN

namespace {

/// The instructions before each one whose name matches, the nearest first.
std::vector<std::vector<std::string>> instructionsBefore(const std::string &assembly,
                                                         const std::string &pattern) {
  const std::regex wanted(pattern);
  std::vector<std::string> earlier;
  std::vector<std::vector<std::string>> found;
  std::istringstream lines(assembly);
  for (std::string line; std::getline(lines, line);) {
    size_t at = line.find_first_not_of(" \t");
    if (at == 0 || at == std::string::npos || line[at] == '.' || line[at] == ';')
      continue; // a label, a directive, a comment
    if (std::regex_search(line, wanted))
      found.push_back(earlier);
    earlier.insert(earlier.begin(), line.substr(at));
  }
  return found;
}

/// Whether a wait that matches stands there before anything that touches memory.
bool waitsBefore(const std::vector<std::string> &instructions, const std::string &pattern) {
  const std::regex wait(pattern), touches("^(?:ds|global|buffer_(?:load|store)|flat|s_load)_");
  for (const std::string &instruction : instructions) {
    if (std::regex_search(instruction, wait))
      return true;
    if (std::regex_search(instruction, touches))
      return false;
  }
  return false;
}

} // namespace

// LLVM forgets what comes round a loop when it decides what to wait for
// (codegen/llvm/kept_waits.h).
UNIT_TEST(barriers_in_loops_wait_for_shared_memory) {
  const char *transposed = R"(tile 0.1
kernel @transposed(%a: view<u8, [14, 16]>, %c: view<u8, [18, 4, 14, 3]> distinct) grid [1] {
  for %i = 0 to 5 step 2 {
    %x = load %a[0, 0] axes [1, 0] pad 111 : tile<16x17xu8>
    store %x, %c[0, 0, 0, %i] axes [2, 0]
  }
}
)";
  onAllChips(transposed, {.threads = 256}, [](const tl::TargetCode &, const std::string &assembly) {
    auto barriers = instructionsBefore(assembly, "\\bs_barrier(?:_signal)?\\b");
    REQUIRE(!barriers.empty());
    for (const auto &before : barriers)
      CHECK(waitsBefore(before, "^s_waitcnt .*lgkmcnt\\(0\\)|^s_wait_(?:loadcnt_)?dscnt 0x0"));
  });
}

UNIT_TEST(releases_in_loops_wait_for_stores) {
  const char *publish = R"(tile 0.1
kernel @publish(%p: view<i32, [?, 4096]>, %flag: view<i32, [1]> distinct, %n: i64) grid [1] {
  for %i = 0 to %n step 1 {
    %v = cast %i : i32
    atomic_store %v, %flag[0] order release
    %f = full %v : tile<4096xi32>
    store %f, %p[%i, 0] axes [1]
  }
}
)";
  onAllChips(publish, {}, [](const tl::TargetCode &, const std::string &assembly) {
    const char *wait = "^s_waitcnt .*vmcnt\\(0\\)|^s_waitcnt_vscnt null, 0x0|^s_wait_storecnt 0x0";
    auto stores = instructionsBefore(assembly, "\\bglobal_store_");
    REQUIRE(stores.size() > 1);
    CHECK(waitsBefore(stores[0], wait)); // the atomic one, by one thread
    // What other threads stored, too, is complete before that thread goes on.
    auto barriers = instructionsBefore(assembly, "\\bs_barrier(?:_signal)?\\b");
    REQUIRE(!barriers.empty());
    CHECK(waitsBefore(barriers[0], wait));
  });
}
