// Scans: element by element along the axis; where another axis is contiguous, whole vectors of it
// at once.
#include "codegen/host/axis_nest.h"

namespace tl::host {

namespace {

class ScanEmitter : AxisNest {
public:
  ScanEmitter(Emission &e, OpId id, const Op &op)
      : AxisNest(e, id, op), reverse(op.opcode == Opcode::ReverseScan) {}

  void run() {
    outerLoops([&] {
      if (along())
        return line();
      auto v = unsigned(shape.vectorAxis);
      nest.chunks(v, e.i64(0), e.i64(shape.extent[v]), shape.lanes, [&] { line(); });
    });
  }

private:
  bool reverse;

  void line() {
    llvm::Value *last = e.i64(space.dims[axis] - 1);
    nest.loop(axis, e.i64(0), e.i64(space.dims[axis]), 1, {combiner.identity(nest.lanes())[0]},
              [&](llvm::Value *index, llvm::ArrayRef<llvm::Value *> carried) {
                if (reverse)
                  nest.moveTo(axis, e.ir.CreateSub(last, index));
                llvm::Value *next = combiner.combine({carried[0]}, element())[0];
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
