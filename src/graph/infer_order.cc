#include "graph/infer_order.h"

#include "graph/inference.h"

#include <bit>

namespace tl {

namespace {

/// One inference; methods named after rules.
class OrderInference : OpInference {
public:
  using OpInference::OpInference;

  Types run() const {
    switch (info.rule) {
    case Rule::Take:
      return take();
    case Rule::Sort:
      return sort();
    case Rule::TopK:
      return topk();
    default:
      return histogram();
    }
  }

private:
  Result<unsigned> axis() const {
    int64_t axis = attr(AttrKey::Axis)->i;
    if (axis < 0 || axis >= type(0).rank)
      return invalid(formatString("axis %lld is not an axis of the operand", (long long)axis));
    return unsigned(axis);
  }

  /// `other` has the shape of `a` but along the axis.
  static bool alike(const Type &a, Type other, unsigned axis) {
    if (other.rank != a.rank)
      return false;
    other.dims[axis] = a.dims[axis];
    return other.sameShape(a);
  }

  Types take() const {
    TL_ASSIGN(unsigned along, axis());
    if (!alike(type(0), type(1), along))
      return invalid("the index must have the shape of the operand, but along the axis");
    return one(type(1).withDType(type(0).dtype));
  }

  /// Lines are sorted at the next power of two.
  Status checkLines(unsigned along) const {
    int64_t extent = type(0).dims[along];
    int64_t padded = int64_t(std::bit_ceil(uint64_t(extent)));
    if (type(0).elements() / extent * padded > maxTileElements)
      return makeError(TL_E_LIMIT,
                       "%s: with %lld elements along the axis, a power of two, the tile "
                       "has more than %lld elements",
                       signature().c_str(), (long long)padded, (long long)maxTileElements);
    return {};
  }

  Types sort() const {
    if (operands.empty())
      return invalid("there is nothing to sort");
    if (!isInteger(type(0).dtype) && !isWideFloat(type(0).dtype))
      return invalid("the first tile, which is compared, must be of integers of 8 bits or more or "
                     "floats of 16 bits or more");
    TL_ASSIGN(unsigned along, axis());
    TL_TRY(checkLines(along));
    std::vector<Type> types;
    for (size_t i = 0; i < operands.size(); ++i) {
      if (!type(i).sameShape(type(0)))
        return invalid("all tiles must have one shape");
      types.push_back(type(i));
    }
    return types;
  }

  Types topk() const {
    TL_ASSIGN(unsigned along, axis());
    TL_TRY(checkLines(along));
    TL_ASSIGN(std::vector<int64_t> extents, dims());
    Type values = Type::tile(type(0).dtype, extents);
    if (!alike(type(0), values, along) || values.dims[along] > type(0).dims[along])
      return invalid(
          "the results have the shape of the operand, but at most its extent along the axis, and " +
          values.text() + " has another");
    return std::vector<Type>{values, values.withDType(DType::I32)};
  }

  Types histogram() const {
    TL_ASSIGN(std::vector<int64_t> extents, dims());
    DType d = DType(attr(AttrKey::DType)->i);
    if (extents.size() != 1)
      return invalid("the counts are a tile of one axis");
    if (!isInteger(d) || dtypeBits(d) < 32)
      return invalid("counts are i32, u32, i64 or u64, not " + std::string(dtypeText(d)));
    if (operands.size() > 1 && type(1).rank != 0 && !type(1).sameShape(type(0)))
      return invalid("the mask must have the shape of the operand (or be a scalar)");
    return one(Type::tile(d, extents));
  }
};

} // namespace

Result<std::vector<Type>> inferOrder(const Graph &graph, Opcode opcode,
                                     std::span<const ValueId> operands,
                                     std::span<const Attr> attrs) {
  return OrderInference(graph, opcode, operands, attrs).run();
}

} // namespace tl
