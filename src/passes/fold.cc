#include "passes/fold.h"

#include "passes/rewrite.h"

namespace tl {

Result<Graph> foldConstants(const Graph &graph) {
  return rewriteGraph(graph, [&](GraphCloner &cloner, GraphBuilder &builder, OpId id) {
    const Op &op = graph.ops[id];
    if (op.results.count != 1 || op.opcode == Opcode::Const)
      return false;
    ValueId result = graph.result(op);
    auto known = graph.constantInt(result);
    if (!known)
      return false;
    Attr value, dtype;
    value.key = AttrKey::Value;
    value.i = *known;
    dtype.key = AttrKey::DType;
    dtype.i = int64_t(graph.typeOf(result).dtype);
    cloner.setMapped(result, builder.op(Opcode::Const, {}, {value, dtype}));
    return true;
  });
}

} // namespace tl
