// The .tlk format: round trip, determinism, and that no damaged bytes are taken for an artifact.
#include "artifact/artifact.h"
#include "support/hash.h"

#include "unit_test.h"

#include <cstring>

using namespace tl;

using Op = ExprNode::Op;

static ArtifactArg view(const char *name, std::vector<DimSpec> extents) {
  ArtifactArg arg;
  arg.name = name;
  arg.kind = ArgKind::View;
  arg.dtype = DType::F16;
  arg.extents = std::move(extents);
  return arg;
}

// Every kind of everything, and small.
static Artifact sample() {
  Artifact a;
  a.kernel = "softmax";
  a.buildId = "0.1.0";
  ArtifactArg x = view("x", {{DimSpec::Kind::Scalar, 2}, {DimSpec::Kind::Dynamic, 0}});
  x.strides = {{DimSpec::Kind::Dynamic, 0}, {DimSpec::Kind::Literal, 1}};
  x.generator = {Generator::Kind::Uniform, -1.5, 0, -1, 2};
  ArtifactArg y = view("y", {{DimSpec::Kind::Literal, 128}});
  y.optional = y.distinct = y.written = true;
  ArtifactArg n;
  n.name = "n";
  n.dtype = DType::I64;
  n.hasDefault = true;
  n.defaultInt = -1000;
  ArtifactArg p;
  p.name = "p";
  p.kind = ArgKind::Pointer;
  a.args = {x, y, n, p};
  using Kind = KernargSlot::Kind;
  a.slots = {{Kind::Pointer, 0, 0}, {Kind::Extent, 0, 1}, {Kind::Stride, 0, 0},
             {Kind::Pointer, 1, 0}, {Kind::Scalar, 2, 0}, {Kind::Pointer, 3, 0},
             {Kind::Grid, 0, 0},    {Kind::Grid, 0, 1},   {Kind::Grid, 0, 2}};
  a.grid = {{{Op::Scalar, 2}, {Op::Literal, 128}, {Op::CeilDiv, 0}}, {{Op::Extent, 1}}};
  TargetCode gpu;
  gpu.target = "amdgcn:gfx942";
  gpu.symbol = "softmax";
  gpu.code = {1, 2, 3, 4};
  gpu.threads = 256;
  gpu.waveSize = 64;
  gpu.ldsBytes = 1024;
  gpu.use.vgprs = 40;
  TargetCode host;
  host.target = "host:x86-64-v3";
  host.symbol = "softmax";
  host.code = {5, 6};
  host.object = {7};
  host.arenaBytes = 4096;
  host.listings = {{"asm", "ret"}, {"llvm", "define"}};
  a.codes = {gpu, host};
  a.graph = {9, 9, 9};
  a.text = "kernel @softmax";
  a.locations = {{1, {"a.c", 10, 3}}, {2, {"b.c", 11, 0}}, {3, {"a.c", 12, 1}}};
  return a;
}

// Stores the checksum that fits the bytes, as a writer with other ideas about the content would.
static void seal(Bytes &bytes) {
  uint64_t bodySize;
  std::memcpy(&bodySize, bytes.data() + 16, 8);
  if (bodySize < 32 || bodySize > bytes.size())
    return;
  uint64_t sum = checksumBytes(std::span(bytes).first(bodySize - 8));
  std::memcpy(bytes.data() + bodySize - 8, &sum, 8);
}

static tl_status statusOf(std::span<const uint8_t> bytes) {
  auto result = readArtifact(bytes);
  return result.ok() ? TL_OK : result.error().status;
}

UNIT_TEST(round_trip) {
  Artifact a = sample();
  Bytes bytes = writeArtifact(a);
  auto back = readArtifact(bytes);
  REQUIRE_OK(back);
  CHECK(writeArtifact(*back) == bytes);
  CHECK_EQ(back->kernel, a.kernel);
  CHECK_EQ(back->args.size(), a.args.size());
  CHECK_EQ(back->args[0].generator.low, -1.5);
  CHECK_EQ(back->args[0].generator.highArg, 2);
  CHECK_EQ(back->args[2].defaultInt, -1000);
  CHECK(back->args[1].optional && back->args[1].distinct && back->args[1].written);
  CHECK(back->codes[1].code == a.codes[1].code && back->codes[1].object == a.codes[1].object);
  CHECK_EQ(back->codes[1].arenaBytes, 4096u);
  CHECK_EQ(back->codes[1].listings["llvm"], "define");
  CHECK_EQ(back->text, a.text);
  CHECK(back->graph == a.graph);
  CHECK_EQ(back->locations[2].source.file, "a.c");
  CHECK_EQ(back->locations[1].source.line, 11u);
}

UNIT_TEST(locations_change_no_byte_before_their_section) {
  Artifact a = sample();
  Bytes one = writeArtifact(a);
  a.locations = {{7, {"elsewhere/and/longer.cc", 1, 1}}};
  Bytes two = writeArtifact(a);
  CHECK(one != two);
  auto body = artifactBodySize(one);
  REQUIRE_OK(body);
  REQUIRE(two.size() > *body);
  CHECK(std::equal(one.begin(), one.begin() + ptrdiff_t(*body), two.begin()));
}

UNIT_TEST(every_truncation_is_refused) {
  Bytes bytes = writeArtifact(sample());
  for (size_t size = 0; size < bytes.size(); ++size)
    CHECK_EQ(statusOf(std::span(bytes).first(size)), TL_E_CORRUPT);
  bytes.push_back(0);
  CHECK_EQ(statusOf(bytes), TL_E_CORRUPT);
}

UNIT_TEST(every_flipped_bit_is_refused) {
  Bytes bytes = writeArtifact(sample());
  for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    bytes[bit / 8] ^= uint8_t(1u << (bit % 8));
    CHECK_EQ(statusOf(bytes), TL_E_CORRUPT);
    bytes[bit / 8] ^= uint8_t(1u << (bit % 8));
  }
  CHECK_EQ(statusOf(bytes), TL_OK);
}

// The checksum is no defence against a writer that computes it: whatever the bytes say, reading
// must end well.
UNIT_TEST(changed_bytes_with_a_fitting_checksum_never_crash) {
  const Bytes good = writeArtifact(sample());
  auto body = artifactBodySize(good);
  REQUIRE_OK(body);
  size_t taken = 0, refused = 0;
  for (size_t i = 0; i < *body - 8; ++i)
    for (uint8_t value : {0x00, 0x01, 0x02, 0x7f, 0x80, 0xff, int(good[i] + 1), int(good[i] - 1),
                          int(good[i] ^ 0x40)}) {
      Bytes bytes = good;
      bytes[i] = value;
      seal(bytes);
      auto result = readArtifact(bytes);
      if (result.ok()) {
        ++taken;
        ExprEnv env;
        int64_t scalars[4] = {0, 0, 1, 0}, axes[8] = {};
        const int64_t *rows[4] = {axes, axes, axes, axes};
        env.scalars = scalars;
        env.extents = env.strides = rows;
        for (const Expr &expr : result->grid)
          evaluate(expr, env);
        continue;
      }
      ++refused;
      tl_status status = result.error().status;
      CHECK(status == TL_E_CORRUPT || status == TL_E_VERSION);
      CHECK(!result.error().message.empty());
    }
  CHECK(taken > 0 && refused > 0);
}

UNIT_TEST(newer_version_is_named) {
  Bytes bytes = writeArtifact(sample());
  bytes[8] = uint8_t(kArtifactVersion + 1);
  seal(bytes);
  auto result = readArtifact(bytes);
  REQUIRE(!result.ok());
  CHECK_EQ(result.error().status, TL_E_VERSION);
  CHECK_EQ(result.error().message,
           "the artifact has format version 2; this library reads up to version 1");
  bytes[8] = 0;
  seal(bytes);
  CHECK_EQ(statusOf(bytes), TL_E_CORRUPT);
}

// An unknown section: passed over when its flag says so, a newer version's otherwise.
UNIT_TEST(unknown_sections) {
  Bytes bytes = writeArtifact(sample());
  // Entry 4 of the table (kernel, code, code, graph, text) is the text.
  size_t entry = 24 + 4 * 24;
  bytes[entry] = 99;
  seal(bytes);
  CHECK_EQ(statusOf(bytes), TL_E_VERSION);
  bytes[entry + 4] = 1;
  seal(bytes);
  auto result = readArtifact(bytes);
  REQUIRE_OK(result);
  CHECK(result->text.empty());
}

template <class Change> static std::string refusal(Change change) {
  Artifact a = sample();
  change(a);
  auto result = readArtifact(writeArtifact(a));
  if (result.ok())
    return "taken";
  CHECK_EQ(result.error().status, TL_E_CORRUPT);
  return result.error().message.substr(strlen("corrupt artifact: "));
}

UNIT_TEST(rules_of_content) {
  CHECK_EQ(refusal([](Artifact &a) { a.kernel.clear(); }), "the kernel has no name");
  CHECK_EQ(refusal([](Artifact &a) { a.args.resize(257); }),
           "257 arguments, at most 256 are allowed");
  CHECK_EQ(refusal([](Artifact &a) { a.args[0].extents[0].value = 0; }),
           "an extent of argument 'x' names 0, which is no integer scalar");
  CHECK_EQ(refusal([](Artifact &a) { a.args[0].extents[0].value = 4; }),
           "an extent of argument 'x' names 4, which is no integer scalar");
  CHECK_EQ(refusal([](Artifact &a) { a.args[0].strides.pop_back(); }),
           "argument 'x' has 2 extents and 1 strides");
  CHECK_EQ(refusal([](Artifact &a) { a.args[2].written = true; }),
           "the scalar argument 'n' has flags of memory");
  CHECK_EQ(refusal([](Artifact &a) { a.args[0].generator.highArg = 9; }),
           "the generator of argument 'x' names 9, which is no integer scalar");
  CHECK_EQ(refusal([](Artifact &a) { a.args[3].dtype = DType(77); }),
           "argument 'p' has the unknown element type 77");
  CHECK_EQ(refusal([](Artifact &a) { a.slots.pop_back(); }),
           "slot 5 of 8: the last three slots, and only those, hold the grid");
  auto slots = [](size_t count) {
    return refusal([&](Artifact &a) { a.slots.insert(a.slots.begin(), count - 9, a.slots[0]); });
  };
  // 256 arguments with 8 extents and 8 strides each, the log, and the grid
  CHECK_EQ(slots(4357), "taken");
  CHECK_EQ(slots(4358), "4358 kernel argument slots, at most 4357 are allowed");
  CHECK_EQ(refusal([](Artifact &a) { a.slots[0].arg = 2; }), "slot 0 does not fit argument 'n'");
  CHECK_EQ(refusal([](Artifact &a) { a.slots[1].axis = 0; }),
           "slot 1 names axis 0 of argument 'x', which is not dynamic");
  CHECK_EQ(refusal([](Artifact &a) { a.slots[4].arg = 40; }), "slot 4 names argument 40 of 4");
  CHECK_EQ(refusal([](Artifact &a) { a.grid.clear(); }), "the grid has 0 axes");
  CHECK_EQ(refusal([](Artifact &a) { a.grid[0].pop_back(); }),
           "a launch expression leaves 2 values");
  CHECK_EQ(refusal([](Artifact &a) { a.grid[0].push_back({Op::Add, 0}); }),
           "a launch expression lacks operands");
  CHECK_EQ(refusal([](Artifact &a) { a.grid[1][0].value = 1 << 8 | 1; }),
           "a launch expression has a bad node (operation 3, value 257)");
  CHECK_EQ(refusal([](Artifact &a) { a.grid[0] = Expr(65, {Op::Literal, 1}); }),
           "a launch expression is deeper than 64");
  CHECK_EQ(refusal([](Artifact &a) { a.codes[1].target = a.codes[0].target; }),
           "code for amdgcn:gfx942 stands 2 times");
  CHECK_EQ(refusal([](Artifact &a) { a.codes[0].code.clear(); }),
           "the code for amdgcn:gfx942 is empty or has no symbol");
  CHECK_EQ(refusal([](Artifact &a) { a.codes[0].threads = 0; }),
           "the code for amdgcn:gfx942 has 0 threads in waves of 64");
  CHECK_EQ(refusal([](Artifact &a) { a.codes.clear(); }), "taken");
}

/// A kernel that prints a scalar and a tile, and asserts something of a tile.
static void addLog(Artifact &a) {
  LogSite print, assertion;
  print.line = 7;
  print.message = "x is";
  print.values = {{DType::F16, {}}, {DType::I1, {2, 3}}};
  assertion.isAssert = true;
  assertion.values = {{DType::I1, {1 << 20}}};
  a.logSites = {print, assertion};
  using Kind = KernargSlot::Kind;
  a.slots.insert(a.slots.end() - 3, {{Kind::Log, 0, 0}, {Kind::Log, 0, 1}});
}

UNIT_TEST(logs) {
  Artifact a = sample();
  addLog(a);
  Bytes bytes = writeArtifact(a);
  auto back = readArtifact(bytes);
  REQUIRE_OK(back);
  CHECK(writeArtifact(*back) == bytes);
  CHECK_EQ(back->logSites.size(), 2u);
  CHECK_EQ(back->logSites[0].line, 7u);
  CHECK_EQ(back->logSites[0].values[1].extents.size(), 2u);
  auto with = [](auto change) {
    return refusal([&](Artifact &changed) {
      addLog(changed);
      change(changed);
    });
  };
  const std::string values = "a print has values of unknown types, or too many";
  CHECK_EQ(with([](Artifact &b) { b.logSites[0].values[0].dtype = DType(99); }), values);
  CHECK_EQ(with([](Artifact &b) { b.logSites[0].values[1].extents[0] = 0; }), values);
  CHECK_EQ(with([](Artifact &b) { b.logSites[0].values[1].extents[0] = 1 << 17; }), values);
  CHECK_EQ(with([](Artifact &b) { b.logSites[0].values[1].extents.resize(6, 1); }), values);
  CHECK_EQ(with([](Artifact &b) { b.logSites[1].values.resize(2, b.logSites[0].values[0]); }),
           values);
  CHECK_EQ(with([](Artifact &b) { b.logSites.clear(); }),
           "slot 6 of 11 is of a log that is not there, or out of place");
  CHECK_EQ(with([](Artifact &b) { b.slots[6].axis = 1; }),
           "slot 6 of 11 is of a log that is not there, or out of place");
  CHECK_EQ(with([](Artifact &b) { std::swap(b.slots[0], b.slots[6]); }),
           "slot 0 of 11 is of a log that is not there, or out of place");
  CHECK_EQ(with([](Artifact &b) { b.slots.erase(b.slots.begin() + 6); }),
           "a kernel that prints or asserts has no slots for it");
}

static int64_t calculate(Op op, int64_t a, int64_t b) {
  return evaluate({{Op::Literal, a}, {Op::Literal, b}, {op, 0}}, {});
}

UNIT_TEST(expressions) {
  CHECK_EQ(calculate(Op::Add, INT64_MAX, 1), INT64_MIN);
  CHECK_EQ(calculate(Op::Sub, INT64_MIN, 1), INT64_MAX);
  CHECK_EQ(calculate(Op::Mul, INT64_MAX, 2), -2);
  for (Op op : {Op::Div, Op::FloorDiv, Op::CeilDiv}) {
    CHECK_EQ(calculate(op, 7, 0), 0);
    CHECK_EQ(calculate(op, INT64_MIN, -1), INT64_MIN);
    CHECK_EQ(calculate(op, -8, 4), -2);
  }
  CHECK_EQ(calculate(Op::Div, -7, 2), -3);
  CHECK_EQ(calculate(Op::FloorDiv, -7, 2), -4);
  CHECK_EQ(calculate(Op::FloorDiv, 7, -2), -4);
  CHECK_EQ(calculate(Op::FloorDiv, -7, -2), 3);
  CHECK_EQ(calculate(Op::CeilDiv, 7, 2), 4);
  CHECK_EQ(calculate(Op::CeilDiv, -7, 2), -3);
  CHECK_EQ(calculate(Op::CeilDiv, -7, -2), 4);
  CHECK_EQ(calculate(Op::CeilDiv, INT64_MAX, 128), 72057594037927936);
  CHECK_EQ(calculate(Op::Rem, -7, 2), -1);
  CHECK_EQ(calculate(Op::Rem, 7, 0), 7);
  CHECK_EQ(calculate(Op::Rem, INT64_MIN, -1), 0);
  CHECK_EQ(calculate(Op::FloorMod, -7, 4), 1);
  CHECK_EQ(calculate(Op::FloorMod, 7, -4), -1);
  CHECK_EQ(calculate(Op::FloorMod, 7, 0), 7);
  CHECK_EQ(calculate(Op::Min, -1, 1), -1);
  CHECK_EQ(calculate(Op::Max, -1, 1), 1);
  CHECK_EQ(calculate(Op::Less, -1, 1), 1);
  CHECK_EQ(calculate(Op::LessEqual, 1, 1), 1);
  CHECK_EQ(calculate(Op::Equal, 1, 2), 0);
  auto wrap = [](int64_t v, int64_t bits) {
    return evaluate({{Op::Literal, v}, {Op::Wrap, bits}}, {});
  };
  CHECK_EQ(wrap(0x1ff, 8), 255);
  CHECK_EQ(wrap(0x1ff, -8), -1);
  CHECK_EQ(wrap(INT64_C(0x80000000), -32), INT32_MIN);
  CHECK_EQ(wrap(-1, 32), INT64_C(0xffffffff));
  CHECK_EQ(wrap(-5, 64), -5);
  CHECK_EQ(wrap(-5, -64), -5);
  Expr select = {{Op::Literal, 0}, {Op::Literal, 10}, {Op::Literal, 20}, {Op::Select, 0}};
  CHECK_EQ(evaluate(select, {}), 20);
  select[0].value = 5;
  CHECK_EQ(evaluate(select, {}), 10);

  int64_t scalars[] = {0, 1000}, shape[] = {3, 17}, strides[] = {17, 1};
  const int64_t *extents[] = {shape, nullptr}, *steps[] = {strides, nullptr};
  ExprEnv env{scalars, extents, steps};
  CHECK_EQ(evaluate({{Op::Scalar, 1}, {Op::Extent, 1}, {Op::Mul, 0}, {Op::Stride, 0}, {Op::Add, 0}},
                    env),
           17017);
}

UNIT_TEST_MAIN
