// Atomic operations in the interpreter: what is written, what is read, and what is known of both.
#include "unit/interp_test.h"

using namespace tl;
using namespace tl::test;

namespace {

/// A kernel of `programs` programs whose body has %x, a tile of 4 elements, %at, its places, and
/// %m, the memory; what it names %r is stored.
std::string kernel(const std::string &type, int programs, const std::string &body, bool result) {
  std::string s = "tile 0.1\nkernel @k(%px: view<" + type +
                  ", [4]>, %pat: view<i32, [4]>, %m: view<" + type + ", [3]>, %out: view<" + type +
                  ", [4]>)\n grid [" + std::to_string(programs) +
                  "] {\n  %x = load %px[0] : tile<4 x " + type +
                  ">\n  %at = load %pat[0] : tile<4 x i32>\n" + body;
  return s + (result ? "  store %r, %out[0]\n}\n" : "}\n");
}

struct Run {
  Run(const std::string &type, int programs, const std::string &body, std::vector<double> x,
      std::vector<double> at, std::vector<double> memory)
      : launch(kernel(type, programs, body, body.find("%r =") != std::string::npos)) {
    launch.set("px", x);
    launch.set("pat", at);
    launch.set("m", memory);
    launch.set("out", {0, 0, 0, 0});
    good = launch.run();
  }
  double bound(size_t i) { return launch.doubt("m", i).bound; }
  /// 1 for each element that may have any value.
  std::vector<int> open(const std::string &name, size_t count) {
    std::vector<int> marks;
    for (size_t i = 0; i < count; ++i)
      marks.push_back(launch.doubt(name, i).marks & interp::Undecided);
    return marks;
  }
  Launch launch;
  bool good;
};

using Marks = std::vector<int>;

} // namespace

UNIT_TEST(every_element_counts) {
  Run run("i32", 3, "  atomic_add %x, %m[%at]\n", {1, 2, 4, 8}, {0, 0, 2, -1}, {10, 20, 30});
  REQUIRE(run.good);
  CHECK(run.launch.ints("m") == std::vector<int64_t>({19, 20, 42}));
  CHECK(run.open("m", 3) == Marks({0, 0, 0}));
  Run wraps("i8", 1, "  atomic_add %x, %m[%at]\n", {100, 100, 1, 1}, {0, 0, 1, 3}, {0, 127, 0});
  CHECK(wraps.launch.ints("m") == std::vector<int64_t>({-56, -128, 0}));
}

UNIT_TEST(each_kind) {
  struct Case {
    std::string type, body;
    std::vector<double> x, memory;
    std::vector<int64_t> want;
  };
  const std::vector<double> at = {0, 0, 1, 2};
  for (const Case &c : {
           Case{"i32", "  atomic_min %x, %m[%at]\n", {-7, 5, 5, 1}, {0, 3, 1}, {-7, 3, 1}},
           Case{"i32", "  atomic_max %x, %m[%at]\n", {-7, 5, 5, 1}, {0, 3, 1}, {5, 5, 1}},
           Case{"u8", "  atomic_max %x, %m[%at]\n", {200, 5, 5, 1}, {100, 3, 1}, {200, 5, 1}},
           Case{"u8", "  atomic_min %x, %m[%at]\n", {200, 150, 5, 1}, {255, 3, 1}, {150, 3, 1}},
           Case{"i16", "  atomic_and %x, %m[%at]\n", {12, 10, 6, -1}, {15, 3, 9}, {8, 2, 9}},
           Case{"i16", "  atomic_or %x, %m[%at]\n", {12, 1, 6, 0}, {2, 3, 9}, {15, 7, 9}},
           Case{"u64", "  atomic_xor %x, %m[%at]\n", {12, 1, 6, 0}, {2, 3, 9}, {15, 5, 9}},
           Case{"i64", "  %e = atomic_exchange %x, %m[%at]\n", {4, 4, 6, 0}, {2, 3, 9}, {4, 6, 0}},
           Case{"i32", "  atomic_cas 3, %x, %m[%at]\n", {4, 4, 6, 8}, {2, 3, 9}, {2, 6, 9}},
       }) {
    Run run(c.type, 1, c.body, c.x, at, c.memory);
    REQUIRE(run.good);
    if (run.launch.ints("m") != c.want)
      unit::fail(__FILE__, __LINE__, c.type + c.body);
  }
}

UNIT_TEST(extremes_of_floats) {
  Run most("f32", 2, "  atomic_max %x, %m[%at]\n", {NAN, 1, 0.0, -5}, {0, 0, 1, 2}, {3, -0.0, -4});
  std::vector<double> got = most.launch.floats("m");
  CHECK(std::isnan(got[0]));
  CHECK(got[1] == 0 && !std::signbit(got[1]));
  CHECK_EQ(got[2], -4.0);
  Run least("f16", 2, "  atomic_min %x, %m[%at]\n", {9, 1, -0.0, 5}, {0, 0, 1, 2}, {3, 0, 6});
  CHECK(least.launch.floats("m") == std::vector<double>({1, 0, 5}));
  CHECK(std::signbit(least.launch.floats("m")[1]));
}

UNIT_TEST(sums_of_floats_in_any_order) {
  // 2^24 + 1 + 1 + 1 in f32: 2^24 to 2^24 + 4, by the order.
  Run sum("f32", 1, "  atomic_add %x, %m[%at]\n", {1, 1, 1, 0.5}, {0, 0, 0, 1}, {16777216, 1, 7});
  REQUIRE(sum.good);
  double value = sum.launch.floats("m")[0];
  for (double other : {16777216.0, 16777218.0, 16777220.0})
    CHECK(std::fabs(other - value) <= sum.bound(0));
  CHECK(sum.bound(0) < 16);
  CHECK_EQ(sum.launch.floats("m")[1], 1.5); // one rounding: exact
  CHECK_EQ(sum.bound(1), 0.0);
  CHECK_EQ(sum.bound(2), 0.0);
  // In f16 each step rounds: 2048 + 1 is 2048.
  Run half("f16", 1, "  atomic_add %x, %m[%at]\n", {1, 1, 1, 1}, {0, 0, 0, 0}, {2048, 0, 0});
  CHECK_EQ(half.launch.floats("m")[0], 2048.0);
  CHECK(half.bound(0) >= 4);
}

UNIT_TEST(what_was_read) {
  Run once("i32", 1, "  %r = atomic_add %x, %m[%at]\n", {1, 2, 3, 4}, {2, 0, 1, 5}, {10, 20, 30});
  CHECK(once.launch.ints("out") == std::vector<int64_t>({30, 10, 20, 0}));
  CHECK(once.open("out", 4) == Marks({0, 0, 0, 0}));
  Run met("i32", 1, "  %r = atomic_add %x, %m[%at]\n", {1, 2, 3, 4}, {0, 0, 1, 5}, {10, 20, 30});
  CHECK(met.open("out", 4) == Marks({1, 1, 0, 0}));
  Run several("i32", 2, "  %r = atomic_add %x, %m[%at]\n", {1, 2, 3, 4}, {0, 2, 1, 5}, {1, 2, 3});
  CHECK(several.open("out", 4) == Marks({1, 1, 1, 0}));
}

UNIT_TEST(what_the_order_decides) {
  auto open = [](Run &run) { return run.open("m", 3); };
  Run exchange("i32", 1, "  %e = atomic_exchange %x, %m[%at]\n", {1, 2, 3, 4}, {0, 0, 1, 2},
               {0, 0, 0});
  CHECK(open(exchange) == Marks({1, 0, 0}));
  Run programs("i32", 2, "  %e = atomic_exchange %x, %m[%at]\n", {1, 2, 3, 4}, {0, 1, 1, 5},
               {0, 0, 0});
  CHECK(open(programs) == Marks({1, 1, 0}));
  Run kinds("i32", 2, "  atomic_add %x, %m[%at]\n  atomic_max 5, %m[%at]\n", {1, 2, 3, 4},
            {0, 0, 0, 5}, {0, 0, 0});
  CHECK(open(kinds) == Marks({1, 0, 0}));
  Run inOrder("i32", 1, "  atomic_add %x, %m[%at]\n  atomic_max 5, %m[%at]\n", {1, 2, 3, 4},
              {0, 0, 1, 5}, {0, 0, 0});
  CHECK(open(inOrder) == Marks({0, 0, 0}));
  CHECK(inOrder.launch.ints("m") == std::vector<int64_t>({5, 5, 0}));
}

UNIT_TEST_MAIN
