// Every operation on every type through whole kernels, with values from mathematics.
#include "graph/philox.h"
#include "unit/combine_regions.h"
#include "unit/interp_integers.h"
#include "unit/interp_test.h"

#include <bit>

using namespace tl;
using namespace tl::test;

namespace {

constexpr double inf = INFINITY;
constexpr double notANumber = NAN;
const DType floatTypes[] = {DType::F16, DType::BF16, DType::F32, DType::F64};

std::string text(DType type) { return std::string(dtypeText(type)); }

/// A kernel that loads n elements of each operand, applies `line` (which defines %r from %a, %b,
/// %c) and stores %r as `out`.
std::string kernelText(const std::vector<DType> &operands, DType out, size_t n,
                       const std::string &line) {
  std::string e = std::to_string(n), s = "tile 0.1\nkernel @k(";
  const char *names = "abc";
  for (size_t i = 0; i < operands.size(); ++i)
    s += std::string("%p") + names[i] + ": view<" + text(operands[i]) + ", [" + e + "]>, ";
  s += "%out: view<" + text(out) + ", [" + e + "]>)\n grid [1] {\n";
  for (size_t i = 0; i < operands.size(); ++i)
    s += std::string("  %") + names[i] + " = load %p" + names[i] + "[0] : tile<" + e + "x" +
         text(operands[i]) + ">\n";
  return s + "  " + line + "\n  store %r, %out[0]\n}\n";
}

/// Results of a float operation on lists of operands.
std::vector<double> runFloats(DType type, const std::string &line,
                              std::vector<std::vector<double>> operands) {
  Launch k(kernelText(std::vector<DType>(operands.size(), type), type, operands[0].size(), line));
  const char *names[] = {"pa", "pb", "pc"};
  for (size_t i = 0; i < operands.size(); ++i)
    k.set(names[i], operands[i]);
  k.set("out", std::vector<double>(operands[0].size(), 77));
  if (!k.run())
    return {};
  return k.floats("out");
}

void expectFloats(DType type, const std::string &line, std::vector<std::vector<double>> operands,
                  std::vector<double> expected) {
  std::vector<double> got = runFloats(type, line, operands);
  REQUIRE(got.size() == expected.size());
  for (size_t i = 0; i < got.size(); ++i)
    if (!sameFloat(got[i], expected[i]))
      unit::fail(__FILE__, __LINE__,
                 line + " of " + text(type) + ", element " + std::to_string(i) + ": " +
                     std::to_string(got[i]) + " instead of " + std::to_string(expected[i]));
}

} // namespace

UNIT_TEST(float_arithmetic_corners) {
  for (DType t : floatTypes) {
    double tiny = interp::smallest(t), most = interp::largest(t);
    double next = 1 + interp::ulp(t, 1.0), half = interp::ulp(t, 1.0) / 2;
    expectFloats(t, "%r = add %a, %b",
                 {{1, inf, inf, -0.0, 0.0, most, tiny, 1, 1.5, notANumber},
                  {2, -inf, 1, -0.0, -0.0, most, -tiny, half, -1.5, 1}},
                 {3, notANumber, inf, -0.0, 0.0, inf, 0.0, 1, 0.0, notANumber});
    expectFloats(t, "%r = sub %a, %b",
                 {{1, inf, -0.0, 0.0, next, -most, 3}, {2, inf, 0.0, 0.0, half, most, notANumber}},
                 {-1, notANumber, -0.0, 0.0, 1, -inf, notANumber});
    expectFloats(t, "%r = mul %a, %b",
                 {{3, inf, 0.0, -0.0, most, tiny, tiny, -1, notANumber},
                  {-2, 0.0, -5, -5, 2, 0.5, 0.75, inf, 0}},
                 {-6, notANumber, -0.0, 0.0, inf, 0.0, tiny, -inf, notANumber});
    expectFloats(
        t, "%r = div %a, %b",
        {{1, 1, -1, 0.0, inf, inf, tiny, 6, -0.0}, {0.0, -0.0, 0.0, 0.0, inf, 2, 2, -3, 5}},
        {inf, -inf, -inf, notANumber, notANumber, inf, 0.0, -2, -0.0});
    expectFloats(t, "%r = min %a, %b",
                 {{1, -0.0, 0.0, notANumber, 1, -inf}, {2, 0.0, -0.0, 1, notANumber, inf}},
                 {1, -0.0, -0.0, notANumber, notANumber, -inf});
    expectFloats(t, "%r = max %a, %b",
                 {{1, -0.0, 0.0, notANumber, 1, -inf}, {2, 0.0, -0.0, 1, notANumber, inf}},
                 {2, 0.0, 0.0, notANumber, notANumber, inf});
    expectFloats(t, "%r = neg %a", {{1, -0.0, 0.0, inf, tiny}}, {-1, 0.0, -0.0, -inf, -tiny});
    expectFloats(t, "%r = abs %a", {{-1, -0.0, 0.0, -inf, -tiny, most}},
                 {1, 0.0, 0.0, inf, tiny, most});
    expectFloats(
        t, "%r = fma %a, %b, %c",
        {{2, next, inf, most, 0.0}, {3, next, 0.0, 2, -1}, {4, -1, 1, -most, 0.0}},
        {10, interp::roundTo(t, 2 * (next - 1) + (next - 1) * (next - 1)), notANumber, most, 0.0});
    expectFloats(t, "%r = sqrt %a", {{4, 0.0, -0.0, inf, -1, 2.25, notANumber}},
                 {2, 0.0, -0.0, inf, notANumber, 1.5, notANumber});
  }
}

UNIT_TEST(math_function_corners) {
  for (DType t : floatTypes) {
    expectFloats(t, "%r = exp %a", {{0.0, -0.0, -inf, inf, notANumber, 1e5, -1e5}},
                 {1, 1, 0.0, inf, notANumber, inf, 0.0});
    expectFloats(t, "%r = exp2 %a", {{0, 1, -3, 10, inf, -inf, notANumber}},
                 {1, 2, 0.125, 1024, inf, 0.0, notANumber});
    expectFloats(t, "%r = log %a", {{1, 0.0, -0.0, -1, inf, notANumber, -inf}},
                 {0.0, -inf, -inf, notANumber, inf, notANumber, notANumber});
    expectFloats(t, "%r = log2 %a", {{1, 2, 8, 0.25, 0.0, -2, inf}},
                 {0.0, 1, 3, -2, -inf, notANumber, inf});
    expectFloats(t, "%r = rsqrt %a", {{1, 4, 0.0, -0.0, inf, -1, notANumber, 0.0625}},
                 {1, 0.5, inf, -inf, 0.0, notANumber, notANumber, 4});
    expectFloats(t, "%r = tanh %a", {{0.0, -0.0, inf, -inf, 100, -100, notANumber}},
                 {0.0, -0.0, 1, -1, 1, -1, notANumber});
    expectFloats(t, "%r = rcp %a", {{1, -4, 0.0, -0.0, inf, -inf, notANumber}},
                 {1, -0.25, inf, -inf, 0.0, -0.0, notANumber});
    expectFloats(t, "%r = sigmoid %a", {{0.0, -0.0, inf, -inf, 100, -1e5, notANumber}},
                 {0.5, 0.5, 1, 0.0, 1, 0.0, notANumber});
    expectFloats(t, "%r = expm1 %a", {{0.0, -0.0, inf, -inf, 1e5, -100, notANumber}},
                 {0.0, -0.0, inf, -1, inf, -1, notANumber});
    expectFloats(t, "%r = log1p %a", {{0.0, -0.0, -1, -2, inf, -inf, notANumber}},
                 {0.0, -0.0, -inf, notANumber, inf, notANumber, notANumber});
    expectFloats(t, "%r = sin %a", {{0.0, -0.0, inf, -inf, notANumber}},
                 {0.0, -0.0, notANumber, notANumber, notANumber});
    expectFloats(t, "%r = cos %a", {{0.0, -0.0, inf, -inf, notANumber}},
                 {1, 1, notANumber, notANumber, notANumber});
    expectFloats(t, "%r = tan %a", {{0.0, -0.0, inf, -inf, notANumber}},
                 {0.0, -0.0, notANumber, notANumber, notANumber});
    expectFloats(t, "%r = erf %a", {{0.0, -0.0, inf, -inf, 10, -10, notANumber}},
                 {0.0, -0.0, 1, -1, 1, -1, notANumber});
  }
}

UNIT_TEST(power_corners) {
  for (DType t : floatTypes) {
    expectFloats(t, "%r = pow %a, %b",
                 {{2, 2, -2, -2, -8, 0.25, -0.5, 10}, {3, -1, 3, 2, 0.5, 0.5, -3, 0.0}},
                 {8, 0.5, -8, 4, notANumber, 0.5, -8, 1});
    // 1 whatever the other operand is.
    expectFloats(t, "%r = pow %a, %b",
                 {{notANumber, inf, -inf, 0.0, 1, 1, 1, -1, -1},
                  {0.0, -0.0, 0.0, -0.0, notANumber, inf, -inf, inf, -inf}},
                 {1, 1, 1, 1, 1, 1, 1, 1, 1});
    expectFloats(t, "%r = pow %a, %b",
                 {{notANumber, 2, -1, -1, notANumber}, {1, notANumber, notANumber, 0.5, inf}},
                 {notANumber, notANumber, notANumber, notANumber, notANumber});
    // Zeros: an odd power keeps the sign.
    expectFloats(t, "%r = pow %a, %b",
                 {{0.0, -0.0, -0.0, 0.0, -0.0, -0.0, -0.0, 0.0, -0.0, -0.0},
                  {3, 3, 2, -3, -3, -2, 0.5, -inf, -inf, inf}},
                 {0.0, -0.0, 0.0, inf, -inf, inf, 0.0, inf, inf, 0.0});
    // Infinities.
    expectFloats(t, "%r = pow %a, %b",
                 {{inf, inf, -inf, -inf, -inf, -inf, -inf, 0.5, 0.5, 2, 2, -2, -0.5},
                  {2, -2, 3, 2, -3, -2, 0.5, inf, -inf, inf, -inf, inf, inf}},
                 {inf, 0.0, -inf, inf, -0.0, 0.0, inf, 0.0, inf, inf, 0.0, inf, 0.0});
  }
}

UNIT_TEST(rounding_to_integers) {
  for (DType t : floatTypes) {
    std::vector<double> a = {1.5,   -1.5,  2.5,  0.5,        -0.5,
                             0.25,  -0.25, 0.0,  -0.0,       3,
                             -3.75, inf,   -inf, notANumber, interp::largest(t)};
    double most = interp::largest(t);
    expectFloats(t, "%r = floor %a", {a},
                 {1, -2, 2, 0.0, -1, 0.0, -1, 0.0, -0.0, 3, -4, inf, -inf, notANumber, most});
    expectFloats(t, "%r = ceil %a", {a},
                 {2, -1, 3, 1, -0.0, 1, -0.0, 0.0, -0.0, 3, -3, inf, -inf, notANumber, most});
    expectFloats(t, "%r = round %a", {a},
                 {2, -2, 2, 0.0, -0.0, 0.0, -0.0, 0.0, -0.0, 3, -4, inf, -inf, notANumber, most});
    expectFloats(t, "%r = trunc %a", {a},
                 {1, -1, 2, 0.0, -0.0, 0.0, -0.0, 0.0, -0.0, 3, -3, inf, -inf, notANumber, most});
  }
}

UNIT_TEST(math_functions_are_rounded_from_long_double) {
  std::vector<double> xs;
  for (double x = -9.75; x < 10; x += 0.375)
    xs.push_back(x);
  using Function = long double (*)(long double);
  std::pair<const char *, Function> functions[] = {
      {"exp", [](long double x) { return expl(x); }},
      {"exp2", [](long double x) { return powl(2, x); }},
      {"log", [](long double x) { return logl(x); }},
      {"log2", [](long double x) { return logl(x) / logl(2); }},
      {"rsqrt", [](long double x) { return powl(x, -0.5L); }},
      {"tanh", [](long double x) { return tanhl(x); }},
      {"rcp", [](long double x) { return 1 / x; }},
      {"sigmoid", [](long double x) { return expl(x) / (1 + expl(x)); }},
      {"expm1", [](long double x) { return expm1l(x); }},
      {"log1p", [](long double x) { return log1pl(x); }},
      {"sin", [](long double x) { return sinl(x); }},
      {"cos", [](long double x) { return cosl(x); }},
      {"tan", [](long double x) { return tanl(x); }},
      {"erf", [](long double x) { return erfl(x); }}};
  for (DType t : floatTypes)
    for (auto [name, function] : functions) {
      std::vector<double> got = runFloats(t, std::string("%r = ") + name + " %a", {xs});
      REQUIRE(got.size() == xs.size());
      for (size_t i = 0; i < xs.size(); ++i) {
        long double exact = function(xs[i]);
        if (std::isnan(exact) || std::isinf(exact) || fabsl(exact) > interp::largest(t)) {
          CHECK(!std::isfinite(got[i]));
          continue;
        }
        double half = interp::ulp(t, double(exact)) * 0.501;
        if (!(fabsl(exact - got[i]) <= half))
          unit::fail(__FILE__, __LINE__,
                     std::string(name) + " of " + text(t) + " at " + std::to_string(xs[i]));
      }
    }
}

UNIT_TEST(integer_operations) {
  std::pair<Opcode, bool> opcodes[] = {
      {Opcode::Add, true},      {Opcode::Sub, true},     {Opcode::Mul, true},
      {Opcode::Div, true},      {Opcode::Rem, true},     {Opcode::FloorDiv, true},
      {Opcode::FloorMod, true}, {Opcode::CeilDiv, true}, {Opcode::Min, true},
      {Opcode::Max, true},      {Opcode::Neg, false},    {Opcode::Abs, false},
      {Opcode::Not, false},     {Opcode::Shl, true},     {Opcode::Shr, true}};
  for (DType t : integerTypes) {
    int64_t high = int64_t(1) << (dtypeBits(t) - 1);
    std::vector<int64_t> corners = {
        0, 1, -1, 2, -2, 3, 7, -7, 31, 64, high, int64_t(uint64_t(high) - 1), high + 1};
    std::vector<int64_t> a, b;
    for (int64_t x : corners)
      for (int64_t y : corners) {
        a.push_back(x);
        b.push_back(y);
      }
    for (auto [opcode, binary] : opcodes) {
      Launch k(
          kernelText({t, t}, t, a.size(),
                     "%r = " + std::string(opInfo(opcode).text) + (binary ? " %a, %b" : " %a")));
      k.setInts("pa", a);
      k.setInts("pb", b);
      k.setInts("out", std::vector<int64_t>(a.size(), 99));
      REQUIRE(k.run());
      auto got = k.ints("out");
      auto x = k.ints("pa"), y = k.ints("pb");
      for (size_t i = 0; i < a.size(); ++i)
        if (valueOf(got[i], t) !=
            wrapped(meaning(opcode, valueOf(x[i], t), valueOf(y[i], t), t), t))
          unit::fail(__FILE__, __LINE__, std::string(opInfo(opcode).text) + " of " + text(t));
    }
  }
}

UNIT_TEST(division_by_hand) {
  // a, b, div, rem, floordiv, floormod, ceildiv
  const int64_t rows[][7] = {
      {7, 2, 3, 1, 3, 1, 4},     {-7, 2, -3, -1, -4, 1, -3}, {7, -2, -3, 1, -4, -1, -3},
      {-7, -2, 3, -1, 3, -1, 4}, {6, 3, 2, 0, 2, 0, 2},      {-6, 3, -2, 0, -2, 0, -2},
      {5, 0, 0, 5, 0, 5, 0},     {-5, 0, 0, -5, 0, -5, 0},   {-128, -1, -128, 0, -128, 0, -128}};
  const char *ops[] = {"div", "rem", "floordiv", "floormod", "ceildiv"};
  for (const auto &row : rows)
    for (int i = 0; i < 5; ++i) {
      Launch k(kernelText({DType::I8, DType::I8}, DType::I8, 1,
                          std::string("%r = ") + ops[i] + " %a, %b"));
      k.setInts("pa", {row[0]});
      k.setInts("pb", {row[1]});
      k.setInts("out", {0});
      REQUIRE(k.run());
      CHECK_EQ(k.ints("out")[0], row[2 + i]);
    }
}

UNIT_TEST(bits_and_truth_values) {
  Launch k(kernelText({DType::U8, DType::U8}, DType::U8, 4,
                      "%0 = and %a, %b\n %1 = or %0, %b\n %2 = xor %1, %a\n %r = not %2"));
  k.setInts("pa", {0x0f, 0xff, 0x00, 0xaa});
  k.setInts("pb", {0x3c, 0x0f, 0xff, 0x55});
  k.setInts("out", {0, 0, 0, 0});
  REQUIRE(k.run());
  // (a & b | b) ^ a = b ^ a, complemented.
  CHECK(k.bits("out") == (std::vector<uint64_t>{0xcc, 0x0f, 0x00, 0x00}));

  Launch t(kernelText({DType::I1, DType::I1}, DType::I1, 4,
                      "%0 = and %a, %b\n %1 = not %0\n %2 = or %1, %b\n %r = xor %2, %a"));
  t.setBits("pa", {0, 0, 1, 1});
  t.setBits("pb", {0, 1, 0, 1});
  t.setBits("out", {9, 9, 9, 9});
  REQUIRE(t.run());
  CHECK(t.bits("out") == (std::vector<uint64_t>{1, 1, 0, 0}));
}

UNIT_TEST(comparisons) {
  const char *preds[] = {"eq", "ne", "lt", "le", "gt", "ge"};
  auto run = [&](DType t, std::vector<double> a, std::vector<double> b, const char *pred) {
    Launch k(kernelText({t, t}, DType::I1, a.size(), std::string("%r = cmp ") + pred + " %a, %b"));
    k.set("pa", a);
    k.set("pb", b);
    k.setBits("out", std::vector<uint64_t>(a.size(), 5));
    std::string s;
    if (k.run())
      for (uint64_t bit : k.bits("out"))
        s += bit == 1 ? '1' : bit == 0 ? '0' : '?';
    return s;
  };
  // Pairs: less, equal, greater, -0 with +0, NaN on either side, infinities.
  const char *expected[] = {"010100001", "101011110", "100000000",
                            "110100001", "001000000", "011100001"};
  for (DType t : floatTypes)
    for (int i = 0; i < 6; ++i)
      CHECK_EQ(run(t, {1, 2, 3, -0.0, notANumber, 1, notANumber, -inf, inf},
                   {2, 2, 2, 0.0, 1, notANumber, notANumber, notANumber, inf}, preds[i]),
               std::string(expected[i]));
  const char *signedTruth[] = {"0100", "1011", "1001", "1101", "0010", "0110"};
  const char *unsignedTruth[] = {"0100", "1011", "0010", "0110", "1001", "1101"};
  for (DType t : integerTypes) // -1 is the largest unsigned value
    for (int i = 0; i < 6; ++i)
      CHECK_EQ(run(t, {-1, 5, 1, -1}, {1, 5, -1, 0}, preds[i]),
               std::string(isUnsigned(t) ? unsignedTruth[i] : signedTruth[i]));
  const char *truth[] = {"1001", "0110", "0100", "1101", "0010", "1011"};
  for (int i = 0; i < 6; ++i)
    CHECK_EQ(run(DType::I1, {0, 0, 1, 1}, {0, 1, 0, 1}, preds[i]), std::string(truth[i]));
}

UNIT_TEST(select_keeps_bits) {
  for (DType t : floatTypes) {
    unsigned bits = dtypeBits(t);
    uint64_t infinity = interp::encodeFloat(t, inf), sign = uint64_t(1) << (bits - 1);
    std::vector<uint64_t> a = {infinity | 1, infinity | 5, sign, 0}; // signalling NaNs, -0
    std::vector<uint64_t> b = {0, sign | infinity | 3, 0, sign};
    Launch k(kernelText({t, t}, t, 4,
                        "%i = iota : tile<4xi32>\n %0 = const 1 : i32\n %1 = and %i, %0\n"
                        " %2 = cast %1 : i1\n %r = select %2, %b, %a"));
    k.setBits("pa", a);
    k.setBits("pb", b);
    k.setBits("out", {1, 1, 1, 1});
    REQUIRE(k.run());
    CHECK(k.bits("out") == (std::vector<uint64_t>{a[0], b[1], a[2], b[3]}));
    CHECK(k.report.errors.empty());
  }
}

UNIT_TEST(pow_of_signalling_nan) {
  for (DType t : floatTypes) {
    uint64_t signalling = interp::encodeFloat(t, inf) | 1, one = interp::encodeFloat(t, 1);
    Launch k(kernelText({t, t}, t, 4, "%r = pow %a, %b"));
    k.setBits("pa", {signalling, one, one, interp::encodeFloat(t, 2)});
    k.setBits("pb", {0, signalling, 0, one});
    k.setBits("out", {0, 0, 0, 0});
    REQUIRE(k.run());
    CHECK(k.bits("out") == (std::vector<uint64_t>{one, one, one, interp::encodeFloat(t, 2)}));
  }
}

UNIT_TEST(casts) {
  auto cast = [](DType from, DType to, std::vector<uint64_t> bits) {
    Launch k(kernelText({from}, to, bits.size(), "%r = cast %a : " + text(to)));
    k.setBits("pa", bits);
    k.setBits("out", std::vector<uint64_t>(bits.size(), 3));
    return k.run() ? k.bits("out") : std::vector<uint64_t>{};
  };
  using Bits = std::vector<uint64_t>;
  auto f64 = [](double v) { return std::bit_cast<uint64_t>(v); };
  auto f32 = [](float v) { return uint64_t(std::bit_cast<uint32_t>(v)); };
  // Integers wrap, also between signed and unsigned.
  CHECK(cast(DType::I32, DType::I8, {300, 0xffffff80, 0x80}) == (Bits{44, 0x80, 0x80}));
  CHECK(cast(DType::I8, DType::U32, {0xff, 0x7f}) == (Bits{0xffffffff, 0x7f}));
  CHECK(cast(DType::U8, DType::I64, {0xff}) == (Bits{255}));
  CHECK(cast(DType::I1, DType::I32, {0, 1}) == (Bits{0, 1}));
  CHECK(cast(DType::I1, DType::F16, {0, 1}) == (Bits{0, 0x3c00}));
  // To truth values: anything but zero, NaN too.
  CHECK(cast(DType::I64, DType::I1, {0, 1, 256, uint64_t(-1)}) == (Bits{0, 1, 1, 1}));
  CHECK(cast(DType::F32, DType::I1, {f32(0), f32(-0.0f), f32(NAN), f32(1e-45f)}) ==
        (Bits{0, 0, 1, 1}));
  // Integers to floats round to nearest even, u64 is unsigned, overflow gives infinity.
  CHECK(cast(DType::U64, DType::F32, {~uint64_t(0), (1ull << 24) + 1}) ==
        (Bits{f32(0x1p64f), f32(0x1p24f)}));
  CHECK(cast(DType::I32, DType::F16, {65519, 65520, 2049, 2051}) ==
        (Bits{0x7bff, 0x7c00, 0x6800, 0x6802}));
  CHECK(cast(DType::I64, DType::F64, {uint64_t(1) << 53 | 1}) == (Bits{f64(0x1p53)}));
  // Floats to integers truncate and saturate.
  CHECK(cast(DType::F64, DType::I8, {f64(-1.9), f64(1e9), f64(-1e9), f64(NAN)}) ==
        (Bits{0xff, 0x7f, 0x80, 0}));
  CHECK(cast(DType::F32, DType::U16, {f32(-3), f32(65535.9f), f32(1e30f)}) ==
        (Bits{0, 65535, 65535}));
  CHECK(cast(DType::F64, DType::U64, {f64(0x1p63), f64(INFINITY)}) ==
        (Bits{uint64_t(1) << 63, ~uint64_t(0)}));
  // Floats to floats: once. 1 + 2^-11 + 2^-30 is above the middle of f16's 1 and 1 + 2^-10, and
  // stays so only if it does not pass through a rounding to f32.
  CHECK(cast(DType::F64, DType::F16, {f64(1 + 0x1p-11 + 0x1p-30), f64(1 + 0x1p-11), f64(65520)}) ==
        (Bits{0x3c01, 0x3c00, 0x7c00}));
  CHECK(cast(DType::F64, DType::BF16,
             {f64(1 + 0x1p-8 + 0x1p-40), f64(1 + 0x1p-8), f64(3.39e38), f64(3.4e38)}) ==
        (Bits{0x3f81, 0x3f80, 0x7f7f, 0x7f80}));
  CHECK(cast(DType::F32, DType::BF16, {f32(1e-45f), f32(0x1p-133f), f32(-0.0f)}) ==
        (Bits{0, 1, 0x8000}));
  CHECK(cast(DType::F16, DType::F64, {0x0001, 0xfc00}) == (Bits{f64(0x1p-24), f64(-INFINITY)}));
  CHECK(cast(DType::BF16, DType::F16, {0x4780, 0x4781}) == (Bits{0x7c00, 0x7c00})); // 65536
  // Every pair runs, and 3 stays 3.
  for (const DTypeInfo &from :
       {dtypeInfo(DType::I8), dtypeInfo(DType::U64), dtypeInfo(DType::F16), dtypeInfo(DType::BF16),
        dtypeInfo(DType::F32), dtypeInfo(DType::F64)})
    for (DType to :
         {DType::I1, DType::I8, DType::U8, DType::I16, DType::U16, DType::I32, DType::U32,
          DType::I64, DType::U64, DType::F16, DType::BF16, DType::F32, DType::F64}) {
      Launch k(kernelText({from.type}, to, 1, "%r = cast %a : " + text(to)));
      k.set("pa", {3});
      k.set("out", {0});
      REQUIRE(k.run());
      if (isFloat(to))
        CHECK_EQ(k.floats("out")[0], 3.0);
      else
        CHECK_EQ(k.ints("out")[0], isBool(to) ? 1 : 3);
    }
}

UNIT_TEST(scalars_stand_for_tiles) {
  Launch k(
      "tile 0.1\nkernel @k(%s: f32, %a: view<f32, [3]>, %out: view<f32, [3]>, %m: view<i1, [3]>)\n"
      " grid [1] {\n"
      "  %x = load %a[0] : tile<3xf32>\n"
      "  %y = mul %s, %x\n"
      "  %z = sub %y, %s\n"
      "  %c = cmp gt %z, %s\n"
      "  %w = select %c, %z, %s\n"
      "  store %w, %out[0]\n  store %c, %m[0]\n}\n");
  k.setBits("s", {std::bit_cast<uint32_t>(2.0f)});
  k.set("a", {1, 2, 3});
  k.set("out", {0, 0, 0});
  k.set("m", {0, 0, 0});
  REQUIRE(k.run());
  CHECK(k.floats("out") == (std::vector<double>{2, 2, 4}));
  CHECK(k.ints("m") == (std::vector<int64_t>{0, 0, 1}));
}

UNIT_TEST(shapes) {
  Launch k("tile 0.1\nkernel @k(%a: view<i32, [2, 3]>, %p: view<i32, [3, 2]>, %r: view<i32, [6]>,"
           " %b: view<i32, [2, 3, 2]>, %i: view<i8, [2, 2]>, %f: view<i32, [2, 2]>)\n grid [1] {\n"
           "  %x = load %a[0, 0] : tile<2x3xi32>\n"
           "  %t = permute %x, [1, 0]\n  store %t, %p[0, 0]\n"
           "  %l = reshape %t : tile<6xi32>\n  store %l, %r[0]\n"
           "  %e = expand_dims %x, axis 2\n"
           "  %c = broadcast %e : tile<2x3x2xi32>\n  store %c, %b[0, 0, 0]\n"
           "  %j = iota axis 1 : tile<2x2xi8>\n  store %j, %i[0, 0]\n"
           "  %g = const -5 : i32\n  %h = full %g : tile<2x2xi32>\n  store %h, %f[0, 0]\n}\n");
  k.setInts("a", {1, 2, 3, 4, 5, 6});
  for (const char *name : {"p", "r"})
    k.setInts(name, std::vector<int64_t>(6));
  k.setInts("b", std::vector<int64_t>(12));
  k.setInts("i", std::vector<int64_t>(4));
  k.setInts("f", std::vector<int64_t>(4));
  REQUIRE(k.run());
  CHECK(k.ints("p") == (std::vector<int64_t>{1, 4, 2, 5, 3, 6}));
  CHECK(k.ints("r") == (std::vector<int64_t>{1, 4, 2, 5, 3, 6}));
  CHECK(k.ints("b") == (std::vector<int64_t>{1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6}));
  CHECK(k.ints("i") == (std::vector<int64_t>{0, 1, 0, 1}));
  CHECK(k.ints("f") == (std::vector<int64_t>{-5, -5, -5, -5}));
}

UNIT_TEST(slices_and_flips) {
  Launch k(
      "tile 0.1\nkernel @k(%a: view<i32, [4, 6]>, %s: view<i32, [2, 3]>, %w: view<i32, [4, 6]>,"
      " %l: view<i32, [1, 1]>, %f: view<i32, [4, 6]>, %g: view<i32, [4, 6]>)\n grid [1] {\n"
      "  %x = load %a[0, 0] : tile<4x6xi32>\n"
      "  %t = slice %x offsets [1, 0] strides [2, 2] : tile<2x3xi32>\n  store %t, %s[0, 0]\n"
      "  %u = slice %x offsets [0, 0] : tile<4x6xi32>\n  store %u, %w[0, 0]\n"
      "  %v = slice %x offsets [3, 5] strides [9223372036854775807, 1] : tile<1x1xi32>\n"
      "  store %v, %l[0, 0]\n"
      "  %y = flip %x axes [1]\n  store %y, %f[0, 0]\n"
      "  %z = flip %x axes [1, 0]\n  store %z, %g[0, 0]\n}\n");
  std::vector<int64_t> whole, rows, reversed;
  for (int64_t i = 0; i < 4; ++i)
    for (int64_t j = 0; j < 6; ++j) {
      whole.push_back(10 * i + j);
      rows.push_back(10 * i + 5 - j);
      reversed.push_back(10 * (3 - i) + 5 - j);
    }
  k.setInts("a", whole);
  for (const char *name : {"w", "f", "g"})
    k.setInts(name, std::vector<int64_t>(24));
  k.setInts("s", std::vector<int64_t>(6));
  k.setInts("l", {0});
  REQUIRE(k.run());
  CHECK(k.ints("s") == (std::vector<int64_t>{10, 12, 14, 30, 32, 34}));
  CHECK(k.ints("w") == whole);
  CHECK(k.ints("l") == (std::vector<int64_t>{35}));
  CHECK(k.ints("f") == rows);
  CHECK(k.ints("g") == reversed);
}

UNIT_TEST(tiles_put_together) {
  Launch k(
      "tile 0.1\nkernel @k(%a: view<i32, [2, 3]>, %b: view<i32, [2, 2]>, %c: view<i32, [2, 7]>,"
      " %d: view<i32, [4, 3]>, %e: view<i32, [2, 3]>, %f: view<i32, [2, 2, 2]>,"
      " %g: view<i64, [2]>)\n grid [1] {\n"
      "  %x = load %a[0, 0] : tile<2x3xi32>\n  %y = load %b[0, 0] : tile<2x2xi32>\n"
      "  %p = concat [%x, %y, %y], axis 1\n  store %p, %c[0, 0]\n"
      "  %q = concat [%x, %x], axis 0\n  store %q, %d[0, 0]\n"
      "  %n = slice %y offsets [1, 0] : tile<1x2xi32>\n"
      "  %i = insert_slice %x, %n offsets [0, 1]\n  store %i, %e[0, 0]\n"
      "  %m = add %y, 100\n  %j = join %y, %m\n  store %j, %f[0, 0, 0]\n"
      "  %s = join 7, -8\n  store %s, %g[0]\n}\n");
  k.setInts("a", {1, 2, 3, 4, 5, 6});
  k.setInts("b", {10, 20, 30, 40});
  k.setInts("c", std::vector<int64_t>(14));
  k.setInts("d", std::vector<int64_t>(12));
  k.setInts("e", std::vector<int64_t>(6));
  k.setInts("f", std::vector<int64_t>(8));
  k.setInts("g", std::vector<int64_t>(2));
  REQUIRE(k.run());
  CHECK(k.ints("c") == (std::vector<int64_t>{1, 2, 3, 10, 20, 10, 20, 4, 5, 6, 30, 40, 30, 40}));
  CHECK(k.ints("d") == (std::vector<int64_t>{1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6}));
  CHECK(k.ints("e") == (std::vector<int64_t>{1, 30, 40, 4, 5, 6}));
  CHECK(k.ints("f") == (std::vector<int64_t>{10, 110, 20, 120, 30, 130, 40, 140}));
  CHECK(k.ints("g") == (std::vector<int64_t>{7, -8}));
}

UNIT_TEST(split_is_the_inverse_of_join) {
  Launch k("tile 0.1\nkernel @k(%a: view<i1, [3, 2]>, %b: view<i1, [3]>, %c: view<i1, [3]>,"
           " %d: view<i1, [2]>)\n grid [1] {\n"
           "  %x = load %a[0, 0] : tile<3x2xi1>\n  %y, %z = split %x\n"
           "  store %y, %b[0]\n  store %z, %c[0]\n  %j = join %y, %z\n"
           "  %l = slice %j offsets [2, 0] : tile<1x2xi1>\n  %r = reshape %l : tile<2xi1>\n"
           "  %s, %t = split %r\n  store %t, %d[0]\n  store %s, %d[1]\n}\n");
  k.setInts("a", {1, 0, 0, 0, 0, 1});
  for (const char *name : {"b", "c"})
    k.setInts(name, {0, 0, 0});
  k.setInts("d", {0, 0});
  REQUIRE(k.run());
  CHECK(k.ints("b") == (std::vector<int64_t>{1, 0, 0}));
  CHECK(k.ints("c") == (std::vector<int64_t>{0, 0, 1}));
  CHECK(k.ints("d") == (std::vector<int64_t>{1, 0}));
}

UNIT_TEST(moved_elements_keep_their_bits) {
  Launch k("tile 0.1\nkernel @k(%a: view<f32, [6]>, %o: view<f32, [3]>)\n grid [1] {\n"
           "  %x = load %a[0] : tile<6xf32>\n"
           "  %s = slice %x offsets [1] strides [2] : tile<3xf32>\n"
           "  %r = flip %s axes [0]\n  store %r, %o[0]\n}\n");
  // A signalling NaN, a quiet one with a payload and a sign, and the smallest subnormal number.
  k.setBits("a", {0, 0x7f800001, 0, 0xffc12345, 0, 1});
  k.set("o", {0, 0, 0});
  REQUIRE(k.run());
  CHECK(k.bits("o") == (std::vector<uint64_t>{1, 0xffc12345, 0x7f800001}));
}

UNIT_TEST(permute_of_five_axes) {
  // Each element holds its coordinates as decimal digits, so that the result says where it came
  // from.
  std::vector<int64_t> values;
  const int dims[] = {2, 3, 2, 1, 3}, perm[] = {4, 2, 0, 3, 1};
  int out[5];
  for (int i = 0; i < 5; ++i)
    out[i] = dims[perm[i]];
  for (int i = 0; i < 36; ++i) {
    int rest = i, digits = 0, scale = 1;
    for (int axis = 4; axis >= 0; --axis, scale *= 10) {
      digits += rest % dims[axis] * scale;
      rest /= dims[axis];
    }
    values.push_back(digits);
  }
  Launch k("tile 0.1\nkernel @k(%a: view<i32, [2, 3, 2, 1, 3]>, %r: view<i32, [3, 2, 2, 1, 3]>)\n "
           "grid [1] {\n"
           "  %x = load %a[0, 0, 0, 0, 0] : tile<2x3x2x1x3xi32>\n"
           "  %y = permute %x, [4, 2, 0, 3, 1]\n  store %y, %r[0, 0, 0, 0, 0]\n}\n");
  k.setInts("a", values);
  k.setInts("r", std::vector<int64_t>(36));
  REQUIRE(k.run());
  auto got = k.ints("r");
  for (int i = 0; i < 36; ++i) {
    int rest = i, at[5];
    for (int axis = 4; axis >= 0; --axis) {
      at[axis] = rest % out[axis];
      rest /= out[axis];
    }
    int source[5];
    for (int axis = 0; axis < 5; ++axis)
      source[perm[axis]] = at[axis];
    CHECK_EQ(got[size_t(i)], int64_t(source[0] * 10000 + source[1] * 1000 + source[2] * 100 +
                                     source[3] * 10 + source[4]));
  }
}

UNIT_TEST(reductions) {
  auto run = [](DType t, const char *kind, int axis, std::vector<double> values) {
    std::string n = axis == 0 ? "3" : "2";
    Launch k("tile 0.1\nkernel @k(%a: view<" + text(t) + ", [2, 3]>, %r: view<" + text(t) + ", [" +
             n + "]>)\n" + " grid [1] {\n  %x = load %a[0, 0] : tile<2x3x" + text(t) +
             ">\n  %y = reduce " + kind + " %x, axis " + std::to_string(axis) +
             "\n  store %y, %r[0]\n}\n");
    k.set("a", values);
    k.set("r", std::vector<double>(axis == 0 ? 3 : 2));
    std::vector<double> out;
    if (k.run()) {
      if (isFloat(t))
        out = k.floats("r");
      else
        for (int64_t v : k.ints("r"))
          out.push_back(double(v));
    }
    return out;
  };
  using List = std::vector<double>;
  for (DType t : {DType::I8, DType::I16, DType::I32, DType::I64, DType::F16, DType::BF16,
                  DType::F32, DType::F64}) {
    CHECK(run(t, "sum", 0, {1, 2, 3, 4, 5, 6}) == (List{5, 7, 9}));
    CHECK(run(t, "sum", 1, {1, 2, 3, 4, 5, 6}) == (List{6, 15}));
    CHECK(run(t, "max", 1, {1, -2, 3, -4, -5, -6}) == (List{3, -4}));
    CHECK(run(t, "min", 0, {1, -2, 3, -4, 5, 3}) == (List{-4, -2, 3}));
  }
  CHECK(run(DType::I8, "sum", 1, {100, 100, 0, -100, -100, 0}) == (List{-56, 56}));
  CHECK(run(DType::U8, "max", 1, {1, 200, 3, 4, 5, 6}) == (List{double(int64_t(200)), 6}));
  for (DType t : floatTypes) {
    CHECK(std::isnan(run(t, "max", 1, {1, notANumber, 3, 1, 2, 3})[0]));
    CHECK(std::isnan(run(t, "sum", 1, {inf, -inf, 3, 1, 2, 3})[0]));
    CHECK_EQ(run(t, "sum", 1, {inf, inf, 3, 1, 2, 3})[0], inf);
    CHECK(std::signbit(run(t, "min", 1, {0.0, -0.0, 0.0, 1, 2, 3})[0]));
    CHECK(!std::signbit(run(t, "max", 1, {-0.0, -0.0, 0.0, 1, 2, 3})[0]));
  }
  // f16 accumulates in f32: 2048 + 1 + 1 is not 2048.
  CHECK(run(DType::F16, "sum", 1, {2048, 1, 1, 1, 1, 2048}) == (List{2050, 2050}));
}

UNIT_TEST(reductions_of_bits_and_truth_values) {
  auto run = [](DType t, const char *kind, std::vector<double> values) {
    Launch k("tile 0.1\nkernel @k(%a: view<" + text(t) + ", [2, 3]>, %r: view<" + text(t) +
             ", [2]>)\n grid [1] {\n  %x = load %a[0, 0] : tile<2x3x" + text(t) +
             ">\n  %y = reduce " + kind + " %x, axis 1\n  store %y, %r[0]\n}\n");
    k.set("a", values);
    k.set("r", std::vector<double>(2));
    return k.run() ? k.ints("r") : std::vector<int64_t>();
  };
  using List = std::vector<int64_t>;
  for (DType t : {DType::I8, DType::U8, DType::I16, DType::I32, DType::U64}) {
    CHECK(run(t, "and", {7, 14, 12, 3, 5, 9}) == (List{4, 1}));
    CHECK(run(t, "or", {1, 4, 16, 3, 5, 8}) == (List{21, 15}));
    CHECK(run(t, "xor", {1, 1, 6, 3, 5, 8}) == (List{6, 14}));
    CHECK(run(t, "prod", {2, 3, 5, 1, 0, 9}) == (List{30, 0}));
  }
  CHECK(run(DType::I8, "prod", {16, 8, 1, 16, 16, 1}) == (List{-128, 0}));
  CHECK(run(DType::I1, "any", {0, 0, 0, 0, 1, 0}) == (List{0, 1}));
  CHECK(run(DType::I1, "all", {1, 1, 1, 1, 1, 0}) == (List{1, 0}));
  CHECK(run(DType::I1, "xor", {1, 1, 1, 1, 1, 0}) == (List{1, 0}));
}

UNIT_TEST(products_of_floats) {
  for (DType t : floatTypes) {
    auto product = [&](std::vector<double> values) {
      Launch k("tile 0.1\nkernel @k(%a: view<" + text(t) + ", [3]>, %r: view<" + text(t) +
               ", [1]>)\n grid [1] {\n  %x = load %a[0] : tile<3x" + text(t) +
               ">\n  %y = reduce prod %x, axis 0\n  store %y, %r[0]\n}\n");
      k.set("a", values);
      k.set("r", std::vector<double>(1));
      return k.run() ? k.floats("r")[0] : 77.0;
    };
    CHECK_EQ(product({2, -3, 0.5}), -3.0);
    CHECK(std::signbit(product({0.0, -3, 4})));
    CHECK_EQ(product({inf, -2, 3}), -inf);
    CHECK(std::isnan(product({inf, 0, 3})));
    CHECK(std::isnan(product({notANumber, 0, 3})));
  }
  // f16 multiplies in f32: 256 * 256 is no number of f16.
  Launch k(
      "tile 0.1\nkernel @k(%a: view<f16, [3]>, %r: view<f16, [1]>) grid [1] {\n"
      "  %x = load %a[0] : tile<3xf16>\n  %y = reduce prod %x, axis 0\n  store %y, %r[0]\n}\n");
  k.set("a", std::vector<double>{256, 256, 0.0078125});
  k.set("r", std::vector<double>(1));
  REQUIRE(k.run());
  CHECK_EQ(k.floats("r")[0], 512.0);
}

UNIT_TEST(scans) {
  auto run = [](DType t, const std::string &op, int axis, std::vector<double> values) {
    Launch k("tile 0.1\nkernel @k(%a: view<" + text(t) + ", [2, 3]>, %r: view<" + text(t) +
             ", [2, 3]>)\n grid [1] {\n  %x = load %a[0, 0] : tile<2x3x" + text(t) + ">\n  %y = " +
             op + " %x, axis " + std::to_string(axis) + "\n  store %y, %r[0, 0]\n}\n");
    k.set("a", values);
    k.set("r", std::vector<double>(6));
    std::vector<double> out;
    if (!k.run())
      return out;
    if (isFloat(t))
      return k.floats("r");
    for (int64_t v : k.ints("r"))
      out.push_back(double(v));
    return out;
  };
  using List = std::vector<double>;
  for (DType t : {DType::I8, DType::I16, DType::I32, DType::I64, DType::F16, DType::BF16,
                  DType::F32, DType::F64}) {
    CHECK(run(t, "scan sum", 1, {1, 2, 3, 4, 5, 6}) == (List{1, 3, 6, 4, 9, 15}));
    CHECK(run(t, "scan sum", 0, {1, 2, 3, 4, 5, 6}) == (List{1, 2, 3, 5, 7, 9}));
    CHECK(run(t, "reverse_scan sum", 1, {1, 2, 3, 4, 5, 6}) == (List{6, 5, 3, 15, 11, 6}));
    CHECK(run(t, "scan prod", 1, {1, 2, 3, 4, 5, 6}) == (List{1, 2, 6, 4, 20, 120}));
    CHECK(run(t, "scan max", 1, {1, -2, 3, -4, -5, 6}) == (List{1, 1, 3, -4, -4, 6}));
    CHECK(run(t, "reverse_scan min", 0, {1, -2, 3, -4, -5, 6}) == (List{-4, -5, 3, -4, -5, 6}));
  }
  CHECK(run(DType::I8, "scan sum", 1, {100, 100, 100, 1, 1, 1}) == (List{100, -56, 44, 1, 2, 3}));
  CHECK(run(DType::U16, "scan xor", 1, {1, 3, 3, 8, 8, 8}) == (List{1, 2, 1, 8, 0, 8}));
  CHECK(run(DType::I1, "scan any", 1, {0, 1, 0, 0, 0, 0}) == (List{0, 1, 1, 0, 0, 0}));
  // f16 accumulates in f32: 2048 + 1 + 1 is not 2048.
  CHECK(run(DType::F16, "scan sum", 1, {2048, 1, 1, 1, 1, 2048}) ==
        (List{2048, 2048, 2050, 1, 2, 2050}));
  CHECK(std::isnan(run(DType::F32, "scan max", 1, {1, notANumber, 3, 1, 2, 3})[2]));
}

UNIT_TEST(combine_regions) {
  auto run = [](const std::string &statements, std::vector<double> values, size_t results) {
    Launch k("tile 0.1\nkernel @k(%a: view<i32, [2, 3]>, %to: view<i32, [" +
             std::to_string(results) + "]>)\n grid [1] {\n  %x = load %a[0, 0] : tile<2x3xi32>\n" +
             statements + "  %flat = reshape %r : tile<" + std::to_string(results) +
             "xi32>\n  store %flat, %to[0]\n}\n");
    k.set("a", values);
    k.set("to", std::vector<double>(results));
    return k.run() ? k.ints("to") : std::vector<int64_t>();
  };
  using List = std::vector<int64_t>;
  // (1 + 3i)(2 + 6i)(3 + 9i) = -156 - 108i: ((2 - 18) + 12i)(3 + 9i).
  List product = run(complexProduct("reduce_with", 1), {1, 2, 3, 1, 0, 0}, 2);
  CHECK(product == (List{-156 ^ -108, 0}));
  // Down the columns: (1 + 3i)(4 + 12i) = -32 + 24i and so on, of equal pairs.
  product = run(complexProduct("reduce_with", 0), {1, 1, 2, 4, 4, 8}, 3);
  CHECK(product == (List{-32 ^ 24, -32 ^ 24, -128 ^ 96}));
  // t -> 2t + 7, then 3t + 6: 6t + 27, then 4t + 1: 24t + 109.
  List maps = run(affineMaps("scan_with", 1), {2, 3, 4, 2, 3, 4}, 6);
  CHECK(maps ==
        (List{2 * 77 ^ 7, 6 * 77 ^ 27, 24 * 77 ^ 109, 2 * 77 ^ 7, 6 * 77 ^ 27, 24 * 77 ^ 109}));
  // From the end: 4t + 1, then 3t + 6: 12t + 9, then 2t + 7: 24t + 25.
  maps = run(affineMaps("reverse_scan_with", 1), {2, 3, 4, 2, 3, 4}, 6);
  CHECK(maps ==
        (List{24 * 77 ^ 25, 12 * 77 ^ 9, 4 * 77 ^ 1, 24 * 77 ^ 25, 12 * 77 ^ 9, 4 * 77 ^ 1}));
}

UNIT_TEST(combine_regions_have_bounds_for_any_order) {
  auto check = [](std::vector<double> values, double inOrder, double otherwise) {
    Launch k(
        "tile 0.1\nkernel @k(%a: view<f32, [3]>, %r: view<f32, [1]>) grid [1] {\n"
        "  %x = load %a[0] : tile<3xf32>\n  %y = reduce_with %x, axis 0 combine (%s) with (%t) {\n"
        "    %u = add %s, %t\n    yield %u\n  }\n  store %y, %r[0]\n}\n");
    k.set("a", values);
    k.set("r", std::vector<double>(1));
    REQUIRE(k.run());
    CHECK_EQ(k.floats("r")[0], inOrder);
    double difference = std::fabs(otherwise - inOrder);
    CHECK(k.bound("r") >= difference && k.bound("r") < 32 * difference);
  };
  check({16777216, 1, 1}, 16777216, 16777218);
  // Nothing is left of the large ones in order; 1 is lost in either of them otherwise.
  check({33554432, -33554432, 1}, 1, 0);
}

namespace {

/// A kernel over %x, a tile of that type and shape loaded from %a; `body` stores to %r.
Launch tileKernel(DType type, const std::string &shape, DType out, const std::string &outShape,
                  const std::string &body) {
  auto extents = [](std::string s) {
    for (char &c : s)
      c = c == 'x' ? ',' : c;
    return "[" + s + "]";
  };
  auto zeros = [](const std::string &s) {
    return s.find('x') != std::string::npos ? "[0, 0]" : "[0]";
  };
  return Launch("tile 0.1\nkernel @k(%a: view<" + text(type) + ", " + extents(shape) +
                ">, %to: view<" + text(out) + ", " + extents(outShape) + ">)\n grid [1] {\n" +
                "  %x = load %a" + zeros(shape) + " : tile<" + shape + "x" + text(type) + ">\n" +
                body + "\n  store %r, %to" + zeros(outShape) + "\n}\n");
}

std::vector<double> runTile(DType type, const std::string &shape, std::vector<double> values,
                            DType out, const std::string &outShape, size_t results,
                            const std::string &body) {
  Launch k = tileKernel(type, shape, out, outShape, body);
  k.set("a", values);
  k.set("to", std::vector<double>(results, 99));
  if (!k.run())
    return {};
  if (isFloat(out))
    return k.floats("to");
  std::vector<int64_t> ints = k.ints("to");
  return {ints.begin(), ints.end()};
}

bool sameFloats(const std::vector<double> &a, const std::vector<double> &b) {
  bool same = a.size() == b.size();
  for (size_t i = 0; same && i < a.size(); ++i)
    same = sameFloat(a[i], b[i]);
  return same;
}

} // namespace

UNIT_TEST(taken_elements) {
  using List = std::vector<double>;
  auto take = [](DType t, List values, const std::string &index, size_t results,
                 const std::string &outShape, int axis) {
    return runTile(t, "2x3", values, t, outShape, results,
                   index + "\n  %r = take %x, %i, axis " + std::to_string(axis));
  };
  // Reversed by its coordinates: index 2 - c, and one beyond each end.
  std::string reverse = "  %c = iota axis 1 : tile<2x3xi32>\n  %i = sub 2, %c";
  std::string beyond = "  %c = iota axis 1 : tile<2x5xi64>\n  %i = sub %c, 1";
  std::string rows = "  %c = iota axis 1 : tile<1x3xi32>\n  %i = and %c, 1";
  for (DType t : {DType::I8, DType::U64, DType::F16, DType::F64}) {
    CHECK(take(t, {1, 2, 3, 4, 5, 6}, reverse, 6, "2x3", 1) == (List{3, 2, 1, 6, 5, 4}));
    CHECK(take(t, {1, 2, 3, 4, 5, 6}, beyond, 10, "2x5", 1) ==
          (List{0, 1, 2, 3, 0, 0, 4, 5, 6, 0}));
    CHECK(take(t, {1, 2, 3, 4, 5, 6}, rows, 3, "1x3", 0) == (List{1, 5, 3}));
  }
  std::string ends = "  %i = full 9223372036854775807 : tile<2x1xi64>";
  CHECK(take(DType::I32, {1, 2, 3, 4, 5, 6}, ends, 2, "2x1", 1) == (List{0, 0}));
  ends = "  %i = full -9223372036854775808 : tile<2x1xi64>";
  CHECK(take(DType::I32, {1, 2, 3, 4, 5, 6}, ends, 2, "2x1", 1) == (List{0, 0}));
  // What lies 2^32 beyond does not wrap.
  ends = "  %i = full 4294967297 : tile<2x1xi64>";
  CHECK(take(DType::I32, {1, 2, 3, 4, 5, 6}, ends, 2, "2x1", 1) == (List{0, 0}));
}

UNIT_TEST(sorted_elements) {
  using List = std::vector<double>;
  auto sort = [](DType t, const char *op, List values) {
    return runTile(t, "7", values, t, "7", 7, std::string("  %r = ") + op + " [%x], axis 0");
  };
  // Where they were: equal elements keep their order, both ways.
  auto places = [](DType t, const char *op, List values) {
    return runTile(t, "7", values, DType::I32, "7", 7,
                   std::string("  %c = iota : tile<7xi32>\n  %s, %r = ") + op +
                       " [%x, %c], axis 0");
  };
  for (DType t : {DType::I8, DType::I16, DType::I32, DType::I64, DType::F16, DType::BF16,
                  DType::F32, DType::F64}) {
    CHECK(sort(t, "sort", {3, -1, 2, 3, -7, 0, 2}) == (List{-7, -1, 0, 2, 2, 3, 3}));
    CHECK(sort(t, "sort_descending", {3, -1, 2, 3, -7, 0, 2}) == (List{3, 3, 2, 2, 0, -1, -7}));
    CHECK(places(t, "sort", {3, -1, 2, 3, -7, 0, 2}) == (List{4, 1, 5, 2, 6, 0, 3}));
    CHECK(places(t, "sort_descending", {3, -1, 2, 3, -7, 0, 2}) == (List{0, 3, 2, 6, 5, 1, 4}));
  }
  CHECK(sort(DType::U8, "sort", {200, 1, 255, 0, 128, 127, 3}) ==
        (List{0, 1, 3, 127, 128, 200, 255}));
  CHECK(sort(DType::I8, "sort", {-128, 1, 127, 0, -1, 5, 3}) == (List{-128, -1, 0, 1, 3, 5, 127}));
  for (DType t : floatTypes) {
    double tiny = interp::smallest(t);
    List given = {notANumber, inf, 0.0, -inf, -0.0, tiny, -tiny};
    CHECK(sameFloats(sort(t, "sort", given), {-inf, -tiny, 0.0, -0.0, tiny, inf, notANumber}));
    CHECK(sameFloats(sort(t, "sort_descending", given),
                     {notANumber, inf, tiny, 0.0, -0.0, -tiny, -inf}));
    CHECK(places(t, "sort_descending", {1, notANumber, 0.0, -0.0, notANumber, inf, -0.0}) ==
          (List{1, 4, 5, 0, 2, 3, 6}));
  }
  // Down the columns.
  CHECK(runTile(DType::I32, "3x2", {5, 1, 3, 2, 4, 0}, DType::I32, "3x2", 6,
                "  %r = sort [%x], axis 0") == (List{3, 0, 4, 1, 5, 2}));
}

UNIT_TEST(the_largest_few) {
  using List = std::vector<double>;
  auto run = [](DType t, const char *which, DType out, List values) {
    return runTile(t, "2x4", values, out, "2x3", 6,
                   "  %v, %i = topk %x, axis 1 : tile<2x3x" + text(t) + ">\n  %r = add %" + which +
                       ", 0");
  };
  for (DType t : {DType::I16, DType::U64, DType::F16, DType::F32}) {
    CHECK(run(t, "v", t, {1, 9, 4, 9, 2, 2, 2, 2}) == (List{9, 9, 4, 2, 2, 2}));
    CHECK(run(t, "i", DType::I32, {1, 9, 4, 9, 2, 2, 2, 2}) == (List{1, 3, 2, 0, 1, 2}));
  }
  CHECK(run(DType::F64, "i", DType::I32, {1, inf, notANumber, 3, -inf, -0.0, 0.0, -1}) ==
        (List{2, 1, 3, 1, 2, 3}));
}

UNIT_TEST(what_is_open_of_an_order) {
  // exp(a) is known within a bound: where two are closer than that, either may come first, and
  // where they are apart the order is certain.
  Launch k(
      "tile 0.1\nkernel @k(%a: view<f32, [4]>, %v: view<f32, [4]>, %p: view<i32, [4]>)\n"
      " grid [1] {\n  %x = load %a[0] : tile<4xf32>\n  %y = exp %x\n  %c = iota : tile<4xi32>\n"
      "  %s, %t = sort [%y, %c], axis 0\n  store %s, %v[0]\n  store %t, %p[0]\n}\n");
  k.set("a", std::vector<double>{3, 1, 1 + 0x1p-23, -2});
  k.set("v", std::vector<double>(4));
  k.set("p", std::vector<double>(4));
  REQUIRE(k.run());
  CHECK(k.ints("p") == (std::vector<int64_t>{3, 1, 2, 0}));
  auto errors = elementErrors(*k.graph, k.args(), k.report, 2);
  REQUIRE_OK(errors);
  CHECK(errors->undecided == (std::vector<uint8_t>{0, 1, 1, 0}));
  errors = elementErrors(*k.graph, k.args(), k.report, 1);
  REQUIRE_OK(errors);
  CHECK(errors->undecided == (std::vector<uint8_t>(4, 0)));
  CHECK(errors->bounds[1] > 0 && errors->bounds[1] < 1e-6);
}

UNIT_TEST(counted_elements) {
  using List = std::vector<double>;
  auto count = [](DType t, List values, DType out, const std::string &mask) {
    return runTile(t, "2x4", values, out, "4", 4,
                   "  %m = cmp ne %x, 1\n  %r = histogram %x" + mask + " : tile<4x" + text(out) +
                       ">");
  };
  for (DType t : {DType::I8, DType::U16, DType::I32, DType::U64})
    for (DType out : {DType::I32, DType::U32, DType::I64, DType::U64}) {
      CHECK(count(t, {0, 1, 1, 3, 4, 100, 3, 3}, out, "") == (List{1, 2, 0, 3}));
      CHECK(count(t, {0, 1, 1, 3, 4, 100, 3, 3}, out, ", mask %m") == (List{1, 0, 0, 3}));
    }
  CHECK(count(DType::I8, {-1, -128, 127, 2, 2, 2, 2, -4}, DType::I32, "") == (List{0, 0, 4, 0}));
}

UNIT_TEST(where_the_largest_and_the_smallest_are) {
  auto run = [](DType t, const char *op, std::vector<double> values) {
    Launch k("tile 0.1\nkernel @k(%a: view<" + text(t) + ", [2, 4]>, %r: view<i32, [2]>)\n" +
             " grid [1] {\n  %x = load %a[0, 0] : tile<2x4x" + text(t) + ">\n  %y = " + op +
             " %x, axis 1\n  store %y, %r[0]\n}\n");
    k.set("a", values);
    k.set("r", std::vector<double>(2));
    return k.run() ? k.ints("r") : std::vector<int64_t>();
  };
  using List = std::vector<int64_t>;
  for (DType t :
       {DType::I8, DType::I32, DType::I64, DType::F16, DType::BF16, DType::F32, DType::F64}) {
    CHECK(run(t, "argmax", {1, 5, 5, -7, 9, 2, 3, 9}) == (List{1, 0}));
    CHECK(run(t, "argmin", {1, 5, -7, -7, 9, 2, 3, 2}) == (List{2, 1}));
  }
  CHECK(run(DType::U8, "argmax", {1, 200, 100, 3, 0, 0, 0, 255}) == (List{1, 3}));
  for (DType t : floatTypes) {
    CHECK(run(t, "argmax", {1, inf, notANumber, notANumber, -inf, -inf, -inf, -inf}) ==
          (List{2, 0}));
    CHECK(run(t, "argmin", {1, -inf, notANumber, 3, inf, inf, inf, inf}) == (List{2, 0}));
    CHECK(run(t, "argmax", {-0.0, 0.0, -1, -2, 0.0, -0.0, 0.0, -1}) == (List{0, 0}));
    CHECK(run(t, "argmin", {0.0, -0.0, 1, 2, 3, 1, 1, 2}) == (List{0, 1}));
  }
}

UNIT_TEST(dots) {
  auto run = [](DType a, DType b, DType acc) {
    Launch k("tile 0.1\nkernel @k(%a: view<" + text(a) + ", [2, 3]>, %b: view<" + text(b) +
             ", [3, 2]>, %c: view<" + text(acc) +
             ", [2, 2]>)\n grid [1] {\n  %x = load %a[0, 0] : tile<2x3x" + text(a) +
             ">\n  %y = load %b[0, 0] : tile<3x2x" + text(b) +
             ">\n  %z = load %c[0, 0] : tile<2x2x" + text(acc) +
             ">\n  %r = dot %x, %y, %z\n  store %r, %c[0, 0]\n}\n");
    k.set("a", {1, 2, 3, -4, 5, 6});
    k.set("b", {1, 2, 3, 4, 5, 6});
    k.set("c", {100, 0, 0, -1});
    std::vector<double> out;
    if (k.run()) {
      CHECK(k.report.errors.empty()); // small integers are exact everywhere
      if (isFloat(acc))
        out = k.floats("c");
      else
        for (int64_t v : k.ints("c"))
          out.push_back(double(v));
    }
    return out;
  };
  std::vector<double> expected = {122, 28, 41, 47};
  CHECK(run(DType::F32, DType::F32, DType::F32) == expected);
  CHECK(run(DType::F16, DType::F16, DType::F32) == expected);
  CHECK(run(DType::BF16, DType::BF16, DType::F32) == expected);
  CHECK(run(DType::F64, DType::F64, DType::F64) == expected);
  CHECK(run(DType::I8, DType::I8, DType::I32) == expected);
  CHECK(run(DType::I8, DType::U8, DType::I32) == expected);
  CHECK(run(DType::U8, DType::U8, DType::I32) ==
        (std::vector<double>{122, 28, 41 + 256, 47 + 512}));
}

UNIT_TEST(integer_dot_wraps) {
  Launch k(
      "tile 0.1\nkernel @k(%c: view<i32, [1, 1]>)\n grid [1] {\n"
      "  %0 = const 127 : i8\n  %a = full %0 : tile<1x1024xi8>\n  %b = full %0 : tile<1024x1xi8>\n"
      "  %z = load %c[0, 0] : tile<1x1xi32>\n  %r = dot %a, %b, %z\n  store %r, %c[0, 0]\n}\n");
  k.setInts("c", {INT32_MAX});
  REQUIRE(k.run());
  CHECK_EQ(k.ints("c")[0], int64_t(int32_t(uint32_t(INT32_MAX) + 127u * 127u * 1024u)));
}

UNIT_TEST(constants_round_once) {
  Launch k(
      "tile 0.1\nkernel @k(%a: view<f16, [2]>, %b: view<f32, [1]>, %c: view<bf16, [1]>)\n grid [1] "
      "{\n"
      "  %0 = const 0.1 : f16\n  store %0, %a[0]\n  %1 = const 65520.0 : f16\n  store %1, %a[1]\n"
      "  %2 = const 16777217 : f32\n  store %2, %b[0]\n  %3 = const -3 : bf16\n  store %3, "
      "%c[0]\n}\n");
  k.set("a", {0, 0});
  k.set("b", {0});
  k.set("c", {0});
  REQUIRE(k.run());
  CHECK(k.bits("a") == (std::vector<uint64_t>{0x2e66, 0x7c00}));
  CHECK_EQ(k.floats("b")[0], 16777216.0);
  CHECK_EQ(k.floats("c")[0], -3.0);
}

// The known answers of the authors' library Random123 (kat_vectors).
UNIT_TEST(random_numbers_are_those_of_philox) {
  using Words = std::array<uint32_t, 4>;
  CHECK((philox({0, 0, 0, 0}, {0, 0}) == Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  CHECK((philox({~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}) ==
         Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  CHECK((philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
         Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
  Launch zero(kernelText({DType::U64, DType::U64}, DType::U64, 1, "%r = random_bits %a, %b"));
  zero.set("pa", {0});
  zero.set("pb", {0});
  zero.set("out", {1});
  REQUIRE(zero.run());
  CHECK_EQ(zero.bits("out")[0], uint64_t(0xe169c58d6627e8d5));
}

UNIT_TEST_MAIN
