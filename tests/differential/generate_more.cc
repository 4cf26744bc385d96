// What every kernel ends with, beside the features that it is made around: pairs of operations that
// one attribute tells apart, tiles that move within their view, ties, numbers that are known
// before. Chosen by random numbers of their own, so that the rest of a kernel does not depend on
// them.
#include "differential/generator.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace tl::test {

void Generator::emitMore() {
  Random own(~seed);
  std::swap(random, own);
  const size_t first = pool.size();
  for (size_t n = random.below(3); n > 0; --n)
    emitTwin();
  if (random.chance(40))
    moveWithinView();
  if (random.chance(20))
    roundTies();
  for (size_t n = random.below(3); n > 0; --n)
    computeKnown();
  if (random.chance(25))
    stepThroughView();
  if (random.chance(25))
    carryAround();
  if (random.chance(25))
    moveTwice();
  if (random.chance(15))
    reducePadding();
  finishBlock(first);
  std::swap(random, own);
}

/// One of the axes' offsets becomes another one, if there is room for any.
static bool moveOffset(Random &random, const Type &whole, const Type &part, const Attr *strides,
                       Dims &offsets) {
  std::vector<std::pair<size_t, int64_t>> axes; // with room for so many offsets beside the own one
  for (size_t i = 0; i < offsets.size(); ++i) {
    int64_t room = whole.dims[i] - 1 - (part.dims[i] - 1) * (strides ? strides->list[i] : 1);
    if (room > 0)
      axes.push_back({i, room});
  }
  if (axes.empty())
    return false;
  auto [axis, room] = random.pick(axes);
  int64_t other = random.between(0, room - 1);
  offsets[axis] = other + (other >= offsets[axis]);
  return true;
}

/// Changes an attribute so that the result has the same type; false where that cannot be.
bool Generator::changeAttribute(const Op &op, std::vector<Attr> &attrs) {
  const Graph &g = b.current();
  auto find = [&](AttrKey key) -> Attr * {
    auto it = std::find_if(attrs.begin(), attrs.end(), [&](auto &a) { return a.key == key; });
    return it == attrs.end() ? nullptr : &*it;
  };
  switch (op.opcode) {
  case Opcode::Slice:
    return moveOffset(random, typeOf(g.operand(op, 0)), typeOf(g.result(op)),
                      find(AttrKey::Strides), find(AttrKey::Offsets)->list);
  case Opcode::InsertSlice:
    return moveOffset(random, typeOf(g.operand(op, 0)), typeOf(g.operand(op, 1)), nullptr,
                      find(AttrKey::Offsets)->list);
  case Opcode::Permute: {
    Dims &perm = find(AttrKey::Perm)->list;
    const Type &to = typeOf(g.result(op));
    for (size_t i = 0; i + 1 < perm.size(); ++i)
      for (size_t j = i + 1; j < perm.size(); ++j)
        if (to.dims[i] == to.dims[j] && to.dims[i] > 1) {
          std::swap(perm[i], perm[j]);
          return true;
        }
    return false;
  }
  case Opcode::Flip: {
    size_t rank = typeOf(g.result(op)).rank;
    Dims &axes = find(AttrKey::Axes)->list;
    auto axis = int64_t(random.below(rank));
    if (std::erase(axes, axis) == 0)
      axes.push_back(axis);
    else if (axes.empty())
      axes = {(axis + 1) % int64_t(rank)};
    return rank > 1;
  }
  case Opcode::Iota: {
    int64_t &axis = find(AttrKey::Axis)->i, rank = typeOf(g.result(op)).rank;
    axis = (axis + 1) % rank;
    return rank > 1;
  }
  case Opcode::Cmp:
    find(AttrKey::Pred)->i = random.between(1, 6);
    return true;
  default:
    return false;
  }
}

/// An operation of the kernel once more, with another attribute: nothing else tells the two apart.
void Generator::emitTwin() {
  const Graph &g = b.current();
  std::map<Opcode, std::vector<OpId>> found;
  for (OpId id : g.block(g.kernel.body).ops) {
    const Op &op = g.ops[id];
    std::vector<Attr> attrs(g.attrs(op).begin(), g.attrs(op).end());
    if (op.results.count == 1 && entryOf(g.result(op)) && changeAttribute(op, attrs))
      found[op.opcode].push_back(id);
  }
  if (found.empty())
    return;
  auto kind = std::next(found.begin(), long(random.below(found.size())));
  const Op op = g.ops[random.pick(kind->second)];
  std::vector<Attr> attrs(g.attrs(op).begin(), g.attrs(op).end());
  changeAttribute(op, attrs);
  std::vector<ValueId> operands(g.operands(op).begin(), g.operands(op).end());
  emit(op.opcode, operands, attrs);
}

/// Loads one or two tiles from the program's part of a view that is larger than they are, and
/// stores what comes of them over a part of what was read, mostly beside where it came from.
void Generator::moveWithinView() {
  static const std::vector<DType> types = {DType::I8,  DType::I16, DType::I32, DType::I64,
                                           DType::F16, DType::F32, DType::F64};
  DType dtype = random.pick(types);
  Dims dims = shapeOf(1), extents = {programs}, rooms;
  for (int64_t d : dims) {
    rooms.push_back(random.between(0, 3));
    extents.push_back(d + rooms.back());
  }
  ValueId view =
      addFreshView(dtype, extents, outputStrides(extents), randomFill(), random.chance(30));
  auto place = [&] {
    std::vector<ValueId> at = {view, pid};
    for (int64_t room : rooms)
      at.push_back(constant(DType::I64, random.chance(90) ? random.between(0, room)
                                                          : random.between(-1, room + 1)));
    return at;
  };
  auto load = [&] { return emit(Opcode::Load, place(), {listAttr(AttrKey::Dims, dims)}); };
  ValueId v = load(), first = v;
  if (random.chance(40))
    v = emit(Opcode::Max, {v, load()});
  else if (random.chance(50))
    v = emit(Opcode::Neg, {v});
  entryOf(v)->used = true;
  std::vector<ValueId> store = {v}, at = place();
  store.insert(store.end(), at.begin(), at.end());
  emit(Opcode::Store, store);
  if (random.chance(50))
    load();
  if (random.chance(30)) // what was read before the store is stored elsewhere after it
    entryOf(first)->used = false;
}

/// A loop that changes a tile of its own program's part of a view in each round, the next one
/// starting some elements further on: most elements come to another thread then, and with this many
/// of them to another wave.
void Generator::stepThroughView() {
  DType dtype = random.chance(50) ? DType::I32 : DType::F32;
  Dims dims = {random.between(257, 700)};
  if (random.chance(30)) {
    int64_t rows = random.between(2, 20);
    dims = {rows, dims[0] / rows + 1};
  }
  int64_t rounds = random.between(2, 4);
  Dims extents = {programs};
  extents.insert(extents.end(), dims.begin(), dims.end());
  size_t axis = random.below(dims.size());
  extents[1 + axis] += rounds - 1;
  ValueId view = addFreshView(dtype, extents, {}, Fill::Small, random.chance(30));
  ValueId other = tile(dtype, dims);
  entryOf(other)->used = true;
  std::vector<ValueId> bounds = {index(0), index(rounds), index(1)};
  size_t scope = pool.size();
  std::vector<ValueId> at(2 + dims.size(), index(0));
  at[0] = view;
  at[1] = pid;
  at[2 + axis] = b.begin(Opcode::For, bounds)[0];
  ValueId v = emit(Opcode::Load, at, {listAttr(AttrKey::Dims, dims)});
  std::vector<ValueId> store = {emit(Opcode::Sub, {other, v})}; // the order of the rounds shows
  store.insert(store.end(), at.begin(), at.end());
  emit(Opcode::Store, store);
  closeScope(scope);
  b.end({});
  made.traits.control = true;
}

/// A loop that exchanges two tiles, or turns one of them round on the way.
void Generator::carryAround() {
  DType dtype = random.chance(50) ? DType::I32 : DType::F32;
  Dims dims = random.chance(50) ? shapeOf(1) : Dims{random.between(65, 700)};
  ValueId x = tile(dtype, dims), y = tile(dtype, dims), other = tile(dtype, dims);
  for (ValueId v : {x, y, other})
    entryOf(v)->used = true;
  std::vector<ValueId> operands = {index(0), index(random.between(1, 4)), index(1), x, y};
  size_t scope = pool.size();
  std::vector<ValueId> args = b.begin(Opcode::For, operands), yields = {args[2], args[1]};
  if (random.chance(60)) {
    ValueId turned = emit(Opcode::Flip, {args[1]}, {listAttr(AttrKey::Axes, {0})});
    yields[1] = emit(Opcode::Sub, {other, turned});
  }
  closeScope(scope);
  rememberCarried(b.end(yields));
  made.traits.control = made.traits.crossLane = true;
}

/// Elements that several operations move, one after the other.
void Generator::moveTwice() {
  static const std::vector<DType> types = {DType::I8, DType::F16, DType::I32, DType::F64};
  Dims dims;
  for (int64_t size = 1; dims.size() < 3 && size < 200; size *= dims.back())
    dims.push_back(random.between(3, 40));
  ValueId v = tile(random.pick(types), dims);
  for (size_t n = random.between(2, 3); n > 0; --n) {
    auto last = int64_t(dims.size()) - 1;
    if (random.chance(30)) {
      v = emit(Opcode::Flip, {v}, {listAttr(AttrKey::Axes, {random.between(0, last)})});
    } else if (random.chance(20) && last > 0) {
      Dims perm(dims.size());
      for (size_t i = 0; i < perm.size(); ++i)
        perm[i] = int64_t(i);
      random.shuffle(perm);
      v = emit(Opcode::Permute, {v}, {listAttr(AttrKey::Perm, perm)});
    } else {
      Dims offsets, strides;
      for (int64_t &d : dims) {
        strides.push_back(random.between(1, 3));
        offsets.push_back(random.between(0, std::min<int64_t>(d - 1, 3)));
        d = (d - 1 - offsets.back()) / strides.back() + 1;
      }
      v = emit(Opcode::Slice, {v},
               {listAttr(AttrKey::Offsets, offsets), listAttr(AttrKey::Dims, dims),
                listAttr(AttrKey::Strides, strides)});
    }
    dims = dimsOf(typeOf(v));
  }
}

/// The extremes along an axis of a tile of which a part, or all, lies outside of its view: lines
/// of nothing but the infinity that stands there.
void Generator::reducePadding() {
  static const std::vector<DType> types = {DType::F16, DType::BF16, DType::F32, DType::F64};
  DType dtype = random.pick(types);
  Dims dims = {random.between(1, 20), random.between(1, 70)};
  ValueId view = addFreshView(dtype, dims, {}, randomFill());
  ValueId row = index(random.chance(30) ? dims[0] : random.between(-1, dims[0]));
  Attr pad;
  pad.key = AttrKey::Pad;
  pad.isFloat = true;
  pad.f = random.chance(50) ? INFINITY : -INFINITY;
  ValueId v = emit(Opcode::Load, {view, row, index(0)}, {listAttr(AttrKey::Dims, dims), pad});
  ReduceKind kind = random.chance(50) ? ReduceKind::Max : ReduceKind::Min;
  emit(Opcode::Reduce, {v},
       {intAttr(AttrKey::Kind, int64_t(kind)), intAttr(AttrKey::Axis, random.chance(70) ? 1 : 0)});
  made.traits.crossLane = made.traits.padding = true;
}

/// Casts what lies between two neighbours of a narrower type, and right beside.
void Generator::roundTies() {
  static const std::vector<DType> wide = {DType::F64, DType::F32, DType::I64, DType::U32},
                                  narrow = {DType::F32, DType::F16, DType::BF16};
  DType from = random.pick(wide), to = random.pick(narrow);
  if (from == to)
    to = DType::F16;
  Dims dims = shapeOf(1);
  ValueId view = addFreshView(from, dims, {}, Fill::Ties);
  std::vector<ValueId> operands(1 + dims.size(), index(0));
  operands[0] = view;
  ValueId v = emit(Opcode::Load, operands, {listAttr(AttrKey::Dims, dims)});
  emit(Opcode::Cast, {v}, {intAttr(AttrKey::DType, int64_t(to))});
}

/// An operation on integers that are known before the kernel runs.
void Generator::computeKnown() {
  static const std::vector<Feature> features = [] {
    std::vector<Feature> list = allFeatures();
    std::erase_if(list, [](const Feature &f) {
      Rule rule = opInfo(f.opcode).rule;
      return f.ranks != 0 || !isInteger(f.dtype) ||
             (rule != Rule::Elementwise && rule != Rule::Compare);
    });
    return list;
  }();
  const Feature &f = random.pick(features);
  std::vector<ValueId> operands;
  for (size_t n = opInfo(f.opcode).operands.size(); n > 0; --n)
    operands.push_back(randomConstant(f.dtype));
  std::vector<Attr> attrs;
  if (opInfo(f.opcode).rule == Rule::Compare)
    attrs.push_back(intAttr(AttrKey::Pred, f.detail));
  emit(f.opcode, operands, attrs);
}

} // namespace tl::test
