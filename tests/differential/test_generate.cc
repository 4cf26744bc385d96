// The generator keeps its promises, and wrong code would be seen: each of a list of wrong
// translations of an operation, planted into random graphs, changes what is compared.
// test-timeout: 600
#include "differential/execute.h"
#include "graph/binary.h"
#include "graph/canonical.h"
#include "graph/clone.h"
#include "graph/verify.h"
#include "unit/unit_test.h"

#include <algorithm>

using namespace tl;
using namespace tl::test;

UNIT_TEST(same_seed_same_case) {
  for (uint64_t seed : {1u, 77u, 12345u}) {
    auto a = generateCase(seed), b = generateCase(seed), other = generateCase(seed + 1);
    REQUIRE_OK(a);
    REQUIRE_OK(b);
    REQUIRE_OK(other);
    CHECK(writeGraph(a->graph) == writeGraph(b->graph));
    CHECK(a->buffers == b->buffers);
    CHECK(writeGraph(a->graph) != writeGraph(other->graph));
  }
}

UNIT_TEST(a_thousand_graphs_cover_everything) {
  Coverage coverage;
  uint64_t written = 0, inexact = 0, undecided = 0, inconclusive = 0;
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    auto c = generateCase(seed);
    REQUIRE_OK(c);
    REQUIRE_OK(verify(c->graph));
    Memory memory(*c, seed % 2 == 0);
    std::vector<InterpArg> args = memory.interpArgs();
    auto report = interpret(c->graph, args);
    if (!report.ok())
      std::printf("seed %llu\n", (unsigned long long)seed);
    REQUIRE_OK(report);
    std::vector<const void *> same;
    for (size_t i = 0; i < args.size(); ++i)
      same.push_back(memory.pointer(i));
    auto found = compareOutputs(c->graph, *report, args, same);
    REQUIRE_OK(found);
    CHECK_EQ(found->mismatches, 0u);
    written += found->written;
    inexact += found->inexact;
    undecided += found->undecided;
    inconclusive += !found->inconclusive.empty();
    if (found->inconclusive.empty())
      coverage.add(c->graph, c->traits);
  }
  std::printf("%s%llu elements written, %llu with an error bound, %llu undecided; %llu graphs "
              "inconclusive\n",
              coverage.text().c_str(), (unsigned long long)written, (unsigned long long)inexact,
              (unsigned long long)undecided, (unsigned long long)inconclusive);
  for (const Feature &f : coverage.missing(3))
    unit::fail(__FILE__, __LINE__, "fewer than three times: " + f.text());
  CHECK(coverage.share(&Traits::control) >= 0.3);
  CHECK(coverage.share(&Traits::crossLane) >= 0.3);
  CHECK(coverage.share(&Traits::specials) >= 0.1);
  CHECK(coverage.share(&Traits::overlap) >= 0.05);
  CHECK(coverage.share(&Traits::memoryBounds) >= 0.1);
  CHECK(coverage.share(&Traits::contract) >= 0.4 && coverage.share(&Traits::contract) <= 0.6);
  CHECK(inconclusive <= 10);
}

namespace {

/// A wrong translation of one operation: emits something else for `op`, or gives 0 when it does not
/// concern this op.
struct Wrong {
  const char *name;
  ValueId (*emit)(const Graph &g, const Op &op, std::vector<ValueId> operands,
                  std::vector<Attr> attrs, GraphBuilder &to);
};

ValueId make(GraphBuilder &to, Opcode opcode, std::vector<ValueId> operands,
             std::vector<Attr> attrs = {}) {
  return to.op(opcode, operands, attrs);
}

ValueId number(GraphBuilder &to, DType dtype, int64_t value) {
  Attr v, d;
  v.key = AttrKey::Value;
  v.isFloat = isFloat(dtype);
  v.i = isFloat(dtype) ? 0 : value;
  v.f = isFloat(dtype) ? double(value) : 0;
  d.key = AttrKey::DType;
  d.i = int64_t(dtype);
  return make(to, Opcode::Const, {}, {v, d});
}

/// Another opcode for the same operands.
template <Opcode From, Opcode To, bool SignedOnly = false>
ValueId exchange(const Graph &g, const Op &op, std::vector<ValueId> operands,
                 std::vector<Attr> attrs, GraphBuilder &to) {
  bool concerned = op.opcode == From && (!SignedOnly || isSigned(g.typeOf(g.result(op)).dtype));
  return concerned ? make(to, To, operands, attrs) : 0;
}

Attr *find(std::vector<Attr> &attrs, AttrKey key) {
  for (Attr &a : attrs)
    if (a.key == key)
      return &a;
  return nullptr;
}

#define TL_WRONG                                                                                   \
  [](const Graph &g, const Op &op, std::vector<ValueId> operands, std::vector<Attr> attrs,         \
     GraphBuilder &to)                                                                             \
      ->ValueId
#define TL_UNUSED (void)g, (void)op, (void)operands, (void)attrs, (void)to

const Wrong wrongs[] = {
    {"add subtracts", exchange<Opcode::Add, Opcode::Sub>},
    {"mul adds", exchange<Opcode::Mul, Opcode::Add>},
    {"min is max", exchange<Opcode::Min, Opcode::Max>},
    {"floordiv truncates", exchange<Opcode::FloorDiv, Opcode::Div, true>},
    {"rem has the divisor's sign", exchange<Opcode::Rem, Opcode::FloorMod, true>},
    {"ceildiv rounds down", exchange<Opcode::CeilDiv, Opcode::FloorDiv>},
    {"or for xor", exchange<Opcode::Xor, Opcode::Or>},
    {"exp2 for exp", exchange<Opcode::Exp, Opcode::Exp2>},
    {"log2 for log", exchange<Opcode::Log, Opcode::Log2>},
    {"neg takes the magnitude", exchange<Opcode::Neg, Opcode::Abs>},
    {"shifts read the amount modulo the width", TL_WRONG{TL_UNUSED;
if (op.opcode != Opcode::Shl)
  return 0;
DType t = g.typeOf(g.operand(op, 0)).dtype;
operands[1] = make(to, Opcode::And, {operands[1], number(to, t, int64_t(dtypeBits(t)) - 1)});
return make(to, Opcode::Shl, operands);
} // namespace
}
, {"unsigned comparisons are signed", TL_WRONG{TL_UNUSED;
if (op.opcode != Opcode::Cmp || g.typeOf(g.operand(op, 0)).dtype != DType::U32)
  return 0;
Attr type;
type.key = AttrKey::DType;
type.i = int64_t(DType::I32);
for (ValueId &v : operands)
  v = make(to, Opcode::Cast, {v}, {type});
return make(to, Opcode::Cmp, operands, attrs);
}
}
, {"select takes the other one", TL_WRONG{TL_UNUSED;
if (op.opcode != Opcode::Select)
  return 0;
std::swap(operands[1], operands[2]);
return make(to, Opcode::Select, operands);
}
}
, {"casts from f64 to f16 round twice", TL_WRONG{TL_UNUSED;
if (op.opcode != Opcode::Cast || g.typeOf(g.operand(op, 0)).dtype != DType::F64 ||
    g.typeOf(g.result(op)).dtype != DType::F16)
  return 0;
Attr type;
type.key = AttrKey::DType;
type.i = int64_t(DType::BF16); // coarser, so that a few elements are enough
return make(to, Opcode::Cast, {make(to, Opcode::Cast, operands, {type})}, attrs);
}
}
, {"fma forgets the addend", TL_WRONG{TL_UNUSED;
return op.opcode == Opcode::Fma ? make(to, Opcode::Mul, {operands[0], operands[1]}) : 0;
}
}
, {"iota counts along another axis", TL_WRONG{TL_UNUSED;
Attr *axis = find(attrs, AttrKey::Axis);
if (op.opcode != Opcode::Iota || g.typeOf(g.result(op)).rank < 2 || !axis)
  return 0;
axis->i = axis->i == 0;
return make(to, Opcode::Iota, operands, attrs);
}
}
, {"permute leaves square tiles as they are", TL_WRONG{TL_UNUSED;
if (op.opcode != Opcode::Permute || g.typeOf(g.result(op)) != g.typeOf(g.operand(op, 0)))
  return 0;
for (size_t i = 0; i < find(attrs, AttrKey::Perm)->list.size(); ++i)
  if (find(attrs, AttrKey::Perm)->list[i] != int64_t(i))
    return operands[0];
return 0;
}
}
, {"reshape permutes", TL_WRONG{TL_UNUSED;
const Type &from = g.typeOf(g.operand(op, 0));
if (op.opcode != Opcode::Reshape || from.rank != 2 || from.dims[0] == 1 || from.dims[1] == 1)
  return 0;
Attr perm;
perm.key = AttrKey::Perm;
perm.list = {1, 0};
return make(to, Opcode::Reshape, {make(to, Opcode::Permute, operands, {perm})}, attrs);
}
}
, {"reduce of negative numbers starts from zero", TL_WRONG{TL_UNUSED;
if (op.opcode != Opcode::Reduce || ReduceKind(g.intAttr(op, AttrKey::Kind)) != ReduceKind::Max)
  return 0;
ValueId r = make(to, Opcode::Reduce, operands, attrs);
return make(to, Opcode::Max, {r, number(to, g.typeOf(g.result(op)).dtype, 0)});
}
}
, {"dot forgets the accumulator", TL_WRONG{TL_UNUSED;
if (op.opcode != Opcode::Dot)
  return 0;
ValueId r = make(to, Opcode::Dot, operands);
return make(to, Opcode::Sub, {r, operands[2]});
}
}
, {"loads pad with zero", TL_WRONG{TL_UNUSED;
Attr *pad = find(attrs, AttrKey::Pad);
if (op.opcode != Opcode::Load || !pad)
  return 0;
std::erase_if(attrs, [](const Attr &a) { return a.key == AttrKey::Pad; });
return make(to, Opcode::Load, operands, attrs);
}
}
, {"gather ignores its mask", TL_WRONG{TL_UNUSED;
if (op.opcode != Opcode::Gather || !g.maskOperand(op))
  return 0;
operands.pop_back();
return make(to, Opcode::Gather, operands, attrs);
}
}
, {"loads are one element late", TL_WRONG{TL_UNUSED;
if (op.opcode != Opcode::Load)
  return 0;
operands.back() = make(to, Opcode::Add,
                       {operands.back(), number(to, g.typeOf(g.operands(op).back()).dtype, 1)});
return make(to, Opcode::Load, operands, attrs);
}
}
, {"i64 is i32", TL_WRONG{TL_UNUSED;
if (opInfo(op.opcode).rule != Rule::Elementwise || g.typeOf(g.result(op)).dtype != DType::I64 ||
    g.typeOf(g.result(op)).rank == 0)
  return 0;
Attr narrow, wide;
narrow.key = wide.key = AttrKey::DType;
narrow.i = int64_t(DType::I32);
wide.i = int64_t(DType::I64);
return make(to, Opcode::Cast,
            {make(to, Opcode::Cast, {make(to, op.opcode, operands, attrs)}, {narrow})}, {wide});
}
}
, {"f32 loses its last bit", TL_WRONG{TL_UNUSED;
if (op.opcode != Opcode::Sqrt || g.typeOf(g.result(op)).dtype != DType::F32)
  return 0;
ValueId r = make(to, Opcode::Rsqrt, operands); // off by an ulp here and there
return make(to, Opcode::Mul, {operands[0], r});
}
}
,
}
;

/// The graph with all ops that `wrong` concerns translated wrongly; false when there is none.
bool plant(const Graph &g, const Wrong &wrong, Graph *out) {
  GraphBuilder to;
  GraphCloner cloner(g, to);
  bool planted = false;
  cloner.copyArguments();
  to.buildHead(true);
  cloner.copyBlock(g.kernel.head);
  std::vector<ValueId> grid;
  for (ValueId v : g.kernel.grid)
    grid.push_back(cloner.mapped(v));
  to.setHeadGrid(grid);
  to.buildHead(false);
  cloner.replace = [&](OpId id) {
    const Op &op = g.ops[id];
    std::vector<ValueId> operands;
    for (ValueId v : g.operands(op))
      operands.push_back(cloner.mapped(v));
    std::vector<Attr> attrs(g.attrs(op).begin(), g.attrs(op).end());
    ValueId v = wrong.emit(g, op, operands, attrs, to);
    if (v == 0)
      return false;
    cloner.setMapped(g.result(op), v);
    planted = true;
    return true;
  };
  cloner.copyBlock(g.kernel.body);
  auto graph = std::move(to).finish();
  if (!graph.ok()) {
    unit::fail(__FILE__, __LINE__, std::string(wrong.name) + ": " + graph.error().message);
    return false;
  }
  *out = std::move(*graph);
  return planted;
}

bool seen(const Case &c, const Graph &planted) {
  Memory reference(c, true), actual(c, true);
  std::vector<InterpArg> args = reference.interpArgs(), wrongArgs = actual.interpArgs();
  auto report = interpret(c.graph, args);
  // A wrong index may lead anywhere: an error is as good as a difference.
  if (!report.ok() || !interpret(planted, wrongArgs).ok())
    return true;
  std::vector<const void *> pointers;
  for (size_t i = 0; i < args.size(); ++i)
    pointers.push_back(actual.pointer(i));
  auto found = compareOutputs(c.graph, *report, args, pointers);
  return found.ok() && found->mismatches > 0;
}

} // namespace

UNIT_TEST(planted_mistakes_are_seen) {
  for (const Wrong &wrong : wrongs) {
    unsigned planted = 0, found = 0;
    for (uint64_t seed = 0; seed < 1000 && planted < 25; ++seed) {
      auto c = generateCase(seed);
      REQUIRE_OK(c);
      Graph graph;
      if (!plant(canonicalize(c->graph), wrong, &graph))
        continue;
      ++planted;
      found += seen(*c, graph);
    }
    std::printf("%-45s seen in %u of %u graphs\n", wrong.name, found, planted);
    if (found == 0)
      unit::fail(__FILE__, __LINE__, std::string("not seen: ") + wrong.name);
  }
}

UNIT_TEST_MAIN
