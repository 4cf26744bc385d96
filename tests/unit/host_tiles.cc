// test-timeout: 900
// Shape operations, reductions and dots as host code, on odd extents, against the interpreter.
#include "codegen/codegen.h"
#include "unit/combine_regions.h"
#include "unit/host_test.h"

using namespace tl;
using namespace tl::test;

namespace {

using Dims = std::vector<int64_t>;

std::string text(DType type) { return std::string(dtypeText(type)); }

std::string joined(const Dims &dims, const char *separator) {
  std::string s;
  for (size_t i = 0; i < dims.size(); ++i)
    s += (i ? separator : "") + std::to_string(dims[i]);
  return s;
}
std::string tileText(const Dims &dims, DType t) {
  return dims.empty() ? text(t) : "tile<" + joined(dims, "x") + "x" + text(t) + ">";
}
std::string viewText(const Dims &dims, DType t) {
  return "view<" + text(t) + ", [" + (dims.empty() ? "1" : joined(dims, ", ")) + "]>";
}
std::string zeros(const Dims &dims) {
  return joined(Dims(std::max<size_t>(dims.size(), 1), 0), ", ");
}
size_t count(const Dims &dims) {
  size_t n = 1;
  for (int64_t d : dims)
    n *= size_t(d);
  return n;
}

/// A kernel from a tile %x to a tile %r; `lines` is what is between.
bool check(const Dims &from, DType fromType, const Dims &to, DType toType, const std::string &lines,
           unsigned seed = 1) {
  Launch k("tile 0.1\nkernel @k(%a: " + viewText(from, fromType) + ", %o: " + viewText(to, toType) +
           ")\n grid [1] {\n  %x = load %a[" + zeros(from) + "] : " + tileText(from, fromType) +
           "\n" + lines + "  store %r, %o[" + zeros(to) + "]\n}\n");
  if (isFloat(fromType))
    k.set("a", someFloats(count(from), seed));
  else
    k.set("a",
          someIntegers(count(from), seed, isSigned(fromType) ? -60 : 0, isBool(fromType) ? 1 : 60));
  k.set("o", std::vector<double>(count(to), 1));
  return hostAgrees(k);
}

std::string shapeLine(const char *op, const Dims &to, DType t) {
  return std::string("  %r = ") + op + " %x : " + tileText(to, t) + "\n";
}

} // namespace

UNIT_TEST(reshapes) {
  const std::pair<Dims, Dims> shapes[] = {
      {{12}, {3, 4}},      {{3, 4}, {12}},   {{6, 35}, {7, 30}},  {{2, 3, 5}, {5, 6}},
      {{8}, {1, 8, 1}},    {{1, 8, 1}, {8}}, {{1}, {1, 1, 1}},    {{64, 16}, {16, 64}},
      {{5, 7}, {5, 1, 7}}, {{1, 1}, {}},     {{2, 2, 2, 2}, {16}}};
  for (const auto &[from, to] : shapes)
    for (DType t : {DType::F32, DType::I8, DType::F16, DType::I1}) {
      CHECK(check(from, t, to, t, shapeLine("reshape", to, t)));
      if (isFloat(t))
        CHECK(check(from, t, to, t,
                    "  %y = add %x, %x\n  %z = reshape %y : " + tileText(to, t) +
                        "\n  %r = mul %z, %z\n"));
    }
}

UNIT_TEST(broadcasts) {
  const std::pair<Dims, Dims> shapes[] = {{{1, 7}, {5, 7}},
                                          {{33, 1}, {33, 20}},
                                          {{1, 1}, {3, 9}},
                                          {{2, 1, 8}, {2, 5, 8}},
                                          {{1, 4, 1, 3}, {6, 4, 2, 3}}};
  for (const auto &[from, to] : shapes) {
    CHECK(check(from, DType::F32, to, DType::F32, shapeLine("broadcast", to, DType::F32)));
    CHECK(check(from, DType::F32, to, DType::F32,
                "  %e = exp %x\n  %b = broadcast %e : " + tileText(to, DType::F32) +
                    "\n  %i = iota axis 1 : " + tileText(to, DType::I32) +
                    "\n  %f = cast %i : f32\n  %r = mul %b, %f\n"));
  }
}

UNIT_TEST(permutations) {
  CHECK(check({33, 20}, DType::F32, {20, 33}, DType::F32, "  %r = permute %x, [1, 0]\n"));
  CHECK(check({64, 64}, DType::I8, {64, 64}, DType::I8, "  %r = permute %x, [1, 0]\n"));
  CHECK(check({3, 4, 5}, DType::F64, {5, 3, 4}, DType::F64, "  %r = permute %x, [2, 0, 1]\n"));
  CHECK(check({2, 3, 4, 5, 6}, DType::I16, {6, 4, 2, 5, 3}, DType::I16,
              "  %r = permute %x, [4, 2, 0, 3, 1]\n"));
  CHECK(check({17, 17}, DType::F32, {17, 17}, DType::F32,
              "  %t = permute %x, [1, 0]\n  %r = sub %x, %t\n"));
  CHECK(check({9, 40}, DType::F32, {40, 9}, DType::F32,
              "  %e = tanh %x\n  %t = permute %e, [1, 0]\n  %r = add %t, %t\n"));
}

UNIT_TEST(expanded_axes) {
  CHECK(check({7}, DType::F32, {1, 7}, DType::F32, "  %r = expand_dims %x, axis 0\n"));
  CHECK(check({7}, DType::F32, {7, 1}, DType::F32, "  %r = expand_dims %x, axis 1\n"));
  CHECK(check({3, 5}, DType::I64, {3, 1, 5}, DType::I64, "  %r = expand_dims %x, axis 1\n"));
  CHECK(check({40, 33}, DType::F32, {40, 33}, DType::F32,
              "  %m = reduce max %x, axis 1\n  %e = expand_dims %m, axis 1\n  %b = broadcast %e : "
              "tile<40x33xf32>\n  %r = sub %x, %b\n"));
}

/// A slice of every second element or so from `from` on along each axis.
static std::string sliceLine(const std::string &name, const std::string &of, const Dims &offsets,
                             const Dims &strides, const Dims &to, DType t) {
  return "  %" + name + " = slice %" + of + " offsets [" + joined(offsets, ", ") + "] strides [" +
         joined(strides, ", ") + "] : " + tileText(to, t) + "\n";
}

UNIT_TEST(slices) {
  for (DType t : {DType::I1, DType::I8, DType::F16, DType::F32, DType::F64}) {
    CHECK(check({40}, t, {17}, t, sliceLine("r", "x", {5}, {2}, {17}, t)));
    CHECK(check({40}, t, {33}, t, sliceLine("r", "x", {7}, {1}, {33}, t)));
    CHECK(check({9, 40}, t, {3, 11}, t, sliceLine("r", "x", {1, 4}, {3, 3}, {3, 11}, t)));
    CHECK(check({9, 40}, t, {1, 40}, t, sliceLine("r", "x", {8, 0}, {1, 1}, {1, 40}, t)));
    CHECK(check({9, 40}, t, {9, 1}, t, sliceLine("r", "x", {0, 39}, {1, 5}, {9, 1}, t)));
    CHECK(check({3, 4, 5, 2, 3}, t, {2, 2, 4, 1, 3}, t,
                sliceLine("r", "x", {1, 0, 1, 1, 0}, {1, 3, 1, 1, 1}, {2, 2, 4, 1, 3}, t)));
  }
  DType f = DType::F32, i = DType::I32;
  // Of what is computed, of a slice, and of what several need.
  CHECK(check({33, 40}, f, {8, 10}, f,
              "  %e = exp %x\n" + sliceLine("s", "e", {1, 2}, {2, 3}, {14, 12}, f) +
                  sliceLine("r", "s", {3, 1}, {1, 1}, {8, 10}, f)));
  CHECK(check({2, 48}, f, {2, 24}, f,
              "  %e = exp %x\n" + sliceLine("p", "e", {0, 0}, {1, 1}, {2, 24}, f) +
                  sliceLine("q", "e", {0, 24}, {1, 1}, {2, 24}, f) + "  %r = sub %p, %q\n"));
  // The first rows of a kept tile stand in order but are not all of it.
  CHECK(check({16, 40}, f, {8, 40}, f,
              "  %e = exp %x\n  %t = permute %e, [1, 0]\n" +
                  sliceLine("p", "e", {0, 0}, {1, 1}, {8, 40}, f) +
                  sliceLine("q", "e", {8, 0}, {1, 1}, {8, 40}, f) +
                  "  %m = reduce sum %t, axis 0\n  %h = slice %m offsets [0] : tile<8xf32>\n"
                  "  %g = expand_dims %h, axis 1\n  %b = broadcast %g : tile<8x40xf32>\n"
                  "  %d = sub %p, %q\n  %r = add %d, %b\n"));
  CHECK(check({6, 35}, f, {1, 20}, f,
              "  %y = reshape %x : tile<7x30xf32>\n" +
                  sliceLine("r", "y", {6, 3}, {1, 1}, {1, 20}, f)));
  CHECK(check({33, 20}, f, {5, 7}, f,
              "  %t = permute %x, [1, 0]\n" + sliceLine("r", "t", {2, 3}, {3, 4}, {5, 7}, f)));
  CHECK(check({20}, i, {20}, i,
              "  %n = iota : tile<64xi32>\n" + sliceLine("s", "n", {5}, {3}, {19}, i) +
                  sliceLine("t", "n", {60}, {1}, {1}, i) + "  %b = broadcast %t : tile<20xi32>\n" +
                  sliceLine("u", "n", {6}, {2}, {20}, i) +
                  "  %k = reduce sum %s, axis 0\n  %v = add %u, %b\n  %w = add %v, %k\n"
                  "  %r = add %w, %x\n"));
  CHECK(check({30, 40}, f, {10, 12}, f,
              sliceLine("p", "x", {1, 2}, {1, 2}, {10, 18}, f) +
                  sliceLine("q", "x", {12, 20}, {1, 1}, {18, 12}, f) +
                  "  %z = full 0.0 : tile<10x12xf32>\n  %r = dot %p, %q, %z\n"));
}

UNIT_TEST(inserted_slices) {
  for (DType t : {DType::I1, DType::I8, DType::F16, DType::F32, DType::F64}) {
    CHECK(check({40}, t, {40}, t,
                sliceLine("p", "x", {3}, {2}, {17}, t) +
                    "  %r = insert_slice %x, %p offsets [20]\n"));
    CHECK(check({9, 40}, t, {9, 40}, t,
                sliceLine("p", "x", {1, 4}, {3, 3}, {3, 11}, t) +
                    "  %r = insert_slice %x, %p offsets [6, 1]\n"));
    CHECK(check({3, 4, 5, 2, 3}, t, {3, 4, 5, 2, 3}, t,
                sliceLine("p", "x", {1, 0, 1, 1, 0}, {1, 3, 1, 1, 1}, {2, 2, 4, 1, 3}, t) +
                    "  %r = insert_slice %x, %p offsets [0, 1, 1, 0, 0]\n"));
  }
  DType f = DType::F32;
  CHECK(check({5, 33}, f, {5, 33}, f,
              "  %y = flip %x axes [0, 1]\n"
              "  %r = insert_slice %x, %y offsets [0, 0]\n"));
  CHECK(check({12, 33}, f, {12, 33}, f,
              "  %z = full 0.0 : tile<12x33xf32>\n" +
                  sliceLine("s", "x", {4, 5}, {1, 1}, {3, 8}, f) +
                  "  %e = exp %s\n  %w = insert_slice %z, %e offsets [7, 25]\n"
                  "  %v = insert_slice %w, %s offsets [0, 0]\n  %r = add %v, %w\n"));
}

UNIT_TEST(concatenations) {
  for (DType t : {DType::I1, DType::U8, DType::BF16, DType::F32, DType::I64, DType::F8E4M3FNUZ}) {
    CHECK(check({7}, t, {21}, t, "  %r = concat [%x, %x, %x], axis 0\n"));
    CHECK(check({5, 33}, t, {10, 33}, t,
                "  %y = flip %x axes [1]\n"
                "  %r = concat [%x, %y], axis 0\n"));
    CHECK(check({5, 33}, t, {5, 44}, t,
                sliceLine("y", "x", {0, 2}, {1, 3}, {5, 11}, t) +
                    "  %r = concat [%y, %x], axis 1\n"));
    CHECK(check({2, 3, 1, 2, 3}, t, {2, 3, 3, 2, 3}, t,
                "  %y = flip %x axes [0, 4]\n  %r = concat [%x, %y, %x], axis 2\n"));
  }
  DType f = DType::F32;
  // The rotation of halves, and a tile that several parts need.
  CHECK(check({6, 64}, f, {6, 64}, f,
              "  %e = tanh %x\n" + sliceLine("p", "e", {0, 0}, {1, 1}, {6, 32}, f) +
                  sliceLine("q", "e", {0, 32}, {1, 1}, {6, 32}, f) +
                  "  %n = neg %q\n  %c = concat [%n, %p], axis 1\n  %r = mul %c, %e\n"));
  CHECK(check({9, 20}, f, {20}, f,
              "  %m = reduce sum %x, axis 1\n  %c = concat [%m, %m], axis 0\n"
              "  %n = reduce max %x, axis 0\n  %d = slice %c offsets [0] : tile<18xf32>\n"
              "  %k = full 2.0 : tile<2xf32>\n  %e = concat [%d, %k], axis 0\n"
              "  %r = add %e, %n\n"));
}

UNIT_TEST(joins_and_splits) {
  for (DType t : {DType::I1, DType::U8, DType::BF16, DType::F32, DType::I64}) {
    CHECK(check({37}, t, {37, 2}, t, "  %y = flip %x axes [0]\n  %r = join %x, %y\n"));
    CHECK(check({5, 33}, t, {5, 33, 2}, t, "  %y = flip %x axes [1]\n  %r = join %y, %x\n"));
    CHECK(check({37, 2}, t, {37}, t,
                "  %y, %z = split %x\n  %c = cmp lt %y, %z\n"
                "  %r = select %c, %y, %z\n"));
    CHECK(
        check({3, 1, 5, 2, 2}, t, {3, 1, 5, 2, 2}, t, "  %y, %z = split %x\n  %r = join %z, %y\n"));
    CHECK(check({2}, t, {2}, t, "  %y, %z = split %x\n  %r = join %z, %y\n"));
  }
  DType f = DType::F32;
  CHECK(
      check({6, 33, 2}, f, {6, 33}, f, "  %e = exp %x\n  %y, %z = split %e\n  %r = sub %z, %y\n"));
  CHECK(check({6, 34}, f, {6, 34}, f,
              "  %p = reshape %x : tile<6x17x2xf32>\n  %y, %z = split %p\n  %n = neg %z\n"
              "  %j = join %n, %y\n  %q = reshape %j : tile<6x34xf32>\n  %r = mul %q, %x\n"));
  CHECK(check({40, 2}, f, {40}, f,
              "  %y, %z = split %x\n  %s = scan sum %y, axis 0\n  %t = scan sum %z, axis 0\n"
              "  %u = reduce max %y, axis 0\n  %v = sub %s, %t\n  %r = mul %v, %u\n"));
}

UNIT_TEST(flips) {
  for (DType t : {DType::I1, DType::U8, DType::BF16, DType::F32, DType::I64}) {
    CHECK(check({1}, t, {1}, t, "  %r = flip %x axes [0]\n"));
    CHECK(check({37}, t, {37}, t, "  %r = flip %x axes [0]\n"));
    CHECK(check({5, 64}, t, {5, 64}, t, "  %r = flip %x axes [0]\n"));
    CHECK(check({5, 64}, t, {5, 64}, t, "  %r = flip %x axes [1]\n"));
    CHECK(check({5, 33}, t, {5, 33}, t, "  %r = flip %x axes [1, 0]\n"));
    CHECK(check({2, 3, 4, 1, 5}, t, {2, 3, 4, 1, 5}, t, "  %r = flip %x axes [0, 2, 3, 4]\n"));
  }
  DType f = DType::F32;
  CHECK(check({5, 33}, f, {5, 33}, f, "  %t = flip %x axes [1]\n  %r = sub %x, %t\n"));
  CHECK(check({5, 33}, f, {33, 5}, f,
              "  %e = exp %x\n  %t = permute %e, [1, 0]\n  %u = flip %t axes [0]\n"
              "  %v = flip %u axes [1, 0]\n  %r = mul %u, %v\n"));
  CHECK(check({40}, DType::I8, {40}, DType::I8,
              "  %n = iota : tile<40xi8>\n  %t = flip %n axes [0]\n  %r = sub %t, %x\n"));
  CHECK(check({9, 33}, f, {9}, f,
              "  %t = flip %x axes [0, 1]\n  %u = slice %t offsets [0, 2] strides [1, 3] : "
              "tile<9x11xf32>\n  %r = reduce max %u, axis 1\n"));
  CHECK(check({33}, f, {33}, f,
              "  %t = flip %x axes [0]\n  %s = scan sum %t, axis 0\n"
              "  %r = flip %s axes [0]\n"));
}

UNIT_TEST(iota_of_every_type) {
  for (DType t : {DType::I8, DType::U8, DType::I16, DType::U16, DType::I32, DType::U32, DType::I64,
                  DType::U64})
    for (int axis : {0, 1})
      CHECK(check({300, 5}, t, {300, 5}, t,
                  "  %i = iota axis " + std::to_string(axis) + " : tile<300x5x" + text(t) +
                      ">\n  %r = add %i, %x\n"));
}

UNIT_TEST(reductions) {
  const Dims shapes[] = {{1},      {7},       {8},       {33},      {80},         {1000},
                         {1025},   {4099},    {1, 1},    {5, 1},    {1, 5},       {3, 7},
                         {80, 33}, {7, 1000}, {1000, 7}, {4, 5, 6}, {2, 3, 4, 5}, {2, 1, 3, 2, 4}};
  const DType types[] = {DType::F32, DType::F16, DType::BF16, DType::F64,
                         DType::I32, DType::U8,  DType::I64};
  unsigned which = 0;
  for (const Dims &shape : shapes)
    for (size_t axis = 0; axis < shape.size(); ++axis)
      for (const char *kind : {"sum", "max", "min"}) {
        DType t = types[which++ % std::size(types)];
        Dims to = shape;
        to.erase(to.begin() + long(axis));
        bool ok =
            check(shape, t, to, t,
                  std::string("  %r = reduce ") + kind + " %x, axis " + std::to_string(axis) + "\n",
                  which);
        if (!ok)
          std::printf("  reduce %s of %s, axis %zu\n", kind, tileText(shape, t).c_str(), axis);
        CHECK(ok);
      }
}

UNIT_TEST(scans) {
  const Dims shapes[] = {{1},    {7},    {80},     {1000},   {4099},    {5, 1},
                         {1, 5}, {3, 7}, {80, 33}, {7, 100}, {4, 5, 6}, {2, 3, 4, 5}};
  const DType types[] = {DType::F32, DType::F16, DType::F64, DType::I32, DType::U8, DType::I64};
  unsigned which = 0;
  for (const Dims &shape : shapes)
    for (size_t axis = 0; axis < shape.size(); ++axis)
      for (const char *op : {"scan sum", "reverse_scan max", "reverse_scan sum"}) {
        DType t = types[which++ % std::size(types)];
        CHECK(check(shape, t, shape, t,
                    std::string("  %r = ") + op + " %x, axis " + std::to_string(axis) + "\n",
                    which));
      }
}

UNIT_TEST(where_the_largest_and_the_smallest_are) {
  const Dims shapes[] = {{1},    {7},    {33},   {80},     {1000},   {4099},
                         {5, 1}, {1, 5}, {3, 7}, {80, 33}, {7, 100}, {4, 5, 6}};
  const DType types[] = {DType::F32, DType::F16, DType::F64, DType::I32, DType::U8, DType::I64};
  unsigned which = 0;
  for (const Dims &shape : shapes)
    for (size_t axis = 0; axis < shape.size(); ++axis)
      for (const char *op : {"argmax", "argmin"}) {
        DType t = types[which++ % std::size(types)];
        Dims to = shape;
        to.erase(to.begin() + long(axis));
        CHECK(check(shape, t, to, DType::I32,
                    std::string("  %r = ") + op + " %x, axis " + std::to_string(axis) + "\n",
                    which));
      }
}

UNIT_TEST(combine_regions) {
  const Dims shapes[] = {{1},    {7},    {80},     {1000},   {4099},    {5, 1},
                         {1, 5}, {3, 7}, {80, 33}, {7, 100}, {4, 5, 6}, {2, 3, 4, 5}};
  for (const Dims &shape : shapes)
    for (size_t axis = 0; axis < shape.size(); ++axis) {
      Dims to = shape;
      to.erase(to.begin() + long(axis));
      CHECK(check(shape, DType::I32, to, DType::I32, complexProduct("reduce_with", axis)));
      CHECK(check(shape, DType::F16, to, DType::F16, mixedParts("reduce_with", axis, "f16")));
      for (const char *op : {"scan_with", "reverse_scan_with"})
        CHECK(check(shape, DType::I32, shape, DType::I32, affineMaps(op, axis)));
      CHECK(check(shape, DType::F64, shape, DType::F64, mixedParts("scan_with", axis, "f64")));
    }
}

UNIT_TEST(reductions_of_expressions) {
  for (int axis : {0, 1})
    for (const char *dims : {"33x65", "64x16", "3x200"}) {
      Dims from;
      for (const char *p = dims; *p; p += *p == 'x')
        from.push_back(std::strtol(p, const_cast<char **>(&p), 10));
      Dims to = {from[size_t(1 - axis)]};
      std::string a = std::to_string(axis);
      CHECK(check(from, DType::F32, to, DType::F32,
                  "  %y = mul %x, %x\n  %r = reduce sum %y, axis " + a + "\n"));
      CHECK(check(from, DType::F16, to, DType::F32,
                  "  %f = cast %x : f32\n  %e = exp %f\n  %t = add %e, 1.0\n  %l = log %t\n  %r = "
                  "reduce max %l, axis " +
                      a + "\n"));
    }
}

UNIT_TEST(dots) {
  const int64_t sizes[][3] = {{1, 1, 1},     {1, 8, 16},   {2, 3, 5},    {3, 33, 7},
                              {4, 4, 4},     {5, 20, 40},  {6, 16, 16},  {7, 17, 80},
                              {16, 16, 16},  {33, 65, 31}, {64, 64, 32}, {13, 1, 500},
                              {1, 100, 400}, {128, 8, 1},  {20, 9, 1000}};
  unsigned seed = 1;
  for (auto [m, n, k] : sizes)
    for (DType t : {DType::F32, DType::F16, DType::BF16, DType::F64, DType::I8, DType::U8,
                    DType::F8E4M3FN, DType::F8E5M2, DType::F8E4M3FNUZ, DType::F8E5M2FNUZ}) {
      DType acc = isFloat(t) ? t == DType::F64 ? DType::F64 : DType::F32 : DType::I32;
      Launch launch("tile 0.1\nkernel @k(%a: " + viewText({m, k}, t) +
                    ", %b: " + viewText({k, n}, t) + ", %c: " + viewText({m, n}, acc) +
                    ", %o: " + viewText({m, n}, acc) + ")\n grid [1] {\n  %x = load %a[0, 0] : " +
                    tileText({m, k}, t) + "\n  %y = load %b[0, 0] : " + tileText({k, n}, t) +
                    "\n  %z = load %c[0, 0] : " + tileText({m, n}, acc) +
                    "\n  %r = dot %x, %y, %z\n  store %r, %o[0, 0]\n}\n");
      auto fill = [&](const char *name, size_t count, DType type) {
        launch.set(name, isFloat(type) ? someFloats(count, seed++)
                                       : someIntegers(count, seed++, isSigned(type) ? -128 : 0,
                                                      isSigned(type) ? 127 : 255));
      };
      fill("a", size_t(m * k), t);
      fill("b", size_t(k * n), t);
      fill("c", size_t(m * n), acc);
      launch.set("o", std::vector<double>(size_t(m * n), 0));
      bool ok = hostAgrees(launch);
      if (!ok)
        std::printf("  dot %ldx%ldx%ld of %s\n", long(m), long(n), long(k), text(t).c_str());
      CHECK(ok);
    }
}

UNIT_TEST(dots_of_expressions) {
  for (const char *lines :
       {"  %bt = permute %y, [1, 0]\n  %z = full 0.0 : tile<20x20xf32>\n  %r = dot %x, %bt, %z\n",
        "  %bt = permute %y, [1, 0]\n  %e = exp %bt\n  %z = full 1.5 : tile<20x20xf32>\n  %r = dot "
        "%x, %e, %z\n",
        "  %bt = permute %y, [1, 0]\n  %z = full 0.0 : tile<20x20xf32>\n  %s = dot %x, %bt, %z\n"
        "  %p = permute %s, [1, 0]\n  %q = mul %s, 0.25\n  %r = dot %q, %s, %p\n",
        "  %bt = permute %y, [1, 0]\n  %z = full 0.0 : tile<20x20xf32>\n  %s = dot %x, %bt, %z\n"
        "  %q = tanh %s\n  %r = dot %q, %q, %q\n"}) {
    Launch k(
        std::string("tile 0.1\nkernel @k(%a: view<f32, [20, 37]>, %b: view<f32, [20, 37]>, %o: "
                    "view<f32, [20, 20]>)\n grid [1] {\n  %x = load %a[0, 0] : tile<20x37xf32>\n"
                    "  %y = load %b[0, 0] : tile<20x37xf32>\n") +
        lines + "  store %r, %o[0, 0]\n}\n");
    auto small = someFloats(740, 3);
    for (double &v : small)
      v /= 16;
    k.set("a", small);
    k.set("b", someFloats(740, 4));
    k.set("o", std::vector<double>(400, 0));
    CHECK(hostAgrees(k));
  }
}

UNIT_TEST_MAIN
