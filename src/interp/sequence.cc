// Sequences: temporaries, and the launches of kernels one after the other. What is in doubt about
// memory goes from each launch to the next.
#include "graph/fold_int.h"
#include "interp/machine.h"
#include "interp/numbers.h"

#include <algorithm>

namespace tl::interp {

/// Row-major memory, full of ones: floats are NaN until a kernel has written them.
Status Machine::temporary(const Op &op) {
  const Type &type = graph.typeOf(graph.result(op));
  ViewValue &view = views[graph.result(op)];
  constexpr uint64_t maxBytes = uint64_t(1) << 47;
  uint64_t elements = 1;
  bool empty = false;
  for (unsigned axis = type.rank; axis-- > 0;) {
    int64_t extent = integer(graph.operand(op, axis));
    if (extent < 0)
      return errorAt(op, TL_E_ARG_SHAPE,
                     formatString("extent %lld of axis %u is negative", (long long)extent, axis));
    view.extents[axis] = extent;
    view.strides[axis] = int64_t(elements);
    empty |= extent == 0;
    if (__builtin_mul_overflow(elements, uint64_t(extent), &elements))
      elements = maxBytes;
  }
  elements = empty ? 0 : elements;
  if (elements > maxBytes / dtypeBytes(type.dtype))
    return errorAt(op, TL_E_LIMIT, "a temporary has at most 2^47 bytes");
  uint64_t words = options.checkOnly ? 0 : (elements * dtypeBytes(type.dtype) + 7) / 8;
  temporaries.emplace_back(words + 1, UINT64_MAX);
  view.at = {uint64_t(reinterpret_cast<uintptr_t>(temporaries.back().data())), 0, false};
  return {};
}

Result<InterpArg> Machine::dispatchArgument(const Op &op, size_t i, const Argument &want,
                                            const Type &type) const {
  ValueId v = graph.operand(op, i);
  const Op *from = graph.definingOp(v);
  InterpArg arg;
  if (type.isScalar() && isFloat(type.dtype)) {
    arg.scalar = int64_t(encodeFloat(type.dtype, tiles[v].floats[0]));
  } else if (type.isScalar()) {
    arg.scalar = integer(v);
    bool fits = isBool(type.dtype) ? arg.scalar == 0 || arg.scalar == 1
                                   : arg.scalar == wrapInteger(arg.scalar, type.dtype);
    // A u64 is carried as the i64 of its bits; an i64 below 0 is no value of it.
    if (type.dtype == DType::U64 && graph.typeOf(v).dtype != DType::U64)
      fits = arg.scalar >= 0;
    if (!fits)
      return errorAt(op, TL_E_ARG_TYPE,
                     formatString("argument '%s': %lld is not a value of %s", want.name.c_str(),
                                  (long long)arg.scalar, dtypeText(type.dtype).data()));
  } else if (graph.typeOf(v).isPointer()) {
    arg.data = reinterpret_cast<void *>(uintptr_t(pointers[v].address));
    arg.bytes = args[graph.values[v].index].bytes;
  } else {
    const ViewValue &view = views[v];
    arg.data = reinterpret_cast<void *>(uintptr_t(view.at.address));
    size_t rank = graph.typeOf(v).rank;
    if (type.isView()) {
      arg.extents = {view.extents.data(), rank};
      arg.strides = {view.strides.data(), rank};
    }
    if (from) {
      arg.bytes = dtypeBytes(type.dtype);
      for (size_t axis = 0; axis < rank; ++axis)
        arg.bytes *= size_t(view.extents[axis]);
    } else {
      arg.bytes = args[graph.values[v].index].bytes;
    }
  }
  return arg;
}

/// A kernel that declares what its views are must be given such views.
Status Machine::checkShapes(const Op &op, const Graph &kernel,
                            std::span<const InterpArg> given) const {
  for (unsigned i = 0; i < given.size(); ++i) {
    const Argument &want = kernel.kernel.args[i];
    if (!kernel.typeOf(want.value).isView())
      continue;
    TL_ASSIGN(InterpShape shape, interpretShape(kernel, given, i));
    for (size_t axis = 0; axis < shape.extents.size(); ++axis)
      if (shape.extents[axis] != given[i].extents[axis] ||
          (shape.strides[axis] != given[i].strides[axis] && shape.extents[axis] > 1))
        return errorAt(op, TL_E_ARG_SHAPE,
                       formatString("argument '%s': axis %zu has extent %lld and stride %lld, the "
                                    "kernel wants %lld and %lld",
                                    want.name.c_str(), axis, (long long)given[i].extents[axis],
                                    (long long)given[i].strides[axis],
                                    (long long)shape.extents[axis],
                                    (long long)shape.strides[axis]));
  }
  return {};
}

/// Memory may be missing where a kernel says so, and where nothing is in it.
Status Machine::checkPointers(const Op &op, const Graph &kernel,
                              std::span<const InterpArg> given) const {
  for (size_t i = 0; i < given.size(); ++i) {
    const Argument &want = kernel.kernel.args[i];
    const std::span<const int64_t> extents = given[i].extents;
    bool empty = std::find(extents.begin(), extents.end(), 0) != extents.end();
    if (!kernel.typeOf(want.value).isScalar() && !given[i].data && !want.optional && !empty)
      return errorAt(op, TL_E_ARG_NULL,
                     formatString("argument '%s': the pointer is NULL", want.name.c_str()));
  }
  return {};
}

Status Machine::dispatch(const Op &op) {
  const Graph &kernel = *graph.kernel.callees[size_t(graph.intAttr(op, AttrKey::Callee) - 1)];
  std::vector<InterpArg> given;
  for (size_t i = 0; i < op.operands.count; ++i) {
    const Argument &want = kernel.kernel.args[i];
    TL_ASSIGN(InterpArg arg, dispatchArgument(op, i, want, kernel.typeOf(want.value)));
    given.push_back(arg);
  }
  TL_TRY(checkShapes(op, kernel, given));
  TL_TRY(checkPointers(op, kernel, given));
  InterpOptions inner = options;
  inner.before = &result.errors;
  if (options.maxSteps)
    inner.maxSteps = options.maxSteps - std::min(options.maxSteps - 1, result.steps);
  auto done = interpret(kernel, given, inner);
  if (!done.ok() && done.error().status == TL_E_GRID)
    return errorAt(op, TL_E_GRID, done.error().message);
  TL_ASSIGN(InterpReport report, std::move(done));
  result.errors = std::move(report.errors);
  result.steps += report.steps;
  result.undecidedDecisions += report.undecidedDecisions;
  result.undecidedControl += report.undecidedControl;
  return {};
}

} // namespace tl::interp
