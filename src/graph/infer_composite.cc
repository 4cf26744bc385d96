#include "graph/infer_composite.h"

#include "graph/inference.h"

namespace tl {

namespace {

constexpr int64_t maxKernelNumber = 65536;

/// One inference; methods named after rules.
class CompositeInference : OpInference {
public:
  using OpInference::OpInference;

  Types run() const {
    switch (info.rule) {
    case Rule::Random:
      return random();
    case Rule::RandomInt:
      if (type(2).dtype != type(3).dtype)
        return invalid("lo and hi must have one element type; cast one of them");
      return elementwise(type(2).dtype);
    case Rule::CastStochastic:
      return castStochastic();
    case Rule::Unpack:
      return unpack();
    case Rule::Pack:
      return pack();
    default:
      return im2col();
    }
  }

private:
  DType wanted() const { return DType(attr(AttrKey::DType)->i); }

  /// All operands share one shape, scalars aside.
  Types elementwise(DType result) const {
    Type shape = type(0);
    for (size_t i = 1; i < operands.size(); ++i) {
      if (type(i).rank == 0)
        continue;
      if (shape.rank != 0 && !shape.sameShape(type(i)))
        return invalid("the operands must have one shape (or be scalars); broadcast one of them");
      shape = type(i);
    }
    return one(shape.withDType(result));
  }

  Types random() const {
    if (!isWideFloat(wanted()))
      return invalid("such numbers are f16, bf16, f32 or f64, not " +
                     std::string(dtypeText(wanted())));
    return elementwise(wanted());
  }

  Types castStochastic() const {
    DType to = wanted();
    if (!isFloat(to) || dtypeBits(to) > 16 || dtypeInfo(to).specials == FloatSpecials::Scale)
      return invalid("it rounds to floats of 16 bits or fewer, and not to f8e8m0fnu; this is " +
                     std::string(dtypeText(to)));
    return elementwise(to);
  }

  Types alongLast(int64_t from, int64_t to, DType result) const {
    if (type(0).rank == 0)
      return invalid("a scalar has no axis to pack along");
    Type t = type(0).withDType(result);
    int32_t &last = t.dims[t.rank - 1];
    if (last % from != 0)
      return invalid(formatString("the last extent must be a multiple of %lld, not %d",
                                  (long long)from, last));
    int64_t longer = last / from * to;
    if (t.elements() / last * longer > maxTileElements)
      return makeError(TL_E_LIMIT, "%s: a tile has at most %lld elements", signature().c_str(),
                       (long long)maxTileElements);
    last = int32_t(longer);
    return one(t);
  }

  Types unpack() const {
    if (!isPacked(wanted()))
      return invalid("only elements of 4 and 6 bits are packed, not " +
                     std::string(dtypeText(wanted())));
    PackedGroup group = packedGroup(wanted());
    return alongLast(group.bytes, group.elements, wanted());
  }

  Types pack() const {
    PackedGroup group = packedGroup(type(0).dtype);
    return alongLast(group.elements, group.bytes, DType::U8);
  }

  Types im2col() const {
    if (type(0).rank != 4)
      return invalid(
          formatString("the view must have 4 axes, [N, H, W, C], not %u", unsigned(type(0).rank)));
    for (AttrKey key : {AttrKey::Kernel, AttrKey::Strides, AttrKey::Padding, AttrKey::Dilation}) {
      const Attr *list = attr(key);
      if (!list)
        continue;
      std::string name(attrInfo(int32_t(key))->text);
      if (list->list.size() != 2)
        return invalid(name + " has two numbers, of height and width");
      for (int64_t number : list->list)
        if (number < (key == AttrKey::Padding ? 0 : 1) || number > maxKernelNumber)
          return invalid(formatString("%s is from %d to %lld, not %lld", name.c_str(),
                                      key == AttrKey::Padding ? 0 : 1, (long long)maxKernelNumber,
                                      (long long)number));
    }
    TL_TRY(checkPad(type(0).dtype));
    TL_ASSIGN(std::vector<int64_t> extents, dims());
    if (extents.size() != 2)
      return invalid("the result has two axes");
    return one(Type::tile(type(0).dtype, extents));
  }
};

} // namespace

Result<std::vector<Type>> inferComposite(const Graph &graph, Opcode opcode,
                                         std::span<const ValueId> operands,
                                         std::span<const Attr> attrs) {
  return CompositeInference(graph, opcode, operands, attrs).run();
}

Status checkInMemory(DType dtype) {
  if (isPacked(dtype))
    return makeError(TL_E_INVALID_GRAPH,
                     "%s is of tiles only; memory holds it packed in bytes: take u8 and unpack it",
                     dtypeText(dtype).data());
  return {};
}

PackedGroup packedGroup(DType dtype) {
  return dtypeBits(dtype) == 4 ? PackedGroup{2, 1} : PackedGroup{4, 3};
}

Convolution convolutionOf(const Graph &graph, const Op &op) {
  Convolution c{};
  auto take = [&](AttrKey key, int64_t (&numbers)[2], int64_t otherwise) {
    const Attr *list = graph.attr(op, key);
    for (size_t i : {0, 1})
      numbers[i] = list ? list->list[i] : otherwise;
  };
  take(AttrKey::Kernel, c.kernel, 1);
  take(AttrKey::Strides, c.strides, 1);
  take(AttrKey::Padding, c.padding, 0);
  take(AttrKey::Dilation, c.dilation, 1);
  return c;
}

} // namespace tl
