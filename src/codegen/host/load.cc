// Loads: read in place where that is possible, else copied into the arena with padding.
#include "codegen/host/emission.h"

namespace tl::host {

namespace {

using llvm::Value;

void copyPadded(Emission &e, const Op &op, const Type &type, const Access &access,
                const TileRef &to) {
  e.ifThen(e.ir.CreateNot(access.whole), [&] { fillTile(e, type, to, e.pad(op, type.dtype)); });
  e.ifThen(access.possible, [&] { copyTile(e, type, access.tile, to, &access.box); });
}

Value *loadScalar(Emission &e, const Op &op, DType dtype) {
  std::vector<Value *> index;
  for (ValueId v : e.g.indexOperands(op))
    index.push_back(e.index(v));
  ValueId view = e.g.viewOperand(op);
  return loadIf(e, insideView(e, view, index), elementAddress(e, view, index), dtype,
                e.pad(op, dtype));
}

/// The tile as it stands in memory or, when a part of it is outside or it is not contiguous along
/// the axis that loops over it rely on, a copy. Which of the two is known at run time only.
TileRef loadInPlace(Emission &e, const Op &op, const Type &type) {
  llvm::IRBuilder<> &ir = e.ir;
  Access access = emitAccess(e, op, type);
  UnitAxis unit = unitAxis(e.g, op);
  TileRef copy = copyOfLoad(e, e.g.result(op));
  TileRef result = access.tile;
  Value *asItIs = access.whole;
  if (unit.axis >= 0 && !unit.certain) {
    Value *&stride = result.stride[size_t(unit.axis)];
    asItIs = ir.CreateAnd(asItIs, ir.CreateICmpEQ(stride, e.i64(1)));
    stride = e.i64(1);
  }
  return orCopy(e, type, asItIs, result, copy, [&] { copyPadded(e, op, type, access, copy); });
}

} // namespace

TileRef copyOfLoad(Emission &e, ValueId load) {
  const Type &type = e.typeOf(load);
  int innermost = unitAxis(e.g, *e.g.definingOp(load)).axis;
  TileRef tile = e.bufferTile(e.buffers.ofValue[load], type);
  if (innermost < 0)
    return tile;
  int64_t stride = type.dims[size_t(innermost)];
  for (unsigned i = type.rank; i-- > 0;) {
    if (int(i) == innermost)
      continue;
    tile.stride[i] = e.i64(stride);
    stride *= type.dims[i];
  }
  tile.stride[size_t(innermost)] = e.i64(1);
  return tile;
}

TileRef orCopy(Emission &e, const Type &type, Value *asItIs, const TileRef &inPlace,
               const TileRef &copy, llvm::function_ref<void()> makeCopy) {
  llvm::IRBuilder<> &ir = e.ir;
  llvm::BasicBlock *before = ir.GetInsertBlock(), *copied = nullptr;
  e.ifThen(ir.CreateNot(asItIs), [&] {
    makeCopy();
    copied = ir.GetInsertBlock();
  });
  if (!copied) // known not to be needed
    return inPlace;
  if (ir.GetInsertBlock() == copied) // known to be needed
    return copy;
  auto choose = [&](Value *a, Value *b) -> Value * {
    if (a == b)
      return a;
    llvm::PHINode *phi = ir.CreatePHI(a->getType(), 2);
    phi->addIncoming(a, before);
    phi->addIncoming(b, copied);
    return phi;
  };
  TileRef result;
  result.base = choose(inPlace.base, copy.base);
  for (unsigned i = 0; i < type.rank; ++i)
    result.stride[i] = choose(inPlace.stride[i], copy.stride[i]);
  return result;
}

void emitLoad(Emission &e, OpId id) {
  const Op &op = e.g.ops[id];
  ValueId v = e.g.result(op);
  const Type &type = e.typeOf(v);
  switch (e.values.place[v]) {
  case Place::Scalar:
    e.scalar[v] = loadScalar(e, op, type.dtype);
    break;
  case Place::InPlace:
    e.tile[v] = loadInPlace(e, op, type);
    break;
  case Place::Buffer:
    e.tile[v] = e.bufferTile(e.buffers.ofValue[v], type);
    copyPadded(e, op, type, emitAccess(e, op, type), e.tile[v]);
    break;
  default: // nothing needs it
    break;
  }
}

} // namespace tl::host
