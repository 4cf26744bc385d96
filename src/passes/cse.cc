#include "passes/cse.h"

#include "passes/rewrite.h"
#include "support/bytes.h"

#include <cstring>
#include <unordered_map>

namespace tl {

namespace {

/// Opcode, operands and attributes as bytes: equal keys mean equal results. Floats by their bits,
/// so that -0 and +0 stay apart.
std::string keyOf(const Graph &graph, const GraphCloner &cloner, const Op &op) {
  ByteWriter w;
  w.varint(uint64_t(op.opcode));
  for (ValueId v : graph.operands(op))
    w.varint(cloner.mapped(v));
  for (const Attr &attr : graph.attrs(op)) {
    w.varint(uint64_t(attr.key));
    w.u8(attr.isFloat);
    w.svarint(attr.i);
    w.f64(attr.f);
    w.string(attr.text);
    w.varint(attr.list.size());
    for (int64_t entry : attr.list)
      w.svarint(entry);
  }
  return {w.out.begin(), w.out.end()};
}

} // namespace

Result<Graph> eliminateCommonSubexpressions(const Graph &graph) {
  std::unordered_map<std::string, ValueId> known;
  return rewriteGraph(graph, [&](GraphCloner &cloner, GraphBuilder &builder, OpId id) {
    const Op &op = graph.ops[id];
    if (opInfo(op.opcode).effect != Effect::Pure || op.results.count != 1 ||
        op.opcode == Opcode::AllocShared) // each is other memory
      return false;
    std::string key = keyOf(graph, cloner, op);
    auto it = known.find(key);
    if (it != known.end() && builder.visible(it->second)) {
      cloner.setMapped(graph.result(op), it->second);
      return true;
    }
    std::vector<ValueId> operands;
    for (ValueId v : graph.operands(op))
      operands.push_back(cloner.mapped(v));
    ValueId v = builder.op(op.opcode, operands, graph.attrs(op));
    cloner.setMapped(graph.result(op), v);
    known[std::move(key)] = v;
    return true;
  });
}

} // namespace tl
