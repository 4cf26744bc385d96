// Scans: element by element along the axis; where another axis is contiguous, whole vectors of it
// at once.
#include "codegen/host/nest.h"
#include "codegen/llvm/combiner.h"

namespace tl::host {

namespace {

using llvm::Value;

class ScanEmitter {
public:
  ScanEmitter(Emission &e, OpId id, const Op &op)
      : e(e), nest(e, id), operand(e.g.operand(op, 0)), space(e.typeOf(operand)),
        result(e.g.result(op)), combiner(e.elements, e.ir, e.g, op),
        axis(unsigned(e.g.intAttr(op, AttrKey::Axis))), reverse(op.opcode == Opcode::ReverseScan),
        map(identityMap(space)) {
    addExpression(e.g, e.values, operand, map, id, expression);
  }

  void run() {
    shape = shapeNest(e, space, expression, nullptr, -1);
    outerLoops(0);
  }

private:
  Emission &e;
  Nest nest;
  ValueId operand;
  const Type &space;
  ValueId result;
  Combiner combiner;
  unsigned axis;
  bool reverse;
  AxisMap map;
  Expression expression;
  NestShape shape;

  bool acrossVectors() const { return shape.vectorAxis >= 0 && shape.vectorAxis != int(axis); }

  void outerLoops(unsigned a) {
    while (a < space.rank &&
           (a == axis || space.dims[a] == 1 || (acrossVectors() && int(a) == shape.vectorAxis)))
      ++a;
    if (a < space.rank)
      return nest.loop(a, e.i64(0), e.i64(space.dims[a]), 1, [&] { outerLoops(a + 1); });
    if (!acrossVectors())
      return line();
    auto v = unsigned(shape.vectorAxis);
    int64_t n = shape.extent[v], done = 0;
    if (shape.lanes) {
      nest.vectorize(int(v), shape.lanes);
      done = n / shape.lanes * shape.lanes;
      nest.loop(v, e.i64(0), e.i64(done), shape.lanes, [&] { line(); });
      nest.vectorize(-1, 0);
    }
    nest.loop(v, e.i64(done), e.i64(n), 1, [&] { line(); });
  }

  void line() {
    Value *last = e.i64(space.dims[axis] - 1);
    nest.loop(axis, e.i64(0), e.i64(space.dims[axis]), 1, {combiner.identity(nest.lanes())[0]},
              [&](Value *index, llvm::ArrayRef<Value *> carried) {
                if (reverse)
                  nest.moveTo(axis, e.ir.CreateSub(last, index));
                Value *v = e.elements.splat(nest.evaluate(operand, map), nest.lanes());
                nest.storeKept(expression);
                Value *next = combiner.combine({carried[0]}, combiner.lift(v, nullptr))[0];
                nest.store(combiner.finish(next), e.tile[result], map, space.dtype);
                return Carried{next};
              });
  }
};

} // namespace

void emitScan(Emission &e, OpId id) {
  const Op &op = e.g.ops[id];
  ValueId v = e.g.result(op);
  if (e.values.place[v] == Place::None)
    return;
  e.tile[v] = e.bufferTile(e.buffers.ofValue[v], e.typeOf(v));
  ScanEmitter(e, id, op).run();
}

} // namespace tl::host
