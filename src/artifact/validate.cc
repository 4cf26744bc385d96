#include "artifact/artifact.h"
#include "artifact/limits.h"
#include "artifact/log.h"

namespace tl {

#define BROKEN(...) return makeError(TL_E_CORRUPT, "corrupt artifact: " __VA_ARGS__)

static bool isIntegerScalar(const Artifact &a, int64_t index) {
  if (index < 0 || index >= int64_t(a.args.size()))
    return false;
  const ArtifactArg &arg = a.args[size_t(index)];
  return arg.kind == ArgKind::Scalar && dtypeKnown(int32_t(arg.dtype)) && !isFloat(arg.dtype);
}

static bool isViewAxis(const Artifact &a, int64_t index, int64_t axis) {
  return index >= 0 && index < int64_t(a.args.size()) &&
         a.args[size_t(index)].kind == ArgKind::View && axis >= 0 &&
         axis < int64_t(a.args[size_t(index)].extents.size());
}

static Status validateDims(const Artifact &a, const ArtifactArg &arg,
                           const std::vector<DimSpec> &dims) {
  for (const DimSpec &dim : dims) {
    if (dim.kind < DimSpec::Kind::Literal || dim.kind > DimSpec::Kind::Dynamic)
      BROKEN("argument '%s' has an extent of unknown kind %u", arg.name.c_str(),
             unsigned(dim.kind));
    if (dim.kind == DimSpec::Kind::Scalar && !isIntegerScalar(a, dim.value))
      BROKEN("an extent of argument '%s' names %lld, which is no integer scalar", arg.name.c_str(),
             (long long)dim.value);
  }
  return {};
}

static Status validateArg(const Artifact &a, const ArtifactArg &arg) {
  const char *name = arg.name.c_str();
  if (arg.kind < ArgKind::Scalar || arg.kind > ArgKind::Pointer)
    BROKEN("argument '%s' is of unknown kind %u", name, unsigned(arg.kind));
  if (!dtypeKnown(int32_t(arg.dtype)))
    BROKEN("argument '%s' has the unknown element type %d", name, int(arg.dtype));
  if (arg.extents.size() > TL_MAX_VIEW_RANK)
    BROKEN("argument '%s' has rank %zu", name, arg.extents.size());
  if (arg.kind != ArgKind::View && (!arg.extents.empty() || !arg.strides.empty()))
    BROKEN("argument '%s' has extents but is no view", name);
  if (!arg.strides.empty() && arg.strides.size() != arg.extents.size())
    BROKEN("argument '%s' has %zu extents and %zu strides", name, arg.extents.size(),
           arg.strides.size());
  if (arg.kind == ArgKind::Scalar && (arg.optional || arg.distinct || arg.written))
    BROKEN("the scalar argument '%s' has flags of memory", name);
  if (arg.kind != ArgKind::Scalar && arg.hasDefault)
    BROKEN("argument '%s' has a default but is no scalar", name);
  TL_TRY(validateDims(a, arg, arg.extents));
  TL_TRY(validateDims(a, arg, arg.strides));
  const Generator &g = arg.generator;
  if (g.kind > Generator::Kind::Const)
    BROKEN("argument '%s' has the unknown generator %u", name, unsigned(g.kind));
  for (int32_t bound : {g.lowArg, g.highArg})
    if (bound != -1 && !isIntegerScalar(a, bound))
      BROKEN("the generator of argument '%s' names %d, which is no integer scalar", name, bound);
  return {};
}

static Status validateLog(const Artifact &a) {
  if (a.logSites.empty())
    return {};
  if (a.slots.size() < 5 || a.slots[a.slots.size() - 5].kind != KernargSlot::Kind::Log ||
      a.slots[a.slots.size() - 4].kind != KernargSlot::Kind::Log)
    BROKEN("a kernel that prints or asserts has no slots for it");
  for (const LogSite &site : a.logSites) {
    size_t words = logWordsOf(site);
    if (words == 0 || words > kMaxLogWords)
      BROKEN("a print has values of unknown types, or too many");
  }
  return {};
}

static Status validateSlots(const Artifact &a) {
  if (a.slots.size() < 3)
    BROKEN("%zu kernel argument slots, at least 3 are needed", a.slots.size());
  if (a.slots.size() > kMaxKernargSlots)
    BROKEN("%zu kernel argument slots, at most %zu are allowed", a.slots.size(), kMaxKernargSlots);
  for (size_t i = 0; i < a.slots.size(); ++i) {
    const KernargSlot &slot = a.slots[i];
    bool last = i + 3 >= a.slots.size();
    bool grid = slot.kind == KernargSlot::Kind::Grid;
    if (grid != last)
      BROKEN("slot %zu of %zu: the last three slots, and only those, hold the grid", i,
             a.slots.size());
    if (grid) {
      if (slot.arg != 0 || slot.axis != i + 3 - a.slots.size())
        BROKEN("slot %zu of %zu holds the wrong axis of the grid", i, a.slots.size());
      continue;
    }
    if (slot.kind == KernargSlot::Kind::Log) {
      if (a.logSites.empty() || slot.arg != 0 || slot.axis != i + 5 - a.slots.size())
        BROKEN("slot %zu of %zu is of a log that is not there, or out of place", i, a.slots.size());
      continue;
    }
    if (slot.arg >= a.args.size())
      BROKEN("slot %zu names argument %u of %zu", i, slot.arg, a.args.size());
    const ArtifactArg &arg = a.args[slot.arg];
    bool scalar = arg.kind == ArgKind::Scalar;
    switch (slot.kind) {
    case KernargSlot::Kind::Pointer:
    case KernargSlot::Kind::Scalar:
      if (scalar != (slot.kind == KernargSlot::Kind::Scalar) || slot.axis != 0)
        BROKEN("slot %zu does not fit argument '%s'", i, arg.name.c_str());
      break;
    case KernargSlot::Kind::Extent:
    case KernargSlot::Kind::Stride: {
      const auto &dims = slot.kind == KernargSlot::Kind::Extent ? arg.extents : arg.strides;
      if (slot.axis >= dims.size() || dims[slot.axis].kind != DimSpec::Kind::Dynamic)
        BROKEN("slot %zu names axis %u of argument '%s', which is not dynamic", i, slot.axis,
               arg.name.c_str());
      break;
    }
    default:
      BROKEN("slot %zu is of unknown kind %u", i, unsigned(slot.kind));
    }
  }
  return {};
}

// Values taken from the stack by a node; -1 for unknown operations and bad operands.
static int takes(const Artifact &a, const ExprNode &node) {
  switch (node.op) {
  case ExprNode::Op::Literal:
    return 0;
  case ExprNode::Op::Scalar:
    return isIntegerScalar(a, node.value) ? 0 : -1;
  case ExprNode::Op::Extent:
  case ExprNode::Op::Stride: {
    // Only dynamic ones come with the launch; the others are literals and scalars.
    if (!isViewAxis(a, node.value >> 8, node.value & 255))
      return -1;
    const ArtifactArg &arg = a.args[size_t(node.value >> 8)];
    const auto &dims = node.op == ExprNode::Op::Extent ? arg.extents : arg.strides;
    size_t axis = size_t(node.value & 255);
    return axis < dims.size() && dims[axis].kind == DimSpec::Kind::Dynamic ? 0 : -1;
  }
  case ExprNode::Op::Wrap: {
    int64_t bits = node.value;
    bool known = bits == 1 || bits == 8 || bits == 16 || bits == 32 || bits == 64 || bits == -8 ||
                 bits == -16 || bits == -32 || bits == -64;
    return known ? 1 : -1;
  }
  case ExprNode::Op::Select:
    return 3;
  default:
    return node.op >= ExprNode::Op::Add && node.op <= ExprNode::Op::Equal ? 2 : -1;
  }
}

static Status validateExpr(const Artifact &a, const Expr &expr) {
  if (expr.empty() || expr.size() > kMaxExprNodes)
    BROKEN("a launch expression has %zu nodes, allowed are 1 to %zu", expr.size(), kMaxExprNodes);
  size_t depth = 0;
  for (const ExprNode &node : expr) {
    int count = takes(a, node);
    if (count < 0)
      BROKEN("a launch expression has a bad node (operation %u, value %lld)", unsigned(node.op),
             (long long)node.value);
    if (depth < size_t(count))
      BROKEN("a launch expression lacks operands");
    depth += 1 - size_t(count);
    if (depth > kMaxExprDepth)
      BROKEN("a launch expression is deeper than %zu", kMaxExprDepth);
  }
  if (depth != 1)
    BROKEN("a launch expression leaves %zu values", depth);
  return {};
}

static Status validateCode(const Artifact &a, const TargetCode &code) {
  const char *target = code.target.c_str();
  if (code.target.empty())
    BROKEN("code without a target");
  size_t same = 0;
  for (const TargetCode &other : a.codes)
    same += other.target == code.target;
  if (same != 1)
    BROKEN("code for %s stands %zu times", target, same);
  bool interp = code.target == "interp";
  if (!interp && (code.symbol.empty() || code.code.empty()))
    BROKEN("the code for %s is empty or has no symbol", target);
  if (code.threads == 0 || code.threads > 1024 || code.waveSize == 0 || code.waveSize > 1024)
    BROKEN("the code for %s has %u threads in waves of %u", target, code.threads, code.waveSize);
  return {};
}

static Status validateStepArg(const Artifact &a, const StepArg &arg, const ArtifactArg &want) {
  const char *name = want.name.c_str();
  bool integer = want.kind == ArgKind::Scalar && !isFloat(want.dtype);
  bool number = want.kind == ArgKind::Scalar && isFloat(want.dtype);
  switch (arg.kind) {
  case StepArg::Kind::Argument: {
    if (arg.index >= a.args.size())
      BROKEN("a step gives '%s' argument %u of %zu", name, arg.index, a.args.size());
    const ArtifactArg &given = a.args[arg.index];
    bool pointer = want.kind == ArgKind::Pointer && given.kind != ArgKind::Scalar;
    if (given.dtype != want.dtype || (given.kind != want.kind && !pointer) ||
        (want.kind == ArgKind::View && given.extents.size() != want.extents.size()) || integer)
      BROKEN("a step gives '%s' an argument that does not fit it", name);
    return {};
  }
  case StepArg::Kind::Temporary: {
    if (arg.index >= a.temporaries.size())
      BROKEN("a step gives '%s' temporary %u of %zu", name, arg.index, a.temporaries.size());
    const ArtifactTemporary &given = a.temporaries[arg.index];
    if (want.kind == ArgKind::Scalar || given.dtype != want.dtype ||
        (want.kind == ArgKind::View && given.extents.size() != want.extents.size()))
      BROKEN("a step gives '%s' a temporary that does not fit it", name);
    return {};
  }
  case StepArg::Kind::Integer:
    if (!integer)
      BROKEN("a step gives '%s' an integer", name);
    return validateExpr(a, arg.expr);
  case StepArg::Kind::Float:
    if (!number)
      BROKEN("a step gives '%s' a float", name);
    return {};
  }
  BROKEN("a step gives '%s' something of unknown kind %u", name, unsigned(arg.kind));
}

static Status validateSequence(const Artifact &a) {
  if (!a.codes.empty() || !a.slots.empty() || !a.grid.empty())
    BROKEN("a sequence has code, slots or a grid of its own");
  if (a.temporaries.size() > kMaxTemporaries || a.steps.size() > kMaxSteps)
    BROKEN("a sequence of %zu steps with %zu temporaries", a.steps.size(), a.temporaries.size());
  for (const ArtifactTemporary &temporary : a.temporaries) {
    if (!dtypeKnown(int32_t(temporary.dtype)) || temporary.extents.empty() ||
        temporary.extents.size() > TL_MAX_VIEW_RANK)
      BROKEN("a temporary of unknown type, or of %zu axes", temporary.extents.size());
    for (const Expr &expr : temporary.extents)
      TL_TRY(validateExpr(a, expr));
  }
  for (const Artifact &member : a.members)
    if (member.isSequence() || member.isLibrary())
      BROKEN("a sequence launches something that is no kernel");
  for (const Step &step : a.steps) {
    if (step.member >= a.members.size())
      BROKEN("a step launches member %u of %zu", step.member, a.members.size());
    const std::vector<ArtifactArg> &want = a.members[step.member].args;
    if (step.args.size() != want.size())
      BROKEN("a step gives %zu arguments to a kernel of %zu", step.args.size(), want.size());
    for (size_t i = 0; i < want.size(); ++i)
      TL_TRY(validateStepArg(a, step.args[i], want[i]));
  }
  return {};
}

static Status validateLibrary(const Artifact &a) {
  if (a.members.empty())
    BROKEN("the kernel has no name");
  if (!a.args.empty() || !a.steps.empty() || !a.codes.empty() || !a.graph.empty())
    BROKEN("a library has arguments, steps, code or a graph of its own");
  for (const Artifact &member : a.members)
    if (member.isLibrary())
      BROKEN("a library holds a library");
  return {};
}

Status validateArtifact(const Artifact &a) {
  for (const Artifact &member : a.members)
    TL_TRY(validateArtifact(member));
  if (a.isLibrary())
    return validateLibrary(a);
  if (a.args.size() > TL_MAX_ARGUMENTS)
    BROKEN("%zu arguments, at most %d are allowed", a.args.size(), TL_MAX_ARGUMENTS);
  for (const ArtifactArg &arg : a.args)
    TL_TRY(validateArg(a, arg));
  if (a.isSequence())
    return validateSequence(a);
  if (!a.members.empty())
    BROKEN("a kernel has members");
  TL_TRY(validateSlots(a));
  TL_TRY(validateLog(a));
  if (a.grid.empty() || a.grid.size() > 3)
    BROKEN("the grid has %zu axes", a.grid.size());
  for (const Expr &expr : a.grid)
    TL_TRY(validateExpr(a, expr));
  for (const TargetCode &code : a.codes)
    TL_TRY(validateCode(a, code));
  return {};
}

} // namespace tl
