// Error bounds: another evaluation that keeps the rules lies within them, they are not vacuous, and
// what is exact is said to be exact.
#include "unit/interp_test.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <random>

using namespace tl;
using namespace tl::test;

using Floats = std::vector<double>;

namespace {

Floats normal(size_t n, uint64_t seed, double mean = 0, double deviation = 1) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> distribution(mean, deviation);
  Floats values(n);
  for (double &v : values)
    v = distribution(random);
  return values;
}

/// out = body applied to the n elements of %x, contraction as said.
std::string unary(const std::string &body, size_t n, const char *type = "f32",
                  bool contract = false) {
  std::string e = std::to_string(n), t = type;
  return "tile 0.1\nkernel @k(%a: view<" + t + ", [" + e + "]>, %b: view<" + t + ", [" + e +
         "]>, %out: view<" + t + ", [" + e + "]>)\n" + (contract ? "" : " contract = off\n") +
         " grid [1] {\n  %x = load %a[0] : tile<" + e + "x" + t + ">\n  %y = load %b[0] : tile<" +
         e + "x" + t + ">\n" + body + "  store %r, %out[0]\n}\n";
}

Launch launch(const std::string &body, const Floats &a, const Floats &b, const char *type = "f32",
              bool contract = false) {
  Launch k(unary(body, a.size(), type, contract));
  k.set("a", a);
  k.set("b", b);
  k.set("out", Floats(a.size()));
  k.run();
  return k;
}

/// Every way of the values of `ours` lies within the bound; returns the share of elements for which
/// some bound was needed.
double expectWithin(Launch &k, const Floats &other) {
  Floats ours = k.floats("out");
  size_t needed = 0;
  for (size_t i = 0; i < ours.size(); ++i) {
    double error = std::fabs(ours[i] - other[i]);
    needed += error > 0;
    if (!(error <= k.bound("out", i)) && !k.undecided("out", i))
      unit::fail(__FILE__, __LINE__,
                 "element " + std::to_string(i) + ": error " + std::to_string(error) + ", bound " +
                     std::to_string(k.bound("out", i)));
  }
  return double(needed) / double(ours.size());
}

template <class F> Floats map(const Floats &a, const Floats &b, F f) {
  Floats out;
  for (size_t i = 0; i < a.size(); ++i)
    out.push_back(double(f(float(a[i]), float(b[i]))));
  return out;
}

} // namespace

UNIT_TEST(elementwise_is_exact_without_contraction) {
  Floats a = normal(500, 1), b = normal(500, 2);
  Launch k = launch("  %p = mul %x, %y\n  %s = add %p, %x\n  %q = div %s, %y\n  %u = sub %q, %p\n  "
                    "%f = fma %u, %x, %y\n"
                    "  %m = max %f, %x\n  %n = abs %m\n  %w = sqrt %n\n  %h = cast %w : f16\n  %r "
                    "= cast %h : f32\n",
                    a, b);
  CHECK(k.report.errors.empty());
  Floats plain = map(a, b, [](float x, float y) {
    volatile float p = x * y, s = p + x, q = s / y, u = q - p;
    float f = std::fmaf(u, x, y);
    return float(interp::roundTo(DType::F16, std::sqrt(std::fabs(std::max(f, x)))));
  });
  CHECK(plain == k.floats("out"));
}

UNIT_TEST(contraction_widens_sums_of_products) {
  Floats a = normal(2000, 3), b = normal(2000, 4);
  const char *body = "  %p = mul %x, %y\n  %r = add %p, %x\n";
  Launch off = launch(body, a, b), on = launch(body, a, b, "f32", true);
  CHECK(off.report.errors.empty());
  CHECK(off.floats("out") == on.floats("out"));
  double needed = expectWithin(on, map(a, b, [](float x, float y) { return std::fmaf(x, y, x); }));
  CHECK(needed > 0.1 && needed < 0.9);
  // The bound is the product's rounding and no more than two roundings of the sum.
  Floats out = on.floats("out");
  for (size_t i = 0; i < a.size(); ++i)
    CHECK(on.bound("out", i) <=
          1.01 * interp::ulp(DType::F32, out[i]) + interp::ulp(DType::F32, a[i] * b[i]));
  // Subtraction from either side, through neg, and past shape operations, loops and branches.
  for (const char *line : {"  %p = mul %x, %y\n  %r = sub %x, %p\n",
                           "  %p = mul %x, %y\n  %n = neg %p\n  %r = add %n, %x\n",
                           "  %p = mul %x, %y\n  %e = expand_dims %p, axis 0\n  %q = reshape %e : "
                           "tile<2000xf32>\n  %r = sub %x, %q\n",
                           "  %p = mul %x, %y\n  %0 = const 0 : i64\n  %1 = const 1 : i64\n  %q = "
                           "for %i = %0 to %1 step %1 carry %c = %p {\n"
                           "    yield %c\n  }\n  %r = sub %x, %q\n",
                           "  %p = mul %x, %y\n  %t = const true : i1\n  %q = if %t {\n    yield "
                           "%p\n  } else {\n    yield %x\n  }\n"
                           "  %r = sub %x, %q\n"}) {
    Launch k = launch(line, a, b, "f32", true);
    CHECK(expectWithin(k, map(a, b, [](float x, float y) { return std::fmaf(-x, y, x); })) > 0.1);
  }
  // A product that is not added stays exact, as do exact products.
  CHECK(launch("  %p = mul %x, %y\n  %r = max %p, %x\n", a, b, "f32", true).bound("out") == 0);
  CHECK(launch("  %p = mul %x, %y\n  %r = add %p, %x\n", {3, 5, 2}, {7, -9, 0.5}, "f32", true)
            .report.errors.empty());
}

UNIT_TEST(contraction_in_f16_and_f64) {
  Floats a = normal(1000, 5), b = normal(1000, 6);
  Launch h = launch("  %p = mul %x, %y\n  %r = add %p, %x\n", a, b, "f16", true);
  Floats x = h.floats("a"), y = h.floats("b"), fused;
  for (size_t i = 0; i < x.size(); ++i)
    fused.push_back(interp::fusedMultiplyAdd(DType::F16, x[i], y[i], x[i]));
  CHECK(expectWithin(h, fused) > 0.1);
  Launch d = launch("  %p = mul %x, %y\n  %r = add %p, %x\n", a, b, "f64", true);
  fused.clear();
  for (size_t i = 0; i < a.size(); ++i)
    fused.push_back(std::fma(a[i], b[i], a[i]));
  CHECK(expectWithin(d, fused) > 0.1);
  // A rounded product that overflows where the unrounded sum does not.
  Launch over = launch("  %p = mul %x, %y\n  %r = sub %p, %x\n", {interp::largest(DType::F32)}, {2},
                       "f32", true);
  CHECK(over.undecided("out"));
  CHECK(!launch("  %p = mul %x, %y\n  %r = sub %p, %x\n", {interp::largest(DType::F32)}, {2})
             .undecided("out"));
}

UNIT_TEST(math_functions_allow_one_ulp) {
  Floats a;
  for (double x = 0.01; x < 20; x *= 1.013)
    a.push_back(double(float(x)));
  std::pair<const char *, long double (*)(long double)> functions[] = {
      {"exp", [](long double x) { return expl(x); }},
      {"exp2", [](long double x) { return powl(2, x); }},
      {"log", [](long double x) { return logl(x); }},
      {"log2", [](long double x) { return log2l(x); }},
      {"tanh", [](long double x) { return tanhl(x); }},
      {"rsqrt", [](long double x) { return 1 / sqrtl(x); }},
      {"expm1", [](long double x) { return expm1l(x); }},
      {"log1p", [](long double x) { return log1pl(x); }},
      {"sigmoid", [](long double x) { return 1 / (1 + expl(-x)); }},
      {"sin", [](long double x) { return sinl(x); }},
      {"cos", [](long double x) { return cosl(x); }}};
  for (auto [name, function] : functions) {
    std::string body = std::string("  %r = ") + name + " %x\n";
    for (const char *type : {"f32", "f64", "f16", "bf16"}) {
      DType t = *dtypeFromText(type);
      Launch k = launch(body, a, a, type);
      Floats x = k.floats("a"), out = k.floats("out");
      size_t exact = 0, finite = 0;
      for (size_t i = 0; i < x.size(); ++i) {
        long double truth = function(x[i]);
        if (!std::isfinite(out[i]))
          continue;
        double unit = interp::ulp(t, double(truth)), bound = k.bound("out", i);
        exact += bound == 0;
        ++finite;
        if (t == DType::F32 || t == DType::F64) {
          // Everything within one ulp of the truth is allowed, nothing two ulp away.
          CHECK(fabsl(truth + 0.999L * unit - out[i]) <= bound &&
                fabsl(truth - 0.999L * unit - out[i]) <= bound);
          CHECK(bound <= 1.51 * unit);
        } else {
          CHECK(bound == 0 || (bound >= unit / 2 && bound <= unit));
        }
      }
      // 16-bit results are open only next to a tie.
      CHECK(t == DType::F32 || t == DType::F64 ? exact == 0 : exact * 100 > finite * 95);
    }
  }
  // Special values are not approximated.
  double inf = INFINITY;
  CHECK(launch("  %r = exp %x\n", {inf, -inf, 1e4, NAN}, {0, 0, 0, 0}).report.undecidedDecisions ==
        0);
  Launch e = launch("  %r = exp %x\n", {inf, -inf, 1e4, 88.7229}, {0, 0, 0, 0});
  CHECK(e.bound("out", 0) == 0 && e.bound("out", 1) == 0 && e.bound("out", 2) == 0);
  CHECK(!e.undecided("out", 2));
  Launch t = launch("  %r = tanh %x\n", {0.0, -0.0, inf}, {0, 0, 0});
  CHECK(t.report.errors.empty());
}

UNIT_TEST(roundings_near_an_integer_are_undecided) {
  // e^x is below, at, and above 2 by an ulp or so; far from an integer there is no doubt.
  Floats x = {double(std::nextafter(float(std::log(2.0)), 0.f)), double(float(std::log(2.0))), 1.1};
  for (const char *op : {"floor", "ceil", "trunc"}) {
    Launch k = launch(std::string("  %e = exp %x\n  %r = ") + op + " %e\n", x, x);
    CHECK(k.undecided("out", 1));
    CHECK(!k.undecided("out", 2) && k.bound("out", 2) == 0);
    CHECK(k.report.undecidedDecisions >= 1);
  }
  Launch r = launch("  %e = exp %x\n  %r = round %e\n", x, x); // decided: far from 1.5 and 2.5
  CHECK(r.report.undecidedDecisions == 0);
}

UNIT_TEST(doubts_propagate_through_operations) {
  // Other implementations: exp off by up to one ulp either way, then plain float arithmetic.
  Floats a = normal(3000, 7), b = normal(3000, 8, 0, 2);
  struct Case {
    const char *body;
    float (*other)(float e, float x, float y);
  };
  Case cases[] = {
      {"  %r = add %e, %y\n", [](float e, float, float y) { return e + y; }},
      {"  %r = sub %y, %e\n", [](float e, float, float y) { return y - e; }},
      {"  %r = mul %e, %y\n", [](float e, float, float y) { return e * y; }},
      {"  %r = div %y, %e\n", [](float e, float, float y) { return y / e; }},
      {"  %d = sub %e, %y\n  %r = div %d, %e\n",
       [](float e, float, float y) { return (e - y) / e; }},
      {"  %r = sqrt %e\n", [](float e, float, float) { return std::sqrt(e); }},
      {"  %r = fma %e, %y, %e\n", [](float e, float, float y) { return std::fmaf(e, y, e); }},
      {"  %n = neg %e\n  %m = max %n, %y\n  %r = abs %m\n",
       [](float e, float, float y) { return std::fabs(std::max(-e, y)); }},
      {"  %r = min %e, %y\n", [](float e, float, float y) { return std::min(e, y); }},
      {"  %h = cast %e : bf16\n  %r = cast %h : f32\n",
       [](float e, float, float) { return float(interp::roundTo(DType::BF16, double(e))); }},
      {"  %h = cast %e : f64\n  %g = mul %h, %h\n  %r = cast %g : f32\n",
       [](float e, float, float) { return float(double(e) * double(e)); }},
      {"  %c = cmp gt %e, %y\n  %r = select %c, %e, %y\n",
       [](float e, float, float y) { return e > y ? e : y; }},
      {"  %r = rsqrt %e\n", [](float e, float, float) { return float(1 / std::sqrt(double(e))); }},
      {"  %r = sin %e\n", [](float e, float, float) { return float(std::sin(double(e))); }},
      {"  %r = cos %e\n", [](float e, float, float) { return float(std::cos(double(e))); }},
      {"  %s = sigmoid %e\n  %r = tan %s\n",
       [](float e, float, float) {
         return float(std::tan(double(float(1 / (1 + std::exp(-double(e)))))));
       }},
      {"  %r = sigmoid %e\n",
       [](float e, float, float) { return float(1 / (1 + std::exp(-double(e)))); }},
      {"  %s = erf %e\n  %r = log1p %s\n",
       [](float e, float, float) { return float(std::log1p(double(float(std::erf(double(e)))))); }},
      {"  %r = rcp %e\n", [](float e, float, float) { return 1 / e; }},
      {"  %r = pow %e, %y\n",
       [](float e, float, float y) { return float(std::pow(double(e), double(y))); }},
      {"  %z = abs %y\n  %r = pow %z, %e\n",
       [](float e, float, float y) { return float(std::pow(std::fabs(double(y)), double(e))); }},
      {"  %s = sub %e, 1.0\n  %r = pow %s, 3.0\n",
       [](float e, float, float) { return float(std::pow(double(e - 1), 3.0)); }},
      {"  %r = floor %e\n", [](float e, float, float) { return std::floor(e); }},
      {"  %l = log %e\n  %r = tanh %l\n",
       [](float e, float, float) { return std::tanh(float(std::log(double(e)))); }},
      {"  %i = cast %e : i32\n  %r = cast %i : f32\n",
       [](float e, float, float) { return std::trunc(e); }},
  };
  for (const Case &c : cases)
    for (int side : {-1, 0, 1}) {
      Launch k = launch(std::string("  %e = exp %x\n") + c.body, a, b);
      Floats other = map(a, b, [&](float x, float y) {
        float e = float(expl(x));
        e = side ? std::nextafter(e, side * INFINITY) : e;
        if (std::fabs(e - expl(x)) > interp::ulp(DType::F32, e)) // stay within the allowance
          e = float(expl(x));
        return c.other(e, x, y);
      });
      expectWithin(k, other);
      // Not vacuous: a few ulp of the terms that went in.
      Floats out = k.floats("out");
      for (size_t i = 0; i < a.size(); ++i)
        if (!k.undecided("out", i))
          CHECK(k.bound("out", i) <= 0.005 * (std::fabs(out[i]) + std::exp(a[i]) + std::fabs(b[i]) +
                                              std::fabs(b[i]) / std::exp(a[i])));
    }
}

UNIT_TEST(doubts_propagate_through_sums_and_dots) {
  // d = exp(x) - y with y = exp(x) as we have it: 0 for us, up to an ulp of y elsewhere.
  const std::string head =
      "tile 0.1\nkernel @k(%a: view<f32, [4, 4]>, %b: view<f32, [4, 4]>, %out: view<f32, [4, "
      "4]>)\n grid [1] {\n"
      "  %x = load %a[0, 0] : tile<4x4xf32>\n  %y = load %b[0, 0] : tile<4x4xf32>\n  %e = exp %x\n"
      "  %d = sub %e, %y\n  %1 = const 1.0 : f32\n  %o = full %1 : tile<4x4xf32>\n  %0 = const 0.0 "
      ": f32\n"
      "  %z = full %0 : tile<4x4xf32>\n";
  Floats a = normal(16, 21), b;
  double unit = 0;
  for (double &x : a) {
    x = std::fabs(x) + 0.1;
    b.push_back(double(float(expl(float(x)))));
    unit += interp::ulp(DType::F32, b.back()) / 16;
  }
  struct Case {
    const char *body;
    double elsewhere; // in mean ulp, when every d is half an ulp
  } cases[] = {
      {"  %s = reduce sum %d, axis 0\n  %t = expand_dims %s, axis 0\n  %r = broadcast %t : "
       "tile<4x4xf32>\n",
       2},
      {"  %r = dot %d, %o, %z\n", 2},
      {"  %r = dot %o, %d, %z\n", 2},
      {"  %r = dot %o, %z, %d\n", 0.5},
      {"  %m = reduce max %d, axis 1\n  %t = expand_dims %m, axis 1\n  %r = broadcast %t : "
       "tile<4x4xf32>\n",
       0.5},
  };
  for (const Case &c : cases) {
    Launch k(head + c.body + "  store %r, %out[0, 0]\n}\n");
    k.set("a", a);
    k.set("b", b);
    k.set("out", Floats(16));
    REQUIRE(k.run());
    double bounds = 0;
    for (size_t i = 0; i < 16; ++i) {
      CHECK_EQ(k.floats("out")[i], 0.0);
      bounds += k.bound("out", i) / 16;
    }
    CHECK(bounds >= c.elsewhere * unit && bounds < 8 * c.elsewhere * unit);
  }
}

UNIT_TEST(products_in_sums_may_stay_unrounded) {
  // x * y - (x * y rounded): 0 for us, the rounding's error elsewhere.
  Launch k("tile 0.1\nkernel @k(%a: view<f32, [2]>, %b: view<f32, [2]>, %out: view<f32, [1]>)\n "
           "grid [1] {\n"
           "  %x = load %a[0] : tile<2xf32>\n  %y = load %b[0] : tile<2xf32>\n  %p = mul %x, %y\n"
           "  %s = reduce sum %p, axis 0\n  store %s, %out[0]\n}\n");
  double x = double(1.1f), y = double(1.3f), rounded = double(float(x * y));
  k.set("a", {x, -rounded});
  k.set("b", {y, 1});
  k.set("out", {1});
  REQUIRE(k.run());
  CHECK_EQ(k.floats("out")[0], 0.0);
  CHECK(rounded != x * y && k.bound("out") >= std::fabs(x * y - rounded));
}

UNIT_TEST(products_in_dots_are_rounded_or_not) {
  Launch k(
      "tile 0.1\nkernel @k(%a: view<f32, [100, 1]>, %b: view<f32, [1, 100]>, %c: view<f32, [100, "
      "100]>)\n grid [1] {\n"
      "  %x = load %a[0, 0] : tile<100x1xf32>\n  %y = load %b[0, 0] : tile<1x100xf32>\n"
      "  %z = load %c[0, 0] : tile<100x100xf32>\n  %r = dot %x, %y, %z\n  store %r, %c[0, 0]\n}\n");
  std::mt19937_64 random(31);
  auto uniform = [&](size_t n) {
    Floats values;
    for (size_t i = 0; i < n; ++i)
      values.push_back(double(1 + float(random() >> 40) * 0x1p-24f));
    return values;
  };
  Floats a = uniform(100), b = uniform(100), c = uniform(10000);
  k.set("a", a);
  k.set("b", b);
  k.set("c", c);
  REQUIRE(k.run());
  Floats out = k.floats("c");
  for (size_t i = 0; i < 10000; ++i) {
    volatile float product = float(a[i / 100]) * float(b[i % 100]);
    float separate = product + float(c[i]),
          fused = std::fmaf(float(a[i / 100]), float(b[i % 100]), float(c[i]));
    REQUIRE(std::fabs(double(separate) - out[i]) <= k.bound("c", i));
    REQUIRE(std::fabs(double(fused) - out[i]) <= k.bound("c", i));
  }
}

UNIT_TEST(sums_in_any_order) {
  for (const char *type : {"f32", "f64", "f16", "bf16"}) {
    DType t = *dtypeFromText(type);
    for (size_t n : {2, 3, 100, 1000}) {
      std::string e = std::to_string(n), s = type;
      Launch k("tile 0.1\nkernel @k(%a: view<" + s + ", [" + e + "]>, %out: view<" + s +
               ", [1]>)\n grid [1] {\n" + "  %x = load %a[0] : tile<" + e + "x" + s +
               ">\n  %y = reduce sum %x, axis 0\n  store %y, %out[0]\n}\n");
      double worst = 0, loosest = 0;
      for (uint64_t seed = 0; seed < 20; ++seed) {
        k.set("a", normal(n, seed));
        k.set("out", {0});
        REQUIRE(k.run());
        Floats x = k.floats("a");
        double ours = k.floats("out")[0], bound = k.bound("out");
        long double exact = std::accumulate(x.begin(), x.end(), 0.0L);
        CHECK(std::fabs(ours - exact) <=
              0.5001L * interp::ulp(t, double(exact)) + 1e-18L * fabsl(exact));
        // Forwards, backwards, and sorted, which is the worst way there is.
        for (int order = 0; order < 4; ++order) {
          Floats y = x;
          if (order == 1)
            std::reverse(y.begin(), y.end());
          if (order >= 2)
            std::sort(y.begin(), y.end(), [&](double p, double q) {
              return order == 2 ? p < q : std::fabs(p) > std::fabs(q);
            });
          double plain = 0;
          float narrow = 0;
          for (double v : y) {
            plain += v;
            narrow += float(v);
          }
          double other = t == DType::F64 ? plain : interp::roundTo(t, double(narrow));
          CHECK(std::fabs(other - ours) <= bound);
          worst = std::max(worst, std::fabs(other - ours));
          loosest = std::max(loosest, bound);
        }
      }
      if (t == DType::F32 || t == DType::F64)
        CHECK(n == 2 ? loosest == 0 : loosest < 200 * worst);
      else
        CHECK(loosest <= 1.01 * interp::ulp(t, 4 * std::sqrt(double(n))));
    }
  }
}

UNIT_TEST(small_integers_sum_exactly) {
  for (const char *type : {"f32", "f64", "f16", "bf16"}) {
    std::string s = type;
    Launch k("tile 0.1\nkernel @k(%a: view<" + s + ", [1000]>, %out: view<" + s +
             ", [1]>)\n grid [1] {\n" + "  %x = load %a[0] : tile<1000x" + s +
             ">\n  %y = reduce sum %x, axis 0\n  store %y, %out[0]\n}\n");
    Floats a(1000);
    for (size_t i = 0; i < 1000; ++i)
      a[i] = double(i * 7 % 16) * 0.25 - 2;
    k.set("a", a);
    k.set("out", {0});
    REQUIRE(k.run());
    CHECK_EQ(k.bound("out"), 0.0);
    CHECK_EQ(k.floats("out")[0],
             interp::roundTo(*dtypeFromText(s), std::accumulate(a.begin(), a.end(), 0.0)));
  }
  // 25 bits do not fit f32: no longer exact in any order.
  Launch k(
      "tile 0.1\nkernel @k(%a: view<f32, [3]>, %out: view<f32, [1]>)\n grid [1] {\n"
      "  %x = load %a[0] : tile<3xf32>\n  %y = reduce sum %x, axis 0\n  store %y, %out[0]\n}\n");
  k.set("a", {16777216, 1, 1});
  k.set("out", {0});
  REQUIRE(k.run());
  CHECK_EQ(k.floats("out")[0], 16777218.0);
  CHECK(k.bound("out") >= 2); // (16777216 + 1) + 1 is 16777216
  k.set("a", {16777216, -1, 0.0});
  REQUIRE(k.run());
  CHECK_EQ(k.bound("out"),
           0.0); // 2^24 + 1 is the largest partial sum there may be, and only 2^24 is
}

UNIT_TEST(sums_that_may_overflow_are_undecided) {
  double most = interp::largest(DType::F32);
  auto run = [&](Floats a) {
    Launch k(
        "tile 0.1\nkernel @k(%a: view<f32, [4]>, %out: view<f32, [1]>)\n grid [1] {\n"
        "  %x = load %a[0] : tile<4xf32>\n  %y = reduce sum %x, axis 0\n  store %y, %out[0]\n}\n");
    k.set("a", a);
    k.set("out", {0});
    k.run();
    return k;
  };
  Launch mixed = run({most, most, -most, -most});
  CHECK(mixed.undecided("out"));
  Launch positive = run({most, most, most, 0});
  CHECK(!positive.undecided("out"));
  CHECK_EQ(positive.floats("out")[0], double(INFINITY));
  CHECK_EQ(positive.bound("out"), 0.0);
  Launch infinite = run({INFINITY, 1, 2, 3});
  CHECK(!infinite.undecided("out") && infinite.bound("out") == 0);
  Launch both = run({INFINITY, -INFINITY, 2, 3});
  CHECK(!both.undecided("out"));
  // The sign of a sum of negative zeros is open, nothing else.
  Launch zeros = run({-0.0, -0.0, -0.0, -0.0});
  CHECK(zeros.bound("out") == interp::smallest(DType::F32));
  CHECK(run({-0.0, 0.0, -0.0, -0.0}).report.errors.empty());
}

UNIT_TEST(dots_in_any_order) {
  for (const char *type : {"f32", "f64", "f16", "bf16"})
    for (int depth : {1, 7, 300}) {
      DType t = *dtypeFromText(type), accType = t == DType::F64 ? DType::F64 : DType::F32;
      std::string s = type, acc(dtypeText(accType)), d = std::to_string(depth);
      Launch k("tile 0.1\nkernel @k(%a: view<" + s + ", [4, " + d + "]>, %b: view<" + s + ", [" +
               d + ", 3]>, %c: view<" + acc + ", [4, 3]>, %out: view<" + acc +
               ", [4, 3]>)\n grid [1] {\n  %x = load %a[0, 0] : tile<4x" + d + "x" + s +
               ">\n  %y = load %b[0, 0] : tile<" + d + "x3x" + s +
               ">\n  %z = load %c[0, 0] : tile<4x3x" + acc +
               ">\n  %r = dot %x, %y, %z\n  store %r, %out[0, 0]\n}\n");
      k.set("a", normal(size_t(4 * depth), 11));
      k.set("b", normal(size_t(3 * depth), 12));
      k.set("c", normal(12, 13));
      k.set("out", Floats(12));
      REQUIRE(k.run());
      Floats a = k.floats("a"), b = k.floats("b"), c = k.floats("c"), out = k.floats("out");
      double worst = 0, loosest = 0;
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 3; ++j)
          for (int order = 0; order < 4; ++order) {
            bool fused = order & 1, backwards = order & 2;
            double wide = c[size_t(i * 3 + j)];
            volatile float narrow = float(wide);
            for (int step = 0; step < depth; ++step) {
              int p = backwards ? depth - 1 - step : step;
              double x = a[size_t(i * depth + p)], y = b[size_t(p * 3 + j)];
              volatile float product = float(x) * float(y);
              narrow = fused ? std::fmaf(float(x), float(y), narrow) : narrow + product;
              volatile double wideProduct = x * y;
              wide = fused ? std::fma(x, y, wide) : wide + wideProduct;
            }
            double other = accType == DType::F64 ? wide : double(narrow);
            double error = std::fabs(other - out[size_t(i * 3 + j)]),
                   bound = k.bound("out", size_t(i * 3 + j));
            CHECK(error <= bound);
            worst = std::max(worst, error);
            loosest = std::max(loosest, bound);
          }
      CHECK(loosest < 1000 * worst || depth < 300);
    }
}

UNIT_TEST(decisions_inside_a_bound_are_undecided) {
  // exp2(3) is 8 for us and may be 8 +- 1 ulp elsewhere.
  Launch k(
      "tile 0.1\nkernel @k(%a: view<f32, [3]>, %i: view<i32, [3]>, %c: view<i1, [6, 3]>, %s: "
      "view<f32, [3]>)\n grid [1] {\n"
      "  %x = load %a[0] : tile<3xf32>\n  %e = exp2 %x\n  %8 = const 8.0 : f32\n"
      "  %t = cast %e : i32\n  store %t, %i[0]\n"
      "  %0 = cmp eq %e, %8\n  store %0, %c[0, 0]\n  %1 = cmp ne %e, %8\n  store %1, %c[1, 0]\n"
      "  %2 = cmp lt %e, %8\n  store %2, %c[2, 0]\n  %3 = cmp le %e, %8\n  store %3, %c[3, 0]\n"
      "  %4 = cmp gt %8, %e\n  store %4, %c[4, 0]\n  %5 = cmp ge %8, %e\n  store %5, %c[5, 0]\n"
      "  %n = neg %e\n  %r = select %2, %n, %e\n  store %r, %s[0]\n}\n");
  k.set("a", {2.5, 3, 3.5});
  k.setInts("i", {0, 0, 0});
  k.setInts("c", std::vector<int64_t>(18));
  k.set("s", {0, 0, 0});
  REQUIRE(k.run());
  CHECK(k.ints("i") == (std::vector<int64_t>{5, 8, 11}));
  CHECK(!k.undecided("i", 0) && k.undecided("i", 1) && !k.undecided("i", 2));
  for (size_t pred = 0; pred < 6; ++pred)
    CHECK(!k.undecided("c", pred * 3) && k.undecided("c", pred * 3 + 1) &&
          !k.undecided("c", pred * 3 + 2));
  CHECK_EQ(k.report.undecidedDecisions, 7u);
  // The select may take either side: its bound reaches the other one.
  CHECK(k.bound("s", 1) >= 16 && k.bound("s", 1) < 16.001);
  CHECK(k.bound("s", 0) < 1e-5 && k.bound("s", 2) < 1e-5);
  CHECK_EQ(k.report.undecidedControl, 0u);
}

UNIT_TEST(undecided_values_spread) {
  Launch k("tile 0.1\nkernel @k(%a: view<f32, [2]>, %t: view<i32, [8]>, %out: view<i32, [4]>)\n "
           "grid [1] {\n"
           "  %x = load %a[0] : tile<2xf32>\n  %e = exp2 %x\n  %i = cast %e : i32\n"
           "  %g = gather %t[%i]\n  store %g, %out[0]\n"
           "  %s = reduce sum %i, axis 0\n  %b = load %t[%s] : i32\n  store %b, %out[2]\n"
           "  %z = load %out[0] : tile<2xi32>\n  %1 = const 1 : i32\n  %w = reduce max %z, axis "
           "0\n  store %w, %out[3]\n}\n");
  k.set("a", {1.5, 2});
  k.setInts("t", {0, 10, 20, 30, 40, 50, 60, 70});
  k.setInts("out", std::vector<int64_t>(4));
  REQUIRE(k.run());
  CHECK(k.ints("out") == (std::vector<int64_t>{20, 40, 60, 40}));
  CHECK(!k.undecided("out", 0) && k.undecided("out", 1) && k.undecided("out", 2) &&
        k.undecided("out", 3));
  CHECK_EQ(k.report.undecidedControl, 0u);
  // In a condition, a bound or an address of a store there is nothing left to compare.
  for (const char *use :
       {"  %c = cmp gt %i, %1\n  if %c {\n    yield\n  } else {\n    yield\n  }\n",
        "  for %j = %1 to %i step %1 {\n    yield\n  }\n", "  store %1, %out[%i]\n",
        "  scatter %1, %out[%i]\n"}) {
    Launch c(
        std::string("tile 0.1\nkernel @k(%a: view<f32, [1]>, %out: view<i32, [8]>)\n grid [1] {\n"
                    "  %x = load %a[0] : f32\n  %e = exp2 %x\n  %i = cast %e : i32\n  %1 = const 1 "
                    ": i32\n") +
        use + "}\n");
    c.set("a", {2});
    c.setInts("out", std::vector<int64_t>(8));
    REQUIRE(c.run());
    CHECK_EQ(c.report.undecidedControl, 1u);
    std::vector<const void *> same;
    for (const InterpArg &arg : c.args())
      same.push_back(arg.data);
    auto found = compareOutputs(*c.graph, c.report, c.args(), same);
    REQUIRE_OK(found);
    CHECK(!found->equal() && found->mismatches == 0 && !found->inconclusive.empty());
    c.set("a", {2.5}); // well inside: decided
    REQUIRE(c.run());
    CHECK_EQ(c.report.undecidedControl, 0u);
  }
}

UNIT_TEST(doubts_survive_memory) {
  // Stored with a bound, loaded by the next program, negated: the bound is still there. An exact
  // store over it clears it; reading half of it as another type is undecided.
  Launch k("tile 0.1\nkernel @k(%a: view<f32, [2]>, %h: view<u16, [4]>, %out: view<u16, [4]>)\n "
           "grid [2] {\n"
           "  %p = program_id 0\n  %0 = const 0 : i64\n  %first = cmp eq %p, %0\n"
           "  if %first {\n    %x = load %a[0] : tile<2xf32>\n    %e = exp %x\n    store %e, "
           "%a[0]\n    yield\n  } else {\n"
           "    %1 = const 1.0 : f32\n    %y = load %a[0] : tile<2xf32>\n    %n = neg %y\n    "
           "store %n, %a[0]\n"
           "    store %1, %a[1]\n    %z = load %h[0] : tile<4xu16>\n    store %z, %out[0]\n    "
           "yield\n  }\n}\n");
  k.set("a", {1, 2});
  k.share("h", "a");
  k.setInts("out", std::vector<int64_t>(4));
  REQUIRE(k.run());
  CHECK_EQ(k.floats("a")[0], -double(float(expl(1))));
  CHECK(k.bound("a", 0) > 0 && k.bound("a", 0) < 1e-6);
  CHECK(k.bound("a", 1) == 0 && !k.undecided("a", 1));
  CHECK(k.undecided("out", 0) && k.undecided("out", 1));
  CHECK(!k.undecided("out", 2) && !k.undecided("out", 3));
  auto errors = elementErrors(*k.graph, k.args(), k.report, 0);
  REQUIRE_OK(errors);
  CHECK(errors->bounds.size() == 2 && errors->bounds[0] == k.bound("a", 0) &&
        errors->bounds[1] == 0);
}

UNIT_TEST(comparison_of_outputs) {
  Launch k("tile 0.1\nkernel @k(%a: view<f32, [2, 2]>, %out: view<f32, [2, 2], [3, 1]>, %i: "
           "view<i32, [1]>, %n: i64)\n grid [1] {\n"
           "  %x = load %a[0, 0] : tile<2x2xf32>\n  %e = exp %x\n  store %e, %out[0, 0]\n"
           "  %1 = const 7 : i32\n  store %1, %i[0]\n}\n");
  k.set("a", {1, 2, 3, 4});
  k.set("out", Floats(6, 9));
  k.setInts("i", {0});
  REQUIRE(k.run());
  auto compare = [&](size_t arg, size_t element, float change, bool fromBits = false) {
    std::vector<std::vector<uint8_t>> copy = k.memory;
    std::vector<const void *> actual;
    if (change != 0 || fromBits) {
      float v;
      std::memcpy(&v, &copy[arg][element * 4], 4);
      v = fromBits ? -v : v + change;
      std::memcpy(&copy[arg][element * 4], &v, 4);
    }
    for (auto &bytes : copy)
      actual.push_back(bytes.empty() ? nullptr : bytes.data());
    auto found = compareOutputs(*k.graph, k.report, k.args(), actual);
    return found.ok() ? std::move(*found) : Comparison{};
  };
  Comparison same = compare(0, 0, 0);
  CHECK(same.equal() && same.text(*k.graph).empty());
  CHECK_EQ(same.elements, 11u);
  CHECK_EQ(same.inexact, 4u);
  CHECK_EQ(same.written, 7u);
  CHECK(compare(1, 0, 2e-7f).equal()); // within an ulp of e
  Comparison off = compare(1, 4, 1e-3f);
  CHECK(!off.equal() && off.mismatches == 1);
  CHECK(off.first.size() == 1 && off.first[0].coordinates == (std::vector<int64_t>{1, 1}) &&
        off.first[0].arg == 1);
  CHECK(off.text(*k.graph).find("out[1, 1]: expected 54.59") != std::string::npos);
  CHECK(off.maxError > 0.9e-3 && off.maxError < 1.1e-3 && off.maxShare > 100);
  Comparison gap = compare(1, 2, 1); // memory between the rows
  CHECK(!gap.equal() && gap.first[0].coordinates.empty() && gap.first[0].offset == 2);
  CHECK(!compare(0, 3, 1e-6f).equal()); // an input that was written to
  CHECK(!compare(0, 3, 0, true).equal());
  CHECK(compare(2, 0, 1).mismatches == 1);
}

UNIT_TEST(nans_and_zeros_compare_by_where_they_come_from) {
  // out 0: a copied NaN, kept bit for bit; out 1: a NaN from arithmetic, any NaN; out 2: -0, exact.
  Launch k("tile 0.1\nkernel @k(%a: view<f32, [3]>, %out: view<f32, [4]>)\n grid [1] {\n"
           "  %x = load %a[0] : f32\n  store %x, %out[0]\n  %y = load %a[1] : f32\n  %z = sub %y, "
           "%y\n  store %z, %out[1]\n"
           "  %w = load %a[2] : f32\n  %v = neg %w\n  store %v, %out[2]\n"
           "  %d = cast %x : f64\n  %f = cast %d : f32\n  store %f, %out[3]\n}\n");
  k.setBits("a", {0x7fa12345, 0x7f800000, 0});
  k.set("out", Floats(4));
  REQUIRE(k.run());
  CHECK_EQ(k.bits("out")[0], 0x7fa12345u);
  auto equalWith = [&](size_t element, uint32_t bits) {
    std::vector<std::vector<uint8_t>> copy = k.memory;
    std::memcpy(&copy[1][element * 4], &bits, 4);
    std::vector<const void *> actual = {copy[0].data(), copy[1].data()};
    auto found = compareOutputs(*k.graph, k.report, k.args(), actual);
    return found.ok() && found->equal();
  };
  CHECK(equalWith(0, 0x7fa12345) && !equalWith(0, 0x7fe12345));
  CHECK(equalWith(1, 0x7fc00000) && equalWith(1, 0xffc00001) && !equalWith(1, 0x7f800000));
  CHECK(equalWith(2, 0x80000000) && !equalWith(2, 0));
  CHECK(equalWith(3, 0x7fe12345) && equalWith(3, 0xffc00000) &&
        !equalWith(3, 1)); // out 3: converted
}

UNIT_TEST(too_many_undecided_elements_are_inconclusive) {
  Launch k("tile 0.1\nkernel @k(%a: view<f32, [300]>, %out: view<i32, [300]>)\n grid [1] {\n"
           "  %x = load %a[0] : tile<300xf32>\n  %e = exp2 %x\n  %i = cast %e : i32\n  store %i, "
           "%out[0]\n}\n");
  for (size_t undecided : {3, 4}) {
    Floats a(300, 1.5);
    for (size_t i = 0; i < undecided; ++i)
      a[i * 50] = 1;
    k.set("a", a);
    k.set("out", Floats(300));
    REQUIRE(k.run());
    std::vector<const void *> actual = {k.memory[0].data(), k.memory[1].data()};
    auto found = compareOutputs(*k.graph, k.report, k.args(), actual);
    REQUIRE_OK(found);
    CHECK_EQ(found->undecided, undecided);
    CHECK_EQ(found->equal(), undecided == 3);
  }
}

UNIT_TEST(tracking_can_be_off) {
  Floats a = normal(100, 1), b = normal(100, 2);
  Launch on = launch("  %e = exp %x\n  %r = mul %e, %y\n", a, b);
  Launch off(unary("  %e = exp %x\n  %r = mul %e, %y\n", 100));
  off.set("a", a);
  off.set("b", b);
  off.set("out", Floats(100));
  InterpOptions options;
  options.trackErrors = false;
  REQUIRE(off.run(options));
  CHECK(off.report.errors.empty() && !on.report.errors.empty());
  CHECK(on.bits("out") == off.bits("out"));
}

UNIT_TEST_MAIN
