// test-timeout: 900
// Loads, stores, gathers and scatters as host code: bounds, strides and overlapping arguments,
// against the interpreter.
#include "codegen/codegen.h"
#include "unit/host_test.h"

using namespace tl;
using namespace tl::test;

UNIT_TEST(any_offset_and_extent) {
  const int64_t corners[] = {
      0, 1, 3, -1, -3, 5, 8, 9, 100, INT64_MAX, INT64_MAX - 3, INT64_MIN, INT64_MIN + 2, -100};
  for (int64_t extent : {int64_t(8), int64_t(0), int64_t(-1), INT64_MIN, int64_t(3)})
    for (int64_t at : corners) {
      Launch k("tile 0.1\nkernel @k(%a: view<i32, [%n]>, %o: view<i32, [8]>, %w: view<i32, [%n]>, "
               "%n: i64, %at: i64)\n"
               " grid [1] {\n  %x = load %a[%at] pad 77 : tile<8xi32>\n  store %x, %o[0]\n"
               "  %i = iota : tile<8xi32>\n  %j = add %i, 100\n  store %j, %w[%at]\n}\n");
      k.set("a", someIntegers(8, 1, -99, 99));
      k.set("o", std::vector<double>(8, 5));
      k.set("w", std::vector<double>(8, 6));
      k.setInts("n", {extent});
      k.setInts("at", {at});
      CHECK(hostAgrees(k));
    }
}

UNIT_TEST(boxes_in_two_axes) {
  for (auto [i, j] : {std::pair(0, 0), std::pair(-1, -2), std::pair(2, 5), std::pair(-2, 7),
                      std::pair(4, -8), std::pair(3, 20), std::pair(-9, 0)}) {
    Launch k("tile 0.1\nkernel @k(%a: view<f32, [5, 11]>, %o: view<f32, [4, 10]>, %w: view<f32, "
             "[5, 11]>, %i: i64, %j: i64)\n"
             " grid [1] {\n  %x = load %a[%i, %j] pad -1.5 : tile<4x10xf32>\n  store %x, %o[0, 0]\n"
             "  %y = mul %x, 2.0\n  store %y, %w[%i, %j]\n}\n");
    k.set("a", someFloats(55, 1));
    k.set("o", std::vector<double>(40, 5));
    k.set("w", std::vector<double>(55, 6));
    k.setInts("i", {i});
    k.setInts("j", {j});
    CHECK(hostAgrees(k));
  }
}

UNIT_TEST(axes_of_views) {
  for (int64_t at : {0, 1, 3, 4, -1}) {
    Launch k("tile 0.1\nkernel @k(%a: view<f32, [4, 9, 5]>, %o: view<f32, [9, 5]>, %t: view<f32, "
             "[5, 4]>, %c: view<f32, [9]>, %w: view<f32, [4, 9, 5]>, %i: i64)\n"
             " grid [1] {\n  %x = load %a[%i, 0, 0] : tile<9x5xf32>\n  store %x, %o[0, 0]\n"
             "  %y = load %a[0, %i, 0] axes [2, 0] : tile<5x4xf32>\n  %z = exp %y\n  store %z, "
             "%t[0, 0]\n"
             "  %u = load %a[2, 0, %i] axes [1] : tile<9xf32>\n  store %u, %c[0]\n"
             "  store %y, %w[0, %i, 0] axes [2, 0]\n  store %u, %w[%i, 0, 2] axes [1]\n}\n");
    k.set("a", someFloats(180, 1));
    for (auto [name, n] :
         {std::pair("o", 45), std::pair("t", 20), std::pair("c", 9), std::pair("w", 180)})
      k.set(name, std::vector<double>(size_t(n), 5));
    k.setInts("i", {at});
    CHECK(hostAgrees(k));
  }
}

UNIT_TEST(strides_at_run_time) {
  // Contiguous, padded rows, transposed, and one element for all.
  const std::vector<std::vector<int64_t>> strides = {{20, 1}, {24, 1}, {1, 12},
                                                     {2, 30}, {0, 0},  {0, 1}};
  for (const auto &from : strides)
    for (const auto &to : strides) {
      if (to[0] == 0)
        continue;
      Launch k(
          "tile 0.1\nkernel @k(%a: view<f32, [12, 20], [?, ?]>, %o: view<f32, [12, 20], [?, ?]>)\n"
          " grid [2, 2] {\n  %p = program_id 0\n  %q = program_id 1\n  %i = mul %p, 8\n  %j = mul "
          "%q, 16\n"
          "  %x = load %a[%i, %j] : tile<8x16xf32>\n  %y = tanh %x\n  %s = reduce sum %x, axis 1\n"
          "  %t = expand_dims %s, axis 1\n  %u = broadcast %t : tile<8x16xf32>\n  %z = add %y, "
          "%u\n  store %z, %o[%i, %j]\n}\n");
      k.set("a", someFloats(620, 1));
      k.set("o", std::vector<double>(620, 5));
      k.shape("a", {12, 20}, from);
      k.shape("o", {12, 20}, to);
      CHECK(hostAgrees(k));
    }
}

UNIT_TEST(overlapping_arguments) {
  // All elements of a load are read before a later store writes, whatever the arguments share.
  for (int offset : {0, 4, 8, 36, 124, 128, 256, 1000})
    for (bool swapped : {false, true})
      for (const char *line :
           {"  %r = add %x, 1.0\n", "  %t = reshape %x : tile<4x8xf32>\n  %u = permute %t, [1, "
                                    "0]\n  %r = reshape %u : tile<32xf32>\n"}) {
        Launch k(
            std::string(
                "tile 0.1\nkernel @k(%a: view<f32, [%n]>, %b: view<f32, [%n]>, %n: i64)\n grid [3] "
                "{\n"
                "  %p = program_id 0\n  %o = mul %p, 32\n  %x = load %a[%o] : tile<32xf32>\n") +
            line + "  store %r, %b[%o]\n}\n");
        k.set(swapped ? "b" : "a", someFloats(500, 1));
        k.share(swapped ? "a" : "b", swapped ? "b" : "a", size_t(offset));
        k.setInts("n", {90});
        CHECK(hostAgrees(k));
      }
}

UNIT_TEST(overlap_in_two_axes) {
  for (int offset : {0, 4, 40, 44, 80, 400})
    for (const char *line : {"  %r = mul %x, 3.0\n", "  %r = permute %x, [1, 0]\n",
                             "  %t = permute %x, [1, 0]\n  %r = add %x, %t\n",
                             "  %s = reduce sum %x, axis 0\n  %e = expand_dims %s, axis 0\n  %f = "
                             "broadcast %e : tile<8x8xf32>\n  %r = sub %x, %f\n"}) {
      Launch k(std::string("tile 0.1\nkernel @k(%a: view<f32, [8, 8], [10, 1]>, %b: view<f32, [8, "
                           "8], [10, 1]>)\n grid [1] {\n"
                           "  %x = load %a[0, 0] : tile<8x8xf32>\n") +
               line + "  store %r, %b[0, 0]\n}\n");
      k.set("a", someFloats(300, 1));
      k.share("b", "a", size_t(offset));
      CHECK(hostAgrees(k));
    }
}

UNIT_TEST(self_overlapping_views) {
  // Rows that share elements: what the loop reads later must not be what it wrote before.
  Launch k("tile 0.1\nkernel @k(%a: view<f32, [4, 8], [2, 1]>, %o: view<f32, [4, 8]>, %p: "
           "ptr<f32>)\n grid [1] {\n"
           "  %x = load %a[0, 0] : tile<4x8xf32>\n  %y = add %x, 1.0\n  %z = reduce sum %y, axis "
           "0\n  store %y, %o[0, 0]\n"
           "  %v = view %p, [8], [1]\n  store %z, %v[0]\n}\n");
  k.set("a", someFloats(14, 1));
  k.set("o", std::vector<double>(32, 5));
  k.share("p", "a", 8);
  CHECK(hostAgrees(k));
}

UNIT_TEST(loads_outlive_stores) {
  Launch k("tile 0.1\nkernel @k(%a: view<f32, [64]>, %o: view<f32, [64]>)\n grid [1] {\n"
           "  %x = load %a[0] : tile<64xf32>\n  %y = mul %x, 2.0\n  store %y, %a[0]\n  %z = load "
           "%a[0] : tile<64xf32>\n"
           "  store %x, %a[32]\n  %s = add %x, %z\n  store %s, %o[0]\n}\n");
  k.set("a", someFloats(64, 1));
  k.set("o", std::vector<double>(64, 5));
  CHECK(hostAgrees(k));
}

UNIT_TEST(views_from_pointers) {
  Launch k("tile 0.1\nkernel @k(%d: ptr<f32>, %idx: view<i64, [3]>, %o: view<f32, [3, 16]>)\n grid "
           "[3] {\n"
           "  %r = program_id 0\n  %at = load %idx[%r] : i64\n  %v = view %d, [100], [1]\n  %a = "
           "addr %v[%at]\n"
           "  %w = view %a, [4, 4], [5, 1]\n  %x = load %w[1, 0] pad 2.5 : tile<4x4xf32>\n  %y = "
           "reshape %x : tile<16xf32>\n"
           "  store %y, %o[%r, 0]\n}\n");
  k.set("d", someFloats(100, 1));
  k.setInts("idx", {0, 17, 80});
  k.set("o", std::vector<double>(48, 0));
  CHECK(hostAgrees(k));
}

UNIT_TEST(gathers) {
  for (const char *type : {"i32", "i64"}) {
    Launch k(std::string("tile 0.1\nkernel @k(%t: view<f16, [7, 9]>, %i0: view<") + type +
             ", [40]>, %j0: view<" + type +
             ", [40]>, %m0: view<i1, [40]>, %o: view<f16, [40]>, %p: view<f16, [40]>, %s: "
             "view<f32, [1]>)\n grid [1] {\n"
             "  %i = load %i0[0] : tile<40x" +
             type + ">\n  %j = load %j0[0] : tile<40x" + type +
             ">\n  %m = load %m0[0] : tile<40xi1>\n"
             "  %x = gather %t[%i, %j], mask %m pad 42.0\n  store %x, %o[0]\n  %z = const 2 : " +
             type +
             "\n  %y = gather %t[%z, %j]\n  store %y, %p[0]\n"
             "  %e = cast %x : f32\n  %f = exp %e\n  %g = gather %t[%j, %i]\n  %h = cast %g : "
             "f32\n  %u = mul %f, %h\n  %r = reduce max %u, axis 0\n  store %r, %s[0]\n}\n");
    k.set("t", someFloats(63, 1));
    k.set("i0", someIntegers(40, 2, -2, 8));
    k.set("j0", someIntegers(40, 3, -2, 10));
    k.set("m0", someIntegers(40, 4, 0, 1));
    for (const char *name : {"o", "p"})
      k.set(name, std::vector<double>(40, 0));
    k.set("s", {0});
    CHECK(hostAgrees(k));
  }
}

UNIT_TEST(gather_from_far_away) {
  Launch k("tile 0.1\nkernel @k(%t: view<i32, [%n]>, %i0: view<i64, [8]>, %o: view<i32, [8]>, %n: "
           "i64)\n grid [1] {\n"
           "  %i = load %i0[0] : tile<8xi64>\n  %x = gather %t[%i] pad -7\n  store %x, %o[0]\n  "
           "scatter %x, %t[%i]\n}\n");
  k.set("t", someIntegers(10, 1, 0, 99));
  k.setInts("i0", {INT64_MAX, INT64_MIN, 3, -1, 10, 9, int64_t(1) << 62, 0});
  k.set("o", std::vector<double>(8, 0));
  k.setInts("n", {10});
  CHECK(hostAgrees(k));
}

UNIT_TEST(scatters) {
  Launch k("tile 0.1\nkernel @k(%t: view<f32, [5, 30]>, %j0: view<i32, [26]>, %m0: view<i1, [26]>, "
           "%v: view<f32, [26]>)\n grid [4] {\n"
           "  %p = program_id 0\n  %r = cast %p : i32\n  %j = load %j0[0] : tile<26xi32>\n  %m = "
           "load %m0[0] : tile<26xi1>\n  %x = load %v[0] : tile<26xf32>\n"
           "  %y = add %x, 0.5\n  scatter %y, %t[%r, %j], mask %m\n  scatter 9.0, %t[%r, %r]\n}\n");
  k.set("t", std::vector<double>(150, -1));
  std::vector<int64_t> order;
  for (int i = 0; i < 26; ++i)
    order.push_back((i * 7) % 32 - 1);
  k.setInts("j0", order);
  k.set("m0", someIntegers(26, 4, 0, 1));
  k.set("v", someFloats(26, 5));
  CHECK(hostAgrees(k));
}

UNIT_TEST(scatter_over_what_was_loaded) {
  Launch k(
      "tile 0.1\nkernel @k(%t: view<f32, [40]>)\n grid [1] {\n  %x = load %t[0] : tile<40xf32>\n"
      "  %i = iota : tile<40xi32>\n  %n = const 39 : i32\n  %j = sub %n, %i\n  scatter %x, "
      "%t[%j]\n}\n");
  k.set("t", someFloats(40, 5));
  CHECK(hostAgrees(k));
}

UNIT_TEST(scalar_memory) {
  for (int64_t at : {0, 2, 3, -1}) {
    Launch k("tile 0.1\nkernel @k(%a: view<f64, [3]>, %o: view<f64, [3]>, %b: view<i1, [3]>, %i: "
             "i64)\n grid [1] {\n"
             "  %x = load %a[%i] pad 3.5 : f64\n  %y = mul %x, 2.0\n  store %y, %o[%i]\n  %c = cmp "
             "gt %x, 0.0\n  store %c, %b[%i]\n}\n");
    k.set("a", {1.5, -2, 7});
    k.set("o", {0, 0, 0});
    k.set("b", {0, 0, 0});
    k.setInts("i", {at});
    CHECK(hostAgrees(k));
  }
}

UNIT_TEST_MAIN
