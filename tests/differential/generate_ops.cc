#include "differential/generator.h"

#include "interp/possible.h"

#include <algorithm>
#include <utility>

namespace tl::test {

/// Of a tile of which a slice is taken.
static constexpr int64_t maxSourceElements = 4096;

static int64_t count(const Dims &dims) {
  int64_t total = 1;
  for (int64_t d : dims)
    total *= d;
  return total;
}

void Generator::emitElementwise(const Feature &f, const Dims &dims) {
  const OpInfo &info = opInfo(f.opcode);
  // Decisions on values that another implementation may have otherwise are mostly undecided.
  Want careful = random.chance(97) ? Want::Decided : Want::Any;
  if (info.rule == Rule::Cast) {
    DType from = DType(f.detail);
    // An eighth of a value is much where it is the distance to the next one.
    bool decides = isFloat(from) && (!isFloat(f.dtype) || isNarrowFloat(f.dtype));
    std::vector<Attr> attrs = {intAttr(AttrKey::DType, int64_t(f.dtype))};
    if (isFloat(from) && isFloat(f.dtype)) {
      if (random.chance(40))
        attrs.push_back(intAttr(AttrKey::Round, random.between(1, 4)));
      if (random.chance(30))
        attrs.push_back(intAttr(AttrKey::Saturate, 1));
    }
    emit(f.opcode, {tile(from, dims, decides ? careful : Want::Any)}, attrs);
    return;
  }
  if (info.rule == Rule::Classify || info.rule == Rule::Bitcast) {
    DType from = info.rule == Rule::Bitcast ? DType(f.detail) : f.dtype;
    std::vector<Attr> attrs;
    if (info.rule == Rule::Bitcast)
      attrs.push_back(intAttr(AttrKey::DType, int64_t(f.dtype)));
    emit(f.opcode, {tile(from, dims, isFloat(from) ? careful : Want::Any)}, attrs);
    return;
  }
  size_t count = info.operands.size(), whole = random.below(count);
  const bool known = dims.empty() && random.chance(20); // before the kernel runs
  std::vector<ValueId> operands;
  for (size_t i = 0; i < count; ++i) {
    bool isCondition = info.rule == Rule::Select && i == 0;
    DType type = isCondition ? DType::I1 : f.dtype;
    // A small error of a large angle or exponent is all of the result.
    bool amplifies = f.opcode == Opcode::Sin || f.opcode == Opcode::Cos ||
                     f.opcode == Opcode::Tan || f.opcode == Opcode::Pow;
    bool decides =
        isCondition || info.rule == Rule::Compare || interp::isRounding(f.opcode) || amplifies;
    Want want = decides ? careful : Want::Any;
    bool amount = (f.opcode == Opcode::Shl || f.opcode == Opcode::Shr) && i == 1;
    ValueId v = known ? randomConstant(type) : 0;
    if (!known && amount && whole != 1 && random.chance(60))
      v = constant(type, random.between(0, int64_t(dtypeBits(type)) + 1));
    // An operation on a value and itself shows little: try again once or twice.
    for (int tries = 0; v == 0 || (tries < 3 && std::count(operands.begin(), operands.end(), v));
         ++tries)
      v = i == whole ? tile(type, dims, want) : tileOrScalar(type, dims, want);
    operands.push_back(v);
  }
  std::vector<Attr> attrs;
  if (info.rule == Rule::Compare)
    attrs.push_back(intAttr(AttrKey::Pred, f.detail));
  emit(f.opcode, operands, attrs);
}

void Generator::emitShape(const Feature &f, const Dims &dims) {
  Attr dimsAttr = listAttr(AttrKey::Dims, dims);
  switch (opInfo(f.opcode).rule) {
  case Rule::Full:
    emit(f.opcode, {tile(f.dtype, {})}, {dimsAttr});
    break;
  case Rule::Iota:
    emit(f.opcode, {},
         {dimsAttr, intAttr(AttrKey::DType, int64_t(f.dtype)),
          intAttr(AttrKey::Axis, int64_t(random.below(dims.size())))});
    break;
  case Rule::Broadcast: {
    Dims from = dims;
    for (int64_t &d : from)
      if (random.chance(50))
        d = 1;
    emit(f.opcode, {tile(f.dtype, from)}, {dimsAttr});
    break;
  }
  case Rule::Reshape: {
    Dims from = dims;
    random.shuffle(from);
    while (from.size() > 1 && random.chance(50)) { // merge two axes
      int64_t last = from.back();
      from.pop_back();
      from[random.below(from.size())] *= last;
    }
    while (from.size() < maxTileRank && random.chance(25))
      from.insert(from.begin() + long(random.below(from.size() + 1)), 1);
    emit(f.opcode, {tile(f.dtype, from)}, {dimsAttr});
    break;
  }
  case Rule::Permute: {
    std::vector<int64_t> perm(dims.size());
    Dims from(dims.size());
    for (size_t i = 0; i < perm.size(); ++i)
      perm[i] = int64_t(i);
    random.shuffle(perm);
    for (size_t i = 0; i < perm.size(); ++i)
      from[size_t(perm[i])] = dims[i];
    emit(f.opcode, {tile(f.dtype, from)}, {listAttr(AttrKey::Perm, perm)});
    break;
  }
  case Rule::Slice: {
    Dims from = dims, offsets(dims.size()), strides(dims.size(), 1);
    int64_t elements = count(dims);
    for (size_t i = 0; i < dims.size(); ++i) {
      int64_t stride = random.chance(40) ? random.between(2, 4) : 1, offset = random.between(0, 3);
      int64_t extent = offset + (dims[i] - 1) * stride + 1 + random.between(0, 2);
      if (elements / dims[i] * extent > maxSourceElements)
        continue;
      elements = elements / dims[i] * extent;
      from[i] = extent;
      offsets[i] = offset;
      strides[i] = stride;
    }
    std::vector<Attr> attrs = {listAttr(AttrKey::Offsets, offsets), dimsAttr};
    if (random.chance(80) || std::count(strides.begin(), strides.end(), 1) != long(dims.size()))
      attrs.push_back(listAttr(AttrKey::Strides, strides));
    emit(f.opcode, {tile(f.dtype, from)}, attrs);
    break;
  }
  case Rule::Flip: {
    std::vector<int64_t> axes(dims.size());
    for (size_t i = 0; i < axes.size(); ++i)
      axes[i] = int64_t(i);
    random.shuffle(axes);
    axes.resize(1 + random.below(axes.size()));
    emit(f.opcode, {tile(f.dtype, dims)}, {listAttr(AttrKey::Axes, axes)});
    break;
  }
  case Rule::InsertSlice: {
    Dims part = dims, offsets(dims.size());
    for (size_t i = 0; i < dims.size(); ++i)
      if (random.chance(60)) {
        part[i] = random.between(1, dims[i]);
        offsets[i] = random.between(0, dims[i] - part[i]);
      }
    emit(f.opcode, {tile(f.dtype, dims), tile(f.dtype, part)},
         {listAttr(AttrKey::Offsets, offsets)});
    break;
  }
  case Rule::Concat: {
    // An axis is cut in two or more; one that is too short becomes longer.
    size_t axis = random.below(dims.size());
    Dims part = dims;
    std::vector<ValueId> parts;
    int64_t left = std::max<int64_t>(dims[axis], 2);
    while (left > 0) {
      part[axis] = parts.empty() ? random.between(1, left - 1) : random.between(1, left);
      left -= part[axis];
      if (parts.size() == 4)
        part[axis] += std::exchange(left, 0);
      parts.push_back(tile(f.dtype, part));
    }
    emit(f.opcode, parts, {intAttr(AttrKey::Axis, int64_t(axis))});
    break;
  }
  case Rule::Join: {
    Dims from = dims;
    from.pop_back();
    emit(f.opcode, {tile(f.dtype, from), tile(f.dtype, from)});
    break;
  }
  case Rule::Split: {
    Dims from = dims;
    if (from.size() == maxTileRank)
      from.pop_back();
    from.push_back(2);
    emit(f.opcode, {tile(f.dtype, from)});
    break;
  }
  default: { // expand_dims: the result has one axis more
    Dims from = dims;
    from.erase(from.begin() + long(random.below(from.size())));
    int64_t axis = int64_t(random.below(from.size() + 1));
    emit(f.opcode, {tile(f.dtype, from)}, {intAttr(AttrKey::Axis, axis)});
    break;
  }
  }
  made.traits.crossLane = true;
}

void Generator::emitReduce(const Feature &f, const Dims &dims) {
  Dims from = dims;
  auto axis = random.below(dims.size());
  std::vector<Attr> attrs = {intAttr(AttrKey::Axis, int64_t(axis))};
  bool chooses = opInfo(f.opcode).rule == Rule::ArgReduce;
  if (!chooses)
    attrs.insert(attrs.begin(), intAttr(AttrKey::Kind, f.detail));
  // Long products of floats overflow in one order or another: then nothing is decided.
  bool product = !chooses && ReduceKind(f.detail) == ReduceKind::Prod && isFloat(f.dtype);
  if (product)
    from[axis] = std::min<int64_t>(from[axis], random.between(1, 6));
  emit(f.opcode,
       {tile(f.dtype, from, (chooses && isFloat(f.dtype)) || product ? Want::Decided : Want::Any)},
       attrs);
  made.traits.crossLane = true;
}

void Generator::emitOrder(const Feature &f, const Dims &dims) {
  if (f.opcode == Opcode::Histogram) {
    int64_t bins = random.between(1, 40);
    ValueId any = tile(f.dtype, dims, Want::Decided), given = any;
    if (random.chance(70)) // else hardly anything is counted
      given = emit(Opcode::FloorMod, {any, constant(f.dtype, std::min<int64_t>(bins + 2, 100))});
    static const std::vector<DType> counts = {DType::I32, DType::U32, DType::I64, DType::U64};
    std::vector<ValueId> operands = {given};
    if (random.chance(40))
      operands.push_back(tileOrScalar(DType::I1, dims, Want::Decided));
    emit(f.opcode, operands,
         {listAttr(AttrKey::Dims, {bins}), intAttr(AttrKey::DType, int64_t(random.pick(counts)))});
    made.traits.crossLane = true;
    return;
  }
  auto axis = random.below(dims.size());
  Attr along = intAttr(AttrKey::Axis, int64_t(axis));
  Dims from = dims;
  std::vector<ValueId> operands;
  std::vector<Attr> attrs = {along};
  Want careful = isFloat(f.dtype) ? Want::Decided : Want::Any; // else most of the order is open
  if (f.opcode == Opcode::Take) {
    from[axis] = random.between(1, 9);
    operands = {tile(f.dtype, from), boundedIndices(dims, from[axis])};
  } else if (f.opcode == Opcode::TopK) {
    from[axis] += random.between(0, 9);
    operands = {tile(f.dtype, from, careful)};
    attrs.push_back(listAttr(AttrKey::Dims, dims));
  } else {
    operands = {tile(f.dtype, dims, careful)};
    while (operands.size() < 3 && random.chance(40))
      operands.push_back(tile(typeOf(random.pick(pool).value).dtype, dims));
  }
  emit(f.opcode, operands, attrs);
  made.traits.crossLane = true;
}

/// A region that combines part by part, or, for integers, composes affine maps: the one operation
/// here that is not commutative, for scans.
void Generator::emitCombine(const Feature &f, const Dims &dims) {
  bool scans = opInfo(f.opcode).rule == Rule::ScanWith;
  bool maps = scans && isInteger(f.dtype) && random.chance(40);
  std::vector<ValueId> operands = {tile(f.dtype, dims)};
  if (maps)
    operands.push_back(tile(f.dtype, dims));
  while (!maps && operands.size() < 3 && random.chance(40))
    operands.push_back(tile(typeOf(random.pick(pool).value).dtype, dims));
  for (ValueId v : operands)
    if (Entry *entry = entryOf(v))
      entry->used = true;
  std::vector<ValueId> args =
      b.begin(f.opcode, operands, {{intAttr(AttrKey::Axis, int64_t(random.below(dims.size())))}});
  size_t parts = operands.size();
  std::vector<ValueId> yields;
  if (maps) {
    yields = {b.op(Opcode::Mul, {{args[0], args[2]}}, {}),
              b.op(Opcode::Add, {{b.op(Opcode::Mul, {{args[1], args[2]}}, {}), args[3]}}, {})};
  } else {
    for (size_t i = 0; i < parts; ++i) {
      DType type = typeOf(operands[i]).dtype;
      if (isNarrowFloat(type)) { // in the order of their bits
        Attr bits = intAttr(AttrKey::DType, int64_t(DType::U8));
        ValueId most = b.op(Opcode::Max, {{b.op(Opcode::Bitcast, {{args[i]}}, {{bits}}),
                                           b.op(Opcode::Bitcast, {{args[i + parts]}}, {{bits}})}});
        yields.push_back(
            b.op(Opcode::Bitcast, {{most}}, {{intAttr(AttrKey::DType, int64_t(type))}}));
        continue;
      }
      std::vector<Opcode> choices = {Opcode::Add, Opcode::Min, Opcode::Max};
      if (isInteger(type))
        choices.insert(choices.end(), {Opcode::Mul, Opcode::Xor, Opcode::And});
      else if (isBool(type))
        choices = {Opcode::And, Opcode::Or, Opcode::Xor};
      yields.push_back(b.op(random.pick(choices), {{args[i], args[i + parts]}}, {}));
    }
  }
  std::vector<ValueId> results = b.end(yields);
  for (size_t i = 0; i < results.size(); ++i)
    remember(results[i], f.opcode, operands);
  made.traits.crossLane = true;
}

void Generator::emitDot(const Feature &f) {
  static const std::vector<int64_t> extents = {1,  2,  3,  4,  5,  7,  8,  9,
                                               16, 17, 31, 32, 33, 48, 64, 65};
  int64_t m = random.pick(extents), n = random.pick(extents), k = random.pick(extents);
  DType b = DType(f.detail);
  DType acc = !isFloat(b) ? DType::I32 : b == DType::F64 ? DType::F64 : DType::F32;
  emit(f.opcode, {tile(f.dtype, {m, k}), tile(b, {k, n}), tile(acc, {m, n})});
  made.traits.crossLane = true;
}

} // namespace tl::test
