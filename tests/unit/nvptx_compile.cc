// PTX of usual kernels for every NVIDIA GPU of the table: what it says of itself, how it loads,
// multiplies and waits, and what LLVM is kept from. test-timeout: 600
#include "codegen/targets.h"
#include "unit/amdgpu_compile.h"
#include "unit/amdgpu_kernels.h"
#include "unit/unit_test.h"

using namespace unit;

namespace {

size_t count(const std::string &text, const std::string &word) {
  size_t found = 0;
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
    ++found;
  return found;
}

/// The code, or a failure.
tl::TargetCode compile(const std::string &text, const std::string &chip,
                       const CompileOptions &options = {}) {
  auto code = compileText(text, chip, options);
  if (code.ok())
    return *code;
  fail(__FILE__, __LINE__, chip + ": " + code.error().message + "\n" + text);
  return {};
}

std::string ptxOf(const std::string &text, const std::string &chip = "sm_80",
                  const CompileOptions &options = {}) {
  const tl::TargetCode code = compile(text, chip, options);
  return std::string(code.code.begin(), code.code.end());
}

} // namespace

UNIT_TEST(every_chip_and_level) {
  const std::string text = dot({64, 64, 32}, "f16", "f16", "f32");
  for (const tl::NvidiaChip &chip : tl::nvidiaChips())
    for (int level = 0; level <= 3; ++level) {
      const tl::TargetCode code = compile(text, std::string(chip.name), {.optLevel = level});
      REQUIRE(!code.code.empty());
      // One text that ends at its only zero byte.
      CHECK_EQ(std::string(reinterpret_cast<const char *>(code.code.data())).size() + 1,
               code.code.size());
      const std::string ptx(code.code.begin(), code.code.end());
      CHECK_EQ(count(ptx, ".target " + std::string(chip.name) + "\n"), size_t(1));
      CHECK_EQ(count(ptx, ".visible .entry k("), size_t(1));
      CHECK_EQ(count(ptx, ".reqntid " + std::to_string(code.threads) + ", 1, 1"), size_t(1));
      CHECK_EQ(code.waveSize, 32u);
      // Shared memory is what the launch gives, however much it is.
      CHECK_EQ(count(ptx, ".extern .shared .align 16 .b8 tl$shared[];"), size_t(1));
      CHECK_EQ(count(ptx, ".shared .align"), size_t(1));
      CHECK(code.ldsBytes >= (64 + 64) * 32 * 2 && code.ldsBytes <= chip.sharedBytes);
    }
}

UNIT_TEST(dots_by_matrix_instructions) {
  struct Case {
    const char *a, *b, *result, *instruction;
  };
  for (const Case &c :
       {Case{"f16", "f16", "f32", "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"},
        Case{"bf16", "bf16", "f32", "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32"},
        Case{"i8", "u8", "i32", "mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32"}}) {
    const std::string ptx = ptxOf(dot({64, 64, 64}, c.a, c.b, c.result));
    // 16 blocks over the waves, two halves each, in a loop over K.
    CHECK(count(ptx, c.instruction) > 0);
    CHECK_EQ(count(ptx, "fma.rn.f32"), size_t(0));
    CHECK_EQ(count(ptx, ".local"), size_t(0));
  }
  CHECK_EQ(count(ptxOf(dot({32, 32, 16}, "f32", "f32", "f32")), "mma.sync"), size_t(0));
}

UNIT_TEST(accesses_are_wide) {
  const std::string ptx = ptxOf(unary({64, 64}, "f32", "  %r = add %x, 1.0", {64, 64}, "f32"));
  CHECK(count(ptx, "ld.global.v4.b32") > 0);
  CHECK(count(ptx, "st.global.v4.b32") > 0);
}

UNIT_TEST(lines_are_told) {
  const std::string text = unary({64}, "f32", "  %r = add %x, 1.0", {64}, "f32");
  CHECK(count(ptxOf(text), ".loc") > 0);
  CHECK_EQ(count(ptxOf(text), ".file"), size_t(1));
  CHECK_EQ(count(ptxOf(text, "sm_80", {.debugInfo = false}), ".loc"), size_t(0));
}

/// What LLVM 22 would make of these is wrong: see codegen/llvm/wide_shifts.h and double_signs.h.
UNIT_TEST(what_llvm_is_kept_from) {
  for (const char *shift : {"shl", "shr"}) {
    const std::string ptx = ptxOf(unary(
        {64}, "u64", std::string("  %b = mul %x, 77\n  %r = ") + shift + " %b, %x", {64}, "u64"));
    // The amount is compared with 64 as a whole.
    CHECK(count(ptx, "setp.") > 0 && count(ptx, "selp.b64") > 0);
  }
  for (const char *change : {"neg", "abs"}) {
    const std::string ptx = ptxOf(unary(
        {63}, "f64",
        std::string("  %b = ") + change + " %x\n  %d = cmp eq %x, 7.0\n  %r = select %d, %b, 1e-5",
        {63}, "f64"));
    CHECK_EQ(count(ptx, std::string(change) + ".f64"), size_t(0));
  }
  const std::string ptx = ptxOf(dot({64, 64, 32}, "f16", "f16", "f32"));
  CHECK(count(ptx, "barrier.sync") > 0);
  CHECK_EQ(count(ptx, "bar.sync"), size_t(0));
}

UNIT_TEST(unknown_chips) {
  auto code = compileText(unary({64}, "f32", "  %r = add %x, 1.0", {64}, "f32"), "sm_999");
  REQUIRE(!code.ok());
  CHECK(code.error().status == TL_E_UNKNOWN_TARGET);
  CHECK_EQ(code.error().message, "no code generator for 'nvptx:sm_999'; NVIDIA GPUs known: sm_80, "
                                 "sm_86, sm_89, sm_90");
}

UNIT_TEST_MAIN
