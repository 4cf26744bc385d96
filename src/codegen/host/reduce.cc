// Reductions, in a fixed order: along the contiguous axis several vectors of partial results that
// are combined in the end, across it whole rows at once.
#include "codegen/host/axis_nest.h"

#include <bit>

namespace tl::host {

namespace {

using llvm::Value;

class ReduceEmitter : AxisNest {
public:
  ReduceEmitter(Emission &e, OpId id, const Op &op) : AxisNest(e, id, op) {}

  void run() {
    outerLoops([&] {
      if (along())
        return give(reduceAlong());
      reduceAcross();
    });
  }

private:
  // Partial results in a loop's list of carried values, one after the other.
  Carried flat(llvm::ArrayRef<Parts> list) {
    Carried values;
    for (const Parts &parts : list)
      values.append(parts.begin(), parts.end());
    return values;
  }
  llvm::SmallVector<Parts, 4> grouped(llvm::ArrayRef<Value *> values) {
    llvm::SmallVector<Parts, 4> list;
    for (size_t i = 0; i < values.size(); i += combiner.parts())
      list.emplace_back(values.begin() + i, values.begin() + i + combiner.parts());
    return list;
  }

  /// Partial results that hide the latency of combining; dear expressions hide it by themselves.
  unsigned accumulators(int64_t vectors) const {
    unsigned want = expression.operations <= 4 ? 4 : expression.operations <= 16 ? 2 : 1;
    return unsigned(std::bit_floor(uint64_t(std::clamp<int64_t>(vectors, 1, want))));
  }

  Parts reduceAlong() {
    int64_t n = space.dims[axis];
    unsigned lanes = shape.lanes;
    Parts total;
    int64_t done = 0;
    if (lanes) {
      unsigned count = accumulators(n / lanes);
      int64_t step = int64_t(lanes) * count;
      nest.vectorize(int(axis), lanes);
      llvm::SmallVector<Parts, 4> partial(count, combiner.identity(lanes));
      int64_t main = n / step * step;
      partial = accumulate(0, main, step, partial);
      done = n / lanes * lanes;
      partial[0] = accumulate(main, done, lanes, {partial[0]})[0];
      for (unsigned width = count / 2; width; width /= 2)
        for (unsigned i = 0; i < width; ++i)
          partial[i] = combiner.combine(partial[i], partial[i + width]);
      total = acrossLanes(partial[0], lanes);
      nest.vectorize(-1, 0);
    }
    if (done == n)
      return total;
    return accumulate(done, n, 1, {total.empty() ? combiner.identity() : total})[0];
  }

  /// Combines elements from..to of the axis into partial results that take turns.
  llvm::SmallVector<Parts, 4> accumulate(int64_t from, int64_t to, int64_t step,
                                         llvm::SmallVector<Parts, 4> partial) {
    unsigned lanes = std::max(nest.lanes(), 1u);
    return grouped(nest.loop(axis, e.i64(from), e.i64(to), step, flat(partial),
                             [&](Value *index, llvm::ArrayRef<Value *> carried) {
                               llvm::SmallVector<Parts, 4> next = grouped(carried);
                               for (unsigned i = 0; i < next.size(); ++i) {
                                 if (i)
                                   nest.moveTo(axis,
                                               e.ir.CreateAdd(index, e.i64(int64_t(i) * lanes)));
                                 next[i] = combiner.combine(next[i], element());
                               }
                               return flat(next);
                             }));
  }

  Parts acrossLanes(Parts v, unsigned lanes) {
    for (unsigned half = lanes / 2; half; half /= 2) {
      llvm::SmallVector<int, 64> upper, lower;
      for (unsigned i = 0; i < half; ++i) {
        lower.push_back(int(i));
        upper.push_back(int(i + half));
      }
      Parts a, b;
      for (Value *part : v) {
        a.push_back(e.ir.CreateShuffleVector(part, lower));
        b.push_back(e.ir.CreateShuffleVector(part, upper));
      }
      v = combiner.combine(a, b);
    }
    for (Value *&part : v)
      part = e.ir.CreateExtractElement(part, uint64_t(0));
    return v;
  }

  /// The vector axis stays: several vectors side by side, each combined over all of the axis.
  void reduceAcross() {
    auto v = unsigned(shape.vectorAxis);
    int64_t n = shape.extent[v], done = 0;
    if (unsigned lanes = shape.lanes) {
      unsigned count = accumulators(n / lanes);
      nest.vectorize(int(v), lanes);
      for (unsigned width : {count, 1u}) {
        int64_t step = int64_t(lanes) * width, to = n / step * step;
        nest.loop(v, e.i64(done), e.i64(to), step, [&] { column(v, width); });
        done = to;
      }
      nest.vectorize(-1, 0);
    }
    nest.loop(v, e.i64(done), e.i64(n), 1, [&] { column(v, 1); });
  }

  void column(unsigned v, unsigned width) {
    Value *start = nest.coordinate(v);
    auto at = [&](unsigned i) {
      return i ? e.ir.CreateAdd(start, e.i64(int64_t(i) * nest.lanes())) : start;
    };
    llvm::SmallVector<Value *, 4> starts;
    for (unsigned i = 0; i < width; ++i)
      starts.push_back(at(i));
    llvm::SmallVector<Parts, 4> init(width, combiner.identity(nest.lanes()));
    auto last = grouped(nest.loop(axis, e.i64(0), e.i64(space.dims[axis]), 1, flat(init),
                                  [&](Value *, llvm::ArrayRef<Value *> carried) {
                                    auto next = grouped(carried);
                                    for (unsigned i = 0; i < width; ++i) {
                                      if (width > 1)
                                        nest.moveTo(v, starts[i]);
                                      next[i] = combiner.combine(next[i], element());
                                    }
                                    return flat(next);
                                  }));
    for (unsigned i = 0; i < width; ++i) {
      nest.moveTo(v, starts[i]);
      give(last[i]);
    }
  }

  /// Puts a finished element, or a vector of them, where it belongs.
  void give(const Parts &parts) {
    AxisMap to;
    to.rank = uint8_t(space.rank - 1);
    for (unsigned i = 0; i < to.rank; ++i)
      to.axis[i] = map.axis[i < axis ? i : i + 1];
    for (size_t i = 0; i < results.size(); ++i) {
      if (!isWanted(i))
        continue;
      Value *v = combiner.finish(parts[combiner.resultPart(i)], i);
      if (space.rank == 1)
        e.scalar[results[i]] = v;
      else
        nest.store(v, e.tile[results[i]], to, e.typeOf(results[i]).dtype);
    }
  }
};

} // namespace

void emitReduce(Emission &e, OpId id) {
  if (giveBuffers(e, id))
    ReduceEmitter(e, id, e.g.ops[id]).run();
}

} // namespace tl::host
