#include "graph/infer_parts.h"

#include "graph/inference.h"

#include <algorithm>

namespace tl {

namespace {

/// One inference; methods named after rules.
class PartsInference : OpInference {
public:
  using OpInference::OpInference;

  Types run() const {
    switch (info.rule) {
    case Rule::Slice:
      return slice();
    case Rule::InsertSlice:
      return insertSlice();
    case Rule::Flip:
      return flip();
    case Rule::Concat:
      return concat();
    case Rule::Join:
      return join();
    default:
      return split();
    }
  }

private:
  /// One number for each axis of `a`.
  Status countsAxes(const Attr &attr) const {
    if (attr.list.size() != type(0).rank)
      return invalid(formatString("%s must list %u numbers, one for each axis, not %zu",
                                  attrInfo(int32_t(attr.key))->text.data(), type(0).rank,
                                  attr.list.size()));
    return {};
  }

  Types slice() const {
    const Type &a = type(0);
    const Attr &offsets = *attr(AttrKey::Offsets), *strides = attr(AttrKey::Strides);
    TL_ASSIGN(std::vector<int64_t> extents, dims());
    Type t = Type::tile(a.dtype, extents);
    if (a.rank == 0 || t.rank != a.rank)
      return invalid("a slice keeps the axes of its operand, and " + t.text() + " has others");
    TL_TRY(countsAxes(offsets));
    if (strides)
      TL_TRY(countsAxes(*strides));
    for (unsigned i = 0; i < a.rank; ++i) {
      int64_t offset = offsets.list[i], stride = strides ? strides->list[i] : 1;
      if (stride < 1)
        return invalid(formatString("a stride is at least 1, not %lld", (long long)stride));
      bool starts = offset >= 0 && offset < a.dims[i];
      if (!starts || (t.dims[i] - 1) > (a.dims[i] - 1 - offset) / stride)
        return invalid(formatString("%d elements from %lld on in steps of %lld are not all within "
                                    "axis %u, of extent %d",
                                    t.dims[i], (long long)offset, (long long)stride, i, a.dims[i]));
    }
    return one(t);
  }

  Types flip() const {
    unsigned seen = 0;
    for (int64_t axis : attr(AttrKey::Axes)->list) {
      if (axis < 0 || axis >= type(0).rank)
        return invalid(formatString("axis %lld is not an axis of the operand", (long long)axis));
      if (seen >> axis & 1)
        return invalid(formatString("axis %lld is listed twice", (long long)axis));
      seen |= 1u << axis;
    }
    if (seen == 0)
      return invalid("axes must list at least one axis");
    return one(type(0));
  }

  Types insertSlice() const {
    const Type &a = type(0), &part = type(1);
    const std::vector<int64_t> &offsets = attr(AttrKey::Offsets)->list;
    if (a.dtype != part.dtype)
      return invalid("the operands must have one element type; cast one of them");
    if (a.rank == 0 || part.rank != a.rank)
      return invalid("the operands must have the same number of axes, at least one");
    TL_TRY(countsAxes(*attr(AttrKey::Offsets)));
    for (unsigned i = 0; i < a.rank; ++i)
      if (offsets[i] < 0 || offsets[i] > a.dims[i] - part.dims[i])
        return invalid(formatString("%d elements from %lld on are not all within axis %u, of "
                                    "extent %d",
                                    part.dims[i], (long long)offsets[i], i, a.dims[i]));
    return one(a);
  }

  Types concat() const {
    if (operands.size() < 2)
      return invalid(formatString("concat takes two or more tiles, not %zu", operands.size()));
    int64_t axis = attr(AttrKey::Axis)->i;
    if (axis < 0 || axis >= type(0).rank)
      return invalid(formatString("axis %lld is not an axis of the operands", (long long)axis));
    std::vector<int64_t> dims(type(0).extents().begin(), type(0).extents().end());
    for (size_t i = 1; i < operands.size(); ++i) {
      Type along = type(i);
      if (along.rank == type(0).rank)
        along.dims[size_t(axis)] = type(0).dims[size_t(axis)];
      if (along != type(0))
        return invalid("the operands must have one element type, and one shape but along the axis");
      dims[size_t(axis)] += type(i).dims[size_t(axis)];
    }
    return limited(dims);
  }

  Types join() const {
    if (type(0) != type(1))
      return invalid("the operands must have one type");
    if (type(0).rank == maxTileRank)
      return makeError(TL_E_LIMIT, "%s: a tile has at most %u axes", signature().c_str(),
                       maxTileRank);
    std::vector<int64_t> dims(type(0).extents().begin(), type(0).extents().end());
    dims.push_back(2);
    return limited(dims);
  }

  Types split() const {
    const Type &a = type(0);
    if (a.rank == 0 || a.dims[a.rank - 1u] != 2)
      return invalid("the extent of the last axis must be 2");
    std::vector<int64_t> dims(a.extents().begin(), a.extents().end() - 1);
    return std::vector<Type>(2, Type::tile(a.dtype, dims));
  }

  /// A tile of these extents, if it is not too large.
  Types limited(std::span<const int64_t> dims) const {
    int64_t total = 1;
    for (int64_t extent : dims)
      total = std::min(total * extent, maxTileElements + 1);
    if (total > maxTileElements)
      return makeError(TL_E_LIMIT, "%s: a tile has at most %lld elements", signature().c_str(),
                       (long long)maxTileElements);
    return one(Type::tile(type(0).dtype, dims));
  }
};

} // namespace

Result<std::vector<Type>> inferParts(const Graph &graph, Opcode opcode,
                                     std::span<const ValueId> operands,
                                     std::span<const Attr> attrs) {
  return PartsInference(graph, opcode, operands, attrs).run();
}

} // namespace tl
