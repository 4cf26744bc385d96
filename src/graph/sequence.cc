#include "graph/sequence.h"

#include "graph/builder.h"

namespace tl {

namespace {

/// Why a value does not fit a kernel's argument, or "".
std::string misfit(const Graph &g, ValueId v, const Type &want) {
  const Type &have = g.typeOf(v);
  bool fits = have == want;
  if (want.isPointer())
    fits = (have.isPointer() || have.isView()) && have.dtype == want.dtype;
  else if (want.isScalar() && !isFloat(want.dtype))
    fits = fits || have == Type::scalar(DType::I64);
  return fits ? "" : "it is " + want.text() + ", not " + have.text();
}

} // namespace

Status checkDispatch(const Graph &g, int64_t callee, std::span<const ValueId> operands) {
  if (callee < 1 || callee > int64_t(g.kernel.callees.size()))
    return makeError(TL_E_INVALID_GRAPH,
                     "dispatch: there is no kernel number %lld (tl_graph_callee gives the numbers)",
                     (long long)callee);
  const Graph &kernel = *g.kernel.callees[size_t(callee - 1)];
  const std::vector<Argument> &args = kernel.kernel.args;
  const char *name = kernel.kernel.name.c_str();
  if (operands.size() != args.size())
    return makeError(TL_E_INVALID_GRAPH, "dispatch: kernel '%s' takes %zu argument%s, not %zu",
                     name, args.size(), args.size() == 1 ? "" : "s", operands.size());
  for (size_t i = 0; i < args.size(); ++i)
    if (std::string why = misfit(g, operands[i], kernel.typeOf(args[i].value)); !why.empty())
      return makeError(TL_E_INVALID_GRAPH, "dispatch: kernel '%s', argument %zu (%s): %s", name, i,
                       args[i].name.c_str(), why.c_str());
  return {};
}

Status checkLaunchArithmetic(const Graph &g, const Op &op, const char *where) {
  ValueId v = g.result(op);
  if (g.constantInt(v))
    return {};
  bool wide = g.typeOf(v) == Type::scalar(DType::I64);
  if (!allowedInGrid(op.opcode) || !wide)
    return makeError(TL_E_INVALID_GRAPH,
                     "%s may use integer arithmetic on i64 scalars only (cast other integers to "
                     "i64), not %s of %s",
                     where, opInfo(op.opcode).text.data(), g.typeOf(v).text().c_str());
  if (op.opcode != Opcode::Cast)
    return {};
  // Integer arguments are carried as i64 already, so that a cast of one is no computation.
  ValueId from = g.operand(op, 0);
  const Type &type = g.typeOf(from);
  if (!isInteger(type.dtype) || (g.definingOp(from) && type.dtype != DType::I64))
    return makeError(TL_E_INVALID_GRAPH, "%s may cast only integer arguments to i64, not %s of %s",
                     where, g.definingOp(from) ? "a result" : "an argument", type.text().c_str());
  return {};
}

Status checkSequenceOp(const Graph &g, const Op &op) {
  if (isSequenceOp(op.opcode) || op.opcode == Opcode::Const)
    return {};
  if (opInfo(op.opcode).effect != Effect::Pure || op.results.count != 1)
    return makeError(TL_E_INVALID_GRAPH,
                     "%s cannot stand in a sequence, which computes i64 scalars, makes temporaries "
                     "and dispatches kernels",
                     opInfo(op.opcode).text.data());
  if (op.opcode == Opcode::Extent && g.definingOp(g.operand(op, 0)))
    return makeError(TL_E_INVALID_GRAPH,
                     "extent: the extents of a temporary are what the sequence made it with");
  return checkLaunchArithmetic(g, op, "a sequence");
}

} // namespace tl
