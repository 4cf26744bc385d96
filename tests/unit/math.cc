// Measures the mathematical functions against MPFR: all values of f16 and bf16, a million random
// ones (TL_MATH_SAMPLES) and the neighbourhoods of special places of f32 and f64. TL_PRINT_TABLE=1
// prints the table of docs/numerics.md, TL_MATH_ONLY=NAME tests one function.
// test-timeout: 900, test-label: slow
#include "codegen/llvm/math/math.h"
#include "codegen/llvm/emitter.h"
#include "unit/llvm_kernel.h"
#include "unit/math_functions.h"
#include "unit/unit_test.h"

#include <cstdlib>

using namespace tl;
using namespace mathtest;

namespace {

std::string loopName(const Function &function, const Format &format, unsigned lanes) {
  return std::string(function.name) + "_" + std::string(dtypeText(format.type)) + "_" +
         std::to_string(lanes);
}

void addLoops(llvm::Module &module, TargetFamily family) {
  const char *only = std::getenv("TL_MATH_ONLY");
  for (const Function &function : functions)
    for (const Format &format : formats)
      for (unsigned lanes : {0u, 8u}) {
        if (only && only != std::string(function.name))
          continue;
        llvm::IRBuilder<> types(module.getContext());
        EmitterOptions options{true, family == TargetFamily::Amdgcn};
        llvm::Type *element = ElementEmitter(types, options).memoryType(format.type);
        unit::addLoop(module, family, loopName(function, format, lanes),
                      std::vector<llvm::Type *>(function.binary ? 2 : 1, element), lanes,
                      [&](llvm::IRBuilder<> &ir, const std::vector<llvm::Value *> &values) {
                        return ElementEmitter(ir, options)
                            .emit(function.opcode, values, format.type, format.type);
                      });
      }
}

/// Random values of f32 and f64 for each function.
unsigned samples() {
  const char *text = std::getenv("TL_MATH_SAMPLES");
  return text ? unsigned(std::strtoul(text, nullptr, 10)) : 1000000;
}

struct Measured {
  double ulps = 0;
  uint64_t first = 0, second = 0;
  bool vectorDiffers = false;
};

/// What a loop gives for the arguments.
std::vector<uint8_t> run(unit::Image &image, const std::string &name,
                         const std::vector<uint8_t> &first, const std::vector<uint8_t> &second,
                         size_t count) {
  std::vector<uint8_t> output(first.size());
  if (second.empty())
    image.find<void(const void *, void *, int64_t)>(name.c_str())(first.data(), output.data(),
                                                                  int64_t(count));
  else
    image.find<void(const void *, const void *, void *, int64_t)>(name.c_str())(
        first.data(), second.data(), output.data(), int64_t(count));
  return output;
}

Measured measure(unit::Image &image, const Function &function, const Format &format) {
  std::vector<uint64_t> first = arguments(format, function, samples()), second;
  if (function.binary)
    second = exponents(format, first);
  std::vector<uint8_t> x = store(format, first), y = store(format, second);
  auto output = run(image, loopName(function, format, 0), x, y, first.size());
  auto vectorOutput = run(image, loopName(function, format, 8), x, y, first.size());
  Measured result;
  mpfr_t a, b, exact;
  mpfr_init2(a, 53);
  mpfr_init2(b, 53);
  mpfr_init2(exact, 53 + 24);
  for (size_t i = 0; i < first.size(); ++i) {
    double got = decode(format, load(format, output, i)),
           lane = decode(format, load(format, vectorOutput, i));
    if (std::memcmp(&got, &lane, 8) != 0 && !(std::isnan(got) && std::isnan(lane)))
      result.vectorDiffers = true;
    mpfr_set_d(a, decode(format, first[i]), MPFR_RNDN);
    if (function.binary) {
      mpfr_set_d(b, decode(format, second[i]), MPFR_RNDN);
      function.binary(exact, a, b, MPFR_RNDN);
    } else {
      function.reference(exact, a, MPFR_RNDN);
    }
    double ulps = errorInUlps(format, exact, got);
    if (ulps > result.ulps)
      result = {ulps, first[i], function.binary ? second[i] : 0, result.vectorDiffers};
  }
  for (auto *number : {&a, &b, &exact})
    mpfr_clear(*number);
  return result;
}

} // namespace

UNIT_TEST(functions_are_within_their_bounds) {
  unit::Image image;
  REQUIRE_BUILT(image.build(addLoops));
  bool table = std::getenv("TL_PRINT_TABLE");
  const char *only = std::getenv("TL_MATH_ONLY");
  for (const Function &function : functions) {
    if (only && only != std::string(function.name))
      continue;
    std::string row = "| " + std::string(function.name);
    for (const Format &format : formats) {
      Measured measured = measure(image, function, format);
      double bound = format.bytes == 2 ? function.smallBound : function.bound;
      if (!(measured.ulps <= bound))
        unit::fail(__FILE__, __LINE__,
                   formatString("%s %s: %.4f ulp at %.17g, %.17g (0x%llx, 0x%llx), bound %.2f",
                                function.name, std::string(dtypeText(format.type)).c_str(),
                                measured.ulps, decode(format, measured.first),
                                decode(format, measured.second), (unsigned long long)measured.first,
                                (unsigned long long)measured.second, bound));
      CHECK(!measured.vectorDiffers);
      row += formatString(" | %.4f", measured.ulps);
    }
    if (table)
      std::printf("%s |\n", row.c_str());
  }
}

UNIT_TEST(functions_compile_for_every_chip) {
  for (const char *chip :
       {"amdgcn:gfx90a", "amdgcn:gfx942", "amdgcn:gfx950", "amdgcn:gfx1100", "amdgcn:gfx1201"}) {
    unit::Image object;
    CHECK_EQ(object.build(addLoops, chip), std::string());
  }
}

UNIT_TEST_MAIN
