// Canonical form, binary form, instantiation and the verifier, over graphs built by hand.
#include "unit/unit_test.h"

#include "graph/binary.h"
#include "graph/builder.h"
#include "graph/canonical.h"
#include "graph/interface.h"
#include "graph/text.h"
#include "graph/verify.h"

using namespace tl;

namespace {

Attr intAttr(AttrKey key, int64_t v) {
  Attr a;
  a.key = key;
  a.i = v;
  return a;
}
Attr listAttr(AttrKey key, std::vector<int64_t> v) {
  Attr a;
  a.key = key;
  a.list = std::move(v);
  return a;
}

Argument viewArg(const char *name, ValueId n) {
  Argument a;
  a.name = name;
  a.extents = {{ViewDim::Kind::Value, 0, n}};
  return a;
}

/// c = (a + b) * (a - b), with independent ops built in one of two orders, at lines that differ.
Graph twoOrders(bool swapped, uint32_t line) {
  GraphBuilder b;
  b.setKernel("k");
  Argument nArg;
  nArg.name = "n";
  ValueId n = b.addArgument(nArg, TypeKind::Tile, DType::I64);
  ValueId va = b.addArgument(viewArg("a", n), TypeKind::View, DType::F32);
  ValueId vb = b.addArgument(viewArg("b", n), TypeKind::View, DType::F32);
  ValueId vc = b.addArgument(viewArg("c", n), TypeKind::View, DType::F32);
  ValueId size = b.addParam("B", 64, {64, 128});
  ValueId grid = b.op(Opcode::CeilDiv, {n, size});
  b.setGrid(std::span(&grid, 1));
  b.setLocation({"x.c", line, 0});
  ValueId pid = b.op(Opcode::ProgramId, {}, {intAttr(AttrKey::Axis, 0)});
  ValueId offset = b.op(Opcode::Mul, {pid, size});
  Attr dims = listAttr(AttrKey::Dims, {-int64_t(size)});
  auto load = [&](ValueId v) { return b.op(Opcode::Load, {v, offset}, {dims}); };
  ValueId x = swapped ? 0 : load(va), y = load(vb);
  if (swapped)
    x = load(va);
  ValueId sum = swapped ? 0 : b.op(Opcode::Add, {x, y});
  ValueId difference = b.op(Opcode::Sub, {x, y});
  b.op(Opcode::Neg, {x}); // unused
  if (swapped)
    sum = b.op(Opcode::Add, {x, y});
  ValueId product = b.op(Opcode::Mul, {sum, difference});
  b.op(Opcode::Store, {product, vc, offset});
  auto g = std::move(b).finish();
  CHECK(g.ok());
  return std::move(g).value();
}

Bytes key(const Graph &g, int64_t block = 64) {
  auto concrete = instantiate(g, {{"B", block}});
  CHECK(concrete.ok());
  return writeGraph(canonicalize(*concrete));
}

UNIT_TEST(orderDoesNotMatter) {
  Graph a = twoOrders(false, 10), b = twoOrders(true, 20);
  CHECK(writeGraph(a) != writeGraph(b));
  CHECK(key(a) == key(b));
  CHECK(key(a) != key(a, 128));
  CHECK(writeLocations(a) != writeLocations(b));
}

UNIT_TEST(canonicalIsStable) {
  auto concrete = instantiate(twoOrders(false, 1), {});
  Graph once = canonicalize(*concrete);
  CHECK(verify(once).ok());
  CHECK(writeGraph(once) == writeGraph(canonicalize(once)));
  // The unused neg is gone.
  for (OpId id : once.block(once.kernel.body).ops)
    CHECK(once.ops[id].opcode != Opcode::Neg);
}

/// `depth` conditionals, each in the one before: more than the builder lets through.
static Graph nested(unsigned depth) {
  Graph g = parseText("tile 0.1\nkernel @k(%c: i1) grid [1] {\n}\n", "t.tile").value();
  const ValueId condition = g.kernel.args[0].value;
  BlockId at = g.kernel.body;
  for (unsigned i = 0; i < depth; ++i) {
    BlockId regions[] = {g.addBlock(0), g.addBlock(0)};
    g.addOp(at, Opcode::If, std::span(&condition, 1), {}, {}, regions);
    if (at != g.kernel.body)
      g.addOp(at, Opcode::Yield, {}, {}, {});
    g.addOp(regions[1], Opcode::Yield, {}, {}, {});
    at = regions[0];
  }
  g.addOp(at, Opcode::Yield, {}, {}, {});
  return g;
}

UNIT_TEST(binaryRegionDepth) {
  CHECK(readGraph(writeGraph(nested(64))).ok());
  for (unsigned depth : {65u, 66u, 10'000u}) {
    auto deep = readGraph(writeGraph(nested(depth)));
    REQUIRE(!deep.ok());
    CHECK_EQ(deep.error().status, TL_E_LIMIT);
    CHECK(deep.error().message.find("regions nest at most 64 deep") != std::string::npos);
  }
}

UNIT_TEST(binaryRoundTrip) {
  Graph g = twoOrders(false, 7);
  Bytes bytes = writeGraph(g);
  auto back = readGraph(bytes, writeLocations(g));
  CHECK(back.ok());
  CHECK(writeGraph(*back) == bytes);
  CHECK(writeLocations(*back) == writeLocations(g));
  CHECK(verify(*back).ok());
}

UNIT_TEST(damagedBinaryIsRefused) {
  Bytes bytes = writeGraph(twoOrders(false, 7));
  for (size_t n = 0; n < bytes.size(); ++n)
    CHECK(!readGraph(std::span(bytes).first(n)).ok());
  // A flipped bit gives an error or another valid graph, never anything else.
  for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    Bytes damaged = bytes;
    damaged[bit / 8] ^= uint8_t(1 << bit % 8);
    auto g = readGraph(damaged);
    if (g.ok())
      CHECK(verify(*g).ok());
  }
  Bytes newer = bytes;
  newer[4] = 200;
  CHECK(readGraph(newer).error().status == TL_E_VERSION);
}

UNIT_TEST(parametersAreChecked) {
  Graph g = twoOrders(false, 1);
  CHECK(instantiate(g, {{"B", 65}}).error().status == TL_E_PARAM);
  CHECK(instantiate(g, {{"Z", 64}}).error().status == TL_E_PARAM);
}

UNIT_TEST(interfaceListsSlots) {
  auto concrete = instantiate(twoOrders(false, 1), {});
  auto artifact = describeKernel(*concrete);
  CHECK(artifact.ok());
  CHECK(artifact->args.size() == 4);
  CHECK(artifact->slots.size() == 7);
  CHECK(!artifact->args[1].written && artifact->args[3].written);
  int64_t scalars[4] = {1000, 0, 0, 0};
  ExprEnv env;
  env.scalars = scalars;
  CHECK(evaluate(artifact->grid[0], env) == 16);
}

/// Loads keep their place between effects.
UNIT_TEST(loadsStayBetweenStores) {
  auto build = [](bool loadFirst) {
    GraphBuilder b;
    b.setKernel("k");
    Argument nArg;
    nArg.name = "n";
    ValueId n = b.addArgument(nArg, TypeKind::Tile, DType::I64);
    ValueId va = b.addArgument(viewArg("a", n), TypeKind::View, DType::F32);
    ValueId vb = b.addArgument(viewArg("b", n), TypeKind::View, DType::F32);
    b.setGrid(std::span(&n, 1));
    Attr dims = listAttr(AttrKey::Dims, {8});
    ValueId pid = b.op(Opcode::ProgramId, {}, {intAttr(AttrKey::Axis, 0)});
    ValueId x = b.op(Opcode::Load, {va, pid}, {dims});
    ValueId early = loadFirst ? b.op(Opcode::Load, {vb, pid}, {dims}) : 0;
    b.op(Opcode::Store, {x, vb, pid});
    ValueId late = loadFirst ? early : b.op(Opcode::Load, {vb, pid}, {dims});
    b.op(Opcode::Store, {late, va, pid});
    auto g = std::move(b).finish();
    CHECK(g.ok());
    return writeGraph(canonicalize(*g));
  };
  CHECK(build(true) != build(false));
}

UNIT_TEST(stickyErrors) {
  GraphBuilder b;
  b.setKernel("k");
  b.setLocation({"host.c", 42, 0});
  CHECK(b.op(Opcode::Add, {1, 2}) == 0);
  CHECK(!b.ok());
  std::string first = b.error()->message;
  CHECK(first.find("host.c:42") != std::string::npos);
  // Regions opened after an error still open and close.
  CHECK(b.begin(Opcode::For, std::vector<ValueId>{0, 0, 0, 0}).size() == 2);
  b.begin(Opcode::If, std::vector<ValueId>{0});
  bool done = true;
  b.end({}, &done);
  CHECK(!done);
  b.end({}, &done);
  CHECK(done);
  b.end({});
  CHECK(b.depth() == 0);
  CHECK(b.error()->message == first);
}

/// What the grid may be computed from, and what extents may name.
UNIT_TEST(headAndDimsAreChecked) {
  for (DType dtype : {DType::F32, DType::I32}) {
    GraphBuilder b;
    b.setKernel("k");
    Argument arg;
    arg.name = "s";
    ValueId s = b.addArgument(arg, TypeKind::Tile, dtype);
    ValueId wide = b.op(Opcode::Cast, {s}, {intAttr(AttrKey::DType, int64_t(DType::I64))});
    b.setGrid(std::span(&wide, 1));
    CHECK_EQ(std::move(b).finish().ok(), dtype == DType::I32);
  }
  GraphBuilder b;
  b.setKernel("k");
  auto constant = [&](int64_t v, DType dtype) {
    return b.op(Opcode::Const, {},
                {intAttr(AttrKey::Value, v), intAttr(AttrKey::DType, int64_t(dtype))});
  };
  ValueId yes = constant(1, DType::I1), one = constant(1, DType::I64);
  b.setGrid(std::span(&one, 1));
  b.begin(Opcode::If, std::span(&yes, 1));
  ValueId inner = constant(8, DType::I64);
  b.end({});
  b.end({});
  b.op(Opcode::Full, {one}, {listAttr(AttrKey::Dims, {-int64_t(inner)})});
  REQUIRE(!b.ok());
  CHECK(b.error()->message.find("visible") != std::string::npos);
  GraphBuilder c;
  Argument narrow;
  narrow.name = "n";
  narrow.hasDefault = true;
  narrow.defaultInt = 1000;
  c.addArgument(narrow, TypeKind::Tile, DType::I8);
  CHECK(!c.ok());
}

UNIT_TEST(deepNestingIsRefused) {
  GraphBuilder b;
  b.setKernel("k");
  ValueId one = b.op(Opcode::Const, {},
                     {intAttr(AttrKey::Value, 1), intAttr(AttrKey::DType, int64_t(DType::I1))});
  b.setGrid({});
  for (int i = 0; i < 10000; ++i)
    b.begin(Opcode::If, std::span(&one, 1));
  CHECK(b.error() != nullptr);
}

} // namespace

UNIT_TEST_MAIN
