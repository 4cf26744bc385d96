// Programs, control flow, views and memory in the interpreter.
#include "unit/interp_test.h"

#include <bit>

using namespace tl;
using namespace tl::test;

using Ints = std::vector<int64_t>;
using Floats = std::vector<double>;

UNIT_TEST(grid_runs_every_program) {
  Launch k("tile 0.1\nkernel @k(%out: view<i64, [2, 3, 4]>, %n: i64)\n grid [%n, 3, 2] {\n"
           "  %x = program_id 0\n  %y = program_id 1\n  %z = program_id 2\n"
           "  %a = num_programs 0\n  %b = num_programs 1\n"
           "  %0 = mul %z, %b\n  %1 = add %0, %y\n  %2 = mul %1, %a\n  %3 = add %2, %x\n"
           "  store %3, %out[%z, %y, %x]\n}\n");
  k.setInts("n", {4});
  k.setInts("out", Ints(24, -1));
  REQUIRE(k.run());
  Ints expected;
  for (int64_t i = 0; i < 24; ++i)
    expected.push_back(i);
  CHECK(k.ints("out") == expected);
  CHECK_EQ(k.report.grid[0], 4);
  k.setInts("n", {0}); // nothing runs
  k.setInts("out", Ints(24, -1));
  REQUIRE(k.run());
  CHECK(k.ints("out") == Ints(24, -1));
  k.setInts("n", {-1});
  k.expectError(TL_E_GRID, "-1 programs along axis 0");
  k.setInts("n", {int64_t(1) << 40});
  k.expectError(TL_E_GRID, "1099511627776 programs");
}

UNIT_TEST(loops_while_something_holds) {
  // Steps of the Collatz sequence to 1, a loop whose length nothing but running it tells.
  Launch k("tile 0.1\nkernel @k(%a: view<i64, [5]>, %steps: view<i64, [5]>, %top: view<i64, [5]>)\n"
           " grid [5] {\n  %i = program_id 0\n  %n = load %a[%i] : i64\n  %zero = const 0 : i64\n"
           "  %go = cmp gt %n, 1\n"
           "  %s, %m, %last = while %go carry %t = %zero, %most = %n, %x = %n {\n"
           "    %odd = and %x, 1\n    %is = cmp eq %odd, 1\n    %half = shr %x, 1\n"
           "    %up = mul %x, 3\n    %more = add %up, 1\n    %y = select %is, %more, %half\n"
           "    %u = add %t, 1\n    %h = max %most, %y\n    %again = cmp ne %y, 1\n"
           "    yield %again, %u, %h, %y\n  }\n"
           "  store %s, %steps[%i]\n  store %m, %top[%i]\n}\n");
  k.setInts("a", {1, 2, 27, 97, 0});
  k.setInts("steps", Ints(5, -1));
  k.setInts("top", Ints(5, -1));
  REQUIRE(k.run());
  CHECK(k.ints("steps") == (Ints{0, 1, 111, 118, 0}));
  CHECK(k.ints("top") == (Ints{1, 2, 9232, 9232, 0}));
}

UNIT_TEST(carried_values_of_a_while_change_at_once) {
  Launch k("tile 0.1\nkernel @k(%n: i64, %out: view<i64, [2]>)\n grid [1] {\n"
           "  %one = const 1 : i64\n  %two = const 2 : i64\n  %go = cmp gt %n, 0\n"
           "  %p, %q, %l = while %go carry %a = %one, %b = %two, %left = %n {\n"
           "    %m = sub %left, 1\n    %again = cmp gt %m, 0\n    yield %again, %b, %a, %m\n  }\n"
           "  store %p, %out[0]\n  store %q, %out[1]\n}\n");
  for (int64_t n : {-1, 0, 1, 2, 7}) {
    k.setInts("n", {n});
    k.setInts("out", Ints(2));
    REQUIRE(k.run());
    CHECK(k.ints("out") == (n > 0 && n % 2 ? Ints{2, 1} : Ints{1, 2}));
  }
}

UNIT_TEST(programs_end_early) {
  // From within a loop and a branch: what came before stays, and other programs go on.
  Launch k("tile 0.1\nkernel @k(%out: view<i64, [4, 3]>)\n grid [4] {\n  %p = program_id 0\n"
           "  %none = cmp eq %p, 3\n  exit %none\n"
           "  for %i = 0 to 2 {\n    store %i, %out[%p, %i]\n    %here = cmp eq %p, 1\n"
           "    if %here {\n      %now = cmp eq %i, 0\n      exit %now\n    }\n  }\n"
           "  %last = cmp eq %p, 2\n  exit %last\n  store %p, %out[%p, 2]\n}\n");
  k.setInts("out", Ints(12, -1));
  REQUIRE(k.run());
  CHECK(k.ints("out") == (Ints{0, 1, 0, 0, -1, -1, 0, 1, -1, -1, -1, -1}));
}

UNIT_TEST(pointers_from_memory) {
  Launch k("tile 0.1\nkernel @k(%table: view<u64, [2]>, %out: view<i32, [2, 3]>)\n grid [2] {\n"
           "  %i = program_id 0\n  %a = load %table[%i] : u64\n  %p = pointer %a : i32\n"
           "  %v = view %p, [2], [1]\n  %x = load %v[0] pad 9 : tile<3xi32>\n"
           "  store %x, %out[%i, 0]\n  %y = neg %x\n  store %y, %v[0]\n}\n");
  int32_t first[3] = {1, 2, 3}, second[3] = {4, 5, 6};
  k.setInts("table", {int64_t(uintptr_t(first)), int64_t(uintptr_t(second))});
  k.setInts("out", Ints(6));
  REQUIRE(k.run());
  CHECK(k.ints("out") == (Ints{1, 2, 9, 4, 5, 9}));
  CHECK(first[1] == -2 && first[2] == 3 && second[0] == -4 && second[2] == 6);
  // An address that is no memory is an error, not the end of the process.
  k.setInts("table", {16, 0});
  k.expectError(TL_E_INVALID_ARGUMENT, "address 0x10, which is no memory of this process");
}

UNIT_TEST(loads_pad_and_stores_drop) {
  Launch k("tile 0.1\nkernel @k(%a: view<i32, [3, 4]>, %i: i64, %j: i64, %out: view<i32, [2, 3]>,"
           " %b: view<i32, [3, 4]>)\n grid [1] {\n"
           "  %x = load %a[%i, %j] pad -9 : tile<2x3xi32>\n  store %x, %out[0, 0]\n"
           "  store %x, %b[%i, %j]\n}\n");
  Ints a;
  for (int64_t i = 0; i < 12; ++i)
    a.push_back(10 + i);
  for (int64_t i : {int64_t(-3), int64_t(-2), int64_t(-1), int64_t(0), int64_t(2), int64_t(3),
                    INT64_MAX, INT64_MIN, INT64_MAX - 1})
    for (int64_t j :
         {int64_t(-4), int64_t(-1), int64_t(0), int64_t(2), int64_t(3), INT64_MAX, INT64_MIN}) {
      k.setInts("a", a);
      k.setInts("out", Ints(6));
      k.setInts("b", Ints(12));
      k.setInts("i", {i});
      k.setInts("j", {j});
      REQUIRE(k.run());
      Ints out = k.ints("out"), b = k.ints("b"), dropped(12, 0);
      for (int r = 0; r < 2; ++r)
        for (int c = 0; c < 3; ++c) {
          __int128 y = __int128(i) + r, x = __int128(j) + c;
          bool in = y >= 0 && y < 3 && x >= 0 && x < 4;
          int64_t expected = in ? a[size_t(y * 4 + x)] : -9;
          CHECK_EQ(out[size_t(r * 3 + c)], expected);
          if (in)
            dropped[size_t(y * 4 + x)] = expected;
        }
      CHECK(b == dropped);
    }
}

UNIT_TEST(tile_axes_and_fixed_axes) {
  // A column (view axis 0) as a rank-1 tile, the last axis fixed; and a transposed load.
  Launch k("tile 0.1\nkernel @k(%a: view<i32, [3, 4]>, %c: view<i32, [3]>, %t: view<i32, [4, "
           "3]>)\n grid [1] {\n"
           "  %x = load %a[0, 2] axes [0] : tile<3xi32>\n  store %x, %c[0]\n"
           "  %y = load %a[0, 0] axes [1, 0] : tile<4x3xi32>\n  store %y, %t[0, 0]\n"
           "  %z = load %a[3, 0] : tile<4xi32>\n  store %z, %a[0, 0]\n}\n");
  k.setInts("a", {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  k.setInts("c", Ints(3));
  k.setInts("t", Ints(12));
  REQUIRE(k.run());
  CHECK(k.ints("c") == (Ints{2, 6, 10}));
  CHECK(k.ints("t") == (Ints{0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11}));
  // The fixed axis of the last load is out of bounds, so all of it reads 0.
  CHECK(k.ints("a") == (Ints{0, 0, 0, 0, 4, 5, 6, 7, 8, 9, 10, 11}));
}

UNIT_TEST(dynamic_and_strange_extents) {
  for (int64_t extent : {int64_t(0), int64_t(-1), INT64_MIN, INT64_MAX, int64_t(2)}) {
    Launch k("tile 0.1\nkernel @k(%a: view<i8, [?]>, %e: view<i64, [1]>)\n grid [1] {\n"
             "  %x = load %a[0] pad 7 : tile<2xi8>\n  %y = add %x, %x\n  store %y, %a[0]\n"
             "  %n = extent %a, 0\n  store %n, %e[0]\n}\n");
    k.shape("a", {extent});
    k.setInts("a", {1, 2});
    k.setInts("e", {0});
    REQUIRE(k.run());
    CHECK(k.ints("a") == (extent < 1 ? Ints{1, 2} : Ints{2, 4}));
    CHECK_EQ(k.ints("e")[0], extent);
  }
  Launch missing("tile 0.1\nkernel @k(%a: view<i8, [?]>)\n grid [1] {\n}\n");
  missing.setInts("a", {1});
  missing.expectError(TL_E_ARG_SHAPE, "dynamic and must be given");
}

UNIT_TEST(strided_views) {
  // Every second element, backwards: stride -2 from the last one.
  Launch k(
      "tile 0.1\nkernel @k(%a: view<i32, [3], [-2]>, %b: view<i32, [2, 3], [?, ?]>, %s: i64, %c: "
      "view<i32, [2], [%s]>)\n"
      " grid [1] {\n"
      "  %x = load %a[0] : tile<3xi32>\n"
      "  %y = expand_dims %x, axis 0\n  %z = broadcast %y : tile<2x3xi32>\n  store %z, %b[0, 0]\n"
      "  %w = load %c[0] : tile<2xi32>\n  %v = neg %w\n  store %v, %c[0]\n}\n");
  k.setInts("a", {1, 2, 3, 4, 5});
  k.share("a", "a", 16);
  k.hideSize("a"); // its elements lie before its pointer
  k.setInts("b", Ints(9, 0));
  k.shape("b", {2, 3}, {5, 1});
  k.setInts("s", {3});
  k.setInts("c", {1, 2, 3, 4});
  REQUIRE(k.run());
  CHECK(k.ints("b") == (Ints{5, 3, 1, 0, 0, 5, 3, 1, 0}));
  CHECK(k.ints("c") == (Ints{-1, 2, 3, -4}));
}

UNIT_TEST(views_from_loaded_values) {
  // A ragged matrix: row r starts at offset[r] and has length[r] elements.
  Launch k(
      "tile 0.1\nkernel @k(%data: ptr<f32>, %offset: view<i64, [3]>, %length: view<i32, [3]>, "
      "%out: view<f32, [3, 4]>)\n"
      " grid [3] {\n  %r = program_id 0\n"
      "  %one = const 1 : i64\n  %all = const 100 : i64\n"
      "  %o = load %offset[%r] : i64\n  %n32 = load %length[%r] : i32\n  %n = cast %n32 : i64\n"
      "  %flat = view %data, [%all], [%one]\n  %start = addr %flat[%o]\n  %row = view %start, "
      "[%n], [%one]\n"
      "  %x = load %row[0] pad -1.0 : tile<4xf32>\n  store %x, %out[%r, 0]\n}\n");
  k.set("data", {1, 2, 3, 4, 5, 6});
  k.setInts("offset", {0, 5, 2});
  k.setInts("length", {2, 1, -7});
  k.set("out", Floats(12));
  REQUIRE(k.run());
  CHECK(k.floats("out") == (Floats{1, 2, -1, -1, 6, -1, -1, -1, -1, -1, -1, -1}));
}

UNIT_TEST(gather_and_scatter) {
  Launch k("tile 0.1\nkernel @k(%a: view<i32, [2, 3]>, %rows: view<i64, [5]>, %m: view<i1, [5]>, "
           "%g: view<i32, [5]>,"
           " %s: view<i32, [2, 3]>)\n grid [1] {\n"
           "  %r = load %rows[0] : tile<5xi64>\n  %c = iota : tile<5xi32>\n  %k = load %m[0] : "
           "tile<5xi1>\n"
           "  %x = gather %a[%r, %c], mask %k pad 42\n  store %x, %g[0]\n"
           "  scatter %c, %s[%r, %c], mask %k\n}\n");
  k.setInts("a", {1, 2, 3, 4, 5, 6});
  k.setInts("rows", {1, 0, -1, 0, 1}); // columns 3 and 4 are out of bounds
  k.setInts("m", {1, 1, 1, 1, 1});
  k.setInts("g", Ints(5));
  k.setInts("s", Ints(6, -1));
  REQUIRE(k.run());
  CHECK(k.ints("g") == (Ints{4, 2, 42, 42, 42}));
  CHECK(k.ints("s") == (Ints{-1, 1, -1, 0, -1, -1}));
  k.setInts("m", {0, 1, 1, 1, 1});
  k.setInts("s", Ints(6, -1));
  REQUIRE(k.run());
  CHECK(k.ints("g") == (Ints{42, 2, 42, 42, 42}));
  CHECK(k.ints("s") == (Ints{-1, 1, -1, -1, -1, -1}));
}

UNIT_TEST(scatter_collisions_are_open) {
  Launch k("tile 0.1\nkernel @k(%at: view<i32, [4]>, %v: view<i32, [4]>, %out: view<i32, [3]>)\n "
           "grid [1] {\n"
           "  %i = load %at[0] : tile<4xi32>\n  %x = load %v[0] : tile<4xi32>\n  scatter %x, "
           "%out[%i]\n}\n");
  k.setInts("at", {0, 2, 1, 2});
  k.setInts("v", {5, 6, 7, 8});
  k.setInts("out", Ints(3));
  REQUIRE(k.run());
  CHECK(!k.undecided("out", 0) && !k.undecided("out", 1) && k.undecided("out", 2));
  k.setInts("v", {5, 6, 7, 6}); // equal values
  REQUIRE(k.run());
  CHECK(!k.undecided("out", 2));
}

UNIT_TEST(loops_carry_values) {
  // Fibonacci by swapping two carried values; and a counter of i32.
  Launch k(
      "tile 0.1\nkernel @k(%lo: i64, %hi: i64, %step: i64, %out: view<i64, [3]>)\n grid [1] {\n"
      "  %z = const 0 : i64\n  %o = const 1 : i64\n"
      "  %a, %b, %n = for %i = %lo to %hi step %step carry %x = %z, %y = %o, %c = %z {\n"
      "    %s = add %x, %y\n    %c1 = add %c, %o\n    yield %y, %s, %c1\n  }\n"
      "  store %a, %out[0]\n  store %b, %out[1]\n  store %n, %out[2]\n}\n");
  auto count = [&](int64_t lo, int64_t hi, int64_t step) {
    k.setInts("lo", {lo});
    k.setInts("hi", {hi});
    k.setInts("step", {step});
    k.setInts("out", Ints(3));
    return k.run() ? k.ints("out")[2] : -1;
  };
  CHECK_EQ(count(0, 10, 1), 10);
  CHECK(k.ints("out") == (Ints{55, 89, 10}));
  CHECK_EQ(count(0, 10, 3), 4);
  CHECK_EQ(count(0, 9, 3), 3);
  CHECK_EQ(count(5, 5, 1), 0);
  CHECK(k.ints("out") == (Ints{0, 1, 0}));
  CHECK_EQ(count(5, -5, 1), 0);
  CHECK_EQ(count(0, 10, 0), 0);
  CHECK_EQ(count(0, 10, -1), 0);
  CHECK_EQ(count(INT64_MAX - 5, INT64_MAX, 2), 3); // the counter would overflow
  CHECK_EQ(count(INT64_MIN, INT64_MAX, INT64_MAX), 3);
  CHECK_EQ(count(INT64_MIN, INT64_MIN + 3, 1), 3);
  CHECK_EQ(count(-7, 7, 5), 3);

  Launch narrow("tile 0.1\nkernel @k(%out: view<i32, [2]>)\n grid [1] {\n"
                "  %lo = const 2147483640 : i32\n  %hi = const 2147483647 : i32\n  %st = const 4 : "
                "i32\n  %z = const 0 : i32\n"
                "  %n, %l = for %i = %lo to %hi step %st carry %c = %z, %p = %z {\n"
                "    %1 = const 1 : i32\n    %d = add %c, %1\n    yield %d, %i\n  }\n"
                "  store %n, %out[0]\n  store %l, %out[1]\n}\n");
  narrow.setInts("out", Ints(2));
  REQUIRE(narrow.run());
  CHECK(narrow.ints("out") == (Ints{2, 2147483644}));
}

UNIT_TEST(loop_bounds_from_memory_and_nested_control) {
  // Collatz steps of n, with an if in a loop of a bound that is loaded; tiles are carried too.
  Launch k(
      "tile 0.1\nkernel @k(%n: view<i32, [4]>, %limit: view<i64, [1]>, %out: view<i32, [4]>, %log: "
      "view<i64, [2, 4]>)\n"
      " grid [4] {\n  %p = program_id 0\n  %v = load %n[%p] : i32\n  %hi = load %limit[0] : i64\n"
      "  %lo = const 0 : i64\n  %st = const 1 : i64\n  %zero = const 0 : i32\n  %one = const 1 : "
      "i32\n"
      "  %two = const 2 : i32\n  %three = const 3 : i32\n"
      "  %tile = full %lo : tile<4xi64>\n"
      "  %r, %s, %t = for %i = %lo to %hi step %st carry %x = %v, %c = %zero, %q = %tile {\n"
      "    %more = cmp gt %x, %one\n"
      "    %y, %d = if %more {\n"
      "      %half = div %x, %two\n      %b = rem %x, %two\n      %odd = cmp ne %b, %zero\n"
      "      %w = if %odd {\n        %m = mul %x, %three\n        %m1 = add %m, %one\n        "
      "yield %m1\n"
      "      } else {\n        yield %half\n      }\n"
      "      %c1 = add %c, %one\n      yield %w, %c1\n"
      "    } else {\n      yield %x, %c\n    }\n"
      "    %it = iota : tile<4xi64>\n    %q1 = add %q, %it\n"
      "    yield %y, %d, %q1\n  }\n"
      "  store %s, %out[%p]\n"
      "  %first = cmp eq %p, %lo\n"
      "  if %first {\n    store %t, %log[0, 0]\n    yield\n  } else {\n    yield\n  }\n}\n");
  k.setInts("n", {1, 6, 7, 27});
  k.setInts("limit", {200});
  k.setInts("out", Ints(4));
  k.setInts("log", Ints(8));
  REQUIRE(k.run());
  CHECK(k.ints("out") == (Ints{0, 8, 16, 111}));
  CHECK(k.ints("log") == (Ints{0, 200, 400, 600, 0, 0, 0, 0}));
}

UNIT_TEST(regions_nest_64_deep) {
  std::string text =
      "tile 0.1\nkernel @k(%c: i1, %out: view<i32, [1]>)\n grid [1] {\n  %0 = const 5 : i32\n";
  for (int i = 0; i < 64; ++i)
    text += "if %c {\n";
  text += "store %0, %out[0]\n";
  for (int i = 0; i < 64; ++i)
    text += "yield\n} else {\nyield\n}\n";
  Launch k(text + "}\n");
  k.setInts("c", {1});
  k.setInts("out", {0});
  REQUIRE(k.run());
  CHECK_EQ(k.ints("out")[0], 5);
}

UNIT_TEST(in_place_and_overlap) {
  // All lanes are read before any is written, so a shifted copy over itself is exact.
  Launch k("tile 0.1\nkernel @k(%a: view<i32, [6]>, %b: view<i32, [6]>)\n grid [1] {\n"
           "  %x = load %a[0] : tile<6xi32>\n  %y = load %b[0] : tile<6xi32>\n  %z = add %x, %y\n"
           "  store %z, %b[0]\n  %w = load %a[0] : tile<6xi32>\n  store %w, %b[0]\n}\n");
  k.setInts("a", {1, 2, 3, 4, 5, 6, 7});
  k.share("b", "a", 4); // b is a shifted by one element
  REQUIRE(k.run());
  // After the first store memory is 1, 3, 5, 7, 9, 11, 13; then b = a as it is then.
  CHECK(k.ints("a") == (Ints{1, 1, 3, 5, 7, 9, 11}));
}

UNIT_TEST(programs_run_in_order) {
  Launch k("tile 0.1\nkernel @k(%a: view<i32, [1]>)\n grid [5] {\n  %p = program_id 0\n  %q = cast "
           "%p : i32\n"
           "  %x = load %a[0] : i32\n  %2 = const 2 : i32\n  %y = mul %x, %2\n  %z = add %y, %q\n  "
           "store %z, %a[0]\n}\n");
  k.setInts("a", {1});
  REQUIRE(k.run());
  CHECK_EQ(k.ints("a")[0], 58); // ((((1*2+0)*2+1)*2+2)*2+3)*2+4
}

UNIT_TEST(bad_accesses_are_named) {
  Launch k("tile 0.1\nkernel @k(%a: view<i32, [4]>, %b: view<i32, [4]> optional)\n grid [1] {\n"
           "  %x = load %a[0] : tile<4xi32>\n  store %x, %b[0]\n}\n");
  k.setInts("a", {1, 2, 3});
  k.setInts("b", {1, 2, 3, 4});
  k.expectError(TL_E_INVALID_ARGUMENT,
                "12 bytes from the start of argument 'a', which has 12 bytes");
  k.setInts("a", {1, 2, 3, 4});
  k.setInts("b", {});
  k.expectError(TL_E_ARG_NULL, "argument 'b' is NULL");
  auto few = interpret(*k.graph, {});
  CHECK(!few.ok() && few.error().status == TL_E_ARG_COUNT);
}

UNIT_TEST(null_that_is_not_accessed) {
  Launch k("tile 0.1\nkernel @k(%a: view<i32, [?]> optional, %n: i64, %out: view<i32, [1]>)\n grid "
           "[1] {\n"
           "  %x = load %a[%n] pad 3 : tile<1xi32>\n  store %x, %out[0]\n}\n");
  k.shape("a", {4});
  k.setInts("n", {4});
  k.setInts("out", {0});
  REQUIRE(k.run());
  CHECK_EQ(k.ints("out")[0], 3);
}

UNIT_TEST(steps_are_limited) {
  Launch k("tile 0.1\nkernel @k(%n: i64)\n grid [1] {\n  %0 = const 0 : i64\n  %1 = const 1 : i64\n"
           "  %r = for %i = %0 to %n step %1 carry %x = %0 {\n    %y = add %x, %1\n    yield %y\n  "
           "}\n}\n");
  k.setInts("n", {INT64_MAX});
  InterpOptions options;
  options.maxSteps = 10000;
  auto r = interpret(*k.graph, k.args(), options);
  CHECK(!r.ok() && r.error().status == TL_E_LIMIT);
}

UNIT_TEST(parameters_and_grid_expressions) {
  const char *text = "tile 0.1\nkernel @k(%a: view<f32, [%n]>, %b: view<f32, [%n]>, %n: i64)\n"
                     "    param %B = 4 in [2, 4, 8]\n    grid [ceildiv(%n, %B)] {\n"
                     "  %p = program_id 0\n  %o = mul %p, %B\n  %x = load %a[%o] : tile<%B x f32>\n"
                     "  %y = add %x, %x\n  store %y, %b[%o]\n}\n";
  for (int64_t block : {2, 4, 8})
    for (int64_t n : {0, 1, 7, 8, 9}) {
      Launch k(text, {{"B", block}});
      Floats a, expected;
      for (int64_t i = 0; i < n; ++i) {
        a.push_back(double(i));
        expected.push_back(double(2 * i));
      }
      a.push_back(99); // past the view
      expected.push_back(-1);
      k.setInts("n", {n});
      k.set("a", a);
      k.set("b", Floats(size_t(n + 1), -1));
      REQUIRE(k.run());
      CHECK(k.floats("b") == expected);
      auto grid = interpretGrid(*k.graph, k.args());
      REQUIRE_OK(grid);
      CHECK_EQ((*grid)[0], (n + block - 1) / block);
    }
}

UNIT_TEST(written_arguments) {
  Launch k("tile 0.1\nkernel @k(%a: view<f32, [4]>, %b: view<f32, [4]>, %p: ptr<f32>, %q: "
           "ptr<f32>)\n grid [1] {\n"
           "  %x = load %a[0] : tile<4xf32>\n  %0 = const 0 : i64\n  %4 = const 4 : i64\n  %1 = "
           "const 1 : i64\n"
           "  %v = view %p, [%4], [%1]\n  %d = addr %v[%0]\n  %w = view %d, [%4], [%1]\n  store "
           "%x, %w[0]\n"
           "  %c = addr %b[%1]\n  %u = view %c, [%1], [%1]\n  %i = const 0 : i32\n  %s = const 1.0 "
           ": f32\n"
           "  scatter %s, %u[%i]\n}\n");
  REQUIRE(k.graph != nullptr);
  CHECK(writtenArguments(*k.graph) == (std::vector<bool>{false, true, true, false}));
}

UNIT_TEST(softmax_of_rows) {
  Launch k("tile 0.1\nkernel @softmax(%x: view<f32, [%m, %n]>, %y: view<f32, [%m, %n]>, %m: i64, "
           "%n: i64)\n"
           "    param %B = 8\n    grid [%m] {\n  %r = program_id 0\n  %0 = const 0 : i64\n"
           "  %a = load %x[%r, %0] pad -inf : tile<%B x f32>\n  %max = reduce max %a, axis 0\n"
           "  %d = sub %a, %max\n  %e = exp %d\n  %s = reduce sum %e, axis 0\n  %q = div %e, %s\n"
           "  store %q, %y[%r, %0]\n}\n");
  k.setInts("m", {2});
  k.setInts("n", {5});
  Floats x = {1, 2, 3, 4, 5, -1, 0, 300, 299, 1};
  k.set("x", x);
  k.set("y", Floats(10));
  REQUIRE(k.run());
  Floats y = k.floats("y");
  for (size_t r = 0; r < 2; ++r) {
    long double sum = 0, most = r ? 300 : 5;
    for (size_t i = 0; i < 5; ++i)
      sum += expl(x[r * 5 + i] - most);
    for (size_t i = 0; i < 5; ++i) {
      long double exact = expl(x[r * 5 + i] - most) / sum;
      CHECK(fabsl(exact - y[r * 5 + i]) <= 1e-7L * exact + 1e-45L);
      CHECK(fabsl(exact - y[r * 5 + i]) <= k.bound("y", r * 5 + i));
      CHECK(k.bound("y", r * 5 + i) <= 2e-6L * exact + 1e-44L);
    }
  }
  CHECK_EQ(k.report.undecidedDecisions, 0u);
}

UNIT_TEST_MAIN
