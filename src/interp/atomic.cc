// Atomic operations: one after the other, and what another order may give. What was read depends on
// the order wherever another program, or another element of the operation, may come between; what
// is left in memory does not, unless different kinds of operations meet there; sums of floats lie
// within the bounds of sums in any order.
#include "interp/atomic.h"
#include "graph/fold_int.h"
#include "interp/machine.h"
#include "interp/numbers.h"
#include "interp/possible.h"
#include "interp/tile_ops.h"

#include <algorithm>
#include <cmath>

namespace tl::interp {

namespace {

template <class C>
Doubt doubtOfPair(Opcode opcode, DType type, double value, double a, const Doubt &da, double b,
                  const Doubt &db) {
  Possible<C> pair[] = {possibleOperand<C>(a, da.bound), possibleOperand<C>(b, db.bound)};
  return doubtOf<C>(type, value, possibleResult<C>(opcode, type, pair));
}

/// A sum of the type's own precision, in any order; our `value` was summed in ours.
Doubt doubtOfSum(const SumFacts<long double> &facts, DType type, double value) {
  Possible<long double> sum = possibleSum(facts, type);
  return doubtOf<long double>(type, value, sum);
}

uint64_t bitsOf(const TileValue &tile, size_t i) {
  return tile.isFloat() ? encodeFloat(tile.type.dtype, tile.floats[i]) : uint64_t(tile.ints[i]);
}

} // namespace

/// Whether another program may write what is there: into a view that the kernel writes, or anywhere
/// through a plain pointer.
bool Machine::othersMayWrite(uint64_t address) const {
  if (result.grid[0] * result.grid[1] * result.grid[2] == 1)
    return false;
  for (OpId id = 1; id < graph.ops.size(); ++id) {
    if (!writesMemory(graph.ops[id].opcode) || isShared(graph, graph.viewOperand(graph.ops[id])))
      continue;
    auto arg = rootArgument(graph, graph.viewOperand(graph.ops[id]));
    if (!arg || !graph.typeOf(graph.kernel.args[*arg].value).isView() ||
        address - reach[*arg].first < reach[*arg].second)
      return true;
  }
  return false;
}

/// What `op` writes over old.element(i), as element i of `next`.
void Machine::combineAtomic(const Op &op, const TileValue &old, size_t i, TileValue &next) {
  const TileValue &value = tiles[graph.writtenOperand(op)];
  const DType type = old.type.dtype;
  const size_t j = elementOf(value, i);
  const std::optional<Opcode> opcode = combiningOp(op.opcode);
  const Doubt mine = old.doubt(i), given = value.doubt(j);
  if (op.opcode == Opcode::AtomicCas) {
    const TileValue &expected = tiles[graph.operand(op, 0)];
    const size_t k = elementOf(expected, i);
    const bool open =
        mine.bound != 0 || mine.marks || expected.bound(k) != 0 || expected.doubt(k).marks;
    if (bitsOf(old, i) == bitsOf(expected, k))
      next.copyElement(i, value, j);
    else
      next.copyElement(i, old, i);
    if (open)
      next.setDoubt(i, {0, 0, Undecided});
  } else if (!opcode) {
    next.copyElement(i, value, j);
  } else if (!old.isFloat()) {
    int64_t pair[] = {old.ints[i], value.ints[j]};
    next.ints[i] = *foldInteger(*opcode, pair, type);
    if ((mine.marks | given.marks) & Undecided)
      next.setDoubt(i, {0, 0, Undecided});
  } else {
    next.floats[i] = evaluateFloat(*opcode, type, old.floats[i], value.floats[j], 0);
    if (!tracking.on)
      return;
    Doubt doubt = {0, 0, Undecided};
    if (!((mine.marks | given.marks) & Undecided))
      doubt = type == DType::F64
                  ? doubtOfPair<long double>(*opcode, type, next.floats[i], old.floats[i], mine,
                                             value.floats[j], given)
                  : doubtOfPair<double>(*opcode, type, next.floats[i], old.floats[i], mine,
                                        value.floats[j], given);
    next.setDoubt(i, doubt);
  }
}

/// Notes the touch; what it leaves may be something else in another order.
void Machine::noteAtomic(const Op &op, uint64_t address, const TileValue &old, size_t i,
                         TileValue &next) {
  if (!tracking.on)
    return;
  const int64_t number = program[0] + result.grid[0] * (program[1] + result.grid[1] * program[2]);
  auto [entry, fresh] = atomics.try_emplace(address);
  AtomicHistory &history = entry->second;
  const bool ordered = !combiningOp(op.opcode);
  const bool sums = op.opcode == Opcode::AtomicAdd && old.isFloat();
  if (fresh) {
    history.opcode = op.opcode;
    history.program = number;
    if (sums)
      history.facts.add(old.floats[i], old.bound(i));
  } else {
    history.severalPrograms |= history.program != number;
    history.severalKinds |= history.opcode != op.opcode || ordered;
  }
  if (history.severalPrograms && history.severalKinds) {
    next.setDoubt(i, {0, 0, Undecided});
  } else if (sums && !history.severalKinds) {
    const TileValue &value = tiles[graph.writtenOperand(op)];
    const size_t j = elementOf(value, i);
    history.facts.add(value.floats[j], value.bound(j));
    if (!next.undecided(i) && history.facts.terms > 2)
      next.setDoubt(i, doubtOfSum(history.facts, old.type.dtype, next.floats[i]));
  }
}

Status Machine::atomic(const Op &op) {
  const ViewValue &view = views[graph.viewOperand(op)];
  TileValue unread; // of a store
  TileValue &old = op.results.count ? tiles[graph.result(op)] : unread;
  old.reset(graph.elementsType(op));
  fillNumber(old, nullptr);
  TileValue next;
  next.reset(old.type);
  result.undecidedControl += view.at.undecided;
  const bool isOwn = isShared(graph, graph.viewOperand(op)); // of no other program
  const bool alone = isOwn || result.grid[0] * result.grid[1] * result.grid[2] == 1;
  std::vector<std::pair<uint64_t, size_t>> touched;
  for (size_t i = 0; i < old.size(); ++i) {
    uint64_t address;
    if (!placeToWrite(op, i, address))
      continue;
    TL_TRY(readElement(op, view, address, old, i));
    if (op.opcode == Opcode::AtomicLoad) {
      if (!isOwn && othersMayWrite(address))
        old.setDoubt(i, {0, 0, Undecided});
      continue;
    }
    next.setDoubt(i, {});
    combineAtomic(op, old, i, next);
    noteAtomic(op, address, old, i, next);
    TL_TRY(writeElement(op, view, address, next, i));
    touched.emplace_back(address, i);
    if (!alone)
      old.setDoubt(i, {0, 0, Undecided});
  }
  if (tracking.on && alone)
    markMeetings(op, touched, old);
  return {};
}

/// Several elements of one operation at one address: any of them may come first.
void Machine::markMeetings(const Op &op, std::vector<std::pair<uint64_t, size_t>> &touched,
                           TileValue &old) {
  std::sort(touched.begin(), touched.end());
  for (size_t k = 0; k + 1 < touched.size(); ++k) {
    if (touched[k].first != touched[k + 1].first)
      continue;
    old.setDoubt(touched[k].second, {0, 0, Undecided});
    old.setDoubt(touched[k + 1].second, {0, 0, Undecided});
    if (!combiningOp(op.opcode))
      result.errors.store(touched[k].first, old.type.dtype, {0, 0, Undecided});
  }
}

} // namespace tl::interp
