// The AMD code generator's IR computes what the interpreter does, in every order in which threads
// may run, for waves of 64 and of 32. test-timeout: 900, test-label: slow
#include "unit/amdgpu_kernels.h"
#include "unit/amdgpu_run.h"
#include "unit/combine_regions.h"

using namespace unit;

UNIT_TEST(vector_add_at_edges) {
  const char *text = R"(tile 0.1
kernel @vector_add(%a: view<f32, [%n]>, %b: view<f32, [%n]>, %c: view<f32, [%n]>, %n: i64 = 1000)
    param %B = 1024 in [256, 512, 1024, 4096]
    grid [ceildiv(%n, %B)] {
  %pid = program_id 0
  %off = mul %pid, %B
  %x = load %a[%off] : tile<%B x f32>
  %y = load %b[%off] : tile<%B x f32>
  %z = add %x, %y
  store %z, %c[%off]
}
)";
  for (int64_t n : {1, 7, 80, 1000, 1024, 1025, 4099})
    CHECK_RUN({.text = text, .scalars = {{"n", n}}});
  for (uint32_t threads : {64, 512, 1024})
    CHECK_RUN({.text = text, .scalars = {{"n", 2500}}, .threads = threads});
}

UNIT_TEST(every_type_moves_through_memory) {
  for (std::string type : {"i1", "i8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64"})
    for (std::vector<int64_t> shape : std::vector<std::vector<int64_t>>{{1}, {33}, {512}, {3, 80}})
      CHECK_RUN({.text = unary(shape, type, "  %r = select true, %x, %x", shape, type),
                 .specials = true});
}

UNIT_TEST(elementwise_operations_of_every_type) {
  for (const std::string &type : numberTypes) {
    bool isFloat = type.find('f') != std::string::npos;
    std::string lines = "  %b = add %x, 3\n  %d = mul %b, %x\n  %e = sub %d, 1\n"
                        "  %f = max %e, %x\n  %g = min %f, %b\n  %h = cmp lt %g, %x\n"
                        "  %r = select %h, %g, %e";
    if (!isFloat)
      lines = "  %i = div %x, 3\n  %j = rem %x, 5\n  %k = xor %i, %j\n" + lines;
    // Comparisons near rounding errors are undecided for floats that special values stretch.
    CHECK_RUN({.text = unary({37}, type, lines, {37}, type), .specials = !isFloat});
  }
}

UNIT_TEST(casts_between_all_types) {
  for (const std::string &from : numberTypes)
    for (std::string to : {"i1", "i8", "u16", "i32", "u64", "f16", "bf16", "f32", "f64"})
      CHECK_RUN({.text = unary({70}, from, "  %r = cast %x : " + std::string(to), {70}, to),
                 .specials = true});
}

UNIT_TEST(views_of_any_extent_offset_and_stride) {
  const char *text = R"(tile 0.1
kernel @k(%a: view<f32, [?, ?], [?, ?]>, %c: view<f32, [24, 40]>, %i: i64, %j: i64)
    grid [1] {
  %x = load %a[%i, %j] pad 7.5 : tile<24x40xf32>
  store %x, %c[0, 0]
}
)";
  auto check = [&](std::vector<int64_t> extents, std::vector<int64_t> strides, int64_t i,
                   int64_t j) {
    for (uint32_t threads : {0, 64}) // few elements for each thread, and many
      CHECK_RUN({.text = text,
                 .scalars = {{"i", i}, {"j", j}},
                 .extents = {{"a", extents}},
                 .strides = {{"a", strides}},
                 .threads = threads});
  };
  constexpr int64_t huge = INT64_MAX, low = INT64_MIN;
  check({24, 40}, {40, 1}, 0, 0);
  check({24, 41}, {41, 1}, 0, 0); // rows are not aligned
  check({24, 41}, {44, 1}, 0, 1); // the origin is not aligned
  check({24, 40}, {1, 24}, 0, 0);
  check({24, 40}, {0, 1}, 0, 0);
  check({24, 40}, {0, 0}, 0, 0);
  check({30, 50}, {50, 1}, 6, 10);
  check({30, 50}, {50, 1}, 7, 11);
  check({30, 50}, {50, 1}, -3, -7);
  check({5, 50}, {50, 1}, 2, 3);
  check({1, 1}, {1, 1}, 0, 0);
  check({1, 1}, {1, 1}, -23, -39);
  check({0, 40}, {40, 1}, 0, 0);
  check({-5, 40}, {40, 1}, -9, 0);
  check({24, 40}, {40, 1}, huge, 0);
  check({24, 40}, {40, 1}, low, 0);
  check({24, 40}, {40, 1}, huge - 10, low + 10);
  check({24, 40}, {40, 1}, 24, 0);
  check({24, 40}, {40, 1}, -24, 0);
  check({24, 40}, {40, 1}, 0, -40);
  check({low, huge}, {40, 1}, 0, 0);
}

UNIT_TEST(stores_are_cut_at_the_view) {
  const char *text = R"(tile 0.1
kernel @k(%a: view<i16, [24, 40]>, %c: view<i16, [?, ?], [?, ?]>, %i: i64, %j: i64)
    grid [1] {
  %x = load %a[0, 0] : tile<24x40xi16>
  store %x, %c[%i, %j]
}
)";
  auto check = [&](std::vector<int64_t> extents, std::vector<int64_t> strides, int64_t i,
                   int64_t j) {
    for (uint32_t threads : {0, 64})
      CHECK_RUN({.text = text,
                 .scalars = {{"i", i}, {"j", j}},
                 .extents = {{"c", extents}},
                 .strides = {{"c", strides}},
                 .threads = threads});
  };
  check({24, 40}, {40, 1}, 0, 0);
  check({24, 41}, {41, 1}, 0, 0);
  check({30, 64}, {64, 1}, 6, 16);
  check({30, 64}, {64, 1}, 7, 25);
  check({30, 64}, {64, 1}, -7, -25);
  check({24, 40}, {1, 24}, 0, 0);
  check({3, 5}, {8, 1}, 0, 0);
  check({0, 0}, {40, 1}, 0, 0);
  check({24, 40}, {40, 1}, INT64_MAX, INT64_MIN);
}

UNIT_TEST(views_of_higher_rank) {
  CHECK_RUN({.text = R"(tile 0.1
kernel @k(%a: view<f16, [3, 20, 5, 48]>, %c: view<f16, [3, 48, 5, 20]>, %b: i64 = 1, %h: i64 = 2)
    grid [1] {
  %x = load %a[%b, 0, %h, 0] axes [1, 3] : tile<20x48xf16>
  store %x, %c[%b, 0, %h, 0] axes [3, 1]
  %y = load %a[2, 3, 4, 40] axes [3, 1] pad 1 : tile<16x32xf16>
  store %y, %c[0, 40, 0, 0] axes [1, 3]
  %z = load %a[0, 0, %h, 1] axes [0, 1, 3] : tile<3x7x9xf16>
  store %z, %c[0, 0, 1, 15] axes [0, 1, 3]
  %s = load %a[2, 19, 4, 47] : f16
  store %s, %c[2, 47, 4, 19]
  %t = load %a[2, 20, 4, 47] pad 3 : f16
  store %t, %c[1, 0, 0, 0]
  store %t, %c[1, 48, 0, 0]
}
)"});
}

UNIT_TEST(tiles_of_odd_extents) {
  for (std::vector<int64_t> shape : std::vector<std::vector<int64_t>>{{1, 1},
                                                                      {7, 1},
                                                                      {1, 129},
                                                                      {33, 3},
                                                                      {13, 77},
                                                                      {3, 3, 3, 3, 3},
                                                                      {7, 7, 7, 7},
                                                                      {1000},
                                                                      {4097},
                                                                      {33, 33, 3}})
    for (const char *type : {"f32", "i8"})
      CHECK_RUN({.text = unary(shape, type, "  %r = add %x, 1", shape, type)});
}

UNIT_TEST(views_made_from_pointers) {
  CHECK_RUN({.text = R"(tile 0.1
kernel @k(%p: ptr<i32>, %a: view<i32, [64]>, %c: view<i32, [64]>, %n: i64 = 13)
    grid [2] {
  %pid = program_id 0
  %w = mul %pid, 100
  %v = view %p, [%n, 20], [40, 2]
  %x = load %v[%pid, 3] : tile<16x4xi32>
  %y = reshape %x : tile<64xi32>
  %q = addr %a[32]
  %u = view %q, [8], [1]
  %e = load %u[0] : tile<64xi32>
  %z = add %y, %e
  %m = extent %v, axis 0
  %m32 = cast %m : i32
  %o = add %z, %m32
  store %o, %c[%w]
}
)"});
}

UNIT_TEST(reductions) {
  std::vector<std::vector<int64_t>> shapes = {
      {1}, {5}, {1000}, {8192}, {3, 80}, {64, 64}, {129, 2}, {4, 5, 6}, {2, 3, 2, 5, 7}};
  for (const std::vector<int64_t> &shape : shapes)
    for (size_t axis = 0; axis < shape.size(); ++axis) {
      std::vector<int64_t> result = shape;
      result.erase(result.begin() + int64_t(axis));
      for (auto [kind, type] :
           {std::pair("sum", "f32"), std::pair("max", "f16"), std::pair("sum", "bf16"),
            std::pair("min", "i8"), std::pair("sum", "i64"), std::pair("max", "f64"),
            std::pair("xor", "u16"), std::pair("and", "i64"), std::pair("prod", "i32")})
        CHECK_RUN({.text = unary(shape, type,
                                 "  %r = reduce " + std::string(kind) + " %x, axis " +
                                     std::to_string(axis),
                                 result, type),
                   .specials = std::string(kind) != "sum"});
    }
}

UNIT_TEST(scans) {
  std::vector<std::vector<int64_t>> shapes = {{1},      {5},       {1000},  {3, 80},
                                              {129, 2}, {4, 5, 6}, {2, 300}};
  for (const std::vector<int64_t> &shape : shapes)
    for (size_t axis = 0; axis < shape.size(); ++axis)
      for (auto [op, type] : {std::pair("scan sum", "f32"), std::pair("reverse_scan max", "f16"),
                              std::pair("scan xor", "i64"), std::pair("reverse_scan sum", "u8")})
        CHECK_RUN({.text = unary(shape, type,
                                 "  %r = " + std::string(op) + " %x, axis " + std::to_string(axis),
                                 shape, type)});
}

UNIT_TEST(combine_regions) {
  std::vector<std::vector<int64_t>> shapes = {{1},     {5},      {1000},   {8192},
                                              {3, 80}, {129, 2}, {4, 5, 6}};
  for (const std::vector<int64_t> &shape : shapes)
    for (size_t axis = 0; axis < shape.size(); ++axis) {
      std::vector<int64_t> to = shape;
      to.erase(to.begin() + int64_t(axis));
      CHECK_RUN({.text = unary(shape, "i32", complexProduct("reduce_with", axis), to, "i32")});
      CHECK_RUN({.text = unary(shape, "f16", mixedParts("reduce_with", axis, "f16"), to, "f16")});
      for (const char *op : {"scan_with", "reverse_scan_with"})
        CHECK_RUN({.text = unary(shape, "i32", affineMaps(op, axis), shape, "i32")});
      CHECK_RUN({.text = unary(shape, "f64", mixedParts("scan_with", axis, "f64"), shape, "f64")});
    }
  CHECK_RUN({.text = unary({9001}, "i32", affineMaps("reverse_scan_with", 0), {9001}, "i32")});
}

UNIT_TEST(lines_longer_than_shared_memory_are_scanned_in_pieces) {
  CHECK_RUN({.text = unary({9001}, "f32", "  %r = scan sum %x, axis 0", {9001}, "f32")});
  CHECK_RUN(
      {.text = unary({2, 5000}, "i64", "  %r = reverse_scan sum %x, axis 1", {2, 5000}, "i64"),
       .threads = 512});
}

UNIT_TEST(where_the_largest_and_the_smallest_are) {
  std::vector<std::vector<int64_t>> shapes = {{1},     {5},      {1000},   {8192},
                                              {3, 80}, {129, 2}, {4, 5, 6}};
  for (const std::vector<int64_t> &shape : shapes)
    for (size_t axis = 0; axis < shape.size(); ++axis) {
      std::vector<int64_t> result = shape;
      result.erase(result.begin() + int64_t(axis));
      for (auto [op, type] : {std::pair("argmax", "f32"), std::pair("argmin", "f16"),
                              std::pair("argmax", "i64"), std::pair("argmin", "u8")})
        CHECK_RUN({.text = unary(shape, type,
                                 "  %r = " + std::string(op) + " %x, axis " + std::to_string(axis),
                                 result, "i32"),
                   .specials = true});
    }
}

UNIT_TEST(large_results_of_reductions_go_in_parts) {
  CHECK_RUN(
      {.text = unary({64, 512}, "f64", "  %r = argmax %x, axis 0", {512}, "i32"), .threads = 1024});
  CHECK_RUN({.text = unary({64, 512}, "f64", "  %r = reduce sum %x, axis 0", {512}, "f64"),
             .threads = 1024});
  CHECK_RUN({.text = unary({2, 8192, 2}, "f32", "  %r = reduce max %x, axis 2", {2, 8192}, "f32"),
             .threads = 128});
  CHECK_RUN({.text = unary({8, 4096}, "i32",
                           "  %y = reshape %x : tile<8x16x256xi32>\n"
                           "  %z = permute %y, [2, 0, 1]\n  %r = reduce sum %z, axis 1",
                           {256, 16}, "i32")});
}

UNIT_TEST(shape_operations) {
  CHECK_RUN(
      {.text = unary({1, 80}, "f32", "  %r = broadcast %x : tile<33x80xf32>", {33, 80}, "f32")});
  CHECK_RUN(
      {.text = unary({33, 1}, "f16", "  %r = broadcast %x : tile<33x80xf16>", {33, 80}, "f16")});
  CHECK_RUN(
      {.text = unary({1, 1, 1}, "i64", "  %r = broadcast %x : tile<2x3x4xi64>", {2, 3, 4}, "i64")});
  CHECK_RUN(
      {.text = unary({6, 1, 10}, "i1", "  %r = broadcast %x : tile<6x7x10xi1>", {6, 7, 10}, "i1")});
  CHECK_RUN({.text = unary({13, 77}, "i8", "  %r = reshape %x : tile<77x13xi8>", {77, 13}, "i8")});
  CHECK_RUN({.text = unary({4, 6, 10}, "f64", "  %r = reshape %x : tile<240xf64>", {240}, "f64")});
  CHECK_RUN(
      {.text = unary({1000}, "i16", "  %r = reshape %x : tile<8x5x25xi16>", {8, 5, 25}, "i16")});
  CHECK_RUN(
      {.text = unary({1, 1}, "f32", "  %y = reshape %x : f32\n  %r = mul %y, %y", {}, "f32")});
  CHECK_RUN({.text = unary({17, 40}, "f32", "  %r = permute %x, [1, 0]", {40, 17}, "f32")});
  CHECK_RUN({.text = unary({64, 64}, "bf16", "  %r = permute %x, [1, 0]", {64, 64}, "bf16")});
  CHECK_RUN({.text = unary({2, 3, 4, 5, 6}, "i32", "  %r = permute %x, [4, 2, 0, 3, 1]",
                           {6, 4, 2, 5, 3}, "i32")});
  CHECK_RUN({.text = unary({5, 7}, "i1", "  %r = permute %x, [1, 0]", {7, 5}, "i1")});
  CHECK_RUN({.text = unary({12, 9}, "u16", "  %r = expand_dims %x, axis 1", {12, 1, 9}, "u16")});
  CHECK_RUN({.text = unary({12}, "f32",
                           "  %y = expand_dims %x, axis 1\n  %z = broadcast %y : tile<12x20xf32>\n"
                           "  %w = expand_dims %x, axis 0\n  %v = broadcast %w : tile<20x12xf32>\n"
                           "  %u = permute %v, [1, 0]\n  %r = sub %z, %u",
                           {12, 20}, "f32")});
}

UNIT_TEST(slices_and_flips) {
  for (const std::string &type : std::vector<std::string>{"i1", "i8", "bf16", "f32", "i64"}) {
    CHECK_RUN({.text = unary({40}, type, "  %r = slice %x offsets [7] : tile<33x" + type + ">",
                             {33}, type)});
    CHECK_RUN(
        {.text = unary({9, 40}, type,
                       "  %r = slice %x offsets [1, 4] strides [3, 3] : tile<3x11x" + type + ">",
                       {3, 11}, type)});
    CHECK_RUN({.text = unary({5, 33}, type, "  %r = flip %x axes [1]", {5, 33}, type)});
    CHECK_RUN({.text = unary({7, 64}, type, "  %r = flip %x axes [0, 1]", {7, 64}, type)});
  }
  CHECK_RUN({.text = unary({40}, "f32", "  %r = slice %x offsets [39] : tile<1xf32>", {1}, "f32")});
  CHECK_RUN({.text = unary({3, 4, 5, 2, 3}, "u16",
                           "  %y = slice %x offsets [1, 0, 1, 1, 0] strides [1, 3, 1, 1, 1] : "
                           "tile<2x2x4x1x3xu16>\n  %r = flip %y axes [0, 2, 3, 4]",
                           {2, 2, 4, 1, 3}, "u16")});
  CHECK_RUN({.text = unary({33}, "i32",
                           "  %n = iota : tile<100xi32>\n  %f = flip %n axes [0]\n"
                           "  %s = slice %f offsets [1] strides [3] : tile<33xi32>\n"
                           "  %k = full 3 : tile<64xi32>\n"
                           "  %d = slice %k offsets [20] : tile<33xi32>\n"
                           "  %e = mul %s, %d\n  %r = add %e, %x",
                           {33}, "i32")});
  // In parts: the source does not fit what an exchange takes of LDS.
  CHECK_RUN({.text = unary({160, 100}, "f32", "  %r = flip %x axes [0, 1]", {160, 100}, "f32"),
             .threads = 256});
  CHECK_RUN({.text = unary({160, 100}, "f64",
                           "  %r = slice %x offsets [3, 5] strides [2, 3] : tile<70x30xf64>",
                           {70, 30}, "f64"),
             .threads = 256});
}

UNIT_TEST(tiles_put_together_and_taken_apart) {
  for (const std::string &type : std::vector<std::string>{"i1", "i8", "bf16", "f32", "i64"}) {
    CHECK_RUN({.text = unary({5, 33}, type,
                             "  %y = slice %x offsets [0, 2] strides [1, 3] : tile<5x11x" + type +
                                 ">\n  %r = concat [%y, %x, %y], axis 1",
                             {5, 55}, type)});
    CHECK_RUN({.text = unary({9, 40}, type,
                             "  %y = slice %x offsets [1, 4] strides [3, 3] : tile<3x11x" + type +
                                 ">\n  %r = insert_slice %x, %y offsets [6, 1]",
                             {9, 40}, type)});
    CHECK_RUN({.text = unary({5, 33}, type, "  %y = flip %x axes [1]\n  %r = join %y, %x",
                             {5, 33, 2}, type)});
    CHECK_RUN({.text = unary({3, 1, 5, 2, 2}, type, "  %y, %z = split %x\n  %r = join %z, %y",
                             {3, 1, 5, 2, 2}, type)});
  }
  CHECK_RUN({.text = unary({7}, "f32", "  %r = concat [%x, %x, %x], axis 0", {21}, "f32")});
  CHECK_RUN({.text = unary({64, 32}, "f16", "  %r = concat [%x, %x], axis 1", {64, 64}, "f16")});
  CHECK_RUN({.text = unary({2}, "i32", "  %y, %z = split %x\n  %r = join %z, %y", {2}, "i32")});
  CHECK_RUN({.text = unary({33}, "i32",
                           "  %k = full 3 : tile<20xi32>\n"
                           "  %d = concat [%k, %x, %k], axis 0\n"
                           "  %e = insert_slice %d, %k offsets [31]\n"
                           "  %r = slice %e offsets [11] : tile<33xi32>",
                           {33}, "i32")});
  // In parts.
  CHECK_RUN({.text = unary({80, 100}, "f64",
                           "  %y = flip %x axes [0]\n"
                           "  %r = concat [%x, %y], axis 0",
                           {160, 100}, "f64"),
             .threads = 256});
}

UNIT_TEST(large_exchanges_go_in_parts) {
  CHECK_RUN({.text = unary({160, 100}, "f32", "  %r = permute %x, [1, 0]", {100, 160}, "f32")});
  CHECK_RUN({.text = unary({96, 96}, "i64", "  %r = permute %x, [1, 0]", {96, 96}, "i64"),
             .threads = 128});
  CHECK_RUN(
      {.text = unary({33, 33, 9}, "f64", "  %r = permute %x, [2, 0, 1]", {9, 33, 33}, "f64")});
  CHECK_RUN(
      {.text = unary({99, 101}, "f64", "  %r = reshape %x : tile<101x99xf64>", {101, 99}, "f64")});
}

UNIT_TEST(dots) {
  for (DotShape s : {DotShape{1, 1, 1},
                     {16, 16, 16},
                     {64, 64, 32},
                     {33, 7, 80},
                     {1, 129, 5},
                     {50, 1, 3},
                     {13, 77, 1},
                     {128, 128, 16},
                     {3, 5, 1000}}) {
    CHECK_RUN({.text = dot(s, "f32", "f32", "f32")});
    CHECK_RUN({.text = dot(s, "f16", "f16", "f32")});
    CHECK_RUN({.text = dot(s, "i8", "u8", "i32"), .specials = true});
  }
  CHECK_RUN({.text = dot({20, 36, 28}, "bf16", "bf16", "f32")});
  CHECK_RUN({.text = dot({20, 36, 28}, "f64", "f64", "f64")});
  CHECK_RUN({.text = dot({20, 36, 28}, "u8", "i8", "i32"), .specials = true});
  // More than the LDS of a chip: K in parts.
  CHECK_RUN({.text = dot({32, 32, 600}, "f32", "f32", "f32")});
  CHECK_RUN({.text = dot({100, 60, 203}, "f64", "f64", "f64")});
  CHECK_RUN({.text = dot({1000, 5, 20}, "f64", "f64", "f64")});
}

UNIT_TEST(factors_of_dots_in_any_order_of_axes) {
  const char *text = R"(tile 0.1
kernel @k(%a: view<f16, [2, ROWS, 50]>, %b: view<f16, [40, 50]>, %d: view<f16, [33, 50]>,
          %c: view<f32, [ROWS, 40]>, %e: view<f32, [33, ROWS]>)
    grid [1] {
  %zero = full 0.0 : tile<ROWSx40xf32>
  %none = full 0.0 : tile<33xROWSxf32>
  %x = load %a[1, 0, 0] axes [1, 2] : tile<ROWSx50xf16>
  %y = load %b[0, 0] axes [1, 0] : tile<50x40xf16>
  %r = dot %x, %y, %zero
  store %r, %c[0, 0]
  %z = load %d[0, 0] : tile<33x50xf16>
  %t = permute %x, [1, 0]
  %s = dot %z, %t, %none
  store %s, %e[0, 0]
}
)";
  for (const char *rows : {"16", "37"}) {
    std::string kernel = text;
    for (size_t at = 0; (at = kernel.find("ROWS", at)) != std::string::npos;)
      kernel.replace(at, 4, rows);
    for (uint32_t threads : {0, 64, 512})
      CHECK_RUN({.text = kernel, .threads = threads});
  }
  // K in parts, with a transposed factor; the value is also used as it is.
  CHECK_RUN({.text = R"(tile 0.1
kernel @k(%a: view<f64, [300, 40]>, %b: view<f64, [24, 300]>, %c: view<f64, [40, 24]>,
          %d: view<f64, [300, 24]>)
    grid [1] {
  %zero = full 0.0 : tile<40x24xf64>
  %x = load %a[0, 0] axes [1, 0] : tile<40x300xf64>
  %y = load %b[0, 0] axes [1, 0] : tile<300x24xf64>
  %r = dot %x, %y, %zero
  store %r, %c[0, 0]
  store %y, %d[0, 0]
}
)"});
}

UNIT_TEST(gathers_and_scatters) {
  CHECK_RUN({.text = R"(tile 0.1
kernel @k(%a: view<f32, [20, 30]>, %i: view<i32, [50]>, %c: view<f32, [50]>, %d: view<f32, [50]>,
          %e: view<i64, [9]>)
    grid [1] {
  %rows = load %i[0] : tile<50xi32>
  %m = cmp ne %rows, 3
  %x = gather %a[%rows, 4] pad -1
  store %x, %c[0]
  %y = gather %a[2, %rows], mask %m
  store %y, %d[0]
  %z = gather %e[5]
  scatter %z, %e[2]
  scatter %z, %e[9]
}
)"});
  CHECK_RUN({.text = R"(tile 0.1
kernel @k(%a: view<i8, [70]>, %c: view<i8, [100]>, %d: view<f16, [6, 6]>)
    grid [1] {
  %x = load %a[0] : tile<70xi8>
  %n = iota : tile<70xi64>
  %p = mul %n, 3
  %q = sub %p, 20
  %m = cmp gt %x, 0
  scatter %x, %c[%q], mask %m
  %r = iota axis 0 : tile<3x5xi32>
  %s = iota axis 1 : tile<3x5xi32>
  %v = const 2.5 : f16
  scatter %v, %d[%r, %s]
}
)"});
}

UNIT_TEST(loops_and_conditions) {
  CHECK_RUN({.text = R"(tile 0.1
kernel @k(%a: view<f32, [200, 16]>, %c: view<f32, [16]>, %n: view<i64, [4]>, %d: view<i64, [4]>)
    grid [1] {
  %lo = load %n[0] : i64
  %hi = load %n[1] : i64
  %step = load %n[2] : i64
  %zero = full 0.0 : tile<16xf32>
  %nothing = const 0 : i64
  %sum, %count = for %i = %lo to %hi step %step carry %s = %zero, %t = %nothing {
    %x = load %a[%i, 0] axes [1] : tile<16xf32>
    %odd = floormod %i, 2
    %isodd = cmp eq %odd, 1
    %y = if %isodd {
      %u = mul %x, 2.0
      yield %u
    } else {
      %v = reduce max %x, axis 0
      %w = full %v : tile<16xf32>
      yield %w
    }
    %next = add %s, %y
    %more = add %t, 1
    yield %next, %more
  }
  store %sum, %c[0]
  store %count, %d[1]
}
)",
             .contents = {{"n", {3, 50, 7, 0}}}});
  const char *count = R"(tile 0.1
kernel @k(%n: view<TYPE, [3]>, %d: view<i64, [2]>)
    grid [1] {
  %lo = load %n[0] : TYPE
  %hi = load %n[1] : TYPE
  %step = load %n[2] : TYPE
  %nothing = const 0 : i64
  %first = const 0 : TYPE
  %count, %last = for %i = %lo to %hi step %step carry %t = %nothing, %l = %first {
    %more = add %t, 1
    yield %more, %i
  }
  store %count, %d[0]
  %wide = cast %last : i64
  store %wide, %d[1]
}
)";
  auto check = [&](const char *type, int64_t lo, int64_t hi, int64_t step) {
    std::string text = count;
    for (size_t at = 0; (at = text.find("TYPE", at)) != std::string::npos;)
      text.replace(at, 4, type);
    CHECK_RUN({.text = text, .contents = {{"n", {uint64_t(lo), uint64_t(hi), uint64_t(step)}}}});
  };
  constexpr int64_t low = INT64_MIN, high = INT64_MAX;
  check("i64", 0, 10, 3);
  check("i64", 0, 9, 3);
  check("i64", 10, 0, 1);
  check("i64", 5, 5, 1);
  check("i64", 0, 10, 0);
  check("i64", 0, 10, -1);
  check("i64", low, high, high);
  check("i64", low, high, high / 2);
  check("i64", high - 2, high, 5);
  check("i32", INT32_MIN, INT32_MAX, INT32_MAX);
  check("i32", INT32_MAX - 5, INT32_MAX, 2);
}

UNIT_TEST(one_program_keeps_its_order_of_memory) {
  // %c overlaps %a by some elements: what is read before a store is what was there.
  const char *shift = R"(tile 0.1
kernel @k(%a: view<i32, [300]>, %c: view<i32, [300]>)
    grid [1] {
  %x = load %a[0] : tile<300xi32>
  %y = add %x, 1000
  store %y, %c[0]
  %z = load %a[3] : tile<256xi32>
  %w = mul %z, 2
  store %w, %c[7]
  store %x, %c[5]
}
)";
  for (size_t offset : {0, 4, 400, 800})
    CHECK_RUN({.text = shift,
               .contents = {{"a", std::vector<uint64_t>(600, 5)}},
               .shares = {{"c", {"a", offset}}}});
  CHECK_RUN({.text = R"(tile 0.1
kernel @k(%a: view<i32, [512]>)
    grid [1] {
  %one = const 1 : i32
  %r = for %i = 0 to 9 carry %n = %one {
    %x = load %a[%i] : tile<256xi32>
    %next = add %i, 1
    %y = add %x, %n
    store %y, %a[%next]
    %s = load %a[200] : i32
    yield %s
  }
  store %r, %a[400]
}
)"});
  CHECK_RUN({.text = R"(tile 0.1
kernel @k(%a: view<i32, [256]>, %i: view<i32, [256]>, %c: view<i32, [256]>)
    grid [1] {
  %x = load %a[0] : tile<256xi32>
  %n = iota : tile<256xi32>
  %p = sub 255, %n
  scatter %x, %c[%p]
  %y = gather %c[%n]
  %s = load %c[17] : i32
  %is = cmp gt %s, 0
  if %is {
    store %y, %a[0]
    yield
  } else {
    store %n, %a[0]
    yield
  }
  %z = load %a[9] : tile<128xi32>
  store %z, %i[0]
}
)"});
}

UNIT_TEST_MAIN
