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
    for (DType t : {DType::F32, DType::F16, DType::BF16, DType::F64, DType::I8, DType::U8}) {
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
