// Scans: element by element along the axis; where another axis is contiguous, whole vectors of it
// at once.
#include "codegen/host/axis_nest.h"

namespace tl::host {

namespace {

class ScanEmitter : AxisNest {
public:
  ScanEmitter(Emission &e, OpId id, const Op &op)
      : AxisNest(e, id, op), reverse(isReverseScan(op.opcode)) {}

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
    Parts none = combiner.identity(nest.lanes());
    nest.loop(axis, e.i64(0), e.i64(space.dims[axis]), 1, Carried(none.begin(), none.end()),
              [&](llvm::Value *index, llvm::ArrayRef<llvm::Value *> carried) {
                if (reverse)
                  nest.moveTo(axis, e.ir.CreateSub(last, index));
                Parts next = combiner.combine(Parts(carried.begin(), carried.end()), element());
                for (size_t i = 0; i < results.size(); ++i)
                  if (isWanted(i))
                    nest.store(combiner.finish(next[i], i), e.tile[results[i]], map,
                               e.typeOf(results[i]).dtype);
                return Carried(next.begin(), next.end());
              });
  }
};

} // namespace

void emitScan(Emission &e, OpId id) {
  if (giveBuffers(e, id))
    ScanEmitter(e, id, e.g.ops[id]).run();
}

} // namespace tl::host
