// Every operation and element type compiles for every AMD chip, without scratch memory for tiles of
// usual size. test-timeout: 900
#include "unit/amdgpu_compile.h"
#include "codegen/gpu/kernel.h"
#include "unit/amdgpu_kernels.h"
#include "unit/unit_test.h"

using namespace unit;

namespace {

/// Compiles for all main chips; nothing may spill.
void checkAll(const std::string &text, const CompileOptions &options = {}) {
  for (const char *chip : mainChips) {
    auto code = compileText(text, chip, options);
    if (!code.ok()) {
      fail(__FILE__, __LINE__, std::string(chip) + ": " + code.error().message + "\n" + text);
      continue;
    }
    if (code->use.scratchBytes != 0 || code->use.vgprSpills != 0)
      fail(__FILE__, __LINE__,
           std::string(chip) + ": " + std::to_string(code->use.scratchBytes) +
               " bytes of scratch\n" + text);
  }
}

} // namespace

UNIT_TEST(elementwise_operations) {
  for (const std::string &type : numberTypes) {
    bool isFloat = type.find('f') != std::string::npos;
    std::string lines =
        "  %b = add %x, 3\n  %d = mul %b, %x\n  %e = sub %d, 1\n"
        "  %f = max %e, %x\n  %g = min %f, %b\n  %h = cmp lt %g, %x\n"
        "  %i = neg %g\n  %j = abs %i\n  %k = div %j, %x\n  %s = select %h, %k, %e\n";
    lines += isFloat ? "  %l = fma %s, %x, %b\n  %m = exp %l\n  %n = exp2 %m\n  %o = log %n\n"
                       "  %p = log2 %o\n  %q = sqrt %p\n  %t = rsqrt %q\n  %r = tanh %t"
                     : "  %l = rem %s, %x\n  %m = floordiv %l, %b\n  %n = floormod %m, %b\n"
                       "  %o = ceildiv %n, %b\n  %p = and %o, %x\n  %q = or %p, %b\n"
                       "  %t = xor %q, %x\n  %u = not %t\n  %v = shl %u, %b\n  %r = shr %v, %b";
    checkAll(unary({3, 33}, type, lines, {3, 33}, type));
  }
}

UNIT_TEST(mathematical_functions) {
  for (const char *type : {"f16", "bf16", "f32", "f64"})
    checkAll(unary({3, 33}, type,
                   "  %b = rcp %x\n  %s = sigmoid %b\n  %d = expm1 %s\n  %e = log1p %d\n"
                   "  %f = sin %e\n  %g = cos %f\n  %h = tan %g\n  %i = erf %h\n"
                   "  %j = pow %i, %x\n  %k = floor %j\n  %l = add %k, %x\n  %m = ceil %l\n"
                   "  %n = add %m, %x\n  %o = round %n\n  %p = add %o, %x\n  %r = trunc %p",
                   {3, 33}, type));
}

UNIT_TEST(casts) {
  for (std::string from : numberTypes) {
    std::string lines, last = "%x";
    int n = 0;
    for (const char *to : {"i1", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f16",
                           "bf16", "f32", "f64"}) {
      std::string value = "%v" + std::to_string(n++);
      lines += "  " + value + " = cast " + last + " : " + to + "\n";
      if (std::string(to) != "i1")
        last = value;
      lines += "  " + value + "b = cast %x : " + to + "\n  " + value + "c = cast " + value +
               "b : f64\n  %s" + std::to_string(n) + " = " +
               (n == 1 ? "add " + value + "c, 0.0"
                       : "add %s" + std::to_string(n - 1) + ", " + value + "c") +
               "\n";
    }
    lines += "  %r = add " + last + ", %s" + std::to_string(n);
    checkAll(unary({100}, from, lines, {100}, "f64"));
  }
}

UNIT_TEST(shapes_and_reductions) {
  for (const char *type : {"i8", "i64", "f16", "bf16", "f32", "f64"}) {
    checkAll(unary({13, 77}, type,
                   "  %a1 = permute %x, [1, 0]\n  %b1 = reshape %a1 : tile<7x13x11x" +
                       std::string(type) + ">\n  %r = reduce max %b1, axis 1",
                   {7, 11}, type));
    checkAll(unary({64, 33}, type,
                   "  %s = reduce sum %x, axis 1\n  %e = expand_dims %s, axis 1\n"
                   "  %b = broadcast %e : tile<64x33x" +
                       std::string(type) + ">\n  %r = sub %x, %b",
                   {64, 33}, type));
    checkAll(unary({1000}, type, "  %r = reduce sum %x, axis 0", {}, type));
  }
  checkAll(unary({5, 7}, "i1", "  %y = permute %x, [1, 0]\n  %r = not %y", {7, 5}, "i1"));
}

UNIT_TEST(dots_of_every_type) {
  for (auto [a, b, c] : {std::tuple("f16", "f16", "f32"),
                         {"bf16", "bf16", "f32"},
                         {"f32", "f32", "f32"},
                         {"f64", "f64", "f64"},
                         {"i8", "u8", "i32"}}) {
    checkAll(dot({33, 20, 80}, a, b, c));
    checkAll(dot({64, 64, 32}, a, b, c));
  }
}

UNIT_TEST(gathers_scatters_and_control) {
  for (const char *type : {"i8", "f16", "i64"})
    checkAll(
        "tile 0.1\nkernel @k(%a: view<" + std::string(type) +
        ", [?, ?], [?, ?]>, %i: view<i32, [50]>, %n: i64 = 5)\n"
        "    grid [1] {\n  %rows = load %i[0] : tile<50xi32>\n  %m = cmp ne %rows, 3\n"
        "  %x = gather %a[%rows, 4], mask %m pad 1\n"
        "  %y = for %j = 0 to %n carry %v = %x {\n    %c = cmp lt %j, 3\n    %w = if %c {\n"
        "      %u = gather %a[%rows, %j]\n      yield %u\n    } else {\n      yield %v\n    }\n"
        "    yield %w\n  }\n  scatter %y, %a[%rows, %n], mask %m\n}\n");
}

/// Chips that nothing else is tested on: the code object is one for the chip, and nothing spills.
UNIT_TEST(every_chip_of_the_table) {
  const char *const chips[] = {
#define TL_AMD_CHIP(NAME, ...) #NAME,
#include "codegen/targets.def"
  };
  const std::string kernels[] = {
      unary({64, 80}, "f16",
            "  %f = cast %x : f32\n  %m = reduce max %f, axis 1\n  %e = expand_dims %m, axis 1\n"
            "  %b = broadcast %e : tile<64x80xf32>\n  %d = sub %f, %b\n  %p = exp %d\n"
            "  %r = cast %p : f16",
            {64, 80}, "f16"),
      unary({1000}, "f64", "  %l = log %x\n  %t = tanh %l\n  %r = div %t, %x", {1000}, "f64"),
      dot({64, 64, 32}, "f16", "f16", "f32"), dot({33, 20, 80}, "bf16", "bf16", "f32")};
  CHECK(std::size(chips) >= 14);
  for (const char *chip : chips)
    for (const std::string &text : kernels) {
      auto code = compileText(text, chip);
      if (!code.ok()) {
        fail(__FILE__, __LINE__, std::string(chip) + ": " + code.error().message + "\n" + text);
        continue;
      }
      std::string object(code->code.begin(), code->code.end());
      if (object.find(std::string("amdgcn-amd-amdhsa--") + chip) == std::string::npos ||
          code->use.scratchBytes != 0)
        fail(__FILE__, __LINE__, std::string(chip) + ": another chip's code, or scratch\n" + text);
    }
}

UNIT_TEST_MAIN
