#include "graph/interface.h"

#include <algorithm>

namespace tl {

namespace {

constexpr size_t maxExprNodes = 4096;

ArgKind argKind(const Type &type) {
  return type.isView() ? ArgKind::View : type.isPointer() ? ArgKind::Pointer : ArgKind::Scalar;
}

DimSpec dimSpec(const Graph &g, const ViewDim &dim) {
  switch (dim.kind) {
  case ViewDim::Kind::Literal:
    return {DimSpec::Kind::Literal, dim.literal};
  case ViewDim::Kind::Value:
    return {DimSpec::Kind::Scalar, int64_t(g.values[dim.value].index)};
  case ViewDim::Kind::Dynamic:
    break;
  }
  return {DimSpec::Kind::Dynamic, 0};
}

std::optional<ExprNode::Op> exprOp(Opcode opcode) {
  switch (opcode) {
  case Opcode::Add:
    return ExprNode::Op::Add;
  case Opcode::Sub:
    return ExprNode::Op::Sub;
  case Opcode::Mul:
    return ExprNode::Op::Mul;
  case Opcode::Div:
    return ExprNode::Op::Div;
  case Opcode::Rem:
    return ExprNode::Op::Rem;
  case Opcode::FloorDiv:
    return ExprNode::Op::FloorDiv;
  case Opcode::FloorMod:
    return ExprNode::Op::FloorMod;
  case Opcode::CeilDiv:
    return ExprNode::Op::CeilDiv;
  case Opcode::Min:
    return ExprNode::Op::Min;
  case Opcode::Max:
    return ExprNode::Op::Max;
  default:
    return std::nullopt;
  }
}

/// A view argument's extent as an expression node.
ExprNode extentNode(const Graph &g, ValueId view, int64_t axis) {
  ViewDim dim = g.viewExtent(view, unsigned(axis));
  uint32_t arg = g.values[view].index;
  if (dim.kind == ViewDim::Kind::Literal)
    return {ExprNode::Op::Literal, dim.literal};
  if (dim.kind == ViewDim::Kind::Value)
    return {ExprNode::Op::Scalar, int64_t(g.values[dim.value].index)};
  return {ExprNode::Op::Extent, int64_t(arg) << 8 | axis};
}

/// Postfix code of a head value, with an explicit stack.
Result<Expr> expression(const Graph &g, ValueId root) {
  Expr expr;
  struct Frame {
    ValueId value;
    size_t next = 0;
  };
  std::vector<Frame> stack = {{root, 0}};
  while (!stack.empty()) {
    if (expr.size() + stack.size() > maxExprNodes)
      return makeError(TL_E_LIMIT, "kernel '%s': a launch expression has more than %zu terms",
                       g.kernel.name.c_str(), maxExprNodes);
    auto &[v, next] = stack.back();
    const Op *op = g.definingOp(v);
    auto known = g.constantInt(v);
    if (known || !op || op->opcode == Opcode::Extent) {
      const Value &value = g.values[v];
      if (known)
        expr.push_back({ExprNode::Op::Literal, *known});
      else if (op)
        expr.push_back(extentNode(g, g.operand(*op, 0), g.intAttr(*op, AttrKey::Axis)));
      else if (value.kind == ValueKind::ImplicitDim)
        expr.push_back({value.isStride ? ExprNode::Op::Stride : ExprNode::Op::Extent,
                        int64_t(value.index) << 8 | value.axis});
      else
        expr.push_back({ExprNode::Op::Scalar, int64_t(value.index)});
      stack.pop_back();
      continue;
    }
    if (next < op->operands.count) {
      stack.push_back({g.operand(*op, next++), 0});
      continue;
    }
    if (auto code = exprOp(op->opcode))
      expr.push_back({*code, 0});
    else if (op->opcode != Opcode::Cast) // integers are carried as i64 already
      return internalError("%s in a grid expression", opInfo(op->opcode).text.data());
    stack.pop_back();
  }
  return expr;
}

/// Marks the arguments that stores and scatters reach.
void markWritten(const Graph &g, std::vector<ArtifactArg> &args) {
  for (OpId id = 1; id < g.ops.size(); ++id) {
    const Op &op = g.ops[id];
    if (!writesMemory(op.opcode))
      continue;
    if (auto arg = rootArgument(g, g.viewOperand(op)))
      args[*arg].written = true;
  }
}

/// What a dispatch gives argument `want` of its kernel.
Result<StepArg> stepArg(const Graph &g, ValueId v, const ArtifactArg &want,
                        const std::vector<uint32_t> &temporaryOf) {
  StepArg arg;
  const Op *op = g.definingOp(v);
  if (op && op->opcode == Opcode::Temporary) {
    arg.kind = StepArg::Kind::Temporary;
    arg.index = temporaryOf[v];
  } else if (want.kind != ArgKind::Scalar || (isFloat(want.dtype) && !op)) {
    arg.index = g.values[v].index;
  } else if (isFloat(want.dtype)) {
    arg.kind = StepArg::Kind::Float;
    arg.number = g.attr(*op, AttrKey::Value)->f;
  } else {
    arg.kind = StepArg::Kind::Integer;
    TL_ASSIGN(arg.expr, expression(g, v));
  }
  return arg;
}

/// Members, temporaries and steps of a sequence.
Status describeSteps(const Graph &g, Artifact &artifact) {
  for (const auto &callee : g.kernel.callees) {
    TL_ASSIGN(Artifact member, describeKernel(*callee));
    artifact.members.push_back(std::move(member));
  }
  std::vector<uint32_t> temporaryOf(g.values.size(), 0);
  for (OpId id : g.block(g.kernel.body).ops) {
    const Op &op = g.ops[id];
    if (op.opcode == Opcode::Temporary) {
      ArtifactTemporary temporary;
      temporary.dtype = g.typeOf(g.result(op)).dtype;
      for (ValueId extent : g.operands(op)) {
        TL_ASSIGN(Expr expr, expression(g, extent));
        temporary.extents.push_back(std::move(expr));
      }
      temporaryOf[g.result(op)] = uint32_t(artifact.temporaries.size());
      artifact.temporaries.push_back(std::move(temporary));
    }
    if (op.opcode != Opcode::Dispatch)
      continue;
    Step step;
    step.member = uint32_t(g.intAttr(op, AttrKey::Callee) - 1);
    const std::vector<ArtifactArg> &want = artifact.members[step.member].args;
    for (size_t i = 0; i < want.size(); ++i) {
      ValueId v = g.operand(op, i);
      TL_ASSIGN(StepArg arg, stepArg(g, v, want[i], temporaryOf));
      if (want[i].written && arg.kind == StepArg::Kind::Argument)
        artifact.args[arg.index].written = true;
      step.args.push_back(std::move(arg));
    }
    artifact.steps.push_back(std::move(step));
  }
  if (artifact.steps.size() > kMaxSteps || artifact.temporaries.size() > kMaxTemporaries)
    return makeError(TL_E_LIMIT,
                     "sequence '%s': at most %zu dispatches and %zu temporaries, not %zu and %zu",
                     g.kernel.name.c_str(), kMaxSteps, kMaxTemporaries, artifact.steps.size(),
                     artifact.temporaries.size());
  return {};
}

} // namespace

LogSite logSiteOf(const Graph &g, const Op &op) {
  LogSite site;
  site.isAssert = op.opcode == Opcode::Assert;
  site.message = g.attr(op, AttrKey::Message)->text;
  for (ValueId v : g.operands(op)) {
    const Type &type = g.typeOf(v);
    if (!site.isAssert || type.rank > 0)
      site.values.push_back({type.dtype, {type.extents().begin(), type.extents().end()}});
  }
  return site;
}

std::vector<OpId> logOps(const Graph &g) {
  std::vector<OpId> ops;
  for (OpId id = 1; id < g.ops.size(); ++id)
    if (writesLog(g.ops[id].opcode))
      ops.push_back(id);
  return ops;
}

Result<Artifact> describeKernel(const Graph &g) {
  Artifact artifact;
  const Kernel &k = g.kernel;
  artifact.kernel = k.name;
  for (size_t i = 0; i < k.args.size(); ++i) {
    const Argument &arg = k.args[i];
    const Type &type = g.typeOf(arg.value);
    ArtifactArg out;
    out.name = arg.name;
    out.kind = argKind(type);
    out.dtype = type.dtype;
    for (const ViewDim &dim : arg.extents)
      out.extents.push_back(dimSpec(g, dim));
    for (const ViewDim &dim : arg.strides)
      out.strides.push_back(dimSpec(g, dim));
    out.optional = arg.optional;
    out.distinct = arg.distinct;
    out.hasDefault = arg.hasDefault;
    out.defaultInt = arg.defaultInt;
    out.defaultFloat = arg.defaultFloat;
    out.generator.kind = Generator::Kind(arg.generator.kind);
    out.generator.low = arg.generator.low;
    out.generator.high = arg.generator.high;
    out.generator.lowArg =
        arg.generator.lowValue ? int32_t(g.values[arg.generator.lowValue].index) : -1;
    out.generator.highArg =
        arg.generator.highValue ? int32_t(g.values[arg.generator.highValue].index) : -1;
    artifact.args.push_back(std::move(out));

    auto index = uint16_t(i);
    artifact.slots.push_back(
        {type.isScalar() ? KernargSlot::Kind::Scalar : KernargSlot::Kind::Pointer, index, 0});
    for (bool stride : {false, true}) {
      const auto &dims = stride ? arg.strides : arg.extents;
      for (size_t axis = 0; axis < dims.size(); ++axis)
        if (dims[axis].kind == ViewDim::Kind::Dynamic)
          artifact.slots.push_back({stride ? KernargSlot::Kind::Stride : KernargSlot::Kind::Extent,
                                    index, uint8_t(axis)});
    }
  }
  if (k.isSequence) {
    artifact.slots.clear();
    TL_TRY(describeSteps(g, artifact));
    return artifact;
  }
  for (OpId id : logOps(g))
    artifact.logSites.push_back(logSiteOf(g, g.ops[id]));
  for (uint8_t axis = 0; axis < 2 && !artifact.logSites.empty(); ++axis)
    artifact.slots.push_back({KernargSlot::Kind::Log, 0, axis});
  for (uint8_t axis = 0; axis < 3; ++axis)
    artifact.slots.push_back({KernargSlot::Kind::Grid, 0, axis});
  for (ValueId v : k.grid) {
    TL_ASSIGN(Expr expr, expression(g, v));
    artifact.grid.push_back(std::move(expr));
  }
  markWritten(g, artifact.args);
  return artifact;
}

int slotOfValue(const Graph &g, const std::vector<KernargSlot> &slots, ValueId v) {
  const Value &value = g.values[v];
  KernargSlot want;
  want.arg = uint16_t(value.index);
  if (value.kind == ValueKind::Argument)
    want.kind = value.type.isScalar() ? KernargSlot::Kind::Scalar : KernargSlot::Kind::Pointer;
  else if (value.kind == ValueKind::ImplicitDim) {
    want.kind = value.isStride ? KernargSlot::Kind::Stride : KernargSlot::Kind::Extent;
    want.axis = value.axis;
  } else
    return -1;
  for (size_t i = 0; i < slots.size(); ++i)
    if (slots[i].kind == want.kind && slots[i].arg == want.arg && slots[i].axis == want.axis)
      return int(i);
  return -1;
}

} // namespace tl
