// What the passes leave means what the author wrote: the interpreter gives the same bits for both,
// and there is less of it. Without LLVM, so that passes and layouts run sanitized too.
#include "unit/interp_test.h"

#include "passes/assign_layouts.h"
#include "passes/pipeline.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

using namespace tl;
using namespace tl::test;

namespace {

size_t opCount(const Graph &g) {
  std::string text = printText(g).text;
  return size_t(std::count(text.begin(), text.end(), '\n'));
}

/// Runs a kernel that has views %a and %b of 64 elements as written and as the passes leave it.
void checkSame(const std::string &type, const std::string &body, size_t fewer) {
  const std::string text = "tile 0.1\nkernel @k(%a: view<" + type + ", [64]>, %b: view<" + type +
                           ", [64]>)\n    param %B = 16\n    grid [4] {\n" + body + "\n}\n";
  Launch plain(text), passed(text);
  REQUIRE(plain.graph && passed.graph);
  auto after = runPasses(canonicalize(*passed.graph), PassTarget::Amd);
  REQUIRE_OK(after);
  REQUIRE_OK(verify(*after));
  // A line each; the head has none that could go.
  CHECK(opCount(*after) + fewer <= opCount(*plain.graph));
  *passed.graph = std::move(*after);
  std::vector<double> values;
  for (int i = 0; i < 64; ++i)
    values.push_back(i % 7 - 3);
  for (Launch *launch : {&plain, &passed}) {
    launch->set("a", values);
    launch->set("b", std::vector<double>(64, 1));
    REQUIRE(launch->run());
  }
  CHECK(plain.bits("a") == passed.bits("a"));
  CHECK(plain.bits("b") == passed.bits("b"));
}

} // namespace

UNIT_TEST(folded_merged_and_dropped) {
  for (const char *type : {"i8", "u16", "i64", "f16", "f64"})
    checkSame(type,
              "  %p = program_id 0\n  %unused = mul %p, 3\n  %two = sub %B, 14\n"
              "  %half = mul %B, %two\n  %sixteen = sub %half, 16\n"
              "  %x = mul %p, %sixteen\n  %y = mul %p, 16\n"
              "  %u = load %a[%x] : tile<16x" +
                  std::string(type) + ">\n  %v = load %a[%y] : tile<16x" + type +
                  ">\n  %w = add %u, %v\n  %z = mul %w, %w\n  %dead = add %z, %z\n"
                  "  store %z, %b[%x]",
              4);
}

UNIT_TEST(loads_stay_between_their_stores) {
  checkSame("i32",
            "  %p = program_id 0\n  %x = mul %p, %B\n  %s = load %a[%x] : tile<16xi32>\n"
            "  %t = add %s, %s\n  store %t, %a[%x]\n  %u = load %a[%x] : tile<16xi32>\n"
            "  %v = add %u, %s\n  store %v, %b[%x]\n  store %u, %b[%x]\n  store %v, %b[%x]",
            0);
}

UNIT_TEST(regions_keep_their_values) {
  checkSame("i64",
            "  %p = program_id 0\n  %x = mul %p, %B\n  %s = load %a[%x] : tile<16xi64>\n"
            "  %r = for %i = 0 to 5 carry %c = %s {\n    %k = sub %B, 11\n    %d = add %c, %k\n"
            "    %even = rem %i, 2\n    %t = cmp eq %even, 0\n    %e = if %t {\n"
            "      %m = mul %d, 2\n      %n = mul %d, 2\n      %o = add %m, %n\n      yield %o\n"
            "    } else {\n      yield %d\n    }\n    yield %e\n  }\n  store %r, %b[%x]",
            1);
}

// The example kernels: passing twice changes nothing more, and every tile has a layout of its
// shape for the threads that were chosen.
/// A second run of the passes changes nothing, and every tile has a layout of its extents.
static void settles(const Graph &kernel) {
  auto once = runPasses(kernel, PassTarget::Amd);
  REQUIRE_OK(once);
  auto twice = runPasses(*once, PassTarget::Amd);
  REQUIRE_OK(twice);
  CHECK_EQ(printText(*once).text, printText(*twice).text);
  for (uint32_t wave : {32u, 64u}) {
    LayoutAssignment layouts = assignLayouts(*once, {wave, 1024, 0});
    CHECK(layouts.threads >= wave && layouts.threads <= 1024 && layouts.waveSize == wave);
    for (const Value &value : once->values) {
      if (value.type.kind != TypeKind::Tile || value.type.isScalar())
        continue;
      const TileLayout &layout = layouts.of(value.type);
      REQUIRE(layout.rank() == value.type.extents().size());
      for (unsigned axis = 0; axis < layout.rank(); ++axis)
        CHECK_EQ(layout.extent(axis), int64_t(value.type.extents()[axis]));
    }
  }
}

UNIT_TEST(examples_settle) {
  const char *root = std::getenv("TL_SOURCE_DIR");
  REQUIRE(root);
  size_t seen = 0;
  for (const auto &entry :
       std::filesystem::directory_iterator(std::filesystem::path(root) / "examples/kernels")) {
    std::ifstream file(entry.path());
    std::ostringstream text;
    text << file.rdbuf();
    auto module = parseModule(text.str(), entry.path().filename());
    REQUIRE_OK(module);
    for (const auto &member : module->members) {
      auto bound = instantiate(*member, {});
      REQUIRE_OK(bound);
      if (!bound->kernel.isSequence)
        settles(canonicalize(*bound));
    }
    ++seen;
  }
  CHECK(seen >= 5);
}

// ---- Loads a step ahead ----

namespace {

/// Runs a kernel of views %a, %b, %c (f32, 64 x 64) and %t (i64, 64) as written and as the passes
/// for GPUs leave it; tells whether that carries loaded tiles.
bool prefetches(const std::string &body) {
  const std::string text =
      "tile 0.1\nkernel @k(%a: view<f32, [64, 64]>, %b: view<f32, [64, 64]>, %c: "
      "view<f32, [64, 64]>, %t: view<i64, [64]>, %lo: i64, %hi: i64, %st: i64)\n"
      "    grid [2] {\n  %p = program_id 0\n  %z = full 0.0 : tile<16x16xf32>\n" +
      body + "\n}\n";
  bool moved = false;
  struct Bounds {
    int64_t lo, hi, step;
  };
  for (const Bounds &bounds : {Bounds{0, 64, 8}, Bounds{3, 50, 7}, Bounds{5, 6, 8}, Bounds{9, 9, 8},
                               Bounds{10, 2, 8}, Bounds{0, 64, 0}, Bounds{0, 200, 8}}) {
    Launch plain(text), passed(text);
    if (!plain.graph || !passed.graph) {
      unit::fail(__FILE__, __LINE__, text);
      return false;
    }
    auto after = runPasses(canonicalize(*passed.graph), PassTarget::Amd);
    if (!after.ok() || !verify(*after).ok()) {
      unit::fail(__FILE__, __LINE__,
                 after.ok() ? verify(*after).error().message : after.error().message);
      return false;
    }
    const auto loops = [](const Graph &graph) {
      size_t carried = 0;
      for (const Op &op : graph.ops)
        if (op.opcode == Opcode::For)
          carried += graph.results(op).size();
      return carried;
    };
    moved = loops(*after) > loops(*plain.graph);
    *passed.graph = std::move(*after);
    std::vector<double> numbers, table;
    for (int i = 0; i < 64 * 64; ++i)
      numbers.push_back(i % 7 - 3);
    for (int i = 0; i < 64; ++i)
      table.push_back(i * 5 % 48 - 4);
    for (Launch *launch : {&plain, &passed}) {
      for (const char *name : {"a", "b", "c"})
        launch->set(name, numbers);
      launch->set("t", table);
      launch->set("lo", {double(bounds.lo)});
      launch->set("hi", {double(bounds.hi)});
      launch->set("st", {double(bounds.step)});
      if (!launch->run()) {
        unit::fail(__FILE__, __LINE__, text);
        return false;
      }
    }
    CHECK(plain.bits("c") == passed.bits("c"));
  }
  return moved;
}

} // namespace

UNIT_TEST(factors_are_loaded_a_step_ahead) {
  CHECK(prefetches("  %s = for %k = %lo to %hi step %st carry %acc = %z {\n"
                   "    %x = load %a[%p, %k] : tile<16x8xf32>\n"
                   "    %y = load %b[%k, %p] : tile<8x16xf32>\n"
                   "    %r = dot %x, %y, %acc\n    yield %r\n  }\n  store %s, %c[%p, 0]"));
  // By a table, through other operations, and one of the two again beside the dot.
  CHECK(prefetches("  %s = for %k = %lo to %hi step %st carry %acc = %z {\n"
                   "    %page = load %t[%k] : i64\n    %at = add %page, %p\n"
                   "    %x = load %a[%p, %k] : tile<16x8xf32>\n"
                   "    %y = load %b[%at, %p] axes [1, 0] : tile<16x8xf32>\n"
                   "    %w = permute %y, [1, 0]\n    %v = mul %x, 2.0\n"
                   "    %r = dot %v, %w, %acc\n    %q = reduce sum %x, axis 1\n"
                   "    %e = expand_dims %q, axis 1\n    %f = broadcast %e : tile<16x16xf32>\n"
                   "    %g = add %r, %f\n    yield %g\n  }\n  store %s, %c[%p, 0]"));
}

UNIT_TEST(loads_that_stay) {
  // The loop writes.
  CHECK(!prefetches("  %s = for %k = 0 to 16 step 8 carry %acc = %z {\n"
                    "    %x = load %a[%p, %k] : tile<16x8xf32>\n"
                    "    %y = load %b[%k, %p] : tile<8x16xf32>\n"
                    "    %r = dot %x, %y, %acc\n    store %y, %b[%k, %p]\n    yield %r\n  }\n"
                    "  %first = cmp eq %p, 0\n  if %first {\n    store %s, %c[0, 0]\n    yield\n"
                    "  } else {\n    yield\n  }"));
  // What is loaded depends on what was multiplied.
  CHECK(!prefetches("  %n = const 0 : i64\n"
                    "  %s, %m = for %k = %lo to %hi step %st carry %acc = %z, %at = %n {\n"
                    "    %x = load %a[%p, %at] : tile<16x8xf32>\n"
                    "    %y = load %b[%at, %p] : tile<8x16xf32>\n"
                    "    %r = dot %x, %y, %acc\n    %next = add %at, 3\n    yield %r, %next\n  }\n"
                    "  store %s, %c[%p, 0]"));
  // Nothing is multiplied.
  CHECK(!prefetches("  %s = for %k = %lo to %hi step %st carry %acc = %z {\n"
                    "    %x = load %a[%p, %k] : tile<16x16xf32>\n    %r = add %x, %acc\n"
                    "    yield %r\n  }\n  store %s, %c[%p, 0]"));
}

UNIT_TEST_MAIN

namespace {

/// Both forms of a kernel on a tile of that type and shape, bit by bit.
void checkLowered(const std::string &type, const std::vector<double> &values, size_t n,
                  const std::string &header, const std::string &body) {
  const std::string text = "tile 0.1\nkernel @k(%a: view<" + type + ", [" + std::to_string(n) +
                           "]>, " + header + ")\n    grid [1] {\n  %x = load %a[0] : tile<" +
                           std::to_string(n) + "x" + type + ">\n" + body + "}\n";
  Launch plain(text), lowered(text);
  REQUIRE(plain.graph && lowered.graph);
  auto after = runPasses(canonicalize(*lowered.graph), PassTarget::Amd);
  REQUIRE_OK(after);
  REQUIRE_OK(verify(*after));
  for (const Op &op : after->ops)
    CHECK(op.opcode == Opcode::Invalid || !isOrdering(op.opcode));
  *lowered.graph = std::move(*after);
  for (Launch *launch : {&plain, &lowered}) {
    launch->set("a", values);
    for (const char *name : {"s", "p", "h"})
      launch->set(name, std::vector<double>(n, 1));
    REQUIRE(launch->run());
  }
  for (const char *name : {"s", "p", "h"})
    CHECK(plain.bits(name) == lowered.bits(name));
}

} // namespace

UNIT_TEST(orders_are_lowered_to_networks) {
  const double special[] = {0.0, -0.0, NAN, INFINITY, -INFINITY, 1, -1, 1, 3, 2};
  for (const char *type :
       {"i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f16", "bf16", "f32", "f64"})
    for (size_t n : {1, 2, 3, 7, 8, 33, 80, 129}) {
      bool isFloatType = std::string(type).find('f') != std::string::npos;
      std::vector<double> values;
      for (size_t i = 0; i < n; ++i)
        values.push_back(isFloatType && i % 3 == 0
                             ? special[i / 3 % 10]
                             : double((i * 37 + n) % 50) - (*type == 'u' ? 0 : 25));
      std::string e = std::to_string(n), t = type;
      std::string header = "%s: view<" + t + ", [" + e + "]>, %p: view<i32, [" + e +
                           "]>, %h: view<i32, [" + e + "]>";
      for (const char *op : {"sort", "sort_descending"})
        checkLowered(t, values, n, header,
                     "  %c = iota : tile<" + e + "xi32>\n  %r, %q = " + op +
                         " [%x, %c], axis 0\n  store %r, %s[0]\n  store %q, %p[0]\n");
      std::string k = std::to_string((n + 1) / 2);
      checkLowered(t, values, n, header,
                   "  %r, %q = topk %x, axis 0 : tile<" + k + "x" + t +
                       ">\n  store %r, %s[0]\n  store %q, %p[0]\n");
      if (!isFloatType)
        checkLowered(t, values, n, header,
                     "  %m = cmp ne %x, 7\n  %q = histogram %x, mask %m : tile<" + e +
                         "xi32>\n  store %q, %h[0]\n  %r = histogram %x : tile<" + e +
                         "xi32>\n  store %r, %p[0]\n");
    }
}

UNIT_TEST(lines_of_tiles_are_sorted_each_on_its_own) {
  for (int axis : {0, 1, 2}) {
    const std::string a = std::to_string(axis);
    const std::string text =
        "tile 0.1\nkernel @k(%a: view<f32, [3, 5, 7]>, %b: view<f32, [3, 5, 7]>)\n grid [1] {\n"
        "  %x = load %a[0, 0, 0] : tile<3x5x7xf32>\n  %y = sort [%x], axis " +
        a + "\n  store %y, %b[0, 0, 0]\n}\n";
    Launch plain(text), lowered(text);
    REQUIRE(plain.graph && lowered.graph);
    auto after = runPasses(canonicalize(*lowered.graph), PassTarget::Amd);
    REQUIRE_OK(after);
    *lowered.graph = std::move(*after);
    std::vector<double> values;
    for (int i = 0; i < 105; ++i)
      values.push_back(i * 53 % 105);
    for (Launch *launch : {&plain, &lowered}) {
      launch->set("a", values);
      launch->set("b", std::vector<double>(105));
      REQUIRE(launch->run());
    }
    CHECK(plain.bits("b") == lowered.bits("b"));
    std::vector<double> got = plain.floats("b");
    const int strides[] = {35, 7, 1}, extents[] = {3, 5, 7};
    for (int i = 0; i < 105; ++i)
      if (i / strides[axis] % extents[axis] > 0)
        CHECK(got[size_t(i)] > got[size_t(i - strides[axis])]);
  }
}
