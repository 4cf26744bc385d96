// Dots: blocks of the result held in vector registers while a loop runs over a slice of K.
#include "codegen/host/dot_pack.h"

namespace tl::host {

namespace {

using llvm::Value;

class DotEmitter {
public:
  DotEmitter(Emission &e, OpId id)
      : e(e), id(id), op(e.g.ops[id]), s(planDot(e.g, e.values, id, e.vectorBits)),
        acc(e.tile[e.g.result(op)]), vector(e.elements.type(s.compute, s.lanes)),
        align(dtypeBytes(s.compute)) {}

  void run() {
    if (!s.startAtZero && !e.buffers.shared(e.g.operand(op, 2), e.g.result(op)))
      materialize(e, e.g.operand(op, 2), acc, 0);
    e.at(id);
    Value *packedB = buffer(Scratch::PackedB);
    emitLoop(e, e.i64(0), e.i64(s.k), s.slice, {}, [&](Value *first, llvm::ArrayRef<Value *>) {
      Value *count = e.i64(s.slice);
      if (s.k % s.slice)
        count = e.ir.CreateBinaryIntrinsic(llvm::Intrinsic::umin, count,
                                           e.ir.CreateSub(e.i64(s.k), first));
      ValueId a = e.g.operand(op, 0);
      if (s.packA) {
        rowsOfA = buffer(Scratch::PackedA);
        strideOfA = e.i64(s.slice);
        packA(e, a, s, rowsOfA, first, count);
      } else {
        rowsOfA = e.element(e.tile[a].base, first, s.compute);
        strideOfA = e.tile[a].stride[0];
      }
      packB(e, e.g.operand(op, 1), s, packedB, first, count);
      e.at(id);
      multiply(packedB, count);
      return Carried();
    });
  }

private:
  Emission &e;
  OpId id;
  const Op &op;
  DotShape s;
  TileRef acc;
  llvm::Type *vector;
  llvm::Align align;
  Value *rowsOfA = nullptr, *strideOfA = nullptr;

  Value *buffer(Scratch scratch) { return e.bufferAddress(e.buffers.ofOp.at({id, scratch, 0})); }
  Value *plus(Value *a, int64_t b) { return b ? e.ir.CreateAdd(a, e.i64(b)) : a; }
  Value *times(Value *a, int64_t b) { return e.ir.CreateMul(a, e.i64(b)); }

  void multiply(Value *packedB, Value *count) {
    int64_t whole = s.n / s.panelWidth(), rest = s.n % s.panelWidth();
    auto panel = [&](Value *number, int64_t columns) {
      Value *b = e.element(packedB, times(number, s.panelStride()), s.compute);
      eachRowBlock([&](Value *row, unsigned rows) {
        block(b, row, times(number, s.panelWidth()), rows, columns, count);
      });
    };
    emitLoop(e, e.i64(0), e.i64(whole), 1, {}, [&](Value *number, llvm::ArrayRef<Value *>) {
      panel(number, s.panelWidth());
      return Carried();
    });
    if (rest)
      panel(e.i64(whole), rest);
  }

  void eachRowBlock(llvm::function_ref<void(Value *row, unsigned rows)> body) {
    int64_t large = s.largeBlocks * s.rows;
    auto run = [&](int64_t from, int64_t to, unsigned rows) {
      if (rows)
        emitLoop(e, e.i64(from), e.i64(to), rows, {}, [&](Value *row, llvm::ArrayRef<Value *>) {
          body(row, rows);
          return Carried();
        });
    };
    run(0, large, s.rows);
    run(large, s.m, s.rows - 1);
  }

  /// The mask of a vector of which only some lanes are columns; null for a whole one.
  llvm::Constant *maskOf(int64_t columns) {
    if (columns >= s.lanes)
      return nullptr;
    llvm::SmallVector<llvm::Constant *, 16> lanes;
    for (unsigned lane = 0; lane < s.lanes; ++lane)
      lanes.push_back(e.ir.getInt1(lane < columns));
    return llvm::ConstantVector::get(lanes);
  }

  /// rows x columns of the result, in registers.
  void block(Value *b, Value *row, Value *column, unsigned rows, int64_t columns, Value *count) {
    auto vectors = unsigned((columns + s.lanes - 1) / s.lanes);
    llvm::SmallVector<Value *, 32> addresses;
    Carried sums;
    for (unsigned i = 0; i < rows; ++i)
      for (unsigned j = 0; j < vectors; ++j) {
        Value *at = plus(e.ir.CreateAdd(times(plus(row, i), s.n), column), j * s.lanes);
        addresses.push_back(e.element(acc.base, at, s.compute));
        sums.push_back(loadSum(addresses.back(), columns - j * s.lanes));
      }
    Value *a = e.element(rowsOfA, e.ir.CreateMul(row, strideOfA), s.compute);
    sums = emitLoop(
        e, e.i64(0), count, 1, sums,
        [&](Value *k, llvm::ArrayRef<Value *> carried) {
          return step(a, b, k, rows, vectors, carried);
        },
        {}, /*unroll=*/4);
    for (unsigned i = 0; i < rows; ++i)
      for (unsigned j = 0; j < vectors; ++j)
        storeSum(sums[i * vectors + j], addresses[i * vectors + j], columns - j * s.lanes);
  }

  Value *loadSum(Value *address, int64_t columns) {
    if (s.startAtZero)
      return e.elements.zero(s.compute, s.lanes);
    if (llvm::Constant *mask = maskOf(columns))
      return e.ir.CreateMaskedLoad(vector, address, align, mask,
                                   e.elements.zero(s.compute, s.lanes));
    return e.ir.CreateAlignedLoad(vector, address, align);
  }

  void storeSum(Value *sum, Value *address, int64_t columns) {
    if (llvm::Constant *mask = maskOf(columns))
      e.ir.CreateMaskedStore(sum, address, align, mask);
    else
      e.ir.CreateAlignedStore(sum, address, align);
  }

  /// One k: a column of A times a row of the panel.
  Carried step(Value *a, Value *b, Value *k, unsigned rows, unsigned vectors,
               llvm::ArrayRef<Value *> sums) {
    llvm::SmallVector<Value *, 8> row;
    Value *at = times(k, s.panelWidth());
    for (unsigned j = 0; j < vectors; ++j)
      row.push_back(
          e.ir.CreateAlignedLoad(vector, e.element(b, plus(at, j * s.lanes), s.compute), align));
    Carried next;
    for (unsigned i = 0; i < rows; ++i) {
      Value *offset = e.ir.CreateAdd(e.ir.CreateMul(e.i64(i), strideOfA), k);
      Value *one = e.ir.CreateAlignedLoad(e.elements.type(s.compute),
                                          e.element(a, offset, s.compute), align);
      Value *all = e.ir.CreateVectorSplat(s.lanes, one);
      for (unsigned j = 0; j < vectors; ++j)
        next.push_back(multiplyAdd(all, row[j], sums[i * vectors + j]));
    }
    return next;
  }

  Value *multiplyAdd(Value *a, Value *b, Value *sum) {
    if (isFloat(s.compute))
      return e.ir.CreateIntrinsic(llvm::Intrinsic::fma, {vector}, {a, b, sum});
    return e.ir.CreateAdd(e.ir.CreateMul(a, b), sum);
  }
};

} // namespace

void emitDot(Emission &e, OpId id) {
  ValueId v = e.g.result(e.g.ops[id]);
  if (e.values.place[v] == Place::None)
    return;
  e.tile[v] = e.bufferTile(e.buffers.ofValue[v], e.typeOf(v));
  DotEmitter(e, id).run();
}

} // namespace tl::host
