// Stores: one nest over the part of the tile that lies inside the view. All elements of earlier
// loads are read before anything is written: a load that the nest reads in place is checked at run
// time to lie apart from what is written, or to be the very same elements, each of which is then
// read before it is written; otherwise it is copied first.
#include "codegen/host/nest.h"

namespace tl::host {

namespace {

using llvm::Value;

bool promisedApart(const Graph &g, const Op &load, const Op &store) {
  return areApart(g, g.viewOperand(load), g.viewOperand(store));
}

/// The same view at the same place, without elements that overlap: each element is read and then
/// written by one round of the nest, if it is read through the identity.
bool plainlyTheSame(const Graph &g, const Op &load, const Op &store) {
  ValueId view = g.viewOperand(load);
  if (view != g.viewOperand(store) ||
      !g.typeOf(g.result(load)).sameShape(g.typeOf(g.operand(store, 0))) ||
      g.tileAxes(load) != g.tileAxes(store))
    return false;
  for (unsigned i = 0; i < g.typeOf(view).rank; ++i)
    if (g.viewStride(view, i) || g.indexOperands(load)[i] != g.indexOperands(store)[i])
      return false;
  return true;
}

struct Span {
  Value *from, *to; // addresses; `to` is exclusive
};

/// What a tile covers, from its lowest to its highest byte.
Span spanOf(Emission &e, const Type &type, const TileRef &tile, const Box *box) {
  llvm::IRBuilder<> &ir = e.ir;
  Value *bytes = e.i64(dtypeBytes(type.dtype)), *zero = e.i64(0);
  Value *from = ir.CreatePtrToInt(tile.base, ir.getInt64Ty());
  Value *to = ir.CreateAdd(from, bytes);
  for (unsigned i = 0; i < type.rank; ++i) {
    if (type.dims[i] == 1)
      continue;
    Value *stride = ir.CreateMul(tile.stride[i], bytes);
    Value *low = box ? box->low[i] : zero;
    Value *last = ir.CreateSub(box ? box->high[i] : e.i64(type.dims[i]), e.i64(1));
    Value *a = ir.CreateMul(stride, low), *b = ir.CreateMul(stride, last);
    from = ir.CreateAdd(from, ir.CreateBinaryIntrinsic(llvm::Intrinsic::smin, a, b));
    to = ir.CreateAdd(to, ir.CreateBinaryIntrinsic(llvm::Intrinsic::smax, a, b));
  }
  return {from, to};
}

class StoreEmitter {
public:
  StoreEmitter(Emission &e, const Op &op)
      : e(e), op(op), value(e.g.operand(op, 0)), type(e.typeOf(value)), map(identityMap(type)) {
    addExpression(e.g, e.values, value, map, 0, expression);
  }

  void run() {
    access = emitAccess(e, op, type);
    e.ifThen(access.possible, [&] {
      std::vector<std::pair<ValueId, TileRef>> saved;
      for (const Leaf &leaf : expression.leaves)
        if (e.values.place[leaf.value] == Place::InPlace && !seen(saved, leaf.value)) {
          saved.push_back({leaf.value, e.tile[leaf.value]});
          keepApart(leaf.value);
        }
      emitNests();
      for (auto &[load, tile] : saved)
        e.tile[load] = tile;
    });
  }

private:
  Emission &e;
  const Op &op;
  ValueId value;
  const Type &type;
  AxisMap map;
  Expression expression;
  Access access;

  static bool seen(const std::vector<std::pair<ValueId, TileRef>> &list, ValueId v) {
    return std::any_of(list.begin(), list.end(), [&](auto &entry) { return entry.first == v; });
  }

  void emitNests() {
    UnitAxis unit = unitAxis(e.g, op);
    auto emit = [&](const TileRef &to) {
      Nest nest(e);
      forEach(nest, e, shapeNest(e, type, expression, nullptr, unit.axis), &access.box,
              [&] { nest.store(nest.evaluate(value, map), to, map, type.dtype); });
    };
    if (unit.axis < 0 || unit.certain)
      return emit(access.tile);
    Value *adjacent = e.ir.CreateICmpEQ(access.tile.stride[size_t(unit.axis)], e.i64(1));
    e.ifThen(adjacent, [&] {
      TileRef to = access.tile;
      to.stride[size_t(unit.axis)] = e.i64(1);
      emit(to);
    });
    e.ifThen(e.ir.CreateNot(adjacent), [&] { emit(access.tile); });
  }

  /// True if all of the nest's reads of a load are of the element that the same round writes.
  bool readInStep(ValueId load) const {
    for (const Leaf &leaf : expression.leaves)
      if (leaf.value == load && !(leaf.map == map && e.typeOf(load).sameShape(type)))
        return false;
    return dtypeBytes(e.typeOf(load).dtype) == dtypeBytes(type.dtype);
  }

  /// Lets the nest read a copy of the load where writing could change what is still to be read.
  void keepApart(ValueId load) {
    const Op &loadOp = *e.g.definingOp(load);
    bool inStep = readInStep(load);
    if (promisedApart(e.g, loadOp, op) || (inStep && plainlyTheSame(e.g, loadOp, op)))
      return;
    TileRef &tile = e.tile[load];
    Value *fine = apart(load, tile);
    if (inStep)
      fine = e.ir.CreateOr(fine, theSame(tile));
    TileRef copy = copyOfLoad(e, load);
    tile = orCopy(e, e.typeOf(load), fine, tile, copy,
                  [&] { copyTile(e, e.typeOf(load), tile, copy); });
  }

  Value *apart(ValueId load, const TileRef &tile) {
    Span read = spanOf(e, e.typeOf(load), tile, nullptr);
    Span written = spanOf(e, type, access.tile, &access.box);
    return e.ir.CreateOr(e.ir.CreateICmpULE(read.to, written.from),
                         e.ir.CreateICmpULE(written.to, read.from));
  }

  /// The same address for each element, and no two elements that share bytes.
  Value *theSame(const TileRef &tile) {
    llvm::IRBuilder<> &ir = e.ir;
    Value *same = ir.CreateICmpEQ(tile.base, access.tile.base);
    Value *reach = e.i64(1); // of the axes inside: the smallest stride that steps over them
    for (unsigned i = type.rank; i-- > 0;) {
      if (type.dims[i] == 1)
        continue;
      Value *stride = tile.stride[i];
      same = ir.CreateAnd(same, ir.CreateICmpEQ(stride, access.tile.stride[i]));
      same = ir.CreateAnd(same, ir.CreateICmpSGE(stride, reach));
      reach = ir.CreateMul(stride, e.i64(type.dims[i]));
    }
    return same;
  }
};

void storeScalar(Emission &e, const Op &op) {
  DType dtype = e.typeOf(e.g.operand(op, 0)).dtype;
  std::vector<Value *> index;
  for (ValueId v : e.g.indexOperands(op))
    index.push_back(e.index(v));
  ValueId view = e.g.viewOperand(op);
  e.ifThen(insideView(e, view, index), [&] {
    Value *value = e.elements.toMemory(e.scalar[e.g.operand(op, 0)], dtype);
    e.ir.CreateAlignedStore(value, elementAddress(e, view, index), llvm::Align(dtypeBytes(dtype)));
  });
}

} // namespace

void emitStore(Emission &e, OpId id) {
  const Op &op = e.g.ops[id];
  if (e.typeOf(e.g.operand(op, 0)).rank == 0)
    storeScalar(e, op);
  else
    StoreEmitter(e, op).run();
}

} // namespace tl::host
