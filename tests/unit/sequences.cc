// Random sequences: printing, parsing and printing again gives the same text, the binary form reads
// back as the same bytes, and the canonical form is its own.
#include "graph/binary.h"
#include "graph/builder.h"
#include "graph/canonical.h"
#include "graph/text.h"
#include "graph/verify.h"
#include "unit/unit_test.h"

#include <random>

namespace {

using namespace tl;

constexpr std::string_view kernels = R"(tile 0.1
kernel @copy(%x: view<f32, [%n]>, %y: view<f32, [%n]>, %n: i64)
    param %B = 64
    grid [ceildiv(%n, %B)] {
  %p = program_id 0
  %at = mul %p, %B
  %v = load %x[%at] : tile<%B x f32>
  store %v, %y[%at]
}

kernel @scale(%y: view<f32, [?], [?]>, %s: f32, %small: i8) grid [1] {
}

kernel @raw(%p: ptr<f32>, %flag: i1, %big: u64) grid [1] {
}
)";

class Maker {
public:
  Maker(uint64_t seed, const Module &module) : random(seed), module(module) {}

  Result<Graph> run() {
    b.setKernel("s");
    b.setSequence();
    argument("x", TypeKind::View, DType::F32);
    argument("y", TypeKind::View, DType::F32);
    floats.push_back(argument("f", TypeKind::Tile, DType::F32));
    scalars.push_back(argument("n", TypeKind::Tile, DType::I64));
    narrow = argument("m", TypeKind::Tile, DType::I32);
    scalars.push_back(b.addParam("B", 32, {}));
    for (size_t i = pick(12); i > 0; --i)
      addSomething();
    dispatch();
    return std::move(b).finish();
  }

private:
  std::mt19937_64 random;
  const Module &module;
  GraphBuilder b;
  std::vector<ValueId> views, floats, scalars;
  ValueId narrow = 0;

  size_t pick(size_t n) { return random() % n; }
  ValueId any(const std::vector<ValueId> &list) { return list[pick(list.size())]; }
  static Attr attr(AttrKey key, int64_t i) {
    Attr a;
    a.key = key;
    a.i = i;
    return a;
  }

  ValueId argument(const char *name, TypeKind kind, DType dtype) {
    Argument arg;
    arg.name = name;
    if (kind == TypeKind::View)
      arg.extents.push_back({ViewDim::Kind::Dynamic, 0, 0});
    ValueId v = b.addArgument(std::move(arg), kind, dtype);
    if (kind == TypeKind::View)
      views.push_back(v);
    return v;
  }

  void addSomething() {
    switch (pick(6)) {
    case 0:
      scalars.push_back(b.op(Opcode::Cast, {narrow}, {attr(AttrKey::DType, int64_t(DType::I64))}));
      break;
    case 1:
      scalars.push_back(b.op(Opcode::Extent, {views[pick(2)]}, {attr(AttrKey::Axis, 0)}));
      break;
    case 2:
      if (pick(2))
        scalars.push_back(constant(DType::I64));
      else
        floats.push_back(constant(DType::F32));
      break;
    case 3: {
      ValueId extent = any(scalars);
      views.push_back(
          b.op(Opcode::Temporary, {extent}, {attr(AttrKey::DType, int64_t(DType::F32))}));
      break;
    }
    case 4:
      dispatch();
      break;
    default: {
      constexpr Opcode ops[] = {Opcode::Add, Opcode::Mul, Opcode::CeilDiv, Opcode::Max};
      ValueId left = any(scalars), right = any(scalars);
      scalars.push_back(b.op(ops[pick(4)], {left, right}));
      if (pick(2))
        b.setName(scalars.back(), "name" + std::to_string(pick(5)));
    }
    }
  }

  ValueId constant(DType dtype) {
    Attr value = attr(AttrKey::Value, int64_t(pick(100)));
    value.isFloat = dtype == DType::F32;
    value.f = double(value.i) / 4;
    return b.op(Opcode::Const, {}, {value, attr(AttrKey::DType, int64_t(dtype))});
  }

  void dispatch() {
    size_t which = pick(module.members.size());
    uint32_t callee = b.addCallee(module.members[which]);
    std::vector<ValueId> args;
    if (which == 0)
      args = {any(views), any(views), any(scalars)};
    else if (which == 1)
      args = {any(views), any(floats), any(scalars)};
    else
      args = {any(views), any(scalars), any(scalars)};
    std::vector<Attr> attrs = {attr(AttrKey::Callee, callee)};
    b.op(Opcode::Dispatch, args, attrs);
  }
};

} // namespace

UNIT_TEST(randomSequences) {
  auto module = parseModule(kernels, "kernels.tile");
  REQUIRE(module.ok());
  for (uint64_t seed = 1; seed <= 500; ++seed) {
    auto graph = Maker(seed, *module).run();
    REQUIRE(graph.ok());
    REQUIRE(verify(*graph).ok());
    PrintedText first = printText(*graph);
    auto parsed = parseText(first.text, "sequence.tile");
    if (!parsed.ok())
      std::printf("seed %llu: %s\n%s\n", (unsigned long long)seed, parsed.error().message.c_str(),
                  first.text.c_str());
    REQUIRE(parsed.ok());
    REQUIRE(printText(*parsed).text == first.text);

    Bytes bytes = writeGraph(*graph);
    auto read = readGraph(bytes);
    REQUIRE(read.ok());
    REQUIRE(writeGraph(*read) == bytes);
    for (size_t cut = 0; cut < bytes.size(); cut += 1 + bytes.size() / 40)
      CHECK(!readGraph(std::span(bytes).first(cut)).ok());

    auto bound = instantiate(*graph, {{"B", 16}});
    REQUIRE(bound.ok());
    Graph canonical = canonicalize(*bound);
    REQUIRE(verify(canonical).ok());
    REQUIRE(writeGraph(canonicalize(canonical)) == writeGraph(canonical));
    // The parameter went to the kernel that has one of that name.
    for (const auto &callee : canonical.kernel.callees)
      if (callee->kernel.name == "copy")
        CHECK(printText(*callee).text.find("tile<16xf32>") != std::string::npos);
  }
}

/// Where printing put a sequence's ops is where parsing finds them, behind the kernels' text.
UNIT_TEST(linesOfASequence) {
  auto module = parseModule(kernels, "kernels.tile");
  REQUIRE(module.ok());
  auto graph = Maker(7, *module).run();
  REQUIRE(graph.ok());
  PrintedText printed = printText(*graph);
  auto parsed = parseText(printed.text, "sequence.tile");
  REQUIRE(parsed.ok());
  for (OpId id = 1; id < parsed->ops.size(); ++id)
    CHECK(printText(*parsed).opLine[id] == parsed->locations[parsed->ops[id].location].line);
}

UNIT_TEST_MAIN
