#include "graph/infer_shared.h"

#include "graph/infer_composite.h"
#include "graph/inference.h"

namespace tl {

namespace {

constexpr int64_t maxWaiting = 64;

/// One inference; methods named after rules.
class SharedInference : OpInference {
public:
  using OpInference::OpInference;

  Types run() const {
    switch (info.rule) {
    case Rule::AllocShared:
      return allocShared();
    case Rule::Copy:
      return copy();
    case Rule::Wait:
      if (const Attr *count = attr(AttrKey::Count);
          count && (count->i < 0 || count->i > maxWaiting))
        return invalid(formatString("count is from 0 to %lld, not %lld", (long long)maxWaiting,
                                    (long long)count->i));
      return std::vector<Type>{};
    default: // Barrier
      return std::vector<Type>{};
    }
  }

private:
  Types allocShared() const {
    DType dtype = DType(attr(AttrKey::DType)->i);
    TL_TRY(checkInMemory(dtype));
    TL_ASSIGN(std::vector<int64_t> extents, dims());
    if (extents.empty())
      return invalid("shared memory has at least one axis");
    return one(Type::view(dtype, unsigned(extents.size())));
  }

  Types copy() const {
    const Type &to = type(0), &from = type(1);
    if (to.dtype != from.dtype)
      return invalid("both views must have one element type");
    if (operands.size() != 2u + to.rank + from.rank)
      return invalid(formatString("the views have %u and %u axes and need as many indices, not %zu",
                                  unsigned(to.rank), unsigned(from.rank), operands.size() - 2));
    TL_ASSIGN(std::vector<int64_t> extents, dims());
    if (extents.size() > std::min(to.rank, from.rank))
      return invalid(formatString("a tile of rank %zu does not fit views of rank %u and %u",
                                  extents.size(), unsigned(to.rank), unsigned(from.rank)));
    return std::vector<Type>{};
  }
};

} // namespace

Result<std::vector<Type>> inferShared(const Graph &graph, Opcode opcode,
                                      std::span<const ValueId> operands,
                                      std::span<const Attr> attrs) {
  return SharedInference(graph, opcode, operands, attrs).run();
}

CopyIndices copyIndices(const Graph &graph, const Op &op) {
  auto indices = graph.operands(op).subspan(2);
  size_t ofTo = graph.typeOf(graph.operand(op, 0)).rank;
  return {indices.first(ofTo), indices.subspan(ofTo)};
}

uint64_t sharedBytes(const Graph &graph, const Op &op) {
  uint64_t bytes = dtypeBytes(graph.typeOf(graph.result(op)).dtype);
  for (unsigned axis = 0; axis < graph.typeOf(graph.result(op)).rank; ++axis)
    bytes *= uint64_t(graph.viewExtent(graph.result(op), axis).literal);
  return (bytes + 15) / 16 * 16;
}

} // namespace tl
