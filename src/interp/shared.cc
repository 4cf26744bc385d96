// Shared memory, and copies that are done later.
#include "graph/infer.h"
#include "graph/infer_shared.h"
#include "interp/machine.h"
#include "interp/tile_ops.h"

#include <algorithm>

namespace tl::interp {

/// Full of ones, and in doubt until it is written. There is one memory for each operation, also in
/// a loop.
void Machine::allocShared(const Op &op) {
  const ValueId value = graph.result(op);
  const Type &type = graph.typeOf(value);
  ViewValue &view = views[value];
  int64_t elements = 1;
  for (unsigned axis = type.rank; axis-- > 0;) {
    view.extents[axis] = graph.viewExtent(value, axis).literal;
    view.strides[axis] = elements;
    elements *= view.extents[axis];
  }
  const unsigned id = ofShared | value;
  auto [entry, isNew] = shared.try_emplace(id, sharedBytes(graph, op) / 8, UINT64_MAX);
  view.at = {uint64_t(reinterpret_cast<uintptr_t>(entry->second.data())), id, false};
  for (int64_t i = 0; isNew && tracking.on && i < elements; ++i)
    result.errors.store(view.at.address + uint64_t(i) * dtypeBytes(type.dtype), type.dtype,
                        {0, 0, Undecided});
}

/// Done at once. What an async_copy has written is in doubt until it is waited for.
Status Machine::copy(const Op &op) {
  const CopyIndices at = copyIndices(graph, op);
  const ValueId to = graph.operand(op, 0), from = graph.operand(op, 1);
  const std::vector<int64_t> &dims = graph.attr(op, AttrKey::Dims)->list;
  auto lastAxes = [&](ValueId view) {
    std::vector<unsigned> axes;
    for (size_t i = 0; i < dims.size(); ++i)
      axes.push_back(unsigned(graph.typeOf(view).rank - dims.size() + i));
    return axes;
  };
  TL_ASSIGN(std::vector<int64_t> extents,
            resolveDims(graph, op.opcode, *graph.attr(op, AttrKey::Dims)));
  TileValue value;
  value.reset(Type::tile(graph.typeOf(to).dtype, extents));
  fillNumber(value, nullptr);
  TL_TRY(loadTile(op, {from, at.from, lastAxes(from)}, value));
  Written written;
  TL_TRY(storeTile(op, {to, at.to, lastAxes(to)}, value, written));
  if (op.opcode != Opcode::AsyncCopy || !tracking.on)
    return {};
  AsyncCopy &later = copying.emplace_back();
  later.dtype = value.type.dtype;
  for (auto [address, i] : written) {
    later.written.emplace_back(address, value.doubt(i));
    result.errors.store(address, later.dtype, {0, 0, Undecided});
  }
  return {};
}

void Machine::wait(size_t count) {
  for (; copying.size() > count; copying.pop_front())
    for (auto [address, doubt] : copying.front().written)
      result.errors.store(address, copying.front().dtype, doubt);
}

/// Its addresses may be given out again, to memory that is in no doubt.
void Machine::freeShared() {
  for (const auto &[id, memory] : shared) {
    const uint64_t first = uint64_t(reinterpret_cast<uintptr_t>(memory.data()));
    for (uint64_t byte = 0; tracking.on && byte < memory.size() * 8; ++byte)
      result.errors.store(first + byte, DType::U8, {});
    std::erase_if(atomics,
                  [&](const auto &entry) { return entry.first - first < memory.size() * 8; });
  }
  shared.clear();
}

} // namespace tl::interp
