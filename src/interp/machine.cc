#include "interp/machine.h"

#include "graph/element_map.h"
#include "graph/fold_int.h"
#include "interp/composite.h"
#include "interp/numbers.h"
#include "interp/tile_ops.h"

#include <algorithm>

namespace tl::interp {

Machine::Machine(const Graph &graph, std::span<const InterpArg> args, const InterpOptions &options)
    : graph(graph), args(args), options(options), tiles(graph.values.size()),
      views(graph.values.size()), pointers(graph.values.size()),
      reach(graph.kernel.args.size(), {0, 0}) {
  tracking.on = options.trackErrors;
  tracking.contract = graph.kernel.contract;
  if (options.before)
    result.errors = std::move(*options.before);
}

ErrorPtr Machine::errorAt(const Op &op, tl_status status, const std::string &text) const {
  const SourceLocation &location = graph.locations[op.location];
  std::string where =
      location.line ? location.file + ":" + std::to_string(location.line) + ": " : "";
  // A sequence is no program, and the head is of none.
  std::string which;
  if (!graph.kernel.isSequence && op.block != graph.kernel.head)
    which = formatString(", in program (%lld, %lld, %lld) of kernel '%s'", (long long)program[0],
                         (long long)program[1], (long long)program[2], graph.kernel.name.c_str());
  return makeError(status, "%s%s: %s%s", where.c_str(), opInfo(op.opcode).text.data(), text.c_str(),
                   which.c_str());
}

void Machine::setScalar(ValueId v, int64_t value) {
  tiles[v].reset(graph.typeOf(v));
  tiles[v].ints[0] = wrapInteger(value, graph.typeOf(v).dtype);
}

Status Machine::bindScalar(const Argument &argument, const InterpArg &arg) {
  const Type &type = graph.typeOf(argument.value);
  if (!isFloat(type.dtype)) {
    setScalar(argument.value, isBool(type.dtype) ? (arg.scalar & 255) != 0 : arg.scalar);
    return {};
  }
  tiles[argument.value].reset(type);
  uint64_t bits = uint64_t(arg.scalar);
  if (dtypeBits(type.dtype) < 64)
    bits &= (uint64_t(1) << dtypeBits(type.dtype)) - 1;
  tiles[argument.value].floats[0] = decodeFloat(type.dtype, bits);
  return {};
}

Result<int64_t> Machine::viewDim(const ViewDim &dim, std::span<const int64_t> given, size_t axis,
                                 const Argument &argument) const {
  switch (dim.kind) {
  case ViewDim::Kind::Literal:
    return dim.literal;
  case ViewDim::Kind::Value:
    return integer(dim.value);
  case ViewDim::Kind::Dynamic:
    break;
  }
  if (axis >= given.size())
    return makeError(
        TL_E_ARG_SHAPE,
        "argument '%s': its extents and strides along axis %zu are dynamic and must be "
        "given",
        argument.name.c_str(), axis);
  return given[axis];
}

/// The memory of a view's elements: where it starts, and its bytes.
static std::pair<uint64_t, uint64_t> reachOf(const ViewValue &view, const Type &type) {
  __int128 low = 0, high = 0; // of the elements' places
  for (unsigned axis = 0; axis < type.rank; ++axis) {
    if (view.extents[axis] < 1)
      return {view.at.address, 0};
    __int128 last = __int128(view.extents[axis] - 1) * view.strides[axis];
    (last < 0 ? low : high) += last;
  }
  unsigned size = dtypeBytes(type.dtype);
  __int128 bytes = (high - low + 1) * size;
  return {view.at.address + uint64_t(low) * size, bytes > INT64_MAX ? UINT64_MAX : uint64_t(bytes)};
}

Status Machine::bindView(const Argument &argument, const InterpArg &arg, unsigned index) {
  ViewValue &view = views[argument.value];
  view.at = {uint64_t(reinterpret_cast<uintptr_t>(arg.data)), index, false};
  size_t rank = argument.extents.size();
  for (size_t axis = 0; axis < rank; ++axis) {
    TL_ASSIGN(view.extents[axis], viewDim(argument.extents[axis], arg.extents, axis, argument));
    if (argument.extents[axis].kind == ViewDim::Kind::Dynamic)
      setScalar(argument.extents[axis].value, view.extents[axis]);
  }
  uint64_t contiguous = 1;
  for (size_t axis = rank; axis-- > 0;) {
    view.strides[axis] = int64_t(contiguous);
    contiguous *= uint64_t(view.extents[axis]);
    if (argument.strides.empty())
      continue;
    TL_ASSIGN(view.strides[axis], viewDim(argument.strides[axis], arg.strides, axis, argument));
    if (argument.strides[axis].kind == ViewDim::Kind::Dynamic)
      setScalar(argument.strides[axis].value, view.strides[axis]);
  }
  reach[index] = reachOf(view, graph.typeOf(argument.value));
  return {};
}

Status Machine::bindArguments() {
  const Kernel &kernel = graph.kernel;
  if (args.size() != kernel.args.size())
    return makeError(TL_E_ARG_COUNT, "kernel '%s' takes %zu arguments, not %zu",
                     kernel.name.c_str(), kernel.args.size(), args.size());
  for (const Param &param : kernel.params)
    setScalar(param.value, param.defaultValue);
  // Scalars first: a view may name a scalar that follows it.
  for (size_t i = 0; i < args.size(); ++i)
    if (graph.typeOf(kernel.args[i].value).isScalar())
      TL_TRY(bindScalar(kernel.args[i], args[i]));
  for (size_t i = 0; i < args.size(); ++i) {
    const Argument &argument = kernel.args[i];
    if (graph.typeOf(argument.value).isView())
      TL_TRY(bindView(argument, args[i], unsigned(i)));
    else if (graph.typeOf(argument.value).isPointer())
      pointers[argument.value] = {uint64_t(reinterpret_cast<uintptr_t>(args[i].data)), unsigned(i),
                                  false};
  }
  return {};
}

Status Machine::computeGrid() {
  TL_TRY(runBlock(graph.kernel.head, 0));
  bool empty = false; // runs nothing, whatever the other axes say
  for (size_t axis = 0; axis < 3; ++axis) {
    int64_t &count = result.grid[axis];
    count = axis < graph.kernel.grid.size() ? integer(graph.kernel.grid[axis]) : 1;
    empty |= count == 0;
  }
  int64_t programs = 1;
  for (size_t axis = 0; axis < 3; ++axis) {
    int64_t count = result.grid[axis];
    if (count < 0 ||
        (!empty && (count > INT32_MAX || __builtin_mul_overflow(programs, count, &programs))))
      return makeError(TL_E_GRID, "kernel '%s': the grid has %lld programs along axis %zu",
                       graph.kernel.name.c_str(), (long long)count, axis);
  }
  return {};
}

Status Machine::runProgram(const int64_t (&number)[3]) {
  std::copy(number, number + 3, program);
  exited = false;
  TL_TRY(runBlock(graph.kernel.body, 0));
  wait(0);
  freeShared();
  return {};
}

std::span<const ValueId> Machine::yields(BlockId region) const {
  return graph.operands(graph.ops[graph.block(region).ops.back()]);
}

Status Machine::runBlock(BlockId block, unsigned depth) {
  if (depth > maxRegionDepth)
    return makeError(TL_E_LIMIT, "regions nest at most %u deep", maxRegionDepth);
  for (OpId id : graph.block(block).ops) {
    const Op &op = graph.ops[id];
    result.steps += 1;
    for (ValueId v : graph.results(op))
      if (graph.typeOf(v).isTile())
        result.steps += uint64_t(graph.typeOf(v).elements());
    if (options.maxSteps && result.steps > options.maxSteps)
      return makeError(TL_E_LIMIT, "kernel '%s' does not end within %llu steps",
                       graph.kernel.name.c_str(), (unsigned long long)options.maxSteps);
    TL_TRY(runOp(op, depth));
    if (exited)
      break;
  }
  return {};
}

Status Machine::runOp(const Op &op, unsigned depth) {
  switch (opInfo(op.opcode).rule) {
  case Rule::MakeView:
    makeView(op);
    return {};
  case Rule::Address:
    address(op);
    return {};
  case Rule::ByteOffset:
    byteOffset(op);
    return {};
  case Rule::Pointer:
    pointer(op);
    return {};
  case Rule::Extent:
    extent(op);
    return {};
  case Rule::Load:
    return load(op);
  case Rule::Store:
    return store(op);
  case Rule::Gather:
    return gather(op);
  case Rule::Scatter:
    return scatter(op);
  case Rule::Atomic:
    return atomic(op);
  case Rule::Im2col:
    return im2col(op);
  case Rule::AllocShared:
    allocShared(op);
    return {};
  case Rule::Copy:
    return copy(op);
  case Rule::Wait:
    wait(size_t(graph.intAttr(op, AttrKey::Count)));
    return {};
  case Rule::Barrier: // memory is used in order anyway
    return {};
  case Rule::Temporary:
    return temporary(op);
  case Rule::Dispatch:
    return dispatch(op);
  case Rule::For:
    return runFor(op, depth);
  case Rule::While:
    return runWhile(op, depth);
  case Rule::If:
    return runIf(op, depth);
  case Rule::Print:
  case Rule::Assert:
    log(op);
    return {};
  case Rule::Exit:
    decide(graph.operand(op, 0));
    exited = integer(graph.operand(op, 0)) != 0;
    return {};
  case Rule::Sort:
  case Rule::TopK:
    sortTiles(op);
    return {};
  case Rule::ReduceWith:
  case Rule::ScanWith:
    return runCombine(op);
  case Rule::Yield:
    return {}; // its operands are read by the op around it
  default:
    return runTileOp(op);
  }
}

Status Machine::runTileOp(const Op &op) {
  auto operand = [&](size_t i) -> const TileValue & { return tiles[graph.operand(op, i)]; };
  TileValue &out = tiles[graph.result(op)];
  out.reset(graph.typeOf(graph.result(op)));
  unsigned axis = unsigned(graph.intAttr(op, AttrKey::Axis));
  std::array<const TileValue *, 4> all = {}; // of the rows that work element by element
  for (size_t i = 0; i < std::min<size_t>(op.operands.count, all.size()); ++i)
    all[i] = &operand(i);
  switch (opInfo(op.opcode).rule) {
  case Rule::ProgramIndex:
    out.ints[0] = op.opcode == Opcode::ProgramId ? program[axis] : result.grid[axis];
    break;
  case Rule::Const:
    fillNumber(out, graph.attr(op, AttrKey::Value));
    break;
  case Rule::Full:
    full(out, operand(0));
    break;
  case Rule::Iota:
    iota(out, axis);
    break;
  case Rule::Elementwise:
    elementwise(op.opcode, out, Operands(all.data(), op.operands.count), tracking,
                graph.isFast(op));
    break;
  case Rule::Random:
    random(op.opcode, out, operand(0), operand(1), tracking);
    break;
  case Rule::RandomInt:
    randomInteger(out, Operands(all.data(), op.operands.count));
    break;
  case Rule::CastStochastic:
    castStochastic(out, operand(0), operand(1), graph.castMode(op).saturate);
    break;
  case Rule::Unpack:
    unpack(out, operand(0));
    break;
  case Rule::Pack:
    pack(out, operand(0));
    break;
  case Rule::Compare:
    compare(Pred(graph.intAttr(op, AttrKey::Pred)), out, operand(0), operand(1), tracking);
    break;
  case Rule::Classify:
    classify(op.opcode, out, operand(0));
    break;
  case Rule::Select:
    select(out, operand(0), operand(1), operand(2));
    break;
  case Rule::Cast:
    cast(out, operand(0), graph.castMode(op), tracking);
    break;
  case Rule::Bitcast:
    bitcast(out, operand(0), tracking);
    break;
  case Rule::Broadcast:
    broadcast(out, operand(0));
    break;
  case Rule::Reshape:
  case Rule::ExpandDims:
    reshape(out, operand(0));
    break;
  case Rule::Permute:
    permute(out, operand(0), graph.attr(op, AttrKey::Perm)->list);
    break;
  case Rule::Slice:
  case Rule::InsertSlice:
  case Rule::Flip:
  case Rule::Concat:
  case Rule::Join:
  case Rule::Split:
    for (size_t i = 0; i < op.results.count; ++i)
      move(op, i);
    break;
  case Rule::Take:
    take(out, operand(0), operand(1), axis);
    break;
  case Rule::Histogram:
    histogram(out, operand(0), op.operands.count > 1 ? &operand(1) : nullptr);
    break;
  case Rule::Reduce:
    reduce(out, operand(0), ReduceKind(graph.intAttr(op, AttrKey::Kind)), axis, tracking);
    break;
  case Rule::Scan:
    scan(out, operand(0), ReduceKind(graph.intAttr(op, AttrKey::Kind)), axis,
         op.opcode == Opcode::ReverseScan, tracking);
    break;
  case Rule::ArgReduce:
    argReduce(out, operand(0), op.opcode == Opcode::ArgMax, axis, tracking);
    break;
  case Rule::Dot:
    dot(out, operand(0), operand(1), operand(2), tracking);
    break;
  default:
    return internalError("the interpreter does not know %s", opInfo(op.opcode).text.data());
  }
  return {};
}

void Machine::move(const Op &op, size_t index) {
  TileValue &out = tiles[graph.result(op, index)];
  out.reset(graph.typeOf(graph.result(op, index)));
  for (const ElementPiece &piece : elementMap(graph, op, index))
    fillPiece(out, tiles[graph.operand(op, piece.operand)], piece);
}

std::vector<TileValue> Machine::startCarried(const Op &op) const {
  std::vector<TileValue> carried;
  for (ValueId init : graph.operands(op).subspan(firstCarried(op.opcode)))
    carried.push_back(tiles[init]);
  return carried;
}

Status Machine::runRound(const Op &op, unsigned depth, std::vector<TileValue> &carried) {
  BlockId body = graph.regions(op)[0];
  size_t first = carriedArgumentsAt(op.opcode);
  for (size_t i = 0; i < carried.size(); ++i)
    tiles[graph.block(body).args[first + i]] = carried[i];
  TL_TRY(runBlock(body, depth + 1));
  if (exited)
    return {};
  // All at once: a yield may swap carried values.
  auto next = yields(body).subspan(carriedYieldsAt(op.opcode));
  for (size_t i = 0; i < carried.size(); ++i)
    carried[i] = tiles[next[i]];
  return {};
}

void Machine::giveCarried(const Op &op, std::vector<TileValue> &carried) {
  for (size_t i = 0; i < carried.size(); ++i)
    tiles[graph.results(op)[i]] = std::move(carried[i]);
}

Status Machine::runFor(const Op &op, unsigned depth) {
  auto operands = graph.operands(op);
  for (size_t i = 0; i < 3; ++i)
    decide(operands[i]);
  int64_t counter = integer(operands[0]), end = integer(operands[1]), step = integer(operands[2]);
  std::vector<TileValue> carried = startCarried(op);
  while (step > 0 && counter < end && !exited) {
    setScalar(graph.block(graph.regions(op)[0]).args[0], counter);
    TL_TRY(runRound(op, depth, carried));
    if (__builtin_add_overflow(counter, step, &counter))
      break; // beyond every end
  }
  giveCarried(op, carried);
  return {};
}

Status Machine::runWhile(const Op &op, unsigned depth) {
  std::vector<TileValue> carried = startCarried(op);
  ValueId condition = graph.operand(op, 0);
  for (;;) {
    decide(condition);
    if (!integer(condition))
      break;
    TL_TRY(runRound(op, depth, carried));
    if (exited)
      break;
    condition = yields(graph.regions(op)[0])[0];
  }
  giveCarried(op, carried);
  return {};
}

Status Machine::runIf(const Op &op, unsigned depth) {
  ValueId condition = graph.operand(op, 0);
  decide(condition);
  BlockId region = graph.regions(op)[integer(condition) ? 0 : 1];
  TL_TRY(runBlock(region, depth + 1));
  if (exited)
    return {};
  auto values = yields(region);
  auto results = graph.results(op);
  for (size_t i = 0; i < results.size(); ++i)
    tiles[results[i]] = tiles[values[i]];
  return {};
}

} // namespace tl::interp
