#include "codegen/host/dot_pack.h"

namespace tl::host {

namespace {

using llvm::Value;

/// An operand's element or elements in the type that dots compute in.
Value *widen(Emission &e, Value *v, DType from, DType to) {
  if (from == to)
    return v;
  return isFloat(to) ? e.elements.toFloat(v, from) : e.elements.cast(v, from, to);
}

/// Transposes a square of vectors, swapping blocks of 1, 2, 4, ... off the diagonal.
void transpose(Emission &e, llvm::MutableArrayRef<Value *> rows) {
  auto n = unsigned(rows.size());
  for (unsigned distance = 1; distance < n; distance *= 2) {
    llvm::SmallVector<int, 16> even, odd;
    for (unsigned lane = 0; lane < n; ++lane) {
      even.push_back(int(lane & distance ? n + lane - distance : lane));
      odd.push_back(int(lane & distance ? n + lane : lane + distance));
    }
    for (unsigned i = 0; i < n; ++i) {
      if (i & distance)
        continue;
      Value *a = rows[i], *b = rows[i + distance];
      rows[i] = e.ir.CreateShuffleVector(a, b, even);
      rows[i + distance] = e.ir.CreateShuffleVector(a, b, odd);
    }
  }
}

/// Rows ahead of packing that are asked for.
constexpr int64_t prefetchDistance = 8;

class PackB {
public:
  PackB(Emission &e, ValueId b, const DotShape &shape, Value *to, Value *first, Value *count)
      : e(e), nest(e), b(b), type(e.typeOf(b)), s(shape), to(to), first(first),
        end(e.ir.CreateAdd(first, count)), map(identityMap(type)) {
    addExpression(e.g, e.values, b, map, 0, expression);
    expression.laneBytes = std::max(expression.laneBytes, unsigned(dtypeBytes(s.compute)));
  }

  void run() {
    NestShape shape = shapeNest(e, type, expression, nullptr, 1);
    if (shape.vectorAxis == 0 && type.dims[0] >= int32_t(s.lanes))
      packColumns();
    else
      packRows();
  }

private:
  Emission &e;
  Nest nest;
  ValueId b;
  const Type &type;
  const DotShape &s;
  Value *to, *first, *end;
  AxisMap map;
  Expression expression;

  int64_t wholePanels() const { return s.n / s.panelWidth(); }
  int64_t rest() const { return s.n % s.panelWidth(); }

  Value *element() { return widen(e, nest.evaluate(b, map), type.dtype, s.compute); }

  void put(Value *vector, Value *panel, Value *row, Value *column) {
    Value *offset = e.ir.CreateMul(e.ir.CreateSub(row, first), e.i64(s.panelWidth()));
    offset = e.ir.CreateAdd(offset, column);
    e.ir.CreateAlignedStore(vector, e.element(panel, offset, s.compute),
                            llvm::Align(dtypeBytes(s.compute)));
  }

  Value *panelAt(Value *number) {
    return e.element(to, e.ir.CreateMul(number, e.i64(s.panelStride())), s.compute);
  }

  /// A loop over whole panels, with the first column of each, then the narrower one. `body` gets
  /// the packed panel, its first column and how many columns it has.
  void eachPanel(llvm::function_ref<void(Value *panel, Value *column, int64_t columns)> body) {
    int64_t width = s.panelWidth();
    nest.loop(1, e.i64(0), e.i64(wholePanels() * width), width, [&] {
      Value *column = nest.coordinate(1);
      body(panelAt(e.ir.CreateUDiv(column, e.i64(width))), column, width);
    });
    if (rest())
      nest.loop(1, e.i64(wholePanels() * width), e.i64(s.n), width,
                [&] { body(panelAt(e.i64(wholePanels())), nest.coordinate(1), rest()); });
  }

  /// Row by row: B is contiguous along N.
  void packRows() {
    nest.loop(0, first, end, 1, [&] {
      Value *row = nest.coordinate(0);
      eachPanel([&](Value *panel, Value *column, int64_t columns) {
        for (int64_t j = 0; j < columns; j += s.lanes) {
          Value *at = e.ir.CreateAdd(column, e.i64(j));
          put(columns - j >= s.lanes ? vectorOfRow(at) : partOfRow(at, columns - j), panel, row,
              e.i64(j));
        }
      });
    });
  }

  Value *vectorOfRow(Value *column) {
    nest.vectorize(1, s.lanes);
    nest.moveTo(1, column);
    prefetchRows(e, nest, expression, 0);
    Value *vector = e.elements.splat(element(), s.lanes);
    nest.vectorize(-1, 0);
    return vector;
  }

  /// Fewer columns than lanes, the others zero.
  Value *partOfRow(Value *column, int64_t columns) {
    Value *vector = e.elements.zero(s.compute, s.lanes);
    for (int64_t lane = 0; lane < columns; ++lane) {
      nest.moveTo(1, e.ir.CreateAdd(column, e.i64(lane)));
      vector = e.ir.CreateInsertElement(vector, element(), uint64_t(lane));
    }
    return vector;
  }

  /// Square by square, transposed in registers: B is contiguous along K.
  void packColumns() {
    eachPanel([&](Value *panel, Value *column, int64_t columns) {
      for (int64_t j = 0; j < columns; j += s.lanes) {
        Value *at = e.ir.CreateAdd(column, e.i64(j));
        int64_t width = std::min<int64_t>(columns - j, s.lanes);
        nest.chunks(0, first, end, s.lanes, [&] {
          Value *row = nest.coordinate(0);
          if (nest.lanes())
            putSquare(panel, row, at, width, j);
          else
            put(partOfRow(at, width), panel, row, e.i64(j));
        });
      }
    });
  }

  void putSquare(Value *panel, Value *row, Value *column, int64_t width, int64_t j) {
    llvm::SmallVector<Value *, 16> square(s.lanes, e.elements.zero(s.compute, s.lanes));
    for (int64_t i = 0; i < width; ++i) {
      nest.moveTo(1, e.ir.CreateAdd(column, e.i64(i)));
      square[size_t(i)] = e.elements.splat(element(), s.lanes);
    }
    transpose(e, square);
    for (unsigned i = 0; i < s.lanes; ++i)
      put(square[i], panel, e.ir.CreateAdd(row, e.i64(i)), e.i64(j));
  }
};

} // namespace

void prefetchRows(Emission &e, Nest &nest, const Expression &expression, unsigned axis) {
  for (const Leaf &leaf : expression.leaves)
    if (e.values.place[leaf.value] == Place::InPlace)
      nest.prefetch(e.tile[leaf.value], leaf.map, e.typeOf(leaf.value).dtype, axis,
                    prefetchDistance);
}

void packA(Emission &e, ValueId a, const DotShape &s, Value *to, Value *first, Value *count) {
  const Type &type = e.typeOf(a);
  AxisMap map = identityMap(type);
  Expression expression;
  addExpression(e.g, e.values, a, map, 0, expression);
  expression.laneBytes = std::max(expression.laneBytes, unsigned(dtypeBytes(s.compute)));
  Box box;
  box.low = {e.i64(0), first};
  box.high = {e.i64(s.m), e.ir.CreateAdd(first, count)};
  TileRef packed;
  packed.base = e.element(to, e.ir.CreateNeg(first), s.compute);
  packed.stride = {e.i64(s.slice), e.i64(1)};
  Nest nest(e);
  forEach(nest, e, shapeNest(e, type, expression, nullptr, 1), &box, [&] {
    if (nest.lanes())
      prefetchRows(e, nest, expression, 0);
    Value *v = widen(e, nest.evaluate(a, map), type.dtype, s.compute);
    nest.store(v, packed, map, s.compute);
  });
}

void packB(Emission &e, ValueId b, const DotShape &s, Value *to, Value *first, Value *count) {
  PackB(e, b, s, to, first, count).run();
}

} // namespace tl::host
