// Measures the mathematical functions against MPFR: all values of f16 and bf16, a million random
// and all edge values of f32 and f64. TL_PRINT_TABLE=1 prints the table of docs/numerics.md.
// test-timeout: 300
#include "codegen/llvm/math/math.h"
#include "codegen/llvm/emitter.h"
#include "unit/llvm_kernel.h"
#include "unit/unit_test.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <mpfr.h>
#include <random>

using namespace tl;

namespace {

struct Function {
  const char *name;
  Opcode opcode;
  int (*reference)(mpfr_t, const mpfr_t, mpfr_rnd_t);
  double low, high; // where results are neither 0 nor infinite, for random arguments
  bool positive;    // arguments spread over the exponents of positive numbers, not over [low, high]
  double bound;     // ulp, f32 and f64
};

int exactSqrt(mpfr_t r, const mpfr_t x, mpfr_rnd_t mode) { return mpfr_sqrt(r, x, mode); }
int rsqrt(mpfr_t r, const mpfr_t x, mpfr_rnd_t mode) {
  // MPFR gives +infinity for -0; IEEE's rSqrt and ours -infinity.
  if (mpfr_zero_p(x)) {
    mpfr_set_inf(r, mpfr_signbit(x) ? -1 : 1);
    return 0;
  }
  return mpfr_rec_sqrt(r, x, mode);
}

const Function functions[] = {
    {"exp", Opcode::Exp, mpfr_exp, -750, 712, false, 1},
    {"exp2", Opcode::Exp2, mpfr_exp2, -1080, 1026, false, 1},
    {"log", Opcode::Log, mpfr_log, 0, 0, true, 1},
    {"log2", Opcode::Log2, mpfr_log2, 0, 0, true, 1},
    {"sqrt", Opcode::Sqrt, exactSqrt, 0, 0, true, 0.5},
    {"rsqrt", Opcode::Rsqrt, rsqrt, 0, 0, true, 1},
    {"tanh", Opcode::Tanh, mpfr_tanh, -25, 25, false, 1},
};

// A format's values as doubles. f16 and bf16 are stored in 16 bits.
struct Format {
  DType type;
  int precision, minExponent, maxExponent; // of the smallest normal and the largest number
  unsigned bytes;
};
const Format formats[] = {
    {DType::F16, 11, -14, 15, 2},
    {DType::BF16, 8, -126, 127, 2},
    {DType::F32, 24, -126, 127, 4},
    {DType::F64, 53, -1022, 1023, 8},
};

double decode(const Format &format, uint64_t bits) {
  if (format.bytes == 8) {
    double d;
    std::memcpy(&d, &bits, 8);
    return d;
  }
  if (format.type == DType::F16) {
    int exponent = int(bits >> 10 & 31), fraction = int(bits & 1023);
    double magnitude = exponent == 31 ? (fraction ? NAN : INFINITY)
                       : exponent     ? std::ldexp(1024 + fraction, exponent - 25)
                                      : std::ldexp(fraction, -24);
    return bits & 0x8000 ? -magnitude : magnitude;
  }
  uint32_t word = uint32_t(format.type == DType::BF16 ? bits << 16 : bits);
  float f;
  std::memcpy(&f, &word, 4);
  return f;
}

uint64_t load(const Format &format, const std::vector<uint8_t> &bytes, size_t index) {
  uint64_t bits = 0;
  std::memcpy(&bits, bytes.data() + index * format.bytes, format.bytes);
  return bits;
}

// The error of `got` in ulps of the format at the exact result; infinite if special values differ.
double errorInUlps(const Format &format, const mpfr_t exact, double got) {
  if (mpfr_nan_p(exact) || std::isnan(got))
    return mpfr_nan_p(exact) && std::isnan(got) ? 0 : INFINITY;
  if (mpfr_inf_p(exact))
    return std::isinf(got) && (got > 0) == (mpfr_sgn(exact) > 0) ? 0 : INFINITY;
  if (mpfr_zero_p(exact))
    return got == 0 && std::signbit(got) == (mpfr_signbit(exact) != 0) ? 0 : INFINITY;
  long exponent = std::max<long>(mpfr_get_exp(exact) - 1, format.minExponent);
  exponent = std::min<long>(exponent, format.maxExponent);
  if (std::isinf(got) && mpfr_get_exp(exact) > format.maxExponent + 1 &&
      (got > 0) == (mpfr_sgn(exact) > 0))
    return 0;
  mpfr_t difference;
  mpfr_init2(difference, 200);
  if (std::isinf(got)) // an infinity counts as the number after the largest
    mpfr_set_si_2exp(difference, got > 0 ? 1 : -1, format.maxExponent + 1, MPFR_RNDN);
  else
    mpfr_set_d(difference, got, MPFR_RNDN);
  mpfr_sub(difference, difference, exact, MPFR_RNDN);
  mpfr_mul_2si(difference, difference, format.precision - 1 - exponent, MPFR_RNDN);
  double ulps = std::fabs(mpfr_get_d(difference, MPFR_RNDN));
  mpfr_clear(difference);
  return ulps;
}

std::vector<uint64_t> arguments(const Format &format, const Function &function) {
  std::vector<uint64_t> values;
  if (format.bytes == 2) {
    for (uint64_t bits = 0; bits < 65536; ++bits)
      values.push_back(bits);
    return values;
  }
  bool isDouble = format.bytes == 8;
  auto push = [&](double d) {
    uint64_t bits = 0;
    float f = float(d);
    if (isDouble)
      std::memcpy(&bits, &d, 8);
    else
      std::memcpy(&bits, &f, 4);
    values.push_back(bits);
  };
  std::mt19937_64 random(uint64_t(function.opcode) * 4 + format.bytes);
  auto uniform = [&] { return double(random() >> 11) * 0x1p-53; };
  int total = 1000000;
  for (int i = 0; i < total; ++i) {
    if (i % 4 == 0) { // any bits: denormal numbers, NaN, both signs
      values.push_back(isDouble ? random() : random() & 0xffffffff);
    } else if (i % 4 == 1) { // near 1 and near 0
      push((i & 8 ? 0.5 : 0) + uniform() * 1.5);
    } else if (function.positive) {
      push(std::ldexp(1 + uniform(),
                      isDouble ? int(random() % 2098) - 1074 : int(random() % 277) - 149));
    } else {
      double scale = isDouble || function.opcode == Opcode::Tanh ? 1 : 0.14;
      push((function.low + (function.high - function.low) * uniform()) * scale *
           (i % 16 == 2 ? 0.01 : 1));
    }
  }
  // Neighbourhoods of special places.
  double largest =
      isDouble ? std::numeric_limits<double>::max() : std::numeric_limits<float>::max();
  for (double centre : std::initializer_list<double>{0.0,
                                                     1.0,
                                                     2.0,
                                                     4.0,
                                                     0.5,
                                                     std::sqrt(0.5),
                                                     std::sqrt(2.0),
                                                     88.72283935546875,
                                                     709.782712893384,
                                                     -87.33654785,
                                                     -103.97207642,
                                                     -708.3964185322641,
                                                     -745.1332191019411,
                                                     -126.0,
                                                     -149.0,
                                                     -150.0,
                                                     128.0,
                                                     1024.0,
                                                     -1022.0,
                                                     -1074.0,
                                                     -1075.0,
                                                     9.0109138,
                                                     19.0615474,
                                                     0x1p-126,
                                                     0x1p-1022,
                                                     largest,
                                                     -largest,
                                                     -0.0,
                                                     -1.0,
                                                     INFINITY,
                                                     -INFINITY,
                                                     NAN}) {
    push(centre);
    uint64_t bits = values.back();
    for (uint64_t step = 1; step < 200; ++step)
      for (uint64_t near : {bits + step, bits - step})
        values.push_back(isDouble ? near : near & 0xffffffff);
  }
  while (values.size() % 8)
    values.push_back(0);
  return values;
}

std::string loopName(const Function &function, const Format &format, unsigned lanes) {
  return std::string(function.name) + "_" + std::string(dtypeText(format.type)) + "_" +
         std::to_string(lanes);
}

void addLoops(llvm::Module &module, TargetFamily family) {
  for (const Function &function : functions)
    for (const Format &format : formats)
      for (unsigned lanes : {0u, 8u}) {
        llvm::IRBuilder<> types(module.getContext());
        EmitterOptions options{true, family == TargetFamily::Amdgcn};
        llvm::Type *element = ElementEmitter(types, options).memoryType(format.type);
        unit::addLoop(module, family, loopName(function, format, lanes), {element}, lanes,
                      [&](llvm::IRBuilder<> &ir, const std::vector<llvm::Value *> &values) {
                        return ElementEmitter(ir, options)
                            .emit(function.opcode, values, format.type, format.type);
                      });
      }
}

using Loop = void(const void *, void *, int64_t);

struct Measured {
  double ulps = 0;
  uint64_t argument = 0;
  bool vectorDiffers = false;
};

Measured measure(unit::Image &image, const Function &function, const Format &format) {
  std::vector<uint64_t> values = arguments(format, function);
  std::vector<uint8_t> input(values.size() * format.bytes), output(input.size()),
      vectorOutput(input.size());
  for (size_t i = 0; i < values.size(); ++i)
    std::memcpy(input.data() + i * format.bytes, &values[i], format.bytes);
  image.find<Loop>(loopName(function, format, 0).c_str())(input.data(), output.data(),
                                                          int64_t(values.size()));
  image.find<Loop>(loopName(function, format, 8).c_str())(input.data(), vectorOutput.data(),
                                                          int64_t(values.size()));
  Measured result;
  mpfr_t x, exact;
  mpfr_init2(x, 53);
  mpfr_init2(exact, 53 + 24);
  for (size_t i = 0; i < values.size(); ++i) {
    double got = decode(format, load(format, output, i)),
           lane = decode(format, load(format, vectorOutput, i));
    if (std::memcmp(&got, &lane, 8) != 0 && !(std::isnan(got) && std::isnan(lane)))
      result.vectorDiffers = true;
    mpfr_set_d(x, decode(format, values[i]), MPFR_RNDN);
    function.reference(exact, x, MPFR_RNDN);
    double ulps = errorInUlps(format, exact, got);
    if (ulps > result.ulps) {
      result.ulps = ulps;
      result.argument = values[i];
    }
  }
  mpfr_clear(x);
  mpfr_clear(exact);
  return result;
}

} // namespace

UNIT_TEST(functions_are_within_their_bounds) {
  unit::Image image;
  REQUIRE_BUILT(image.build(addLoops));
  bool table = std::getenv("TL_PRINT_TABLE");
  for (const Function &function : functions) {
    std::string row = "| " + std::string(function.name);
    for (const Format &format : formats) {
      Measured measured = measure(image, function, format);
      double bound = format.bytes == 2 ? 0.51 : function.bound;
      if (!(measured.ulps <= bound))
        unit::fail(__FILE__, __LINE__,
                   formatString("%s %s: %.4f ulp at %.17g (0x%llx), bound %.2f", function.name,
                                std::string(dtypeText(format.type)).c_str(), measured.ulps,
                                decode(format, measured.argument),
                                (unsigned long long)measured.argument, bound));
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
