#include "codegen/host/emission.h"

#include "codegen/host/nest.h"
#include "graph/interface.h"

namespace tl::host {

namespace {

using llvm::Value;

/// Row-major strides where none are given.
void completeStrides(Emission &e, ViewRef &view) {
  Value *stride = e.i64(1);
  for (size_t i = view.extents.size(); i-- > 0;) {
    if (!view.strides[i])
      view.strides[i] = stride;
    stride = e.ir.CreateMul(stride, view.extents[i]);
  }
}

Value *dimension(Emission &e, const ViewDim &dim) {
  return dim.kind == ViewDim::Kind::Literal ? e.i64(dim.literal) : e.index(dim.value);
}

} // namespace

void emitArgumentViews(Emission &e) {
  for (const Argument &arg : e.g.kernel.args) {
    if (!e.typeOf(arg.value).isView())
      continue;
    ViewRef &view = e.view[arg.value];
    view.base = e.scalar[arg.value];
    for (const ViewDim &dim : arg.extents)
      view.extents.push_back(dimension(e, dim));
    view.strides.assign(arg.extents.size(), nullptr);
    for (size_t i = 0; i < arg.strides.size(); ++i)
      view.strides[i] = dimension(e, arg.strides[i]);
    completeStrides(e, view);
  }
}

void emitMakeView(Emission &e, OpId id) {
  const Op &op = e.g.ops[id];
  ViewRef &view = e.view[e.g.result(op)];
  view.base = e.scalar[e.g.operand(op, 0)];
  unsigned rank = e.typeOf(e.g.result(op)).rank;
  for (unsigned i = 0; i < rank; ++i) {
    view.extents.push_back(e.index(e.g.operand(op, 1 + i)));
    view.strides.push_back(e.index(e.g.operand(op, 1 + rank + i)));
  }
}

void emitSharedViews(Emission &e) {
  for (auto [op, offset] : e.buffers.sharedMemory) {
    ValueId result = e.g.result(e.g.ops[op]);
    ViewRef &view = e.view[result];
    view.base = e.ir.CreateConstInBoundsGEP1_64(e.ir.getInt8Ty(), e.arena, offset);
    for (unsigned axis = 0; axis < e.typeOf(result).rank; ++axis)
      view.extents.push_back(e.i64(e.g.viewExtent(result, axis).literal));
    view.strides.assign(view.extents.size(), nullptr);
    completeStrides(e, view);
  }
}

Value *elementAddress(Emission &e, ValueId id, std::span<Value *const> index) {
  const ViewRef &view = e.view[id];
  Value *offset = e.i64(0);
  for (size_t i = 0; i < index.size(); ++i)
    offset = e.ir.CreateAdd(offset, e.ir.CreateMul(index[i], view.strides[i]));
  return e.element(view.base, offset, e.typeOf(id).dtype);
}

namespace {

/// 0 <= index < extent, for any i64 values.
Value *inside(Emission &e, Value *index, Value *extent) {
  return e.ir.CreateAnd(e.ir.CreateICmpSGE(index, llvm::ConstantInt::get(index->getType(), 0)),
                        e.ir.CreateICmpSLT(index, extent));
}

} // namespace

Value *insideView(Emission &e, ValueId id, std::span<Value *const> index) {
  Value *all = e.ir.getTrue();
  for (size_t i = 0; i < index.size(); ++i)
    all = e.ir.CreateAnd(all, inside(e, index[i], e.view[id].extents[i]));
  return all;
}

Access emitAccess(Emission &e, const Op &op, const Type &tile) {
  llvm::IRBuilder<> &ir = e.ir;
  ValueId id = e.g.viewOperand(op);
  const ViewRef &view = e.view[id];
  std::vector<Value *> index;
  for (ValueId v : e.g.indexOperands(op))
    index.push_back(e.index(v));
  std::vector<unsigned> axes = e.g.tileAxes(op);
  UnitAxis unit = unitAxis(e.g, op);

  Access access;
  access.tile.base = elementAddress(e, id, index);
  access.whole = access.possible = ir.getTrue();
  std::vector<bool> runs(index.size(), false);
  for (unsigned i = 0; i < tile.rank; ++i) {
    unsigned a = axes[i];
    runs[a] = true;
    Value *length = e.i64(tile.dims[i]), *zero = e.i64(0);
    // Coordinates t with 0 <= index + t < extent in unbounded arithmetic. Both differences are
    // exact as unsigned numbers where they are used, and the minimum brings them into the tile.
    Value *before = ir.CreateBinaryIntrinsic(llvm::Intrinsic::umin, ir.CreateNeg(index[a]), length);
    Value *low = ir.CreateSelect(ir.CreateICmpSLT(index[a], zero), before, zero);
    Value *left = ir.CreateBinaryIntrinsic(llvm::Intrinsic::umin,
                                           ir.CreateSub(view.extents[a], index[a]), length);
    Value *high = ir.CreateSelect(ir.CreateICmpSGT(view.extents[a], index[a]), left, zero);
    access.box.low[i] = low;
    access.box.high[i] = ir.CreateBinaryIntrinsic(llvm::Intrinsic::smax, low, high);
    access.tile.stride[i] = unit.certain && unit.axis == int(i) ? e.i64(1) : view.strides[a];
    access.whole = ir.CreateAnd(access.whole, ir.CreateICmpEQ(low, zero));
    access.whole = ir.CreateAnd(access.whole, ir.CreateICmpEQ(high, length));
    if (tile.dims[i] == 1)
      access.possible = ir.CreateAnd(access.possible, ir.CreateICmpSLT(low, access.box.high[i]));
  }
  for (size_t a = 0; a < index.size(); ++a) {
    if (runs[a])
      continue;
    Value *in = inside(e, index[a], view.extents[a]);
    access.whole = ir.CreateAnd(access.whole, in);
    access.possible = ir.CreateAnd(access.possible, in);
  }
  return access;
}

Value *Pointwise::address(Emission &e, unsigned lane) const {
  Value *at = offset;
  if (at->getType()->isVectorTy())
    at = e.ir.CreateExtractElement(at, lane);
  return e.element(base, at, dtype);
}

Pointwise emitPointwise(Emission &e, ValueId id, std::span<Value *const> index, Value *mask,
                        unsigned lanes) {
  llvm::IRBuilder<> &ir = e.ir;
  const ViewRef &view = e.view[id];
  auto spread = [&](Value *v) { return e.elements.splat(v, lanes); };
  Pointwise where;
  where.base = view.base;
  where.dtype = e.typeOf(id).dtype;
  where.inside = spread(mask ? mask : ir.getTrue());
  for (size_t i = 0; i < index.size(); ++i) {
    Value *at = index[i];
    llvm::Type *wide = ir.getInt64Ty();
    if (auto *vector = llvm::dyn_cast<llvm::VectorType>(at->getType()))
      wide = llvm::VectorType::get(wide, vector->getElementCount());
    at = spread(ir.CreateSExt(at, wide));
    where.inside = ir.CreateAnd(where.inside, inside(e, at, spread(view.extents[i])));
    Value *step = ir.CreateMul(at, spread(view.strides[i]));
    where.offset = where.offset ? ir.CreateAdd(where.offset, step) : step;
  }
  return where;
}

Value *loadIf(Emission &e, Value *condition, Value *address, DType dtype, Value *pad) {
  Value *from = e.ir.CreateSelect(condition, address, e.sink);
  Value *value =
      e.ir.CreateAlignedLoad(e.elements.memoryType(dtype), from, llvm::Align(dtypeBytes(dtype)));
  return e.ir.CreateSelect(condition, e.elements.fromMemory(value, dtype), pad);
}

Value *loadPointwise(Emission &e, const Pointwise &where, unsigned lanes, Value *pad) {
  if (!lanes)
    return loadIf(e, where.inside, where.address(e, 0), where.dtype, pad);
  Value *result = llvm::PoisonValue::get(e.elements.type(where.dtype, lanes));
  for (unsigned lane = 0; lane < lanes; ++lane) {
    Value *inside = e.ir.CreateExtractElement(where.inside, lane);
    Value *one = loadIf(e, inside, where.address(e, lane), where.dtype, pad);
    result = e.ir.CreateInsertElement(result, one, lane);
  }
  return result;
}

} // namespace tl::host
