// Views and memory: the only place of the interpreter that touches the caller's bytes.
#include "interp/machine.h"
#include "interp/numbers.h"
#include "interp/tile_ops.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <tuple>

#include <sys/uio.h>
#include <unistd.h>

namespace tl::interp {

namespace {

/// index + offset, offset >= 0, when that lies in [0, extent); integers as if unbounded.
bool inside(int64_t index, int64_t offset, int64_t extent, int64_t &at) {
  return !__builtin_add_overflow(index, offset, &at) && at >= 0 && at < extent;
}

/// Address arithmetic wraps, as on every target.
uint64_t step(int64_t index, int64_t stride, DType type) {
  return uint64_t(index) * uint64_t(stride) * dtypeBytes(type);
}

/// The places of a tile in a view, for load and store.
class TilePlaces {
public:
  TilePlaces(const ViewValue &view, unsigned viewRank, const Type &tile,
             std::span<const int64_t> index, std::span<const unsigned> axes)
      : at(tile), rank(tile.rank), base(view.at.address) {
    unsigned covered = 0;
    for (unsigned i = 0; i < rank; ++i) {
      unsigned axis = axes[i];
      covered |= 1u << axis;
      for (int64_t offset = 0; offset < tile.dims[i]; ++offset) {
        int64_t where = 0;
        bool in = inside(index[axis], offset, view.extents[axis], where);
        steps[i].push_back(in ? step(where, view.strides[axis], tile.dtype) : 0);
        within[i].push_back(in);
      }
    }
    for (unsigned axis = 0; axis < viewRank; ++axis) {
      int64_t where = 0;
      if (covered >> axis & 1)
        continue;
      allWithin &= inside(index[axis], 0, view.extents[axis], where);
      base += step(where, view.strides[axis], tile.dtype);
    }
  }

  /// The current element's address, if it is in bounds.
  bool place(uint64_t &address) const {
    bool in = allWithin;
    address = base;
    for (unsigned i = 0; i < rank; ++i) {
      in &= bool(within[i][size_t(at[i])]);
      address += steps[i][size_t(at[i])];
    }
    return in;
  }
  void next() { at.next(); }

private:
  Coordinates at;
  unsigned rank;
  uint64_t base;
  bool allWithin = true;
  std::array<std::vector<uint64_t>, maxTileRank> steps;
  std::array<std::vector<uint8_t>, maxTileRank> within;
};

} // namespace

bool Machine::anyUndecided(std::span<const ValueId> scalars) const {
  return std::any_of(scalars.begin(), scalars.end(),
                     [&](ValueId v) { return tiles[v].undecided(0); });
}

void Machine::makeView(const Op &op) {
  auto operands = graph.operands(op);
  ViewValue &view = views[graph.result(op)];
  unsigned rank = graph.typeOf(graph.result(op)).rank;
  view.at = pointers[operands[0]];
  view.at.undecided |= anyUndecided(operands.subspan(1));
  for (unsigned axis = 0; axis < rank; ++axis) {
    view.extents[axis] = integer(operands[1 + axis]);
    view.strides[axis] = integer(operands[1 + rank + axis]);
  }
}

void Machine::address(const Op &op) {
  const ViewValue &view = views[graph.operand(op, 0)];
  auto index = graph.operands(op).subspan(1);
  Place &place = pointers[graph.result(op)];
  place = view.at;
  place.undecided |= anyUndecided(index);
  for (size_t axis = 0; axis < index.size(); ++axis)
    place.address +=
        step(integer(index[axis]), view.strides[axis], graph.typeOf(graph.result(op)).dtype);
}

void Machine::byteOffset(const Op &op) {
  Place &place = pointers[graph.result(op)];
  place = pointers[graph.operand(op, 0)];
  place.address += uint64_t(integer(graph.operand(op, 1)));
  place.undecided |= tiles[graph.operand(op, 1)].undecided(0);
}

void Machine::pointer(const Op &op) {
  ValueId address = graph.operand(op, 0);
  pointers[graph.result(op)] = {uint64_t(integer(address)), fromMemory,
                                tiles[address].undecided(0)};
}

void Machine::extent(const Op &op) {
  const ViewValue &view = views[graph.operand(op, 0)];
  ValueId out = graph.result(op);
  setScalar(out, view.extents[size_t(graph.intAttr(op, AttrKey::Axis))]);
  if (view.at.undecided)
    tiles[out].setDoubt(0, {0, 0, Undecided});
}

/// An address from memory may be anything. The kernel of the machine knows what is memory of this
/// process; where it does not say, the access is tried.
Status Machine::checkAddress(const Op &op, uint64_t address, unsigned bytes) const {
  uint64_t copy = 0;
  iovec here{&copy, bytes}, there{reinterpret_cast<void *>(uintptr_t(address)), bytes};
  if (process_vm_readv(getpid(), &here, 1, &there, 1, 0) >= 0 || errno != EFAULT)
    return {};
  return errorAt(op, TL_E_INVALID_ARGUMENT,
                 formatString("an access is at the address 0x%llx, which is no memory of this "
                              "process",
                              (unsigned long long)address));
}

Status Machine::checkAccess(const Op &op, const ViewValue &view, uint64_t address,
                            DType type) const {
  if (view.at.arg == fromMemory)
    return checkAddress(op, address, dtypeBytes(type));
  if (view.at.arg & ofShared) {
    const std::vector<uint64_t> &memory = shared.at(view.at.arg);
    uint64_t at = address - uint64_t(reinterpret_cast<uintptr_t>(memory.data()));
    if (at <= memory.size() * 8 - dtypeBytes(type))
      return {};
    return errorAt(op, TL_E_INVALID_ARGUMENT,
                   formatString("an access is %lld bytes from the start of shared memory of %zu "
                                "bytes",
                                (long long)at, memory.size() * 8));
  }
  const InterpArg &arg = args[view.at.arg];
  const char *name = graph.kernel.args[view.at.arg].name.c_str();
  if (!arg.data)
    return errorAt(op, TL_E_ARG_NULL,
                   formatString("argument '%s' is NULL, but an element of it is accessed", name));
  uint64_t first = uint64_t(reinterpret_cast<uintptr_t>(arg.data)), bytes = arg.bytes;
  bool isView = graph.typeOf(graph.kernel.args[view.at.arg].value).isView();
  if (bytes == 0 && isView)
    std::tie(first, bytes) = reach[view.at.arg];
  bool known = bytes != 0 || isView;
  if (!known || (address - first < bytes && bytes - (address - first) >= dtypeBytes(type)))
    return {};
  return errorAt(op, TL_E_INVALID_ARGUMENT,
                 formatString("an access is %lld bytes from the start of argument '%s', which has "
                              "%llu bytes",
                              (long long)(address - first), name, (unsigned long long)bytes));
}

Status Machine::readElement(const Op &op, const ViewValue &view, uint64_t address, TileValue &out,
                            size_t i) const {
  DType type = out.type.dtype;
  TL_TRY(checkAccess(op, view, address, type));
  uint64_t bits = readBytes(reinterpret_cast<const void *>(uintptr_t(address)), dtypeBytes(type));
  if (out.isFloat())
    out.floats[i] = decodeFloat(type, bits);
  else
    out.ints[i] = decodeInteger(type, bits);
  if (result.errors.empty())
    return {};
  Doubt doubt = result.errors.load(address, type);
  if (doubt.product != 0 && std::isfinite(out.floats[i])) // memory does not keep the distance
    doubt.product = ulp(type, std::fabs(out.floats[i]) + doubt.bound);
  out.setDoubt(i, doubt);
  return {};
}

Status Machine::writeElement(const Op &op, const ViewValue &view, uint64_t address,
                             const TileValue &value, size_t i) {
  DType type = value.type.dtype;
  TL_TRY(checkAccess(op, view, address, type));
  uint64_t bits = value.isFloat() ? encodeFloat(type, value.floats[i]) : uint64_t(value.ints[i]);
  writeBytes(reinterpret_cast<void *>(uintptr_t(address)), bits, dtypeBytes(type));
  if (tracking.on)
    result.errors.store(address, type, value.doubt(i));
  return {};
}

/// Where one operation wrote an address more than once, one of its elements is there: which one is
/// open unless they are equal.
void Machine::markCollisions(Written &written, const TileValue &value) {
  DType type = value.type.dtype;
  auto overlap = [&](const auto &a, const auto &b) { return a.first + dtypeBytes(type) > b.first; };
  bool increasing = std::adjacent_find(written.begin(), written.end(), overlap) == written.end();
  if (!tracking.on || increasing)
    return;
  std::sort(written.begin(), written.end());
  auto bits = [&](size_t i) {
    return value.isFloat() ? encodeFloat(type, value.floats[i]) : uint64_t(value.ints[i]);
  };
  for (size_t k = 0; k + 1 < written.size(); ++k) {
    auto [address, i] = written[k];
    auto [nextAddress, j] = written[k + 1];
    i = elementOf(value, i);
    j = elementOf(value, j);
    bool same = bits(i) == bits(j) && value.doubt(i).bound == 0 && value.doubt(j).bound == 0;
    if (nextAddress - address < dtypeBytes(type) && (nextAddress != address || !same)) {
      result.errors.store(address, type, {0, 0, Undecided});
      result.errors.store(nextAddress, type, {0, 0, Undecided});
    }
  }
}

Status Machine::loadTile(const Op &op, const TilePlace &at, TileValue &out) const {
  const ViewValue &view = views[at.view];
  std::vector<int64_t> index;
  for (ValueId v : at.index)
    index.push_back(integer(v));
  TilePlaces places(view, graph.typeOf(at.view).rank, out.type, index, at.axes);
  bool open = view.at.undecided || anyUndecided(at.index);
  for (size_t i = 0, n = out.size(); i < n; ++i, places.next()) {
    uint64_t address;
    if (places.place(address)) {
      out.setDoubt(i, {});
      TL_TRY(readElement(op, view, address, out, i));
    }
    if (open)
      out.setDoubt(i, {0, 0, Undecided});
  }
  return {};
}

Status Machine::storeTile(const Op &op, const TilePlace &at, const TileValue &value,
                          Written &written) {
  const ViewValue &view = views[at.view];
  std::vector<int64_t> index;
  for (ValueId v : at.index)
    index.push_back(integer(v));
  result.undecidedControl += view.at.undecided || anyUndecided(at.index);
  TilePlaces places(view, graph.typeOf(at.view).rank, value.type, index, at.axes);
  for (size_t i = 0, n = value.size(); i < n; ++i, places.next()) {
    uint64_t address;
    if (!places.place(address))
      continue;
    TL_TRY(writeElement(op, view, address, value, i));
    written.emplace_back(address, i);
  }
  markCollisions(written, value);
  return {};
}

Status Machine::load(const Op &op) {
  TileValue &out = tiles[graph.result(op)];
  out.reset(graph.typeOf(graph.result(op)));
  fillNumber(out, graph.attr(op, AttrKey::Pad));
  return loadTile(op, {graph.viewOperand(op), graph.indexOperands(op), graph.tileAxes(op)}, out);
}

Status Machine::store(const Op &op) {
  Written written;
  return storeTile(op, {graph.viewOperand(op), graph.indexOperands(op), graph.tileAxes(op)},
                   tiles[graph.operand(op, 0)], written);
}

/// Where element i of a gather, scatter or atomic operation is, if it is to be touched at all.
bool Machine::pointwisePlace(const Op &op, size_t i, uint64_t &address, bool &open) const {
  ValueId viewId = graph.viewOperand(op);
  const ViewValue &view = views[viewId];
  auto index = graph.indexOperands(op);
  ValueId mask = graph.maskOperand(op);
  bool active = !mask || tiles[mask].ints[elementOf(tiles[mask], i)] != 0;
  open |= mask && tiles[mask].undecided(elementOf(tiles[mask], i));
  address = view.at.address;
  for (size_t axis = 0; axis < index.size(); ++axis) {
    const TileValue &tile = tiles[index[axis]];
    int64_t where = 0;
    active &= inside(tile.ints[elementOf(tile, i)], 0, view.extents[axis], where);
    open |= tile.undecided(elementOf(tile, i));
    address += step(where, view.strides[axis], graph.typeOf(viewId).dtype);
  }
  return active;
}

/// The same for writing: where it is not decided whether and where, nothing can be compared.
bool Machine::placeToWrite(const Op &op, size_t i, uint64_t &address) {
  bool open = false;
  const bool active = pointwisePlace(op, i, address, open);
  result.undecidedControl += open;
  return active;
}

Status Machine::gather(const Op &op) {
  const ViewValue &view = views[graph.viewOperand(op)];
  TileValue &out = tiles[graph.result(op)];
  out.reset(graph.typeOf(graph.result(op)));
  fillNumber(out, graph.attr(op, AttrKey::Pad));
  for (size_t i = 0, n = out.size(); i < n; ++i) {
    uint64_t address;
    bool open = view.at.undecided;
    if (pointwisePlace(op, i, address, open)) {
      out.setDoubt(i, {});
      TL_TRY(readElement(op, view, address, out, i));
    }
    if (open)
      out.setDoubt(i, {0, 0, Undecided});
  }
  return {};
}

Status Machine::scatter(const Op &op) {
  const ViewValue &view = views[graph.viewOperand(op)];
  auto index = graph.indexOperands(op);
  ValueId mask = graph.maskOperand(op);
  const TileValue &value = tiles[graph.operand(op, 0)];
  size_t elements = value.size();
  for (ValueId v : index)
    elements = std::max(elements, tiles[v].size());
  if (mask)
    elements = std::max(elements, tiles[mask].size());
  result.undecidedControl += view.at.undecided;
  Written written;
  for (size_t i = 0; i < elements; ++i) {
    uint64_t address;
    if (!placeToWrite(op, i, address))
      continue;
    TL_TRY(writeElement(op, view, address, value, elementOf(value, i)));
    written.emplace_back(address, i);
  }
  markCollisions(written, value);
  return {};
}

} // namespace tl::interp
