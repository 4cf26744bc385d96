// test-timeout: 900
// Loops, branches, carried values and program numbers as host code, against the interpreter.
#include "codegen/codegen.h"
#include "unit/host_test.h"

using namespace tl;
using namespace tl::test;

UNIT_TEST(trip_counts) {
  const int64_t cases[][3] = {{0, 5, 1},
                              {0, 5, 2},
                              {0, 5, 7},
                              {5, 0, 1},
                              {0, 5, 0},
                              {0, 5, -1},
                              {-3, 4, 3},
                              {INT64_MAX - 5, INT64_MAX, 2},
                              {INT64_MIN, INT64_MAX, INT64_MAX},
                              {INT64_MIN, INT64_MIN + 3, 1},
                              {INT64_MIN, INT64_MAX, int64_t(1) << 62}};
  for (auto [lo, hi, step] : cases) {
    Launch k(
        "tile 0.1\nkernel @k(%o: view<i64, [2]>, %lo: i64, %hi: i64, %st: i64)\n grid [1] {\n"
        "  %z = const 0 : i64\n  %n, %l = for %i = %lo to %hi step %st carry %c = %z, %p = %z {\n"
        "    %d = add %c, 1\n    yield %d, %i\n  }\n  store %n, %o[0]\n  store %l, %o[1]\n}\n");
    k.setInts("o", {7, 7});
    k.setInts("lo", {lo});
    k.setInts("hi", {hi});
    k.setInts("st", {step});
    CHECK(hostAgrees(k));
  }
  for (auto [lo, hi, step] : {std::tuple(0, 9, 4), std::tuple(INT32_MAX - 3, INT32_MAX, 2),
                              std::tuple(INT32_MIN, INT32_MAX, INT32_MAX)}) {
    Launch k(
        "tile 0.1\nkernel @k(%o: view<i32, [2]>, %lo: i32, %hi: i32, %st: i32)\n grid [1] {\n"
        "  %z = const 0 : i32\n  %n, %l = for %i = %lo to %hi step %st carry %c = %z, %p = %z {\n"
        "    %d = add %c, 1\n    yield %d, %i\n  }\n  store %n, %o[0]\n  store %l, %o[1]\n}\n");
    k.setInts("o", {7, 7});
    k.setInts("lo", {lo});
    k.setInts("hi", {hi});
    k.setInts("st", {step});
    CHECK(hostAgrees(k));
  }
}

UNIT_TEST(carried_tiles) {
  for (int64_t n : {0, 1, 2, 5})
    for (const char *body :
         {"    %d = add %p, %q\n    yield %q, %d, %s\n", // Fibonacci
          "    yield %q, %s, %p\n",                      // rotate
          "    %d = mul %p, 2.0\n    yield %d, %d, %d\n",
          "    %d = tanh %p\n    %e = add %d, %q\n    %f = add %d, %s\n    yield %e, %f, %d\n",
          "    %r = reduce sum %p, axis 0\n    %d = mul %q, 0.5\n    %e = add %d, %r\n    yield "
          "%s, %e, %p\n",
          "    yield %p, %p, %x\n"}) {
      Launch k(
          std::string(
              "tile 0.1\nkernel @k(%a: view<f32, [33]>, %o: view<f32, [3, 33]>, %n: i64)\n grid "
              "[1] {\n"
              "  %x = load %a[0] : tile<33xf32>\n  %y = full 1.0 : tile<33xf32>\n  %z = sub %x, "
              "%y\n  %zero = const 0 : i64\n  %one = const 1 : i64\n"
              "  %u, %v, %w = for %i = %zero to %n step %one carry %p = %x, %q = %y, %s = %z {\n") +
          body + "  }\n  store %u, %o[0, 0]\n  store %v, %o[1, 0]\n  store %w, %o[2, 0]\n}\n");
      k.set("a", someFloats(33, 1));
      k.set("o", std::vector<double>(99, 5));
      k.setInts("n", {n});
      CHECK(hostAgrees(k));
    }
}

UNIT_TEST(carried_accumulators) {
  for (int64_t n : {0, 7, 40, 100}) {
    Launch k("tile 0.1\nkernel @k(%a: view<f16, [20, %n]>, %b: view<f16, [%n, 24]>, %o: view<f32, "
             "[20, 24]>, %n: i64)\n grid [1] {\n"
             "  %z = full 0.0 : tile<20x24xf32>\n  %zero = const 0 : i64\n  %st = const 16 : i64\n"
             "  %r = for %i = %zero to %n step %st carry %acc = %z {\n    %x = load %a[0, %i] : "
             "tile<20x16xf16>\n    %y = load %b[%i, 0] : tile<16x24xf16>\n"
             "    %s = mul %acc, 0.5\n    %d = dot %x, %y, %s\n    yield %d\n  }\n  store %r, "
             "%o[0, 0]\n}\n");
    k.set("a", someFloats(size_t(20 * n), 1));
    k.set("b", someFloats(size_t(24 * n), 2));
    k.set("o", std::vector<double>(480, 5));
    k.setInts("n", {n});
    CHECK(hostAgrees(k));
  }
}

UNIT_TEST(nested_loops_and_branches) {
  for (int64_t n : {0, 1, 4}) {
    Launch k("tile 0.1\nkernel @k(%a: view<f32, [4, 17]>, %o: view<f32, [17]>, %c: view<i64, [1]>, "
             "%n: i64)\n grid [1] {\n"
             "  %zero = const 0 : i64\n  %one = const 1 : i64\n  %two = const 2 : i64\n  %start = "
             "full 0.0 : tile<17xf32>\n"
             "  %r, %count = for %i = %zero to %n step %one carry %acc = %start, %k = %zero {\n"
             "    %inner, %kk = for %j = %zero to %i step %one carry %q = %acc, %k1 = %k {\n      "
             "%x = load %a[%j, 0] : tile<17xf32>\n"
             "      %odd = rem %j, %two\n      %isodd = cmp eq %odd, %one\n      %y, %k2 = if "
             "%isodd {\n        %m = mul %x, 3.0\n        %k3 = add %k1, %one\n"
             "        %s = add %q, %m\n        yield %s, %k3\n      } else {\n        %t = sub %q, "
             "%x\n        yield %t, %k1\n      }\n      yield %y, %k2\n    }\n"
             "    %v = load %a[%i, 0] : tile<17xf32>\n    %w = add %inner, %v\n    yield %w, %kk\n "
             " }\n  store %r, %o[0]\n  store %count, %c[0]\n}\n");
    k.set("a", someFloats(68, 1));
    k.set("o", std::vector<double>(17, 5));
    k.setInts("c", {3});
    k.setInts("n", {n});
    CHECK(hostAgrees(k));
  }
}

UNIT_TEST(branches) {
  for (int64_t n : {0, 1}) {
    Launch k("tile 0.1\nkernel @k(%a: view<f32, [40]>, %o: view<f32, [3, 40]>, %n: i64)\n grid [1] "
             "{\n  %x = load %a[0] : tile<40xf32>\n  %e = exp %x\n"
             "  %c = cmp eq %n, 0\n  %p, %q, %s = if %c {\n    %y = add %e, %x\n    store %y, "
             "%a[0]\n    yield %y, %y, %x\n  } else {\n    %z = load %a[3] : tile<40xf32>\n"
             "    yield %x, %z, %e\n  }\n  store %p, %o[0, 0]\n  store %q, %o[1, 0]\n  %t = add "
             "%s, %p\n  store %t, %o[2, 0]\n}\n");
    k.set("a", someFloats(40, 1));
    k.set("o", std::vector<double>(120, 5));
    k.setInts("n", {n});
    CHECK(hostAgrees(k));
  }
}

UNIT_TEST(stores_in_loops) {
  Launch k("tile 0.1\nkernel @k(%a: view<f32, [100]>, %o: view<f32, [100]>, %n: i64)\n grid [1] "
           "{\n  %zero = const 0 : i64\n  %st = const 8 : i64\n"
           "  %w = load %a[0] : tile<16xf32>\n  for %i = %zero to %n step %st {\n    %x = load "
           "%a[%i] : tile<16xf32>\n    %y = add %x, %w\n    store %y, %a[%i]\n"
           "    store %x, %o[%i]\n    yield\n  }\n}\n");
  k.set("a", someFloats(100, 1));
  k.set("o", std::vector<double>(100, 5));
  k.setInts("n", {96});
  CHECK(hostAgrees(k));
}

UNIT_TEST(program_numbers) {
  for (auto [x, y, z] :
       {std::tuple(1, 1, 1), std::tuple(5, 3, 2), std::tuple(1, 4, 3), std::tuple(7, 1, 2)}) {
    Launch k("tile 0.1\nkernel @k(%o: view<i64, [%z, %y, %x, 2]>, %x: i64, %y: i64, %z: i64)\n "
             "grid [%x, %y, %z] {\n"
             "  %a = program_id 0\n  %b = program_id 1\n  %c = program_id 2\n  %n = num_programs "
             "0\n  %m = num_programs 1\n  %l = num_programs 2\n"
             "  %s = mul %a, 100\n  %t = mul %b, 10\n  %u = add %s, %t\n  %v = add %u, %c\n  store "
             "%v, %o[%c, %b, %a, 0]\n"
             "  %nm = mul %n, %m\n  %nml = mul %nm, %l\n  store %nml, %o[%c, %b, %a, 1]\n}\n");
    k.setInts("o", std::vector<int64_t>(size_t(x * y * z * 2), -1));
    k.setInts("x", {x});
    k.setInts("y", {y});
    k.setInts("z", {z});
    CHECK(hostAgrees(k));
  }
}

UNIT_TEST_MAIN
