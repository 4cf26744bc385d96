// The text form: what is written means the ops that are expected, and is printed as expected.
#include "unit/unit_test.h"

#include "graph/binary.h"
#include "graph/builder.h"
#include "graph/canonical.h"
#include "graph/text.h"
#include "graph/text_lexer.h"
#include "graph/text_literal.h"
#include "graph/text_names.h"
#include "graph/verify.h"

#include <bit>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

using namespace tl;

/// A kernel with some arguments and the given body.
static std::string kernel(const std::string &body) {
  return "tile 0.1\n"
         "kernel @k(%v: view<f32, [%n, ?], [?, 1]>, %u: view<u8, [4]>, %p: ptr<f16>, %n: i64,\n"
         "          %h: i32)\n"
         "    param %B = 8\n"
         "    grid [1] {\n" +
         body + "\n}\n";
}

/// The body of a graph's printed text without the lines around it.
static std::string printedBody(const Graph &g) {
  std::string text = printText(g).text;
  size_t begin = text.find("{\n") + 2;
  return text.substr(begin, text.rfind("}\n") - begin);
}

/// Parses `body`; it must print as `printed`, and that as itself.
static void checkPrint(const std::string &body, const std::string &printed) {
  auto g = parseText(kernel(body), "t.tile");
  REQUIRE_OK(g);
  REQUIRE_OK(verify(*g));
  CHECK_EQ(printedBody(*g), printed);
  auto again = parseText(kernel(printed), "t.tile");
  REQUIRE_OK(again);
  CHECK(writeGraph(*again) == writeGraph(*g));
}

static const Op &bodyOp(const Graph &g, size_t i) { return g.ops[g.block(g.kernel.body).ops[i]]; }

UNIT_TEST(formOfEveryOperation) {
  const std::string same = "  %pid = program_id 0\n"
                           "  %x = load %v[%pid, 3] axes [1, 0] pad -inf : tile<4x%B x f32>\n";
  checkPrint(same, "  %pid = program_id 0\n"
                   "  %x = load %v[%pid, 3] axes [1, 0] pad -inf : tile<4 x %B x f32>\n");
  for (std::string body : {
           "  %c = const 1.0 : f32\n  %i = const -7 : i8\n  %t = const true : i1\n"
           "  %u1 = const 18446744073709551615 : u64\n  %e = const 1e-05 : f16\n",
           "  %f = full 0.5 : tile<4x5xf32>\n  %r = reduce max %f, axis 1\n"
           "  %x = expand_dims %r, axis 1\n  %y = broadcast %x : tile<4x5xf32>\n"
           "  %t = permute %y, [1, 0]\n  %s = reshape %t : tile<20xf32>\n",
           "  %f = full 0.5 : tile<4x5xf32>\n  %s = slice %f offsets [1, 0] : tile<2x5xf32>\n"
           "  %t = slice %f offsets [0, 1] strides [3, 2] : tile<2x2xf32>\n"
           "  %r = flip %t axes [1, 0]\n  %w = insert_slice %f, %r offsets [2, 3]\n"
           "  %c = concat [%s, %f, %s], axis 0\n  %j = join %s, %s\n  %a, %b = split %j\n",
           "  %i = iota : tile<4xi32>\n  %j = iota axis 1 : tile<4x5xu8>\n",
           "  %e0 = extent %v, 0\n  %e1 = add %v.extent1, %v.stride0\n",
           "  %a = addr %v[0, %n]\n  %w = view %p, [%n, 4], [%h, 1]\n"
           "  %x = load %w[0, 0] : f16\n  store %x, %w[1, %h]\n",
           "  %i = iota : tile<4xi32>\n  %m = cmp lt %i, 3\n"
           "  %g = gather %v[%i, 0], mask %m pad 1.0\n  scatter %g, %v[%i, %i], mask %m\n"
           "  %g2 = gather %v[%i, %i]\n  scatter 0.0, %v[0, 1]\n",
           "  %x = cast %n : f16\n  %y = fma %x, 2.0, %x\n  %z = select true, %x, 0.0\n",
           "  %a = full 1.0 : tile<2x3xf16>\n  %b = full 1.0 : tile<3x4xf16>\n"
           "  %c = full 0.0 : tile<2x4xf32>\n  %d = dot %a, %b, %c\n",
           "  for %i = 0 to %n {\n    store 0.0, %v[%i, 0]\n  }\n"
           "  %r = for %i = %n to 10 step %n carry %a = %n {\n    yield %i\n  }\n",
           "  %c = cmp eq %n, 0\n  if %c {\n    store 1.0, %v[0, 0]\n  }\n"
           "  %r, %s = if %c {\n    yield %n, %h\n  } else {\n    %z = const 0 : i64\n"
           "    yield %z, %h\n  }\n",
       })
    checkPrint(body, body);
}

UNIT_TEST(freeLayoutAndComments) {
  const std::string tidy = "  %x = add %n, 1\n  %c = cmp ne %x, %n\n  %r = if %c {\n    yield %x\n"
                           "  } else {\n    yield %n\n  }\n";
  checkPrint("%x = add %n, 1 // one\n # two\n %c=cmp ne %x,%n\n%r = if %c { yield %x }\n"
             "else { yield %n }",
             tidy);
  checkPrint("%x = add %n,\r\n   1\r\n%c\t= cmp ne %x, %n\r\n%r = if %c { yield %x } else { "
             "yield %n } # end\r",
             tidy);
  auto bom = parseText("\xef\xbb\xbf" + kernel("%x = add %n, 1"), "t.tile");
  REQUIRE_OK(bom);
}

UNIT_TEST(numbersTakeTheirType) {
  auto g = parseText(kernel("%a = add %h, 1\n%b = mul 2, %h\n%f = cast %n : f32\n"
                            "%c = mul %f, 3\n%d = shl 1, 5\nstore -0.0, %v[%h, 7]"),
                     "t.tile");
  REQUIRE_OK(g);
  struct {
    size_t op;
    DType dtype;
    int64_t i;
    double f;
  } want[] = {{0, DType::I32, 1, 0}, {2, DType::I32, 2, 0}, {5, DType::F32, 0, 3.0},
              {7, DType::I64, 1, 0}, {8, DType::I64, 5, 0}, {10, DType::F32, 0, -0.0},
              {11, DType::I64, 7, 0}};
  for (const auto &w : want) {
    const Op &op = bodyOp(*g, w.op);
    REQUIRE(op.opcode == Opcode::Const);
    CHECK(g->typeOf(g->result(op)) == Type::scalar(w.dtype));
    const Attr &value = *g->attr(op, AttrKey::Value);
    CHECK_EQ(value.i, w.i);
    CHECK(std::bit_cast<uint64_t>(value.f) == std::bit_cast<uint64_t>(w.f));
  }
}

UNIT_TEST(literals) {
  auto same = [](const char *text, double value) {
    auto literal = parseLiteral(text);
    REQUIRE(literal.has_value());
    auto attr = literalAttr(*literal, AttrKey::Value, DType::F64);
    REQUIRE(attr.has_value());
    CHECK(std::bit_cast<uint64_t>(attr->f) == std::bit_cast<uint64_t>(value));
  };
  same("0.1", 0.1);
  same("-0", -0.0);
  same("-0.0", -0.0);
  same("1e-5", 1e-5);
  same("0x1.8p3", 12.0);
  same("0x1p-1074", 5e-324);
  same("4.9e-324", 5e-324);
  same("2.2250738585072011e-308", 2.2250738585072011e-308);
  same("9007199254740993", 9007199254740992.0); // halfway, to even
  same("inf", INFINITY);
  same("-inf", -INFINITY);
  same("1.7976931348623157e308", 1.7976931348623157e308);
  for (const char *bad : {"", "-", "1e", "1.5x", "0x", "0xg", "1e999", "12a", "--1", "1e+", "1..2",
                          "18446744073709551616", "0x1ffffffffffffffff", "-infinity", "+1", "tru"})
    CHECK(!parseLiteral(bad).has_value());

  struct {
    const char *text;
    DType dtype;
    std::optional<int64_t> value;
  } integers[] = {
      {"255", DType::U8, 255},
      {"256", DType::U8, {}},
      {"-1", DType::U8, {}},
      {"-128", DType::I8, -128},
      {"-129", DType::I8, {}},
      {"127", DType::I8, 127},
      {"128", DType::I8, {}},
      {"-0", DType::U32, 0},
      {"0xff", DType::I16, 255},
      {"true", DType::I1, 1},
      {"false", DType::I1, 0},
      {"1", DType::I1, 1},
      {"2", DType::I1, {}},
      {"true", DType::I32, {}},
      {"1.0", DType::I32, {}},
      {"18446744073709551615", DType::U64, -1},
      {"18446744073709551615", DType::I64, {}},
      {"-9223372036854775808", DType::I64, INT64_MIN},
      {"-9223372036854775809", DType::I64, {}},
      {"9223372036854775808", DType::I64, {}},
      {"9223372036854775808", DType::U64, INT64_MIN},
  };
  for (const auto &c : integers) {
    auto literal = parseLiteral(c.text);
    REQUIRE(literal.has_value());
    auto attr = literalAttr(*literal, AttrKey::Value, c.dtype);
    CHECK_EQ(attr.has_value(), c.value.has_value());
    if (attr && c.value)
      CHECK_EQ(attr->i, *c.value);
  }
}

UNIT_TEST(doublesRoundTrip) {
  CHECK_EQ(doubleText(1), std::string("1.0"));
  CHECK_EQ(doubleText(-0.0), std::string("-0.0"));
  CHECK_EQ(doubleText(0.1), std::string("0.1"));
  CHECK_EQ(doubleText(-INFINITY), std::string("-inf"));
  CHECK_EQ(doubleText(NAN), std::string("nan"));
  uint64_t state = 1;
  for (int i = 0; i < 200000; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    double value = std::bit_cast<double>(state ^ state >> 29);
    if (std::isnan(value))
      continue;
    auto literal = parseLiteral(doubleText(value));
    REQUIRE(literal.has_value() && literal->kind == Literal::Kind::Float);
    REQUIRE(std::bit_cast<uint64_t>(literal->f) == std::bit_cast<uint64_t>(value));
  }
}

UNIT_TEST(headMakesItsOpsInOrder) {
  const std::string text = "tile 0.1\n"
                           "kernel @k(%a: view<f32, [%n]>, %n: i64, %h: i32)\n"
                           "    param %B = 8 in [8, 16]\n"
                           "    param %C = -2\n"
                           "    contract = off\n"
                           "    threads = 256\n"
                           "    require lt(mul(%B, 2), 65536)\n"
                           "    let %wide = cast(%h, i64)\n"
                           "    let %twice = add(%wide, %wide)\n"
                           "    grid [ceildiv(extent(%a, 0), add(%B, 1)), max(%twice, 1), 3]\n"
                           "    require ne(%C, 0) {\n"
                           "}\n";
  auto g = parseText(text, "t.tile");
  REQUIRE_OK(g);
  CHECK_EQ(printText(*g).text, text);
  std::string ops;
  for (OpId id : g->block(g->kernel.head).ops)
    ops += std::string(opInfo(g->ops[id].opcode).text) + " ";
  CHECK_EQ(ops, std::string("const mul const cmp cast add extent const add ceildiv const max const "
                            "const cmp "));
  CHECK_EQ(g->kernel.grid.size(), size_t(3));
  CHECK_EQ(g->kernel.requires_.size(), size_t(2));
  CHECK(!g->kernel.contract);
  CHECK_EQ(g->kernel.threads, int64_t(256));
}

UNIT_TEST(requirementsUseSelect) {
  auto withRequirement = [](const std::string &requirement) {
    return parseText("tile 0.1\nkernel @k(%n: i64)\n    param %B = 128 in [64, 128, 256]\n"
                     "    require " +
                         requirement + "\n    grid [1] {\n}\n",
                     "t.tile");
  };
  // True for 64 by the first branch, for 128 by the second, and not for 256.
  auto g = withRequirement("select(lt(%B, 100), eq(%B, 64), eq(%B, 128))");
  REQUIRE_OK(g);
  CHECK(instantiate(*g, {{"B", 64}}).ok());
  CHECK(instantiate(*g, {{"B", 128}}).ok());
  CHECK(instantiate(*g, {{"B", 256}}).error().status == TL_E_PARAM);
  // A number of the branch that is taken.
  REQUIRE_OK(withRequirement("eq(select(gt(%B, 128), 2, 3), 3)"));
  CHECK(withRequirement("eq(select(gt(%B, 128), 2, 3), 2)").error().status == TL_E_PARAM);
  // Not even the branch that is not taken may depend on an argument.
  CHECK(withRequirement("select(gt(%B, 0), eq(%B, 128), lt(%n, 4))").error().status ==
        TL_E_INVALID_GRAPH);
}

UNIT_TEST(argumentForms) {
  const std::string text =
      "tile 0.1\n"
      "kernel @k(\n"
      "        %x: view<f16, [%m, %B, 3], [%s, ?, 1]> distinct optional = uniform(-1, %m),\n"
      "        %y: view<i32, [?]> = arange,\n"
      "        %z: view<f64, [0]> = const(0.5),\n"
      "        %p: ptr<bf16> optional,\n"
      "        %m: i64 = 1000,\n"
      "        %s: i32,\n"
      "        %eps: f32 = 1e-05,\n"
      "        %flag: i1 = true,\n"
      "        %big: u64 = 18446744073709551615)\n"
      "    param %B = 16\n"
      "    grid [%m] {\n"
      "}\n";
  auto g = parseText(text, "t.tile");
  REQUIRE_OK(g);
  CHECK_EQ(printText(*g).text, text);
  const Kernel &k = g->kernel;
  REQUIRE(k.args.size() == 9);
  CHECK(k.args[0].distinct && k.args[0].optional);
  CHECK(k.args[0].extents[1].value == k.params[0].value);
  CHECK(k.args[0].strides[0].value == k.args[5].value);
  CHECK(k.args[0].strides[1].kind == ViewDim::Kind::Dynamic);
  CHECK(k.args[0].generator.kind == GeneratorKind::Uniform);
  CHECK(k.args[0].generator.low == -1 && k.args[0].generator.highValue == k.args[4].value);
  CHECK(k.args[2].generator.low == 0.5);
  CHECK(!k.args[5].hasDefault && k.args[6].defaultFloat == 1e-5 && k.args[7].defaultInt == 1);
  CHECK_EQ(k.args[8].defaultInt, int64_t(-1));
}

UNIT_TEST(locationsOfOps) {
  auto g =
      parseText(kernel("  %x = add %n, 1\n\n    for %i = 0 to %x {\n  store 0.0, %v[%i, 0]\n }"),
                "dir/t.tile");
  REQUIRE_OK(g);
  struct {
    size_t op;
    uint32_t line, column;
  } want[] = {{0, 6, 16}, {1, 6, 8}, {2, 8, 14}, {3, 8, 5}, {4, 8, 5}};
  for (const auto &w : want) {
    const SourceLocation &where = g->locations[bodyOp(*g, w.op).location];
    CHECK_EQ(where.file, std::string("dir/t.tile"));
    CHECK_EQ(where.line, w.line);
    CHECK_EQ(where.column, w.column);
  }
  const Op &loop = bodyOp(*g, 4);
  const std::vector<OpId> &inner = g->block(g->regions(loop)[0]).ops;
  CHECK_EQ(g->locations[g->ops[inner[2]].location].line, 9u);  // store
  CHECK_EQ(g->locations[g->ops[inner[3]].location].line, 10u); // the yield that '}' stands for
}

UNIT_TEST(namesThatAreTakenBecomeNumbers) {
  GraphBuilder b;
  b.setKernel("k");
  Argument n;
  n.name = "n";
  ValueId arg = b.addArgument(n, TypeKind::Tile, DType::I64);
  b.setGrid({&arg, 1});
  std::vector<ValueId> values;
  for (const char *name : {"x", "x", "n", "7", "good_1", "bad name", ""}) {
    values.push_back(b.op(Opcode::Neg, {values.empty() ? arg : values.back()}));
    b.setName(values.back(), name);
  }
  auto g = std::move(b).finish();
  REQUIRE_OK(g);
  CHECK_EQ(printedBody(*g), std::string("  %x = neg %n\n  %0 = neg %x\n  %1 = neg %0\n"
                                        "  %2 = neg %1\n  %good_1 = neg %2\n"
                                        "  %3 = neg %good_1\n  %4 = neg %3\n"));
}

UNIT_TEST(regionsHaveTheirNames) {
  const std::string body = "  for %i = 0 to %n {\n    %x = add %i, 1\n  }\n"
                           "  %x = for %i = 0 to 5 carry %x = %n {\n    yield %x\n  }\n";
  checkPrint(body, body);
}

UNIT_TEST(errorsShowTheirPlace) {
  auto g = parseText(kernel("  %x = add %n, %h"), "dir/t.tile");
  REQUIRE(!g.ok());
  const Error &e = g.error();
  CHECK_EQ(e.status, tl_status(TL_E_INVALID_GRAPH));
  REQUIRE(e.diagnostics.size() == 1);
  CHECK_EQ(e.message, "dir/t.tile:6:8: " + e.diagnostics[0].text);
  CHECK_EQ(e.diagnostics[0].location.line, 6u);
  CHECK_EQ(e.diagnostics[0].location.column, 8u);
  CHECK_EQ(e.diagnostics[0].excerpt, std::string("  %x = add %n, %h\n       ^~~"));
  CHECK(e.diagnostics[0].text.find("add(i64, i32)") == 0);
}

UNIT_TEST(excerpts) {
  CHECK_EQ(sourceExcerpt("ab\tcd\n", 3, 2), std::string("ab cd\n   ^~"));
  CHECK_EQ(sourceExcerpt("x\r\nab\r\n", 5, 1), std::string("ab\n  ^"));
  CHECK_EQ(sourceExcerpt("", 0, 0), std::string("\n^"));
  CHECK_EQ(sourceExcerpt("a\xff\x01z", 3, 1), std::string("a??z\n   ^"));
  CHECK_EQ(sourceExcerpt("\xc3\xa9 x", 3, 1), std::string("\xc3\xa9 x\n  ^"));
  std::string line = std::string(500, 'a') + "HERE" + std::string(500, 'b');
  std::string shown = sourceExcerpt(line, 500, 4);
  CHECK_EQ(shown, "..." + std::string(90, 'a') + "HERE" + std::string(60, 'b') + "...\n" +
                      std::string(93, ' ') + "^~~~");
}

UNIT_TEST(wordsThatWereMeant) {
  CHECK_EQ(editDistance("ad", "add", 9), size_t(1));
  CHECK_EQ(editDistance("laod", "load", 9), size_t(1));
  CHECK_EQ(editDistance("kitten", "sitting", 9), size_t(3));
  CHECK_EQ(editDistance("", "abc", 9), size_t(3));
  CHECK(editDistance("aaaa", "bbbb", 3) >= 3);
}

/// Every example prints and parses to itself, with each choice of each parameter bound in its head.
UNIT_TEST(examplesRoundTrip) {
  const char *root = std::getenv("TL_SOURCE_DIR");
  if (!root)
    SKIP("TL_SOURCE_DIR is not set");
  size_t files = 0;
  for (const auto &entry :
       std::filesystem::directory_iterator(std::filesystem::path(root) / "examples/kernels")) {
    if (entry.path().extension() != ".tile")
      continue;
    std::ifstream file(entry.path());
    std::stringstream text;
    text << file.rdbuf();
    auto g = parseText(text.str(), entry.path().filename().string());
    REQUIRE_OK(g);
    std::string printed = printText(*g).text;
    auto again = parseText(printed, "printed.tile");
    REQUIRE_OK(again);
    CHECK(writeGraph(*again) == writeGraph(*g));
    CHECK_EQ(printText(*again).text, printed);
    ++files;
  }
  CHECK(files >= 9);
}

UNIT_TEST_MAIN
