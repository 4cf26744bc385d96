#include "graph/infer.h"

#include "graph/fold_int.h"
#include "graph/infer_composite.h"
#include "graph/infer_debug.h"
#include "graph/infer_order.h"
#include "graph/infer_parts.h"
#include "graph/infer_shared.h"
#include "graph/inference.h"
#include "graph/sequence.h"

#include <algorithm>
#include <cmath>

namespace tl {

std::string signatureText(const Graph &graph, Opcode opcode, std::span<const ValueId> operands) {
  std::string s(opInfo(opcode).text);
  s += "(";
  for (size_t i = 0; i < operands.size(); ++i)
    s += (i ? ", " : "") + graph.typeOf(operands[i]).text();
  return s + ")";
}

Result<std::vector<int64_t>> resolveDims(const Graph &graph, Opcode opcode, const Attr &dims) {
  std::string_view name = opInfo(opcode).text;
  if (dims.list.size() > maxTileRank)
    return makeError(TL_E_LIMIT, "%s: a tile has at most %u axes, not %zu", name.data(),
                     maxTileRank, dims.list.size());
  std::vector<int64_t> result;
  int64_t total = 1;
  for (int64_t entry : dims.list) {
    int64_t extent = entry;
    if (entry < 0) {
      uint64_t id = 0 - uint64_t(entry);
      auto known = id < graph.values.size() ? graph.constantInt(ValueId(id)) : std::nullopt;
      if (!known)
        return makeError(TL_E_INVALID_GRAPH,
                         "%s: an extent must be a number, a parameter or arithmetic on parameters",
                         name.data());
      extent = *known;
    }
    if (extent < 1)
      return makeError(TL_E_INVALID_GRAPH, "%s: the extent of a tile must be at least 1, not %lld",
                       name.data(), (long long)extent);
    if (extent > maxTileElements || total * extent > maxTileElements)
      return makeError(TL_E_LIMIT, "%s: a tile has at most %lld elements", name.data(),
                       (long long)maxTileElements);
    total *= extent;
    result.push_back(extent);
  }
  return result;
}

namespace {

bool operandFits(const Type &type, OperandClass cls) {
  DType d = type.dtype;
  switch (cls) {
  case OperandClass::Num:
    return type.isTile() && (isInteger(d) || isWideFloat(d));
  case OperandClass::Int:
    return type.isTile() && isInteger(d);
  case OperandClass::Float:
    return type.isTile() && isWideFloat(d);
  case OperandClass::Real:
    return type.isTile() && isFloat(d);
  case OperandClass::Bits:
    return type.isTile() && (isInteger(d) || isBool(d));
  case OperandClass::Bool:
    return type.isTile() && isBool(d);
  case OperandClass::Any:
    return type.isTile();
  case OperandClass::Index:
    return type.isIndex();
  case OperandClass::IndexTile:
    return type.isTile() && (d == DType::I32 || d == DType::I64);
  case OperandClass::Scalar:
    return type.isScalar();
  case OperandClass::View:
    return type.isView();
  case OperandClass::Pointer:
    return type.isPointer();
  case OperandClass::U64:
    return type.isTile() && d == DType::U64;
  case OperandClass::U32:
    return type.isTile() && d == DType::U32;
  case OperandClass::Byte:
    return type.isTile() && d == DType::U8;
  case OperandClass::F32:
    return type.isTile() && d == DType::F32;
  case OperandClass::Packed:
    return type.isTile() && isPacked(d);
  case OperandClass::Value:
    return type.isScalar() || type.isView() || type.isPointer();
  }
  return false;
}

/// One inference; methods named after rules.
class Inference : OpInference {
public:
  using OpInference::OpInference;

  Result<std::vector<Type>> run() {
    TL_TRY(checkOperands());
    TL_TRY(checkAttrs());
    return apply();
  }

private:
  static std::string narrowHint(const Type &type) {
    return isNarrowFloat(type.dtype) || isPacked(type.dtype)
               ? "; there is no arithmetic in " + std::string(dtypeText(type.dtype)) + ": cast it"
               : "";
  }

  Status checkOperands() const {
    size_t fixed = 0, optional = 0;
    bool variadic = false;
    for (const OperandSpec &spec : info.operands) {
      fixed += spec.arity == Arity::One;
      optional += spec.arity == Arity::Optional;
      variadic |= spec.arity == Arity::Variadic;
    }
    if (operands.size() < fixed || (!variadic && operands.size() > fixed + optional))
      return makeError(TL_E_INVALID_GRAPH, "%s takes %s%zu operand%s, not %zu", info.text.data(),
                       variadic ? "at least " : "", fixed, fixed == 1 ? "" : "s", operands.size());
    for (size_t i = 0; i < operands.size(); ++i) {
      const OperandSpec &spec = specFor(i);
      if (!operandFits(type(i), spec.cls))
        return invalid("operand '" + std::string(spec.name) + "' must be " +
                       std::string(operandClassText(spec.cls)) + ", not " + type(i).text() +
                       narrowHint(type(i)));
    }
    return {};
  }

  /// The spec of operand i: variadic operands stand before a trailing optional one (an i1 tile).
  const OperandSpec &specFor(size_t i) const {
    size_t fixed = 0;
    while (fixed < info.operands.size() && info.operands[fixed].arity == Arity::One)
      ++fixed;
    if (i < fixed || fixed + 1 >= info.operands.size())
      return info.operands[std::min(i, info.operands.size() - 1)];
    bool isMask = i + 1 == operands.size() && type(i).isTile() && isBool(type(i).dtype);
    return info.operands[isMask ? fixed + 1 : fixed];
  }

  Status checkAttrs() const {
    for (const AttrSpec &spec : info.attrs)
      if (!spec.optional && !attr(spec.key))
        return invalid("attribute '" + std::string(attrInfo(int32_t(spec.key))->text) +
                       "' is missing");
    for (size_t i = 0; i < attrs.size(); ++i) {
      const Attr &a = attrs[i];
      const AttrInfo *row = attrInfo(int32_t(a.key));
      bool wanted = false;
      for (const AttrSpec &spec : info.attrs)
        wanted |= spec.key == a.key;
      if (!row || !wanted)
        return invalid("attribute '" +
                       (row ? std::string(row->text) : std::to_string(int32_t(a.key))) +
                       "' does not belong to this operation");
      for (size_t j = 0; j < i; ++j)
        if (attrs[j].key == a.key)
          return invalid("attribute '" + std::string(row->text) + "' is given twice");
      if ((row->kind == AttrKind::Round && !roundingKnown(a.i)) ||
          (row->kind == AttrKind::Order && !orderKnown(a.i)) ||
          (row->kind == AttrKind::Scope && !scopeKnown(a.i)) ||
          (row->kind == AttrKind::Flag && a.i != 1) ||
          (row->kind == AttrKind::DType && (a.i != int32_t(a.i) || !dtypeKnown(int32_t(a.i)))) ||
          (row->kind == AttrKind::Pred && !predKnown(a.i)) ||
          (row->kind == AttrKind::Reduce && !reduceKnown(a.i)))
        return invalid("attribute '" + std::string(row->text) + "' has no such value");
    }
    return {};
  }

  Types apply() const {
    switch (info.rule) {
    case Rule::ProgramIndex: {
      int64_t axis = attr(AttrKey::Axis)->i;
      if (axis < 0 || axis > 2)
        return invalid(
            formatString("the axis of the grid is 0, 1 or 2, not %lld", (long long)axis));
      return one(Type::scalar(DType::I64));
    }
    case Rule::Const:
      return constant();
    case Rule::Full:
      return ofDims(type(0).dtype);
    case Rule::Iota:
      return iota();
    case Rule::Elementwise:
      if (attr(AttrKey::Fast) && !isFloat(type(0).dtype))
        return invalid("only operations on floats have a fast form");
      return elementwise(0);
    case Rule::Compare:
      return elementwise(0);
    case Rule::Classify:
      return one(type(0).withDType(DType::I1));
    case Rule::Select:
      return elementwise(1);
    case Rule::Cast:
      if ((attr(AttrKey::Round) || attr(AttrKey::Saturate)) &&
          !(isFloat(type(0).dtype) && isFloat(DType(attr(AttrKey::DType)->i))))
        return invalid("only floats that become floats are rounded and saturated by choice");
      return one(type(0).withDType(DType(attr(AttrKey::DType)->i)));
    case Rule::Bitcast:
      return bitcast();
    case Rule::Broadcast:
    case Rule::Reshape:
      return reshaped();
    case Rule::Permute:
      return permute();
    case Rule::ExpandDims:
      return expandDims();
    case Rule::Slice:
    case Rule::InsertSlice:
    case Rule::Flip:
    case Rule::Concat:
    case Rule::Join:
    case Rule::Split:
      return inferParts(g, info.opcode, operands, attrs);
    case Rule::Take:
    case Rule::Sort:
    case Rule::TopK:
    case Rule::Histogram:
      return inferOrder(g, info.opcode, operands, attrs);
    case Rule::Reduce:
      return reduce(type(0).dtype);
    case Rule::Scan:
      TL_TRY(reduce(type(0).dtype)); // the same rules
      return one(type(0));
    case Rule::ArgReduce:
      return reduce(DType::I32);
    case Rule::ReduceWith:
      return combine(true);
    case Rule::ScanWith:
      return combine(false);
    case Rule::Dot:
      return dot();
    case Rule::MakeView:
      return makeView();
    case Rule::Address:
      TL_TRY(indexCount(operands.size() - 1, 0));
      return one(Type::pointer(type(0).dtype));
    case Rule::ByteOffset:
      TL_TRY(checkInMemory(DType(attr(AttrKey::DType)->i)));
      return one(Type::pointer(DType(attr(AttrKey::DType)->i)));
    case Rule::Pointer:
      if (!type(0).isScalar())
        return invalid("an address is a scalar");
      TL_TRY(checkInMemory(DType(attr(AttrKey::DType)->i)));
      return one(Type::pointer(DType(attr(AttrKey::DType)->i)));
    case Rule::Extent: {
      int64_t axis = attr(AttrKey::Axis)->i;
      if (axis < 0 || axis >= type(0).rank)
        return invalid(
            formatString("the view has axes 0 to %d, not %lld", type(0).rank - 1, (long long)axis));
      return one(Type::scalar(DType::I64));
    }
    case Rule::Load:
      return load();
    case Rule::Store:
      return store();
    case Rule::Gather:
      return gather();
    case Rule::Scatter:
      return scatter();
    case Rule::Atomic:
      return atomic();
    case Rule::For:
      return forLoop();
    case Rule::While:
      TL_TRY(scalarCondition());
      return carried(1);
    case Rule::If:
    case Rule::Exit:
      TL_TRY(scalarCondition());
      return std::vector<Type>{};
    case Rule::Yield:
      return std::vector<Type>{};
    case Rule::Temporary:
      if (operands.empty() || operands.size() > maxViewRank)
        return invalid("a temporary has 1 to 8 axes");
      TL_TRY(checkInMemory(DType(attr(AttrKey::DType)->i)));
      return one(Type::view(DType(attr(AttrKey::DType)->i), unsigned(operands.size())));
    case Rule::AllocShared:
    case Rule::Copy:
    case Rule::Wait:
    case Rule::Barrier:
      return inferShared(g, info.opcode, operands, attrs);
    case Rule::Random:
    case Rule::RandomInt:
    case Rule::CastStochastic:
    case Rule::Unpack:
    case Rule::Pack:
    case Rule::Im2col:
      return inferComposite(g, info.opcode, operands, attrs);
    case Rule::Print:
    case Rule::Assert:
    case Rule::LaunchLog:
      return inferDebug(g, info.opcode, operands, attrs);
    case Rule::Dispatch:
      TL_TRY(checkDispatch(g, attr(AttrKey::Callee)->i, operands));
      return std::vector<Type>{};
    }
    return internalError("no inference for %s", info.text.data());
  }

  Types constant() const {
    const Attr &value = *attr(AttrKey::Value);
    DType d = DType(attr(AttrKey::DType)->i);
    if (isFloat(d))
      return one(Type::scalar(d));
    if (value.isFloat)
      return invalid(std::string("an ") + std::string(dtypeText(d)) +
                     " constant needs an integer value");
    if (isBool(d) ? (value.i != 0 && value.i != 1) : wrapInteger(value.i, d) != value.i)
      return invalid(
          formatString("%lld is not a value of %s", (long long)value.i, dtypeText(d).data()));
    return one(Type::scalar(d));
  }

  Types ofDims(DType dtype) const {
    TL_ASSIGN(std::vector<int64_t> extents, dims());
    return one(Type::tile(dtype, extents));
  }

  Types iota() const {
    DType d = DType(attr(AttrKey::DType)->i);
    if (!isInteger(d))
      return invalid("iota gives integers, not " + std::string(dtypeText(d)));
    const Attr *axis = attr(AttrKey::Axis);
    int64_t rank = int64_t(attr(AttrKey::Dims)->list.size());
    if (rank == 0 || (axis && (axis->i < 0 || axis->i >= rank)))
      return invalid(formatString("axis %lld is not an axis of a tile of rank %lld",
                                  (long long)(axis ? axis->i : 0), (long long)rank));
    return ofDims(d);
  }

  /// Operands from `first` on share an element type; all share one shape, scalars aside.
  Types elementwise(size_t first) const {
    if (info.rule == Rule::Compare && !isFloat(type(0).dtype) &&
        isFloatPred(Pred(attr(AttrKey::Pred)->i)))
      return invalid("only floats are compared by " +
                     std::string(predText(Pred(attr(AttrKey::Pred)->i))));
    Type shape = type(0);
    for (size_t i = 0; i < operands.size(); ++i) {
      const Type &t = type(i);
      if (i > first && t.dtype != type(first).dtype)
        return invalid("the operands must have one element type; cast one of them");
      if (t.rank == 0)
        continue;
      if (shape.rank != 0 && !shape.sameShape(t))
        return invalid("the operands must have one shape (or be scalars); broadcast one of them");
      shape = t;
    }
    return one(shape.withDType(info.rule == Rule::Compare ? DType::I1 : type(first).dtype));
  }

  Types bitcast() const {
    DType from = type(0).dtype, to = DType(attr(AttrKey::DType)->i);
    if (isBool(from) || isBool(to))
      return invalid("an i1 has no bits to read as another type; cast it");
    auto isByte = [](DType d) { return d == DType::I8 || d == DType::U8; };
    if ((isByte(from) && isPacked(to)) || (isPacked(from) && isByte(to)))
      return one(type(0).withDType(to));
    if (dtypeBits(from) != dtypeBits(to))
      return invalid(formatString("%s has %u bits and %s has %u", dtypeText(from).data(),
                                  dtypeBits(from), dtypeText(to).data(), dtypeBits(to)));
    return one(type(0).withDType(to));
  }

  Types reshaped() const {
    TL_ASSIGN(std::vector<int64_t> extents, dims());
    Type t = Type::tile(type(0).dtype, extents);
    if (info.rule == Rule::Reshape) {
      if (t.elements() != type(0).elements())
        return invalid("reshape keeps the number of elements, and " + t.text() + " has another");
      return one(t);
    }
    bool fits = t.rank == type(0).rank;
    for (unsigned i = 0; fits && i < t.rank; ++i)
      fits = type(0).dims[i] == t.dims[i] || type(0).dims[i] == 1;
    if (!fits)
      return invalid("cannot broadcast to " + t.text() +
                     ": the rank must be equal and each extent 1 or equal");
    return one(t);
  }

  Types permute() const {
    const std::vector<int64_t> &perm = attr(AttrKey::Perm)->list;
    const Type &a = type(0);
    if (perm.size() != a.rank)
      return invalid(formatString("perm must list %u axes, not %zu", a.rank, perm.size()));
    Type t = a;
    unsigned seen = 0;
    for (unsigned i = 0; i < a.rank; ++i) {
      if (perm[i] < 0 || perm[i] >= a.rank || (seen >> perm[i] & 1))
        return invalid("perm must list each axis once");
      seen |= 1u << perm[i];
      t.dims[i] = a.dims[perm[i]];
    }
    return one(t);
  }

  Types expandDims() const {
    int64_t axis = attr(AttrKey::Axis)->i;
    if (type(0).rank == maxTileRank)
      return makeError(TL_E_LIMIT, "%s: a tile has at most %u axes", signature().c_str(),
                       maxTileRank);
    if (axis < 0 || axis > type(0).rank)
      return invalid(
          formatString("axis %lld is not between 0 and %u", (long long)axis, type(0).rank));
    std::vector<int64_t> dims(type(0).extents().begin(), type(0).extents().end());
    dims.insert(dims.begin() + axis, 1);
    return one(Type::tile(type(0).dtype, dims));
  }

  Types reduce(DType result) const {
    if (const Attr *kind = attr(AttrKey::Kind)) {
      DType d = type(0).dtype;
      if (isNarrowFloat(d) || isPacked(d) ||
          !reduceTakes(ReduceKind(kind->i), isFloat(d), isBool(d)))
        return invalid("there is no " + std::string(reduceText(ReduceKind(kind->i))) + " of " +
                       std::string(dtypeText(d)));
    }
    TL_ASSIGN(std::vector<int64_t> dims, withoutAxis());
    return one(Type::tile(result, dims));
  }

  /// The extents of the first operand without the axis.
  Result<std::vector<int64_t>> withoutAxis() const {
    int64_t axis = attr(AttrKey::Axis)->i;
    if (axis < 0 || axis >= type(0).rank)
      return invalid(formatString("axis %lld is not an axis of the operand", (long long)axis));
    std::vector<int64_t> dims(type(0).extents().begin(), type(0).extents().end());
    dims.erase(dims.begin() + axis);
    return dims;
  }

  /// All operands are combined together; `reduces` away the axis, or keeps it.
  Types combine(bool reduces) const {
    if (operands.empty())
      return invalid("there is nothing to combine");
    TL_ASSIGN(std::vector<int64_t> dims, withoutAxis());
    if (!reduces)
      dims.assign(type(0).extents().begin(), type(0).extents().end());
    std::vector<Type> types;
    for (size_t i = 0; i < operands.size(); ++i) {
      if (!std::ranges::equal(type(i).extents(), type(0).extents()))
        return invalid("all operands must have one shape");
      types.push_back(Type::tile(type(i).dtype, dims));
    }
    return types;
  }

  Types dot() const {
    const Type &a = type(0), &b = type(1), &acc = type(2);
    if (a.rank != 2 || b.rank != 2 || acc.rank != 2)
      return invalid("dot takes matrices: a [M,K], b [K,N], acc [M,N]");
    if (a.dims[1] != b.dims[0])
      return invalid(formatString("K differs: a is %dx%d, b is %dx%d", a.dims[0], a.dims[1],
                                  b.dims[0], b.dims[1]));
    if (acc.dims[0] != a.dims[0] || acc.dims[1] != b.dims[1])
      return invalid(formatString("acc must be %dx%d, not %dx%d", a.dims[0], b.dims[1], acc.dims[0],
                                  acc.dims[1]));
    auto byteType = [](DType d) { return d == DType::I8 || d == DType::U8; };
    bool mixedBytes = byteType(a.dtype) && byteType(b.dtype);
    bool mixedNarrow = isFloat8(a.dtype) && isFloat8(b.dtype);
    if (a.dtype != b.dtype && !mixedBytes && !mixedNarrow)
      return invalid(
          "a and b must have one element type (i8 and u8 may mix, and floats of 8 bits)");
    DType want = mixedBytes ? DType::I32 : a.dtype == DType::F64 ? DType::F64 : DType::F32;
    if (!mixedBytes && !isWideFloat(a.dtype) && !mixedNarrow)
      return invalid("dot takes floats of 8 bits or more (not f8e8m0fnu), i8 or u8");
    if (acc.dtype != want)
      return invalid("acc must be of " + std::string(dtypeText(want)) + " for these operands");
    return one(acc);
  }

  Types makeView() const {
    size_t n = operands.size() - 1;
    if (n == 0 || n % 2 != 0 || n / 2 > maxViewRank)
      return invalid(
          formatString("a view needs as many strides as extents, 1 to %u of each", maxViewRank));
    return one(Type::view(type(0).dtype, unsigned(n / 2)));
  }

  Status indexCount(size_t n, size_t viewAt) const {
    if (n != type(viewAt).rank)
      return invalid(formatString("the view has %u axes and needs as many indices, not %zu",
                                  type(viewAt).rank, n));
    return {};
  }

  Status checkAxes(unsigned tileRank, const Type &view) const {
    if (tileRank > view.rank)
      return invalid(
          formatString("a tile of rank %u does not fit a view of rank %u", tileRank, view.rank));
    const Attr *axes = attr(AttrKey::Axes);
    if (!axes)
      return {};
    unsigned seen = 0;
    if (axes->list.size() != tileRank)
      return invalid(formatString(
          "axes must name %u axes of the view, one for each axis of the tile", tileRank));
    for (int64_t axis : axes->list) {
      if (axis < 0 || axis >= view.rank || (seen >> axis & 1))
        return invalid("axes must name different axes of the view");
      seen |= 1u << axis;
    }
    return {};
  }

  Types load() const {
    TL_TRY(indexCount(operands.size() - 1, 0));
    TL_TRY(checkAxes(unsigned(attr(AttrKey::Dims)->list.size()), type(0)));
    TL_TRY(checkPad(type(0).dtype));
    return ofDims(type(0).dtype);
  }

  Types store() const {
    TL_TRY(indexCount(operands.size() - 2, 1));
    if (type(0).dtype != type(1).dtype)
      return invalid("the value and the view must have one element type; cast the value");
    TL_TRY(checkAxes(type(0).rank, type(1)));
    return std::vector<Type>{};
  }

  /// The common shape of index tiles, mask and (for scatter) value from operand `first` on.
  Types pointwise(size_t viewAt, Type shape) const {
    size_t first = viewAt + 1;
    bool masked = operands.size() > first && isBool(type(operands.size() - 1).dtype);
    TL_TRY(indexCount(operands.size() - first - (masked ? 1 : 0), viewAt));
    for (size_t i = first; i < operands.size(); ++i) {
      if (type(i).rank == 0)
        continue;
      if (shape.rank != 0 && !shape.sameShape(type(i)))
        return invalid("indices, mask and value must have one shape (or be scalars)");
      if (shape.rank == 0)
        shape = type(i).withDType(shape.dtype);
    }
    return one(shape);
  }

  Types gather() const {
    TL_TRY(checkPad(type(0).dtype));
    return pointwise(0, Type::scalar(type(0).dtype));
  }

  Types scatter() const {
    if (type(0).dtype != type(1).dtype)
      return invalid("the value and the view must have one element type; cast the value");
    Types shape = pointwise(1, type(0));
    if (!shape.ok())
      return shape;
    return std::vector<Type>{};
  }

  /// One value, or two: what is expected and what is written; or none for a load.
  Types atomic() const {
    const size_t viewAt = viewOperandAt(info.opcode);
    TL_TRY(atomicOrder(type(viewAt).dtype));
    Type shape = viewAt ? type(0) : Type::scalar(type(0).dtype);
    for (size_t i = 0; i < viewAt; ++i) {
      if (type(i).dtype != type(viewAt).dtype)
        return invalid("the value and the view must have one element type; cast the value");
      if (shape.rank == 0)
        shape = type(i);
      else if (type(i).rank != 0 && !shape.sameShape(type(i)))
        return invalid("indices, mask and value must have one shape (or be scalars)");
    }
    Types types = pointwise(viewAt, shape);
    return types.ok() && info.opcode == Opcode::AtomicStore ? std::vector<Type>{}
                                                            : std::move(types);
  }

  Status atomicOrder(DType dtype) const {
    if (!isInteger(dtype) && !isWideFloat(dtype))
      return invalid("there are no atomic operations on " + std::string(dtypeText(dtype)));
    const Attr *order = attr(AttrKey::Order);
    const bool loads = info.opcode == Opcode::AtomicLoad,
               stores = info.opcode == Opcode::AtomicStore;
    if (!order || order->i == int64_t(MemoryOrdering::SeqCst))
      return {};
    AtomicMode mode{MemoryOrdering(order->i), MemoryScope::Device};
    if ((loads && mode.releases()) || (stores && mode.acquires()))
      return invalid(std::string(loads ? "a load takes relaxed, acquire or seq_cst"
                                       : "a store takes relaxed, release or seq_cst") +
                     ", not " + std::string(orderText(mode.order)));
    return {};
  }

  Types forLoop() const {
    if (type(0) != type(1) || type(0) != type(2))
      return invalid("lo, hi and step must have one type, i32 or i64");
    return carried(3);
  }

  /// The values that a loop carries, which are its operands from `first` on.
  Types carried(size_t first) const {
    std::vector<Type> types;
    for (size_t i = first; i < operands.size(); ++i)
      types.push_back(type(i));
    return types;
  }

  Status scalarCondition() const {
    if (!type(0).isScalar())
      return invalid("the condition must be a scalar i1; select chooses element by element");
    return {};
  }
};

} // namespace

std::vector<Type> regionArguments(const Graph &graph, Opcode opcode,
                                  std::span<const ValueId> operands,
                                  std::span<const Type> results) {
  std::vector<Type> types;
  if (isLoop(opcode)) {
    if (opcode == Opcode::For)
      types.push_back(graph.typeOf(operands[0])); // the counter
    types.insert(types.end(), results.begin(), results.end());
  } else if (hasCombineRegion(opcode)) {
    types = regionYields(opcode, results);
    types.insert(types.end(), types.begin(), types.begin() + ptrdiff_t(results.size()));
  }
  return types;
}

std::vector<Type> regionYields(Opcode opcode, std::span<const Type> results) {
  std::vector<Type> types(results.begin(), results.end());
  if (hasCombineRegion(opcode))
    for (Type &type : types)
      type = Type::scalar(type.dtype);
  if (opcode == Opcode::While) // whether to go on
    types.insert(types.begin(), Type::scalar(DType::I1));
  return types;
}

Result<std::vector<Type>> inferTypes(const Graph &graph, Opcode opcode,
                                     std::span<const ValueId> operands,
                                     std::span<const Attr> attrs) {
  return Inference(graph, opcode, operands, attrs).run();
}

} // namespace tl
